-- The real Claude Code with the settings that `oxide hook --print claude` prints, and a model that
-- follows a script, beside a Neovim with an unsaved buffer: what it does to files with tools of its
-- own is reviewed there.
local agents = require('agents')
local claude = require('claude')
local helper = require('helper')
local hook_cases = require('hook_cases')
local hooked = require('hooked')
local model = require('model')

if not agents.brought('claude') then
  pending('the set-up brings no Claude Code here')
  return
end

local own = agents.all.claude.calls
local DISK, with, did = hooked.DISK, hooked.with, hook_cases.did

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

  local at = {
    it = it,
    name = 'claude',
    edited = '^done: .*updated successfully',
    refused = '^failed: .*',
    hooked = function()
      return h
    end,
    start = function(script)
      local c = start(script)
      return function()
        return c:finish()
      end, function()
        c:kill()
      end
    end,
  }
  hook_cases.reviews(at)
  hook_cases.clashes(at)
  hook_cases.writes(at, 'Write')
  hook_cases.commands(at)

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
    h:assert_untouched()
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
    h:assert_untouched()
    child:cmd('Oxide review')
    assert.matches('^failed: .*The user has refused this', c:finish())
    assert.equal(with(DISK, '12', '12 or so'), child:file('list.txt'))
    child:message('claude has changed 1 file; :Oxide turn diff shows it')
    child:wait('the buffer', "vim.fn.getline(13) == '12 or so'")
    h:undoes()
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
