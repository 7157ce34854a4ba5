-- `oxide ask --agent`: an agent that speaks ACP is asked in the shell. It does what a script says.
local helper = require('helper')
local project = require('project')
local pty = require('pty')
local record = require('record')

local dir ---@type string

--- The agent `robot` with this prompt, and one that speaks no ACP.
---@param script string   of acp_agent.lua; DIR stands for the project's directory
local function begin(script)
  dir = project.begin { ['notes.txt'] = 'alpha\nbeta\ngamma\n' }
  helper.write(dir .. '.script.lua', ('local DIR = %q\n'):format(dir) .. script)
  helper.write(
    dir .. '.lua',
    ([[return { agents = {
      robot = { title = 'Robot', acp = {
        command = { %q, '-u', 'NONE', '-i', 'NONE', '-n', '-l', %q, %q },
      } },
      mute = { title = 'Mute', executable = 'sh', terminal = {} },
    } }]]):format(
      vim.v.progpath,
      helper.root .. '/tests/nvim/acp_agent.lua',
      dir .. '.script.lua'
    )
  )
end

local function argv(...)
  local data = helper.root .. '/lua/oxide'
  return vim.list_extend({ 'ask', '--config', dir .. '.lua', '--data', data }, { ... })
end

local function env()
  return {
    XDG_STATE_HOME = dir .. '.state',
    XDG_CONFIG_HOME = dir .. '.none',
    NVIM_LOG_FILE = dir .. '.log',
  }
end

local function ask(...)
  local command = vim.list_extend({ helper.core }, argv(...))
  return vim.system(command, { cwd = dir, env = env(), text = true, stdin = '' }):wait()
end

local function start(...)
  return pty.start(argv(...), { cwd = dir, env = env() })
end

local WRITES = [[return { prompt = function(agent)
  local text = agent:read(DIR .. '/notes.txt')
  assert(not agent:write(DIR .. '/notes.txt', (text:gsub('beta', 'BETA'))))
  assert(not agent:write(DIR .. '/new.txt', 'one\n'))
  agent:says(agent:read(DIR .. '/notes.txt'))
end }]]

local function notes()
  return helper.read(dir .. '/notes.txt')
end

