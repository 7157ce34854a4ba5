-- A server on loopback that answers as a model's API does, with what a test says, and keeps what it
-- was asked. For the exact bytes and for faults; a real model is in another spec.
--
--   local server = model_server.start('anthropic')
--   server:says { text = 'Let me look.', calls = { { id = 'c1', name = 'read_file', args = {} } } }
--   server:says { text = 'Done.' }
--   server:answers { status = 529, headers = { ['retry-after'] = '0.01' }, body = '{}' }
--   ... server.asked[1].body, .headers, .path
--   server:stop()
local M = {}

---@class test.ModelAnswer
---@field status? integer
---@field headers? table<string, string>
---@field body string
---@field before? fun()   called when it was asked, in a callback of the loop
---@field endless? string   comes again and again behind it, until nobody listens any more

---@class test.ModelServer
---@field url string
---@field format string
---@field asked { path: string, headers: table<string, string>, body: table, raw: string }[]
---@field answers_left test.ModelAnswer[]
---@field left? boolean       the one who got an endless answer has gone
---@field held? fun()[]   answers that are kept back
local Server = {}
Server.__index = Server

---@class test.ModelSaid
---@field text? string
---@field calls? { id: string, name: string, args: table|string }[]
---@field before? fun()

---@param call { args: table|string }
---@return string
local function arguments(call)
  return type(call.args) == 'string' and call.args or vim.json.encode(call.args)
end

