-- For each real server a text, and what lsp_edit has to make of it, byte by byte.
local e2e = require('e2e')

local CPP = [==[
#include "shape.h"

/* größe 😀 of a { */
template <class T>
T max_of(T a, T b)
{
	return a < b ? b : a; // }
}

struct Shape {
	int w = 1; ///< width
	int h = 2;

	/// Its area.
	[[nodiscard]] int area() const { return w * h; }
	int edge(int side) const
	{
		const char *s = "😀 }"; if (side) return w;

		return h + (s == 0);
	}
};

int a, b = 2;
typedef struct { int x; } point;
]==]

local PYTHON = [[
"""The größe 😀 of shapes."""
import functools

LIMIT = [
    10,
]


# How large.
@functools.cache
def area(w: int, h: int = 1) -> int:
    """Width times height."""
    return w * h
    # the end


class Shape:
    size = 1

    def edge(self, side: int) -> int:
        return side

    @property
    def both(self): return 2
]]

local TYPESCRIPT = [[
/** The größe 😀 of shapes. */
export const area = (w: number, h: number): number => w * h;

/** A shape. */
export class Shape {
  size = `${'}'}`;

  /** One edge. */
  static edge(side: number): number {
    const r = /[}]/, s = '😀'; if (r.test(s)) { return 0; }
    return side;
  }
}

const p = 1, q = 2;
]]

local RUST = [==[
//! The größe 😀 of shapes.

/// A shape.
pub struct Shape {
	w: i32, // width
	h: i32,
}

/// What has an area. {
pub trait Area {
	fn area(&self) -> i32;
}

impl Area for Shape {
	/// Width times height.
	#[inline]
	fn area(&self) -> i32 { self.w * self.h }
}

impl Shape {
	pub fn edge(&self, side: i32) -> i32 {
		let s = r#"😀 }"#; if side == '}' as i32 { return self.w; }
		let _ = s;

		self.h
	}
}

pub const LIMIT: i32 = 10;
]==]

local GO = [[
// Package a is about the größe 😀 of shapes.
package a

// Shape is one.
type Shape struct {
	W int // width
	H int
}

// Area has an area. {
type Area interface {
	Area() int
}

// Area is width times height.
func (s Shape) Area() int { return s.W * s.H }

// Edge of a side.
func (s *Shape) Edge(side rune) int {
	r := `😀 }`; if side == '}' && r != "" { return s.W }

	return s.H
}

const Limit = 10
]]

---@class test.EditCase
---@field [1] table       arguments
---@field [2] string      lines, of before, that change
---@field [3] string      what they become
---@field answer? table   members of the answer

---@type table<string, test.EditCase>
local C_CASES = {
  ['replace keeps comment and template'] = {
    {
      symbol = 'max_of',
      action = 'replace',
      content = 'T max_of(T a, T b) { return b < a ? a : b; }',
    },
    'T max_of(T a, T b)\n{\n\treturn a < b ? b : a; // }\n}\n',
    'T max_of(T a, T b) { return b < a ? a : b; }\n',
  },
  ['replace_body'] = {
    {
      symbol = 'Shape/edge',
      action = 'replace_body',
      content = 'if (side)\n\treturn w;\nreturn h;',
    },
    '\t\tconst char *s = "😀 }"; if (side) return w;\n\n\t\treturn h + (s == 0);\n',
    '\t\tif (side)\n\t\t\treturn w;\n\t\treturn h;\n',
    answer = { shifted = { from = '', to = '\t\t' }, body = 'selection range', kind = 'method' },
  },
  ['insert_before'] = {
    { symbol = 'Shape/area', action = 'insert_before', content = 'int d = 3;' },
    '\t/// Its area.\n',
    '\tint d = 3;\n\n\t/// Its area.\n',
  },
  ['insert_after'] = {
    { symbol = 'w', action = 'insert_after', content = 'int d = 3;' },
    '\tint w = 1; ///< width\n',
    '\tint w = 1; ///< width\n\tint d = 3;\n',
  },
  ['delete'] = {
    { symbol = '/max_of', action = 'delete' },
    '/* größe 😀 of a { */\ntemplate <class T>\nT max_of(T a, T b)\n{\n\treturn a < b ? b : a; // }\n}\n\n',
    '',
  },
  ['delete of what typedef names'] = {
    { symbol = 'point', action = 'delete' },
    'typedef struct { int x; } point;\n',
    '',
  },
}

