-- A language server that does what a script says, right or wrong:
--   nvim -l tests/fake/lsp.lua SCRIPT.json
-- The script, in which {ROOT} stands for the project's folder:
--   log         where to write what was received, one JSON object a line
--   control     path of a socket that takes one action a line and answers each with "ok"
--   encoding    "utf-8", "utf-16" (default), "utf-32"; `capabilities` are added to the usual ones
--   start       actions before the first message is read
--   on          method -> step, or a list of steps: one for each time, the last for all others
--   kill_at     a word: it kills itself when it is shown a text that begins with it
--   lint        what it complains about in any text, and offers to do: see fake/lint.lua
--   lives       a list of such tables, laid over the script: one for each time it is started
-- A step: before/after (actions), one of result, error, silent, rename, format, answer = BODY (the
-- bytes of the whole message, %d its id), and hold = NAME, with which its answer waits for the
-- action { release = NAME }. Actions: see fake/actions.lua.
-- What it knows of open documents it works out by itself, and it takes no wrong didChange: that is
-- written to the log as { fault = ... }.
local here = vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(arg[0], ':p')))
package.path = here .. '/?.lua;' .. package.path
local text = require('text')

local function read_file(path)
  local f = assert(io.open(path, 'rb'))
  local all = f:read('*a')
  f:close()
  return all
end

--- One more life, counted in a file beside the log.
local function count_lives(path)
  local f = assert(io.open(path, 'ab+'))
  f:write('.')
  f:flush()
  local n = f:seek('end')
  f:close()
  return n
end

