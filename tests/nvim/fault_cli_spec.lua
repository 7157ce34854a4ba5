-- What is refused through the command line: as a whole, with a message that names file and reason,
-- and with nothing changed anywhere on the disk.
local fault = require('fault')
local helper = require('helper')

local FILES = {
  ['a.txt'] = 'old one\n',
  ['b.txt'] = 'two old\n',
  ['sub/c.txt'] = 'the old third\n',
}

local function edit(text)
  local range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } }
  return { { range = range, newText = text } }
end

--- A project whose server answers a rename with `step`.
local function project(step, files, options)
  local p = fault.project({ on = { ['textDocument/rename'] = step } }, options)
  return p:files(vim.tbl_extend('force', FILES, files or {}))
end

local function changes(map)
  return { result = { changes = map } }
end

local function operations(list, annotations)
  return { result = { documentChanges = list, changeAnnotations = annotations } }
end

local function assert_refused(out, code, patterns)
  assert.equal(1, out.code)
  assert.equal(code, out.result.error and out.result.error.code, vim.inspect(out.result))
  for _, pattern in ipairs(patterns) do
    assert.matches(pattern, out.result.error.message)
  end
end

--- The rename is refused, and the project is as it was.
local function refused(p, code, patterns)
  local before = p:tree()
  assert_refused(p:rename(), code, patterns)
  assert.same(before, p:tree())
end

