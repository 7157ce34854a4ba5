-- A server on loopback that answers as a model's API does, with what a test says, and keeps what it
-- was asked. For the exact bytes and for faults; a real model is in another spec.
--
--   local server = model_server.start('anthropic')
--   server:says { text = 'Let me look.', calls = { { id = 'c1', name = 'read_file', args = {} } } }
--   server:says { text = 'Done.' }
--   server:answers { status = 529, headers = { ['retry-after'] = '0.01' }, body = '{}' }
--   ... server.asked[1].body, .headers, .path
--   server:stop()
local model_format = require('model_format')

local M = {}

--- An environment without the keys for models that are well known.
M.NO_KEYS = {
  ANTHROPIC_API_KEY = '',
  OPENAI_API_KEY = '',
  GEMINI_API_KEY = '',
  OPENROUTER_API_KEY = '',
  MISTRAL_API_KEY = '',
  DEEPSEEK_API_KEY = '',
  XAI_API_KEY = '',
  OXIDE_MODEL = '',
}

--- A call for says(): the model writes another text in the place of a line.
---@param file string
---@param line integer
---@param content string
---@return table
function M.edit(file, line, content)
  return {
    id = file .. line,
    name = 'edit_file',
    args = { file_path = file, line_number = line, content = content },
  }
end

---@class test.ModelAnswer
---@field status? integer
---@field headers? table<string, string>
---@field body string
---@field before? fun()   called when it was asked, in a callback of the loop
---@field endless? string   comes again and again behind it, until nobody listens any more

---@class test.ModelRequest
---@field path string
---@field headers table<string, string>
---@field body table
---@field raw string

---@class test.ModelServer
---@field url string
---@field format string
---@field asked test.ModelRequest[]
---@field reply? fun(request: test.ModelRequest): test.ModelAnswer   instead of what it was told to say
---@field answers_left test.ModelAnswer[]
---@field left? boolean       the one who got an endless answer has gone
---@field held? fun()[]   answers that are kept back
local Server = {}
Server.__index = Server

---@param said test.ModelSaid
---@return string   the event stream
function Server:stream(said)
  return model_format.stream(self.format, said)
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
    local request = {
      path = path,
      headers = headers,
      raw = body,
      body = body ~= '' and vim.json.decode(body, { luanil = { object = true, array = true } })
        or {},
    }
    table.insert(self.asked, request)
    local function answer_now()
      if client:is_closing() then
        return
      end
      local answer = self.reply and self.reply(request)
        or table.remove(self.answers_left, 1)
        or { status = 400, body = 'nothing to say' }
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
