-- What texts alone tell of symbols, without a language server: what is declared in a file, where a
-- name is declared in the project, and where it is as a word. The answer says that no server said so.
local fault = require('fault')
local helper = require('helper')

local FILES = {
  ['shape.h'] = 'struct shape { int w; };\n#define MOST 10\nint area(struct shape *s);\n',
  ['shape.c'] = [[
#include "shape.h"
static int twice(int n) { return n * 2; }
/* Says how much. */
int area(struct shape *s)
{
	return twice(s->w); // not twice(MOST)
}
]],
  ['use.c'] = '#include "shape.h"\nstatic int twice(int n) { return n; }\nint use(void) { return area(0) + MOST; }\n',
  ['shape.py'] = 'class Shape:\n    def area(self):\n        def inner():\n            return 2\n'
    .. '        return inner()\n\n\ndef area():\n    return 1\n',
  ['notes.txt'] = 'area\n',
}

describe('symbols of the text alone', function()
  local p

  before_each(function()
    p = fault.project {}
    p:files(FILES)
    local servers = {}
    for _, name in ipairs { 'clangd', 'pyright', 'pylsp', 'gopls', 'rust_analyzer' } do
      servers[name] = { cmd = { '/nowhere/server' } }
    end
    helper.write(p.config, 'return ' .. vim.inspect { servers = servers })
  end)
  after_each(fault.cleanup)

  ---@param args table
  ---@param tool? string
  local function ask(args, tool)
    local out = p:call(tool or 'lsp_symbol', args)
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.is_nil(out.result.server)
    assert.matches('clangd', out.result.fallback.reason)
    return out.result
  end

  ---@param rows table[]
  local function places(rows)
    return vim.tbl_map(function(row)
      return ('%s:%d:%d'):format(row.file, row.line, row.column)
    end, rows)
  end

  local function failed(args, ...)
    local out = p:call('lsp_symbol', args)
    assert.equal('no_server', out.result.error and out.result.error.code, vim.inspect(out.result))
    for _, pattern in ipairs { ... } do
      assert.matches(pattern, out.result.error.message)
    end
  end

  it('are listed for a file, with kinds and what they are in', function()
    local answer = ask { query = 'document_symbols', file_path = 'shape.c' }
    assert.equal('outline', answer.fallback.source)
    assert.same({ 'shape.c:2:12', 'shape.c:4:5' }, places(answer.symbols))
    local python = p:call('lsp_symbol', { query = 'document_symbols', file_path = 'shape.py' })
    assert.same(
      { 'class Shape 0', 'method area 1', 'function inner 2', 'function area 0' },
      vim.tbl_map(function(s)
        return ('%s %s %d'):format(s.kind, s.name, s.depth)
      end, python.result.symbols)
    )
  end)

  it('have the kind that is said of a type', function()
    helper.write(
      p.dir .. '/a.go',
      'package a\n\ntype A struct{}\n\ntype B interface{}\n\ntype C int\n'
    )
    helper.write(p.dir .. '/a.rs', 'pub struct A;\nenum B { C }\npub trait D {}\n')
    for path, want in pairs {
      ['a.go'] = { 'struct A', 'interface B', 'class C' },
      ['a.rs'] = { 'struct A', 'enum B', 'interface D' },
      ['shape.h'] = { 'struct shape', 'function area' },
    } do
      local out = p:call('lsp_symbol', {
        query = 'document_symbols',
        file_path = path,
      })
      local rows = vim.tbl_map(function(s)
        return s.kind .. ' ' .. s.name
      end, out.result.symbols or {})
      assert.same(want, rows)
    end
  end)

  it('are found where they are declared, in the file or else in the project', function()
    local answer = ask { query = 'definition', file_path = 'use.c', symbol = 'area' }
    assert.same({ 'shape.c:4:5' }, places(answer.locations))
    assert.matches('^/%* Says how much', answer.locations[1].definition)
    assert.is_false(answer.complete)
    assert.matches('text alone', answer.reasons[1])
    -- At a place, and in the file itself first.
    answer = ask { query = 'definition', file_path = 'use.c', line = 3, column = 24 }
    assert.same({ 'shape.c:4:5' }, places(answer.locations))
    answer = ask { query = 'definition', file_path = 'shape.c', line = 6, column = 10 }
    assert.same({ 'shape.c:2:12' }, places(answer.locations))
    answer = ask { query = 'definition', file_path = 'use.c', symbol = 'MOST' }
    assert.same({ 'shape.h:2:9' }, places(answer.locations))
    answer = ask({ file_path = 'use.c', line = 2, character = 24 }, 'goto_definition')
    assert.equal(3, answer.definitions[1].line)
  end)

  it('are all of those that may be meant', function()
    local answer = ask { query = 'definition', file_path = 'shape.h', symbol = 'twice' }
    assert.same({ 'shape.c:2:12', 'use.c:2:12' }, places(answer.locations))
    local out = p:call('lsp_symbol', {
      query = 'definition',
      file_path = 'shape.py',
      symbol = 'area',
    })
    assert.same({ 'shape.py:2:9', 'shape.py:8:5' }, places(out.result.locations))
    out = p:call('lsp_symbol', {
      query = 'definition',
      file_path = 'shape.py',
      symbol = 'Shape/area',
    })
    assert.same({ 'shape.py:2:9' }, places(out.result.locations))
    answer = ask { query = 'workspace_symbols', file_path = 'use.c', symbol = 'twice' }
    assert.same({ 'shape.c:2:12', 'use.c:2:12' }, places(answer.symbols))
  end)

  it('are all of them, also where they are many', function()
    helper.write(p.dir .. '/many.py', ('def same():\n    pass\n\n\n'):rep(100))
    local out = p:call('lsp_symbol', {
      query = 'definition',
      file_path = 'many.py',
      symbol = 'same',
    })
    assert.equal(100, out.result.total, vim.inspect(out.result.error))
  end)

  it('are words where they are used, in code and in files of the language', function()
    local answer = ask { query = 'references', file_path = 'shape.c', symbol = 'twice' }
    assert.equal('words', answer.fallback.source)
    assert.same({ 'shape.c:2:12', 'shape.c:6:9', 'use.c:2:12' }, places(answer.locations))
    assert.is_false(answer.complete)
    assert.matches('words in the text', answer.reasons[1])
    answer = ask({ file_path = 'shape.c', symbol = 'area' }, 'find_references')
    assert.equal(3, answer.total)
    local printed = p:start('lsp_symbol', {
      query = 'references',
      file_path = 'shape.c',
      symbol = 'area',
    }, { '--text' }):wait()
    assert.matches('from the text alone: no language server', printed.stdout)
  end)

  it('are in the answer of analyze_code', function()
    local out = p:call('analyze_code', { file_path = 'shape.c' })
    assert.equal(2, #out.result.symbols)
    assert.equal('outline', out.result.fallback.source)
    assert.matches('clangd', out.result.no_diagnostics)
  end)

  -- What is no knowledge of where something ends is looked at, and not changed.
  it('are those of other languages, to be looked at', function()
    local texts = {
      ['a.rb'] = {
        'class Shape\n  def area\n    1\n  end\nend\n',
        { 'class Shape 0', 'method area 1' },
      },
      ['A.java'] = {
        'public class A {\n    int area(int w) {\n        return w;\n    }\n}\n',
        { 'class A 0', 'method area 1' },
      },
      ['a.sh'] = { 'area() {\n\ttrue\n}\n', { 'function area 0' } },
      ['a.md'] = { '# One\n\n## area\n', { 'heading One 0', 'heading area 1' } },
      ['Makefile'] = { 'all: x\narea:\n\ttrue\n', { 'target all 0', 'target area 0' } },
    }
    for path, case in vim.spairs(texts) do
      helper.write(p.dir .. '/' .. path, case[1])
      local out = p:call('lsp_symbol', { query = 'document_symbols', file_path = path })
      local rows = vim.tbl_map(function(s)
        return ('%s %s %d'):format(s.kind, s.name, s.depth)
      end, out.result.symbols or {})
      assert.same(case[2], rows)
      out = p:call('lsp_symbol', { query = 'definition', file_path = path, symbol = 'area' })
      assert.equal(1, out.result.total, vim.inspect(out.result))
      out = p:call('lsp_edit', { file_path = path, symbol = 'area', action = 'delete' })
      assert.equal('unsupported', out.result.error and out.result.error.code, path)
      assert.matches('does not show where area ends', out.result.error.message)
      assert.equal(case[1], helper.read(p.dir .. '/' .. path))
    end
    -- Also where no server is known for the language.
    helper.write(p.dir .. '/b.rb', 'puts area # area\n')
    local out = p:call('lsp_symbol', { query = 'references', file_path = 'a.rb', symbol = 'area' })
    assert.same({ 'a.rb:2:7', 'b.rb:1:6' }, places(out.result.locations))
    out = p:call('lsp_symbol', { query = 'definition', file_path = 'b.rb', symbol = 'area' })
    assert.same({ 'a.rb:2:7' }, places(out.result.locations))
  end)

  it('are named to who asks for one of the project without a file', function()
    local out = p:call('get_symbol_info', { symbol_name = 'area' })
    assert.equal('no_server', out.result.error.code)
    assert.matches('lsp_symbol with a file_path', out.result.error.message)
  end)

  it('are not made up', function()
    failed(
      { query = 'definition', file_path = 'use.c', symbol = 'nothing' },
      'nothing is declared as nothing',
      'clangd'
    )
    failed({ query = 'hover', file_path = 'use.c', symbol = 'use' }, '^no language server')
    failed({ query = 'document_symbols', file_path = 'notes.txt' }, 'cannot be parsed')
    local out = p:call('lsp_symbol', { query = 'definition', file_path = 'use.c', line = 9 })
    assert.equal('invalid', out.result.error.code)
    out = p:call('lsp_symbol', { query = 'workspace_symbols', file_path = 'use.c', symbol = '' })
    assert.equal('invalid', out.result.error.code)
  end)
end)
