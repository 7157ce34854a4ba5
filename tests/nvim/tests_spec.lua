-- Which tests :Oxide test runs, and what becomes of those that failed; with programs that are shell scripts.
local helper = require('helper')
local screen = require('screen')

--- A project whose runner prints its arguments, and then what `script` does.
---@param script string
---@param files? table<string, string>
---@param config? string
local function start(script, files, config)
  local way = ([[{
    steps = { { 'sh', 'run.sh', 'all' } },
    one = { { 'sh', 'run.sh', 'one', '{test}' } },
    exact = { { 'sh', 'run.sh', 'exact', '{test}' } },
    file = { { 'sh', 'run.sh', 'file', '{file}' } },
    output = 'tap',
  }]]):gsub('\n', ' ')
  files = vim.tbl_extend('force', {
    ['run.sh'] = 'echo "$@" > .ran\n' .. script,
    ['marker'] = '',
    ['a.c'] = 'int a;\nint b;\nint c;\n',
  }, files or {})
  local child = helper.start(files, {
    config = (
      "{ core = { path = %q, options = { ['run.allow'] = 1 } }, "
      .. "projects = { own = { markers = { 'marker' }, test = { %s } } }, %s }"
    ):format(helper.core, way, config or ''),
  })
  child:cmd('edit a.c')
  return child
end

local FAILS = [[
echo ok 1 - fine
echo not ok 2 - broken
echo '# a.c:2: it broke'
echo '#   left: 1'
echo '#  right: 2'
echo not ok 3 - silent
exit 1
]]

---@param child test.Child
---@param what string
---@param want string   the arguments
local function runs(child, what, want)
  child:lua('vim.fn.delete(".ran"); _G.messages = {}')
  child:cmd('Oxide test ' .. what)
  child:message('passed')
  assert.equal(want, vim.trim(child:file('.ran')))
end

