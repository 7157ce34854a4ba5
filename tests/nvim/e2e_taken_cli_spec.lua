-- A new name that something else has already: with each server, a rename after which a place would
-- mean another thing than before is refused, also where both texts compile; all others are made.
local e2e = require('e2e')
local project = require('project')

---@class test.Taken
---@field files table<string, string>
---@field to string
---@field code? string     of the error, where the server refuses it by itself
---@field at_line? string   "a.c:5": what is refused because of it; nil: the rename is made

local C = {
  ['a use of a global that the local hides'] = {
    files = {
      ['a.c'] = 'int g = 1;\nint f(int a)\n{\n\tint «local» = a;\n\treturn local + g;\n}\n',
    },
    to = 'g',
    at_line = 'a.c:5',
  },
  ['a renamed use that a parameter hides'] = {
    files = { ['a.c'] = 'static int «outer»;\nint f(int g)\n{\n\treturn outer + g;\n}\n' },
    to = 'g',
    at_line = 'a.c:4',
  },
  ['a renamed use in another file that a local hides'] = {
    files = {
      ['area.h'] = 'extern int «area»;\n',
      ['a.c'] = '#include "area.h"\nint area = 1;\n',
      ['b.c'] = '#include "area.h"\nint f(void)\n{\n\tint g = 2;\n\treturn area + g;\n}\n',
    },
    to = 'g',
    at_line = 'b.c:5',
  },
  ['two globals that become one'] = {
    files = { ['a.c'] = 'int «a»;\nint g;\nint f(void)\n{\n\treturn a - g;\n}\n' },
    to = 'g',
    code = 'peer', -- clangd says so itself
  },
  ['a use in a file that does not change'] = {
    files = {
      ['count.h'] = 'extern int count;\n',
      ['total.h'] = 'extern int «total»;\n',
      ['a.c'] = '#include "total.h"\n#include "count.h"\nint f(void)\n{\n\treturn count;\n}\n',
    },
    to = 'count',
    at_line = 'a.c:5',
  },
  ['nothing: fields, locals elsewhere, comments and strings'] = {
    files = {
      ['a.c'] = 'struct pair { int «first», second; };\nstruct other { int g; };\n'
        .. 'int f(struct pair *p, struct other *o)\n{\n\treturn p->first + o->g; /* g */\n}\n'
        .. 'int h(int g)\n{\n\tconst char *s = "g";\n\treturn g + (s != 0);\n}\n',
    },
    to = 'g',
  },
}

local CPP = {
  ['a call that another overload takes'] = {
    files = {
      ['a.cpp'] = 'int pick(long n);\nint «take»(int n);\nint use()\n{\n\treturn pick(1) + take(1);\n}\n',
    },
    to = 'pick',
    at_line = 'a.cpp:5',
  },
  ['a function that a method hides'] = {
    files = {
      ['a.cpp'] = 'int g();\nstruct S {\n\tint «a»();\n\tint use() { return g(); }\n};\n',
    },
    to = 'g',
    at_line = 'a.cpp:4',
  },
  ['nothing: another overload, and a template'] = {
    files = {
      ['a.cpp'] = 'struct A { int g() { return 1; } };\nstruct B { int «b»() { return 2; } };\n'
        .. 'template <typename T> int get(T t) { return t.g(); }\n'
        .. 'int use() { return get(A()) + B().b(); }\n',
    },
    to = 'g',
  },
}

local PYTHON = {
  ['a use of a global that the local hides'] = {
    files = {
      ['a.py'] = 'g = 1\n\n\ndef f(a: int) -> int:\n    «local» = a\n    return local + g\n',
    },
    to = 'g',
    at_line = 'a.py:6',
  },
  ['a builtin that is used in the file'] = {
    files = {
      ['a.py'] = 'def «a»(x: int, y: int) -> int:\n    return x - y\n\n\n'
        .. 'def f() -> int:\n    return max(1, 2) + a(1, 2)\n',
    },
    to = 'max',
    at_line = 'a.py:6',
  },
  ['a method that is overridden'] = {
    files = {
      ['base.py'] = 'class Base:\n    def g(self) -> int:\n        return 1\n',
      ['a.py'] = 'from base import Base\n\n\nclass D(Base):\n    def «a»(self) -> int:\n        return 2\n',
      ['use.py'] = 'from a import D\n\n\ndef use(d: D) -> int:\n    return d.g()\n',
    },
    to = 'g',
    at_line = 'use.py:5',
  },
  ['two globals that become one'] = {
    files = { ['a.py'] = '«a» = 1\ng = 2\n\n\ndef f() -> int:\n    return a - g\n' },
    to = 'g',
    at_line = 'a.py:1',
  },
  ['nothing: another class, and a name that is imported as'] = {
    files = {
      ['shape.py'] = 'def «area»() -> int:\n    return 1\n',
      ['a.py'] = 'from shape import area as g\n\n\nclass Other:\n    def g(self) -> int:\n        return 2\n\n\n'
        .. 'def use(o: Other) -> int:\n    return o.g() + g()\n',
    },
    to = 'g',
  },
}

