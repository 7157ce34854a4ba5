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
      exact = { { 'pytest', '-q', '-rA', '--tb=short', '{test}' } },
      file = { { 'pytest', '-q', '-rA', '--tb=short', '{file}' } },
      output = 'pytest',
    },
    {
      steps = { { 'python3', '-m', 'unittest', '-v' } },
      one = { { 'python3', '-m', 'unittest', '-v', '-k', '{test}' } },
      exact = { { 'python3', '-m', 'unittest', '-v', '-k', '{dotted}' } },
      file = { { 'python3', '-m', 'unittest', '-v', '{file}' } },
      output = 'unittest',
    },
  },
}
