---@type oxide.Project
return {
  markers = { 'go.mod', 'go.work' },
  check = { { steps = { { 'go', 'vet', './...' } }, output = 'compiler' } },
  test = {
    {
      steps = { { 'go', 'test', '-json', './...' } },
      one = { { 'go', 'test', '-json', '-run', '^{test}$', './...' } },
      within = { { 'go', 'test', '-json', '-run', '^{test}$', './{dir}' } },
      between = '|',
      quote = '\\',
      backtrace = { GOTRACEBACK = 'all' },
      output = 'go_test',
    },
  },
}
