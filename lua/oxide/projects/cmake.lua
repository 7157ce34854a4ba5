-- Where people build, the first that has been built in; else it is `build`. Of an IDE or a preset that
-- takes another one, the user's configuration tells.
local PLACES = {
  'build',
  'cmake-build-debug',
  'cmake-build-relwithdebinfo',
  'cmake-build-release',
  'build/debug',
  'build/Debug',
  'build/release',
  'build/Release',
  'build/default',
  'build/dev',
  'out/build/debug',
  'out/build/release',
  'out/build/default',
  'out/build',
  'out',
  'builddir',
  '_build',
}

-- Shows silent commands too: they tell which files are compiled again.
local env = { VERBOSE = '1' }

--- How it is checked and tested in a directory; `markers` nil: also where nothing is yet.
local function ways(dir, markers)
  local configure = { 'cmake', '-S', '.', '-B', dir }
  local build = { 'cmake', '--build', dir }
  local test = { 'ctest', '--test-dir', dir, '--output-on-failure' }
  local one = { 'ctest', '--test-dir', dir, '--output-on-failure', '-R', '^{test}$' }
  local check = {
    markers = markers,
    steps = { configure, build },
    errors = 'cmake',
    output = 'cmake',
    env = env,
  }
  local tests = {
    markers = markers,
    steps = { configure, build, test },
    one = { configure, build, one },
    between = '|',
    quote = '\\',
    errors = 'cmake',
    output = 'ctest',
    env = env,
  }
  return check, tests
end

local check, test = {}, {}
for i, dir in ipairs(PLACES) do
  check[i], test[i] = ways(dir, { dir .. '/CMakeCache.txt' })
end
check[#check + 1], test[#test + 1] = ways('build')

---@type oxide.Project
return {
  markers = { 'CMakeLists.txt' },
  instead_of = { 'make' },
  check = check,
  test = test,
}
