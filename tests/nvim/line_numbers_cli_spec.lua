-- A line number from an MCP client, or from a model, means the line that it was last shown.
local helper = require('helper')
local mcp = require('mcp')
local model_server = require('model_server')
local project = require('project')

local TEXT = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n'

local dir

after_each(function()
  mcp.cleanup()
  project.finish()
end)

describe('a line number of an MCP client', function()
  local client

  before_each(function()
    dir = project.begin { ['a.txt'] = TEXT }
    client = mcp.start(dir)
    client:initialize()
  end)

  local function edit(line, content, more)
    local args = { file_path = 'a.txt', line_number = line, content = content }
    return client:call('edit_file', vim.tbl_extend('force', args, more or {}))
  end

  it('is one of the present text where it was shown none', function()
    project.put('a.txt', 'zero\n' .. TEXT)
    local text, failed = edit(2, 'ONE')
    assert.is_not_true(failed, text)
    assert.equal('zero\nONE\ntwo\n', project.get('a.txt'):sub(1, 13))
  end)

  it('is carried to where the line is now', function()
    client:call('read_file', { file_path = 'a.txt' })
    project.put('a.txt', 'zero\n' .. TEXT:gsub('three\n', 'three\nand\n'))
    local text, failed = edit(5, 'FIVE')
    assert.is_not_true(failed, text)
    assert.matches('relocated: {"from":5,"to":7}', text, nil, true)
    assert.equal(
      'zero\n' .. TEXT:gsub('three\n', 'three\nand\n'):gsub('five', 'FIVE'),
      project.get('a.txt')
    )
    -- lines that the answer shows may be meant by its numbers, all others by those that it read
    text, failed = edit(9, 'NINE')
    assert.is_true(failed)
    assert.matches('line 9 may mean two different lines', text)
    text, failed = edit(3, 'THREE')
    assert.is_not_true(failed, text)
    assert.matches('\ntwo\nTHREE\nand\n', project.get('a.txt'))
  end)

  it('is refused where that very line has changed, with what is there now', function()
    client:call('read_file', { file_path = 'a.txt' })
    project.put('a.txt', 'zero\n' .. TEXT:gsub('five', 'fifth'))
    local text, failed = edit(5, 'FIVE')
    assert.is_true(failed)
    assert.matches('line 5 changed after you read it', text)
    assert.matches('(stale)', text, nil, true)
    assert.matches('\n6: fifth\n', text)
    assert.matches('\n-five\n+fifth\n', text, nil, true)
    assert.equal('zero\n' .. TEXT:gsub('five', 'fifth'), project.get('a.txt'))
    -- and with the new text of the line it is the right one
    text, failed = edit(6, 'FIVE', { expect = 'fifth' })
    assert.is_not_true(failed, text)
    assert.equal('zero\n' .. TEXT:gsub('five', 'FIVE'), project.get('a.txt'))
  end)

  it('is refused where it may be counted before or after its own change', function()
    client:call('read_file', { file_path = 'a.txt' })
    assert.is_not_true(select(2, edit(2, 'two\nand a half')))
    local text, failed = edit(5, 'FIVE')
    assert.is_true(failed)
    assert.matches('line 5 may mean two different lines', text)
    assert.is_not_true(select(2, edit(1, 'ONE')))
    client:call('read_file', { file_path = 'a.txt', start_line = 5 })
    text, failed = edit(6, 'FIVE')
    assert.is_not_true(failed, text)
    assert.equal(
      'ONE\ntwo\nand a half\nthree\nfour\nFIVE\nsix\nseven\neight\nnine\nten\n',
      project.get('a.txt')
    )
  end)

  it('is carried in all operations of a batch, which is made whole or not at all', function()
    local other = mcp.start(dir)
    other:initialize()
    client:call('read_file', { file_path = 'a.txt' })
    other:call('read_file', { file_path = 'a.txt' })
    local now = 'zero\n' .. TEXT:gsub('nine', 'ninth')
    project.put('a.txt', now)
    local operations = {
      { edit_type = 'delete', file_path = 'a.txt', line_number = 2, line_count = 2 },
      { edit_type = 'insert', file_path = 'a.txt', line_number = 11, content = 'eleven' },
      { edit_type = 'delete', file_path = 'a.txt', line_number = 9 },
    }
    local text, failed = client:call('multi_edit', { operations = operations })
    assert.is_true(failed)
    assert.matches('operation: 2', text)
    assert.matches('\n10: ninth\n', text)
    assert.equal(now, project.get('a.txt'))
    table.remove(operations)
    text, failed = other:call('multi_edit', { operations = operations })
    assert.is_not_true(failed, text)
    assert.equal(
      'zero\none\nfour\nfive\nsix\nseven\neight\nninth\nten\neleven\n',
      project.get('a.txt')
    )
  end)

  it('is its own: another client has read another text', function()
    local other = mcp.start(dir)
    other:initialize()
    client:call('read_file', { file_path = 'a.txt' })
    project.put('a.txt', 'zero\n' .. TEXT)
    other:call('read_file', { file_path = 'a.txt' })
    other:call('edit_file', { file_path = 'a.txt', line_number = 5, content = 'FOUR' })
    local text, failed = edit(5, 'FIVE')
    assert.is_not_true(failed, text)
    assert.equal('zero\n' .. TEXT:gsub('four', 'FOUR'):gsub('five', 'FIVE'), project.get('a.txt'))
  end)
end)

describe('a line number of a model', function()
  local server

  after_each(function()
    server:stop()
  end)

  local function begin()
    server = model_server.start('anthropic')
    dir = project.begin { ['a.txt'] = TEXT }
    helper.write(
      dir .. '.lua',
      ('return { models = { fast = { provider = "anthropic", url = %q, model = "m1" } } }'):format(
        server.url
      )
    )
  end

  local function ask()
    local argv = { helper.core, 'ask', '--config', dir .. '.lua', '--yes' }
    vim.list_extend(argv, { '--data', helper.root .. '/lua/oxide', '--file', 'a.txt', 'edit' })
    local env = { XDG_STATE_HOME = dir .. '.state' }
    local done = vim.system(argv, { cwd = dir, stdin = '', env = env }):wait()
    assert.equal(0, done.code, done.stderr)
    return done
  end

  local function edit(line, content)
    return model_server.edit('a.txt', line, content)
  end

  it('is of what it was asked with, however the user edits meanwhile', function()
    begin()
    server:says {
      calls = { edit(3, 'THREE'), edit(5, 'FIVE') },
      before = function()
        local file = assert(io.open(dir .. '/a.txt', 'w'))
        file:write('zero\n' .. TEXT:gsub('five', 'fifth'))
        file:close()
      end,
    }
    server:says { calls = { edit(6, 'FIFTH') } } -- as the refusal has it
    server:says { text = 'Done.' }
    ask()
    assert.equal(
      'zero\n' .. TEXT:gsub('three', 'THREE'):gsub('five', 'FIFTH'),
      project.get('a.txt')
    )
    local results = vim.json.encode(server.asked[2].body.messages)
    assert.matches('line 5 changed after you read it', results)
    assert.matches('6: fifth', results)
  end)

  it('is the same for all calls of one answer, whatever the first of them adds', function()
    begin()
    server:says { calls = { edit(2, 'two\nand a half'), edit(9, 'NINE') } }
    server:says { text = 'Done.' }
    ask()
    assert.equal((TEXT:gsub('two', 'two\nand a half'):gsub('nine', 'NINE')), project.get('a.txt'))
  end)
end)
