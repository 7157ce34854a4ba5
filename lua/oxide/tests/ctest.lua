-- Which of ctest's tests are those of a source: CMake's file API tells which programs are built of it, and
-- ctest which program each test runs, with which arguments. gtest_discover_tests() and its like give each
-- test of a program to ctest, with an argument that selects it; add_test() gives the program as a whole.
local M = {}

local API = '.cmake/api/v1'
local MOST = 3 -- programs that are named

---@class oxide.CTest
---@field name string
---@field command? string[]   none: what it runs is not built

---@param text string
---@return any   nil where it is no JSON
local function decode(text)
  local ok, value = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
  return ok and value or nil
end

--- Where it was built, the one that is taken first: as the core decides by lua/oxide/projects/cmake.lua.
---@param root string
---@return string[] directories   from the root
local function builds_of(root)
  local found = {} ---@type string[]
  for _, way in ipairs(require('oxide.projects.cmake').test) do
    local cache = way.markers and way.markers[1]
    if cache and vim.uv.fs_stat(vim.fs.joinpath(root, cache)) then
      table.insert(found, vim.fs.dirname(cache))
    end
  end
  return found
end

---@param root string
---@return string directory   from the root
local function build_of(root)
  return builds_of(root)[1] or 'build'
end

--- Where others could have been meant: which was taken.
---@param root string
---@return string?
local function choice_of(root)
  local builds = builds_of(root)
  local taken = table.remove(builds, 1)
  return #builds > 0 and ('built in %s, not in %s'):format(taken, table.concat(builds, ', ')) or nil
end

--- Makes CMake tell what it builds, the next time that it runs.
---@param root string
local function ask_cmake(root)
  local query = vim.fs.joinpath(root, build_of(root), API, 'query')
  pcall(vim.fn.mkdir, query, 'p')
  pcall(vim.fn.writefile, {}, query .. '/codemodel-v2')
end

---@class oxide.CMakeTarget   as the file API has it
---@field id string
---@field type string
---@field sources? { path: string }[]
---@field dependencies? { id: string }[]
---@field artifacts? { path: string }[]

---@param root string
---@return table<string, oxide.CMakeTarget>   by id
local function targets_of(root)
  local targets, reply = {}, vim.fs.joinpath(root, build_of(root), API, 'reply')
  for name in vim.fs.dir(reply) do
    local target = name:match('^target%-.*%.json$')
      and decode(table.concat(vim.fn.readfile(reply .. '/' .. name)))
    if target and target.id then
      targets[target.id] = target
    end
  end
  return targets
end

---@param target oxide.CMakeTarget
---@param file string   from the root
---@return boolean
local function is_built_of(target, file)
  for _, source in ipairs(target.sources or {}) do
    if source.path == file then
      return true
    end
  end
  return false
end

--- Whether a library that a program has, or one of that one's own, is built of the file.
---@param targets table<string, oxide.CMakeTarget>
---@param program oxide.CMakeTarget
---@param file string
---@return boolean
local function has_in_library(targets, program, file)
  local seen, todo = {}, vim.deepcopy(program.dependencies or {})
  while #todo > 0 do
    local id = table.remove(todo).id
    local target = not seen[id] and targets[id]
    seen[id] = true
    if target and vim.endswith(target.type, '_LIBRARY') then
      if is_built_of(target, file) then
        return true
      end
      vim.list_extend(todo, target.dependencies or {})
    end
  end
  return false
end

---@class oxide.CTestPrograms
---@field paths table<string, true>
---@field by_library boolean   they have the file in a library: not all their tests are of it

--- The programs that are built of the file, or else those that have it in a library.
---@param root string
---@param file string   from the root
---@return oxide.CTestPrograms
local function programs_of(root, file)
  local targets, build = targets_of(root), build_of(root)
  ---@param is_of fun(target: oxide.CMakeTarget): boolean
  ---@return table<string, true>
  local function programs(is_of)
    local found = {} ---@type table<string, true>
    for _, target in pairs(targets) do
      if target.type == 'EXECUTABLE' and target.artifacts and is_of(target) then
        local path = target.artifacts[1].path
        path = vim.startswith(path, '/') and path or vim.fs.joinpath(root, build, path)
        found[vim.uv.fs_realpath(path) or path] = true
      end
    end
    return found
  end
  local own = programs(function(target)
    return is_built_of(target, file)
  end)
  if next(own) then
    return { paths = own, by_library = false }
  end
  local users = programs(function(target)
    return has_in_library(targets, target, file)
  end)
  return { paths = users, by_library = next(users) ~= nil }
end

