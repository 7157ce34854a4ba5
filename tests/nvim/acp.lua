-- A child Neovim that has a conversation with an agent that speaks ACP, which does what the test says
-- (acp_agent.lua): one at a time.
--
--   local child = acp.begin { script = 'return { prompt = ... }' }
--   acp.say('hello')
--   chat.ended(child)
--   after_each(acp.cleanup)
local helper = require('helper')

local M = {}

---@class test.AcpSpec
---@field script string                    of acp_agent.lua; DIR stands for the project's directory
---@field files? table<string, string>     notes.txt of three lines by default
---@field config? string                   more of the plugin's configuration
---@field options? string                  of the core
---@field acp? string                      more of the row of the agent, which is called `robot`
---@field apart? string                    where the one before kept its state; the script is replaced

local child ---@type test.Child
local apart ---@type string   a directory beside the project, which is watched

---@param spec test.AcpSpec
---@return test.Child
function M.begin(spec)
  apart = spec.apart or helper.tempdir()
  local path = apart .. '/script.lua'
  local config = ([[{
    core = { path = %q, options = { ['acp.cancel_ms'] = 20000, %s } },
    agents = { robot = {
      title = 'Robot',
      acp = { %s command = { %q, '-u', 'NONE', '-i', 'NONE', '-n', '-l', %q, %q } },
    } },
    review = { agent_focus = 'always' }, %s
  }]]):format(
    helper.core,
    spec.options or '',
    spec.acp or '',
    vim.v.progpath,
    helper.root .. '/tests/nvim/acp_agent.lua',
    path,
    spec.config or ''
  )
  child = helper.start(spec.files or { ['notes.txt'] = 'alpha\nbeta\ngamma\n' }, {
    config = config,
    env = { XDG_STATE_HOME = apart, NVIM_LOG_FILE = apart .. '/nvim.log' },
  })
  helper.write(path, ('local DIR = %q\n'):format(child.dir) .. spec.script)
  child.script = path
  child:cmd('edit notes.txt')
  return child
end

---@param words string
function M.say(words)
  child:lua(
    [[
    local chat = require('oxide.chat')
    local talk = chat.current() or chat.new('robot')
    talk:draw()
    talk:send { words = ..., shown = {} }
  ]],
    words
  )
end

--- What the agent was sent, by method.
---@param method? string
---@return table[]
function M.heard(method)
  local found = {}
  for line in helper.read(child.script .. '.heard'):gmatch('[^\n]+') do
    local message = vim.json.decode(line, { luanil = { object = true } })
    if not method or message.method == method then
      table.insert(found, message)
    end
  end
  return found
end

--- The record of the session. Ends the core.
---@return table
function M.recorded()
  child:cmd('Oxide core stop')
  local done = vim
    .system({ helper.core, 'records', '--json' }, { env = { XDG_STATE_HOME = apart } })
    :wait()
  return vim.json.decode(done.stdout, { luanil = { object = true } })
end

function M.cleanup()
  helper.cleanup()
  vim.fn.delete(apart, 'rf')
end

return M
