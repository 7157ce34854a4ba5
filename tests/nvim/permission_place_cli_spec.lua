-- A model's edits of files outside of the projects, and of protected ones, are asked about, file by
-- file; then they are reviewed, made and undone as all others.
local helper = require('helper')
local model_server = require('model_server')
local project = require('project')
local pty = require('pty')

local FILES = { ['a.c'] = 'int a;\n', ['.git/config'] = '[core]\n', ['.clangd'] = 'If:\n' }

local server, dir, outside ---@type test.ModelServer, string, string

local function env()
  return { XDG_STATE_HOME = dir .. '.state', XDG_CONFIG_HOME = dir .. '.none' }
end

local function start(...)
  local words = { 'ask', '--config', dir .. '.lua', '--data', helper.root .. '/lua/oxide', ... }
  return pty.start(words, { cwd = dir, env = env() })
end

---@param more? string   of the configuration
local function configure(more)
  helper.write(
    dir .. '.lua',
    ('return { models = { fast = { url = %q, model = "m" } }, %s }'):format(server.url, more or '')
  )
end

--- The model calls these tools, one after the other, and stops.
local function calls(...)
  for i, call in ipairs { ... } do
    server:says { calls = { { id = 'c' .. i, name = call[1], args = call[2] } } }
  end
  server:says { text = 'Done.' }
end

local function edit(path, old, new)
  return { 'edit_file', { file_path = path, old_string = old, new_string = new } }
end

---@param action string
---@return table answer
local function turn(action)
  local done = vim
    .system({ helper.core, 'call', 'turn', '--yes', '--action', action }, { cwd = dir, env = env() })
    :wait()
  return vim.json.decode(done.stdout)
end

---@param path string
---@return string? text
local function read(path)
  return vim.uv.fs_stat(path) and helper.read(path) or nil
end

local function asks_for(t, path)
  t:till('edit ' .. path .. ' outside of any project')
  t:till('Allow this?')
end

