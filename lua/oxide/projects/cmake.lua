local configure = { 'cmake', '-S', '.', '-B', 'build' }
local build = { 'cmake', '--build', 'build' }
local test = { 'ctest', '--test-dir', 'build', '--output-on-failure' }
local one = { 'ctest', '--test-dir', 'build', '--output-on-failure', '-R', '^{test}$' }

-- Shows silent commands too: they tell which files are compiled again.
local env = { VERBOSE = '1' }

---@type oxide.Project
return {
  markers = { 'CMakeLists.txt' },
  instead_of = { 'make' },
  check = { { steps = { configure, build }, errors = 'cmake', output = 'cmake', env = env } },
  test = {
    {
      steps = { configure, build, test },
      one = { configure, build, one },
      between = '|',
      quote = '\\',
      errors = 'cmake',
      output = 'ctest',
      env = env,
    },
  },
}
