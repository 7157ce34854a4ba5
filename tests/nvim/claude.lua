-- The real Claude Code, as `claude -p` that is spoken to over pipes (agents.lua starts it).
local agents = require('agents')
local fault = require('fault')
local mcp = require('mcp')

local M = {}

---@class test.Claude
---@field messages table[]    all that it has said
---@field done? table         of vim.system
local Claude = {}
Claude.__index = Claude

local running = {} ---@type test.Claude[]

---@param seat test.Seat
---@param argv string[]    'claude' and more, or a shell
---@return { code: integer, stdout: string, stderr: string }
function M.run(seat, argv)
  return vim.system(agents.secluded(seat, 'claude', argv), { cwd = seat.dir, stdin = false }):wait()
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
  c.process = vim.system(agents.secluded(seat, 'claude', vim.list_extend(argv, args or {})), {
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
