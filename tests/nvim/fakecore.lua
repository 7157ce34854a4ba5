-- Stands in for the core: speaks its protocol on standard input and output, and does what the
-- script named on the command line says. The script returns
--   function(core, method, params)   for each message of the plugin
-- and has core.event(name, table), core.ask(name, table, function(answer)), core.ready(overrides).
local core = { data = {} }
local stdin, stdout = vim.uv.new_pipe(), vim.uv.new_pipe()
stdin:open(0)
stdout:open(1)

local pack, unpacker = vim.mpack.encode, vim.mpack.Unpacker()
local asked, next_id = {}, 0

local function send(value)
  stdout:write(pack(value))
end

function core.event(name, value)
  local code = "require('oxide.core').on(...)"
  send { 2, 'nvim_exec_lua', { code, { name, vim.json.encode(value) } } }
end

function core.ask(name, value, fn)
  next_id = next_id + 1
  asked[next_id] = fn
  local code = "return require('oxide.core').ask(...)"
  send { 0, next_id, 'nvim_exec_lua', { code, { name, vim.json.encode(value) } } }
end

function core.ready(overrides)
  local ready = { version = '0.0.1', protocol = 2, pid = vim.uv.os_getpid() }
  core.event('ready', vim.tbl_extend('force', ready, overrides or {}))
end

function core.answer(id, result)
  core.event('answer', { id = id, result = result })
end

function core.fail(id, code, message)
  core.event('answer', { id = id, error = { code = code, message = message } })
end

local handle = dofile(arg[1])

local function received(message)
  if message[1] == 1 then
    local fn = asked[message[2]]
    asked[message[2]] = nil
    fn(vim.json.decode(message[4]))
  elseif message[1] == 2 then
    local method, params = message[2], message[3]
    if method == 'quit' then
      os.exit(0)
    elseif method == 'ping' then
      core.event('pong', '')
      handle(core, method, params)
    elseif method == 'status' then
      core.answer(params[1], {
        version = '0.0.1',
        protocol = 2,
        pid = vim.uv.os_getpid(),
        listen = { clients = {} },
      })
    else
      handle(core, method, params)
    end
  end
end

local rest = ''
stdin:read_start(function(err, bytes)
  if err or not bytes then
    os.exit(0)
  end
  rest = rest .. bytes
  while #rest > 0 do
    local value, at = unpacker(rest)
    if value == nil then
      rest = ''
      return
    end
    rest = rest:sub(at)
    received(value)
  end
end)
vim.uv.run()
