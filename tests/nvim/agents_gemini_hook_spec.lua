-- The real Gemini CLI with the hooks that `oxide hook --print gemini` prints in its settings, and a
-- model that follows a script, beside a Neovim with an unsaved buffer: what it does to files with
-- tools of its own is reviewed there.
local agents = require('agents')
local hook_cases = require('hook_cases')
local hooked = require('hooked')

if not agents.brought('gemini') or not agents.all.gemini then
  pending('npm brings no Gemini CLI here')
  return
end

describe('the hook of Gemini CLI', function()
  local h ---@type test.Hooked

  before_each(function()
    h = hooked.begin()
  end)
  after_each(function()
    h:finish()
  end)

  ---@param script test.Script
  ---@return fun(): string   as Hooked:run()
  local function start(script)
    local argv = { 'gemini', '--approval-mode', 'auto_edit', '-p', 'change it' }
    return h:run('gemini', script, argv, hooked.settings('gemini'))
  end

  local at = {
    it = it,
    name = 'gemini',
    edited = 'Successfully modified',
    hooked = function()
      return h
    end,
    start = start,
  }
  hook_cases.reviews(at)
  hook_cases.writes(at, 'write_file')
end)
