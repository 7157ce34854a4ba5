-- For each real server a small project, and what change_signature has to make of it, byte by byte.
local e2e = require('e2e')
local helper = require('helper')

local C = {
  ['shape.h'] = '#ifndef SHAPE_H\n#define SHAPE_H\nint area(int w, int h);\n#endif\n',
  ['shape.c'] = '#include "shape.h"\n\nint area(int w, int h)\n{\n\treturn w * h;\n}\n',
  ['main.c'] = '#include "shape.h"\n\nint main(void)\n{\n'
    .. '\tconst char *s = "größe 😀 area(1, 2)"; int n = area(area(1, 2), /* h */ 3);\n\n'
    .. '\treturn n + (s != 0) + area(\n\t\tn, // one\n\t\t2  // two\n\t);\n}\n',
  ['twice.c'] = '#include "shape.h"\r\n\r\nint twice(int x) { return area(x,\r\n\t2); }',
}

local CPP = {
  ['shape.hpp'] = '#pragma once\n#include <utility>\n\nstruct Shape {\n'
    .. '\tvirtual int edge(int side, int scale) const = 0;\n};\n\n'
    .. 'struct Square : Shape {\n\tint edge(int side, int scale) const override;\n};\n',
  ['shape.cpp'] = '#include "shape.hpp"\n\nint Square::edge(int side, int scale) const\n{\n'
    .. '\treturn side * scale;\n}\n',
  ['main.cpp'] = '#include "shape.hpp"\n\nint use(const Shape &s, const Square *q, Square r)\n{\n'
    .. '\tauto f = [&](int a, int b) { return s.edge(a, b); };\n'
    .. '\treturn s.edge(std::pair<int, int>(1, 2).first, 3) +\n'
    .. '\t       q->edge(f(1, 2), 3) + r.Square::edge(4, 5);\n}\n',
}

local PYTHON = {
  ['pyrightconfig.json'] = '{}\n',
  ['shape.py'] = '"""Shapes."""\n\n__all__ = ["area", "Shape"]\n\n\n'
    .. 'def area(w: int, h: int = 1, *, unit: str = "m") -> int:\n'
    .. '    print(unit)\n    return w * h\n\n\nclass Shape:\n'
    .. '    def edge(self, side: int, scale: int) -> int:\n        return area(side, h=scale)\n',
  ['main.py'] = 'import shape\nfrom shape import area, Shape\n\n\ndef main(s: Shape) -> str:\n'
    .. '    n = area(1) + shape.area(h=2, w=1) + area(\n        1,\n        2,  # two\n    )\n'
    .. '    n += s.edge(1, 2) + Shape.edge(s, 1, scale=2)\n    return f"{area(n, 2)} größe"\n',
}

local TYPESCRIPT = {
  ['tsconfig.json'] = e2e.tsconfig(),
  ['shape.ts'] = 'export interface Shape {\n  edge(side: number, scale?: number): number;\n}\n\n'
    .. 'export class Square implements Shape {\n  edge(side: number, scale = 1): number {\n'
    .. '    return area(side, scale);\n  }\n}\n\n'
    .. 'export function area(w: number, h: number): number {\n  return w * h;\n}\n\n'
    .. 'export const twice = (w: number, h: number): number => 2 * area(w, h);\n',
  ['main.ts'] = "import { area, twice as double, Square, type Shape } from './shape';\n\n"
    .. 'export function main(s: Shape): string {\n  const n = area(1, 2) + double(7, 8);\n'
    .. '  return `größe ${area(n, 2)}` + s.edge(1) + new Square().edge(\n    1,\n    2,\n  );\n}\n',
}

local RUST = {
  ['Cargo.toml'] = '[package]\nname = "shapes"\nversion = "0.1.0"\nedition = "2021"\n\n'
    .. '[[bin]]\nname = "shapes"\npath = "main.rs"\n',
  ['main.rs'] = 'mod square;\n\npub trait Shape {\n'
    .. '    fn edge(&self, side: u32, scale: u32) -> u32;\n}\n\n'
    .. 'fn main() {\n    let s = square::Square;\n'
    .. '    let _ = ("größe 😀", s.edge(1, 2), Shape::edge(&s, (3, 4).0, 5));\n}\n',
  ['square.rs'] = 'use crate::Shape;\n\npub struct Square;\n\nimpl Shape for Square {\n'
    .. '    fn edge(&self, side: u32, scale: u32) -> u32 {\n        side * scale\n    }\n}\n',
}

