-- Renames of TypeScript where one word means two things: `{ width }` is a property and a variable,
-- `export { size }` is a name here and a name for others. After each the compiler agrees and the
-- program prints what it printed before.
local complete = require('complete')
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local FILES = {
  ['.git/keep'] = '',
  ['tsconfig.json'] = e2e.tsconfig(),
  ['core.ts'] = 'declare const console: { log(s: string): void };\n'
    .. 'const size = 3;\n'
    .. 'export function show(width: number): void {\n'
    .. '  console.log(JSON.stringify({ width, size }));\n'
    .. '}\n'
    .. 'export { size };\n'
    .. 'export interface Box {\n  depth: number;\n}\n',
  ['index.ts'] = "export { size } from './core';\nexport * from './core';\n",
  ['use.ts'] = "import { size, Box } from './index';\n"
    .. 'export const box = { size };\n'
    .. 'export const other = ({ depth }: Box): number => depth + size + box.size;\n'
    .. 'export function inner(given: Box): string {\n  const { depth } = given;\n'
    .. '  return JSON.stringify({ depth });\n}\n',
  ['main.ts'] = "import { size as mine } from './core';\nimport * as all from './index';\n"
    .. "import { box, inner, other } from './use';\n"
    .. 'all.show(mine + all.size);\nall.show(other({ depth: 2 }) + box.size + inner({ depth: 7 }).length);\n',
}

local core, dir

local printed = {} ---@type table<string, string>   by what the project holds

--- What the program prints, once the compiler agrees to it.
local function prints()
  local key = vim.inspect(helper.tree(dir, project.visible))
  if not printed[key] then
    local done = vim
      .system(
        { 'sh', '-c', 'tsc -p . --outDir "$1" && node "$1/main.js"', 'sh', dir .. '.out' },
        { cwd = dir, text = true }
      )
      :wait()
    assert(done.code == 0, done.stdout .. done.stderr)
    printed[key] = done.stdout
  end
  return printed[key]
end

describe('a rename of what TypeScript calls by one word with another', function()
  setup(function()
    core, dir = complete.begin(FILES)
  end)
  before_each(function()
    project.reset(FILES)
  end)
  teardown(project.finish)

  --- The lines that are others afterwards, by file.
  local function changes(file, line, column, new)
    local before, changed = prints(), {}
    core:ok('read_file', { file_path = file })
    local answer = core:ok('lsp_rename', {
      file_path = file,
      line = line,
      column = column,
      new_name = new,
      confirm = 'apply',
    })
    assert.matches('complete: true', answer)
    assert.equal(before, prints())
    for name, text in pairs(FILES) do
      local was = vim.split(text, '\n')
      for i, now in ipairs(vim.split(helper.read(dir .. '/' .. name), '\n')) do
        if now ~= was[i] then
          changed[name .. ':' .. i] = now
        end
      end
    end
    return changed
  end

  local EVERYWHERE = {
    ['core.ts:2'] = 'const extent = 3;',
    ['core.ts:4'] = '  console.log(JSON.stringify({ width, size: extent }));',
    ['core.ts:6'] = 'export { extent };',
    ['index.ts:1'] = "export { extent } from './core';",
    ['use.ts:1'] = "import { extent, Box } from './index';",
    ['use.ts:2'] = 'export const box = { size: extent };',
    ['use.ts:3'] = 'export const other = ({ depth }: Box): number => depth + extent + box.size;',
    ['main.ts:1'] = "import { extent as mine } from './core';",
    ['main.ts:4'] = 'all.show(mine + all.extent);',
  }

  it('reaches all importers from the declaration, and keeps the properties', function()
    assert.same(EVERYWHERE, changes('core.ts', 2, 7, 'extent'))
  end)

  it('does the same from an importer behind a re-export', function()
    assert.same(EVERYWHERE, changes('use.ts', 3, 58, 'extent'))
  end)

  it('does the same from the export', function()
    assert.same(EVERYWHERE, changes('core.ts', 6, 10, 'extent'))
  end)

  it('does the same from a namespace', function()
    assert.same(EVERYWHERE, changes('main.ts', 4, 21, 'extent'))
  end)

  it('of a parameter leaves the property that is made of it', function()
    assert.same({
      ['core.ts:3'] = 'export function show(breadth: number): void {',
      ['core.ts:4'] = '  console.log(JSON.stringify({ width: breadth, size }));',
    }, changes('core.ts', 3, 22, 'breadth'))
  end)

  it('of what a pattern takes out leaves the property', function()
    assert.same({
      ['use.ts:5'] = '  const { depth: deep } = given;',
      ['use.ts:6'] = '  return JSON.stringify({ depth: deep });',
    }, changes('use.ts', 5, 11, 'deep'))
  end)

  it('of a property leaves the variables that patterns make of it', function()
    assert.same({
      ['core.ts:8'] = '  level: number;',
      ['use.ts:3'] = 'export const other = ({ level: depth }: Box): number => depth + size + box.size;',
      ['use.ts:5'] = '  const { level: depth } = given;',
      ['main.ts:5'] = 'all.show(other({ level: 2 }) + box.size + inner({ level: 7 }).length);',
    }, changes('core.ts', 8, 3, 'level'))
  end)

  it('keeps an alias to what is not of the project', function()
    vim.fn.mkdir(dir .. '/node_modules/lib', 'p')
    helper.write(dir .. '/node_modules/lib/index.js', 'exports.amount = 5;\n')
    helper.write(dir .. '/node_modules/lib/index.d.ts', 'export declare const amount: number;\n')
    helper.write(
      dir .. '/lib.ts',
      "import { amount } from 'lib';\nexport const twice = amount * 2;\n"
    )
    changes('lib.ts', 2, 22, 'total')
    assert.equal(
      "import { amount as total } from 'lib';\nexport const twice = total * 2;\n",
      helper.read(dir .. '/lib.ts')
    )
    assert.equal(
      'export declare const amount: number;\n',
      helper.read(dir .. '/node_modules/lib/index.d.ts')
    )
  end)
end)

