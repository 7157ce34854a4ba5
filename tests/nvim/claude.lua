-- The real Claude Code, as `claude -p` that is spoken to over pipes, with a scripted model behind it
-- (model.lua). Nothing of the person's own reaches it, and what it would send elsewhere than to the
-- model the model gets as its proxy, and refuses.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local M = {}

local PROGRAM = helper.root .. '/.deps/bin/claude'

---@class test.Seat           where it is started
---@field dir string          its working directory
---@field home string         of its own
---@field run string          stands for XDG_RUNTIME_DIR
---@field model test.Model

---@class test.Claude
---@field messages table[]    all that it has said
---@field done? table         of vim.system
local Claude = {}
Claude.__index = Claude

local running = {} ---@type test.Claude[]

--- Whether the set-up could bring it.
---@return boolean
function M.brought()
  return vim.uv.fs_stat(PROGRAM) ~= nil
end

--- The program in an environment of its own: vim.system()'s `clear_env` does that from 0.11 on.
---@param seat test.Seat
---@param argv string[]
---@return string[]
local function secluded(seat, argv)
  local url = seat.model.url
  local env = {
    PATH = vim.fs.dirname(PROGRAM) .. ':' .. vim.env.PATH,
    LC_ALL = 'C.UTF-8',
    ASAN_OPTIONS = vim.env.ASAN_OPTIONS,
    UBSAN_OPTIONS = vim.env.UBSAN_OPTIONS,
    HOME = seat.home,
    TMPDIR = seat.home,
    XDG_RUNTIME_DIR = seat.run,
    ANTHROPIC_BASE_URL = url,
    ANTHROPIC_API_KEY = 'none',
    HTTP_PROXY = url,
    HTTPS_PROXY = url,
    NO_PROXY = '127.0.0.1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC = '1',
    DISABLE_AUTOUPDATER = '1',
    DISABLE_TELEMETRY = '1',
    -- a slow machine is not a fault
    API_TIMEOUT_MS = '600000',
    MCP_TIMEOUT = '600000',
    MCP_CONNECT_TIMEOUT_MS = '600000',
  }
  local all = { 'env', '-i' }
  for name, value in pairs(env) do
    table.insert(all, name .. '=' .. value)
  end
  return vim.list_extend(all, argv)
end

---@param seat test.Seat
---@param argv string[]    'claude' and more, or a shell
---@return { code: integer, stdout: string, stderr: string }
function M.run(seat, argv)
  return vim.system(secluded(seat, argv), { cwd = seat.dir, stdin = false }):wait()
end

--- Begins a conversation.
---@param seat test.Seat
---@param prompt string
---@param args? string[]
---@param answers? table<string, fun(request: table): table>   to what it asks of us, by subtype
---@return test.Claude
function M.start(seat, prompt, args, answers)
  local c = setmetatable({ messages = {}, answers = answers or {} }, Claude)
  local argv = { 'claude', '-p', '--verbose' }
  vim.list_extend(argv, { '--input-format', 'stream-json', '--output-format', 'stream-json' })
  c.process = vim.system(secluded(seat, vim.list_extend(argv, args or {})), {
    cwd = seat.dir,
    stdin = true,
    stdout = mcp.lines(function(message)
      c:take(message)
    end),
  }, function(done)
    c.done = done
  end)
  table.insert(running, c)
  c:send { type = 'user', message = { role = 'user', content = prompt } }
  return c
end

---@param message table
function Claude:send(message)
  self.process:write(vim.json.encode(message) .. '\n')
end

---@param message table
function Claude:take(message)
  table.insert(self.messages, message)
  if message.type == 'result' then
    self.process:write(nil)
  elseif message.type == 'control_request' then
    local answer = self.answers[message.request.subtype](message.request)
    local id = message.request_id
    self:send {
      type = 'control_response',
      response = { subtype = 'success', request_id = id, response = answer },
    }
  end
end

--- Waits for the end, and returns the last words of the model.
---@return string
function Claude:finish()
  local done = fault.wait('Claude Code to end', function()
    return self.done
  end)
  local last = self.messages[#self.messages] or {}
  return assert(last.result, done.stderr)
end

--- Ends it at once, in the middle of what it does.
function Claude:kill()
  self.process:kill('sigkill')
  fault.wait('Claude Code to be gone', function()
    return self.done
  end)
end

--- Ends every one that a test has left.
function M.cleanup()
  for _, c in ipairs(running) do
    if not c.done then
      c:kill()
    end
  end
  running = {}
end

return M
