-- The core as a child process: started on first use, ended with Neovim, and started again with a
-- growing pause after it died.
--
--   stopped -> waiting (a pause is due) -> starting -> ready
--      ^                                      |          |
--      +-------- exit, fewer than 3 in a minute ---------+
--   failed: three exits in a minute, or a core that speaks another protocol
local errors = require('oxide.errors')
local ui = require('oxide.ui')

local M = {
  PROTOCOL = 2,
  phase = 'stopped', ---@type 'stopped'|'waiting'|'starting'|'ready'|'failed'
  pid = nil, ---@type integer?
  version = nil, ---@type string?
  path = nil, ---@type string?
  root = nil, ---@type string?   the project root, as the core was told
  tools = {}, ---@type table<string, string[]>   the core's, and the words that each takes
  log = nil, ---@type string?   of the last core; empty: it had none
}

local PAUSES = { 0, 500, 2000 } -- before the first, second and third start within a minute
local MINUTE = 60000

local job ---@type integer?
local exits = {} ---@type integer[]  when the core died, by vim.uv.now()
local crashed = false -- since then none was started: the next one goes on in the same project
local failure ---@type oxide.Error?
local expected = false -- the running job was told to end
local stderr = {} ---@type string[]
local starts = 0

---@class oxide.ProcessHooks
---@field ready fun()
---@field down fun(err: oxide.Error)   what was asked fails with this
local hooks ---@type oxide.ProcessHooks

---@param h oxide.ProcessHooks
function M.setup(h)
  hooks = h
end

---@return integer exits within the last minute
local function recent()
  local now = vim.uv.now()
  exits = vim.tbl_filter(function(at)
    return now - at < MINUTE
  end, exits)
  return #exits
end

--- Sends a notification. A core that is gone is found out by its exit, not here.
---@param method string
---@return boolean sent
function M.send(method, ...)
  return job ~= nil and pcall(vim.rpcnotify, job, method, ...)
end

---@param code string
---@param why string
local function fail(code, why)
  failure = errors.new(code, why)
  M.phase = 'failed'
  hooks.down(failure)
end

function M.kill()
  if M.pid then
    pcall(vim.uv.kill, M.pid, 'sigkill')
  end
end

