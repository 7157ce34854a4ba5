-- A model that follows a script, behind the Messages API on loopback: what a client such as Claude Code
-- talks to in the place of a real one. The script is a coroutine, which calls tools and returns the
-- last words:
--
--   local m = model.start(function(call, tools)
--     local said = call('mcp__oxide__read_file', { file_path = 'a.txt' })
--     return said.text
--   end)
--   ... a client whose ANTHROPIC_BASE_URL is m.url, and so are its proxies
local M = {}

---@class test.Model
---@field url string
---@field elsewhere string[]   what the client wanted of others, by way of us as its proxy
---@field server uv.uv_tcp_t
---@field script thread
---@field turns integer
local Model = {}
Model.__index = Model

---@class test.ToolResult
---@field text string
---@field failed boolean

---@alias test.Script fun(call: (fun(name: string, input: table): test.ToolResult), tools: table<string, table>): string

local models = {} ---@type test.Model[]

---@param kind string
---@param data table
---@return string
local function event(kind, data)
  data.type = kind
  return ('event: %s\ndata: %s\n\n'):format(kind, vim.json.encode(data))
end

---@param name string
---@param block table
---@param delta table
---@param stop string   why the model has stopped
---@return string
local function turn(name, block, delta, stop)
  local message = {
    id = 'msg_1',
    type = 'message',
    role = 'assistant',
    model = name,
    content = {},
    stop_reason = vim.NIL,
    stop_sequence = vim.NIL,
    usage = { input_tokens = 1, output_tokens = 1 },
  }
  local why = { stop_reason = stop, stop_sequence = vim.NIL }
  return table.concat {
    event('message_start', { message = message }),
    event('content_block_start', { index = 0, content_block = block }),
    event('content_block_delta', { index = 0, delta = delta }),
    event('content_block_stop', { index = 0 }),
    event('message_delta', { delta = why, usage = { output_tokens = 1 } }),
    event('message_stop', {}),
  }
end

--- What the model has to say, a tool to call or its last words, as the API streams it.
---@param name string           of the model
---@param said string|table     { name, input }
---@param id integer
---@return string
local function stream(name, said, id)
  if type(said) == 'string' then
    local delta = { type = 'text_delta', text = said }
    return turn(name, { type = 'text', text = '' }, delta, 'end_turn')
  end
  local block = { type = 'tool_use', id = 'toolu_' .. id, name = said.name }
  block.input = vim.empty_dict()
  local delta = { type = 'input_json_delta', partial_json = vim.json.encode(said.input) }
  return turn(name, block, delta, 'tool_use')
end

---@param content string|table[]
---@return string
local function text_of(content)
  if type(content) == 'string' then
    return content
  end
  local texts = vim.tbl_map(function(block)
    return block.text or block.tool_name or ''
  end, content)
  return table.concat(texts, '\n')
end

--- The answer to the latest call.
---@param messages table[]
---@return test.ToolResult?
local function latest_result(messages)
  local result
  for _, message in ipairs(messages) do
    for _, block in ipairs(type(message.content) == 'table' and message.content or {}) do
      result = block.type == 'tool_result' and block or result
    end
  end
  return result and { text = text_of(result.content), failed = result.is_error == true }
end

--- The next turn of the conversation. A script that fails says so with its last words.
---@param body table
---@return string
function Model:go_on(body)
  local tools = {}
  for _, tool in ipairs(body.tools or {}) do
    tools[tool.name] = tool
  end
  if vim.tbl_isempty(tools) then
    return stream(body.model, 'a title', 0)
  end
  self.turns = self.turns + 1
  local given = self.turns > 1 and latest_result(body.messages) or tools
  local ok, said = coroutine.resume(self.script, given)
  return stream(body.model, ok and said or 'the script failed: ' .. said, self.turns)
end

---@param request string   its first line
---@param body string
---@return string
function Model:answer(request, body)
  local method, path = request:match('^(%S+) (%S+)')
  local status, text = '404 Not Found', ''
  if method == 'CONNECT' or not vim.startswith(path, '/') then
    table.insert(self.elsewhere, request)
    status = '403 Forbidden'
  elseif method == 'POST' and path:match('^[^?]*') == '/v1/messages' then
    status, text = '200 OK', self:go_on(vim.json.decode(body, { luanil = { object = true } }))
  end
  return ('HTTP/1.1 %s\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s'):format(
    status,
    #text,
    text
  )
end

--- Answers the requests of a connection, one after the other.
---@param pipe uv.uv_tcp_t
function Model:serve(pipe)
  local rest = ''
  pipe:read_start(function(err, bytes)
    if err or not bytes then
      pipe:close()
      return
    end
    rest = rest .. bytes
    while true do
      local head, start = rest:match('^(.-\r\n)\r\n()')
      local length = head and tonumber(head:lower():match('\ncontent%-length: *(%d+)') or 0)
      if not head or #rest < start - 1 + length then
        return
      end
      pipe:write(self:answer(head:match('^[^\r]*'), rest:sub(start, start - 1 + length)))
      rest = rest:sub(start + length)
    end
  end)
end

---@param script test.Script
---@return test.Model
function M.start(script)
  local server = assert(vim.uv.new_tcp())
  local m = setmetatable({ server = server, elsewhere = {}, turns = 0 }, Model)
  m.script = coroutine.create(function(tools)
    return script(function(name, input)
      return coroutine.yield { name = name, input = input }
    end, tools)
  end)
  assert(server:bind('127.0.0.1', 0))
  m.url = ('http://127.0.0.1:%d'):format(server:getsockname().port)
  assert(server:listen(16, function()
    local pipe = assert(vim.uv.new_tcp())
    server:accept(pipe)
    m:serve(pipe)
  end))
  table.insert(models, m)
  return m
end

--- Ends every model that a test has left.
function M.cleanup()
  for _, m in ipairs(models) do
    m.server:close()
  end
  models = {}
end

return M
