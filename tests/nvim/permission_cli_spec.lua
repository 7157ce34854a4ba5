-- What a model may do is asked on the terminal, with the exact arguments.
local helper = require('helper')
local model_server = require('model_server')
local project = require('project')
local pty = require('pty')

local server, dir ---@type test.ModelServer, string

local function argv(...)
  local words = { '--config', dir .. '.lua', '--data', helper.root .. '/lua/oxide', ... }
  return vim.list_extend({ 'ask' }, words)
end

local function start(...)
  return pty.start(argv(...), {
    cwd = dir,
    env = { XDG_STATE_HOME = dir .. '.state', XDG_CONFIG_HOME = dir .. '.none' },
  })
end

local function runs()
  return vim.uv.fs_stat(dir .. '/ran') and #helper.read(dir .. '/ran') or 0
end

--- The model calls these tools, one after the other, and stops.
local function calls(...)
  for i, call in ipairs { ... } do
    server:says { calls = { { id = 'c' .. i, name = call[1], args = call[2] or vim.empty_dict() } } }
  end
  server:says { text = 'Done.' }
end

describe('permission on the terminal', function()
  before_each(function()
    server = model_server.start('openai')
    dir = project.begin { Makefile = 'all:\n\t@printf x >>ran\n', ['a.c'] = 'int a;\n' }
    helper.write(
      dir .. '.lua',
      ('return { models = { fast = { url = %q, model = "m" } } }'):format(server.url)
    )
  end)

  after_each(function()
    server:stop()
    project.finish()
  end)

  it('shows the commands, and is for once', function()
    calls({ 'check_project' }, { 'check_project' })
    local t = start('go')
    t:till('run the commands of the project ' .. dir .. ' (make')
    t:till('Allow this?')
    t:type('y')
    t:till('Allow this?')
    t:type('n')
    assert.equal(0, t:ended())
    assert.equal(1, runs())
    assert.truthy(server.asked[3].raw:find('the user declined', 1, true))
  end)

  it('holds for the session, and no longer', function()
    calls({ 'check_project' }, { 'check_project' })
    local t = start('go')
    t:till('Allow this?')
    t:type('s')
    assert.equal(0, t:ended())
    assert.equal(2, runs())
    calls { 'check_project' }
    t = start('again')
    t:till('Allow this?')
    t:type('')
    assert.equal(0, t:ended())
    assert.equal(2, runs())
  end)

  it('holds always, until a build file is another one', function()
    calls { 'check_project' }
    local t = start('go')
    t:till('Allow this?')
    t:type('a')
    assert.equal(0, t:ended())
    calls({ 'check_project' }, {
      'edit_file',
      { file_path = 'Makefile', old_string = 'x >>', new_string = 'xx >>' },
    }, { 'check_project' })
    t = start('go', '--yes')
    t:till('edit_file Makefile')
    t:till('Allow this?')
    t:type('n')
    assert.equal(0, t:ended())
    assert.equal(2, runs())
  end)

  it('is denied with a reason, which the model is told', function()
    calls { 'check_project' }
    local t = start('go')
    t:till('Allow this?')
    t:type('the Makefile is broken')
    assert.equal(0, t:ended())
    assert.equal(0, runs())
    assert.truthy(server.asked[2].raw:find('declined: the Makefile is broken', 1, true))
  end)

  it('ends with the turn, when that is cancelled', function()
    calls { 'check_project' }
    local t = start('go')
    t:till('Allow this?')
    t:key('\3')
    assert.equal(1, t:ended())
    assert.equal(0, runs())
    assert.truthy(t.text:find('cancelled', 1, true))
  end)

  it('is asked for what lies outside of the project, and is for that file', function()
    local path = helper.root .. '/stylua.toml'
    calls(
      { 'read_file', { file_path = path } },
      { 'read_file', { file_path = path } },
      { 'read_file', { file_path = helper.root .. '/LICENSE' } }
    )
    local t = start('go', '--yes')
    t:till('read_file {"file_path":"' .. path .. '"}')
    t:till('Allow this?')
    t:type('s')
    t:till('/LICENSE"}')
    t:till('Allow this?')
    t:type('n')
    assert.equal(0, t:ended())
    assert.truthy(server.asked[3].raw:find('column_width', 1, true), server.asked[3].raw)
    assert.truthy(server.asked[4].raw:find('the user declined', 1, true))
  end)

  it('is asked about a project that the model loads', function()
    calls { 'manage_projects', { add_project_path = dir .. '.state' } }
    local t = start('go')
    t:till('manage_projects {"add_project_path":"' .. dir .. '.state"}')
    t:till('Allow this?')
    t:type('n')
    assert.equal(0, t:ended())
    assert.truthy(server.asked[2].raw:find('the user declined', 1, true))
  end)
end)
