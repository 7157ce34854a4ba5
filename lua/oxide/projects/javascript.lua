---@type oxide.Project
return {
  markers = { 'package.json' },
  check = {
    {
      markers = { 'eslint.config.js', 'eslint.config.mjs', 'eslint.config.cjs', 'eslint.config.ts' },
      steps = { { 'npx', '--no-install', 'eslint', '--format', 'json', '.' } },
      output = 'eslint',
    },
  },
  test = {
    {
      markers = {
        'vitest.config.ts',
        'vitest.config.mts',
        'vitest.config.js',
        'vitest.config.mjs',
        'package.json: "vitest"',
        'package.json: "vitest ',
      },
      steps = { { 'npx', '--no-install', 'vitest', 'run', '--reporter=json' } },
      one = { { 'npx', '--no-install', 'vitest', 'run', '--reporter=json', '-t', '{test}' } },
      exact = { { 'npx', '--no-install', 'vitest', 'run', '--reporter=json', '-t', '^{spaced}$' } },
      within = {
        { 'npx', '--no-install', 'vitest', 'run', '--reporter=json', '{file}', '-t', '^{spaced}$' },
      },
      file = { { 'npx', '--no-install', 'vitest', 'run', '--reporter=json', '{file}' } },
      between = '|',
      quote = '\\',
      output = 'jest',
    },
    {
      markers = {
        'jest.config.js',
        'jest.config.ts',
        'jest.config.mjs',
        'jest.config.cjs',
        'jest.config.json',
        'package.json: "jest"',
        'package.json: "jest ',
      },
      steps = { { 'npx', '--no-install', 'jest', '--json' } },
      one = { { 'npx', '--no-install', 'jest', '--json', '-t', '{test}' } },
      exact = { { 'npx', '--no-install', 'jest', '--json', '-t', '^{spaced}$' } },
      within = {
        {
          'npx',
          '--no-install',
          'jest',
          '--json',
          '--runTestsByPath',
          '{file}',
          '-t',
          '^{spaced}$',
        },
      },
      file = { { 'npx', '--no-install', 'jest', '--json', '--runTestsByPath', '{file}' } },
      between = '|',
      quote = '\\',
      output = 'jest',
    },
    {
      steps = { { 'node', '--test', '--test-reporter=tap' } },
      one = { { 'node', '--test', '--test-reporter=tap', '--test-name-pattern', '{test}' } },
      exact = { { 'node', '--test', '--test-reporter=tap', '--test-name-pattern', '^{title}$' } },
      within = {
        { 'node', '--test', '--test-reporter=tap', '--test-name-pattern', '^{title}$', '{file}' },
      },
      file = { { 'node', '--test', '--test-reporter=tap', '{file}' } },
      between = '|',
      quote = '\\',
      output = 'tap',
    },
  },
}
