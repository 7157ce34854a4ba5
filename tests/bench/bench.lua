-- What the parts have in common: bare clients and Neovims as children, files, figures.
local M = {}

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
M.root = vim.fs.normalize(vim.fn.fnamemodify(here .. '/../..', ':p')):gsub('/$', '')
M.out = M.root .. '/build/bench'
-- Where the projects are: on which file system decides what writing a thousand files costs.
M.work = vim.env.BENCH_DIR or M.out
M.core = vim.env.OXIDE_BENCH_CORE
M.clangd = vim.env.OXIDE_BENCH_CLANGD
M.nvim = vim.v.progpath
M.rounds = nil ---@type integer?  of every part, instead of its own number

local DEADLINE = 600000

local running = {} ---@type integer[]

---@param path string
---@param text string
function M.write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local f = assert(io.open(path, 'wb'))
  f:write(text)
  f:close()
end

---@param path string
---@return string?
function M.read(path)
  local f = io.open(path, 'rb')
  local text = f and f:read('*a')
  if f then
    f:close()
  end
  return text
end

---@param what string
---@param done fun(): boolean
local function wait(what, done)
  assert(vim.wait(DEADLINE, done, 5), what .. ' did not happen')
end
M.wait = wait

---@class bench.Bare
---@field job integer
---@field lines string[]
local Bare = {}
Bare.__index = Bare

--- A bare client (bare.c) of a command.
---@param codec 'headers'|'lines'|'msgpack'
---@param dir string
---@param cmd string[]
---@return bench.Bare
function M.bare(codec, dir, cmd)
  local bare = setmetatable({ lines = {} }, Bare)
  local part = ''
  bare.job = vim.fn.jobstart(vim.list_extend({ M.out .. '/bin/bare', codec, dir }, cmd), {
    env = { XDG_STATE_HOME = M.out .. '/state' },
    on_stdout = function(_, data)
      data[1] = part .. data[1]
      part = table.remove(data)
      vim.list_extend(bare.lines, data)
    end,
  })
  table.insert(running, bare.job)
  return bare
end

---@param line string
function Bare:say(line)
  vim.fn.chansend(self.job, line .. '\n')
end

--- The answer to the last order.
---@return number ms
---@return string head
function Bare:answer()
  wait('an answer of the bare client', function()
    return #self.lines > 0 or vim.fn.jobwait({ self.job }, 0)[1] ~= -1
  end)
  local line = assert(table.remove(self.lines, 1), 'the bare client has ended')
  local us, head = line:match('^(%S+) %d+ (.*)$')
  return tonumber(us) / 1000, head
end

function Bare:notify(method, params)
  self:say(('notify %s %s'):format(method, vim.json.encode(params)))
end

--- Writes a request whose reply nobody waits for.
function Bare:send(method, params)
  self:say(('send %s %s'):format(method, vim.json.encode(params)))
end

--- Writes requests all at once; the time until the last reply is here.
---@param list { method: string, params: table }[]
---@return number ms
function Bare:together(list)
  self:say('now')
  for _, one in ipairs(list) do
    self:send(one.method, one.params)
  end
  self:say('replies')
  return (self:answer())
end

function Bare:request(method, params)
  self:say(('request %s %s'):format(method, vim.json.encode(params)))
  return self:answer()
end

function Bare:await(text)
  self:say('until ' .. text)
  return self:answer()
end

--- Begins a conversation with a language server.
---@param root string
---@param documents? table  capabilities under `textDocument`
function Bare:initialize(root, documents)
  self:request('initialize', {
    processId = vim.fn.getpid(),
    rootUri = vim.uri_from_fname(root),
    capabilities = {
      window = { workDoneProgress = true },
      workspace = { workspaceEdit = { documentChanges = true } },
      textDocument = documents,
    },
  })
  self:notify('initialized', vim.empty_dict())
end

---@param path string
---@param filetype string
function Bare:open(path, filetype)
  self:notify('textDocument/didOpen', {
    textDocument = {
      uri = vim.uri_from_fname(path),
      languageId = filetype,
      version = 1,
      text = M.read(path),
    },
  })
end

---@class bench.Core
---@field bare bench.Bare
---@field calls integer
local Core = {}
Core.__index = Core

--- The core on a pipe, without Neovim.
---@param dir string        the project's folder
---@param server string[]   the command of its clangd
---@param options? table    of the core
---@param servers? table    instead of that clangd
---@return bench.Core
function M.serve(dir, server, options, servers)
  local core = setmetatable({ calls = 0 }, Core)
  core.bare = M.bare('msgpack', dir, { M.core, 'serve' })
  core.bare:notify('configure', {
    vim.json.encode {
      protocol = 2,
      root = dir,
      runtime = M.root .. '/lua/oxide',
      options = options or vim.empty_dict(),
      servers = servers or { clangd = { cmd = server } },
    },
  })
  return core
end

---@param tool string
---@param args table
function Core:begin(tool, args)
  self.calls = self.calls + 1
  local context = '{"confirm":"never","diff":false}'
  self.bare:notify('call', { self.calls, tool, vim.json.encode(args), context })
