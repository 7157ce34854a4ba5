-- in a directory that is set up already, setup says so and succeeds
local setup = { 'meson', 'setup', 'build' }
local test = { 'meson', 'test', '-C', 'build', '--print-errorlogs' }
local one = { 'meson', 'test', '-C', 'build', '--print-errorlogs', '{test}' }

---@type oxide.Project
return {
  markers = { 'meson.build' },
  instead_of = { 'make' },
  check = {
    {
      steps = { setup, { 'meson', 'compile', '-C', 'build', '--verbose' } },
      errors = 'compiler',
      output = 'compiler',
    },
  },
  test = {
    {
      steps = { setup, test },
      one = { setup, one },
      errors = 'compiler',
      output = 'meson_test',
    },
  },
}
