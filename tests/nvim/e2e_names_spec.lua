-- A file that the editor has open under one name is changed by another: links lead from one to the
-- other, or it has both. What is typed and not saved yet is never changed behind, nor in places that
-- a server has told of another text.
local e2e = require('e2e')
local helper = require('helper')
local relay = require('relay')

local TEXT = 'one\ntwo\nthree\n'

describe('a file with two names', function()
  local child, run, outside

  before_each(function()
    run, outside = helper.tempdir(), helper.tempdir()
    child = relay.start({ ['real.txt'] = TEXT }, run, "review = { agent = 'never' }")
  end)
  after_each(function()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
    vim.fn.delete(outside, 'rf')
  end)

  local function call(tool, args)
    return relay.finish(relay.call(child, run, { tool, vim.json.encode(args) }))
  end

  --- Opens it, with its first line changed and not saved.
  local function type_in(name)
    child:cmd('edit ' .. name)
    child:type('ccmine<Esc>')
    child:wait('the typed text', "vim.fn.getline(1) == 'mine' and vim.fn.mode() == 'n'")
  end

  local function edit(name)
    return call('edit_file', { file_path = name, old_string = 'two', new_string = 'TWO' })
  end

  local ways = {
    ['that links lead to'] = { 'real.txt', 'other.txt', 'fs_symlink' },
    ['that is itself a link'] = { 'other.txt', 'real.txt', 'fs_symlink' },
    ['of its own'] = { 'other.txt', 'real.txt', 'fs_link' },
  }

  for what, way in pairs(ways) do
    local open, asked, link = unpack(way)

    it('is changed in the buffer that has it by one ' .. what, function()
      assert(vim.uv[link](child.dir .. '/real.txt', child.dir .. '/other.txt'))
      type_in(open)
      assert.equal(
        '1: mine\n2: two\n3: three\n',
        call('read_file', { file_path = asked }).answer.content
      )

      local done = edit(asked)
      assert.equal(0, done.code, vim.inspect(done.answer))
      assert.equal(open, done.answer.files[1].file)
      assert.same({ 'mine', 'TWO', 'three' }, child:lines())
      assert.equal(TEXT, child:file('real.txt'))

      done = call('apply_patch', {
        patch = ('*** Begin Patch\n*** Update File: %s\n@@\n-three\n+THREE\n*** End Patch\n'):format(
          asked
        ),
      })
      assert.equal(0, done.code, vim.inspect(done.answer))
      assert.same({ 'mine', 'TWO', 'THREE' }, child:lines())
      assert.equal(TEXT, child:file('real.txt'))

      child:cmd('undo')
      assert.same({ 'mine', 'TWO', 'three' }, child:lines())
      child:cmd('write')
      assert.equal('mine\nTWO\nthree\n', child:file('real.txt'))
      assert.equal('mine\nTWO\nthree\n', child:file('other.txt'))
    end)
  end

  it('is changed in the buffer that has it by a directory of the project that is a link', function()
    helper.write(child.dir .. '/src/a.txt', TEXT)
    assert(vim.uv.fs_symlink('src', child.dir .. '/lib'))
    type_in('src/a.txt')
    local done = edit('lib/a.txt')
    assert.equal(0, done.code, vim.inspect(done.answer))
    assert.equal('src/a.txt', done.answer.files[1].file)
    assert.same({ 'mine', 'TWO', 'three' }, child:lines())
    assert.equal(TEXT, child:file('src/a.txt'))
  end)

  it('is found by a directory that is a link to the project', function()
    assert(vim.uv.fs_symlink(child.dir, outside .. '/project'))
    type_in('real.txt')
    local done = edit(outside .. '/project/real.txt')
    assert.equal(0, done.code, vim.inspect(done.answer))
    assert.equal('real.txt', done.answer.files[1].file)
    assert.same({ 'mine', 'TWO', 'three' }, child:lines())
    assert.equal(TEXT, child:file('real.txt'))
  end)

  describe('one of them outside of the project', function()
    before_each(function()
      assert(vim.uv.fs_symlink(child.dir .. '/real.txt', outside .. '/other.txt'))
      type_in(outside .. '/other.txt')
    end)

    it('is not changed behind what is typed there', function()
      local done = edit('real.txt')
      assert.equal(1, done.code)
      assert.equal('conflict', done.answer.error.code)
      assert.matches(
        '^real%.txt is open as .*/other%.txt, which has unsaved changes; save it, then try again$',
        done.answer.error.message
      )
      assert.equal(TEXT, child:file('real.txt'))
    end)

    it('is changed once that is saved', function()
      child:cmd('write')
      local done = edit('real.txt')
      assert.equal(0, done.code, vim.inspect(done.answer))
      assert.equal('mine\nTWO\nthree\n', child:file('real.txt'))
    end)
  end)
end)

