-- The text-editing tools through the command line: what they answer, and what is on the disk.
local helper = require('helper')
local project = require('project')

local call, refused = project.alone, project.refused
local put, get = project.put, project.get
local core = helper.core

local dir

before_each(function()
  dir = project.begin()
end)

after_each(project.finish)

describe('read_file', function()
  it('numbers lines from 1, also empty ones, and tells their hashes', function()
    put('a.txt', 'one\n\nthree\r\n')
    local answer = call('read_file', { file_path = 'a.txt', hashes = true })
    assert.equal('1: one\n2: \n3: three\n', answer.content)
    assert.equal(3, answer.total_lines)
    assert.equal(3, #answer.line_hashes)
    answer = call('read_file', { file_path = 'a.txt', start_line = 2, end_line = 2 })
    assert.equal('2: \n', answer.content)
    answer = call('read_file', { file_path = 'a.txt', numbered = false })
    assert.equal('one\n\nthree\r\n', answer.content)
    refused('invalid', 'read_file', { file_path = 'a.txt', start_line = 9 })
    refused('not_found', 'read_file', { file_path = 'b.txt' })
    refused('denied', 'read_file', { file_path = '/etc/hostname' })
  end)
end)

describe('edit_file', function()
  it('replaces a text that occurs exactly once in the file', function()
    put('a.c', 'int a;\r\nint b;\r\n')
    local answer, ok = call('edit_file', {
      file_path = 'a.c',
      old_string = 'int a;\nint b;',
      new_string = 'int a;\nint c;\nint b;',
    })
    assert.is_true(ok)
    assert.equal('exact', answer.match)
    assert.equal(1, answer.total_changes)
    assert.equal('int a;\r\nint c;\r\nint b;\r\n', get('a.c'))
    call('undo', vim.empty_dict())
    assert.equal('int a;\r\nint b;\r\n', get('a.c'))
  end)

  it('guesses nothing', function()
    put('a.c', 'x();\nif (y) {\n\tx();\n}\n')
    local err = refused(
      'ambiguous',
      'edit_file',
      { file_path = 'a.c', old_string = 'x();', new_string = 'z();' }
    )
    assert.same({ 1, 3 }, { err.candidates[1].line, err.candidates[2].line })
    err = refused(
      'not_found',
      'edit_file',
      { file_path = 'a.c', old_string = '  x();\n}', new_string = 'z();\n}' }
    )
    assert.equal(3, err.candidates[1].line)
    assert.matches('indentation', err.candidates[1].why)
    refused('invalid', 'edit_file', { file_path = 'a.c', old_string = 'x', new_string = 'x' })
    refused('invalid', 'edit_file', { file_path = 'a.c', line_number = 1, old_string = 'x' })
    assert.equal('x();\nif (y) {\n\tx();\n}\n', get('a.c'))
  end)

  it('replaces everywhere when asked to', function()
    put('a.c', 'a a\na')
    call(
      'edit_file',
      { file_path = 'a.c', old_string = 'a', new_string = 'bb', replace_all = true }
    )
    assert.equal('bb bb\nbb', get('a.c'))
  end)

  it('replaces lines, holds them to their text, and follows them', function()
    put('a.c', 'new\none\ntwo\nthree\n')
    local answer =
      call('edit_file', { file_path = 'a.c', line_number = 1, content = '1: ONE', expect = 'one' })
    assert.same({ from = 1, to = 2 }, answer.relocated)
    assert.is_true(answer.numbers_stripped)
    assert.equal('new\nONE\ntwo\nthree\n', get('a.c'))
    call('edit_file', { file_path = 'a.c', line_range = { 3, 4 }, content = '' })
    assert.equal('new\nONE\n\n', get('a.c'))
    refused(
      'stale',
      'edit_file',
      { file_path = 'a.c', line_number = 1, content = 'x', expect = 'y' }
    )
    refused('invalid', 'edit_file', { file_path = 'a.c', line_number = 9, content = 'x' })
  end)

  it('knows a line by its hash', function()
    put('a.c', 'one\ntwo\n')
    local hashes = call('read_file', { file_path = 'a.c', hashes = true }).line_hashes
    put('a.c', 'zero\none\ntwo\n')
    local answer = call(
      'edit_file',
      { file_path = 'a.c', line_number = 2, content = 'TWO', line_hash = hashes[2] }
    )
    assert.same({ from = 2, to = 3 }, answer.relocated)
    assert.equal('zero\none\nTWO\n', get('a.c'))
  end)
end)

describe('write_file', function()
  it('makes a file and its folders, and replaces one only when asked to', function()
    call('write_file', { file_path = 'new/a.txt', content = 'a\r\nb' })
    assert.equal('a\r\nb', get('new/a.txt'))
    refused('conflict', 'write_file', { file_path = 'new/a.txt', content = 'x' })
    call('write_file', { file_path = 'new/a.txt', content = 'x', overwrite = true })
    assert.equal('x', get('new/a.txt'))
    refused('denied', 'write_file', { file_path = '../out.txt', content = 'x' })
    refused('denied', 'write_file', { file_path = '.git/hooks/post-commit', content = 'x' })
  end)
end)

describe('multi_edit', function()
  local operations = {
    { edit_type = 'insert', file_path = 'a.txt', line_number = 3, content = 'x' },
    { edit_type = 'replace', file_path = 'b.txt', old_string = 'b', new_string = 'B' },
    { edit_type = 'delete', file_path = 'a.txt', line_number = 1 },
  }

  it('carries out all of it, with the lines of before', function()
    put('a.txt', '1\n2\n3\n')
    put('b.txt', 'b\n')
    local answer, ok = call('multi_edit', { operations = operations })
    assert.is_true(ok)
    assert.same({ true, 0, false }, { answer.success, answer.total_changes, answer.rolled_back })
    assert.equal(3, #answer.details)
    assert.same({ 'a.txt', 'insert', 1 }, {
      answer.details[1].file,
      answer.details[1].type,
      answer.details[1].line_changes,
    })
    assert.equal('2\nx\n3\n', get('a.txt'))
    assert.equal('B\n', get('b.txt'))
  end)

  it('or nothing, and tells of every failure', function()
    put('a.txt', '1\n2\n3\n')
    put('b.txt', 'c\n')
    local text = vim.json.encode(operations) -- as text, as models send it
    local err, answer = refused('not_found', 'multi_edit', { operations = text })
    assert.equal(1, err.operation)
    assert.same({ false, true, 1 }, { answer.success, answer.rolled_back, answer.error_index })
    assert.equal('1\n2\n3\n', get('a.txt'))
    -- what is kept is told, and it is not a success all the same
    local args = { operations = operations, rollback_on_error = false }
    err, answer = refused('not_found', 'multi_edit', args)
    assert.matches('1 of 3 operations are left out: operation 1', err.message)
    assert.same({ false, false, 1 }, { answer.success, answer.rolled_back, answer.error_index })
    assert.same({ 1, 'a.txt' }, { answer.files_changed, answer.files[1].file })
    assert.matches('^%d', answer.transaction)
    assert.equal('2\nx\n3\n', get('a.txt'))
    assert.equal('c\n', get('b.txt'))
  end)

  it('reads no file that is larger than file.bytes, however many they are', function()
    local list = {}
    for i = 1, 40 do
      local name = ('%d.txt'):format(i)
      put(name, 'old\n' .. ('x'):rep(i == 1 and 0 or 2000))
      local edit =
        { edit_type = 'replace', file_path = name, old_string = 'old', new_string = 'new' }
      table.insert(list, edit)
    end
    put('../project.config/oxide/config.lua', "return { options = { ['file.bytes'] = 1024 } }")
    local _, answer = refused('limit', 'multi_edit', { operations = list })
    for i, detail in ipairs(answer.details) do
      assert.equal(i == 1, detail.success)
    end
    assert.equal('old\n', get('1.txt'))
  end)

  it('tells which operations were left out for others on their file that failed', function()
    put('a.txt', '1\n2\n3\n')
    put('b.txt', 'c\nd\n')
    local first = { edit_type = 'insert', file_path = 'b.txt', line_number = 1, content = 'x' }
    local all = vim.list_extend({ first }, operations)
    local answer = call('multi_edit', { operations = all, rollback_on_error = false })
    assert.equal(2, answer.error_index)
    local told = vim.tbl_map(function(detail)
      return { detail.success, detail.line_changes, detail.code }
    end, answer.details)
    local done = { { false, 0, 'cancelled' }, { true, 1 }, { false, 0, 'not_found' }, { true, -1 } }
    assert.same(done, told)
    assert.matches('skipped: another operation', answer.details[1].message)
    assert.equal('c\nd\n', get('b.txt'))
  end)

  it('refuses conflicts and unknown members, naming them', function()
    put('a.txt', '1\n2\n3\n')
    local err = refused('conflict', 'multi_edit', {
      operations = {
        { edit_type = 'delete', file_path = 'a.txt', line_number = 1, line_count = 2 },
        { edit_type = 'insert', file_path = 'a.txt', line_number = 2, content = 'x' },
      },
    })
    assert.matches('operations 0 and 1', err.message)
    err = refused('invalid', 'multi_edit', {
      operations = { { edit_type = 'delete', file_path = 'a.txt', line = 1 } },
    })
    assert.matches('operation 1: delete does not take line', err.message)
  end)
end)

describe('multi_edit_files', function()
  it('reads operations written as text', function()
    put('a.txt', 'old content\n2\n3\n')
    put('b.txt', '1\n')
    local instructions = table.concat({
      'FILE: a.txt',
      'REPLACE:',
      '```',
      'old content',
      '```',
      'WITH:',
      '```lua',
      'new content',
      '```',
      'DELETE LINES 2-3:',
      '',
      'FILE: b.txt',
      'INSERT AT LINE 2:',
      '```',
      'two',
      '```',
    }, '\n')
    local args = { file_paths = { 'a.txt' }, edit_instructions = instructions }
    local err = refused('denied', 'multi_edit_files', args)
    assert.matches('line 12: b.txt is not in file_paths', err.message)
    args.file_paths = { 'a.txt', 'b.txt' }
    call('multi_edit_files', args)
    assert.equal('new content\n', get('a.txt'))
    assert.equal('1\ntwo\n', get('b.txt'))
  end)
end)

describe('changes of one file at the same time', function()
  local function start(tool, args)
    return vim.system({ core, 'call', tool, '--root', dir, '-' }, {
      stdin = vim.json.encode(args),
      env = { XDG_STATE_HOME = dir .. '.state', XDG_CONFIG_HOME = dir .. '.config' },
    })
  end

  it('by several processes are all made, each on what those before it left', function()
    local lines, running = {}, {}
    for i = 1, 12 do
      table.insert(lines, ('line %02d\n'):format(i))
    end
    put('a.txt', table.concat(lines))
    for i = 1, 12 do
      local name, new = ('line %02d'):format(i), ('LINE %02d'):format(i)
      local replace = { file_path = 'a.txt', old_string = name, new_string = new }
      local held = { file_path = 'a.txt', line_number = i, expect = name, content = new }
      table.insert(running, start('edit_file', i % 2 == 0 and replace or held))
    end
    for _, run in ipairs(running) do
      local done = run:wait()
      assert.equal(0, done.code, done.stdout)
    end
    assert.equal(table.concat(lines):upper(), get('a.txt'))
  end)

  it('in one process queue, and line numbers alone hold for the text that was there', function()
    local mcp = require('mcp')
    put('a.txt', '1\n2\n3\n4\n5\n6\n7\n8\n9\n')
    local c = mcp.start(dir, { '--root', dir })
    c:initialize()
    local asked = {}
    for i = 1, 9 do
      local args = { file_path = 'a.txt', old_string = i .. '\n', new_string = i .. '!\n' }
      table.insert(asked, c:ask('tools/call', { name = 'edit_file', arguments = args }))
    end
    local by_number = { file_path = 'a.txt', line_number = 1, content = 'one' }
    local last = c:ask('tools/call', { name = 'edit_file', arguments = by_number })
    for _, id in ipairs(asked) do
      local result = c:reply(id).result
      assert.is_false(result.isError, result.content[1].text)
    end
    local result = c:reply(last).result
    local text = '1!\n2!\n3!\n4!\n5!\n6!\n7!\n8!\n9!\n'
    if result.isError then
      assert.matches('another change was applied first', result.content[1].text)
    else -- it came when all else was done
      text = text:gsub('^1!', 'one')
    end
    assert.equal(text, get('a.txt'))
    mcp.cleanup()
  end)
end)

describe('the end of a call', function()
  local function journal_is_free()
    local f = io.open(dir .. '.state/oxide/journal/0.journal', 'rb')
    local head = f and f:read(48) or ''
    if f then
      f:close()
    end
    return head == ('\0'):rep(48)
  end

  it('comes when the journal is retired', function()
    put('a.c', 'a\n')
    local _, ok = call('edit_file', { file_path = 'a.c', old_string = 'a', new_string = 'b' })
    assert.is_true(ok)
    assert.equal('b\n', get('a.c'))
    assert.is_true(journal_is_free())
  end)

  it('leaves nothing among the files', function()
    put('a.c', 'a\n')
    put('b.c', 'b\n')
    local patch =
      '*** Begin Patch\n*** Delete File: a.c\n*** Update File: b.c\n@@\n-b\n+c\n*** End Patch'
    local _, ok = call('apply_patch', { patch = patch })
    assert.is_true(ok)
    assert.same({ 'b.c' }, vim.fn.readdir(dir))
  end)
end)
