-- The real Claude Code with the settings that `oxide hook --print claude` prints, and a model that
-- follows a script, beside a Neovim with an unsaved buffer: what it does to files with tools of its
-- own is reviewed there.
local agents = require('agents')
local claude = require('claude')
local helper = require('helper')
local hooked = require('hooked')
local model = require('model')

if not agents.brought('claude') then
  pending('the set-up brings no Claude Code here')
  return
end

local own = agents.all.claude.calls
local DISK, with = hooked.DISK, hooked.with

describe('the hook of Claude Code', function()
  local h, child, seat ---@type test.Hooked, test.Child, test.Seat
  local file ---@type string

  before_each(function()
    h = hooked.begin()
    child, seat = h.child, h.seat
    file = child.dir .. '/list.txt'
  end)
  after_each(function()
    local elsewhere = seat.model and seat.model.elsewhere or {}
    claude.cleanup()
    h:finish()
    assert.same({}, elsewhere)
  end)

  --- A conversation in which the model follows the script.
  ---@param script test.Script
  ---@return test.Claude
  local function start(script)
    seat.model = model.start(script)
    agents.all.claude.settle(seat)
    return claude.start(seat, 'change it', { '--settings', hooked.settings('claude') })
  end

  --- What is said of a call of the agent's own tool.
  local function did(said)
    return (said.failed and 'failed: ' or 'done: ') .. said.text
  end

  --- Changes one line, which comes up for review.
  local function edit(line)
    local c = start(function(call)
      call(own.read(file))
      return did(call(own.edit(file, line .. '\n', line .. ' or so\n')))
    end)
    child:event('ReviewOpen')
    assert.equal(DISK, child:file('list.txt'))
    return c
  end

  local function assert_untouched()
    assert.equal(DISK, child:file('list.txt'))
    assert.equal('// mine\n' .. DISK, h:buffer())
  end

  it('shows an edit, which is written once it is accepted, beside what is not saved', function()
    local c = edit('12')
    child:type(':w<CR>')
    assert.matches('^done: .*updated successfully', c:finish())
    assert.equal(with(DISK, '12', '12 or so'), child:file('list.txt'))
    child:wait('the buffer', "vim.fn.getline(13) == '12 or so'")
    assert.equal('// mine\n' .. with(DISK, '12', '12 or so'), h:buffer())
    assert.matches('unsaved changes in this file, which are kept', h:told())
    child:cmd('Oxide turn undo')
    child:wait('the turn to be undone', "vim.fn.getline(13) == '12'")
    assert.equal('// mine\n' .. DISK, h:buffer())
    child:cmd('write')
    assert.equal('// mine\n' .. DISK, child:file('list.txt'))
  end)

  it('writes the part that was accepted, and the model learns which', function()
    local new = with(with(DISK, '2', '2 or so'), '18', '18 or so')
    local c = start(function(call)
      call(own.read(file))
      return did(call('Write', { file_path = file, content = new }))
    end)
    child:event('ReviewOpen')
    child:type('gg/18 or so<CR> :w<CR>')
    assert.matches('^done: ', c:finish())
    assert.equal(with(DISK, '2', '2 or so'), child:file('list.txt'))
    child:wait('the buffer', "vim.fn.getline(3) == '2 or so'")
    assert.equal('// mine\n' .. with(DISK, '2', '2 or so'), h:buffer())
    assert.matches('accepted your change in part', h:told())
    assert.matches('%-18 or so\\n%+18\\n', h:told())
  end)

  it('writes what the person made of it, and the model learns the difference', function()
    local c = edit('12')
    child:edit_in_review('12 or so', '12 at most')
    child:type(':w<CR>')
    assert.matches('^done: .*updated successfully', c:finish())
    assert.equal(with(DISK, '12', '12 at most'), child:file('list.txt'))
    child:wait('the buffer', "vim.fn.getline(13) == '12 at most'")
    assert.equal('// mine\n' .. with(DISK, '12', '12 at most'), h:buffer())
    assert.matches('The user changed what you asked for before accepting it', h:told())
    assert.matches('%-12 or so\\n%+12 at most\\n', h:told())
    child:cmd('Oxide turn undo')
    child:wait('the turn to be undone', "vim.fn.getline(13) == '12'")
    assert.equal('// mine\n' .. DISK, h:buffer())
  end)

  it('is refused with words for the model, and nothing is changed', function()
    local c = edit('12')
    child:type(':q<CR>')
    local said = c:finish()
    assert.matches('^failed: .*The user has refused this: .*ask what is wanted instead', said)
    assert_untouched()
  end)

  it('is refused where the user is typing in the same lines', function()
    child:type('/^12$<CR>Atyped<Esc>')
    child:wait('the typed word', "vim.fn.getline(13) == '12typed'")
    local c = start(function(call)
      call(own.read(file))
      return did(call(own.edit(file, '12\n', '12 or so\n')))
    end)
    local said = c:finish()
    assert.matches('^failed: .*unsaved changes in list.txt, in line 13, which .*clashes', said)
    assert.equal(DISK, child:file('list.txt'))
    assert.equal('// mine\n' .. with(DISK, '12', '12typed'), h:buffer())
  end)

  it('takes the review back when the agent is killed, and nothing is changed', function()
    edit('12'):kill()
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert_untouched()
  end)

  it('tells the model when Neovim is killed in the middle, and nothing is changed', function()
    local c = edit('12')
    vim.uv.kill(child:lua('return vim.uv.os_getpid()'), 'sigkill')
    assert.matches('^failed: .*is gone; nothing was changed', c:finish())
    assert.equal(DISK, helper.read(file))
  end)

  it('gives up on a review that nobody answers', function()
    helper.write(
      seat.home .. '/.config/oxide/config.lua',
      "return { options = { ['agent.review_ms'] = 1000 } }"
    )
    local c = start(function(call)
      call(own.read(file))
      return did(call(own.edit(file, '12\n', '12 or so\n')))
    end)
    assert.matches('^failed: .*The user has not answered within', c:finish())
    child:message('no longer possible')
    assert_untouched()
  end)

  it('makes a new file', function()
    local c = start(function(call)
      return did(call('Write', { file_path = child.dir .. '/sub/new.txt', content = 'new\n' }))
    end)
    child:event('ReviewOpen')
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/sub/new.txt'))
    child:type(':w<CR>')
    assert.matches('^done: ', c:finish())
    assert.equal('new\n', child:file('sub/new.txt'))
  end)

  it('asks about a command, and what that changes is caught and undone', function()
    h:agrees()
    local c = start(function(call)
      return did(call(own.run('sed -i s/^12$/sed/ list.txt && echo made')))
    end)
    child:wait('the question', "require('oxide.permission').list()[1] ~= nil")
    assert.equal(DISK, child:file('list.txt'))
    child:cmd('Oxide review')
    assert.matches('^done: made', c:finish())
    assert.matches('run sed %-i s/%^12%$/sed/ list.txt', child:lua('return _G.asked[1]'))
    assert.equal(with(DISK, '12', 'sed'), child:file('list.txt'))
    assert.equal('// mine\n' .. with(DISK, '12', 'sed'), h:buffer())
    child:cmd('Oxide turn undo')
    child:wait('the turn to be undone', "vim.fn.getline(13) == '12'")
    assert.equal('// mine\n' .. DISK, h:buffer())
  end)

  it('is caught, and that is said, where it does by a command what was refused', function()
    h:agrees()
    local c = start(function(call)
      call(own.read(file))
      local refused = did(call(own.edit(file, '12\n', '12 or so\n')))
      call(own.run("sed -i 's/^12$/12 or so/' list.txt"))
      return refused
    end)
    child:event('ReviewOpen')
    child:type(':q<CR>')
    child:wait('the question', "require('oxide.permission').list()[1] ~= nil")
    assert_untouched()
    child:cmd('Oxide review')
    assert.matches('^failed: .*The user has refused this', c:finish())
    assert.equal(with(DISK, '12', '12 or so'), child:file('list.txt'))
    child:message('claude has changed 1 file; :Oxide turn diff shows it')
    child:wait('the buffer', "vim.fn.getline(13) == '12 or so'")
    child:cmd('Oxide turn undo')
    child:wait('the turn to be undone', "vim.fn.getline(13) == '12'")
    assert.equal('// mine\n' .. DISK, h:buffer())
  end)

  it('refuses a command as the user does, with the reason', function()
    local c = start(function(call)
      return did(call(own.run('touch made.txt')))
    end)
    child:wait('the question', "require('oxide.permission').list()[1] ~= nil")
    child:lua([[
      local permission = require('oxide.permission')
      permission.answer(permission.list()[1].id, 'no', 'not in this directory')
    ]])
    assert.matches('^failed: .*not in this directory', c:finish())
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/made.txt'))
  end)
end)