local CASES = {
  clangd = { file = 'a.cpp', text = CPP, cases = C_CASES },
  ['clangd-new'] = {
    file = 'a.cpp',
    text = CPP,
    cases = C_CASES,
    config = e2e.samples['clangd-new'].config,
  },
  pyright = {
    file = 'a.py',
    text = PYTHON,
    cases = {
      ['replace of a variable'] = {
        { symbol = 'LIMIT', action = 'replace', content = 'LIMIT = [20]' },
        'LIMIT = [\n    10,\n]\n',
        'LIMIT = [20]\n',
      },
      ['replace keeps comment and decorator'] = {
        {
          symbol = 'area',
          action = 'replace',
          content = 'def area(w: int, h: int = 1) -> int:\n    return h * w\n',
        },
        '    """Width times height."""\n    return w * h\n    # the end\n',
        '    return h * w\n',
      },
      ['replace_body'] = {
        { symbol = 'Shape/both', action = 'replace_body', content = 'x = 2\nreturn x' },
        '    def both(self): return 2\n',
        '    def both(self):\n        x = 2\n        return x\n',
        answer = { shifted = { from = '', to = '        ' }, body = 'indentation' },
      },
      ['insert_before'] = {
        {
          symbol = 'area',
          action = 'insert_before',
          content = 'def one() -> int:\n    return 1\n',
        },
        '# How large.\n',
        'def one() -> int:\n    return 1\n\n\n# How large.\n',
      },
      ['insert_after'] = {
        { symbol = 'area', action = 'insert_after', content = 'def one() -> int:\n    return 1\n' },
        '    # the end\n',
        '    # the end\n\n\ndef one() -> int:\n    return 1\n',
      },
      ['delete'] = {
        { symbol = 'Shape/both', action = 'delete' },
        '\n    @property\n    def both(self): return 2\n',
        '',
      },
    },
  },
  typescript = {
    file = 'a.ts',
    text = TYPESCRIPT,
    cases = {
      ['replace of a constant'] = {
        {
          symbol = 'area',
          action = 'replace',
          content = 'export const area = (w: number, h: number): number => h * w',
        },
        '=> w * h;\n',
        '=> h * w;\n',
      },
      ['replace_body'] = {
        { symbol = 'Shape/edge', action = 'replace_body', content = '{\n  return 0;\n}' },
        "    const r = /[}]/, s = '😀'; if (r.test(s)) { return 0; }\n    return side;\n",
        '    return 0;\n',
        answer = { shifted = { from = '  ', to = '    ' }, body = 'selection range' },
      },
      ['insert_before'] = {
        { symbol = 'Shape', action = 'insert_before', content = 'export const one = 1;' },
        '/** A shape. */\n',
        'export const one = 1;\n\n/** A shape. */\n',
      },
      ['insert_after'] = {
        { symbol = 'size', action = 'insert_after', content = 'name = "a";' },
        "  size = `${'}'}`;\n",
        '  size = `${\'}\'}`;\n\n  name = "a";\n',
      },
      ['delete'] = {
        { symbol = 'Shape/edge', action = 'delete' },
        '\n  /** One edge. */\n  static edge(side: number): number {\n'
          .. "    const r = /[}]/, s = '😀'; if (r.test(s)) { return 0; }\n    return side;\n  }\n",
        '',
      },
    },
  },
  rust_analyzer = e2e.samples.rust_analyzer
    and {
      file = 'a.rs',
      text = RUST,
      config = e2e.samples.rust_analyzer.config,
      files = {
        ['Cargo.toml'] = '[package]\nname = "a"\nversion = "0.1.0"\n\n[lib]\npath = "a.rs"\n',
      },
      cases = {
        ['replace keeps comment and attribute'] = {
          {
            symbol = 'impl Area for Shape/area',
            action = 'replace',
            content = 'fn area(&self) -> i32 {\n\tself.h * self.w\n}',
          },
          '\tfn area(&self) -> i32 { self.w * self.h }\n',
          '\tfn area(&self) -> i32 {\n\t\tself.h * self.w\n\t}\n',
        },
        ['replace_body'] = {
          {
            symbol = 'Shape/edge',
            action = 'replace_body',
            content = 'if side > 0 {\n\treturn self.w;\n}\nself.h',
          },
          '\t\tlet s = r#"😀 }"#; if side == \'}\' as i32 { return self.w; }\n\t\tlet _ = s;\n\n\t\tself.h\n',
          '\t\tif side > 0 {\n\t\t\treturn self.w;\n\t\t}\n\t\tself.h\n',
          answer = { shifted = { from = '', to = '\t\t' }, body = 'selection range' },
        },
        ['insert_before'] = {
          { symbol = 'Shape', action = 'insert_before', content = 'pub const ONE: i32 = 1;' },
          '/// A shape.\n',
          'pub const ONE: i32 = 1;\n\n/// A shape.\n',
        },
        ['insert_after'] = {
          {
            symbol = 'Area/area',
            action = 'insert_after',
            content = 'fn twice(&self) -> i32 { 2 * self.area() }',
          },
          '\tfn area(&self) -> i32;\n',
          '\tfn area(&self) -> i32;\n\tfn twice(&self) -> i32 { 2 * self.area() }\n',
        },
        ['delete'] = {
          { symbol = 'LIMIT', action = 'delete' },
          '\npub const LIMIT: i32 = 10;\n',
          '',
        },
      },
    },
  gopls = e2e.samples.gopls and {
    file = 'a.go',
    text = GO,
    files = { ['go.mod'] = 'module example.org/a\n\ngo 1.21\n' },
    cases = {
      ['replace keeps the comment'] = {
        {
          symbol = 'Shape/Area',
          action = 'replace',
          content = 'func (s Shape) Area() int { return s.H * s.W }',
        },
        's.W * s.H',
        's.H * s.W',
      },
      ['replace_body'] = {
        {
          symbol = 'Shape/Edge',
          action = 'replace_body',
          content = 'if side > 0 {\n\treturn s.W\n}\nreturn s.H',
        },
        '\tr := `😀 }`; if side == \'}\' && r != "" { return s.W }\n\n',
        '\tif side > 0 {\n\t\treturn s.W\n\t}\n',
        answer = { shifted = { from = '', to = '\t' }, body = 'selection range' },
      },
      ['insert_before'] = {
        { symbol = 'Shape', action = 'insert_before', content = 'const One = 1' },
        '// Shape is one.\n',
        'const One = 1\n\n// Shape is one.\n',
      },
      ['insert_after'] = {
        { symbol = 'W', action = 'insert_after', content = 'D int' },
        '\tW int // width\n',
        '\tW int // width\n\tD int\n',
      },
      ['delete'] = {
        { symbol = '(*Shape).Edge', action = 'delete' },
        '// Edge of a side.\nfunc (s *Shape) Edge(side rune) int {\n'
          .. '\tr := `😀 }`; if side == \'}\' && r != "" { return s.W }\n\n\treturn s.H\n}\n\n',
        '',
      },
    },
  },
}

return CASES