describe('refused as a whole:', function()
  after_each(fault.cleanup)

  local both = { 'a.txt', 'b.txt' }

  it('overlapping edits', function()
    refused(project { rename = { files = both, overlap = true } }, 'conflict', { 'a%.txt' })
  end)

  it('an edit for another version of the text', function()
    refused(project { rename = { files = both, version = 1 } }, 'stale', { 'a%.txt', 'version 2' })
    refused(project { rename = { files = both, version = -1 } }, 'stale', { 'a%.txt' })
  end)

  it('a read-only file among several', function()
    local p = project { rename = { files = { 'a.txt', 'b.txt', 'sub/c.txt' } } }
    assert(vim.uv.fs_chmod(p.dir .. '/b.txt', 292))
    refused(p, 'denied', { 'b%.txt', 'read%-only' })
  end)

  it('a file that has vanished', function()
    local p = project(changes {
      ['file://{ROOT}/a.txt'] = edit('x'),
      ['file://{ROOT}/gone.txt'] = edit('x'),
    })
    refused(p, 'not_found', { 'gone%.txt' })
  end)

  it('a file outside of the project', function()
    local p = project(changes {
      ['file://{ROOT}/a.txt'] = edit('x'),
      ['file://{ROOT}/../outside.txt'] = edit('x'),
    })
    helper.write(p.base .. '/outside.txt', 'mine\n')
    refused(p, 'denied', { 'outside%.txt', 'outside of the project' })
    assert.equal('mine\n', helper.read(p.base .. '/outside.txt'))
  end)

  it('a file whose name only begins like the project', function()
    local p = project(changes { ['file://{ROOT}-other/a.txt'] = edit('x') })
    helper.write(p.dir .. '-other/a.txt', 'mine\n')
    refused(p, 'denied', { 'project%-other' })
    assert.equal('mine\n', helper.read(p.dir .. '-other/a.txt'))
  end)

  it('a symbolic link that leads out, of a file or of a folder', function()
    for _, name in ipairs { 'link.txt', 'folder/outside.txt' } do
      local p = project(changes { ['file://{ROOT}/' .. name] = edit('x') })
      helper.write(p.base .. '/else/outside.txt', 'mine\n')
      assert(vim.uv.fs_symlink('../else/outside.txt', p.dir .. '/link.txt'))
      assert(vim.uv.fs_symlink('../else', p.dir .. '/folder'))
      refused(p, 'denied', { (name:gsub('%.', '%%.')) })
      assert.equal('mine\n', helper.read(p.base .. '/else/outside.txt'))
    end
  end)

  it('files that make programs run, also in other letters and when they are new', function()
    for _, name in ipairs { '.git/config', '.nvim.lua', '.GIT/config', '.vscode/tasks.json' } do
      local p = project(
        operations {
          { kind = 'create', uri = 'file://{ROOT}/' .. name, options = { ignoreIfExists = true } },
          {
            textDocument = { uri = 'file://{ROOT}/' .. name, version = vim.NIL },
            edits = edit('x'),
          },
        },
        { ['.git/config'] = '[core]\n' }
      )
      refused(p, 'denied', { vim.pesc(name), 'protected' })
    end
  end)

  it('what is neither file nor folder, without blocking', function()
    local p = project(changes { ['file://{ROOT}/fifo.txt'] = edit('x') })
    assert.equal(0, vim.system({ 'mkfifo', p.dir .. '/fifo.txt' }):wait().code)
    local before = p:tree()
    local out = p:rename()
    assert.equal(1, out.code)
    assert.matches('fifo%.txt', out.result.error.message)
    assert.same(before, p:tree())
  end)

  it("a server's error, with its words", function()
    local said = { code = -32602, message = 'no: keyword\n\27[31mred' }
    refused(project { error = said }, 'invalid', { 'fake', 'no: keyword', 'red' })
    refused(project { error = { code = -32803, message = 'cannot' } }, 'peer', { 'fake', 'cannot' })
  end)

  it('an answer that is no edit', function()
    refused(project { result = 'surprise' }, 'protocol', { 'fake' })
    refused(project { result = vim.NIL }, 'not_found', { 'old' })
    refused(project(changes { ['file://{ROOT}/a.txt'] = 'x' }), 'protocol', { 'a%.txt' })
    refused(project(changes { ['https://host/a.txt'] = edit('x') }), 'unsupported', { 'https' })
  end)

  it('a text that changed on the disk while the server was thinking', function()
    local p = project { rename = { files = both }, hold = 'answer' }
    local running = p:start(
      'lsp_rename',
      { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' },
      { '--yes' }
    )
    p:wait_log('the question', function(entry)
      return entry.holds
    end)
    helper.write(p.dir .. '/a.txt', 'changed: old one\n')
    local before = p:tree()
    p:act { release = 'answer' }
    assert_refused(fault.finish(running), 'stale', { 'a%.txt' })
    assert.same(before, p:tree())
  end)

  it('a change that its journal has no room for', function()
    local p = project({ rename = { files = both }, hold = 'answer' }, {
      ['b.txt'] = 'old ' .. ('long '):rep(30000) .. '\n',
    })
    local before = p:tree()
    local running = p:start(
      'lsp_rename',
      { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' },
      { '--yes' }
    )
    p:wait_log('the question', function(entry)
      return entry.holds
    end)
    local limit = { 'prlimit', '--pid', tostring(running.pid), '--fsize=65536' }
    assert.equal(0, vim.system(limit):wait().code)
    p:act { release = 'answer' }
    assert_refused(fault.finish(running), 'limit', { 'no file was changed', 'File too large' })
    assert.same(before, p:tree())
  end)

  it('a change of which one file cannot be put in its place', function()
    local p = project { rename = { files = both } }
    if vim.system({ 'chattr', '+i', p.dir .. '/b.txt' }):wait().code ~= 0 then
      return pending('this file system has no immutable files')
    end
    local before = p:tree()
    local out = p:rename()
    vim.system({ 'chattr', '-i', p.dir .. '/b.txt' }):wait()
    assert.equal(1, out.code)
    assert.matches('b%.txt', out.result.error.message)
    assert.same(before, p:tree())
  end)
end)

describe('a workspace edit', function()
  after_each(fault.cleanup)

  local function file(name)
    return 'file://{ROOT}/' .. name
  end

  local function document(name, text, extra)
    local id = { uri = file(name), version = vim.NIL }
    local edits = edit(text)
    edits[1] = vim.tbl_extend('force', edits[1], extra or {})
    return { textDocument = id, edits = edits }
  end

  local function texts(p)
    local list = {}
    for name, text in pairs(p:tree()) do
      list[name] = text:match('^100%d+ (.*)$')
    end
    return list
  end

  --- Carries it out, compares the files that it leaves, and takes it back.
  local function applied(step, want, files)
    local p = project(step, files)
    local before = texts(p)
    local out = p:rename()
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.same(want, texts(p))
    out = p:call('undo', {})
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.same(before, texts(p))
  end

  it('of documentChanges counts, not the changes beside it', function()
    local step = operations { document('a.txt', 'right ') }
    step.result.changes = { [file('b.txt')] = edit('wrong ') }
    applied(step, {
      ['a.txt'] = 'right old one\n',
      ['b.txt'] = 'two old\n',
      ['sub/c.txt'] = 'the old third\n',
    })
  end)

  it('creates, renames and deletes, in the order given', function()
    applied(
      operations {
        { kind = 'create', uri = file('new/made.txt') },
        document('new/made.txt', 'text of the new\n'),
        { kind = 'rename', oldUri = file('b.txt'), newUri = file('moved.txt') },
        document('moved.txt', 'edited, '),
        { kind = 'delete', uri = file('sub'), options = { recursive = true } },
      },
      {
        ['a.txt'] = 'old one\n',
        ['moved.txt'] = 'edited, two old\n',
        ['new/made.txt'] = 'text of the new\n',
      }
    )
  end)

  it('is refused where something is in the way', function()
    local create = { kind = 'create', uri = file('b.txt') }
    local rename = { kind = 'rename', oldUri = file('a.txt'), newUri = file('b.txt') }
    local first = document('a.txt', 'x')
    for _, operation in ipairs { create, rename } do
      refused(project(operations { first, operation }), 'conflict', { 'b%.txt' })
    end
    local missing = { kind = 'delete', uri = file('none.txt') }
    refused(project(operations { first, missing }), 'not_found', { 'none%.txt' })
    refused(
      project(operations { first, { kind = 'delete', uri = file('sub') } }),
      'conflict',
      { 'sub' }
    )
    refused(
      project(operations { { kind = 'melt', uri = file('a.txt') } }),
      'unsupported',
      { 'melt' }
    )
  end)

  it('obeys overwrite, ignoreIfExists and ignoreIfNotExists', function()
    applied(
      operations {
        { kind = 'create', uri = file('a.txt'), options = { overwrite = true } },
        { kind = 'create', uri = file('b.txt'), options = { ignoreIfExists = true } },
        { kind = 'delete', uri = file('none.txt'), options = { ignoreIfNotExists = true } },
        {
          kind = 'rename',
          oldUri = file('b.txt'),
          newUri = file('sub/c.txt'),
          options = { overwrite = true },
        },
      },
      { ['a.txt'] = '', ['sub/c.txt'] = 'two old\n' }
    )
  end)

  it('with an annotation that needs confirmation is not applied unasked', function()
    local notes = { careful = { label = 'touches\nstrings', needsConfirmation = true } }
    local p = project(operations({ document('a.txt', 'x ', { annotationId = 'careful' }) }, notes))
    local before = p:tree()
    local out = p:rename({ confirm = 'apply' }, {})
    assert.equal(0, out.code)
    assert.is_true(out.result.needs_confirmation)
    assert.is_string(out.result.action_id)
    assert.same(before, p:tree())
    out = p:rename { confirm = 'apply' }
    assert.is_true(out.result.success)
    assert.equal('x old one\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('without such an annotation is applied when that is what was asked for', function()
    local notes = { fine = { label = 'nothing special' } }
    local p = project(operations({ document('a.txt', 'x ', { annotationId = 'fine' }) }, notes))
    assert.is_true(p:rename({}, {}).result.needs_confirmation)
    assert.is_true(p:rename({ confirm = 'apply' }, {}).result.success)
    assert.equal('x old one\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('names an annotation that is not there', function()
    local step = operations { document('a.txt', 'x', { annotationId = 'nowhere' }) }
    refused(project(step), 'protocol', { 'nowhere' })
  end)

  it('may name places past the end: they count as the end', function()
    local far = { line = 99, character = 99 }
    local step = changes {
      [file('a.txt')] = {
        {
          range = { start = { line = 0, character = 99 }, ['end'] = { line = 0, character = 99 } },
          newText = '!',
        },
        { range = { start = far, ['end'] = far }, newText = 'last\n' },
      },
    }
    applied(step, {
      ['a.txt'] = 'old one!\nlast\n',
      ['b.txt'] = 'two old\n',
      ['sub/c.txt'] = 'the old third\n',
    })
  end)
end)