---@param code integer
local function on_exit(code)
  local was, last = M.phase, stderr[#stderr]
  local planned = expected
  job, M.pid, M.version = nil, nil, nil
  ui.progress_clear()
  if was == 'failed' then
    return
  end
  M.phase = 'stopped'
  if planned or vim.v.exiting ~= vim.NIL then
    hooks.down(errors.new('core', 'the core was stopped'))
    ui.event('CoreExit', { code = code, expected = true })
    return
  end
  table.insert(exits, vim.uv.now())
  crashed = true
  local why = ('the core ended unexpectedly (exit code %d)'):format(code)
  if last then
    why = why .. ': ' .. last
  end
  local again = recent() < #PAUSES
  ui.event('CoreExit', { code = code, expected = false })
  if again then
    -- What helps comes first: lines are narrow, and what failed by it says the same once more.
    local said = why:gsub('unexpectedly', 'unexpectedly; the next command restarts it', 1)
    ui.notify(said, vim.log.levels.WARN)
    hooks.down(errors.new('core', said))
  else
    why = (
      '%s, for the third time within a minute. Find the cause with :Oxide core log, then run '
      .. ':Oxide core restart.'
    ):format(why)
    ui.notify(why, vim.log.levels.ERROR)
    fail('core', why)
  end
end

--- Everybody may write into it, as into /tmp: what is there makes it nobody's project.
---@param dir string
---@return boolean
local function is_shared(dir)
  local stat = vim.uv.fs_stat(dir)
  return stat ~= nil and bit.band(stat.mode, 514) == 514 -- the sticky bit, and others may write
end

---@return string
local function project_root()
  local name = vim.api.nvim_buf_get_name(0)
  local from = vim.bo.buftype == '' and name ~= '' and name or vim.fn.getcwd()
  local root = vim.fs.root(from, { '.git', '.hg', '.jj', 'compile_commands.json' })
  return root and not is_shared(root) and root or vim.fn.getcwd()
end

--- What a core takes up when it starts and not later, by the options that it comes of.
---@return table<string, any>
local function fixed()
  local config = require('oxide.config')
  return {
    ['core.path'] = config.get('core.path'),
    projects = config.get('projects'),
    servers = require('oxide.lsp_config').own(),
  }
end

local begun = {} ---@type table<string, any>   fixed() of the core that runs

--- The options that were changed since the core has started, and that it does not take up.
---@return string[]
function M.late()
  local late = {}
  for name, value in vim.spairs(fixed()) do
    table.insert(late, not vim.deep_equal(value, begun[name]) and name or nil)
  end
  return late
end

---@return table
local function configuration()
  local config = require('oxide.config')
  M.root = crashed and M.root or project_root()
  crashed = false
  return vim.tbl_extend('error', config.models(), {
    protocol = M.PROTOCOL,
    pid = vim.uv.os_getpid(),
    root = M.root,
    runtime = require('oxide.install_paths').runtime(),
    options = config.core_options(),
    swap = vim.go.directory,
    servers = require('oxide.lsp_config').own(),
    projects = vim.tbl_extend('force', vim.empty_dict(), config.get('projects')),
  })
end

local function launch()
  local found = require('oxide.install_paths').find()
  if not found then
    M.phase = 'stopped'
    hooks.down(errors.new('no_core', require('oxide.install_paths').advice()))
    return
  end
  -- Before there is a core: where Neovim loads vim.lsp for it, it makes its state directory, and fails
  -- where another makes one on the way there at that moment.
  local ok, options = pcall(fixed)
  if not ok then
    fail('no_core', ('the core is not started: %s'):format(options))
    return
  end
  starts = starts + 1
  local start = starts
  local command = { found.path, 'serve', '--data', require('oxide.install_paths').runtime() }
  stderr, expected, M.phase, M.path = {}, false, 'starting', found.path
  local id
  ok, id = pcall(vim.fn.jobstart, command, {
    rpc = true,
    on_stderr = function(_, lines)
      for _, line in ipairs(lines) do
        if line ~= '' then
          table.insert(stderr, line)
        end
      end
    end,
    on_exit = function(gone, code)
      if gone == job then
        on_exit(code)
      end
    end,
  })
  if not ok or id <= 0 then
    fail('no_core', ('cannot start %s: %s'):format(found.path, tostring(id)))
    return
  end
  job, M.pid, begun = id, vim.fn.jobpid(id), options
  M.send('configure', vim.json.encode(configuration()))
  local limit = require('oxide.config').get('core.start_timeout_ms')
  vim.defer_fn(function()
    if start == starts and M.phase == 'starting' then
      ui.notify(
        ('the core %s was not ready within %d ms and was stopped'):format(found.path, limit),
        vim.log.levels.ERROR
      )
      M.kill()
    end
  end, limit)
end

--- Brings the core up unless it is up, coming up, or given up.
---@return oxide.Error?
function M.ensure()
  if M.phase == 'failed' then
    return failure
  end
  if M.phase ~= 'stopped' then
    return nil
  end
  if not require('oxide.install_paths').find() then
    return errors.new('no_core', require('oxide.install_paths').advice())
  end
  local pause = PAUSES[recent() + 1]
  M.phase = 'waiting'
  if pause == 0 then
    launch()
    return M.phase == 'failed' and failure or nil
  end
  vim.defer_fn(function()
    if M.phase == 'waiting' then
      launch()
    end
  end, pause)
end

--- The core's first word. One of another protocol is not talked to.
---@param ready { version: string, protocol: integer, tools?: table<string, string[]>, log?: string }
function M.said_ready(ready)
  if ready.protocol ~= M.PROTOCOL then
    local why = (
      'the core %s is version %s and speaks protocol %s, this plugin speaks %d. Run '
      .. '`make` in %s, then :Oxide core restart.'
    ):format(
      M.path,
      ready.version,
      ready.protocol,
      M.PROTOCOL,
      require('oxide.install_paths').plugin_root()
    )
    ui.notify_once('protocol', why, vim.log.levels.ERROR)
    fail('no_core', why)
    M.send('quit')
    return
  end
  M.phase, M.version, M.tools, M.log = 'ready', ready.version, ready.tools or {}, ready.log
  hooks.ready()
end

--- Ends the core: told to quit, and its standard input closed, which ends it as well.
function M.stop()
  expected = true
  if M.phase == 'waiting' then
    M.phase = 'stopped'
    hooks.down(errors.new('core', 'the core was stopped'))
  end
  if job then
    M.send('quit')
    pcall(vim.fn.chanclose, job)
  end
end

--- Forgets earlier failures, ends the core and lets `after` run once it is gone.
---@param after fun()
function M.reset(after)
  exits, failure, crashed = {}, nil, false
  local old = job
  if M.phase == 'failed' then
    M.phase = 'stopped'
  end
  M.stop()
  if old then
    vim.defer_fn(function()
      if job == old then
        M.kill()
      end
    end, 3000)
    vim.api.nvim_create_autocmd('User', {
      pattern = 'OxideCoreExit',
      once = true,
      callback = vim.schedule_wrap(after),
    })
  else
    after()
  end
end

return M
