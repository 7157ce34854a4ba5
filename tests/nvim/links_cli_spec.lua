-- A symbolic link inside of the project to a file of it, or to a directory, and a file with two names
-- of its own: one file, whatever name the server or the caller has for it. With the real servers.
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

local function fill_twice(files, name, again)
  project.fill(files)
  assert(vim.uv.fs_link(dir .. '/' .. name, dir .. '/' .. again))
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

describe('a file with two names', function()
  before_each(function()
    dir = project.begin()
  end)
  after_each(project.finish)

  --- What is left of the old name, or of the old parameters, is told of neither name, and both have
  --- the new text; the answer has it by one of them.
  local function check_both(name, again, args, others)
    local function one(done)
      assert.equal(0, done.code, done.out)
      assert.is_true(done.answer.complete, done.out)
      assert.same({}, done.answer.mentions)
      assert.equal(#others + 1, done.answer.files_changed)
      local told = vim.tbl_filter(function(file)
        return not vim.list_contains(others, file)
      end, names(done.answer))
      assert.is_true(vim.deep_equal(told, { name }) or vim.deep_equal(told, { again }), done.out)
      local text = helper.read(dir .. '/' .. name)
      assert.equal(text, helper.read(dir .. '/' .. again))
      return text
    end
    local renamed = call('lsp_rename', vim.tbl_extend('error', { new_name = 'size' }, args))
    assert.matches('size%(', one(renamed))
    assert.equal(0, e2e.oxide(dir, { 'call', 'undo', '{}' }).code)
    assert.matches('area%(', helper.read(dir .. '/' .. again))
    local turned = call(
      'lsp_edit',
      vim.tbl_extend('error', {
        action = 'change_signature',
        parameters = { { from = 1 }, { from = 0 } },
      }, args)
    )
    assert.matches('area%(.*h.*w', one(turned))
    assert.equal(2, vim.uv.fs_stat(dir .. '/' .. name).nlink)
    assert.equal(0, e2e.oxide(dir, { 'call', 'undo', '{}' }).code)
  end

  it('is one file: clangd, which is told to compile it by both', function()
    fill_twice(C, 'src/shape.c', 'src/again.c')
    database { 'src/again.c', 'src/main.c', 'src/shape.c' }
    local others = { 'src/main.c', 'src/shape.h' }
    for file, line in pairs { ['src/shape.h'] = 1, ['src/again.c'] = 3, ['src/shape.c'] = 3 } do
      check_both(
        'src/shape.c',
        'src/again.c',
        { file_path = file, line = line, symbol = 'area' },
        others
      )
    end
  end)

  it('is one file: clangd, which includes it by both', function()
    local files = vim.tbl_extend('force', C, {
      ['src/main.c'] = C['src/main.c']:gsub('shape', 'again'),
    })
    fill_twice(files, 'src/shape.h', 'src/again.h')
    database { 'src/main.c', 'src/shape.c' }
    check_both(
      'src/shape.h',
      'src/again.h',
      { file_path = 'src/shape.c', line = 3, symbol = 'area' },
      { 'src/main.c', 'src/shape.c' }
    )
  end)

  it('is one file by the name that others know it by: pyright', function()
    fill_twice(PYTHON, 'src/shape.py', 'src/again.py')
    check_both(
      'src/shape.py',
      'src/again.py',
      { file_path = 'src/shape.py', symbol = 'area' },
      { 'src/main.py' }
    )
  end)

  it('is no other symbol of the same name: pyright', function()
    fill_twice(PYTHON, 'src/shape.py', 'src/again.py')
    local found = call('find_symbol_usages', { symbol_name = 'area', file_hint = 'shape.py' })
    assert.equal(0, found.code, found.out)
    assert.equal('src/shape.py', found.answer.file_path)
    assert.is_true(found.answer.complete, found.out)
    assert.equal(2, found.answer.total, found.out)
    -- Of the two names the first is asked about, by which nobody imports it.
    found = call('find_symbol_usages', { symbol_name = 'area' })
    assert.equal(0, found.code, found.out)
    assert.equal('src/again.py', found.answer.file_path)
    assert.is_false(found.answer.complete)
    assert.matches('src/main%.py:3 refers to it too', found.out)
  end)

  it('is not changed by one of which the server does not know who uses it: pyright', function()
    fill_twice(PYTHON, 'src/shape.py', 'src/again.py')
    local place = { file_path = 'src/again.py', symbol = 'area' }
    local done = call('lsp_rename', vim.tbl_extend('error', { new_name = 'size' }, place))
    assert.equal(1, done.code, done.out)
    assert.equal('incomplete', done.answer.error.code)
    assert.matches('src/main%.py:1 refers to it too', done.answer.error.message)
    assert.equal(PYTHON['src/shape.py'], helper.read(dir .. '/src/shape.py'))
    done = call('lsp_symbol', vim.tbl_extend('error', { query = 'references' }, place))
    assert.equal(0, done.code, done.out)
    assert.is_false(done.answer.complete)
  end)
end)
