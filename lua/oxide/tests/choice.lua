-- Which tests are meant by where the cursor is: arguments of test_project.
local names = require('oxide.tests.names')

local M = {}

--- The buffer's file, as the project's runners name it.
---@return string? path
---@return string? why
local function file_here()
  local place, why = require('oxide.cursor').here()
  local root = require('oxide.process').root or vim.fn.getcwd()
  if not place then
    return nil, why
  elseif not vim.startswith(place.file_path, root .. '/') then
    return nil, ('%s is not in the project %s'):format(place.file_path, root)
  end
  return place.file_path:sub(#root + 2)
end

---@return table? args
---@return string? why   there are none
function M.nearest()
  local file, why = file_here()
  if not file then
    return nil, why
  end
  local test = names.nearest(0, file, vim.api.nvim_win_get_cursor(0)[1])
  if not test then
    return nil, 'no test is known at the cursor or above it'
  end
  return test.in_part and { test_name = test.name }
    or { test_names = { test.name }, test_file = file }
end

--- What holds the names of all of these: "a::tests::", or nothing.
---@param tests oxide.NamedTest[]
---@return string
local function common(tests)
  local module = tests[1].name:match('^(.*::)') or ''
  for _, test in ipairs(tests) do
    while not vim.startswith(test.name, module) do
      module = module:match('^(.*::)[^:]+::$') or ''
    end
  end
  return module
end

---@param test oxide.NamedTest
---@return boolean?
local function in_part(test)
  return test.in_part
end

---@return table? args
---@return string? why   there are none
function M.file()
  local file, why = file_here()
  if not file then
    return nil, why
  elseif names.by_file(vim.bo.filetype) then
    return { test_file = file }
  end
  local tests = names.of(0, file)
  if #tests == 0 then
    return nil, 'no test is known in this file'
  elseif #vim.tbl_filter(in_part, tests) > 0 then
    local module = common(tests)
    return { test_name = module ~= '' and module or nil }
  end
  return {
    test_file = file,
    test_names = vim.tbl_map(function(test)
      return test.name
    end, tests),
  }
end

return M
