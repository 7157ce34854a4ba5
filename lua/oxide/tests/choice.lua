-- Which tests are meant by where the cursor is: arguments of test_project. `done` may be called at once.
local check = require('oxide.check')
local names = require('oxide.tests.names')

local M = {}

--- The buffer's file, as the project's runners name it.
---@return string? path
---@return string root   or why there is no path
local function file_here()
  local place, why = require('oxide.cursor').here()
  local root = require('oxide.process').root or vim.fn.getcwd()
  if not place then
    return nil, assert(why)
  elseif not vim.startswith(place.file_path, root .. '/') then
    return nil, ('%s is not in the project %s'):format(place.file_path, root)
  end
  return place.file_path:sub(#root + 2), root
end

---@alias oxide.Chosen fun(args?: table, why?: string)   why there are none, or are others

--- Whether the buffer is a source of a project whose tests ctest runs.
---@param root string
---@return boolean
local function is_of_ctest(root)
  return names.KINDS[vim.bo.filetype] == 'cmake'
    and vim.uv.fs_stat(root .. '/CMakeLists.txt') ~= nil
end

--- Builds the project, which ctest knows its tests after. What is wrong with it is listed.
---@param opts oxide.TestOpts
---@param built fun()
local function build(opts, built)
  check.call('check_project', { kind = 'cmake' }, 'building the tests', {
    project = opts.project,
    on_done = function(err, result)
      if result and result.success then
        return built()
      elseif result then
        check.report('test', result, opts)
      end
      if opts.on_done then
        opts.on_done(err, result)
      end
    end,
  }, function() end)
end

---@param wanted oxide.CTestWanted
---@param opts oxide.TestOpts
---@param done oxide.Chosen
local function by_ctest(wanted, opts, done)
  require('oxide.tests.ctest').choose(wanted, function(built)
    build(opts, built)
  end, function(chosen, why)
    done(chosen and { test_names = chosen }, why)
  end)
end

---@param opts oxide.TestOpts
---@param done oxide.Chosen
function M.nearest(opts, done)
  local file, root = file_here()
  if not file then
    return done(nil, root)
  end
  local test = names.nearest(0, file, vim.api.nvim_win_get_cursor(0)[1])
  if is_of_ctest(root) and (test or #names.of(0, file) == 0) then
    by_ctest({ root = root, file = file, tests = { test }, nearest = true }, opts, done)
  elseif not test then
    done(nil, 'no test is known at the cursor or above it')
  elseif test.in_part then
    done { test_name = test.name }
  else
    done { test_names = { test.name }, test_file = file }
  end
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

--- Those that a runner is to be given by their names, since it takes no file.
---@param file string
---@return table? args
---@return string? why   there are none
local function all_of(file)
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

---@param opts oxide.TestOpts
---@param done oxide.Chosen
function M.file(opts, done)
  local file, root = file_here()
  if not file then
    done(nil, root)
  elseif is_of_ctest(root) then
    by_ctest({ root = root, file = file, tests = names.of(0, file) }, opts, done)
  elseif names.by_file(vim.bo.filetype) then
    done { test_file = file }
  else
    done(all_of(file))
  end
end

return M
