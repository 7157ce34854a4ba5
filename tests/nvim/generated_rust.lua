-- Generated projects of Rust: modules with structs, traits and closures.
local e2e = require('e2e')
local generated = require('generated')

local append, call, params, short =
  generated.append, generated.call, generated.params, generated.short

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

return function(p)
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
