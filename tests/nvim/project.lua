-- The small project of a test: a new directory, its files, and an end to all that was started in it.
--
--   local put, get = project.put, project.get
--
--   before_each(function()
--     dir = project.begin { ['a.c'] = 'int a;\n' }
--   end)
--   after_each(project.finish)
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')
local relay = require('relay')

local M = {}

M.dir = nil ---@type string?   of the project
local base ---@type string?   what goes with it
local resident ---@type test.Child

---@param files? table<string, string>   path inside the project to text
---@return string dir
function M.begin(files)
  base = helper.tempdir()
  M.dir = base .. '/project'
  vim.fn.mkdir(M.dir)
  M.fill(files or {})
  return M.dir
end

function M.finish()
  mcp.cleanup()
  fault.cleanup()
  helper.cleanup()
  vim.fn.delete(base, 'rf')
end

--- Begins a project for several tests, in setup(): a Neovim has it open, whose core carries out what
--- M.call() calls, so that servers are started once. M.finish(), in teardown(), ends it.
---@param config? string   of the plugin, as Lua
---@param options? table   of the core
---@return string dir
function M.reside(config, options)
  base = helper.tempdir()
  config = ("core = { path = %q, options = %s }, review = { agent = 'never' }, %s"):format(
    helper.core,
    vim.inspect(vim.tbl_extend('force', e2e.PATIENT, options or {})),
    config or ''
  )
  resident = relay.start({}, base, config)
  M.dir = resident.dir
  return M.dir
end

---@param tool string
---@param args? table
---@param flags? string[]
---@return test.Called
function M.call(tool, args, flags)
  local argv = vim.list_extend({ tool }, flags or {})
  table.insert(argv, vim.json.encode(args or vim.empty_dict()))
  return e2e.called(relay.wait(relay.call(resident, base, argv)))
end

--- Calls a tool by the program itself, in a project of begin(), where no server is needed.
---@param tool string
---@param args table
---@return table answer
---@return boolean ok
function M.alone(tool, args)
  local argv =
    { helper.core, 'call', tool, '--root', M.dir, '--data', helper.root .. '/lua/oxide', '-' }
  local done = vim
    .system(argv, {
      stdin = vim.json.encode(args),
      env = { XDG_STATE_HOME = M.dir .. '.state', XDG_CONFIG_HOME = M.dir .. '.config' },
    })
    :wait()
  return e2e.called(done).answer, done.code == 0
end

--- Likewise, where the call is refused with this code.
---@return table error
---@return table answer
function M.refused(code, tool, args)
  local answer, ok = M.alone(tool, args)
  assert(not ok and answer.error.code == code, vim.inspect(answer))
  return answer.error, answer
end

---@param name string
---@param text string
function M.put(name, text)
  helper.write(M.dir .. '/' .. name, text)
end

---@param name string
---@return string? text   nil where there is no such file
function M.get(name)
  local path = M.dir .. '/' .. name
  return vim.uv.fs_stat(path) and helper.read(path)
end

---@param files table<string, string>
function M.fill(files)
  for name, text in pairs(files) do
    M.put(name, text)
  end
end

---@param name string
---@return boolean
function M.visible(name)
  return not vim.startswith(name, '.')
end

--- The project holds these files and no others, but for what begins with a dot: as it was before a
--- test that shared its core with others.
---@param files table<string, string>
function M.reset(files)
  for name, kind in vim.fs.dir(M.dir, { depth = math.huge, skip = M.visible }) do
    if kind ~= 'directory' and not files[name] and M.visible(name) then
      assert(vim.uv.fs_unlink(M.dir .. '/' .. name))
    end
  end
  for name, text in pairs(files) do
    if M.get(name) ~= text then
      M.put(name, text)
    end
  end
end

--- What the same files hold now.
---@param files table<string, string>
---@return table<string, string>
function M.now(files)
  local all = {}
  for name in pairs(files) do
    all[name] = M.get(name)
  end
  return all
end

return M
