---@type oxide.Project
return {
  markers = { 'go.mod', 'go.work' },
  check = { { steps = { { 'go', 'vet', './...' } }, output = 'compiler' } },
  test = {
    {
      steps = { { 'go', 'test', '-json', './...' } },
      one = { { 'go', 'test', '-json', '-run', '^{test}$', './...' } },
      between = '|',
      quote = '\\',
      backtrace = { GOTRACEBACK = 'all' },
      output = 'go_test',
    },
  },
}
