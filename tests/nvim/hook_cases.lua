-- What holds for each agent whose own tools Oxide's hooks look at, beside a Neovim with an unsaved
-- buffer: hooked.lua starts them.
local agents = require('agents')
local hooked = require('hooked')
local assert = require('luassert')

local M = {}

local DISK, with = hooked.DISK, hooked.with

---@class test.HookedAgent
---@field name string        in agents.lua
---@field it fun(what: string, test: fun())   of busted
---@field hooked fun(): test.Hooked
---@field start fun(script: test.Script): fun(): string, fun()   begins a conversation: waits for its
---  end and returns the last words of the model; ends the agent at once
---@field edited string      pattern: what the agent says of an edit that was made
---@field refused? string    pattern: what it says before the reason why one was not made

--- How a call of an agent's own tool ended, and what was said of it.
---@param said test.ToolResult
---@return string
function M.did(said)
  return (said.failed and 'failed: ' or 'done: ') .. said.text
end

--- Line 12 of list.txt becomes "12 or so".
---@param at test.HookedAgent
---@return fun(): string finish
---@return fun() kill
local function edit(at)
  local own, file = agents.all[at.name].calls, at.hooked().child.dir .. '/list.txt'
  return at.start(function(call)
    call(own.read(file))
    return M.did(call(own.edit(file, '12', '12 or so')))
  end)
end

--- The same, and it comes up for review.
---@param at test.HookedAgent
---@return fun(): string finish
---@return fun() kill
local function edit_reviewed(at)
  local finish, kill = edit(at)
  local child = at.hooked().child
  child:event('ReviewOpen')
  assert.equal(DISK, child:file('list.txt'))
  return finish, kill
end

--- The review is accepted with this line in the place of the twelfth, and the turn undone.
---@param at test.HookedAgent
---@param finish fun(): string
---@param line string
local function accept(at, finish, line)
  local h = at.hooked()
  h.child:type(':w<CR>')
  assert.matches(at.edited, finish())
  assert.equal(with(DISK, '12', line), h.child:file('list.txt'))
  h.child:wait('the buffer', ("vim.fn.getline(13) == '%s'"):format(line))
  assert.equal('// mine\n' .. with(DISK, '12', line), h:buffer())
  h:undoes()
end

--- An edit that is accepted, edited or refused.
---@param at test.HookedAgent
function M.reviews(at)
  local refused = at.refused or ''

  at.it('shows an edit, which is written once it is accepted, beside what is not saved', function()
    accept(at, edit_reviewed(at), '12 or so')
    local h = at.hooked()
    assert.matches('unsaved changes in this file, which are kept', h:told())
    h.child:cmd('write')
    assert.equal('// mine\n' .. DISK, h.child:file('list.txt'))
  end)

  at.it('writes what the person made of it, and the model learns the difference', function()
    local finish = edit_reviewed(at)
    local h = at.hooked()
    h.child:edit_in_review('12 or so', '12 at most')
    accept(at, finish, '12 at most')
    assert.matches('The user changed what you asked for before accepting it', h:told())
    assert.matches('%-12 or so\\n%+12 at most\\n', h:told())
  end)

  at.it('is refused with words for the model, and nothing is changed', function()
    local finish = edit_reviewed(at)
    at.hooked().child:type(':q<CR>')
    assert.matches(refused .. 'The user has refused this: .*ask what is wanted instead', finish())
    at.hooked():assert_untouched()
  end)
end

