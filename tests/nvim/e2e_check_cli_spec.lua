-- check_project and test_project with the real programs of each kind of project.
local e2e = require('e2e')
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')

local put = project.fill

local dir

before_each(function()
  dir = project.begin()
end)

after_each(project.finish)

local function call(tool, args, opts)
  local flags = vim.json.encode(args or vim.empty_dict())
  local done = e2e.oxide(dir, { 'call', tool, '--allow-run', flags }, opts)
  assert(done.answer, done.out .. done.err)
  return done.answer
end

--- "a.c:1:2 error message", one line each, of the first lines of messages.
local function found(r)
  return vim.tbl_map(function(d)
    local message = d.message:match('[^\n]*')
    return ('%s:%d:%d %s %s'):format(d.file, d.line, d.column, d.severity, message)
  end, r.diagnostics)
end

local function assert_tested(r, passed, failed, ignored)
  assert.same({ passed, failed, ignored }, { r.passed, r.failed, r.ignored }, vim.inspect(r))
  assert.equal(failed == 0, r.success)
end

local CARGO =
  '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n'
local TESTS = [[

#[cfg(test)]
mod tests {
    #[test]
    fn right() {}

    #[test]
    fn wrong() {
        println!("was here");
        assert_eq!(crate::area(2, 3), 7, "größe");
    }

    #[test]
    #[ignore]
    fn later() {}
}
]]

local function has(program)
  return vim.fn.executable(program) == 1
end

describe('a project of Rust', function()
  local it = has('cargo') and it or pending

  it('is checked, and what cargo suggests is applied by its name', function()
    put {
      ['Cargo.toml'] = CARGO,
      ['src/lib.rs'] = '// größe 😀\npub fn area(w: i32, h: i32) -> i32 {\n'
        .. '    /* 😀 */ let mut n = w * h;\n    n\n}\n',
      ['src/main.rs'] = 'fn main() {\n    println!("{}", demo::area(1, "x"));\n}\n',
    }
    local r = call('check_project')
    assert.same({
      'src/lib.rs:3:20 warning variable does not need to be mutable',
      'src/main.rs:2:34 error mismatched types',
    }, found(r))
    assert.same({ false, 'E0308' }, { r.success, r.diagnostics[2].code })
    local config = dir .. '.lua'
    e2e.write_config(config, e2e.samples.rust_analyzer and e2e.samples.rust_analyzer.config)
    local c = mcp.start(dir, { '--root', dir, '--allow-run', '--config', config })
    c:initialize()
    local text = c:call('check_project', { include_fixes = true })
    local id = text:match('(fix%-lib%.rs:3%-%x+)')
    assert.matches('file_path: src/lib.rs', text)
    assert.matches('"edit_to_apply":{"documentChanges":', text)
    assert.matches(vim.pesc(id), (c:call('list_code_actions', vim.empty_dict())))
    assert.matches('files_changed: 1', (c:call('execute_code_action', { action_id = id })))
    assert.matches('/%* 😀 %*/ let n = w %* h;', helper.read(dir .. '/src/lib.rs'))
    assert.equal(0, c:close().code)
    helper.write(dir .. '/src/main.rs', 'fn main() {}\n')
    r = call('check_project')
    assert.same({ true, 'cargo: no problems' }, { r.success, r.message })
  end)

  it('is tested, all or one', function()
    put {
      ['Cargo.toml'] = CARGO,
      ['src/lib.rs'] = 'pub fn area(w: i32, h: i32) -> i32 {\n    w * h\n}\n' .. TESTS,
    }
    local r = call('test_project')
    assert_tested(r, 1, 1, 1)
    local f = r.failures[1]
    assert.same({ 'tests::wrong', 'src/lib.rs', 13 }, { f.name, f.file, f.line })
    assert.equal('assertion `left == right` failed: größe', f.message)
    assert.matches('^was here\n', f.output)
    assert_tested(call('test_project', { test_name = 'tests::right' }), 1, 0, 0)
    assert.matches('has no test that', call('test_project', { test_name = 'nope' }).error.message)
    r = call('test_project', { test_name = 'wrong', backtrace = true })
    assert.matches('stack backtrace:', r.failures[1].output)
  end)

  it('that does not compile has diagnostics instead of tests', function()
    put { ['Cargo.toml'] = CARGO, ['src/lib.rs'] = 'pub fn area() -> i32 {\n    nope\n}\n' .. TESTS }
    local r = call('test_project')
    assert_tested(vim.tbl_extend('force', r, { success = true }), 0, 0, 0)
    assert.is_false(r.success)
    assert.equal('src/lib.rs:2:5 error cannot find value `nope` in this scope', found(r)[1])
  end)
end)

