-- The options in effect: those of config/options.lua, with what the user gave, and what is wrong with that.

local M = {}

M.schema = require('oxide.config.options')

---@class oxide.Config
---@field values table<string, any>   by the schema's names
---@field problems string[]           what is wrong with what the user gave

local given ---@type oxide.Opts?
local current ---@type oxide.Config?

---@return string[] of options and of their groups
local function names()
  local set = {} ---@type table<string, boolean>
  for name in pairs(M.schema) do
    set[name] = true
    set[name:match('^[^.]+')] = true
  end
  local list = vim.tbl_keys(set)
  table.sort(list)
  return list
end

---@param prefix string
---@return boolean whether an option lies below this name
local function is_group(prefix)
  for name in pairs(M.schema) do
    if vim.startswith(name, prefix .. '.') then
      return true
    end
  end
  return false
end

---@param config oxide.Config
---@param path string
---@param value any
local function take(config, path, value)
  local option = M.schema[path]
  if option then
    local problem = require('oxide.config.check').problem(option, value)
    if problem then
      table.insert(config.problems, ('%s %s; its default is used'):format(path, problem))
    else
      config.values[path] = value
    end
  elseif type(value) == 'table' and is_group(path) then
    for key, member in pairs(value) do
      take(config, path .. '.' .. tostring(key), member)
    end
  else
    local near = require('oxide.nearest').find(path, names())
    table.insert(
      config.problems,
      ("unknown option '%s'%s"):format(path, near and (", did you mean '" .. near .. "'?") or '')
    )
  end
end

--- The options in effect. Pure: nothing is shown and nothing is kept.
---@param opts? oxide.Opts
---@return oxide.Config
function M.resolve(opts)
  local config = { values = {}, problems = {} } ---@type oxide.Config
  for name, option in pairs(M.schema) do
    config.values[name] = vim.deepcopy(option.default)
  end
  if opts ~= nil and type(opts) ~= 'table' then
    table.insert(config.problems, ('the options are a %s, expected a table'):format(type(opts)))
    return config
  end
  for key, value in pairs(opts or {}) do
    take(config, tostring(key), value)
  end
  table.sort(config.problems)
  return config
end

---@return oxide.Opts?
local function from_global()
  local opts = vim.g.oxide
  if type(opts) == 'function' then
    return opts()
  end
  return opts
end

local watched = false

---@return oxide.Config
local function load()
  if not watched then
    watched = true
    vim.cmd([[call dictwatcheradd(g:, 'oxide', {-> v:lua.require'oxide.config'.changed()})]])
  end
  local ok, global = pcall(from_global)
  local opts = global
  if ok and type(global) == 'table' and given then
    opts = vim.tbl_deep_extend('force', global, given)
  elseif not ok or global == nil then
    opts = given
  end
  local config = M.resolve(opts)
  if not ok then
    table.insert(config.problems, 'vim.g.oxide cannot be read: ' .. tostring(global))
  end
  if #config.problems > 0 then
    require('oxide.ui').notify(table.concat(config.problems, '\n'), vim.log.levels.WARN)
  end
  return config
end

--- The options were changed: they are read again when one is needed, and a core that runs is told.
function M.changed()
  current = nil
  local process = package.loaded['oxide.process']
  if process and process.pid then
    process.send('options', vim.json.encode(M.core_options()))
    process.send('models', vim.json.encode(M.models()))
    local late = process.late()
    if #late > 0 then
      local text = '%s: used when the core starts; :Oxide core restart does that now'
      require('oxide.ui').notify(text:format(table.concat(late, ', ')), vim.log.levels.WARN)
    end
  end
end

--- Keeps what the user gave; it is looked at when the first option is needed.
---@param opts? oxide.Opts
function M.set(opts)
  given = opts
  M.changed()
end

---@param name string   a name of the schema
---@return any
function M.get(name)
  assert(M.schema[name], name)
  current = current or load()
  return current.values[name]
end

---@return string[]
function M.problems()
  current = current or load()
  return current.problems
end

local log_levels = { error = 0, warn = 1, info = 2, debug = 3 } -- native/base/log.h

--- The models that can be asked, which one is, what they may do, and the agents.
---@return { models: table<string, oxide.Model>, model?: string, permissions: table, agents: table }
function M.models()
  return {
    agents = vim.tbl_extend('force', vim.empty_dict(), M.get('agents')),
    models = vim.tbl_extend('force', vim.empty_dict(), M.get('models')),
    model = M.get('model'),
    local_servers = vim.tbl_extend('force', vim.empty_dict(), M.get('local_servers')),
    permissions = vim.tbl_extend('force', vim.empty_dict(), M.get('chat.permissions')),
  }
end

--- The options of the core, by the core's own names.
---@return table<string, integer|string>
function M.core_options()
  local options = vim.tbl_extend('force', vim.empty_dict(), M.get('core.options'))
  options['lsp.timeout_ms'] = options['lsp.timeout_ms'] or M.get('lsp.timeout_ms')
  local level = M.get('log.level')
  if level ~= M.schema['log.level'].default then -- else what config.lua says holds
    options['log.level'] = options['log.level'] or log_levels[level]
  end
  return options
end

return M
