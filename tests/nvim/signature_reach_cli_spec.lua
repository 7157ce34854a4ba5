-- Calls that a change of signature cannot reach, with the real servers: they are refused, all of them
-- at once, and nothing changes; `unreachable: "allow"` leaves them as they are and says so.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local CLANGD_NEW =
  "servers = { clangd = { cmd = { 'clangd-new', '--background-index', '--log=error' } } }"
-- or clangd 21 reads the standard library, too
local CXX = 'c++ -nostdinc'
local SWAP = { { from = 1 }, { from = 0 } }

local dir

local function call(args, config)
  args = vim.tbl_extend('keep', args, { action = 'change_signature', parameters = SWAP })
  return e2e.oxide(dir, { 'call', 'lsp_edit', '--yes', vim.json.encode(args) }, {
    config = config,
    options = { ['lsp.silence_ms'] = 8000 },
  })
end

local function places(rows)
  return vim.tbl_map(function(row)
    return row.file .. ':' .. row.line
  end, rows or {})
end

--- Refused with these places, byte by byte nothing changed; allowed, and the rest is changed.
local function check(files, args, unreached, config)
  project.fill(files)
  local refused = call(args, config)
  assert.equal(1, refused.code, refused.out)
  assert.equal('conflict', refused.answer.error.code, refused.out)
  assert.matches('cannot be rewritten, and nothing was changed', refused.answer.error.message)
  assert.same(unreached, places(refused.answer.error.sites), refused.out)
  assert.same(files, project.now(files))
  local allowed =
    call(vim.tbl_extend('error', args, { unreachable = 'allow', verify = false }), config)
  assert.equal(0, allowed.code, allowed.out)
  assert.same(unreached, places(allowed.answer.unreached), allowed.out)
  assert.is_false(allowed.answer.complete)
  return allowed
end