describe('a project of C with Make', function()
  it('is checked and tested', function()
    put {
      ['Makefile'] = 'all:\n\t$(MAKE) --keep-going -C sub\ntest:\n\t@sh tests.sh\n',
      ['sub/Makefile'] = 'CFLAGS = -Wall\nall: a.o b.o\n',
      ['sub/a.c'] = 'int a(void)\n{\n\tint größe = 1, n;\treturn größe + y;\n}\n',
      ['sub/b.c'] = '#include "b.h"\nint b(void) { return 0; }\n',
      ['sub/b.h'] = 'int b(int);\n',
      ['tests.sh'] = 'echo ok 1 - fine; echo not ok 2 - broken; echo "# sub/a.c:3: broke"; exit 1\n',
    }
    local r = call('check_project')
    assert.is_false(r.success)
    local texts = table.concat(found(r), '\n')
    assert.matches('sub/a.c:3:39 error .*undeclared', texts)
    assert.matches('sub/a.c:3:19 warning unused variable', texts)
    assert.matches('sub/b.c:2:5 error conflicting types', texts)
    r = call('test_project')
    assert_tested(r, 1, 1, 0)
    assert.same({ 'broken', 'sub/a.c', 3 }, {
      r.failures[1].name,
      r.failures[1].file,
      r.failures[1].line,
    })
  end)
end)

--- A header and a source that are warned of, each in the compile of two sources.
local WARNED = {
  ['h.h'] = 'static inline int h(void) { int in_h; return 1; }\n',
  ['a.c'] = '#include "h.h"\nint main(void) { int in_a; return h(); }\n',
  ['sub/b.c'] = '#include "../h.h"\nint b(void) { int in_b; return h(); }\n',
}

--- What is warned of, by the last word of each message, and whether that is all.
local function warned(r)
  local names = vim.tbl_map(function(d)
    return d.message:match('‘(in_%w)’')
  end, r.diagnostics)
  return table.concat(names, ' '), r.complete ~= false
end

local function assert_warned(names, complete, message)
  local r = call('check_project')
  assert.same({ names, complete }, { warned(r) }, vim.inspect(r))
  assert.is_true(r.success)
  assert.matches(message, r.message)
end

local function build_again()
  assert_warned('in_a in_h in_b', true, '3 warnings$')
  assert_warned('in_a in_h in_b', true, '3 warnings %(3 from earlier compiles%)$')
  put { ['a.c'] = '#include "h.h"\nint main(void) { return h(); } // mended\n' }
  assert_warned('in_h in_b', true, '2 warnings %(1 from earlier compiles%)$')
  assert_warned('in_h in_b', true, '2 warnings %(2 from earlier compiles%)$')
end

describe('what was not built again', function()
  local MAKE = 'all: a.o sub/b.o\n%.o: %.c\n\t@cc -Wall -c -o $@ $<\n'

  it('is warned of as when it was, by make, until it is compiled again or gone', function()
    put(WARNED)
    put { Makefile = MAKE }
    build_again()
    put { ['a.c'] = '#include "h.h"\nint main(void) { int in_c, x = 1; return h() - x; }\n' }
    assert.equal(0, vim.system({ 'make', '-s' }, { cwd = dir }):wait().code)
    assert_warned('in_h in_b', false, '1 file has changed since the last known compile')
    assert.same({ 'a.c' }, call('check_project').not_compiled)
    put { ['a.c'] = '#include "h.h"\nint main(void) { int in_d; return h(); } // x\n' }
    assert_warned('in_d in_h in_b', true, '3 warnings')
    put { Makefile = MAKE:gsub(' sub/b.o', '') }
    assert.equal(0, vim.fn.delete(dir .. '/sub', 'rf'))
    assert_warned('in_d in_h', true, '2 warnings')
  end)

  it('is warned of after an error of the linker', function()
    local b = WARNED['sub/b.c']
    for _, flags in ipairs { '-Wall', '-Wall -g' } do
      put(WARNED)
      put {
        Makefile = 'all: a.o sub/b.o\n\t@cc -o app a.o sub/b.o\n%.o: %.c Makefile\n\t@cc '
          .. flags
          .. ' -c -o $@ $<\n',
        ['a.c'] = '#include "h.h"\nint b(void);\nint main(void) { int in_a; return h() + b(); }\n',
      }
      assert_warned('in_a in_h in_b', true, '3 warnings')
      put { ['sub/b.c'] = b:gsub('b%(void%)', 'other(void)') }
      assert.is_false(call('check_project').success)
      put { ['sub/b.c'] = b }
      assert_warned('in_a in_h in_b', true, '3 warnings')
    end
  end)

  it('is warned of by cmake, whatever it builds with', function()
    for _, generator in ipairs { 'Unix Makefiles', 'Ninja' } do
      vim.fn.delete(dir, 'rf')
      put(WARNED)
      put {
        ['CMakeLists.txt'] = 'cmake_minimum_required(VERSION 3.10)\nproject(x C)\n'
          .. 'set(CMAKE_C_FLAGS -Wall)\nadd_executable(app a.c sub/b.c)\n',
      }
      vim.uv.os_setenv('CMAKE_GENERATOR', generator)
      build_again()
    end
    vim.uv.os_unsetenv('CMAKE_GENERATOR')
  end)

  it('is said to be unknown where it was never seen', function()
    put(WARNED)
    put { Makefile = MAKE }
    assert.equal(0, vim.system({ 'make', '-s' }, { cwd = dir }):wait().code)
    assert_warned('', false, '^make: nothing had to be built, and earlier compiler output is not')
  end)
end)