describe('a header', function()
  local child, run

  before_each(function()
    run = helper.tempdir()
    child = relay.start(
      {
        ['src/shape.h'] = 'int area(int w, int h);\n',
        ['src/main.c'] = '#include "shape.h"\n\nint main(void)\n{\n\treturn area(1, 2);\n}\n',
        ['shape.c'] = '#include "shape.h"\n\nint area(int w, int h)\n{\n\treturn w * h;\n}\n',
      },
      run,
      ("core = { path = %q, options = %s }, review = { agent = 'never' }"):format(
        helper.core,
        vim.inspect(e2e.PATIENT)
      )
    )
    vim.fn.mkdir(child.dir .. '/include')
    helper.write(
      child.dir .. '/compile_commands.json',
      helper.compiled(child.dir, { 'src/main.c', 'shape.c' }, 'cc -Iinclude')
    )
  end)
  after_each(function()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  --- Asks about the `area` of a file; the server lists the header by one of its names alone.
  local function call(tool, path, args)
    args = vim.tbl_extend('error', { file_path = path, symbol = 'area' }, args)
    return relay.finish(relay.call(child, run, { tool, vim.json.encode(args) }))
  end

  local function rename(path, line)
    return call('lsp_rename', path, { line = line, new_name = 'size' })
  end

  describe('with two names', function()
    before_each(function()
      assert(vim.uv.fs_link(child.dir .. '/src/shape.h', child.dir .. '/include/shape.h'))
    end)

    for _, open in ipairs { 'src/main.c', 'src/shape.h', 'include/shape.h' } do
      it('is one file, and renamed in by both, with open ' .. open, function()
        child:cmd('edit ' .. open)
        local done = rename('src/main.c', 5)
        assert.equal(0, done.code, vim.inspect(done.answer))
        assert.equal(3, done.answer.files_changed)
        assert.same({}, done.answer.mentions)
        child:wait('the new text', "table.concat(vim.fn.getline(1, '$')):find('size')")
        child:cmd('write')
        for _, name in ipairs { 'src/shape.h', 'include/shape.h' } do
          assert.equal('int size(int w, int h);\n', child:file(name))
        end
      end)
    end
  end)

  describe('that is open by a link', function()
    before_each(function()
      assert(vim.uv.fs_symlink('../src/shape.h', child.dir .. '/include/shape.h'))
      child:cmd('edit include/shape.h')
    end)

    for from, line in pairs { ['src/main.c'] = 5, ['include/shape.h'] = 1, ['src/shape.h'] = 1 } do
      it('is one file with what it leads to: renamed by ' .. from, function()
        local done = rename(from, line)
        assert.equal(0, done.code, vim.inspect(done.answer))
        assert.equal(3, done.answer.files_changed)
        assert.same({}, done.answer.mentions)
        child:wait('the new text', "vim.fn.getline(1) == 'int size(int w, int h);'")
        assert.matches('return size', child:file('src/main.c'))
        assert.matches('int size', child:file('shape.c'))
        child:cmd('write')
        assert.equal('int size(int w, int h);\n', child:file('src/shape.h'))
      end)

      it('is one file with what it leads to: referred to by ' .. from, function()
        local done = call('lsp_symbol', from, { query = 'references', line = line })
        assert.equal(0, done.code, vim.inspect(done.answer))
        assert.is_true(done.answer.complete, vim.inspect(done.answer))
        assert.equal(3, done.answer.total)
      end)
    end

    for _, from in ipairs { 'src/shape.h', 'include/shape.h', 'shape.c' } do
      it('is one file with what it leads to: given other parameters by ' .. from, function()
        local done = call(
          'lsp_edit',
          from,
          { action = 'change_signature', parameters = { { from = 1 }, { from = 0 } } }
        )
        assert.equal(0, done.code, vim.inspect(done.answer))
        assert.equal(3, done.answer.files_changed)
        child:wait('the new text', "vim.fn.getline(1) == 'int area(int h, int w);'")
        assert.matches('area%(2, 1%)', child:file('src/main.c'))
      end)
    end

    it('is shown as it is by now where another window is the current one', function()
      child:cmd('split shape.c')
      local function shows(text)
        child:wait(text, "vim.fn.getbufline('include/shape.h', 1)[1] == (...)", text)
      end
      assert.equal(0, rename('src/main.c', 5).code)
      shows('int size(int w, int h);')
      child:cmd('Oxide undo')
      shows('int area(int w, int h);')
      assert.not_matches('W1[12]', child:lua("return vim.fn.execute('messages')"))
    end)

    it("is left to the user with 'noautoread'", function()
      child:cmd('setlocal noautoread')
      child:cmd('split shape.c')
      assert.equal(0, rename('src/main.c', 5).code)
      local shown = child:lua("return vim.fn.getbufline('include/shape.h', 1, '$')")
      assert.same({ 'int area(int w, int h);' }, shown)
    end)

    it('is renamed in, once what is typed there is saved', function()
      child:type('Otyped<Esc>')
      child:wait('the typed text', "vim.fn.getline(1) == 'typed' and vim.fn.mode() == 'n'")
      local done = rename('src/main.c', 5)
      assert.equal(1, done.code, vim.inspect(done.answer))
      assert.matches(
        'src/shape%.h is open as .*/include/shape%.h, which has unsaved changes',
        done.answer.error.message
      )
      assert.same({ 'typed', 'int area(int w, int h);' }, child:lines())
      assert.equal('int area(int w, int h);\n', child:file('src/shape.h'))
      assert.matches('return area', child:file('src/main.c'))

      child:cmd('undo')
      child:cmd('write')
      done = rename('src/main.c', 5)
      assert.equal(0, done.code, vim.inspect(done.answer))
      assert.equal('int size(int w, int h);\n', child:file('src/shape.h'))
      assert.matches('return size', child:file('src/main.c'))
    end)
  end)
end)