describe('change_signature cannot reach', function()
  before_each(function()
    dir = project.begin()
  end)
  after_each(project.finish)

  for name, config in vim.spairs { ['clangd 14'] = '', ['clangd 21'] = CLANGD_NEW } do
    config = config ~= '' and config or nil

    it("a template's dependent calls: " .. name, function()
      local files = {
        ['shape.hpp'] = '#pragma once\nstruct Shape {\n\tint edge(int side, int scale) const;\n};\n'
          .. 'struct Other {\n\tint edge(int side, int scale) const;\n};\n'
          .. 'int area(Shape s, int w);\nint area(Other s, int w);\n',
        ['shape.cpp'] = '#include "shape.hpp"\n'
          .. 'int Shape::edge(int side, int scale) const { return side * scale; }\n',
        ['use.hpp'] = '#pragma once\n#include "shape.hpp"\n\ntemplate <class T>\n'
          .. 'int twice(const T &t)\n{\n\treturn 2 * t.edge(1, 2);\n}\n',
        ['main.cpp'] = '#include "use.hpp"\n\nint use(const Shape &s, const Other &o)\n{\n'
          .. '\treturn twice(s) + s.edge(3, 4) + o.edge(5, 6);\n}\n',
      }
      files['compile_commands.json'] = helper.compiled(dir, { 'main.cpp', 'shape.cpp' }, CXX)
      check(files, { file_path = 'shape.cpp', symbol = 'Shape/edge' }, { 'use.hpp:7' }, config)
      assert.equal(
        'int Shape::edge(int scale, int side) const { return side * scale; }',
        helper.read(dir .. '/shape.cpp'):match('\n(.-)\n')
      )
      assert.matches('s%.edge%(4, 3%) %+ o%.edge%(5, 6%)', helper.read(dir .. '/main.cpp'))
    end)

    it('an overload that a template chooses: ' .. name, function()
      local files = {
        ['shape.hpp'] = '#pragma once\nint area(int w, long h);\nint area(double w, long h);\n'
          .. 'template <class T>\nint twice(T t)\n{\n\treturn 2 * area(t, 2);\n}\n',
        ['main.cpp'] = '#include "shape.hpp"\n\n'
          .. 'int area(int w, long h) { return w * (int)h; }\n'
          .. 'int use() { return twice(1) + twice(1.5) + area(3, 4); }\n',
      }
      files['compile_commands.json'] = helper.compiled(dir, { 'main.cpp' }, CXX)
      check(files, { file_path = 'main.cpp', line = 3, column = 5 }, { 'shape.hpp:7' }, config)
    end)

    it('the body of a macro that is not expanded, and a pointer: ' .. name, function()
      local files = {
        ['shape.h'] = 'int area(int w, int h);\n#define TWICE(x) area(x, x)\n'
          .. '#define SQUARE(area) ((area) * (area))\n#define FIELD(s) ((s)->area)\n',
        ['shape.c'] = '#include "shape.h"\n\nint area(int w, int h)\n{\n\treturn w * h;\n}\n',
        ['main.c'] = '#include "shape.h"\n\nint use(void)\n{\n'
          .. '\tint (*p)(int, int) = area;\n\n\treturn p(1, 2) + area(1, 2);\n}\n',
        ['other.c'] = 'static int area(int n) { return n; }\nint other(int n)\n{\n'
          .. '\treturn area(n); /* area(1, 2) */\n}\n'
          .. 'struct box { int area; };\nint of(struct box *b) { return b->area; }\n'
          .. '#if 0\nint gone = area(1, 2);\n#endif\n',
      }
      files['compile_commands.json'] =
        helper.compiled(dir, { 'main.c', 'shape.c', 'other.c' }, 'cc')
      check(files, { file_path = 'shape.c', symbol = 'area' }, { 'main.c:5', 'shape.h:2' }, config)
      assert.matches('= area;\n\n\treturn p%(1, 2%) %+ area%(2, 1%)', helper.read(dir .. '/main.c'))
      assert.equal(files['other.c'], helper.read(dir .. '/other.c'))
    end)

    it('what is not compiled here: ' .. name, function()
      local files = {
        ['shape.h'] = 'int area(int w, int h);\n',
        ['shape.c'] = '#include "shape.h"\n\nint area(int w, int h)\n{\n\treturn w * h;\n}\n\n'
          .. '#ifdef ELSEWHERE\nint far(void)\n{\n\treturn area(1, 2);\n}\n#endif\n',
      }
      files['compile_commands.json'] = helper.compiled(dir, { 'shape.c' }, 'cc')
      check(files, { file_path = 'shape.c', symbol = 'area' }, { 'shape.c:11' }, config)
    end)
  end

  it('a method of what has no known type: pyright', function()
    local files = {
      ['pyrightconfig.json'] = '{}\n',
      ['shape.py'] = 'class Shape:\n    def edge(self, side: int, scale: int) -> int:\n'
        .. '        return side * scale\n\n\n'
        .. 'class Other:\n    def edge(self, side: int) -> int:\n        return side\n',
      ['main.py'] = 'from shape import Other, Shape\n\n\ndef use(s: Shape, o: Other, x):\n'
        .. '    edge = 3\n    return s.edge(1, 2) + o.edge(3) + x.edge(4, 5) + edge\n',
    }
    local done = check(files, { file_path = 'shape.py', symbol = 'Shape/edge' }, { 'main.py:6' })
    assert.equal('the server does not know what this name means', done.answer.unreached[1].why)
    assert.matches(
      's%.edge%(2, 1%) %+ o%.edge%(3%) %+ x%.edge%(4, 5%)',
      helper.read(dir .. '/main.py')
    )
  end)

  it('a method of any: typescript', function()
    local files = {
      ['tsconfig.json'] = e2e.tsconfig(),
      ['shape.ts'] = 'export class Shape {\n  edge(side: number, scale: number): number {\n'
        .. '    return side * scale;\n  }\n}\n',
      ['main.ts'] = "import { Shape } from './shape';\n\n"
        .. 'export function use(s: Shape, x: any, o: { edge(n: number): number }): number {\n'
        .. '  return s.edge(1, 2) + x.edge(3, 4) + o.edge(5);\n}\n'
        .. 'export const edge = (a: number): number => a;\nexport const n = edge(1);\n',
    }
    check(files, { file_path = 'shape.ts', symbol = 'Shape/edge' }, { 'main.ts:4' })
    assert.matches(
      's%.edge%(2, 1%) %+ x%.edge%(3, 4%) %+ o%.edge%(5%)',
      helper.read(dir .. '/main.ts')
    )
  end)

  it('the body of a macro: rust-analyzer', function()
    local files = {
      ['Cargo.toml'] = '[package]\nname = "shapes"\nversion = "0.1.0"\nedition = "2021"\n\n'
        .. '[[bin]]\nname = "shapes"\npath = "main.rs"\n',
      ['main.rs'] = 'fn area(w: u32, h: u32) -> u32 {\n    w * h\n}\n\n'
        .. 'macro_rules! far {\n    ($x:expr) => {\n        area($x, 2)\n    };\n}\n\n'
        .. 'fn main() {\n    let _ = area(3, 4);\n}\n',
    }
    local config = e2e.samples.rust_analyzer and e2e.samples.rust_analyzer.config
    check(files, { file_path = 'main.rs', symbol = 'area' }, { 'main.rs:7' }, config)
  end)
end)

