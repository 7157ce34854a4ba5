-- A client of the IDE protocol of Gemini CLI: MCP over HTTP, with a stream of what it is told. It
-- misbehaves on demand, and waits for what comes; nothing sleeps.
local fault = require('fault')
local helper = require('helper')
local ide = require('ide')

local M = {}

---@class test.IdeHttp
---@field port integer
---@field token string
---@field session? string
---@field stream? test.Ide
---@field notes table[]   notifications
---@field last integer
local Http = {}
Http.__index = Http

---@param dir string   for temporary files
---@return integer port
---@return table said   what the file says
---@return string path
function M.lock(dir)
  local path = fault.wait('the file of the server', function()
    return vim.fn.glob(dir .. '/gemini/ide/*.json', false, true)[1]
  end)
  local said = vim.json.decode(helper.read(path))
  return said.port, said, path
end

---@param port integer
---@param token string
---@param method string
---@param headers? table<string, string|false>   false: not there
---@param body? string
---@return string
function M.request(port, token, method, headers, body)
  local all = vim.tbl_extend('force', {
    Host = '127.0.0.1:' .. port,
    Authorization = 'Bearer ' .. token,
    ['Content-Length'] = body and tostring(#body) or false,
  }, headers or {})
  local lines = { method .. ' /mcp HTTP/1.1' }
  for name, value in pairs(all) do
    if value then
      table.insert(lines, name .. ': ' .. value)
    end
  end
  return table.concat(lines, '\r\n') .. '\r\n\r\n' .. (body or '')
end

--- Sends a request on a connection of its own.
---@param port integer
---@param request string
---@return string status
---@return string head
---@return string body
function M.send(port, request)
  local client = ide.connect(port)
  client:put(request)
  local head = client:head()
  local n = tonumber(head:match('[Cc]ontent%-[Ll]ength: (%d+)')) or 0
  fault.wait('the body', function()
    return #client.bytes >= n or client.closed
  end)
  client:close()
  return head:match('^HTTP/1.1 (%d+)'), head, client.bytes
end

---@param method string
---@param body? table
---@return string status
---@return table? answer
function Http:send(method, body)
  local text = body and vim.json.encode(body)
  local headers = { ['Mcp-Session-Id'] = self.session or false }
  local status, head, answer =
    M.send(self.port, M.request(self.port, self.token, method, headers, text))
  self.session = head:match('mcp%-session%-id: (%x+)') or self.session
  return status, answer ~= '' and vim.json.decode(answer) or nil
end

---@param method string
---@param params table
---@return table result
function Http:call(method, params)
  self.last = self.last + 1
  local status, answer =
    self:send('POST', { jsonrpc = '2.0', id = self.last, method = method, params = params })
  assert(status == '200', status)
  return assert(answer and answer.result, vim.inspect(answer))
end

---@param name string
---@param args? table
---@return table result
function Http:tool(name, args)
  return self:call('tools/call', { name = name, arguments = args or vim.empty_dict() })
end

--- Opens the stream.
function Http:listen()
  self.stream = ide.connect(self.port)
  self.stream:put(
    M.request(self.port, self.token, 'GET', { ['Mcp-Session-Id'] = self.session or false })
  )
  local head = self.stream:head()
  assert(head:match('^HTTP/1.1 200 '), head)
end

--- A client that is let in, and has introduced itself.
---@param port integer
---@param token string
---@return test.IdeHttp
function M.open(port, token)
  local self = setmetatable({ port = port, token = token, notes = {}, last = 0 }, Http)
  self:call('initialize', {
    protocolVersion = '2025-06-18',
    capabilities = vim.empty_dict(),
    clientInfo = { name = 'streamable-http-client', version = '0.61.0' },
  })
  local status = self:send('POST', { jsonrpc = '2.0', method = 'notifications/initialized' })
  assert(status == '202', status)
  self:listen()
  return self
end

--- Reads the chunks that came, one event each.
function Http:read()
  local stream = assert(self.stream)
  while true do
    local length, from = stream.bytes:match('^(%x+)\r\n()')
    local n = length and tonumber(length, 16)
    if not n or #stream.bytes < from + n + 1 then
      return
    end
    local event = stream.bytes:sub(from, from + n - 1)
    stream.bytes = stream.bytes:sub(from + n + 2)
    local text = assert(event:match('^data: (.*)\n\n$'), event)
    table.insert(self.notes, vim.json.decode(text))
  end
end

---@param method string
---@return table params   of the next notification of this name
function Http:note(method)
  return fault.wait('the notification ' .. method, function()
    self:read()
    for i, note in ipairs(self.notes) do
      if note.method == method then
        table.remove(self.notes, i)
        return note.params
      end
    end
  end)
end

function Http:close()
  self.stream:close()
end

return M
