---@type oxide.Project
return {
  markers = {
    'pyproject.toml',
    'setup.py',
    'setup.cfg',
    'requirements.txt',
    'pytest.ini',
    'tox.ini',
  },
  check = {
    { steps = { { 'pyright', '--outputjson' } }, output = 'pyright' },
    { steps = { { 'mypy', '--show-column-numbers', '--no-pretty', '.' } }, output = 'compiler' },
    { steps = { { 'ruff', 'check', '--output-format=json' } }, output = 'ruff' },
  },
  test = {
    {
      steps = { { 'pytest', '-q', '-rA', '--tb=short' } },
      one = { { 'pytest', '-q', '-rA', '--tb=short', '-k', '{test}' } },
      output = 'pytest',
    },
    {
      steps = { { 'python3', '-m', 'unittest', '-v' } },
      one = { { 'python3', '-m', 'unittest', '-v', '-k', '{test}' } },
      output = 'unittest',
    },
  },
}