describe(':Oxide test', function()
  after_each(helper.cleanup)

  it('runs again what failed, and what was run last', function()
    local child = start(FAILS)
    child:cmd('Oxide test failed')
    child:message('no test was run yet')
    child:lua('_G.messages = {}')
    child:cmd('Oxide test last')
    child:message('no test was run yet')
    runs(child, '', 'all')
    runs(child, 'last', 'all')
    runs(child, 'failed', 'exact broken silent')
    runs(child, 'last', 'exact broken silent')
    runs(child, 'some', 'one some')
    runs(child, 'last', 'one some')
  end)

  it('runs again what failed by the runner that has it, in a project of several kinds', function()
    local kind = "{ markers = { 'marker' }, test = { { output = 'tap', steps = { { 'sh', '%s.sh' } }, "
      .. "exact = { { 'sh', '%s.sh', '{test}' } } } } }"
    local child = helper.start({
      marker = '',
      ['a.sh'] = 'echo a "$@" >> .ran; echo ok 1 - fine',
      ['b.sh'] = 'echo b "$@" >> .ran; echo not ok 1 - broken; exit 1',
    }, {
      config = ("{ core = { path = %q, options = { ['run.allow'] = 1 } }, projects = { a = %s, b = %s } }"):format(
        helper.core,
        (kind:gsub('%%s', 'a')),
        (kind:gsub('%%s', 'b'))
      ),
    })
    child:cmd('Oxide test')
    child:message('1 passed, 1 failed')
    for _, which in ipairs { 'failed', 'last', 'broken' } do
      child:lua('_G.messages = {}')
      child:cmd('Oxide test ' .. which)
      child:message('0 passed, 1 failed')
    end
    assert.equal('a\nb\nb broken\nb broken\nb broken\n', child:file('.ran'))
  end)

  for does, says in
    vim.spairs {
      ['echo all is well'] = 'no test result that could be parsed: see the list',
      ['echo all is well; exit 1'] = 'and the run failed: see the list',
    }
  do
    it('lists what was printed where nothing is known of it: ' .. does, function()
      local child = start(does .. '\n')
      child:cmd('Oxide test')
      child:message(says)
      assert.equal('all is well', child:lua('return vim.fn.getqflist()[1].text'))
    end)
  end

  local PYTHON = table.concat({
    'class TestA:',
    '    def test_one(self):',
    '        pass',
    '    class TestB:',
    '        async def test_two(self): pass',
    '',
    '    def helper(self): pass',
    'def test_three():',
    '    pass',
    '',
  }, '\n')
  local SPEC = table.concat({
    "describe('a', function()",
    "  it('b', function()",
    '  end)',
    "  describe('c', function()",
    '    it("d \'e\'", function()',
    '    end)',
    '  end)',
    "  it('f', function()",
    '',
  }, '\n')
  local RUST =
    '#[test]\nfn one() {}\nfn two() {}\n#[tokio::test]\n#[ignore]\nasync fn three() {\n}\n'
  local MODULES = table.concat({
    'mod tests {',
    '    #[test]',
    '    fn one() {}',
    '    mod deep {',
    '        #[test]',
    '        fn two() {}',
    '    }',
    '}',
    '#[test]',
    'fn three() {}',
    '',
  }, '\n')
  local CASES = table.concat({
    'mod tests {',
    '    #[rstest]',
    '    #[case(1)]',
    '    fn one(#[case] n: u8) {}',
    '    #[test]',
    '    fn two() {}',
    '}',
    '',
  }, '\n')
  local TITLES = table.concat({
    "describe('a', () => {",
    "  it('b', () => {});",
    '  test.only(`c ${d} e`, () => {});',
    "  test.each([[1, 2], [3, 4]])('takes %i from %i', () => {});",
    '  it.each([',
    "    ['x', f('y')],",
    "  ])('is $f.g and so on', () => {});",
    '  it(',
    '    "isn\'t \\"short\\"",',
    '    () => {},',
    '  );',
    '});',
    "test('h' + i, () => {});",
    '',
  }, '\n')
  local GROUPS = table.concat({
    "describe('a', () => {",
    '  beforeEach(() => {});',
    "  context('b', () => {",
    "    it('c', () => {});",
    '  });',
    "  describe.each([1, 2])('of %i', () => {",
    "    it('d', () => {});",
    '  });',
    '});',
    'describe(Name, () => {',
    "  it('e', () => {});",
    '});',
    '',
  }, '\n')

  local MACROS = table.concat({
    'TEST(Sum, adds) {',
    '}',
    'TEST_F(Sum,',
    '       adds_more) {}',
    'TEST_CASE("it \\"adds\\"", "[sum]") {',
    '  SECTION("more") {}',
    '}',
    'TEST_CASE_METHOD(Fixture, "of a class") {}',
    'SCENARIO(',
    '    "a sum") {}',
    'TEST_CASE(name) {}',
    '',
  }, '\n')

  ---@type table<string, { [1]: string, [2]: table<integer, string> }>
  local NEAREST = {
    ['t/test_a.py'] = {
      PYTHON,
      {
        [2] = 't/test_a.py::TestA::test_one',
        [3] = 't/test_a.py::TestA::test_one',
        [5] = 't/test_a.py::TestA::TestB::test_two',
        [9] = 't/test_a.py::test_three',
      },
    },
    ['a_spec.lua'] = {
      SPEC,
      { [1] = 'a …', [3] = 'a b', [4] = 'a c …', [5] = "a c d 'e'", [8] = 'a f' },
    },
    ['b.test.ts'] = {
      GROUPS,
      {
        [1] = 'a › …',
        [2] = 'a › …',
        [3] = 'a › b › …',
        [4] = 'a › b › c',
        [6] = 'a › of … › …',
        [7] = 'a › of … › d',
        [10] = '… › …',
        [11] = '… › e',
      },
    },
    ['a.test.js'] = {
      TITLES,
      {
        [2] = 'a › b',
        [3] = 'a › c … e',
        [4] = 'a › takes … from …',
        [6] = 'a › is … and so on',
        [10] = 'a › isn\'t "short"',
        [13] = 'h…',
      },
    },
    ['a_test.go'] = {
      'package a\nfunc TestOne(t *testing.T) {\n}\nfunc other() {}\nfunc TestTwo(t *testing.T) {}\n',
      { [2] = 'TestOne', [4] = 'TestOne', [5] = 'TestTwo' },
    },
    ['a.cpp'] = {
      MACROS,
      {
        [2] = 'Sum.adds',
        [4] = 'Sum.adds_more',
        [6] = 'it "adds"',
        [8] = 'of a class',
        [11] = 'Scenario: a sum',
      },
    },
    ['a.rs'] = { RUST, { [1] = 'one', [2] = 'one', [7] = 'three' } },
    ['b/src/c/d.rs'] = {
      MODULES,
      { [3] = 'c::d::tests::one', [6] = 'c::d::tests::deep::two', [9] = 'c::d::three' },
    },
    ['src/lib.rs'] = { MODULES, { [3] = 'tests::one', [10] = 'three' } },
    ['src/c/mod.rs'] = { MODULES, { [10] = 'c::three' } },
    ['src/bin/x.rs'] = { MODULES, { [10] = 'three' } },
    ['tests/it.rs'] = { MODULES, { [10] = 'three' } },
  }

  for file, case in vim.spairs(NEAREST) do
    it('runs the nearest one in ' .. file, function()
      local child = start('echo ok 1', { [file] = case[1] })
      child:cmd('edit ' .. file)
      for line, name in vim.spairs(case[2]) do
        child:cmd(tostring(line))
        runs(child, 'nearest', 'exact ' .. name)
      end
    end)
  end

  it('runs all cases of one that a table has', function()
    local child = start('echo ok 1', { ['src/lib.rs'] = CASES })
    child:cmd('edit src/lib.rs | 4')
    runs(child, 'nearest', 'one tests::one')
    child:cmd('5')
    runs(child, 'nearest', 'exact tests::two')
    runs(child, 'file', 'one tests::')
  end)

  it('runs those of a file, by its name where its runner takes that', function()
    local child = start('echo ok 1', { ['t/test_a.py'] = PYTHON, ['a.rs'] = RUST })
    child:cmd('edit t/test_a.py')
    runs(child, 'file', 'file t/test_a.py')
    child:cmd('edit a.rs')
    runs(child, 'file', 'exact one three')
    child:cmd('edit marker')
    child:cmd('Oxide test file')
    child:message('no test is known in this file')
    child:cmd('Oxide test nearest')
    child:message('no test is known at the cursor')
  end)

  it('lists both sides of what did not hold, and keeps its output', function()
    local child = start(FAILS)
    child:cmd('Oxide test')
    child:message('1 passed, 2 failed')
    local first = child:lua('return vim.fn.getqflist()[1]')
    assert.equal('broken: a.c:2: it broke (left: 1, right: 2)', first.text)
    assert.matches('^a.c:2: it broke\n', first.user_data.output)
  end)

  ---@param child test.Child
  ---@return string[]   the lines of the float
  local function shown(child)
    return child:wait(
      'the float',
      [[(function()
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.api.nvim_win_get_config(win).relative ~= '' then
            return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
          end
        end
      end)()]]
    )
  end

  it('shows the output of the failure at the cursor', function()
    local child = start(FAILS)
    child:cmd('Oxide test output')
    child:message('no test was run yet')
    child:cmd('Oxide test')
    child:message('1 passed, 2 failed')
    child:cmd('Oxide test output')
    assert.same({ 'a.c:2: it broke', '  left: 1', ' right: 2' }, shown(child))
    child:type('j')
    child:wait('no float', '#vim.api.nvim_list_wins() == 2')
    child:cmd('copen | 2 | Oxide test output')
    assert.same({ 'it printed nothing' }, shown(child))
  end)

  it('shows what tests that run have printed so far, and in the list still a failure', function()
    local child = start(FAILS)
    child:cmd('Oxide test')
    child:message('1 passed, 2 failed')
    helper.write(child.dir .. '/run.sh', 'echo ok 1 - fine; echo more; read x <.go; echo ok 2')
    assert.equal(0, vim.system({ 'mkfifo', child.dir .. '/.go' }):wait().code)
    child:lua('_G.messages = {}')
    child:cmd('Oxide test')
    child:wait('its lines', "(vim.b.oxide_status or ''):find('2 lines, 1 passed')")
    child:cmd('Oxide test output')
    assert.same({ 'ok 1 - fine', 'more' }, shown(child))
    child:type('j')
    child:wait('no float', '#vim.api.nvim_list_wins() == 2')
    child:cmd('copen | 1 | Oxide test output')
    assert.same({ 'a.c:2: it broke', '  left: 1', ' right: 2' }, shown(child))
    helper.write(child.dir .. '/.go', 'x\n')
    child:message('2 passed, 0 failed')
  end)

  it('lists a failure without a place where its test is, if that is one place', function()
    local script = table.concat({
      'echo not ok 1 - c::d::tests::deep::two',
      'echo \'# Error: "no"\'',
      'echo not ok 2 - c::d::tests::twice',
      'echo not ok 3 - one',
      'echo not ok 4 - cased::tests::one::case_1',
      'echo not ok 5 - c::d::tests::gone',
      'exit 1',
    }, '\n')
    local child = start(script, {
      ['Cargo.toml'] = '',
      ['b/src/c/d.rs'] = MODULES .. 'mod tests {\n    #[test]\n    fn twice() {}\n}\n',
      ['c/src/c/d.rs'] = 'mod tests {\n    #[test]\n    fn twice() {}\n}\n',
      ['c/tests/it.rs'] = RUST,
      ['src/cased.rs'] = CASES,
      ['target/x/src/c/d.rs'] = MODULES,
    })
    child:cmd('Oxide test')
    child:message('5 failed')
    local listed = child:lua([[
      return vim.tbl_map(function(item)
        local file = item.bufnr > 0 and vim.api.nvim_buf_get_name(item.bufnr) or ''
        return ('%s:%d: %s'):format(vim.fn.fnamemodify(file, ':.'), item.lnum, item.text)
      end, vim.fn.getqflist())
    ]])
    assert.same({
      'b/src/c/d.rs:5: c::d::tests::deep::two: Error: "no"',
      ':0: c::d::tests::twice',
      'c/tests/it.rs:1: one',
      'src/cased.rs:2: cased::tests::one::case_1',
      ':0: c::d::tests::gone',
    }, listed)
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(
      ('shows all of an output that the screen has room for, %d columns wide'):format(columns),
      function()
        local child = start([[
        echo not ok 1 - long
        for n in $(seq 25); do echo "# line $n of it"; done
      ]])
        screen.size(child, columns, 34)
        child:cmd('Oxide test')
        child:message('1 failed')
        child:cmd('Oxide test output')
        screen.shows_with_floats(child, { 'line 1 of it', 'line 13 of it', 'line 25 of it' })
      end
    )
  end

  local MARKS =
    'vim.tbl_map(function(d) return d.lnum .. d.message end, vim.diagnostic.get(vim.fn.bufnr("a.c")))'

  it('marks where it failed, until it is run again', function()
    local child = start(FAILS)
    child:cmd('Oxide test')
    child:message('1 passed, 2 failed')
    child:cmd('wincmd p')
    assert.same({ '1broken: a.c:2: it broke (left: 1, right: 2)' }, child:lua('return ' .. MARKS))
    helper.write(child.dir .. '/run.sh', 'echo ok 1')
    child:cmd('Oxide test')
    child:message('1 passed, 0 failed')
    assert.same({}, child:lua('return ' .. MARKS))
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('shows them beside the text and in the list, %d columns wide'):format(columns), function()
      local child = start(FAILS)
      screen.size(child, columns, 24)
      child:cmd('Oxide test')
      screen.shows_with_floats(child, { 'E int b;' })
      screen.shows_with_floats(child, {
        'a.c:2  error    broken: a.c:2: it broke (left: 1, right: 2)',
        'silent',
      })
    end)
  end

  it('marks nothing where that is not wanted', function()
    local child = start(FAILS, nil, 'test = { marks = false }')
    child:cmd('Oxide test')
    child:message('1 passed, 2 failed')
    assert.same({}, child:lua('return ' .. MARKS))
  end)
end)
