---@type oxide.Project
return {
  markers = { 'Cargo.toml' },
  check = {
    {
      steps = { { 'cargo', 'check', '--workspace', '--all-targets', '--message-format=json' } },
      output = 'cargo',
    },
  },
  test = {
    {
      steps = { { 'cargo', 'test', '--workspace', '--no-fail-fast' } },
      one = { { 'cargo', 'test', '--workspace', '--no-fail-fast', '--', '{test}' } },
      exact = { { 'cargo', 'test', '--workspace', '--no-fail-fast', '--', '{test}', '--exact' } },
      backtrace = { RUST_BACKTRACE = '1' },
      output = 'cargo_test',
    },
  },
}
