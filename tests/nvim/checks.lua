-- A project whose checks and tests are shell scripts, of a kind that only the configuration knows, for
-- the specs of check_project and test_project.
local fault = require('fault')
local helper = require('helper')

local M = {}

M.base = '' -- a directory for each test, with the project in it

--- Before each test.
function M.begin()
  M.base = helper.tempdir()
end

--- After each.
function M.finish()
  vim.fn.delete(M.base, 'rf')
end

--- Writes it. Its checks and tests are these scripts.
---@param ways { check?: table[], test?: table[] }   `steps` and `one`: scripts, or argument vectors
---@param options? table
function M.project(ways, options)
  local dir, scripts = M.base .. '/project', 0
  helper.write(dir .. '/mark.txt', 'x\n')
  local function argv(script)
    if type(script) == 'table' then
      return script
    end
    scripts = scripts + 1
    local path = ('%s/script%d'):format(M.base, scripts)
    helper.write(path, script)
    return { 'sh', path, '{test}' }
  end
  for _, list in pairs(ways) do
    for _, way in ipairs(list) do
      way.steps = vim.tbl_map(argv, way.steps)
      way.one = way.one and vim.tbl_map(argv, way.one)
      way.output = way.output or 'compiler'
    end
  end
  local kind = vim.tbl_extend('force', { markers = { 'mark.txt' } }, ways)
  local config = {
    projects = { mine = kind },
    options = vim.tbl_extend('keep', options or {}, { ['run.allow'] = 1 }),
  }
  helper.write(M.base .. '/config.lua', 'return ' .. vim.inspect(config))
  return dir
end

---@param tool string
---@param args? table
---@param flags? string[]
function M.start(tool, args, flags)
  local argv = { helper.core, 'call', tool, '--root', M.base .. '/project' }
  vim.list_extend(argv, { '--config', M.base .. '/config.lua' })
  vim.list_extend(argv, flags or {})
  table.insert(argv, vim.json.encode(args or vim.empty_dict()))
  return vim.system(argv, { env = { XDG_STATE_HOME = M.base .. '/state' } })
end

function M.call(...)
  return fault.finish(M.start(...))
end

return M