describe('change_signature of a method of Go that the standard library declares too', function()
  if not e2e.brought('gopls') then
    return
  end
  local parameters = { { new = 'force bool', argument = 'true' } }

  before_each(function()
    dir = project.begin()
  end)
  after_each(project.finish)

  --- What is named by way of that stays.
  local function changes(symbol, decls, outside, body, new_body)
    local head = ('package main\n\nimport (\n\t"fmt"\n\t"io"\n)\n\n%s\nfunc main() {\n'):format(
      decls
    )
    local unchanged =
      '\tvar c io.Closer\n\tvar n fmt.Stringer\n\tfmt.Print(c.Close(), n.String, n.String())\n}\n'
    project.fill {
      ['go.mod'] = 'module example.org/doors\n\ngo 1.21\n',
      ['main.go'] = head .. body .. unchanged,
    }
    local done = call { file_path = 'main.go', symbol = symbol, parameters = parameters }
    assert.equal(0, done.code, done.out)
    assert.is_true(done.answer.complete)
    assert.matches(outside, done.answer.warnings[1].message)
    local name = symbol:match('%w+$')
    local now = head:gsub(name .. '%(%)', name .. '(force bool)') .. new_body .. unchanged
    assert.equal(now, helper.read(dir .. '/main.go'))
  end

  it('changes it where it implements an interface from there', function()
    changes(
      'Door/Close',
      'type Door struct{}\n\nfunc (d *Door) Close() error { return nil }\n',
      'Close is declared outside of the project too, as in /.*/io%.go:%d+; what is called by way of that stays',
      '\td := &Door{}\n\td.Close()\n',
      '\td := &Door{}\n\td.Close(true)\n'
    )
  end)

  it('changes it where what is there implements its interface', function()
    changes(
      'Named/String',
      'type Named interface{ String() string }\n\ntype Door struct{}\n\n'
        .. 'func (d Door) String() string { return "" }\n',
      'String is declared outside of the project too',
      '\tvar d Named = Door{}\n\td.String()\n',
      '\tvar d Named = Door{}\n\td.String(true)\n'
    )
  end)
end)

describe('change_signature of a method of a trait from outside of the project', function()
  if not e2e.samples.rust_analyzer then
    return
  end

  it('is refused, and nothing there is asked about', function()
    dir = project.begin()
    local kit = helper.tempdir()
    helper.write(
      kit .. '/Cargo.toml',
      '[package]\nname = "kit"\nversion = "0.1.0"\nedition = "2021"\n'
    )
    helper.write(
      kit .. '/src/lib.rs',
      'pub trait Draw {\n    fn draw(&self);\n}\n\nimpl Draw for u32 {\n    fn draw(&self) {}\n}\n'
    )
    local files = {
      ['Cargo.toml'] = '[package]\nname = "shapes"\nversion = "0.1.0"\nedition = "2021"\n\n'
        .. ('[dependencies]\nkit = { path = "%s" }\n\n'):format(kit)
        .. '[[bin]]\nname = "shapes"\npath = "main.rs"\n',
      ['main.rs'] = 'use kit::Draw;\n\nstruct Shape;\n\nimpl Draw for Shape {\n'
        .. '    fn draw(&self) {}\n}\n\nfn main() {\n    Shape.draw();\n}\n',
    }
    project.fill(files)
    local done = call({
      file_path = 'main.rs',
      symbol = 'Shape/draw',
      parameters = { { new = 'n: u32', argument = '1' } },
    }, e2e.samples.rust_analyzer.config)
    assert.equal(1, done.code, done.out)
    assert.matches(
      ('draw is declared outside of the project too, as in %s/src/lib%%.rs:%%d+, and cannot be changed there'):format(
        vim.pesc(kit)
      ),
      done.answer.error.message
    )
    assert.same(files, project.now(files))
    project.finish()
    vim.fn.delete(kit, 'rf')
  end)
end)

-- The lines of a document that call change_signature from the shell.
local function examples(path)
  local list = {}
  for line in
    helper.read(helper.root .. '/' .. path):gmatch('%f[^\n]%s*(oxide call lsp_edit [^\n]+)')
  do
    if line:find('change_signature', 1, true) then
      table.insert(list, line)
    end
  end
  return list
end

describe('change_signature as the README shows it', function()
  it('changes the example project, which compiles then', function()
    local list = examples('README.md')
    assert.is_true(#list > 0)
    for _, line in ipairs(list) do
      dir = project.begin()
      vim.fn.system { helper.root .. '/tests/projects/copy.sh', 'c', dir }
      local argv = vim.fn.system { 'bash', '-c', 'printf "%s\\n" ' .. line }
      local words = vim.split(vim.trim(argv), '\n')
      assert.equal('oxide', table.remove(words, 1))
      local done = e2e.oxide(dir, vim.list_extend(words, { '--yes' }))
      assert.equal(0, done.code, line .. done.out .. done.err)
      assert.equal('ok', done.answer.syntax_check)
      local built = vim
        .system({ 'bash', '-c', 'cc -std=c11 -fsyntax-only src/*.c' }, { cwd = dir })
        :wait()
      assert.equal(0, built.code, built.stderr)
      vim.fn.delete(dir, 'rf')
    end
  end)
end)
