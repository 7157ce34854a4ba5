-- test_project from the command line, with programs that are shell scripts: what they print, and how
-- they end.
local checks = require('checks')
local helper = require('helper')

local base
local call, project, start = checks.call, checks.project, checks.start

before_each(function()
  checks.begin()
  base = checks.base
end)

after_each(checks.finish)

describe('test_project', function()
  local function tests(script, options)
    return project({
      test = {
        {
          steps = { script },
          one = { script },
          output = 'tap',
          backtrace = { TRACE = 'full', HOME = '/nowhere' },
        },
      },
    }, options)
  end

  it('counts, and tells of each failure where it was and what it printed', function()
    tests([[
      echo 1..3; echo ok 1 - fine; echo not ok 2 - broken; echo '# a.c:7: it broke'; echo 'ok 3 - x # SKIP no'
      exit 1
    ]])
    local r = call('test_project').result
    assert.same({ false, 1, 1, 1, '1 passed, 1 failed, 1 ignored' }, {
      r.success,
      r.passed,
      r.failed,
      r.ignored,
      r.summary,
    })
    assert.same({
      {
        name = 'broken',
        file = 'a.c',
        line = 7,
        message = 'a.c:7: it broke',
        output = 'a.c:7: it broke',
      },
    }, r.failures)
    assert.matches('^1..3\nok 1 %- fine\n', r.output)
  end)

  it('does not tell of a kind that cannot run one test, where another has', function()
    local dir = tests('[ "$1" = none ] || echo ok 1')
    helper.write(dir .. '/Makefile', 'test:\n\tfalse\n')
    local r = call('test_project', { test_name = 'x' }).result
    assert.same({ true, 1 }, { r.success, r.passed })
    assert.is_nil(r.warnings)
    r = call('test_project', { test_name = 'none' }).result
    assert.same({ 'no command is known to run one test of a make project' }, r.warnings)
  end)

  it('is of one kind alone, if the project is of it', function()
    local dir = tests('echo ok 1; echo ok 2')
    helper.write(dir .. '/Makefile', 'test:\n\t@echo ok 1\n')
    for kind, passed in vim.spairs { make = 1, rust = 3 } do
      assert.equal(passed, call('test_project', { kind = kind }).result.passed)
    end
  end)

  it('is a success when all pass, and when there are none', function()
    tests('echo ok 1')
    assert.same(
      { true, 1 },
      { call('test_project').result.success, call('test_project').result.passed }
    )
    tests('exit 0')
    local r = call('test_project').result
    assert.same({ true, 'there are no tests' }, { r.success, r.summary })
  end)

  it('is none when the runner fails after all passed, or before any ran', function()
    tests('echo ok 1; echo leaked; exit 1')
    local r = call('test_project').result
    assert.same({ false, 1 }, { r.success, r.passed })
    assert.matches('the run failed: see `output`', r.summary)
    assert.matches('leaked', r.output)
    tests('exit 1')
    assert.matches('^no test was run', call('test_project').result.summary)
  end)

  it('gives the name of a test to the program as it is, and to no shell', function()
    tests('echo "ok 1 - $# <$1>"; echo "not ok 2 - <$1>"; exit 1')
    local name = '$(touch pwned); a b \'"*'
    local r = call('test_project', { test_name = name }).result
    assert.equal('<' .. name .. '>', r.failures[1].name)
    assert.matches('ok 1 %- 1 <', r.output)
    assert.is_nil(vim.uv.fs_stat(base .. '/project/pwned'))
  end)

  it('refuses a name that would be an option, or is none', function()
    tests('touch ' .. base .. '/ran')
    for _, name in ipairs { '-x', '--exec=rm', '', 'a\nb' } do
      assert.equal('invalid', call('test_project', { test_name = name }).result.error.code)
    end
    assert.is_nil(vim.uv.fs_stat(base .. '/ran'))
  end)

  it('says so when no test has that name', function()
    tests('exit 0')
    local out = call('test_project', { test_name = 'nonesuch' })
    assert.same({ 1, 'not_found' }, { out.code, out.result.error.code })
    assert.matches('project has no test that matches nonesuch', out.result.error.message)
  end)

  it('says so when one test cannot be run alone', function()
    project { test = { { steps = { 'echo ok 1' }, output = 'tap' } } }
    assert.equal('unsupported', call('test_project', { test_name = 'x' }).result.error.code)
    assert.equal(1, call('test_project').result.passed)
  end)

  it('sets the environment for a backtrace, beside its own', function()
    tests('echo "not ok 1 - $TRACE $HOME ${PATH:+path}"')
    assert.equal(
      'full /nowhere path',
      call('test_project', { backtrace = true }).result.failures[1].name
    )
    assert.matches('^%s*/.* path$', call('test_project').result.failures[1].name)
  end)

  it('tells what does not compile', function()
    project {
      test = {
        {
          steps = { 'echo a.c:1:1: error: no; exit 1', 'echo ok' },
          errors = 'compiler',
          output = 'tap',
        },
      },
    }
    local r = call('test_project').result
    assert.equal('not all of it compiles: 1 error; no test was run', r.summary)
    assert.equal('no', r.diagnostics[1].message)
  end)

  it('shows it all to a person', function()
    tests('echo not ok 1 - broken; echo "# a.c:7: it broke"; exit 1')
    local done = start('test_project', nil, { '--text' }):wait()
    assert.equal(
      'failed broken a.c:7: a.c:7: it broke\n    a.c:7: it broke\n0 passed, 1 failed, 0 ignored\n',
      done.stdout
    )
  end)
end)