describe('a rename of what a module exports and others require', function()
  local REQUIRED = {
    ['.git/keep'] = '',
    ['tsconfig.json'] = e2e.tsconfig('*.js', { allowJs = true, strict = false }),
    ['lib.js'] = 'exports.width = (x) => x;\nexports.more = () => exports.width(2);\n',
    ['own.js'] = 'function size(a) {\n  return a;\n}\nmodule.exports = { size };\n',
    ['main.js'] = "const { width } = require('./lib');\nconst lib = require('./lib');\n"
      .. "const { size } = require('./own');\n"
      .. 'console.log(width(1) + lib.width(2) + lib.more() + size(3));\n',
  }

  setup(function()
    core, dir = complete.begin(REQUIRED)
  end)
  before_each(function()
    project.reset(REQUIRED)
  end)
  teardown(project.finish)

  local function renamed(file, line, column, new)
    local before = prints()
    core:ok('read_file', { file_path = file })
    core:ok('lsp_rename', {
      file_path = file,
      line = line,
      column = column,
      new_name = new,
      confirm = 'apply',
    })
    assert.equal(before, prints())
    return helper.read(dir .. '/main.js')
  end

  it('is renamed in the module and where it is required, from either side', function()
    local text = renamed('lib.js', 1, 9, 'breadth')
    assert.matches('const { breadth } = require', text)
    assert.matches('breadth%(1%) %+ lib%.breadth%(2%)', text)
    text = renamed('main.js', 4, 13, 'extent')
    assert.matches('const { extent } = require', text)
    assert.matches('exports%.extent = ', helper.read(dir .. '/lib.js'))
  end)

  it('keeps the name by which a module exports a variable, renamed in there', function()
    local before = helper.read(dir .. '/main.js')
    assert.equal(before, renamed('own.js', 1, 10, 'extent'))
    assert.equal(
      'function extent(a) {\n  return a;\n}\nmodule.exports = { size: extent };\n',
      helper.read(dir .. '/own.js')
    )
  end)

  it('keeps the name by which a module exports a variable of its own', function()
    local text = renamed('main.js', 3, 9, 'extent')
    assert.matches("const { size: extent } = require%('./own'%)", text)
    assert.matches('extent%(3%)', text)
  end)
end)