--- All tests, as far as they are known before a build; none where nothing was built.
---@param root string
---@param done fun(tests: oxide.CTest[])
local function list(root, done)
  local argv = { 'ctest', '--test-dir', build_of(root), '--show-only=json-v1' }
  local ok = pcall(vim.system, argv, { cwd = root, text = true }, function(run)
    vim.schedule(function()
      local answer = decode(run.stdout or '')
      done(answer and answer.tests or {})
    end)
  end)
  if not ok then
    done {} -- ctest is not there, which the run will say
  end
end

---@param root string
---@param file string
---@param done fun(own: oxide.CTest[], programs: string[], by_library: boolean)   the tests of the programs
---  that have the file, and these
local function look(root, file, done)
  list(root, function(tests)
    local programs = programs_of(root, file)
    local own = vim.tbl_filter(function(test)
      local program = test.command and test.command[1]
      return program ~= nil and programs.paths[vim.uv.fs_realpath(program) or program] ~= nil
    end, tests)
    local names = vim.tbl_map(vim.fs.basename, vim.tbl_keys(programs.paths))
    table.sort(names)
    done(own, names, programs.by_library)
  end)
end

--- "Few/Sum.adds/0" and "Sum/0.adds" are of "Sum.adds", as GoogleTest names those with parameters.
---@param filter string
---@param name string
---@return boolean
local function is_filtered(filter, name)
  local suite, test = filter:match('^(.-)%.([^/]*)')
  local own_suite, own_test = name:match('^(.-)%.(.*)$')
  return own_test ~= nil
    and test == own_test
    and ('/' .. suite .. '/'):find('/' .. own_suite .. '/', 1, true) ~= nil
end

--- Whether it is that test and no other: by its name or by the argument that selects it, in which Catch2
--- and doctest have a backslash before some signs.
---@param known oxide.CTest
---@param test oxide.NamedTest
---@return boolean
local function is_test(known, test)
  local arg = known.command and known.command[2] or ''
  local filter = arg:match('^%-%-gtest_filter=([^:*?-]*)$')
  local title = vim.trim(((arg:match('^%-%-test%-case=(.*)$') or arg):gsub('\\(.)', '%1')))
  return known.name == test.name
    or title == test.name
    or filter ~= nil and is_filtered(filter, test.name)
    or test.in_part == true and vim.startswith(title, test.name .. ' - ')
end

---@class oxide.CTestWanted
---@field root string
---@field file string              from the root
---@field tests oxide.NamedTest[]  in it, as far as its text tells; none: all that its programs have
---@field nearest? boolean         one is meant, also where the text does not tell which

---@param known oxide.CTest[]
---@param wanted oxide.CTestWanted
---@return oxide.CTest[]   that are wanted by their names
local function named(known, wanted)
  return vim.tbl_filter(function(one)
    return vim.iter(wanted.tests):any(function(test)
      return is_test(one, test)
    end)
  end, known)
end

--- What is run where the tests of the file's programs are `own`.
---@param wanted oxide.CTestWanted
---@param own oxide.CTest[]
---@param programs string[]
---@param by_library boolean
---@return oxide.CTest[]? tests
---@return string? why   there are none, or they are more than what was asked for
local function decide(wanted, own, programs, by_library)
  local file, test, found = wanted.file, wanted.tests[1], named(own, wanted)
  if #programs == 0 then
    return nil, ('CMake builds no program of %s: its tests are not known'):format(file)
  elseif #own == 0 then
    local program = table.concat(programs, ', ')
    return nil, ('ctest has no test that runs %s, which is built of %s'):format(program, file)
  elseif #found > 0 then
    return found
  elseif by_library and (not test or #own > 1) then
    local some = table.concat(programs, ', ', 1, math.min(#programs, MOST))
      .. (#programs > MOST and ', ...' or '')
    return nil,
      ('%s is in a library of %s: none of their tests is known to be its own'):format(file, some)
  elseif not wanted.nearest then
    return own
  elseif not test then
    return own, ('no test is known at the cursor: what ctest has of %s was run'):format(file)
  elseif #own == 1 then
    return own, ('ctest has %s as a part of %s, which was run'):format(test.name, own[1].name)
  end
  return nil, ('none of the %d tests that ctest has of %s is %s'):format(#own, file, test.name)
end

--- The names of the tests. What was added since the last build is known after `build` alone.
---@param wanted oxide.CTestWanted
---@param build fun(built: fun())
---@param done fun(names?: string[], why?: string)
function M.choose(wanted, build, done)
  local function tell(tests, why)
    done(tests and vim.tbl_map(function(known)
      return known.name
    end, tests), why or tests and choice_of(wanted.root))
  end
  ask_cmake(wanted.root)
  look(wanted.root, wanted.file, function(own)
    local found = named(own, wanted)
    if wanted.nearest and #found == 1 and not wanted.tests[1].in_part then
      return tell(found)
    end
    build(function()
      look(wanted.root, wanted.file, function(...)
        tell(decide(wanted, ...))
      end)
    end)
  end)
end

return M
