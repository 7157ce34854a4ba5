-- A client of the IDE protocol, as Claude Code is one, that also misbehaves on demand: bytes and
-- frames as they are given. What comes is waited for; nothing sleeps.
local fault = require('fault')
local helper = require('helper')

local M = {}

-- Of the configuration: what a client asks for comes up though the user has typed just now.
M.AT_ONCE = "review = { agent_focus = 'always' }, "

---@class test.Ide
---@field tcp uv.uv_tcp_t
---@field bytes string     what came and is not read
---@field closed boolean   the other side has said that nothing more comes
---@field notes table[]    notifications
---@field answers table<integer, table>
---@field last integer
local Ide = {}
Ide.__index = Ide

local clients = {} ---@type test.Ide[]

--- A file of twenty lines, and the same with others in the place of some.
M.DISK = vim.iter(vim.fn.range(1, 20)):map(tostring):join('\n') .. '\n'

---@param lines table<integer, string>
---@return string
function M.with(lines)
  local all = vim.split(M.DISK, '\n')
  for i, line in pairs(lines) do
    all[i] = line
  end
  return table.concat(all, '\n')
end

--- Opens a file and types a line above it, then begins to listen.
---@param child test.Child
---@param name string
function M.listen(child, name)
  child:cmd('edit ' .. name)
  child:type('ggO// mine<Esc>')
  child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline(1) == '// mine'")
  child:cmd('Oxide ide start')
end

---@param lock string   the directory of lock files
---@return integer port
---@return table said   what the file says
function M.lock(lock)
  local found
  local there = vim.wait(helper.deadline, function()
    found = vim.fn.glob(lock .. '/*.lock', false, true)[1]
    return found ~= nil
  end, 5)
  assert(there, 'no lock file in ' .. lock)
  return tonumber(vim.fs.basename(found):match('^(%d+)%.lock$')),
    vim.json.decode(helper.read(found))
end

--- A connection on which nothing was said yet.
---@param port integer
---@return test.Ide
function M.connect(port)
  local tcp = assert(vim.uv.new_tcp())
  local self =
    setmetatable({ tcp = tcp, bytes = '', closed = false, notes = {}, answers = {}, last = 0 }, Ide)
  table.insert(clients, self)
  local connected
  tcp:connect('127.0.0.1', port, function(err)
    connected = err or true
  end)
  fault.wait('the connection', function()
    return connected
  end)
  assert(connected == true, connected)
  tcp:read_start(function(err, data)
    self.bytes = self.bytes .. (data or '')
    self.closed = self.closed or err ~= nil or data == nil
  end)
  return self
end

---@param port integer
---@param headers? table<string, string|false>   in place of the usual ones, false: not there
---@return string
function M.request(port, headers)
  local all = vim.tbl_extend('force', {
    Host = '127.0.0.1:' .. port,
    Connection = 'Upgrade',
    Upgrade = 'websocket',
    ['Sec-WebSocket-Version'] = '13',
    ['Sec-WebSocket-Key'] = 'dGhlIHNhbXBsZSBub25jZQ==',
    ['Sec-WebSocket-Protocol'] = 'mcp',
  }, headers or {})
  local lines = { 'GET / HTTP/1.1' }
  for name, value in pairs(all) do
    if value then
      table.insert(lines, name .. ': ' .. value)
    end
  end
  return table.concat(lines, '\r\n') .. '\r\n\r\n'
end

--- A connection that is let in, and has introduced itself.
---@param port integer
---@param token string
---@param pid? integer
---@return test.Ide
function M.open(port, token, pid)
  local self = M.connect(port)
  self:put(M.request(port, { ['x-claude-code-ide-authorization'] = token }))
  local head = self:head()
  assert(head:match('^HTTP/1.1 101 '), head)
  self:call('initialize', {
    protocolVersion = '2025-11-25',
    capabilities = vim.empty_dict(),
    clientInfo = { name = 'claude-code', version = '2.1.330' },
  })
  self:notify('notifications/initialized', vim.empty_dict())
  self:notify('ide_connected', { pid = pid or vim.uv.os_getpid() })
  return self
end

function M.cleanup()
  for _, client in ipairs(clients) do
    client:close()
  end
  clients = {}
end

---@param bytes string
function Ide:put(bytes)
  self.tcp:write(bytes)
end

