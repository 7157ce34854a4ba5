-- The real Claude Code, connected as to an IDE: what it is about to write comes up for review, where
-- nothing else asks, and once where its hooks ask as well. Started by `:Oxide agent claude`, and
-- elsewhere, where it finds the lock file.
local agents = require('agents')
local fault = require('fault')
local helper = require('helper')
local model = require('model')
local relay = require('relay')

if not agents.brought('claude') then
  pending('the set-up brings no Claude Code here')
  return
end

local own = agents.all.claude.calls
local PROGRAM = helper.root .. '/.deps/agents/bin/claude'

describe('Claude Code, connected as to an IDE,', function()
  local child, seat ---@type test.Child, test.Seat
  local told ---@type table<string, table>
  local elsewhere ---@type integer?

  ---@param row string   of `agents` in the configuration
  local function begin(row)
    child = helper.start({ ['plain.txt'] = 'one\ntwo\n' }, {
      env = { XDG_RUNTIME_DIR = seat.run, XDG_STATE_HOME = seat.home .. '/state' },
      config = ('{ core = { path = %q }, agents = { claude = { executable = %q, %s } } }'):format(
        helper.core,
        PROGRAM,
        row
      ),
    })
    vim.fn.mkdir(child.dir .. '/.git')
    relay.listen(child)
    seat.dir = child.dir
    told = {}
    local plain = child.dir .. '/plain.txt'
    seat.model = model.start(function(call)
      call(own.read(plain))
      told.edited = call(own.edit(plain, 'two', 'TWO'))
      coroutine.yield('the second line is changed')
      told.refused = call(own.edit(plain, 'one', 'ONE'))
      told.over = true
      return 'the first line stays'
    end)
    agents.all.claude.settle(seat)
    child:cmd('edit plain.txt')
    child:type('ggO// mine<Esc>')
    child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline(1) == '// mine'")
    child:lua(
      [[
        for name, value in pairs(...) do
          vim.env[name] = value
        end
      ]],
      agents.env(seat, 'claude')
    )
  end

  local function connected()
    child:wait(
      'Claude Code to connect',
      [[(function()
        for _, e in ipairs(_G.events) do
          if e.name == 'OxideIde' and #e.data.clients == 1 then return true end
        end
      end)()]]
    )
  end

  --- Says something to it, until its model is asked. Before its prompt is there keys get lost, and
  --- right behind what is typed Return may be taken for a part of it.
  ---@param put fun(keys: string)
  ---@param text string
  local function say(put, text)
    fault.wait('the model to be asked', function()
      put(text)
      local function asked()
        return vim.json.encode(seat.model.server.asked):find(text, 1, true) ~= nil
      end
      if vim.wait(300, asked, 20) then
        return true
      end
      put('\r')
      return vim.wait(2000, asked, 20)
    end)
  end

  ---@param put fun(keys: string)
  ---@param text string
  local function ask(put, text)
    say(put, text)
    child:lua([[
      function _G.opened()
        return vim.iter(_G.events):any(function(e) return e.name == 'OxideReviewOpen' end)
      end
    ]])
    child:wait('a review', "opened() or require('oxide.review_queue').count() > 0")
    child:lua("vim.cmd('stopinsert')")
    if not child:lua('return opened()') then -- the user is in the terminal
      child:cmd('Oxide review')
    end
    child:event('ReviewOpen')
  end

  --- Into the terminal of `:Oxide agent`.
  local function put_here(keys)
    child:lua(
      [[
        for _, buf in ipairs(vim.api.nvim_list_bufs()) do
          if vim.b[buf].oxide_agent then
            vim.fn.chansend(vim.bo[buf].channel, (...))
          end
        end
      ]],
      keys
    )
  end

  local function screen()
    return child:lua([[
      for _, buf in ipairs(vim.api.nvim_list_bufs()) do
        if vim.b[buf].oxide_agent then
          return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
        end
      end
      return ''
    ]])
  end

  local function put_elsewhere(keys)
    vim.fn.chansend(elsewhere, keys)
  end

  local function assert_second_line_changed()
    fault.wait('the model to be told', function()
      return told.edited
    end)
    assert.matches('updated successfully', told.edited.text)
    assert.equal('one\nTWO\n', child:file('plain.txt'))
    child:wait('the buffer', "vim.fn.getbufline('plain.txt', 1, '$')[3] == 'TWO'")
    assert.equal('// mine', child:lua("return vim.fn.getbufline('plain.txt', 1)[1]"))
  end

  local function undo()
    child:cmd('Oxide turn undo')
    child:wait('the turn to be undone', "vim.fn.getbufline('plain.txt', 1, '$')[3] == 'two'")
    local lines = child:lua("return vim.fn.getbufline('plain.txt', 1, '$')")
    assert.same({ '// mine', 'one', 'two' }, lines)
  end

  before_each(function()
    seat = { home = helper.tempdir(), run = helper.tempdir(), asks = true }
  end)
  after_each(function()
    if elsewhere then
      vim.fn.jobstop(elsewhere)
      vim.fn.jobwait({ elsewhere }, helper.deadline)
      elsewhere = nil
    end
    model.cleanup()
    helper.cleanup()
    vim.fn.delete(seat.home, 'rf')
    vim.fn.delete(seat.run, 'rf')
  end)

  it('shows what it is about to write, with no hooks, and writes what was accepted', function()
    begin('route = {}')
    child:cmd('Oxide agent claude')
    connected()
    ask(put_here, 'change line 2')
    assert.equal('one\ntwo\n', child:file('plain.txt'))
    child:type(':w<CR>')
    assert_second_line_changed()
    undo()
  end)

  it('is refused by the review, and nothing is written', function()
    begin('route = {}')
    child:cmd('Oxide agent claude')
    connected()
    ask(put_here, 'change line 2')
    child:type(':q<CR>')
    assert.equal('discarded', child:event('ReviewClose').outcome)
    fault.wait('the end of its turn', function()
      return screen():find('Rejected[^\n]-plain.txt')
    end)
    say(put_here, 'go on')
    fault.wait('the model to be told', function()
      return told.edited
    end)
    assert.is_true(told.edited.failed)
    assert.equal('one\ntwo\n', child:file('plain.txt'))
  end)

  it('takes the review back where it is answered in the terminal', function()
    begin('route = {}')
    child:cmd('Oxide agent claude')
    connected()
    ask(put_here, 'change line 2')
    fault.wait('the answer to be taken', function()
      put_here('\r') -- yes
      return vim.wait(2000, function()
        return told.edited ~= nil
      end, 20)
    end)
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert_second_line_changed()
    undo()
  end)

  it('shows it once where its hooks ask as well', function()
    begin('')
    child:cmd('Oxide agent claude')
    connected()
    ask(put_here, 'change line 2')
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
    child:message('the IDE server listens')
    local argv = { PROGRAM, '--ide', '--permission-mode', 'default' }
    elsewhere = vim.fn.jobstart(agents.secluded(seat, 'claude', argv), {
      pty = true,
      cwd = child.dir,
      width = 120,
      height = 40,
      env = { TERM = 'xterm-256color' },
    })
    connected()
    ask(put_elsewhere, 'change line 2')
    child:type(':w<CR>')
    assert_second_line_changed()
    undo()
  end)
end)