local TYPESCRIPT = {
  ['a use of a global that the local hides'] = {
    files = {
      ['a.ts'] = 'const g = 1;\nexport function f(a: number): number {\n  const «local» = a;\n  return local + g;\n}\n',
    },
    to = 'g',
    at_line = 'a.ts:4',
  },
  ['a renamed use that a parameter hides'] = {
    files = {
      ['a.ts'] = 'export const «outer» = 1;\n',
      ['b.ts'] = "import { outer } from './a';\nexport const f = (g: number) => {\n  return outer + g;\n};\n",
    },
    to = 'g',
    at_line = 'b.ts:3',
  },
  ['nothing: shorthands, and members of others'] = {
    files = {
      ['a.ts'] = 'export function f(«local»: number) {\n  const other = { g: 1 };\n'
        .. '  return { local, sum: local + other.g };\n}\n',
    },
    to = 'g',
  },
}

local RUST = {
  ['a parameter that a local hides'] = {
    files = {
      ['main.rs'] = 'fn f(g: i32, a: i32) -> i32 {\n    let «local» = a;\n    local + g\n}\n\n'
        .. 'fn main() {\n    println!("{}", f(1, 2));\n}\n',
    },
    to = 'g',
    at_line = 'main.rs:3',
  },
  ['nothing: a field, and another function'] = {
    files = {
      ['main.rs'] = 'struct P {\n    g: i32,\n}\n\nfn f(«local»: i32, p: P) -> i32 {\n    local + p.g\n}\n\n'
        .. 'fn main() {\n    let g = P { g: 1 };\n    println!("{}", f(1, g));\n}\n',
    },
    to = 'g',
  },
}

-- What makes a directory a project of the language.
local MARKERS = {
  c = { ['compile_flags.txt'] = '' },
  -- or clangd 21 reads the standard library, too
  cpp = { ['compile_flags.txt'] = '-std=c++17\n-nostdinc\n' },
  python = { ['pyrightconfig.json'] = '{}\n' },
  typescript = { ['tsconfig.json'] = e2e.tsconfig() },
  rust = {
    ['Cargo.toml'] = '[package]\nname = "taken"\nversion = "0.1.0"\nedition = "2021"\n\n'
      .. '[[bin]]\nname = "taken"\npath = "main.rs"\n',
  },
}

local RUNS = {
  { 'clangd', 'c', C },
  { 'clangd-new', 'c', C },
  { 'clangd', 'cpp', CPP },
  { 'clangd-new', 'cpp', CPP },
  { 'pyright', 'python', PYTHON },
  { 'typescript', 'typescript', TYPESCRIPT },
  { 'rust_analyzer', 'rust', RUST },
}

--- Where the mark is.
---@param files table<string, string>
---@return string file, integer line, integer column
local function marked(files)
  for file, text in pairs(files) do
    local before = text:match('^(.-)«')
    if before then
      local _, lines = before:gsub('\n', '')
      return file, lines + 1, #before:match('[^\n]*$') + 1
    end
  end
  error('no mark')
end

for _, run in ipairs(RUNS) do
  local server, language, cases = unpack(run)
  local config, options = e2e.samples[server].config, { ['rename.verify_ms'] = 60000 }
  -- clangd starts at once, and has an index of what another test had
  local resides = not vim.startswith(server, 'clangd')

  ---@param args table
  ---@return test.Called
  local function rename(args)
    if resides then
      return project.call('lsp_rename', args, { '--yes' })
    end
    local argv = { 'call', 'lsp_rename', '--yes', vim.json.encode(args) }
    return e2e.oxide(project.dir, argv, { config = config, options = options })
  end

  describe(('a name that is taken, %s with %s'):format(language, server), function()
    if resides then
      setup(function()
        project.reside(config, options)
      end)
      teardown(project.finish)
    else
      before_each(function()
        project.begin()
      end)
      after_each(project.finish)
    end

    for name, case in vim.spairs(cases) do
      it(
        ('%s %s'):format((case.at_line or case.code) and 'is refused:' or 'captures', name),
        function()
          local sample = { files = vim.tbl_extend('error', case.files, MARKERS[language]) }
          local file, line, column = marked(case.files)
          local before = e2e.before(sample)
          project.reset(before)
          local done = rename { file_path = file, line = line, column = column, new_name = case.to }
          if case.code then
            assert.equal(case.code, done.answer.error.code, done.out)
            assert.same(before, project.now(before))
          elseif case.at_line then
            assert.equal(1, done.code, done.out .. done.err)
            assert.equal('conflict', done.answer.error.code, done.out)
            local first = (done.answer.captures or done.answer.new_errors)[1]
            assert.matches('^' .. case.at_line .. '$', ('%s:%d'):format(first.file, first.line))
            assert.same(before, project.now(before))
          else
            assert.equal(0, done.code, done.out .. done.err)
            assert.equal('ok', done.answer.syntax_check, done.out)
            -- whatever else the server leaves open
            assert.is_nil(table.concat(done.answer.reasons or {}, ' '):match('called'), done.out)
          end
        end
      )
    end
  end)
end
