-- What :Oxide test makes of the nearest test for the runners of others: with which arguments each is
-- called. Programs of their names print them, and run nothing.
local helper = require('helper')

local FAKE = '#!/bin/sh\nprintf "%%s\\n" "%s" "$@" >>"%s/.ran"\n'

local JS = {
  ['t/a.test.js'] = "describe('a+', () => {\n  it('b', () => {});\n  it.each([1])('c %s', () => {});\n});\n",
}
local GO =
  { ['go.mod'] = 'module m\n', ['p/a_test.go'] = 'package p\nfunc TestOne(t *testing.T) {}\n' }

---@param files table<string, string>
---@return test.Child
local function start(files)
  local child = helper.start(files, {
    config = ("{ core = { path = %q, options = { ['run.allow'] = 1 } } }"):format(helper.core),
    env = { PATH = helper.tempdir() .. ':' .. vim.env.PATH },
  })
  local bin = vim.split(child:lua('return vim.env.PATH'), ':')[1]
  for _, name in ipairs { 'npx', 'node', 'go', 'cargo', 'busted' } do
    helper.write(bin .. '/' .. name, FAKE:format(name, child.dir))
    assert(vim.uv.fs_chmod(bin .. '/' .. name, 493))
  end
  return child
end

--- Runs the test that is nearest to this line.
---@param child test.Child
---@param file string
---@param line integer
---@param want string   the arguments, each in a line
local function runs(child, file, line, want)
  child:cmd(('edit +%d %s'):format(line, file))
  child:lua('vim.fn.delete(".ran"); _G.messages = {}')
  child:cmd('Oxide test nearest')
  child:message('test')
  assert.equal(want:gsub(' | ', '\n'), vim.trim(child:file('.ran')))
end

describe('the nearest test, and nothing else, is run by', function()
  after_each(helper.cleanup)

  for runner, case in
    vim.spairs {
      jest = {
        '{ "devDependencies": { "jest": "^30" } }',
        'npx | --no-install | jest | --json | --runTestsByPath | t/a.test.js | -t | ',
        '^a\\+ .*$',
        '^a\\+ b$',
        '^a\\+ c .*$',
      },
      vitest = {
        '{ "devDependencies": { "vitest": "^5" } }',
        'npx | --no-install | vitest | run | --reporter=json | t/a.test.js | -t | ',
        '^a\\+ .*$',
        '^a\\+ b$',
        '^a\\+ c .*$',
      },
      mocha = {
        '{ "devDependencies": { "mocha": "^11" } }',
        'npx | --no-install | mocha | --reporter | json | --grep | ',
        '^a\\+ .*$ | t/a.test.js',
        '^a\\+ b$ | t/a.test.js',
        '^a\\+ c .*$ | t/a.test.js',
      },
      node = {
        '{}',
        'node | --test | --test-reporter=tap | --test-name-pattern | ',
        '^a\\+$ | t/a.test.js',
        '^b$ | t/a.test.js',
        '^c .*$ | t/a.test.js',
      },
    }
  do
    it(runner, function()
      local child = start(vim.tbl_extend('force', { ['package.json'] = case[1] }, JS))
      for line = 1, 3 do
        runs(child, 't/a.test.js', line, case[2] .. case[line + 2])
      end
    end)
  end

  it('go', function()
    runs(start(GO), 'p/a_test.go', 2, 'go | test | -json | -run | ^TestOne$ | ./p')
  end)

  it('cargo', function()
    local child = start {
      ['Cargo.toml'] = '',
      ['src/a.rs'] = '#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {}\n}\n',
    }
    local want = 'cargo | test | --workspace | --no-fail-fast | -- | a::tests::b | --exact'
    runs(child, 'src/a.rs', 4, want)
  end)

  it('the runner of its own kind, in a project of several', function()
    local child = start {
      ['Cargo.toml'] = '',
      ['package.json'] = '{}',
      ['src/a.rs'] = '#[test]\nfn b() {}\n',
      ['c.test.js'] = "test('d', () => {});\n",
    }
    local cargo = 'cargo | test | --workspace | --no-fail-fast | -- | a::b | --exact'
    runs(child, 'src/a.rs', 2, cargo)
    local node = 'node | --test | --test-reporter=tap | --test-name-pattern | ^d$ | c.test.js'
    runs(child, 'c.test.js', 1, node)
  end)

  it('busted', function()
    local child = start {
      ['.busted'] = '',
      ['spec/a_spec.lua'] = "describe('a', function()\n  it('b (c)', function() end)\nend)\n",
    }
    local want = 'busted | --output=TAP | --filter=^a b %(c%)$ | spec/a_spec.lua'
    runs(child, 'spec/a_spec.lua', 2, want)
    runs(child, 'spec/a_spec.lua', 1, 'busted | --output=TAP | --filter=^a .*$ | spec/a_spec.lua')
  end)
end)
