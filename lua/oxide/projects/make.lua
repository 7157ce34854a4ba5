-- Shows silent commands too: they tell which files are compiled again.
local env = { GNUMAKEFLAGS = '--trace' }

---@type oxide.Project
return {
  markers = { 'Makefile', 'makefile', 'GNUmakefile' },
  check = { { steps = { { 'make', '--keep-going' } }, output = 'compiler', env = env } },
  -- which tests there are, and how one is run, is each Makefile's own affair
  test = { { steps = { { 'make', 'test' } }, output = 'make_test', env = env } },
}
