-- A symbolic link inside of the project to a file of it, or to a directory: one file, whatever name the
-- server or the caller has for it. With the real servers.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local C = {
  ['src/shape.h'] = 'int area(int w, int h);\n',
  ['src/shape.c'] = '#include "shape.h"\n\nint area(int w, int h)\n{\n\treturn w * h;\n}\n',
  ['src/main.c'] = '#include "shape.h"\n\nint main(void)\n{\n\treturn area(1, 2);\n}\n',
}

local PYTHON = {
  ['pyrightconfig.json'] = '{}\n',
  ['src/shape.py'] = 'def area(w: int, h: int) -> int:\n    return w * h\n',
  ['src/main.py'] = 'from shape import area\n\nn = area(1, 2)\n',
}

local dir

local function fill(files, link, to)
  project.fill(files)
  assert(vim.uv.fs_symlink(to, dir .. '/' .. link))
end

local function database(files)
  project.put('compile_commands.json', helper.compiled(dir, files, 'cc -Isrc'))
end

local function call(tool, args)
  return e2e.oxide(dir, { 'call', tool, '--yes', vim.json.encode(args) })
end

local function names(answer)
  local list = vim.tbl_map(function(file)
    return file.file
  end, answer.files)
  table.sort(list)
  return list
end

local function check(files, args, expected)
  local done = call('lsp_rename', vim.tbl_extend('error', { new_name = 'size' }, args))
  assert.equal(0, done.code, done.out)
  assert.same(expected, names(done.answer))
  for path, text in pairs(files) do
    assert.equal((text:gsub('area', 'size')), helper.read(dir .. '/' .. path))
  end
  assert.equal(0, e2e.oxide(dir, { 'call', 'undo', '{}' }).code)
  done = call(
    'lsp_edit',
    vim.tbl_extend('error', {
      action = 'change_signature',
      parameters = { { from = 1 }, { from = 0 } },
    }, args)
  )
  assert.equal(0, done.code, done.out)
  assert.same(expected, names(done.answer))
  for path in pairs(files) do
    assert.is_nil(helper.read(dir .. '/' .. path):find('area%(1, 2%)'), path)
  end
  assert.equal(0, e2e.oxide(dir, { 'call', 'undo', '{}' }).code)
end

describe('a link to a file of the project', function()
  before_each(function()
    dir = project.begin()
  end)
  after_each(project.finish)

  local ALL = { 'src/main.c', 'src/shape.c', 'src/shape.h' }

  it('is that file: clangd, which is told to compile both', function()
    fill(C, 'src/again.c', 'shape.c')
    database { 'src/again.c', 'src/main.c', 'src/shape.c' }
    check(C, { file_path = 'src/shape.h', line = 1, symbol = 'area' }, ALL)
    check(C, { file_path = 'src/again.c', line = 3, symbol = 'area' }, ALL)
    assert.equal('link', vim.uv.fs_lstat(dir .. '/src/again.c').type)
  end)

  it('is that file: clangd, which includes both', function()
    local files = vim.tbl_extend('force', C, {
      ['src/main.c'] = C['src/main.c']:gsub('shape', 'again'),
    })
    fill(files, 'src/again.h', 'shape.h')
    database { 'src/main.c', 'src/shape.c' }
    check(files, { file_path = 'src/shape.c', line = 3, symbol = 'area' }, ALL)
  end)

  it('is that file by a folder that is a link: clangd', function()
    fill(C, 'code', 'src')
    database { 'code/shape.c', 'src/main.c', 'src/shape.c' }
    check(C, { file_path = 'code/shape.c', line = 3, symbol = 'area' }, ALL)
    local found = call('lsp_symbol', {
      query = 'references',
      file_path = 'src/shape.h',
      line = 1,
      symbol = 'area',
    })
    assert.equal(3, found.answer.total, found.out)
    assert.equal(3, found.answer.files, found.out)
  end)

  it('has each use of a symbol once: clangd, which is told to compile it by both names', function()
    fill(C, 'code', 'src')
    database { 'code/main.c', 'src/main.c', 'src/shape.c' }
    local found = call('find_symbol_usages', { symbol_name = 'area' })
    assert.equal(1, found.answer.total, found.out)
    assert.equal(1, found.answer.files, found.out)
  end)

  it('is that file: pyright', function()
    fill(PYTHON, 'src/again.py', 'shape.py')
    check(
      { ['src/shape.py'] = PYTHON['src/shape.py'], ['src/main.py'] = PYTHON['src/main.py'] },
      { file_path = 'src/shape.py', symbol = 'area' },
      { 'src/main.py', 'src/shape.py' }
    )
  end)
end)
