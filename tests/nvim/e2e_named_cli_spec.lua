-- Symbols by their names alone, with real servers, from the command line: get_symbol_info,
-- find_symbol_usages and rename_symbol.
local e2e = require('e2e')
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')

local dir

---@return table answer
local function answer_of(done)
  assert.is_table(done.answer, done.out .. done.err)
  assert.equal(done.answer.error and 1 or 0, done.code)
  return done.answer
end

--- Of the program by itself.
local function call_alone(tool, args, options)
  return answer_of(e2e.oxide(dir, { 'call', tool, vim.json.encode(args) }, { options = options }))
end

local function call(tool, args)
  return answer_of(project.call(tool, args))
end

local function each_begins()
  before_each(function()
    dir = project.begin()
  end)
  after_each(project.finish)
end

local function each_resides()
  before_each(function()
    dir = project.reside()
  end)
  after_each(project.finish)
end

-- Where `area` is defined, how that looks, what is said about it, and where it is used.
local KNOWN = {
  clangd = {
    code = 'int area(int w, int h)\n{\n\tint area_of = w * h; // area\n\n\treturn area_of;\n}',
    lines = { 3, 8 },
    uses = { 'main.c:5', 'main.c:5', 'twice.c:3' },
  },
  pyright = {
    code = 'def area(w: int, h: int) -> int:\n    area_of = w * h\n    return area_of',
    lines = { 4, 6 },
    uses = { 'main.py:1', 'main.py:5', 'twice.py:5' },
  },
  typescript = {
    code = 'export function area(w: number, h: number): number {\n'
      .. '  const area_of = w * h;\n  return area_of;\n}',
    about = 'The area of shapes.',
    lines = { 1, 5 },
    uses = { 'main.ts:1', 'main.ts:4', 'twice.ts:3' },
  },
  rust_analyzer = {
    code = '/// The area of shapes.\npub fn area(w: i32, h: i32) -> i32 {\n'
      .. '\tlet area_of = w * h; // area\n\n\tarea_of\n}',
    about = 'The area of shapes.',
    lines = { 1, 6 },
    uses = { 'main.rs:1', 'main.rs:7', 'twice.rs:3' },
  },
  gopls = {
    code = 'func area(w, h int) int {\n\tarea_of := w * h // area\n\n\treturn area_of\n}',
    lines = { 4, 8 },
    uses = { 'main.go:4', 'main.go:4', 'twice.go:3' },
  },
}
KNOWN['clangd-new'] = KNOWN.clangd

describe('one of several functions of one name path', function()
  each_resides()

  it('is told about by its index, also where the server lists the last alone', function()
    helper.write(dir .. '/pyrightconfig.json', '{}\n')
    helper.write(
      dir .. '/c.py',
      'class C:\n    @property\n    def value(self) -> int:\n        return 1\n\n'
        .. '    @value.setter\n    def value(self, v: int) -> None:\n        print(2)\n'
    )
    for index, body in pairs { [0] = 'return 1', 'print(2)' } do
      local info = call('get_symbol_info', { symbol_name = ('C/value[%d]'):format(index) })
      assert.matches(body, info.definition_code, 1, true)
      assert.is_nil(info.others)
    end
    local setter = call('get_symbol_info', { symbol_name = 'C/value' })
    assert.matches('print(2)', setter.definition_code, 1, true)
    assert.same(
      { { file = 'c.py', line = 3, symbol_name = 'C/value[0]', kind = 'method' } },
      setter.others
    )
  end)
end)