describe('what the linker says', function()
  it('has no line where it names none', function()
    put {
      Makefile = 'all:\n\tcc $(FLAGS) -o app a.c\n',
      ['a.c'] = 'int none(void);\n\nint main(void) { return none(); }\n',
    }
    local r = call('check_project')
    local d = r.diagnostics[1]
    assert.matches('^undefined reference to .none', d.message)
    assert.same({ 'error', 'a.c' }, { d.severity, d.file })
    assert.is_nil(d.line)
    assert.is_nil(d.column)
    put { Makefile = 'all:\n\tcc -g -o app a.c -lnone_such\n' }
    assert.matches('cannot find %-lnone_such', call('check_project').diagnostics[1].message)
    put { Makefile = 'all:\n\tcc -g -o app a.c\n' }
    d = call('check_project').diagnostics[1]
    assert.same({ 'a.c', 3 }, { d.file, d.line })
  end)
end)

describe('a runner of tests that is not installed', function()
  it('is an error that names it, and not that there are no tests', function()
    local bin = vim.fs.dirname(dir) .. '/bin'
    vim.fn.mkdir(bin)
    -- the program itself: a launcher in its place would want more on the PATH
    local python =
      vim.system({ 'python3', '-c', 'import sys; print(sys.executable)' }):wait().stdout
    assert(vim.uv.fs_symlink(vim.trim(python), bin .. '/python3'))
    put { ['pyproject.toml'] = '', ['test_a.py'] = 'def test_a():\n    assert 1 == 2\n' }
    local opts = { path = bin }
    local r = call('test_project', nil, opts)
    assert.same({ 'not_found', false }, { r.error.code, r.success })
    assert.matches('^not run: pytest is not installed', r.error.message)
    put {
      ['test_b.py'] = 'import unittest\n\n\nclass B(unittest.TestCase):\n'
        .. '    def test_b(self):\n        pass\n',
    }
    r = call('test_project', nil, opts)
    assert.same({ true, 1 }, { r.success, r.passed })
    assert.matches('pytest is not installed', r.warnings[1])
    vim.fn.delete(dir, 'rf')
    for marker, program in pairs {
      ['Cargo.toml'] = 'cargo',
      ['go.mod'] = 'go',
      ['CMakeLists.txt'] = 'cmake',
      ['package.json'] = 'npx',
    } do
      put { [marker] = '', ['jest.config.js'] = '' }
      r = call('test_project', nil, opts)
      assert.equal('not_found', r.error.code)
      assert.matches('install .*' .. program, r.error.message)
      vim.fn.delete(dir, 'rf')
    end
  end)
end)

describe('a project of Go', function()
  local it = has('go') and it or pending

  it('is checked and tested', function()
    put {
      ['go.mod'] = 'module example.com/demo\n\ngo 1.19\n',
      ['pkg/a.go'] = 'package pkg\n\nfunc Area(w, h int) int { return w * h }\n',
      ['pkg/a_test.go'] = 'package pkg\n\nimport "testing"\n\nfunc TestRight(t *testing.T) {}\n\n'
        .. 'func TestWrong(t *testing.T) {\n\tt.Run("sub", func(t *testing.T) {\n'
        .. '\t\tt.Errorf("got %d", Area(1, 2))\n\t})\n}\n',
    }
    assert.is_true(call('check_project').success)
    local r = call('test_project')
    assert_tested(r, 1, 1, 0)
    local f = r.failures[1]
    assert.same(
      { 'TestWrong/sub', 'pkg/a_test.go', 9, 'got 2' },
      { f.name, f.file, f.line, f.message }
    )
    assert_tested(call('test_project', { test_name = 'TestRight' }), 1, 0, 0)
    assert.equal('not_found', call('test_project', { test_name = 'TestNone' }).error.code)
    put { ['pkg/a.go'] = 'package pkg\n\nfunc Area(w, h int) int { var größe int; return nope }\n' }
    r = call('check_project')
    assert.is_false(r.success)
    assert.matches('pkg/a.go:3:%d+ error .*undefined: nope', table.concat(found(r), '\n'))
  end)
end)

