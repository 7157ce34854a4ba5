-- The real Claude Code, connected as to an IDE: what it is about to write comes up for review, where
-- nothing else asks, and once where its hooks ask as well. Started by `:Oxide agent claude`, and
-- elsewhere, where it finds the lock file.
local agent_seat = require('agent_seat')
local agents = require('agents')
local fault = require('fault')
local hooked = require('hooked')

if not agents.brought('claude') then
  pending('the set-up brings no Claude Code here')
  return
end

local own = agents.all.claude.calls
local DISK, with = hooked.DISK, hooked.with

describe('Claude Code, connected as to an IDE,', function()
  local s, child ---@type test.AgentSeat, test.Child
  local told ---@type table<string, table>

  ---@param row string   of `agents` in the configuration
  local function begin(row)
    told = {}
    s = agent_seat.begin('claude', function(call)
      local plain = child.dir .. '/plain.txt'
      call(own.read(plain))
      told.edited = call(own.edit(plain, 'two', 'TWO'))
      coroutine.yield('the second line is changed')
      told.refused = call(own.edit(plain, 'one', 'ONE'))
      told.over = true
      return 'the first line stays'
    end, { row = row })
    child = s.child
  end

  --- In Neovim's terminal.
  ---@param row string
  local function start(row)
    begin(row)
    s:toggle()
    s:connects()
    s:knows_ide()
  end

  local function wait_told()
    return fault.wait('the model to be told', function()
      return told.edited
    end)
  end

  --- Claude Code gives up on an IDE's answer after two seconds, and has it with a later question.
  ---@param words string
  local function read_until(words, call, path)
    local read
    for _ = 1, 10 do
      read = call(own.read(path))
      if vim.json.encode(s.seat.model.server.asked):find(words, 1, true) then
        break
      end
    end
    return read
  end

  local function assert_second_line_changed()
    assert.matches('updated successfully', wait_told().text)
    assert.equal('one\nTWO\n', child:file('plain.txt'))
    s:has('// mine\none\nTWO\n')
  end

  local function undo()
    child:cmd('Oxide turn undo')
    s:has('// mine\none\ntwo\n')
  end

  after_each(function()
    s:finish()
  end)

  it('shows what it is about to write, with no hooks, and writes what was accepted', function()
    start('route = {}')
    s:ask('change line 2')
    assert.equal('one\ntwo\n', child:file('plain.txt'))
    child:type(':w<CR>')
    assert_second_line_changed()
    undo()
  end)

  it('writes the part that was accepted, and its model learns which', function()
    told = {}
    s = agent_seat.begin('claude', function(call)
      local plain = child.dir .. '/plain.txt'
      call(own.read(plain))
      local new = with(with(DISK, '2', '2 or so'), '18', '18 or so')
      told.edited = call('Write', { file_path = plain, content = new })
      told.over = read_until('accepted your change in part', call, plain)
      return 'that is done'
    end, { row = 'route = {}', text = DISK })
    child = s.child
    s:toggle()
    s:connects()
    s:knows_ide()
    s:ask('change both')
    child:type('gg/18 or so<CR> :w<CR>')
    fault.wait('the model to be told', function()
      return told.over
    end)
    assert.equal(with(DISK, '2', '2 or so'), child:file('plain.txt'))
    local asked = vim.json.encode(s.seat.model.server.asked)
    assert.matches('accepted your change in part', asked)
    assert.matches('%-18 or so', asked)
  end)

  it('writes what the person made of it, and its model learns the difference', function()
    told = {}
    s = agent_seat.begin('claude', function(call)
      local plain = child.dir .. '/plain.txt'
      call(own.read(plain))
      told.edited = call(own.edit(plain, 'two', 'TWO'))
      told.over = read_until('changed what you asked for before', call, plain)
      return 'that is done'
    end, { row = 'route = {}' })
    child = s.child
    s:toggle()
    s:connects()
    s:knows_ide()
    s:ask('change line 2')
    child:edit_in_review('TWO', 'Deux')
    child:type(':w<CR>')
    fault.wait('the model to be told', function()
      return told.over
    end)
    assert.equal('one\nDeux\n', child:file('plain.txt'))
    s:has('// mine\none\nDeux\n')
    local asked = vim.json.encode(s.seat.model.server.asked)
    assert.matches('The user changed what you asked for before accepting it', asked)
    assert.matches('%-TWO', asked)
    assert.matches('%+Deux', asked)
    undo()
  end)

  it('is refused by the review, and nothing is written', function()
    start('route = {}')
    s:ask('change line 2')
    child:type(':q<CR>')
    assert.equal('discarded', child:event('ReviewClose').outcome)
    s:shows('Rejected plain.txt')
    s:say('go on')
    assert.is_true(wait_told().failed)
    assert.equal('one\ntwo\n', child:file('plain.txt'))
  end)

  it('takes the review back where it is answered in the terminal', function()
    start('route = {}')
    s:ask('change line 2')
    fault.wait('the answer to be taken', function()
      s:put('\r') -- yes
      return vim.wait(2000, function()
        return told.edited ~= nil
      end, 20)
    end)
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert_second_line_changed()
    undo()
  end)

  it('shows it once where its hooks ask as well', function()
    start('')
    s:ask('change line 2')
    child:type(':w<CR>')
    assert_second_line_changed()
    local reviews = child:lua([[
      return #vim.tbl_filter(function(e) return e.name == 'OxideReviewOpen' end, _G.events)
    ]])
    assert.equal(1, reviews)
    undo()
  end)

  it('finds the lock file where it was started elsewhere', function()
    begin('')
    child:cmd('Oxide ide start')
    child:message('the IDE server for claude listens')
    s:start_elsewhere { '--ide', '--permission-mode', 'default' }
    s:connects()
    s:ask('change line 2')
    child:type(':w<CR>')
    assert_second_line_changed()
    undo()
  end)
end)