local script = vim.json.decode(read_file(arg[1]))
local life = count_lives(script.log .. '.lives')
if script.lives then
  local own = script.lives[math.min(life, #script.lives)]
  script = vim.tbl_deep_extend('force', script, own)
end

---@class fake.Server
local server = {
  script = script,
  root = script.root,
  encoding = script.encoding or 'utf-16',
  docs = {}, ---@type table<string, { version: integer, text: string }>  by path
  held = {}, ---@type table<string, fun()>
  requests = 0,
}
local log = assert(io.open(script.log, 'ab'))
io.stdout:setvbuf('no')

function server.log(entry)
  entry.life = life
  log:write(vim.json.encode(entry), '\n')
  log:flush()
end

function server.raw(bytes)
  io.stdout:write(bytes)
  io.stdout:flush()
end

function server.path(uri)
  return vim.uri_to_fname(uri)
end

--- Fills in what a script cannot know: {ROOT}, and { ["$version"] = path, add = n }.
local function fill(value)
  if type(value) == 'string' then
    return (value:gsub('{ROOT}', function()
      return server.root
    end))
  elseif type(value) ~= 'table' then
    return value
  elseif value['$version'] then
    local doc = server.docs[fill(value['$version'])]
    return (doc and doc.version or 0) + (value.add or 0)
  end
  local filled = setmetatable({}, getmetatable(value))
  for key, member in pairs(value) do
    filled[fill(key)] = fill(member)
  end
  return filled
end
server.fill = fill

function server.send(message)
  message.jsonrpc = '2.0'
  local body = vim.json.encode(message)
  server.raw(('Content-Length: %d\r\n\r\n%s'):format(#body, body))
end

function server.notify(method, params)
  server.send { method = method, params = fill(params) }
end

function server.request(method, params)
  server.requests = server.requests + 1
  server.send { id = 'fake-' .. server.requests, method = method, params = fill(params) }
end

--- Text of a document that is open, else of the file.
function server.text(path)
  local doc = server.docs[path]
  return doc and doc.text or (read_file(path):gsub('^\239\187\191', ''))
end

local act = require('actions')(server)
local lint = script.lint and require('lint')(server)

local function capabilities()
  return vim.tbl_extend('force', {
    positionEncoding = server.encoding,
    textDocumentSync = { openClose = true, change = 2, save = vim.empty_dict() },
    renameProvider = true,
    documentFormattingProvider = true,
    hoverProvider = true,
    definitionProvider = true,
  }, lint and lint.capabilities or {}, fill(script.capabilities or {}))
end

local taken = {} ---@type table<string, integer>

local function step_of(method, params)
  local steps = (script.on or {})[method]
  if not steps then
    return lint and lint.step(method, params) or {}
  elseif not vim.islist(steps) or #steps == 0 then
    return steps
  end
  taken[method] = (taken[method] or 0) + 1
  return steps[math.min(taken[method], #steps)]
end

local function result_of(step, params)
  if step.rename then
    return text.rename(server, step.rename, params)
  elseif step.format then
    return text.format(server, params)
  end
  return fill(step.result == nil and vim.NIL or step.result)
end

local function answer(id, step, params)
  local function say()
    if step.answer then
      local body = step.answer:format(id)
      server.raw(('Content-Length: %d\r\n\r\n%s'):format(#body, body))
    elseif step.error then
      server.send { id = id, error = step.error }
    elseif not step.silent then
      server.send { id = id, result = result_of(step, params) }
    end
    act.all(step.after)
  end
  if step.hold then
    server.held[step.hold] = say
    server.log { holds = step.hold }
  else
    say()
  end
end

local function request(message)
  local step = step_of(message.method, message.params)
  if message.method == 'initialize' then
    server.root = message.params.rootPath
    step = vim.tbl_extend('keep', step, { result = { capabilities = capabilities() } })
  elseif message.method == 'shutdown' then
    step = vim.tbl_extend('keep', step, { result = vim.NIL })
  end
  act.all(step.before)
  answer(message.id, step, message.params)
end

local function notification(message)
  local step = step_of(message.method)
  act.all(step.before)
  if text.notified(server, message.method, message.params) then
    local doc = server.docs[server.path(message.params.textDocument.uri)]
    server.log {
      uri = message.params.textDocument.uri,
      version = doc and doc.version,
      text = doc and doc.text,
    }
    if script.kill_at and doc and vim.startswith(doc.text, script.kill_at) then
      act.one { kill = true }
    end
    if lint and doc then
      lint.publish(message.params.textDocument.uri)
    end
  end
  if message.method == 'exit' and not step.silent then
    os.exit(0)
  end
  act.all(step.after)
end

local function received(message)
  server.log {
    method = message.method,
    id = message.id,
    params = message.params,
    result = message.result,
    error = message.error,
  }
  if message.method and message.id ~= nil then
    request(message)
  elseif message.method then
    notification(message)
  end
end

local function listen(path)
  os.remove(path)
  local listener = assert(vim.uv.new_pipe())
  assert(listener:bind(path))
  listener:listen(8, function()
    local client = assert(vim.uv.new_pipe())
    listener:accept(client)
    local rest = ''
    client:read_start(function(_, bytes)
      if not bytes then
        client:close()
        return
      end
      rest = rest .. bytes
      for line in rest:gmatch('([^\n]*)\n') do
        local action = vim.json.decode(line)
        client:write('ok\n')
        server.log { act = action }
        act.one(action)
      end
      rest = rest:match('[^\n]*$')
    end)
  end)
end

local rest = ''
local stdin = assert(vim.uv.new_pipe())
stdin:open(0)
server.stdin = stdin
server.log { pid = vim.uv.os_getpid() }
if script.control then
  listen(script.control)
end
act.all(script.start)
stdin:read_start(function(err, bytes)
  if err or not bytes then
    if not server.stubborn then
      os.exit(0)
    end
    stdin:read_stop()
    return
  end
  rest = rest .. bytes
  while true do
    local length, body = rest:match('^.-Content%-Length: (%d+)\r\n.-\r\n()')
    length = tonumber(length)
    if not length or #rest < body - 1 + length then
      return
    end
    local message = rest:sub(body, body - 1 + length)
    rest = rest:sub(body + length)
    received(vim.json.decode(message))
  end
end)
vim.uv.run()
