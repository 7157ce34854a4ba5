-- Generated projects of TypeScript: modules with classes, interfaces and what is destructured.
local e2e = require('e2e')
local generated = require('generated')

local append, call, params, shorthand =
  generated.append, generated.call, generated.params, generated.shorthand

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

return function(p)
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