describe('oxide ask --agent', function()
  after_each(project.finish)

  it('prints what it says, and shows it the file', function()
    begin([[return { prompt = function(agent, words) agent:says('Heard: ' .. words) end }]])
    local done = ask('--agent', 'robot', '--file', 'notes.txt:2', 'hello', 'there')
    assert.same({ 0, '' }, { done.code, done.stderr })
    assert.truthy(done.stdout:find('Heard: hello there', 1, true), done.stdout)
    assert.truthy(done.stdout:find('2: beta', 1, true), done.stdout)
  end)

  it('makes what it writes as one change, once that is confirmed on the terminal', function()
    begin(WRITES)
    local t = start('--agent', 'robot', 'change it')
    t:till('-beta')
    t:till('+BETA')
    assert.equal('alpha\nbeta\ngamma\n', notes())
    t:type('y')
    assert.equal(0, t:ended())
    assert.equal('alpha\nBETA\ngamma\n', notes())
    assert.equal('one\n', helper.read(dir .. '/new.txt'))
  end)

  it('changes nothing where it is refused, or nobody is there', function()
    begin(WRITES)
    local t = start('--agent', 'robot', 'change it')
    t:till('+BETA')
    t:type('n')
    assert.equal(1, t:ended())
    local done = ask('--agent', 'robot', 'change it')
    assert.equal(1, done.code)
    assert.truthy(done.stderr:find('nothing was changed', 1, true), done.stderr)
    assert.equal('alpha\nbeta\ngamma\n', notes())
    assert.is_nil(vim.uv.fs_stat(dir .. '/new.txt'))
  end)

  it('makes it with --yes, and prints the record with --json', function()
    begin(WRITES)
    local done = ask('--agent', 'robot', '--yes', '--json', 'change it')
    assert.equal(0, done.code, done.stderr)
    assert.equal('alpha\nBETA\ngamma\n', notes())
    local r = record.read(done.stdout)
    assert.same({ 'robot', 'acp' }, { r.agent.name, r.agent.engine })
    local changed = {}
    for _, row in ipairs(r.file_operations) do
      if row.operation ~= 'read' then
        table.insert(changed, row.operation .. ' ' .. vim.fs.basename(row.path))
      end
    end
    table.sort(changed)
    assert.same({ 'create new.txt', 'modify notes.txt' }, changed)
  end)

  local RUNS = [[return { prompt = function(agent)
    local call = { toolCallId = 't1', title = 'make', kind = 'execute', rawInput = { command = 'touch ran' } }
    local option = agent:permission(call)
    if option == 'once' then io.open(DIR .. '/ran', 'w'):close() end
    agent:says('option ' .. option)
  end }]]

  it('asks on the terminal before it runs a command', function()
    begin(RUNS)
    local t = start('--agent', 'robot', 'run it')
    t:till('touch ran')
    t:till('Allow this?')
    t:type('n')
    assert.equal(0, t:ended())
    assert.is_nil(vim.uv.fs_stat(dir .. '/ran'))
    t = start('--agent', 'robot', 'run it')
    t:till('Allow this?')
    t:type('y')
    t:till('option once')
    assert.equal(0, t:ended())
    assert.truthy(vim.uv.fs_stat(dir .. '/ran'))
  end)

  it('denies what nobody can be asked about', function()
    begin(RUNS)
    local done = ask('--agent', 'robot', '--yes', 'run it')
    assert.is_nil(vim.uv.fs_stat(dir .. '/ran'))
    assert.truthy(done.stdout:find('option no', 1, true), done.stdout .. done.stderr)
  end)

  it('lists what it has changed itself', function()
    begin([[return { prompt = function(agent)
      local f = io.open(DIR .. '/notes.txt', 'a')
      f:write('delta\n')
      f:close()
      agent:says('Done.')
    end }]])
    local done = ask('--agent', 'robot', 'change it')
    assert.equal(0, done.code, done.stderr)
    assert.truthy(
      done.stderr:find('robot has changed notes.txt itself: +1 -0', 1, true),
      done.stderr
    )
  end)

  it('is cancelled with Ctrl-C, and nothing of it is left', function()
    begin([[return { prompt = function(agent)
      agent:says('I wait.')
      agent:wait_for_cancel()
      return 'cancelled'
    end }]])
    local t = start('--agent', 'robot', 'wait')
    t:till('I wait.')
    t:key('\3')
    assert.equal(1, t:ended())
  end)

  it('says who wants to be logged in', function()
    begin([[return {
      initialize = { authMethods = { { id = 'key', name = 'API key' } } },
      methods = { ['session/new'] = function()
        return nil, { code = -32000, message = 'Authentication required' }
      end },
      prompt = function() end,
    }]])
    local done = ask('--agent', 'robot', 'hello')
    assert.equal(1, done.code)
    assert.truthy(done.stderr:find('log in once', 1, true), done.stderr)
    assert.truthy(done.stderr:find('API key', 1, true), done.stderr)
  end)

  it('says which agents there are, and what is wrong', function()
    begin([[os.exit(3)]])
    for words, told in pairs {
      ['--agent nobody hello'] = { 1, 'unknown agent "nobody"; agents: aider, claude' },
      ['--agent mute hello'] = { 1, 'Mute does not speak ACP; `oxide run --name mute`' },
      ['--agent robot hello'] = { 1, 'robot has ended (exit status 3)' },
      ['hello --agent'] = { 2, '--agent needs a value; see `oxide ask --help`' },
      ['--agent robot --editor hello'] = { 2, '--editor is for models, not for --agent' },
    } do
      local done = ask(unpack(vim.split(words, ' ')))
      assert.equal(told[1], done.code, done.stderr)
      assert.truthy(done.stderr:find(told[2], 1, true), done.stderr)
    end
  end)
end)