end

---@param tool string
---@param args table
---@return number ms
function Core:call(tool, args)
  self:begin(tool, args)
  local ms, head = self.bare:await(('"id":%d'):format(self.calls))
  assert(not head:find('"error":{', 1, true), head)
  return ms
end

--- Begins calls all at once; the time until the last answer is here.
---@param list { tool: string, args: table }[]
---@return number ms
function Core:together(list)
  self.bare:say('now')
  for _, one in ipairs(list) do
    self:begin(one.tool, one.args)
  end
  self.bare:say(('times %d answer'):format(#list))
  return (self.bare:answer())
end

---@class bench.Child
---@field chan integer
---@field here integer   the number of the channel at its end
---@field terminal? integer   the job that it runs in, where it has a screen
local Child = {}
Child.__index = Child

local said ---@type table?  what a child has said last

function _G.BenchSaid(value)
  said = value
end

--- Starts a Neovim that is driven over RPC.
---@param args string[]
---@param screen? table   of jobstart(): `width` and `height` of the terminal that it runs in
---@return bench.Child
local function start(args, screen)
  local env = { XDG_STATE_HOME = M.out .. '/state' }
  local argv = vim.list_extend({ M.nvim, '-u', 'NONE', '-i', 'NONE', '-n' }, args)
  local child = setmetatable({}, Child)
  if screen then
    local socket = vim.fn.tempname()
    env.TERM = 'xterm-256color'
    local opts = vim.tbl_extend('error', screen, { pty = true, env = env })
    child.terminal = vim.fn.jobstart(vim.list_extend(argv, { '--listen', socket }), opts)
    table.insert(running, child.terminal)
    wait('the socket of a Neovim', function()
      local ok, chan = pcall(vim.fn.sockconnect, 'pipe', socket, { rpc = true })
      child.chan = ok and chan or nil
      return ok
    end)
    wait('the start of a Neovim', function()
      return child:lua('return vim.v.vim_did_enter') == 1
    end)
  else
    child.chan = vim.fn.jobstart(vim.list_extend(argv, { '--embed', '--headless' }), {
      rpc = true,
      env = env,
    })
    table.insert(running, child.chan)
  end
  child.here = vim.rpcrequest(child.chan, 'nvim_get_api_info')[1]
  return child
end

--- A Neovim; with `oxide`, a table of options, it has the plugin.
---@param file? string
---@param oxide? table
---@param screen? table   of start()
---@return bench.Child
function M.child(file, oxide, screen)
  local argv = {}
  if oxide then
    oxide.core = vim.tbl_extend('force', { path = M.core }, oxide.core or {})
    local options = vim.inspect(oxide, { newline = ' ', indent = '' })
    vim.list_extend(
      argv,
      { '--cmd', 'set rtp^=' .. M.root, '--cmd', 'lua vim.g.oxide = ' .. options }
    )
    vim.list_extend(argv, { '--cmd', 'runtime plugin/oxide.lua' })
  end
  vim.list_extend(argv, { '--cmd', 'set hidden' })
  local child = start(argv, screen)
  if file then
    -- a project of its own, not a part of the repository that all of this lies in
    assert(vim.system({ 'git', 'init', '--quiet', vim.fs.dirname(file) }):wait().code == 0)
    child:lua('vim.cmd.edit(vim.fn.fnameescape(...)); vim.bo.filetype = "c"', file)
  end
  return child
end

---@param code string
---@return any
function Child:lua(code, ...)
  return vim.rpcrequest(self.chan, 'nvim_exec_lua', code, { ... })
end

--- Runs code that calls say(VALUE) once, now or later; returns the value.
---@param code string
---@return table
function Child:await(code, ...)
  said = nil
  local head = [[
    local function say(value)
      vim.rpcnotify(%d, 'nvim_exec_lua', 'BenchSaid(...)', { value })
    end
  ]]
  self:lua(head:format(self.here) .. code, ...)
  wait('the word of a Neovim', function()
    return said ~= nil
  end)
  return assert(said)
end

--- Ends the job with the part.
---@param job integer
function M.adopt(job)
  table.insert(running, job)
end

function M.stop_all()
  for _, job in ipairs(running) do
    vim.fn.jobstop(job)
  end
  vim.fn.jobwait(running, 10000)
  running = {}
end

---@param values number[]
---@param share number
---@return number
function M.quantile(values, share)
  local sorted = vim.deepcopy(values)
  table.sort(sorted)
  local at = 1 + (#sorted - 1) * share
  local low = math.floor(at)
  return sorted[low] + (at - low) * ((sorted[low + 1] or sorted[low]) - sorted[low])
end

---@param a number[]
---@param b number[]
---@param fn fun(x: number, y: number): number
---@return number[]
function M.each(a, b, fn)
  local out = {}
  for i = 1, math.min(#a, #b) do
    out[i] = fn(a[i], b[i])
  end
  return out
end

return M