--- In two pieces, as models send them.
local function halves(text)
  local middle = math.floor(#text / 2)
  return { text:sub(1, middle), text:sub(middle + 1) }
end

local formats = {} ---@type table<string, fun(said: test.ModelSaid): table[]>

function formats.openai(said)
  local events = {}
  local function add(delta, finish)
    table.insert(events, {
      choices = { { index = 0, delta = delta, finish_reason = finish or vim.NIL } },
    })
  end
  if said.text then
    add { content = said.text }
  end
  for i, call in ipairs(said.calls or {}) do
    add {
      tool_calls = {
        {
          index = i - 1,
          id = call.id,
          type = 'function',
          ['function'] = { name = call.name, arguments = '' },
        },
      },
    }
    for _, half in ipairs(halves(arguments(call))) do
      add { tool_calls = { { index = i - 1, ['function'] = { arguments = half } } } }
    end
  end
  add(vim.empty_dict(), said.calls and 'tool_calls' or 'stop')
  return events
end

function formats.anthropic(said)
  local events = { { type = 'message_start', message = { usage = { input_tokens = 1 } } } }
  local at = 0
  local function block(start, deltas)
    table.insert(events, { type = 'content_block_start', index = at, content_block = start })
    for _, delta in ipairs(deltas) do
      table.insert(events, { type = 'content_block_delta', index = at, delta = delta })
    end
    table.insert(events, { type = 'content_block_stop', index = at })
    at = at + 1
  end
  if said.text then
    block({ type = 'text', text = '' }, { { type = 'text_delta', text = said.text } })
  end
  for _, call in ipairs(said.calls or {}) do
    local deltas = {}
    for _, half in ipairs(halves(arguments(call))) do
      table.insert(deltas, { type = 'input_json_delta', partial_json = half })
    end
    block({ type = 'tool_use', id = call.id, name = call.name, input = vim.empty_dict() }, deltas)
  end
  table.insert(events, {
    type = 'message_delta',
    delta = { stop_reason = said.calls and 'tool_use' or 'end_turn' },
    usage = { output_tokens = 2 },
  })
  table.insert(events, { type = 'message_stop' })
  return events
end

formats['openai-responses'] = function(said)
  local events = {}
  local function item(added, deltas, done)
    local at = #events
    table.insert(events, { type = 'response.output_item.added', output_index = at, item = added })
    for _, delta in ipairs(deltas) do
      delta.output_index = at
      table.insert(events, delta)
    end
    table.insert(events, { type = 'response.output_item.done', output_index = at, item = done })
  end
  if said.text then
    item({ type = 'message', id = 'm1', role = 'assistant', content = {} }, {
      { type = 'response.output_text.delta', content_index = 0, delta = said.text },
    }, {
      type = 'message',
      id = 'm1',
      content = { { type = 'output_text', text = said.text } },
    })
  end
  for _, call in ipairs(said.calls or {}) do
    local whole = {
      type = 'function_call',
      id = 'f' .. call.id,
      call_id = call.id,
      name = call.name,
      arguments = arguments(call),
    }
    local deltas = {}
    for _, half in ipairs(halves(whole.arguments)) do
      table.insert(deltas, { type = 'response.function_call_arguments.delta', delta = half })
    end
    item(vim.tbl_extend('force', whole, { arguments = '' }), deltas, whole)
  end
  table.insert(events, { type = 'response.completed', response = { status = 'completed' } })
  return events
end

function formats.gemini(said)
  local parts = {}
  if said.text then
    table.insert(parts, { text = said.text })
  end
  for _, call in ipairs(said.calls or {}) do
    table.insert(parts, { functionCall = { id = call.id, name = call.name, args = call.args } })
  end
  return { { candidates = { { content = { parts = parts }, finishReason = 'STOP' } } } }
end

---@param said test.ModelSaid
---@return string   the event stream
function Server:stream(said)
  local out = {}
  for _, event in ipairs(formats[self.format](said)) do
    if event.type then
      table.insert(out, 'event: ' .. event.type .. '\n')
    end
    table.insert(out, 'data: ' .. vim.json.encode(event) .. '\n\n')
  end
  if self.format == 'openai' then
    table.insert(out, 'data: [DONE]\n\n')
  end
  return table.concat(out)
end

---@param answer test.ModelAnswer
function Server:answers(answer)
  table.insert(self.answers_left, answer)
end

---@param said test.ModelSaid
function Server:says(said)
  self:answers { body = self:stream(said), before = said.before }
end

--- Keeps the answers back until `go()`; the requests are read.
---@return { go: fun() }
function Server:waits()
  local held = {}
  self.held = held
  return {
    go = function()
      self.held = nil
      for _, answer in ipairs(held) do
        answer()
      end
    end,
  }
end

---@param head string
---@return string path, table<string, string> headers
local function read_head(head)
  local headers = {}
  for name, value in head:gmatch('\r\n([^:\r\n]+): *([^\r\n]*)') do
    headers[name:lower()] = value
  end
  return head:match('^%u+ (%S+)'), headers
end

---@param answer test.ModelAnswer
---@return string
local function whole(answer)
  local lines = { ('HTTP/1.1 %d Said'):format(answer.status or 200) }
  for name, value in pairs(answer.headers or {}) do
    table.insert(lines, name .. ': ' .. value)
  end
  if not answer.endless then
    table.insert(lines, 'content-length: ' .. (answer.length or #answer.body))
  end
  table.insert(lines, 'connection: close')
  return table.concat(lines, '\r\n') .. '\r\n\r\n' .. answer.body
end

---@param client uv.uv_tcp_t
---@param bytes string
---@param failed? string   the client has gone
function Server:repeats(client, bytes, failed)
  if failed then
    self.left = true
    return client:close()
  end
  client:write(bytes, function(err)
    self:repeats(client, bytes, err)
  end)
end

---@param client uv.uv_tcp_t
function Server:serve(client)
  local got = ''
  client:read_start(function(err, bytes)
    if err or not bytes then
      client:close()
      return
    end
    got = got .. bytes
    local head, body = got:match('^(.-\r\n)\r\n(.*)$')
    local path, headers = read_head(head or '')
    if not head or #body < tonumber(headers['content-length'] or 0) then
      return
    end
    client:read_stop()
    table.insert(self.asked, {
      path = path,
      headers = headers,
      raw = body,
      body = body ~= '' and vim.json.decode(body, { luanil = { object = true, array = true } })
        or {},
    })
    local function answer_now()
      if client:is_closing() then
        return
      end
      local answer = table.remove(self.answers_left, 1) or { status = 400, body = 'nothing to say' }
      if answer.before then
        answer.before()
      end
      client:write(whole(answer), function(failed)
        if answer.endless then
          return self:repeats(client, answer.endless, failed)
        end
        client:shutdown(function()
          client:close()
        end)
      end)
    end
    if self.held then
      table.insert(self.held, answer_now)
    else
      answer_now()
    end
  end)
end

---@param format string   a provider
---@return test.ModelServer
function M.start(format)
  local self = setmetatable({ format = format, asked = {}, answers_left = {} }, Server)
  self.listener = assert(vim.uv.new_tcp())
  assert(self.listener:bind('127.0.0.1', 0))
  assert(self.listener:listen(16, function()
    local client = assert(vim.uv.new_tcp())
    self.listener:accept(client)
    self:serve(client)
  end))
  self.url = ('http://127.0.0.1:%d/v1'):format(self.listener:getsockname().port)
  return self
end

function Server:stop()
  self.listener:close()
end

return M