local GO = {
  ['go.mod'] = 'module example.org/shapes\n\ngo 1.21\n',
  ['shape.go'] = 'package main\n\ntype Shape interface {\n\tEdge(side, scale int) int\n}\n\n'
    .. 'type Square struct{}\n\nfunc (s *Square) Edge(side, scale int) int {\n'
    .. '\treturn side * scale\n}\n',
  ['main.go'] = 'package main\n\nfunc use(s Shape, q *Square) int {\n'
    .. '\treturn len("größe 😀") + s.Edge(1, 2) + q.Edge(3, 4) + (*Square).Edge(q, 5, 6)\n}\n\n'
    .. 'func main() { println(use(&Square{}, &Square{})) }\n',
}

---@param files string[]
---@param command string
local function compiled(files, command)
  return function(dir)
    return { ['compile_commands.json'] = helper.compiled(dir, files, command) }
  end
end

local c = compiled({ 'main.c', 'shape.c', 'twice.c' }, 'cc -Wall')
local cpp = compiled({ 'main.cpp', 'shape.cpp' }, 'c++ -std=c++17')

---@class test.SignatureCase
---@field [1] table    arguments
---@field [2] table<string, string[][]>   of each file that changes, what is replaced
---@field answer? table

---@class test.SignatureSample
---@field files table<string, string>
---@field extra? fun(dir: string): table<string, string>
---@field config? string
---@field cases table<string, test.SignatureCase>

local C_CASES = {
  ['moves, renames and adds parameters, and renames the function'] = {
    {
      file_path = 'shape.h',
      symbol = 'area',
      parameters = { { from = 1 }, { from = 0, name = 'width' }, { new = 'int z', argument = '0' } },
      new_name = 'size',
    },
    {
      ['shape.h'] = { { 'area(int w, int h)', 'size(int h, int width, int z)' } },
      ['shape.c'] = {
        { 'area(int w, int h)', 'size(int h, int width, int z)' },
        { 'w * h', 'width * h' },
      },
      ['main.c'] = {
        { 'area(area(1, 2), /* h */ 3)', 'size(/* h */ 3, size(2, 1, 0), 0)' },
        {
          'area(\n\t\tn, // one\n\t\t2  // two\n\t',
          'size(\n\t\t2,  // two\n\t\tn, // one\n\t\t0\n\t',
        },
      },
      ['twice.c'] = { { 'area(x,\r\n\t2)', 'size(2,\r\n\tx,\r\n\t0)' } },
    },
    answer = {
      declarations = 2,
      calls = 4,
      sites = 6,
      files_changed = 4,
      new_signature = 'size(int h, int width, int z)',
      mentions_total = 1,
    },
  },
  ['reads the list as text, from a call'] = {
    { file_path = 'main.c', line = 7, symbol = 'area', signature = 'int h, int w' },
    {
      ['shape.h'] = { { '(int w, int h)', '(int h, int w)' } },
      ['shape.c'] = { { '(int w, int h)', '(int h, int w)' } },
      ['main.c'] = {
        { 'area(area(1, 2), /* h */ 3)', 'area(/* h */ 3, area(2, 1))' },
        { 'n, // one\n\t\t2  // two', '2,  // two\n\t\tn // one' },
      },
      ['twice.c'] = { { '(x,\r\n\t2)', '(2,\r\n\tx)' } },
    },
  },
}

