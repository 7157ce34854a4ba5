-- `oxide call` beside a Neovim that has the project open.
local helper = require('helper')

local M = {}

-- Into files: vim.system() of Neovim 0.10 may lose what a program has printed when it ends.
local TO_FILES = 'exec "$@" >"$0.out" 2>"$0.err"'
local written = {} ---@type table<table, string>   what comes before .out and .err, by the running program

--- A Neovim with the project's files, whose core listens in `run`.
---@param files table<string, string>
---@param run string       the directory that stands for XDG_RUNTIME_DIR
---@param config? string   of the plugin, as Lua
---@return test.Child
function M.start(files, run, config)
  local child = helper.start(files, {
    env = { XDG_RUNTIME_DIR = run },
    config = ('{ core = { path = %q }, %s }'):format(helper.core, config or ''),
  })
  vim.fn.mkdir(child.dir .. '/.git')
  M.listen(child)
  return child
end

--- Starts the core, if need be, and waits until it listens.
---@param child test.Child
---@return { path: string, clients: table[] }
function M.listen(child)
  child:lua([[
    _G.asking, _G.listen = false, nil
    function _G.listening()
      if not _G.asking then
        _G.asking = true
        require('oxide.core').query('status', function(_, status)
          _G.asking, _G.listen = false, status and status.listen or nil
        end)
      end
      return _G.listen
    end
  ]])
  return child:wait(
    'the core to listen',
    '(function() local l = listening(); return l and l.path and l end)()'
  )
end

--- Of a program that works beside it, and in no terminal of a Neovim.
---@param dir string   the project
---@param run string
---@return table<string, string>
function M.env(dir, run)
  return {
    XDG_RUNTIME_DIR = run,
    XDG_STATE_HOME = dir .. '/.state',
    XDG_CONFIG_HOME = dir .. '/.config',
    NVIM = '',
  }
end

---@param child test.Child   whose project it is
---@param run string
---@param args string[]
---@param opts? { cwd?: string, env?: table<string, string>, stdin?: string|string[] }
---@return table running  of vim.system
function M.call(child, run, args, opts)
  opts = opts or {}
  local base = vim.fn.tempname()
  local argv = { 'sh', '-c', TO_FILES, base, helper.core, 'call' }
  local running = vim.system(vim.list_extend(argv, args), {
    cwd = opts.cwd or child.dir,
    stdin = opts.stdin or false,
    env = vim.tbl_extend('force', M.env(child.dir, run), opts.env or {}),
  })
  written[running] = base
  return running
end

---@param running table   of M.call()
---@return { code: integer, stdout: string, stderr: string }
function M.wait(running)
  local base = assert(written[running])
  local code = running:wait(helper.deadline).code
  return { code = code, stdout = helper.read(base .. '.out'), stderr = helper.read(base .. '.err') }
end

---@class test.Relayed
---@field code integer
---@field answer table
---@field err string

---@param running table
---@return test.Relayed
function M.finish(running)
  local done = M.wait(running)
  local ok, answer = pcall(vim.json.decode, done.stdout, { luanil = { object = true } })
  assert(ok, ('no JSON, %d: %s%s'):format(done.code, done.stdout, done.stderr))
  return { code = done.code, answer = answer, err = done.stderr }
end

return M
