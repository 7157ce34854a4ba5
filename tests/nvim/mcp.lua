-- A client of `oxide mcp` over pipes. What the server asks is answered from `answers`; nothing is
-- waited for but messages.
local fault = require('fault')
local helper = require('helper')

local M = {}

---@class test.Client
---@field messages table[]    all that came, in order, but for answers
---@field answers table<string, fun(params: table): table>   by method: the result
local Client = {}
Client.__index = Client

local clients = {} ---@type test.Client[]

local function decode(line)
  return vim.json.decode(line, { luanil = { object = true, array = true } })
end

--- What vim.system() gives `stdout` to: calls `take` with each line's JSON.
---@param take fun(message: table)
---@return fun(err?: string, bytes?: string)
function M.lines(take)
  local rest = ''
  return function(_, bytes)
    rest = rest .. (bytes or '')
    for line in rest:gmatch('([^\n]*)\n') do
      take(decode(line))
    end
    rest = rest:match('[^\n]*$')
  end
end

---@param dir string           its working directory
---@param args? string[]       behind `mcp`
---@param answers? table<string, fun(params: table): table>
---@param env? table<string, string>
---@param before? string[]     what is before the command
---@return test.Client
function M.start(dir, args, answers, env, before)
  local c = setmetatable({ messages = {}, answers = answers or {}, replies = {}, last = 0 }, Client)
  local own = { XDG_STATE_HOME = dir .. '.state', XDG_CONFIG_HOME = dir .. '.config' }
  local command = vim.list_extend(vim.deepcopy(before or {}), { helper.core, 'mcp' })
  c.run = vim.system(vim.list_extend(command, args or {}), {
    cwd = dir,
    stdin = true,
    env = vim.tbl_extend('force', own, env or {}),
    stdout = M.lines(function(message)
      c:take(message)
    end),
  }, function(done)
    c.done = done
  end)
  table.insert(clients, c)
  return c
end

--- A shell that pipes the handshake and some calls into it, the last without an end of line.
---@param dir string     its working directory
---@param args string[]  behind `mcp`
---@param calls { name: string, arguments: table }[]   their ids count from 1
---@param env? table<string, string>
---@return table running  of vim.system
function M.pipe(dir, args, calls, env)
  local first = { protocolVersion = '2025-11-25', capabilities = vim.empty_dict() }
  local lines = { vim.json.encode { id = 0, method = 'initialize', params = first } }
  for i, call in ipairs(calls) do
    lines[i + 1] = vim.json.encode { id = i, method = 'tools/call', params = call }
  end
  local own = { XDG_STATE_HOME = dir .. '.state', XDG_CONFIG_HOME = dir .. '.config' }
  return vim.system(vim.list_extend({ helper.core, 'mcp' }, args), {
    cwd = dir,
    stdin = table.concat(lines, '\n'),
    env = vim.tbl_extend('force', own, env or {}),
  })
end

--- What was answered to M.pipe(), by id, once it has ended.
---@param running table
---@return table<integer, table>
function M.piped(running)
  local done, replies = running:wait(helper.deadline), {}
  assert(done.code == 0, done.stderr)
  for line in done.stdout:gmatch('[^\n]+') do
    local message = decode(line)
    if message.id and not message.method then
      replies[message.id] = message
    end
  end
  return replies
end

--- Ends the input of every client that a test has left. Each has to go by itself, and whole: a leak is
--- seen at its end alone.
function M.cleanup()
  local left = vim.tbl_filter(function(c)
    return not c.done
  end, clients)
  clients = {}
  for _, c in ipairs(left) do
    c.run:write(nil)
  end
  for _, c in ipairs(left) do
    local done = fault.wait('oxide mcp to end', function()
      return c.done
    end)
    assert(done.code == 0, ('oxide mcp ended with %d: %s'):format(done.code, done.stderr or ''))
  end
end

---@param message table
function Client:take(message)
  if not message.method then
    if message.id ~= nil then
      self.replies[message.id] = message
    end
    table.insert(self.replies, message)
    return
  end
  table.insert(self.messages, message)
  local answer = self.answers[message.method]
  if message.id ~= nil and answer then
    self:send { jsonrpc = '2.0', id = message.id, result = answer(message.params) }
  end
end

---@param message table|string   a string is sent as it is
function Client:send(message)
  self.run:write((type(message) == 'string' and message or vim.json.encode(message)) .. '\n')
end

function Client:notify(method, params)
  self:send { jsonrpc = '2.0', method = method, params = params }
end

---@return string id   for Client:reply()
function Client:ask(method, params)
  self.last = self.last + 1
  local id = 'q' .. self.last
  self:send { jsonrpc = '2.0', id = id, method = method, params = params }
  return id
end

---@param id string
---@return table message
function Client:reply(id)
  return fault.wait('the answer to ' .. id, function()
    assert(not self.done, self.done and 'oxide mcp has ended: ' .. (self.done.stderr or ''))
    return self.replies[id]
  end)
end

---@return table result
function Client:request(method, params)
  local reply = self:reply(self:ask(method, params))
  assert(reply.result, reply.error and reply.error.message)
  return reply.result
end

--- The handshake of `initialize`.
---@param version? string
---@param capabilities? table
---@return table result
function Client:initialize(version, capabilities)
  local result = self:request('initialize', {
    protocolVersion = version or '2025-11-25',
    capabilities = capabilities or vim.empty_dict(),
    clientInfo = { name = 'test', version = '1' },
  })
  self:notify('notifications/initialized')
  return result
end

--- Calls a tool; returns the text of its answer, and whether it failed. Whatever says that it is not
--- complete says why.
---@param name string
---@param args table
---@return string text
---@return boolean failed
function Client:call(name, args)
  local result = self:request('tools/call', { name = name, arguments = args })
  local text = result.content[1].text
  assert(not text:find('complete: false') or text:find('reasons: '), text)
  return text, result.isError
end

--- Waits for a message of the server's own.
---@param method string
---@param matches? fun(params: table): any
---@return table params
function Client:heard(method, matches)
  return fault.wait(method, function()
    for _, message in ipairs(self.messages) do
      if message.method == method and (not matches or matches(message.params)) then
        return message.params
      end
    end
  end)
end

--- Ends its input, and waits for it to go.
---@return table done   of vim.system
function Client:close()
  self.run:write(nil)
  return fault.wait('oxide mcp to end', function()
    return self.done
  end)
end

return M