for name, sample in vim.spairs(e2e.samples) do
  describe('a symbol by its name, with ' .. name, function()
    local known = KNOWN[name]

    setup(function()
      dir = project.reside(sample.config)
      e2e.fill(sample, dir)
    end)
    teardown(project.finish)

    it('is told about', function()
      local info = call('get_symbol_info', { symbol_name = sample.old })
      assert.same(
        { sample.old, 'function', sample.edited, sample.server },
        { info.symbol, info.kind, info.file_path, info.server }
      )
      assert.same(known.lines, { info.position.start_line, info.position.end_line })
      assert.is_truthy(info.definition_code:find(known.code, 1, true), info.definition_code)
      assert.is_nil(info.documentation:find('```', 1, true))
      if known.about then
        assert.equal(known.about, info.documentation)
      end
    end)

    it('has its uses listed, or is said to have none', function()
      local found = call('find_symbol_usages', { symbol_name = sample.old })
      local uses = {}
      for _, use in ipairs(found.usages) do
        table.insert(uses, ('%s:%d'):format(use.file, use.line))
        assert.is_truthy(use.snippet:find(sample.old, 1, true))
      end
      assert.same(known.uses, uses)
      assert.same({ #uses, nil }, { found.total, found.message })
      -- rust-analyzer says itself that it is without the standard library
      assert.equal(sample.server ~= 'rust_analyzer', found.complete)
      assert.equal(found.complete, found.reasons == nil)
      local none = call('find_symbol_usages', { symbol_name = 'twice', file_hint = 'twice' })
      if none.total == 0 then
        assert.matches('twice is not used', none.message)
      end
    end)

    it('is renamed at once, or shown', function()
      local args = { symbol_name = sample.old, new_name = 'size_2', file_hint = sample.edited }
      local shown = call('rename_symbol', args)
      assert.is_nil(shown.error, vim.inspect(shown.error))
      assert.same({ 'preview', 'rename', sample.old, 'size_2', 'rename_area_to_size_2' }, {
        shown.status,
        shown.operation,
        shown.old_name,
        shown.new_name,
        shown.action_id,
      })
      assert.same(e2e.before(sample), e2e.disk(sample, dir))
      args.execute_immediately = true
      local done = call('rename_symbol', args)
      assert.same({ 'applied', shown.diff }, { done.status, done.diff })
      assert.same({ #done.affected_files, sample.places }, { done.files_changed, done.edits })
      assert.is_true(vim.list_contains(done.affected_files, sample.main))
      assert.same(e2e.after(sample, 'size_2'), e2e.disk(sample, dir))
    end)
  end)
end

describe('a name that says too little', function()
  each_resides()

  local function rows(answer)
    return vim.tbl_map(function(c)
      return ('%s:%d %s %s'):format(c.file, c.line, c.symbol_name, c.kind)
    end, answer.error.candidates)
  end

  --- Each candidate, given as it is, is found.
  local function takes_all(answer)
    for _, c in ipairs(answer.error.candidates) do
      local args = { symbol_name = c.symbol_name, file_hint = c.file }
      local info = call('get_symbol_info', args)
      assert.same({ c.file, c.line }, { info.file_path, info.position.line })
    end
  end

  it('lists what it may mean: functions of two files', function()
    for _, file in ipairs { 'src/one.c', 'src/two.c' } do
      helper.write(dir .. '/' .. file, 'static int helper(void) { return 1; }\nint at = 2;\n')
    end
    local answer = call('get_symbol_info', { symbol_name = 'helper' })
    assert.equal('ambiguous', answer.error.code)
    assert.same({ 'src/one.c:1 helper function', 'src/two.c:1 helper function' }, rows(answer))
    takes_all(answer)
    local info = call('get_symbol_info', { symbol_name = 'helper', file_hint = 'two' })
    assert.equal('src/two.c', info.file_path)
    assert.same('src/one.c', info.others[1].file)
    local wrong = { symbol_name = 'helper', new_name = 'x', file_hint = 'three' }
    answer = call('rename_symbol', wrong)
    assert.equal('not_found', answer.error.code)
    assert.equal(2, #answer.error.candidates)
  end)

  it('lists what it may mean: methods of two classes', function()
    helper.write(dir .. '/pyrightconfig.json', '{}\n')
    helper.write(
      dir .. '/shapes.py',
      'class Square:\n    def area(self) -> int:\n        return 1\n\n\n'
        .. 'class Circle:\n    """Round."""\n\n    def area(self) -> int:\n        return 3\n'
    )
    local answer = call('find_symbol_usages', { symbol_name = 'area' })
    assert.equal('ambiguous', answer.error.code)
    assert.same(
      { 'shapes.py:2 Square/area method', 'shapes.py:9 Circle/area method' },
      rows(answer)
    )
    takes_all(answer)
    for _, path in ipairs { 'Circle.area', 'Circle::area', 'Circle/area', 'area[1]' } do
      local info = call('get_symbol_info', { symbol_name = path })
      assert.equal(9, info.position.line)
    end
    answer = call('rename_symbol', { symbol_name = 'area', new_name = 'size' })
    assert.equal('ambiguous', answer.error.code)
    for _, tool in ipairs { 'get_symbol_info', 'find_symbol_usages' } do
      answer = call(tool, { symbol_name = 'circ' })
      assert.equal('not_found', answer.error.code)
      assert.same({ 'shapes.py:6 Circle class' }, rows(answer))
    end
    answer = call('rename_symbol', { symbol_name = 'circle', new_name = 'Disc' })
    assert.equal('not_found', answer.error.code)
    assert.same({ 'shapes.py:6 Circle class' }, rows(answer))
  end)

  it('lists what it may mean so that each is found: a function beside a method', function()
    helper.write(dir .. '/pyrightconfig.json', '{}\n')
    helper.write(
      dir .. '/shapes.py',
      'def area() -> int:\n    return 1\n\n\n'
        .. 'class Square:\n    def area(self) -> int:\n        return area()\n'
    )
    local answer = call('get_symbol_info', { symbol_name = 'area' })
    assert.same({ 'shapes.py:1 area[0] function', 'shapes.py:6 Square/area method' }, rows(answer))
    takes_all(answer)
  end)

  it('means the class, and not what makes one of it', function()
    helper.write(dir .. '/compile_flags.txt', '-xc++\n')
    helper.write(
      dir .. '/vec.h',
      '#pragma once\nclass Vec {\npublic:\n\tVec();\n\tVec(int x);\n'
        .. '\tVec operator/(int by) const;\n\tint x;\n'
        .. '\tvoid draw(int a);\n\tvoid draw(double a);\n};\n'
    )
    helper.write(
      dir .. '/vec.cpp',
      '#include "vec.h"\nVec::Vec() : x(0) {}\nVec::Vec(int a) : x(a) {}\n'
        .. 'Vec Vec::operator/(int by) const { return Vec(x / by); }\n'
    )
    local info = call('get_symbol_info', { symbol_name = 'Vec' })
    assert.same({ 'class', 'vec.h', 2 }, { info.kind, info.file_path, info.position.line })
    info = call('get_symbol_info', { symbol_name = 'Vec::operator/' })
    assert.same({ 'method', 'vec.cpp', 4 }, { info.kind, info.file_path, info.position.line })
    local answer = call('get_symbol_info', { symbol_name = 'Vec::Vec' })
    assert.equal('ambiguous', answer.error.code)
    takes_all(answer)
    answer = call('rename_symbol', { symbol_name = 'dra', new_name = 'show' })
    assert.same({ 'vec.h:8 Vec/draw[0] method', 'vec.h:9 Vec/draw[1] method' }, rows(answer))
    takes_all(answer)
  end)

  it('is found by an index only where there are so many', function()
    helper.write(dir .. '/pyrightconfig.json', '{}\n')
    helper.write(dir .. '/one.py', 'def go() -> int:\n    return 1\n')
    helper.write(
      dir .. '/two.py',
      'class A:\n    def go(self) -> int:\n        return 1\n\n\n'
        .. 'class B:\n    def go(self) -> int:\n        return 1\n'
    )
    local info = call('get_symbol_info', { symbol_name = 'go[1]' })
    assert.same({ 'B/go', 'two.py' }, { info.symbol, info.file_path })
    local answer = call('rename_symbol', { symbol_name = 'go[2]', new_name = 'come' })
    assert.equal('not_found', answer.error.code)
  end)

  it('is told so when there is no name', function()
    for _, name in ipairs { '', ' ', 'Square/' } do
      local answer = call('get_symbol_info', { symbol_name = name })
      assert.equal('invalid', answer.error.code)
      assert.matches('contains no name', answer.error.message)
    end
  end)

  it('is found among more uses than are looked into', function()
    local most = 3
    helper.write(dir .. '/compile_flags.txt', '-Wall\n')
    for i = 1, most + 2 do
      helper.write(
        ('%s/a%d.c'):format(dir, i),
        ('int helper(int);\nint use_%d(void) { return helper(%d); }\n'):format(i, i)
      )
    end
    helper.write(dir .. '/z.c', 'int helper(int a)\n{\n\treturn a;\n}\n')
    local info = call_alone(
      'get_symbol_info',
      { symbol_name = 'helper' },
      { ['symbol.files'] = most }
    )
    assert.equal('z.c', info.file_path)
  end)

  if e2e.samples.rust_analyzer then
    it('is listed as a function too, where a type is called alike', function()
      helper.write(dir .. '/Cargo.toml', '[package]\nname = "one"\nversion = "0.1.0"\n')
      helper.write(dir .. '/src/lib.rs', 'pub fn twice() {}\npub struct Twicer;\n')
      local args = { query = 'workspace_symbols', file_path = 'src/lib.rs', symbol = 'twice' }
      assert.equal(2, call('lsp_symbol', args).total)
    end)
  end

  it('is not told apart by what the folders over the project are called', function()
    for _, file in ipairs { 'src/one.c', 'src/two.c' } do
      helper.write(dir .. '/' .. file, 'static int helper(void) { return 1; }\nint at = 2;\n')
    end
    local above = vim.fs.basename(dir)
    local args = { symbol_name = 'helper', new_name = 'x', file_hint = above }
    local answer = call('rename_symbol', args)
    assert.equal('not_found', answer.error.code)
    local info =
      call('get_symbol_info', { symbol_name = 'helper', file_hint = above .. '/src/two' })
    assert.equal('src/two.c', info.file_path)
  end)

  it('shows no code of what is outside of the project', function()
    local outside = helper.tempdir()
    helper.write(outside .. '/secret.c', 'int hidden_1(void) { return 4711; }\n')
    helper.write(dir .. '/one.c', '#include "far.h"\nint one(void) { return hidden_1(); }\n')
    helper.write(outside .. '/far.h', 'int hidden_1(void);\n')
    assert(vim.uv.fs_symlink(outside .. '/far.h', dir .. '/far.h'))
    assert(vim.uv.fs_symlink(outside .. '/secret.c', dir .. '/two.c'))
    local answer = call('get_symbol_info', { symbol_name = 'hidden_1' })
    assert.is_nil(answer.definition_code)
    assert.not_matches('4711', vim.json.encode(answer))
    vim.fn.delete(outside, 'rf')
  end)

  it('is told so when nothing is called that', function()
    helper.write(dir .. '/one.c', 'int one(void) { return 1; }\n')
    local answer = call('get_symbol_info', { symbol_name = 'zwei' })
    assert.equal('not_found', answer.error.code)
    assert.matches('is called zwei', answer.error.message)
    answer = call('rename_symbol', { symbol_name = 'one', new_name = 'one' })
    assert.equal('invalid', answer.error.code)
    vim.fn.delete(dir .. '/one.c')
    answer = call_alone('get_symbol_info', { symbol_name = 'one' })
    assert.equal('no_server', answer.error.code)
  end)
end)

describe('a function with overloads, in TypeScript', function()
  each_resides()

  -- Its server tells of the first one where the name is, of the others only where they begin.
  local TEXT = 'export function area(w: number, h: number): number;\n'
    .. 'export function area(w: string, h: string): number;\n'
    .. 'export function area(w: number | string, h: number | string): number {\n'
    .. '  return Number(w) * Number(h);\n}\n'
  local MAIN = "import { area } from './shape';\n\nconsole.log(area(1, 2), area('1', '2'));\n"

  local function fill(text)
    helper.write(dir .. '/tsconfig.json', e2e.samples.typescript.files['tsconfig.json'])
    helper.write(dir .. '/shape.ts', text)
    helper.write(dir .. '/main.ts', MAIN)
  end

  local function change(symbol, parameters)
    local args = { file_path = 'shape.ts', symbol = symbol, action = 'change_signature' }
    args.parameters = parameters
    return project.call('lsp_edit', args, { '--yes' }).answer
  end

  it('is known by the name of each', function()
    fill(TEXT)
    for n = 0, 2 do
      local info = call('get_symbol_info', { symbol_name = ('area[%d]'):format(n) })
      assert.same({ n + 1, 17 }, { info.position.line, info.position.column })
    end
  end)

  it('gets another signature in all of them, whichever is named', function()
    fill(TEXT)
    for n = 0, 2 do
      local answer = change(('area[%d]'):format(n), { { from = 1 }, { from = 0, name = 'wide' } })
      assert.is_true(answer.success, vim.inspect(answer))
      assert.same({ 3, 2 }, { answer.declarations, answer.calls })
      assert.equal(
        'export function area(h: number, wide: number): number;\n'
          .. 'export function area(h: string, wide: string): number;\n'
          .. 'export function area(h: number | string, wide: number | string): number {\n'
          .. '  return Number(wide) * Number(h);\n}\n',
        helper.read(dir .. '/shape.ts')
      )
      assert.matches("area%(2, 1%), area%('2', '1'%)", helper.read(dir .. '/main.ts'))
      assert.equal(0, project.call('undo').code)
    end
  end)

  it('keeps its signature where they take different numbers, and they are named', function()
    local text = TEXT:gsub('w: number, h: number', 'w: number', 1)
    fill(text)
    local answer = change('area[2]', { { from = 1 }, { from = 0 } })
    assert.equal('conflict', answer.error.code)
    assert.same(
      { { 'shape.ts', 1, 'it has 1 parameter here, not 2' } },
      vim.tbl_map(function(site)
        return { site.file, site.line, site.why }
      end, answer.error.sites)
    )
    assert.equal(text, helper.read(dir .. '/shape.ts'))
    assert.equal(MAIN, helper.read(dir .. '/main.ts'))
  end)
end)

describe('a rename that is shown first', function()
  each_begins()

  local sample = e2e.samples.clangd
  local RENAME = { symbol_name = 'area', new_name = 'size_2' }
  local ID = 'rename_area_to_size_2'

  before_each(function()
    e2e.fill(sample, dir)
  end)

  local function connect()
    local c = mcp.start(dir, { '--root', dir })
    c:initialize()
    c:request('resources/subscribe', { uri = 'oxide://actions' })
    return c
  end

  it('is listed, and made by its name once', function()
    local c = connect()
    local text = c:call('rename_symbol', RENAME)
    assert.matches('action_id: ' .. ID .. '\n', text:gsub(',', '\n') .. '\n')
    assert.equal('oxide://actions', c:heard('notifications/resources/updated').uri)
    text = c:call('list_code_actions', vim.empty_dict())
    assert.matches('id: ' .. ID .. ',', text)
    assert.matches('state: ready', text)
    assert.same(e2e.before(sample), e2e.disk(sample, dir))
    local done, failed = c:call('execute_code_action', { action_id = ID })
    assert.is_not_true(failed, done)
    assert.same(e2e.after(sample, 'size_2'), e2e.disk(sample, dir))
    text, failed = c:call('execute_code_action', { action_id = ID })
    assert.is_true(failed)
    assert.matches('not_found', text)
  end)

  it('is refused when a file has changed, and shown anew has another name', function()
    local c = connect()
    c:call('rename_symbol', RENAME)
    local main = helper.read(dir .. '/main.c')
    helper.write(dir .. '/main.c', '/* new */\n' .. main)
    local text, failed = c:call('execute_code_action', { action_id = ID })
    assert.is_true(failed)
    assert.matches('main.c has changed', text)
    assert.equal('/* new */\n' .. main, helper.read(dir .. '/main.c'))
    text = c:call('rename_symbol', RENAME)
    assert.matches('action_id: ' .. ID .. '_2', text)
    text = c:call('rename_symbol', RENAME)
    assert.matches('action_id: ' .. ID .. '_2', text)
    text, failed = c:call('execute_code_action', { action_id = ID .. '_2' })
    assert.is_not_true(failed, text)
    assert.matches('size_2%(size_2%(1, 2%), 3%)', helper.read(dir .. '/main.c'))
  end)
end)
