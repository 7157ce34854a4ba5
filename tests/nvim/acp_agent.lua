-- An agent that speaks ACP and does what a test says: `nvim -l acp_agent.lua SCRIPT`. The script is a
-- chunk that returns
--
--   { initialize = {...}, session = {...},         members of these results, all optional
--     load = function(agent, id) ... end,          session/load; without it, it is not offered
--     methods = { ['authenticate'] = function(agent, params) return result, error end },
--     prompt = function(agent, words, params) ... return 'end_turn' end }
--
-- Everything is done in order: `agent:ask()` waits for its answer, and a cancel that comes meanwhile
-- sets `agent.cancelled`. What the client sends is in `agent.heard`, and in the file SCRIPT.heard.
local path = _G.arg[1]
local script = assert(loadfile(path))()
local log = assert(io.open(path .. '.heard', 'a'))
io.stdout:setvbuf('no')

---@class test.Agent
---@field heard table[]
---@field cancelled boolean
local agent = { heard = {}, cancelled = false, last = -1, session = 's1' }

---@param line string
function agent.print(line)
  io.stdout:write(line .. '\n')
end

---@param message table
function agent:send(message)
  message.jsonrpc = '2.0'
  self.print(vim.json.encode(message))
end

---@return table?   nil at the end of the input
function agent:hear()
  local line = io.stdin:read('*l')
  if not line then
    return nil
  end
  log:write(line .. '\n')
  log:flush()
  local message = vim.json.decode(line, { luanil = { object = true } })
  table.insert(self.heard, message)
  self.cancelled = self.cancelled or message.method == 'session/cancel'
  return message
end

---@param method string
---@param params table
---@return integer id
function agent:request(method, params)
  self.last = self.last + 1
  params.sessionId = self.session
  self:send { id = self.last, method = method, params = params }
  return self.last
end

---@param id integer
---@return any result
---@return table? error
function agent:answer_of(id)
  while true do
    local message = self:hear()
    if not message then
      os.exit(0)
    elseif not message.method and message.id == id then
      return message.result, message.error
    end
  end
end

--- Asks the client, and waits for its answer.
---@param method string
---@param params table
---@return any result
---@return table? error
function agent:ask(method, params)
  return self:answer_of(self:request(method, params))
end

---@param update table
function agent:update(update)
  self:send { method = 'session/update', params = { sessionId = self.session, update = update } }
end

---@param text string
function agent:says(text)
  self:update {
    sessionUpdate = 'agent_message_chunk',
    content = { type = 'text', text = text },
  }
end

--- Reads a file by the client.
---@param file string
---@param more? table
---@return string? content
---@return table? error
function agent:read(file, more)
  local params = vim.tbl_extend('force', { path = file }, more or {})
  local result, err = self:ask('fs/read_text_file', params)
  return result and result.content, err
end

---@param file string
---@param content string
---@return table? error
function agent:write(file, content)
  local _, err = self:ask('fs/write_text_file', { path = file, content = content })
  return err
end

local OPTIONS = {
  { optionId = 'always', name = 'Always', kind = 'allow_always' },
  { optionId = 'once', name = 'Once', kind = 'allow_once' },
  { optionId = 'no', name = 'No', kind = 'reject_once' },
}

--- Asks for leave.
---@param call table   toolCallId, title, kind ...
---@param options? table[]
---@return string   the option, or "cancelled"
function agent:permission(call, options)
  local result = self:ask('session/request_permission', {
    toolCall = call,
    options = options or OPTIONS,
  })
  return result and result.outcome and (result.outcome.optionId or result.outcome.outcome)
end

--- Asks for leave to change a file, by the call e1.
---@param file string
---@param old string   a text in it
---@param new string   which takes its place
---@return string   the option, or "cancelled"
function agent:asks_to_change(file, old, new)
  return self:permission {
    toolCallId = 'e1',
    title = vim.fs.basename(file),
    kind = 'edit',
    locations = { { path = file } },
    content = { { type = 'diff', path = file, oldText = old, newText = new } },
  }
end

--- Writes a file past the client.
---@param file string
---@param text string
function agent.writes_itself(file, text)
  local f = assert(io.open(file, 'w'))
  f:write(text)
  f:close()
end

--- Asks for leave, says what came of it, and writes the file past the client if it may.
---@param file string
---@param old string
---@param new string
---@return boolean written
function agent:changes_itself(file, old, new)
  local option = self:asks_to_change(file, old, new)
  self:says(option .. '. ')
  if option == 'once' then
    self.writes_itself(file, (assert(io.open(file)):read('*a'):gsub(old, new)))
  end
  return option == 'once'
end

--- The call e1 is done.
function agent:has_changed()
  self:update { sessionUpdate = 'tool_call_update', toolCallId = 'e1', status = 'completed' }
end

--- Waits until the turn is cancelled.
function agent:wait_for_cancel()
  while not self.cancelled do
    if not self:hear() then
      os.exit(0)
    end
  end
end

local function words_of(params)
  local words = {}
  for _, block in ipairs(params.prompt) do
    table.insert(words, block.text or block.resource and block.resource.text or block.uri)
  end
  return table.concat(words, '\n')
end

local methods = {
  initialize = function()
    return vim.tbl_deep_extend('force', {
      protocolVersion = 1,
      agentCapabilities = {
        loadSession = script.load ~= nil,
        promptCapabilities = { embeddedContext = true },
      },
      agentInfo = { name = 'scripted', title = 'Scripted', version = '1.0' },
    }, script.initialize or {})
  end,
  ['session/new'] = function()
    return vim.tbl_extend('force', { sessionId = agent.session }, script.session or {})
  end,
  ['session/load'] = function(_, params)
    local result, err = script.load(agent, params.sessionId)
    return result or vim.empty_dict(), err
  end,
  ['session/resume'] = function(_, params)
    agent.session = params.sessionId
    return vim.empty_dict()
  end,
  ['session/set_mode'] = function()
    return vim.empty_dict()
  end,
  ['session/prompt'] = function(_, params)
    agent.cancelled = false
    return { stopReason = script.prompt(agent, words_of(params), params) or 'end_turn' }
  end,
}

while true do
  local message = agent:hear()
  if not message then
    break
  end
  local fn = script.methods and script.methods[message.method] or methods[message.method]
  if fn and message.id then
    local result, err = fn(agent, message.params)
    agent:send { id = message.id, result = not err and result or nil, error = err }
  elseif message.id and message.method then
    agent:send { id = message.id, error = { code = -32601, message = 'no such method' } }
  end
end
