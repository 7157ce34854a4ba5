-- What generated.lua is about, by language: small programs that use what people use, and print
-- numbers that depend on all of it.
local e2e = require('e2e')
local generated = require('generated')

local call, params = generated.call, generated.params
local short, shorthand = generated.short, generated.shorthand

local M = {}

---@type table<string, fun(p: test.Generated, kind?: string)>
M.kinds = {}

local function append(list, ...)
  for _, one in ipairs { ... } do
    table.insert(list, one)
  end
end

local C_RUN = 'cc -w -Werror=implicit-function-declaration -Werror=int-conversion '
  .. '-Werror=incompatible-pointer-types %s -o "$1/main" src/*.c && "$1/main"'

--- One file of C that uses what the header has, and has things of its own of the same names.
local function c_caller(p, i, s)
  local file, t = { '#include "api.h"\n\n' }, { kind = 'gone', name = 't' }
  -- a function of this file alone; others have one of that name
  local own = p:symbol('static', s.shared)
  append(file, 'static int ', own, '(int x)\n{\n\treturn x + ', tostring(i), ';\n}\n\n')
  -- a local variable that is called like something of the whole program
  local shadow =
    p:symbol('local', p:name_of { ['function'] = true, variable = true, member = true })
  append(file, 'static int shadow', tostring(i), '(int x)\n{\n\tint ', shadow, ' = x * 2;\n\n')
  append(file, '\treturn ', shadow, ' + ', shadow, ';\n}\n\n')
  local value = p:symbol('local')
  append(file, 'int use', tostring(i), '(struct ', s.tag, ' *', t.name, ')\n{\n')
  append(file, '\t/* ', s.compute.name, ' and ', s.width.name, ' */\n')
  append(file, '\tint ', value, ' = ', call(s.compute, { 't->', s.width }, { tostring(i) }))
  append(file, ' + ', own, '(shadow', tostring(i), '(', tostring(i), '));\n\n')
  local uses = {
    { '\t', s.counter, ' += ', value, ';\n' },
    { '\t', value, ' += ', s.limit, ';\n' },
    { '\t', value, ' += ', s.apply, '(', value, ');\n' },
    { '\t', value, ' += ', s.helper, '(t);\n' },
    { '\t', value, ' += ', s.mode, ';\n' },
    { '\tstruct ', s.other, ' o = { .', s.other_width, ' = ', value, ' };\n\t', value },
    { '\tint (*f)(struct ', s.tag, ' *) = ', s.helper, ';\n\t', value, ' += f(t);\n' },
    {
      '\t',
      value,
      ' += ',
      call(s.compute, { call(s.compute, { '1' }, { value }) }, { '2' }),
      ';\n',
    },
    { '\t{\n\t\textern int ', s.counter, ';\n\t\t', s.counter, ' += 1;\n\t}\n' },
  }
  append(uses[6], ' += o.', s.other_width, ';\n')
  for _ = 1, 3 do
    append(file, table.remove(uses, p.throw(#uses)))
  end
  if p:once_in(25) then
    append(file, '#ifdef NEVER\n\t', value, ' = ', s.helper, '(t);\n#endif\n')
  end
  append(file, '\tprintf("', s.compute.name, ' %d\\n", ', value, ');\n')
  append(file, '\treturn ', value, ' + t->', s.depth, ';\n}\n')
  p.files[('src/c%02d.c'):format(i)] = file
end

--- `kind`: how it is told what compiles it: 'commands', 'flags' or 'none'.
function M.kinds.c(p, kind)
  local s = {
    compute = p:symbol('function', nil, { count = 2, new = 'int %s' }),
    helper = p:symbol('function'),
    counter = p:symbol('variable'),
    tag = p:symbol('tag'),
    other = p:symbol('tag'),
    width = p:symbol('member'),
    depth = p:symbol('member'),
    limit = p:symbol('macro'),
    apply = p:symbol('macro'),
    mode = p:symbol('constant'),
    via = p:symbol('macro'),
    shared = p:word(),
  }
  s.other_width = p:symbol('member', s.width.name)
  s.compute.home = 'src/api.c'
  local count = p:once_in(5) and 18 + p.throw(22) or 2 + p.throw(7)
  local inner = p:once_in(2) and { call(s.compute, { '(x)' }, { '1' }) } or { '(x)' }
  p.headers = p:once_in(3) and 'include' or 'src'
  local header = { '#ifndef API_H\n#define API_H\n#include <stdio.h>\n' }
  append(header, '#define ', s.limit, ' 7\n#define ', s.apply, '(x) (', inner, ' * 3)\n')
  append(header, 'struct ', s.tag, ' {\n\tint ', s.width, ';\n\tint ', s.depth, ';\n};\n')
  append(header, 'struct ', s.other, ' {\n\tint ', s.other_width, ';\n};\n')
  append(header, 'enum { FIRST, ', s.mode, ' = 4 };\nextern int ', s.counter, ';\n')
  append(header, 'int ', s.compute, '(', params(s.compute, { 'int a' }, { 'int b' }), ');\n')
  append(header, 'int ', s.helper, '(struct ', s.tag, ' *t);\n')
  append(header, '#define ', s.via, '(t) ((t)->', s.depth, ' + ', s.helper, '(t) * ', s.mode, ')\n')
  if p:once_in(10) then
    append(header, '#define NEVER_EXPANDED(t) ((t)->', s.width, ')\n')
  end
  append(header, '#endif\n')
  p.files[p.headers .. '/api.h'] = header
  -- has what the macro has in it by the macro alone
  p.files['src/only.c'] = {
    { '#include "api.h"\n\nint only(struct ', s.tag, ' *t)\n{\n\treturn ', s.via, '(t);\n}\n' },
  }
  local a, b = p:symbol('local', 'a'), p:symbol('local', 'b')
  p.files['src/api.c'] = {
    { '#include "api.h"\n\nint ', s.counter, ' = 3;\n\nint ', s.compute, '(' },
    { params(s.compute, { 'int ', a }, { 'int ', b }), ')\n{\n\treturn ', a, ' * 10 + ', b },
    { ';\n}\n\nint ', s.helper, '(struct ', s.tag, ' *t)\n{\n\treturn t->', s.depth, ' + ' },
    { s.limit, ';\n}\n' },
  }
  local main = { '#include "api.h"\n\nint only(struct ', s.tag, ' *t);\n' }
  for i = 1, count do
    c_caller(p, i, s)
    append(main, 'int use', tostring(i), '(struct ', s.tag, ' *t);\n')
  end
  append(main, '\nint main(void)\n{\n\tstruct ', s.tag, ' t = { .', s.width, ' = 2, .', s.depth)
  append(main, ' = 5 };\n\tint sum = 0;\n\n')
  for i = 1, count do
    append(main, '\tsum += use', tostring(i), '(&t);\n')
  end
  append(main, '\tprintf("%d %d\\n", sum + only(&t), ', s.counter, ');\n\treturn 0;\n}\n')
  p.files['src/main.c'] = main
  p.fixed['.git/HEAD'] = 'ref: refs/heads/main\n'
  if kind == 'flags' then
    p.fixed['compile_flags.txt'] = ('-I%s\n'):format(p.headers)
  end
  p.database = kind == 'commands'
  p.run = function(_, out)
    return { 'sh', '-c', C_RUN:format('-I' .. p.headers), 'sh', out }
  end
end

local function py_module(p, i, s)
  local file = { '"""', s.compute.name, ' in a string"""\n' }
  local way = p.throw(4)
  local alias = p:symbol('alias')
  local f, box = s.compute, s.box ---@type any, any
  if way == 1 then
    append(file, 'from .core import ', s.compute, ', ', s.box, ', ', s.limit, '\n')
  elseif way == 2 then
    append(file, 'from . import core\nfrom .core import ', s.limit, '\n')
    f, box = { 'core.', s.compute }, { 'core.', s.box }
  elseif way == 3 then
    append(file, 'from pkg.core import ', s.compute, ' as ', alias, '\n')
    append(file, 'from pkg.core import ', s.box, ', ', s.limit, '\n')
    f = alias
  else
    append(file, 'import pkg.core as ', alias, '\nfrom .core import ', s.limit, '\n')
    f, box = { alias, '.', s.compute }, { alias, '.', s.box }
  end
  local shadow = p:symbol('local', p:once_in(2) and s.compute.name or s.width.name)
  local b, total = p:symbol('local'), p:symbol('local')
  append(file, '\n\ndef plain', tostring(i), '(', shadow, '):\n    return ', shadow, ' + 1\n\n\n')
  append(file, 'def use', tostring(i), '(x):\n    ', b, ' = ', box, '(x)\n')
  append(file, '    ', total, ' = plain', tostring(i), '(', { b, '.', s.width }, ')\n')
  local function compute(first, second)
    if f == alias then
      return { alias, '(', { of = s.compute, called = true, lists = { first, second } }, ')' }
    end
    return {
      f == s.compute and '' or { f[1], f[2] == '.' and '.' or '' },
      call(s.compute, first, second),
    }
  end
  local uses = {
    { '    ', b, '.', s.width, ' = ', b, '.', s.width, ' + 2\n' },
    { '    ', b, '.', s.width, ' += ', s.limit, '\n' },
    { '    ', total, ' += ', b, '.', s.grow, '(3).', s.width, '\n' },
    { '    ', total, ' += ', compute({ 'x' }, { tostring(i) }), '\n' },
    { '    ', total, ' += ', compute({ compute({ '1' }, { 'x' }) }, { '2' }), '\n' },
    { '    ', total, ' += ', b, '.', s.depth, '\n' },
    { '    ', total, ' += sum(', compute({ 'k' }, { '1' }), ' for k in range(3))\n' },
    { '    ', total, ' += len(f"{', b, '.', s.width, '}")\n' },
    { '    ', total, ' += getattr(', b, ', "', 'none', '", 1)\n' },
  }
  if p.keywords then
    append(uses, { '    ', total, ' += ', f, '(', s.a, '=1, ', s.b, '=x)\n' })
    append(uses, { '    ', total, ' += ', f, '(x, ', s.b, '=2)\n' })
  end
  for _ = 1, 4 do
    append(file, table.remove(uses, p.throw(#uses)))
  end
  append(file, '    return ', total, '\n')
  p.files[('pkg/m%02d.py'):format(i)] = file
end

function M.kinds.python(p)
  p:surround { 'sum', 'range', 'len', 'getattr' }
  local s = {
    compute = p:symbol('function'),
    box = p:symbol('class'),
    width = p:symbol('property'),
    grow = p:symbol('method'),
    depth = p:symbol('attribute'),
    limit = p:symbol('constant'),
    a = p:symbol('parameter'),
    b = p:symbol('parameter'),
  }
  p.keywords = p:once_in(2)
  if not p.keywords then
    s.compute.signature = { count = 2, new = '%s' }
  end
  s.compute.home = 'pkg/core.py'
  local total = p:symbol('local')
  p.files['pkg/core.py'] = {
    { '"""The core."""\n\n', s.limit, ' = 7\n\n\ndef ', s.compute, '(' },
    { params(s.compute, { s.a }, { s.b }), '):\n    ', total, ' = ', s.a, ' * 10 + ', s.b, '\n' },
    { '    return ', total, '\n\n\nclass ', s.box, ':\n    def __init__(self, w):\n' },
    { '        self._w = w\n        self.', s.depth, ' = 1\n\n    @property\n    def ', s.width },
    { '(self):\n        return self._w\n\n    @', s.width, '.setter\n    def ', s.width },
    {
      '(self, v):\n        self._w = v\n\n    def ',
      s.grow,
      '(self, by):\n        self.',
      s.width,
    },
    { ' = self.', s.width, ' + by\n        self.', s.depth, ' += 1\n        return self\n' },
  }
  local main = {}
  local count = 2 + p.throw(6)
  for i = 1, count do
    py_module(p, i, s)
    append(main, ('from pkg.m%02d import use%d\n'):format(i, i))
  end
  for i = 1, count do
    append(main, ('print(use%d(%d))\n'):format(i, i))
  end
  p.files['main.py'] = main
  p.fixed['pkg/__init__.py'] = ''
  p.fixed['pyrightconfig.json'] = '{}\n'
  p.run = function()
    return {
      'sh',
      '-c',
      'export PYTHONDONTWRITEBYTECODE=1; for f in pkg/*.py; do python3 -c "import ast, sys; '
        .. 'ast.parse(open(sys.argv[1]).read())" "$f" || exit; done; python3 main.py',
    }
  end
end

local function ts_module(p, i, s)
  local file = { '// ', s.compute.name, '\n' }
  local from = p:once_in(2) and './core' or './index'
  local way, alias = p.throw(3), p:symbol('alias')
  local f, space
  if way == 1 then
    append(file, 'import { ', s.compute, ', ', s.box, ', ', s.shape, " } from '", from, "';\n")
    space = {}
  elseif way == 2 then
    append(file, 'import * as ', alias, " from '", from, "';\n")
    space = { alias, '.' }
  else
    append(file, 'import { ', s.compute, ' as ', alias, ', ', s.box, ', ', s.shape)
    append(file, " } from '", from, "';\n")
    f, space = alias, {}
  end
  local function compute(...)
    if f then
      return { f, '(', { of = s.compute, called = true, lists = { ... } }, ')' }
    end
    return { space, call(s.compute, ...) }
  end
  local n = tostring(i)
  local shadow = p:symbol('local', p:once_in(2) and s.compute.name or s.width.name)
  append(
    file,
    '\nfunction plain',
    n,
    '(',
    shadow,
    ': number): number {\n  return ',
    shadow,
    ' + 1;\n}\n'
  )
  local b, total, made = p:symbol('local'), p:symbol('local'), p:symbol('local')
  -- a variable called like the member it is put into
  local same = p:symbol('local', s.width.name)
  local taken, given = p:symbol('local', s.width.name), p:symbol('local', s.width.name)
  append(file, '\nexport function use', n, '(x: number): number {\n  const ', b, ' = new ', space)
  append(
    file,
    s.box,
    '(x);\n  const ',
    same,
    ' = x + ',
    n,
    ';\n  const ',
    made,
    ': ',
    space,
    s.shape
  )
  append(
    file,
    ' = { ',
    shorthand(s.width, same),
    ' };\n  let ',
    total,
    ' = plain',
    n,
    '(',
    made,
    '.'
  )
  append(file, s.width, ');\n')
  local uses = {
    { '  ', total, ' += ', compute({ 'x' }, { n }), ';\n' },
    { '  ', total, ' += ', compute({ compute({ '1' }, { 'x' }) }, { '2' }), ';\n' },
    { '  ', total, ' += ', b, '.', s.area, ';\n' },
    { '  ', total, ' += ', b, '.', s.grow, '(3).', s.side, ';\n' },
    { '  ', b, '.', s.side, ' = 4;\n' },
    { '  ', total, ' += [1, 2].map((k) => ', compute({ 'k' }, { '1' }), ').length;\n' },
    { '  const { ', s.width, ': w } = ', made, ';\n  ', total, ' += w;\n' },
    { '  ', total, ' += `${', made, '.', s.width, '}`.length;\n' },
    { '  {\n    const { ', shorthand(s.width, taken), ' } = ', made, ';\n    ' },
    { '  const pick = ({ ', shorthand(s.width, given), ' }: ', space, s.shape, ') => ', given },
    { '  ', total, ' += JSON.stringify({ ', shorthand(total.name, total), ' }).length;\n' },
  }
  append(uses[9], total, ' += ', taken, ';\n  }\n')
  append(uses[10], ';\n  ', total, ' += pick(', made, ');\n')
  for _ = 1, 6 do
    append(file, table.remove(uses, p.throw(#uses)))
  end
  append(file, '  return ', total, ';\n}\n')
  p.files[('src/m%02d.ts'):format(i)] = file
end

function M.kinds.typescript(p)
  local s = {
    compute = p:symbol('function'),
    box = p:symbol('class'),
    shape = p:symbol('interface'),
    width = p:symbol('member'),
    side = p:symbol('parameter property'),
    area = p:symbol('getter'),
    grow = p:symbol('method'),
  }
  local overloads = p:once_in(3)
  if not overloads then
    s.compute.signature = { count = 2, new = '%s: number' }
  end
  s.compute.home = 'src/core.ts'
  local a, b = p:symbol('local'), p:symbol('local')
  local core = { 'export interface ', s.shape, ' {\n  ', s.width, ': number;\n}\n\n' }
  if overloads then
    append(core, 'export function ', s.compute, '(a: number, b: number): number;\n')
    append(core, 'export function ', s.compute, '(a: number): number;\n')
  end
  local below = not overloads and p:once_in(2)
  append(core, below and '' or 'export ', 'function ', s.compute, '(', {
    params(s.compute, { a, ': number' }, { b, ': number', overloads and ' = 2' or '' }),
  })
  append(core, '): number {\n  return ', a, ' * 10 + ', b, ';\n}\n\nexport class ', s.box, ' {\n')
  append(core, '  constructor(public ', s.side, ': number) {}\n\n  get ', s.area, '(): number {\n')
  append(core, '    return this.', s.side, ' * 2;\n  }\n\n  ', s.grow, '(by: number): ', s.box)
  append(
    core,
    ' {\n    return new ',
    s.box,
    '(this.',
    s.side,
    ' + by + this.',
    s.area,
    ');\n  }\n}\n'
  )
  append(core, below and { '\nexport { ', s.compute, ' };\n' } or '')
  p.files['src/core.ts'] = core
  p.files['src/index.ts'] = p:once_in(2) and { "export * from './core';\n" }
    or { 'export { ', s.compute, ', ', s.box, ', ', s.shape, " } from './core';\n" }
  local main, count = {}, 2 + p.throw(5)
  for i = 1, count do
    ts_module(p, i, s)
    append(main, ("import { use%d } from './m%02d';\n"):format(i, i))
  end
  append(main, 'declare const console: { log(n: number): void };\n')
  for i = 1, count do
    append(main, ('console.log(use%d(%d));\n'):format(i, i))
  end
  p.files['src/main.ts'] = main
  p.fixed['tsconfig.json'] = e2e.tsconfig('src')
  p.run = function(_, out)
    return { 'sh', '-c', 'tsc -p . --outDir "$1" && node "$1/main.js"', 'sh', out }
  end
end

local function rust_module(p, i, s)
  local n, file = tostring(i), {}
  local way, alias = p.throw(3), p:symbol('alias')
  local f, space
  if way == 1 then
    append(file, 'use crate::core::{', s.compute, ', ', s.thing, ', ', s.trait, '};\n\n')
    space = {}
  elseif way == 2 then
    append(file, 'use crate::core::{self, ', s.trait, '};\n\n')
    space = { 'core::' }
  else
    append(
      file,
      'use crate::core::{',
      s.compute,
      ' as ',
      alias,
      ', ',
      s.thing,
      ', ',
      s.trait,
      '};\n\n'
    )
    f, space = alias, {}
  end
  local function compute(...)
    if f then
      return { f, '(', { of = s.compute, called = true, lists = { ... } }, ')' }
    end
    return { space, call(s.compute, ...) }
  end
  local shadow = p:symbol('local', p:once_in(2) and s.compute.name or s.width.name)
  append(file, 'fn plain', n, '(', shadow, ': i32) -> i32 {\n    ', shadow, ' + 1\n}\n\n')
  local t, total, same = p:symbol('local'), p:symbol('local'), p:symbol('local', s.width.name)
  append(file, 'pub fn use', n, '(x: i32) -> i32 {\n    let ', same, ' = x + ', n, ';\n    let ', t)
  append(file, ' = ', space, s.thing, ' { ', short(s.width, same), ', ', s.depth, ': 2 };\n')
  append(file, '    let mut ', total, ' = plain', n, '(', t, '.', s.width, ');\n')
  local uses = {
    { '    ', total, ' += ', compute({ 'x' }, { n }), ';\n' },
    { '    ', total, ' += ', compute({ compute({ '1' }, { 'x' }) }, { '2' }), ';\n' },
    { '    ', total, ' += ', t, '.', s.area, '();\n' },
    { '    ', total, ' += ', t, '.', s.grow, '(3);\n' },
    { '    ', total, ' += ', t, '.', s.depth, ' + crate::core::', s.limit, ';\n' },
    { '    assert!(', t, '.', s.width, ' != 10000);\n' },
  }
  local taken = { '    let ', space, s.thing, ' { ', s.width, ': w, .. } = &', t, ';\n' }
  append(uses, { taken, '    ', total, ' += *w;\n' })
  for _ = 1, 4 do
    append(file, table.remove(uses, p.throw(#uses)))
  end
  append(file, '    ', total, '\n}\n')
  p.files[('src/m%02d.rs'):format(i)] = file
end

function M.kinds.rust(p)
  local s = {
    compute = p:symbol('function', nil, { count = 2, new = '%s: i32' }),
    thing = p:symbol('type', 'Thing'),
    trait = p:symbol('trait', 'Measure'),
    width = p:symbol('field'),
    depth = p:symbol('field'),
    area = p:symbol('method'),
    grow = p:symbol('trait method'),
    limit = p:symbol('constant', 'LIMIT'),
  }
  s.compute.home = 'src/core.rs'
  local a, b = p:symbol('local'), p:symbol('local')
  p.files['src/core.rs'] = {
    { 'pub const ', s.limit, ': i32 = 7;\n\npub struct ', s.thing, ' {\n    pub ', s.width },
    { ': i32,\n    pub ', s.depth, ': i32,\n}\n\npub trait ', s.trait, ' {\n    fn ', s.grow },
    { '(&self, by: i32) -> i32;\n}\n\nimpl ', s.thing, ' {\n    pub fn ', s.area },
    { '(&self) -> i32 {\n        self.', s.width, ' * self.', s.depth, '\n    }\n}\n\nimpl ' },
    { s.trait, ' for ', s.thing, ' {\n    fn ', s.grow, '(&self, by: i32) -> i32 {\n' },
    { '        self.', s.area, '() + by\n    }\n}\n\npub fn ', s.compute, '(' },
    { params(s.compute, { a, ': i32' }, { b, ': i32' }), ') -> i32 {\n    ', a, ' * 10 + ', b },
    { '\n}\n' },
  }
  local main, count = { '#![allow(warnings)]\nmod core;\n' }, 2 + p.throw(4)
  for i = 1, count do
    rust_module(p, i, s)
    append(main, ('mod m%02d;\n'):format(i))
  end
  append(main, '\nfn main() {\n')
  for i = 1, count do
    append(main, ('    println!("{}", m%02d::use%d(%d));\n'):format(i, i, i))
  end
  append(main, '}\n')
  p.files['src/main.rs'] = main
  p.fixed['Cargo.toml'] = '[package]\nname = "shapes"\nversion = "0.1.0"\nedition = "2021"\n'
  p.server = e2e.samples.rust_analyzer.config
  p.run = function(_, out)
    return {
      'sh',
      '-c',
      'rustc --edition 2021 -o "$1/main" src/main.rs 2>&1 && "$1/main"',
      'sh',
      out,
    }
  end
end

---@param language string
---@param kind? string
---@param seed integer
---@return test.Generated
function M.make(language, kind, seed)
  local p = generated.new(seed)
  M.kinds[language](p, kind)
  return p
end

return M
