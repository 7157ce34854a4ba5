-- The real Gemini CLI, connected as to an IDE: what it is about to write comes up for review, and its
-- model learns what became of that. Its user has once said `/ide enable`, which is in its settings.
local agent_seat = require('agent_seat')
local agents = require('agents')
local fault = require('fault')
local helper = require('helper')
local hooked = require('hooked')

if not agents.brought('gemini') or not agents.all.gemini then
  pending('npm brings no Gemini CLI here')
  return
end

local own = agents.all.gemini.calls
local ENABLED = '{"ide":{"enabled":true}}'

local with = hooked.with
local DISK = vim.iter(vim.fn.range(1, 20)):map(tostring):join('\n') .. '\n'

describe('Gemini CLI, connected as to an IDE,', function()
  local s, child ---@type test.AgentSeat, test.Child
  local told, plain ---@type { text: string }?, string

  --- It is asked to do one thing, by one of its tools.
  ---@param fn fun(): string, table
  ---@param settings? string
  local function begin(fn, settings)
    told = nil
    s = agent_seat.begin('gemini', function(call)
      call(own.read(plain))
      told = call(fn())
      return 'that is done'
    end, { settings = settings or ENABLED, text = DISK })
    child = s.child
    plain = child.dir .. '/plain.txt'
    s:toggle()
    s:connects()
    s:shows(agents.all.gemini.ready)
  end

  ---@param new string   text of the file
  local function begin_write(new)
    begin(function()
      return 'write_file', { file_path = plain, content = new }
    end)
  end

  ---@return string   what its model was told
  local function wait_told()
    local waited = vim.wait(helper.deadline, function()
      return told ~= nil
    end, 5)
    assert(waited, s:screen())
    return told.text
  end

  --- Its own question in the terminal is answered with a yes.
  local function allow()
    fault.wait('the answer to be taken', function()
      s:put('\r') -- allow once
      return vim.wait(2000, function()
        return told ~= nil
      end, 20)
    end)
  end

  after_each(function()
    s:finish()
  end)

  it('shows what it is about to write, and writes what was accepted', function()
    local new = with(DISK, '12', '12 or so')
    begin_write(new)
    s:ask('change line 12')
    assert.equal(DISK, child:file('plain.txt'))
    child:type(':w<CR>')
    assert.matches('Successfully overwrote', wait_told())
    assert.equal(new, child:file('plain.txt'))
    s:has('// mine\n' .. new)
    child:cmd('Oxide turn undo')
    s:has('// mine\n' .. DISK)
    local settings = vim.json.decode(helper.read(s.seat.home .. '/.gemini/settings.json'))
    assert.same({ enabled = true, hasSeenNudge = true }, settings.ide) -- as it was
  end)

  it('shows an edit as well', function()
    begin(function()
      return own.edit(plain, '12\n', '12 or so\n')
    end)
    s:ask('change line 12')
    child:type(':w<CR>')
    assert.matches('Successfully modified', wait_told())
    assert.equal(with(DISK, '12', '12 or so'), child:file('plain.txt'))
  end)

  it('writes the part that was accepted, and its model learns which', function()
    begin_write(with(with(DISK, '2', '2 or so'), '18', '18 or so'))
    s:ask('change both')
    child:type('gg/18 or so<CR> :w<CR>')
    local text = wait_told()
    local new = with(DISK, '2', '2 or so')
    assert.equal(new, child:file('plain.txt'))
    s:has('// mine\n' .. new)
    assert.matches('modified the `content` to be: ' .. vim.pesc(new), text)
  end)

  it('shows it once where its hooks ask as well, and these tell what was left out', function()
    local settings = vim.json.decode(hooked.settings('gemini'))
    settings.ide = { enabled = true }
    local both = with(with(DISK, '2', '2 or so'), '18', '18 or so')
    begin(function()
      return 'write_file', { file_path = plain, content = both }
    end, vim.json.encode(settings))
    s:ask('change both')
    child:type('gg/18 or so<CR> :w<CR>')
    assert.matches('accepted your change in part', wait_told())
    assert.equal(with(DISK, '2', '2 or so'), child:file('plain.txt'))
    local reviews = child:lua([[
      return #vim.tbl_filter(function(e) return e.name == 'OxideReviewOpen' end, _G.events)
    ]])
    assert.equal(1, reviews)
  end)

  it('writes what the person made of it, and its model is told that', function()
    begin_write(with(DISK, '12', '12 or so'))
    s:ask('change line 12')
    child:edit_in_review('12 or so', '12 at most')
    child:type(':w<CR>')
    local text = wait_told()
    local new = with(DISK, '12', '12 at most')
    assert.equal(new, child:file('plain.txt'))
    s:has('// mine\n' .. new)
    assert.matches('modified the `content` to be: ' .. vim.pesc(new), text)
  end)

  it('is refused, and nothing is written', function()
    begin_write(with(DISK, '12', '12 or so'))
    s:ask('change line 12')
    child:type(':q<CR>')
    s:shows('Request cancelled')
    assert.equal(DISK, child:file('plain.txt'))
    assert.equal('// mine\n' .. DISK, s:buffer())
  end)

  it('takes the review back where it is answered in the terminal', function()
    begin_write(with(DISK, '12', '12 or so'))
    s:ask('change line 12')
    allow()
    assert.equal('gone', child:event('ReviewClose').outcome)
    s:has('// mine\n' .. with(DISK, '12', '12 or so'))
  end)

  it('is caught where it writes past that, and undone', function()
    begin(function()
      return own.run("sed -i 's/^12$/12 or so/' plain.txt")
    end)
    s:say('change line 12')
    allow()
    s:has('// mine\n' .. with(DISK, '12', '12 or so'))
    child:cmd('Oxide turn undo')
    s:has('// mine\n' .. DISK)
  end)
end)