function Ide:close()
  if not self.tcp:is_closing() then
    self.tcp:close()
  end
end

--- What HTTP answers: the head, and the body of one that ends.
---@return string
function Ide:head()
  fault.wait('the answer to the request', function()
    return self.bytes:find('\r\n\r\n', 1, true) ~= nil or self.closed
  end)
  local at = select(2, self.bytes:find('\r\n\r\n', 1, true)) or #self.bytes
  local head = self.bytes:sub(1, at)
  self.bytes = self.bytes:sub(at + 1)
  return head
end

local MASK = { 0x11, 0x22, 0x33, 0x44 }

--- A frame as a client sends it.
---@param first integer   FIN, the opcode
---@param text string
---@return string
function M.frame(first, text)
  local n = #text
  local length = n < 126 and string.char(0x80 + n)
    or n < 65536 and string.char(0xfe, math.floor(n / 256), n % 256)
    or string.char(0xff, 0, 0, 0, 0)
      .. string.char(
        math.floor(n / 2 ^ 24) % 256,
        math.floor(n / 2 ^ 16) % 256,
        math.floor(n / 256) % 256,
        n % 256
      )
  local masked = {}
  for i = 1, n do
    masked[i] = string.char(bit.bxor(text:byte(i), MASK[(i - 1) % 4 + 1]))
  end
  return string.char(first) .. length .. string.char(unpack(MASK)) .. table.concat(masked)
end

--- The next frame that came; nil: there is no whole one.
---@return integer? opcode
---@return string? text
function Ide:take()
  local b = self.bytes
  if #b < 2 then
    return
  end
  local n, from = b:byte(2), 3
  if n == 126 then
    n, from = (b:byte(3) or 0) * 256 + (b:byte(4) or 0), 5
  elseif n == 127 then
    n, from = 0, 11
    for i = 3, 10 do
      n = n * 256 + (b:byte(i) or 0)
    end
  end
  if #b < from + n - 1 then
    return
  end
  self.bytes = b:sub(from + n)
  return b:byte(1) % 16, b:sub(from, from + n - 1)
end

--- Reads what came; a close or a pong is kept as `ended` and `pong`.
function Ide:read()
  for opcode, text in
    function()
      return self:take()
    end
  do
    if opcode == 1 then
      local message = vim.json.decode(text, { luanil = { object = true } })
      if message.method then
        table.insert(self.notes, message)
      else
        self.answers[message.id] = message
      end
    elseif opcode == 8 then
      self.ended = { code = text:byte(1) * 256 + text:byte(2), why = text:sub(3) }
    elseif opcode == 10 then
      self.pong = text
    end
  end
end

---@param what string
---@param fn fun(): any
---@return any
function Ide:wait(what, fn)
  return fault.wait(what, function()
    self:read()
    return fn()
  end)
end

---@param method string
---@param params table
---@param id? integer
function Ide:notify(method, params, id)
  local message = { jsonrpc = '2.0', id = id, method = method, params = params }
  self:put(M.frame(0x81, vim.json.encode(message)))
end

--- Asks, and does not wait.
---@param method string
---@param params table
---@return integer id
function Ide:ask(method, params)
  self.last = self.last + 1
  self:notify(method, params, self.last)
  return self.last
end

---@param id integer
---@return table result
function Ide:answer(id)
  local answer = self:wait('the answer to ' .. id, function()
    return self.answers[id]
  end)
  assert(answer.result, vim.json.encode(answer))
  return answer.result
end

---@param method string
---@param params table
---@return table result
function Ide:call(method, params)
  return self:answer(self:ask(method, params))
end

---@param name string
---@param args? table
---@return integer id
function Ide:begin(name, args)
  return self:ask('tools/call', { name = name, arguments = args or vim.empty_dict() })
end

--- The texts that a tool answers.
---@param result table
---@return string[]
function M.texts(result)
  return vim.tbl_map(function(row)
    return row.text
  end, result.content)
end

---@param name string
---@param args? table
---@return string text   the first one
function Ide:tool(name, args)
  return M.texts(self:answer(self:begin(name, args)))[1]
end

---@param method string
---@return table params   of the next notification of this name
function Ide:note(method)
  return self:wait('the notification ' .. method, function()
    for i, note in ipairs(self.notes) do
      if note.method == method then
        table.remove(self.notes, i)
        return note.params
      end
    end
  end)
end

return M
