-- The diagnostics of whole projects from real servers, from the command line: errors in files that
-- nobody has open, each found once, with its fixes.
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')

-- A slow machine shall not make silence of what is only late.
local PATIENT = {
  ['lsp.silence_ms'] = 8000,
  ['diagnostics.at_once'] = 5,
}

---@param files table<string, string>
---@return string dir
local function project(files)
  local dir = helper.tempdir()
  for name, text in pairs(files) do
    helper.write(dir .. '/' .. name, text)
  end
  return dir
end

--- Forty files in directories that share a header; every ninth is wrong.
local function c_files(count)
  local files = {
    ['compile_flags.txt'] = '-Wall\n-I.\n',
    ['shared.h'] = '#ifndef SHARED_H\n#define SHARED_H\nint shared(int);\n#endif\n',
  }
  local wrong = {}
  for i = 1, count do
    local name = ('dir%d/file%02d.c'):format(i % 3, i)
    local bad = i % 9 == 0
    files[name] = ('#include "shared.h"\nint file%d(void)\n{\n\treturn shared(%s);\n}\n'):format(
      i,
      bad and '"text"' or '1'
    )
    if bad then
      table.insert(wrong, name .. ':4')
    end
  end
  table.sort(wrong)
  return files, wrong
end

local function places(called)
  assert.is_truthy(called.answer, called.out .. called.err)
  return vim.tbl_map(function(d)
    return ('%s:%d'):format(d.file, d.line)
  end, called.answer.diagnostics)
end

local function call(dir, args, config)
  return e2e.oxide(
    dir,
    { 'call', 'lsp_diagnostic', vim.json.encode(args) },
    { options = PATIENT, config = config }
  )
end

describe('the diagnostics of a project', function()
  after_each(fault.cleanup)

  for _, clangd in ipairs { 'clangd', 'clangd-new' } do
    it('come from all files with ' .. clangd, function()
      local files, wrong = c_files(40)
      local dir = project(files)
      local called = call(dir, { fixes = false }, e2e.samples[clangd].config)
      assert.same(wrong, places(called))
      assert.same({ true, 41, {} }, {
        called.answer.complete,
        called.answer.asked,
        called.answer.missing,
      })
    end)
  end

  it('come with the fixes of files that were closed meanwhile', function()
    local dir = project {
      ['compile_flags.txt'] = '-Wall\n',
      ['a.c'] = 'int a(void)\n{\n\treturn 1\n}\n',
      ['sub/b.c'] = 'int b(void)\n{\n\treturn 2\n}\n',
      ['c.c'] = 'int c(void)\n{\n\treturn 3;\n}\n',
    }
    local called = call(dir, vim.empty_dict())
    local fixes = vim.tbl_map(function(d)
      return d.file .. ' ' .. d.fixes[1].title
    end, called.answer.diagnostics)
    assert.same({ "a.c insert ';'", "sub/b.c insert ';'" }, fixes)
    called = call(dir, { fix_errors = true })
    assert.same({ 2, 2, 0 }, {
      called.answer.fixes_applied,
      called.answer.resolved,
      called.answer.remaining,
    })
    assert.equal('int b(void)\n{\n\treturn 2;\n}\n', helper.read(dir .. '/sub/b.c'))
  end)

  it('come from several servers, each for its files', function()
    local files, wrong = c_files(9)
    files['pyrightconfig.json'] = '{}\n'
    files['tool/good.py'] = 'def good(n: int) -> int:\n    return n\n'
    files['tool/wrong.py'] = 'from tool.good import good\n\nx: str = good(1)\n'
    table.insert(wrong, 'tool/wrong.py:3')
    local called = call(project(files), { fixes = false })
    assert.same(wrong, places(called))
    assert.same({ true, 12 }, { called.answer.complete, called.answer.asked })
  end)

  it('come from typescript-language-server', function()
    local files = { ['tsconfig.json'] = e2e.tsconfig('**/*.ts') }
    for i = 1, 12 do
      files[('f%02d.ts'):format(i)] = ('export const n%d: number = %s;\n'):format(
        i,
        i % 4 == 0 and "'text'" or '1'
      )
    end
    local called = call(project(files), { fixes = false })
    assert.same({ 'f04.ts:1', 'f08.ts:1', 'f12.ts:1' }, places(called))
    assert.same({ 12, {} }, { called.answer.asked, called.answer.missing })
  end)

  local function crate(name, more)
    return ('[package]\nname = %q\nversion = "0.1.0"\nedition = "2021"\n'):format(name)
      .. (more or '')
  end

  local AWAY = { -- mistakes in files that nothing has opened
    ['the packages of a module'] = {
      program = 'gopls',
      files = {
        ['go.mod'] = 'module example.org/shapes\n\ngo 1.21\n',
        ['main.go'] = 'package main\n\nfunc main() { var n int = "one"; _ = n }\n',
        ['away/away.go'] = 'package away\n\nfunc Odd() int { return unknown }\n',
      },
      wrong = { 'away/away.go:3', 'main.go:3' },
    },
    ['a crate, and of files that are no module of it'] = {
      program = 'rust-analyzer',
      files = {
        ['Cargo.toml'] = crate('shapes'),
        ['src/main.rs'] = 'mod away;\n\nfn main() {\n    away::odd();\n}\n',
        ['src/away.rs'] = 'pub fn odd() -> i32 {\n    unknown\n}\n',
        ['src/lost.rs'] = 'pub fn lost() -> i32 {\n    1 +\n}\n',
      },
      wrong = { 'src/away.rs:2', 'src/lost.rs:2' },
    },
    -- cargo looks at no crate that needs one in which something is wrong
    ['a workspace of crates'] = {
      program = 'rust-analyzer',
      files = {
        ['Cargo.toml'] = '[workspace]\nmembers = ["first", "second"]\n',
        ['first/Cargo.toml'] = crate('first'),
        ['first/src/lib.rs'] = 'pub fn one() -> i32 {\n    unknown\n}\n',
        ['second/Cargo.toml'] = crate('second', '[dependencies]\nfirst = { path = "../first" }\n'),
        ['second/src/main.rs'] = 'mod away;\n\nfn main() {\n    away::odd();\n}\n',
        ['second/src/away.rs'] = 'pub fn odd() -> i32 {\n    "text"\n}\n',
      },
      wrong = { 'first/src/lib.rs:2', 'second/src/away.rs:2' },
    },
  }
  for what, case in vim.spairs(AWAY) do
    if e2e.brought(case.program) then
      it(('come from %s, of all of %s'):format(case.program, what), function()
        local called = call(project(case.files), { fixes = false, severity = 'error' })
        -- the compiler and the server itself may both have found it
        assert.same(case.wrong, vim.fn.uniq(places(called)))
        assert.is_true(called.answer.complete)
      end)
    end
  end
end)
