-- Shows the commands that are silent: what is compiled anew is known by them.
local env = { GNUMAKEFLAGS = '--trace' }

---@type oxide.Project
return {
  markers = { 'Makefile', 'makefile', 'GNUmakefile' },
  check = { { steps = { { 'make', '--keep-going' } }, output = 'compiler', env = env } },
  -- which tests there are, and how one is run, is each Makefile's own affair
  test = { { steps = { { 'make', 'test' } }, output = 'make_test', env = env } },
}