describe('a project of Python', function()
  local PYRIGHT = helper.root .. '/.deps/servers/pyright/node_modules/.bin/pyright'
  local python = {
    check = { { steps = { { PYRIGHT, '--outputjson' } }, output = 'pyright' } },
    test = {
      {
        steps = { { 'python3', '-m', 'unittest', '-v' } },
        one = { { 'python3', '-m', 'unittest', '-v', '-k', '{test}' } },
        output = 'unittest',
      },
    },
  }
  local config = 'projects = ' .. vim.inspect { python = python }

  it('is checked and tested', function()
    put {
      ['pyproject.toml'] = '',
      ['shape.py'] = 'def area(w: int) -> int:\n    return w * 2\n\n\nx: int = "größe"; y = nope\n',
      ['test_shape.py'] = 'import unittest\n\n\nclass Shape(unittest.TestCase):\n'
        .. '    def test_right(self):\n        pass\n\n    def test_wrong(self):\n'
        .. '        self.assertEqual(1, 2)\n',
    }
    local r = call('check_project', nil, { config = config })
    assert.is_false(r.success)
    assert.same({ 10, 25 }, { r.diagnostics[1].column, r.diagnostics[2].column })
    assert.equal('shape.py:5:25 error "nope" is not defined', found(r)[2])
    r = call('test_project', nil, { config = config })
    assert_tested(r, 1, 1, 0)
    local f = r.failures[1]
    assert.same({ 'test_shape.py', 9, 'AssertionError: 1 != 2' }, { f.file, f.line, f.message })
    assert_tested(call('test_project', { test_name = 'test_right' }, { config = config }), 1, 0, 0)
    assert_tested(call('test_project', { test_name = f.name }, { config = config }), 0, 1, 0)
  end)
end)

describe('a project of TypeScript', function()
  it('is checked, and its tests are run by node', function()
    put {
      ['package.json'] = '{}\n',
      ['tsconfig.json'] = e2e.tsconfig(),
      ['main.ts'] = "/* 😀 */ export const n: number = 'x';\n",
    }
    local r = call('check_project')
    assert.same(
      { "main.ts:1:25 error Type 'string' is not assignable to type 'number'." },
      found(r)
    )
    assert.equal('TS2322', r.diagnostics[1].code)
    put {
      ['a.test.js'] = "const { test } = require('node:test');\ntest('right', () => {});\n"
        .. "test('wrong', () => {\n  throw new Error('boom');\n});\n",
    }
    r = call('test_project')
    assert_tested(r, 1, 1, 0)
    assert.same({ 'wrong', 'a.test.js', 4, 'boom' }, {
      r.failures[1].name,
      r.failures[1].file,
      r.failures[1].line,
      r.failures[1].message,
    })
    assert_tested(call('test_project', { test_name = 'right' }), 1, 0, 0)
  end)
end)

describe('what both a checker and a server find', function()
  it("is there once, with the server's fixes", function()
    put {
      ['Makefile'] = 'all:\n\tcc -c a.c\n',
      ['compile_flags.txt'] = '-Wall\n',
      ['a.c'] = 'int one(int count)\n{\n\treturn coutn;\n}\n',
    }
    local r = call('check_project', { include_fixes = true })
    local lines = vim.tbl_map(function(d)
      return d.line
    end, r.diagnostics)
    assert.same({ 3 }, lines, vim.inspect(found(r)))
    local fix = r.diagnostics[1].available_fixes[1]
    assert.matches("change 'coutn' to 'count'", fix.title)
    assert.same({
      {
        range = { start = { line = 2, character = 11 }, ['end'] = { line = 2, character = 13 } },
        newText = 'nt', -- no more than what differs
      },
    }, fix.edit_to_apply.documentChanges[1].edits)
    assert.same({ 'a.c', 9 }, { r.diagnostics[1].file_path, r.diagnostics[1].character })
  end)
end)
