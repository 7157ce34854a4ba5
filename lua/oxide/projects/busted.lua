---@type oxide.Project
return {
  markers = { '.busted' },
  test = {
    {
      steps = { { 'busted', '--output=TAP' } },
      one = { { 'busted', '--output=TAP', '--filter={test}' } },
      exact = { { 'busted', '--output=TAP', '--filter=^{test}$' } },
      within = { { 'busted', '--output=TAP', '--filter=^{test}$', '{file}' } },
      file = { { 'busted', '--output=TAP', '{file}' } },
      quote = '%',
      output = 'tap',
    },
  },
}
