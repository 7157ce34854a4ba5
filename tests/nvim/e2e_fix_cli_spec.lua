-- Fixes of each real server, from the command line; texts byte by byte.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

-- A slow machine shall not make silence of what is only late.
local PATIENT = {
  ['lsp.silence_ms'] = 8000,
}

local INCLUDES = {
  ['.clangd'] = 'Diagnostics:\n  UnusedIncludes: Strict\nCompileFlags:\n  Add: [-Wall]\n',
  ['a.c'] = '#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n\n'
    .. 'int main(void)\n{\n\tprintf("größe %ld\\n", 3);\n\treturn 1\n}\n',
}

---@class test.Fixable
---@field config? string
---@field files table<string, string>
---@field file string       that is fixed
---@field text string       what becomes of it
---@field flags? string[]    of lsp_diagnostic
---@field counts integer[]  applied, resolved, remaining
---@field code string       of a diagnostic that has the fix named
---@field fix string

---@type table<string, test.Fixable>
local cases = {
  clangd = {
    files = {
      ['.clangd'] = 'CompileFlags:\n  Add: [-Wall]\n',
      ['a.c'] = 'int one(void)\r\n{\r\n\treturn 1\r\n}\r\n\r\nint two(int count)\r\n{\r\n'
        .. '\tif (count = 2)\r\n\t\treturn 0;\r\n\treturn "é" == 0 ? coutn : 0;\r\n}\r\n',
    },
    file = 'a.c',
    text = 'int one(void)\r\n{\r\n\treturn 1;\r\n}\r\n\r\nint two(int count)\r\n{\r\n'
      .. '\tif (count = 2)\r\n\t\treturn 0;\r\n\treturn "é" == 0 ? count : 0;\r\n}\r\n',
    counts = { 2, 2 },
    code = 'expected_semi_after_stmt',
    fix = "insert ';'",
  },
  ['clangd-new'] = {
    config = e2e.samples['clangd-new'].config,
    files = INCLUDES,
    file = 'a.c',
    text = '#include <stdio.h>\n\n'
      .. 'int main(void)\n{\n\tprintf("größe %d\\n", 3);\n\treturn 1;\n}\n',
    counts = { 4, 4, 0 },
    code = 'unused-includes',
    fix = 'remove #include directive',
  },
  typescript = {
    files = {
      ['tsconfig.json'] = e2e.tsconfig(),
      ['shape.ts'] = 'export interface Shape {\n  w: number;\n}\n',
      ['main.ts'] = "/* größe 😀 */ export const s: Shape = { w: 'abc'.lenght };\n",
    },
    file = 'main.ts',
    text = 'import { Shape } from "./shape";\n\n'
      .. "/* größe 😀 */ export const s: Shape = { w: 'abc'.length };\n",
    counts = { 2, 2, 0 },
    code = '2304',
    fix = 'Add import from "./shape"',
  },
}

-- What a compiler found in the file that is saved counts, too.
cases.rust_analyzer = e2e.samples.rust_analyzer
  and {
    config = e2e.samples.rust_analyzer.config,
    files = {
      ['Cargo.toml'] = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\npath = "a.rs"\n',
      ['a.rs'] = '// größe 😀\r\npub fn one() -> i32 {\r\n\tlet n = 1;\r\n\tn += 1;\r\n\tn\r\n}\r\n',
    },
    file = 'a.rs',
    text = '// größe 😀\r\npub fn one() -> i32 {\r\n\tlet mut n = 1;\r\n\tn += 1;\r\n\tn\r\n}\r\n',
    counts = { 1, 3, 0 },
    flags = { '--severity', 'hint' }, -- it hangs its fixes on hints beside an error
    code = 'E0384',
    fix = 'consider making this binding mutable: `mut `',
  }
cases.gopls = e2e.samples.gopls
  and {
    files = {
      ['go.mod'] = 'module example.org/a\n\ngo 1.21\n',
      ['a.go'] = '// Package a: größe 😀\npackage a\n\nfunc one() int {\n\tx := 1\n\treturn 2\n}\n',
    },
    file = 'a.go',
    text = '// Package a: größe 😀\npackage a\n\nfunc one() int {\n\treturn 2\n}\n',
    counts = { 1, 1, 0 },
    code = 'UnusedVar',
    fix = 'Remove variable x',
  }

for name, case in vim.spairs(cases) do
  describe('fixes of ' .. name, function()
    local dir

    before_each(function()
      dir = project.begin(case.files)
    end)
    after_each(project.finish)

    local function call(...)
      return e2e.oxide(dir, { 'call', 'lsp_diagnostic', '--file', case.file, ... }, {
        config = case.config,
        options = PATIENT,
      })
    end

    it('are listed with what they are for', function()
      local done = call()
      assert.equal(0, done.code, done.out)
      local found = {}
      for _, row in ipairs(done.answer.diagnostics) do
        for _, fix in ipairs(row.fixes) do
          table.insert(found, row.code .. ' ' .. fix.title)
        end
      end
      assert.is_true(vim.list_contains(found, case.code .. ' ' .. case.fix), vim.inspect(found))
    end)

    it('are applied, and can be taken back', function()
      local done = call('--fix-errors', unpack(case.flags or {}))
      assert.equal(0, done.code, done.out)
      assert.equal(case.text, helper.read(dir .. '/' .. case.file))
      local a = done.answer
      assert.same(case.counts, { a.fixes_applied, a.resolved, case.counts[3] and a.remaining })
      for _ = 1, #a.transactions do
        assert.equal(0, e2e.oxide(dir, { 'call', 'undo' }).code)
      end
      assert.equal(case.files[case.file], helper.read(dir .. '/' .. case.file))
    end)
  end)
end

describe('pyright', function()
  it('offers nothing for an unknown name, which stays as it is', function()
    local dir = project.begin()
    local text = 'def f() -> int:\n    return unknown\n'
    helper.write(dir .. '/pyrightconfig.json', '{}\n')
    helper.write(dir .. '/a.py', text)
    local done = e2e.oxide(
      dir,
      { 'call', 'lsp_diagnostic', '--file', 'a.py', '--fix-errors' },
      { options = PATIENT }
    )
    assert.equal(0, done.code, done.out)
    assert.same({ 0, 0, 1 }, {
      done.answer.fixes_applied,
      done.answer.resolved,
      done.answer.remaining,
    })
    assert.equal(text, helper.read(dir .. '/a.py'))
    vim.fn.delete(dir, 'rf')
  end)
end)
