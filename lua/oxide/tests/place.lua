-- Where a test is whose failure says no place: one of Rust that returned an error, one that took too
-- long. It is that of the test itself, as the text of its file tells, and none where two may be it.
local names = require('oxide.tests.names')

local M = {}

--- Directories without sources of the project.
local PASSED = { target = true, node_modules = true }

--- The files that may have a test of Rust of this name, by the modules that they are.
---@param root string
---@param name string
---@return string[]
local function rust_files(root, name)
  local found = {}
  local options = {
    depth = math.huge,
    skip = function(dir)
      return not PASSED[vim.fs.basename(dir)] and not vim.startswith(vim.fs.basename(dir), '.')
    end,
  }
  for path, kind in vim.fs.dir(root, options) do
    local module = kind == 'file' and path:match('%.rs$') and names.rust_module(path)
    if module and (#module == 0 or vim.startswith(name, table.concat(module, '::') .. '::')) then
      table.insert(found, root .. '/' .. path)
    end
  end
  return found
end

---@param test oxide.NamedTest
---@param name string   as the runner has it
---@return boolean
local function is_named(test, name)
  if test.in_part then
    return name == test.name or vim.startswith(name, test.name .. '::')
  end
  local pattern = vim.pesc((test.name:gsub(' › ', ' '))):gsub('…', '.*')
  return test.name == name or name:match('^' .. pattern .. '$') ~= nil
end

---@param file string
---@param root string
---@param name string
---@return integer[]   lines
local function lines_of(file, root, name)
  local ok, text = pcall(vim.fn.readfile, file)
  local filetype = vim.filetype.match { filename = file } or ''
  local tests = names.in_lines(ok and text or {}, filetype, file:sub(#root + 2))
  local named = vim.tbl_filter(function(test)
    return not test.group and is_named(test, name)
  end, tests)
  return vim.tbl_map(function(test)
    return test.line
  end, named)
end

--- Gives a failure its place, if it has none and one is found.
---@param failure oxide.TestFailure
---@param root string
function M.find(failure, root)
  local name = failure.id or failure.name
  if failure.line then
    return
  end
  local is_rust = name:match('^[%w_:]+$') and vim.uv.fs_stat(root .. '/Cargo.toml')
  local files = failure.file and { failure.file } or is_rust and rust_files(root, name) or {}
  local place ---@type { file: string, line: integer }?
  for _, file in ipairs(files) do
    for _, line in ipairs(lines_of(file, root, name)) do
      if place then
        return
      end
      place = { file = file, line = line }
    end
  end
  if place then
    failure.file, failure.line = place.file, place.line
  end
end

return M
