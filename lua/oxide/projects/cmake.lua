local configure = { 'cmake', '-S', '.', '-B', 'build' }
local build = { 'cmake', '--build', 'build' }
local test = { 'ctest', '--test-dir', 'build', '--output-on-failure' }
local one = { 'ctest', '--test-dir', 'build', '--output-on-failure', '-R', '^{test}$' }

---@type oxide.Project
return {
  markers = { 'CMakeLists.txt' },
  instead_of = { 'make' },
  check = { { steps = { configure, build }, errors = 'cmake', output = 'cmake' } },
  test = {
    {
      steps = { configure, build, test },
      one = { configure, build, one },
      errors = 'cmake',
      output = 'ctest',
    },
  },
}
