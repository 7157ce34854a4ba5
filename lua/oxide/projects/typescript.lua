local own = { 'npx', '--no-install', 'tsc', '--noEmit', '--pretty', 'false' }

-- What is not about types (eslint, the tests) is as in any project of JavaScript, see there.
---@type oxide.Project
return {
  markers = { 'tsconfig.json' },
  check = {
    { markers = { 'node_modules/.bin/tsc' }, steps = { own }, output = 'tsc' },
    { steps = { { 'tsc', '--noEmit', '--pretty', 'false' } }, output = 'tsc' },
  },
}