--- An edit where the user types, and one of an agent that is killed.
---@param at test.HookedAgent
function M.clashes(at)
  local refused = at.refused or ''

  at.it('is refused where the user is typing in the same lines', function()
    local h = at.hooked()
    h.child:type('/^12$<CR>Atyped<Esc>')
    h.child:wait('the typed word', "vim.fn.getline(13) == '12typed'")
    local said = edit(at)()
    assert.matches(refused .. 'unsaved changes in list.txt, in line 13, which .*clashes', said)
    assert.equal(DISK, h.child:file('list.txt'))
    assert.equal('// mine\n' .. with(DISK, '12', '12typed'), h:buffer())
  end)

  at.it('is shown again beside what is typed during the review', function()
    local finish = edit_reviewed(at)
    local h = at.hooked()
    h.child:lua('_G.events = {}')
    h.child:lua([[vim.fn.appendbufline('list.txt', '$', 'typed')]])
    h.child:wait('the advice', "vim.fn.search('^# A file has changed: :w shows', 'nw') > 0")
    h.child:type(':w<CR>')
    h.child:message('list.txt has changed: this is the change beside it')
    h.child:event('ReviewOpen')
    h.child:type(':w<CR>')
    assert.matches(at.edited, finish())
    local made = with(DISK, '12', '12 or so')
    assert.equal(made, h.child:file('list.txt'))
    h.child:wait('the buffer', "vim.fn.getline(13) == '12 or so'")
    assert.equal('// mine\n' .. made .. 'typed\n', h:buffer())
  end)

  at.it('takes the review back when the agent is killed, and nothing is changed', function()
    local _, kill = edit_reviewed(at)
    kill()
    assert.equal('gone', at.hooked().child:event('ReviewClose').outcome)
    at.hooked():assert_untouched()
  end)
end

--- Lines 2 and 18 of list.txt are changed by a tool of the agent that writes whole files, and the
--- change of one is accepted; and a new file.
---@param at test.HookedAgent
---@param write string   the tool
function M.writes(at, write)
  at.it('writes the part that was accepted, and the model learns which', function()
    local h = at.hooked()
    local own, file = agents.all[at.name].calls, h.child.dir .. '/list.txt'
    local finish = at.start(function(call)
      call(own.read(file))
      local new = with(with(DISK, '2', '2 or so'), '18', '18 or so')
      return M.did(call(write, { file_path = file, content = new }))
    end)
    h.child:event('ReviewOpen')
    h.child:type('gg/18 or so<CR> :w<CR>')
    assert.matches('^done: ', finish())
    assert.equal(with(DISK, '2', '2 or so'), h.child:file('list.txt'))
    h.child:wait('the buffer', "vim.fn.getline(3) == '2 or so'")
    assert.equal('// mine\n' .. with(DISK, '2', '2 or so'), h:buffer())
    h:assert_told_of_part()
  end)

  at.it('makes a new file', function()
    local child = at.hooked().child
    local path = child.dir .. '/sub/new.txt'
    local finish = at.start(function(call)
      return M.did(call(write, { file_path = path, content = 'new\n' }))
    end)
    child:event('ReviewOpen')
    assert.is_nil(vim.uv.fs_stat(path))
    child:type(':w<CR>')
    assert.matches('^done: ', finish())
    assert.equal('new\n', child:file('sub/new.txt'))
  end)
end

--- A command that changes a file.
---@param at test.HookedAgent
function M.commands(at)
  at.it('asks about a command, and what that changes is caught and undone', function()
    local h = at.hooked()
    local own = agents.all[at.name].calls
    h:agrees()
    local finish = at.start(function(call)
      call(own.read(h.child.dir .. '/list.txt')) -- which needs no question
      return M.did(call(own.run('sed -i s/^12$/sed/ list.txt && echo made')))
    end)
    h.child:wait('the question', "require('oxide.permission').list()[1] ~= nil")
    assert.equal(DISK, h.child:file('list.txt'))
    h.child:cmd('Oxide review')
    assert.matches('^done: .*made', finish())
    assert.matches('run sed %-i s/%^12%$/sed/ list.txt', h.child:lua('return _G.asked[1]'))
    assert.equal(with(DISK, '12', 'sed'), h.child:file('list.txt'))
    assert.equal('// mine\n' .. with(DISK, '12', 'sed'), h:buffer())
    h:undoes()
  end)
end

return M