describe("permission for a file's place", function()
  before_each(function()
    server = model_server.start('openai')
    dir = project.begin(FILES)
    outside = vim.fs.dirname(dir) .. '/elsewhere'
    vim.fn.mkdir(outside)
    helper.write(outside .. '/x.txt', 'one\ntwo\n')
    configure()
  end)

  after_each(function()
    server:stop()
    project.finish()
  end)

  it('names the file, and what is edited then is reviewed and undone', function()
    local path = outside .. '/x.txt'
    calls(edit(path, 'two', 'TWO'), edit('a.c', 'int', 'long'))
    local t = start('go')
    asks_for(t, path)
    t:type('y')
    t:till('-two')
    t:till('+TWO')
    t:till('Apply this?')
    assert.equal('one\ntwo\n', read(path))
    t:type('y')
    assert.equal(0, t:ended())
    assert.equal('one\nTWO\n', read(path))
    assert.equal('long a;\n', project.get('a.c'))
    local undone = turn('undo')
    assert.equal(2, undone.files_changed, vim.inspect(undone))
    assert.equal('one\ntwo\n', read(path))
    assert.equal('int a;\n', project.get('a.c'))
    assert.is_true(turn('redo').success)
    assert.equal('one\nTWO\n', read(path))
  end)

  it('changes nothing without a yes, and tells the model why', function()
    local path = outside .. '/x.txt'
    calls(edit(path, 'two', 'TWO'), edit(path, 'nothing of it', 'x'))
    local t = start('go')
    asks_for(t, path)
    t:type('n')
    asks_for(t, path)
    t:type('not that one')
    assert.equal(0, t:ended())
    assert.equal('one\ntwo\n', read(path))
    assert.truthy(server.asked[2].raw:find('the user declined', 1, true))
    assert.truthy(server.asked[3].raw:find('declined: not that one', 1, true))
    assert.is_nil(
      server.asked[3].raw:find('two', 1, true) and server.asked[3].raw:find('1: one', 1, true)
    )
  end)

  it('holds for the session, and always for exactly that file', function()
    local path, other = outside .. '/x.txt', outside .. '/y.txt'
    calls(edit(path, 'one', 'ONE'), edit(path, 'two', 'TWO'))
    local t = start('go')
    asks_for(t, path)
    t:type('s')
    t:till('Apply this?')
    t:type('y')
    assert.equal(0, t:ended())
    assert.equal('ONE\nTWO\n', read(path))
    calls(edit(path, 'ONE', 'one'))
    t = start('again')
    asks_for(t, path)
    t:type('a')
    t:till('Apply this?')
    t:type('y')
    assert.equal(0, t:ended())
    calls(edit(path, 'TWO', 'two'), { 'write_file', { file_path = other, content = 'new\n' } })
    t = start('and again')
    asks_for(t, other)
    t:type('y')
    t:till('Apply this?')
    t:type('y')
    assert.equal(0, t:ended())
    assert.equal('one\ntwo\n', read(path))
    assert.equal('new\n', read(other))
  end)

  it('is asked for each of many, wherever the arguments name them', function()
    local path, new = outside .. '/x.txt', outside .. '/deep/er/new.txt'
    calls({
      'multi_edit',
      {
        operations = {
          { edit_type = 'replace', file_path = 'a.c', old_string = 'int', new_string = 'long' },
          { edit_type = 'replace', file_path = path, old_string = 'two', new_string = 'TWO' },
        },
      },
    }, {
      'apply_patch',
      { patch = '*** Begin Patch\n*** Add File: ' .. new .. '\n+new\n*** End Patch\n' },
    })
    local t = start('go')
    asks_for(t, path)
    t:type('y')
    asks_for(t, new)
    t:type('y')
    t:till('Apply this?')
    t:type('y')
    assert.equal(0, t:ended())
    assert.equal('long a;\n', project.get('a.c'))
    assert.equal('one\nTWO\n', read(path))
    assert.equal('new\n', read(new))
    assert.is_true(turn('undo').success)
    assert.is_nil(vim.uv.fs_stat(outside .. '/deep'))
    assert.equal('one\ntwo\n', read(path))
    assert.is_true(turn('redo').success)
    assert.equal('new\n', read(new))
  end)

  it('is asked each time for a protected file', function()
    calls(edit('.git/config', '[core]', '[x]'), edit('.clangd', 'If:', 'Unless:'))
    local t = start('go')
    t:till('edit ' .. dir .. '/.git/config, which is protected')
    t:till('Allow this? y once, n no, or why not: ')
    t:type('y')
    t:till('edit ' .. dir .. '/.clangd, which is protected')
    t:till('Allow this? y once, n no')
    t:type('n')
    t:till('Apply this?')
    t:type('y')
    assert.equal(0, t:ended())
    assert.equal('[x]\n', project.get('.git/config'))
    assert.equal('If:\n', project.get('.clangd'))
    assert.is_true(turn('undo').success)
    assert.equal('[core]\n', project.get('.git/config'))
  end)

  it('is asked each time for what is protected elsewhere, too', function()
    local path = outside .. '/.bashrc'
    calls { 'write_file', { file_path = path, content = 'true\n' } }
    local t = start('go')
    t:till('edit ' .. path .. ', which is protected')
    t:till('Allow this? y once, n no')
    t:type('n')
    assert.equal(0, t:ended())
    assert.is_nil(read(path))
  end)

  it('is for the real path, by whatever way it is named', function()
    local path = outside .. '/x.txt'
    assert(vim.uv.fs_symlink(outside, dir .. '/link'))
    assert(vim.uv.fs_symlink(path, dir .. '/file'))
    calls(
      edit('link/x.txt', 'one', 'ONE'),
      edit('../elsewhere/x.txt', 'two', 'TWO'),
      edit('file', 'ONE', 'one'),
      edit('link/../../project/.GIT/config', 'x', 'y')
    )
    local t = start('go')
    asks_for(t, path)
    t:type('s')
    t:till('Apply this?')
    t:type('y')
    assert.equal(0, t:ended())
    assert.equal('one\nTWO\n', read(path))
    assert.is_true(vim.uv.fs_lstat(dir .. '/file').type == 'link')
    assert.is_true(turn('undo').success)
    assert.equal('one\ntwo\n', read(path))
  end)

  it('is not given by --yes, nor where nobody can be asked', function()
    local path = outside .. '/x.txt'
    calls(edit(path, 'two', 'TWO'))
    local done = vim
      .system({
        helper.core,
        'ask',
        '--config',
        dir .. '.lua',
        '--data',
        helper.root .. '/lua/oxide',
        '--yes',
        'go',
      }, { cwd = dir, stdin = '', env = env() })
      :wait()
    assert.equal(0, done.code, done.stderr)
    assert.truthy(server.asked[2].raw:find('no user can be asked', 1, true), server.asked[2].raw)
    assert.equal('one\ntwo\n', read(path))
  end)

  it('is what the configuration says', function()
    local path = outside .. '/x.txt'
    configure('chat = { permissions = { edit = { outside = "allow", protected = "deny" } } }')
    calls(edit(path, 'two', 'TWO'), edit('.clangd', 'If:', 'Unless:'))
    local t = start('go')
    assert.equal(0, t:ended())
    assert.equal('one\nTWO\n', read(path))
    assert.equal('If:\n', project.get('.clangd'))
    assert.truthy(server.asked[3].raw:find('denied by chat.permissions (edit, protected)', 1, true))
  end)

  it('is asked before anything of the file is read', function()
    local path = outside .. '/x.txt'
    assert(vim.uv.fs_symlink(path, dir .. '/file'))
    local refused = project.refused('denied', unpack(edit('file', 'tw', 'x')))
    assert.is_nil(refused.candidates)
    calls(edit('file', 'onetwo', 'x'))
    local t = start('go')
    asks_for(t, path)
    t:type('n')
    assert.equal(0, t:ended())
    assert.is_nil(server.asked[2].raw:find('two\\n', 1, true))
  end)

  it('is for the model in its turn, and nobody else', function()
    local path = outside .. '/x.txt'
    for _, tool in ipairs { edit(path, 'two', 'TWO'), edit('.clangd', 'If:', 'Unless:') } do
      project.refused('denied', tool[1], tool[2])
    end
    assert.equal('one\ntwo\n', read(path))
    calls(edit(path, 'two', 'TWO'), { 'undo', vim.empty_dict() })
    local t = start('go')
    asks_for(t, path)
    t:type('y')
    t:till('Apply this?')
    t:type('y')
    assert.equal(0, t:ended())
    assert.equal('one\nTWO\n', read(path))
    assert.truthy(server.asked[3].raw:find('only the user can undo it', 1, true))
  end)
end)
