---@type oxide.Project
return {
  markers = { '.busted' },
  test = {
    {
      steps = { { 'busted', '--output=TAP' } },
      one = { { 'busted', '--output=TAP', '--filter={test}' } },
      exact = { { 'busted', '--output=TAP', '--filter=^{test}$' } },
      file = { { 'busted', '--output=TAP', '{file}' } },
      quote = '%',
      output = 'tap',
    },
  },
}
