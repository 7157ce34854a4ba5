-- A turn of a model as one change: drafted, confirmed once, undone and redone as one.
local helper = require('helper')
local model_server = require('model_server')
local project = require('project')
local pty = require('pty')

local FILES = { ['a.txt'] = 'one\ntwo\nthree\n', ['b.txt'] = 'B\n' }

local server, dir ---@type test.ModelServer, string

describe('a turn of a model', function()
  before_each(function()
    server = model_server.start('openai')
    dir = project.begin(FILES)
    helper.write(
      dir .. '.lua',
      ('return { models = { fast = { provider = "openai", url = %q, model = "m1" } } }'):format(
        server.url
      )
    )
  end)

  after_each(function()
    server:stop()
    project.finish()
  end)

  ---@param ... string
  local function argv(...)
    return { helper.core, ... }
  end

  ---@param words string[]
  ---@return vim.SystemCompleted
  local function run(words)
    return vim
      .system(words, { cwd = dir, stdin = '', env = { XDG_STATE_HOME = dir .. '.state' } })
      :wait()
  end

  ---@param args string[]
  local function ask(args)
    return run(
      vim.list_extend(
        argv('ask', '--config', dir .. '.lua', '--data', helper.root .. '/lua/oxide'),
        args
      )
    )
  end

  ---@param action string
  ---@param ... string
  local function turn(action, ...)
    local done = run(argv('call', 'turn', '--yes', '--action', action, ...))
    return vim.json.decode(done.stdout), done
  end

  local function two_files()
    server:says { calls = { model_server.edit('a.txt', 2, 'TWO') } }
    server:says { calls = { { id = 'r', name = 'read_file', args = { file_path = 'a.txt' } } } }
    server:says {
      calls = { model_server.edit('a.txt', 2, 'zwei'), model_server.edit('b.txt', 1, 'beta') },
    }
    server:says { text = 'Done.' }
    assert.equal(0, ask({ '--yes', 'translate', 'it' }).code)
  end

  it('is one transaction, and its later calls see what the earlier ones have drafted', function()
    two_files()
    assert.truthy(server.asked[2].raw:find('kept: for the user', 1, true))
    assert.truthy(server.asked[3].raw:find('2: TWO', 1, true))
    assert.equal('one\nzwei\nthree\n', project.get('a.txt'))
    assert.equal('beta\n', project.get('b.txt'))
    local undone = turn('undo')
    assert.equal('translate it', undone.title)
    assert.equal(2, undone.files_changed)
    assert.equal(FILES['a.txt'], project.get('a.txt'))
    assert.equal(FILES['b.txt'], project.get('b.txt'))
    assert.is_true(turn('redo').success)
    assert.equal('one\nzwei\nthree\n', project.get('a.txt'))
  end)

  it('is undone where other lines were edited since, and not where the same were', function()
    two_files()
    helper.write(dir .. '/a.txt', 'zero\none\nzwei\nthree\n')
    turn('undo')
    assert.equal('zero\none\ntwo\nthree\n', project.get('a.txt'))
    turn('redo')
    helper.write(dir .. '/a.txt', 'zero\none\ndeux\nthree\n')
    local refused = turn('undo')
    assert.equal('stale', refused.error.code)
    assert.same({ { file = 'a.txt', lines = { { 3, 3 } } } }, refused.error.conflicts)
    assert.equal('zero\none\ndeux\nthree\n', project.get('a.txt'))
    assert.equal('beta\n', project.get('b.txt'))
  end)

  it('shows its changes', function()
    two_files()
    local shown = turn('diff')
    assert.is_true(shown.applied)
    assert.truthy(shown.diff:find('-two\n+zwei\n', 1, true))
    assert.truthy(shown.diff:find('-B\n+beta\n', 1, true))
    assert.equal('not_found', turn('accept').error.code)
    assert.equal('conflict', (turn('redo', '--turn', shown.turn)).error.code)
  end)

  it('is confirmed once, on the terminal', function()
    server:says { calls = { model_server.edit('a.txt', 2, 'zwei') } }
    server:says { calls = { model_server.edit('b.txt', 1, 'beta') } }
    server:says { text = 'Done.' }
    local child = pty.start(
      { 'ask', '--config', dir .. '.lua', '--data', helper.root .. '/lua/oxide', 'translate' },
      { cwd = dir, env = { XDG_STATE_HOME = dir .. '.state' } }
    )
    child:till('Apply this?')
    assert.equal(FILES['a.txt'], project.get('a.txt'))
    child:type('y')
    assert.equal(0, child:ended())
    assert.equal('one\nzwei\nthree\n', project.get('a.txt'))
    assert.equal('beta\n', project.get('b.txt'))
  end)

  it('comes up for review before a tool runs that sees real files alone', function()
    server:says { calls = { model_server.edit('a.txt', 2, 'zwei') } }
    server:says {
      calls = {
        { id = 's', name = 'lsp_symbol', args = { query = 'workspace_symbols', symbol = 'x' } },
      },
    }
    server:says { calls = { model_server.edit('b.txt', 1, 'beta') } }
    server:says { text = 'Done.' }
    assert.equal(0, ask({ '--yes', 'translate' }).code)
    assert.truthy(server.asked[3].raw:find('has accepted your changes', 1, true))
    assert.equal('one\nzwei\nthree\n', project.get('a.txt'))
    assert.equal(2, turn('undo').files_changed)
    assert.equal(FILES['a.txt'], project.get('a.txt'))
    assert.equal(FILES['b.txt'], project.get('b.txt'))
  end)
end)
