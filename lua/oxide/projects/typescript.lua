-- What is not about types (eslint, the tests) is as in any project of JavaScript, see there.
---@type oxide.Project
return {
  markers = { 'tsconfig.json' },
  check = {
    {
      steps = { { 'npx', '--no-install', 'tsc', '--noEmit', '--pretty', 'false' } },
      output = 'tsc',
    },
  },
}