---@type table<string, test.SignatureSample>
local M = {
  clangd = { files = C, extra = c, cases = C_CASES },
  ['clangd-new'] = {
    files = C,
    extra = c,
    cases = C_CASES,
    config = e2e.samples['clangd-new'].config,
  },
  ['clangd, C++'] = {
    files = CPP,
    extra = cpp,
    cases = {
      ['changes what overrides it, and what it overrides'] = {
        {
          file_path = 'shape.cpp',
          symbol = 'Square/edge',
          parameters = { { from = 1 }, { from = 0, name = 'length' } },
        },
        {
          ['shape.hpp'] = {
            { '(int side, int scale) const = 0', '(int scale, int length) const = 0' },
            { '(int side, int scale) const override', '(int scale, int length) const override' },
          },
          ['shape.cpp'] = {
            { '(int side, int scale)', '(int scale, int length)' },
            { 'side *', 'length *' },
          },
          ['main.cpp'] = {
            { '(a, b); }', '(b, a); }' },
            { '(std::pair<int, int>(1, 2).first, 3)', '(3, std::pair<int, int>(1, 2).first)' },
            { '(f(1, 2), 3)', '(3, f(1, 2))' },
            { '(4, 5)', '(5, 4)' },
          },
        },
        answer = { declarations = 3, calls = 4 },
      },
    },
  },
  pyright = {
    files = PYTHON,
    cases = {
      ['knows arguments by their names'] = {
        {
          file_path = 'shape.py',
          symbol = 'area',
          signature = 'size(width: int, d: int := 5, h: int = 1, *, unit: str = "m")',
        },
        {
          ['shape.py'] = {
            { '["area"', '["size"' },
            { 'area(w: int, h', 'size(width: int, d: int, h' },
            { 'w * h', 'width * h' },
            { 'area(side, h=scale)', 'size(side, 5, h=scale)' },
          },
          ['main.py'] = {
            { 'import area', 'import size' },
            { 'area(1)', 'size(1, 5)' },
            { 'area(h=2, w=1)', 'size(h=2, width=1, d=5)' },
            { 'area(\n        1,\n', 'size(\n        1,\n        5,\n' },
            { 'area(n, 2)', 'size(n, 5, 2)' },
          },
        },
        answer = { declarations = 1, calls = 5 },
      },
      ['tells the object from the arguments'] = {
        {
          file_path = 'shape.py',
          symbol = 'Shape/edge',
          parameters = { { from = 1 }, { from = 0 } },
        },
        {
          ['shape.py'] = { { 'side: int, scale: int', 'scale: int, side: int' } },
          ['main.py'] = {
            { 's.edge(1, 2)', 's.edge(2, 1)' },
            { '(s, 1, scale=2)', '(s, scale=2, side=1)' },
          },
        },
      },
    },
  },
  typescript = {
    files = TYPESCRIPT,
    cases = {
      ['follows another name, and a function that is a value'] = {
        {
          file_path = 'shape.ts',
          symbol = 'twice',
          signature = 'thrice(height: number, w: number, n: number := 3)',
        },
        {
          ['shape.ts'] = {
            {
              'twice = (w: number, h: number): number => 2 * area(w, h)',
              'thrice = (height: number, w: number, n: number): number => 2 * area(w, height)',
            },
          },
          ['main.ts'] = { { 'twice as', 'thrice as' }, { 'double(7, 8)', 'double(8, 7, 3)' } },
        },
      },
      ['changes an interface and what implements it'] = {
        {
          file_path = 'shape.ts',
          symbol = 'Shape/edge',
          parameters = {
            { new = 'n: number', argument = '3' },
            { from = 0 },
            { from = 1, name = 'factor' },
          },
        },
        {
          ['shape.ts'] = {
            { '(side: number, scale?: number)', '(n: number, side: number, factor?: number)' },
            { '(side: number, scale = 1)', '(n: number, side: number, factor = 1)' },
            { 'area(side, scale)', 'area(side, factor)' },
          },
          ['main.ts'] = { { 'edge(1)', 'edge(3, 1)' }, { '\n    1,', '\n    3,\n    1,' } },
        },
        answer = { declarations = 2, calls = 2 },
      },
    },
  },
}

if e2e.samples.rust_analyzer then
  M.rust_analyzer = {
    files = RUST, -- of a trait it knows nothing without the standard library
    cases = {
      ['changes a trait, what implements it, and both forms of a call'] = {
        {
          file_path = 'main.rs',
          symbol = 'Shape/edge',
          signature = 'edge(&self, scale: u32, length: u32, n: u32 := 0)',
        },
        {
          ['main.rs'] = {
            { 'side: u32, scale: u32', 'scale: u32, length: u32, n: u32' },
            { '(1, 2)', '(2, 1, 0)' },
            { '(&s, (3, 4).0, 5)', '(&s, 5, (3, 4).0, 0)' },
          },
          ['square.rs'] = {
            { 'side: u32, scale: u32', 'scale: u32, length: u32, n: u32' },
            { 'side *', 'length *' },
          },
        },
        answer = { declarations = 2, calls = 2 },
      },
    },
  }
end

if e2e.samples.gopls then
  M.gopls = {
    files = GO,
    cases = {
      ['changes an interface, a method of it, and a call by the type'] = {
        { file_path = 'shape.go', symbol = 'Shape/Edge', signature = 'Edge(scale int, side int)' },
        {
          ['shape.go'] = {
            { 'Edge(side, scale int) int\n}', 'Edge(scale int, side int) int\n}' },
            { 'Edge(side, scale int) int {', 'Edge(scale int, side int) int {' },
          },
          ['main.go'] = {
            { '(1, 2)', '(2, 1)' },
            { '(3, 4)', '(4, 3)' },
            { '(q, 5, 6)', '(q, 6, 5)' },
          },
        },
        answer = { declarations = 2, calls = 3 },
      },
    },
  }
end

return M
