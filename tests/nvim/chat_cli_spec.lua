-- `oxide chat`: a conversation in the shell.
local helper = require('helper')
local model_server = require('model_server')
local project = require('project')
local pty = require('pty')
local record = require('record')

local server, dir ---@type test.ModelServer, string

local function environment()
  return { XDG_STATE_HOME = dir .. '.state', XDG_CONFIG_HOME = dir .. '.none' }
end

local function words(...)
  local argv = { 'chat', '--config', dir .. '.lua', '--data', helper.root .. '/lua/oxide', ... }
  return argv
end

local function start(...)
  return pty.start(words(...), { cwd = dir, env = environment() })
end

--- Standard input is not a terminal.
local function pipe(input, ...)
  local argv = vim.list_extend({ helper.core }, words(...))
  return vim.system(argv, { cwd = dir, env = environment(), stdin = input }):wait()
end

--- What the model was told by the user, in the request of this number.
local function said(number)
  local list = {}
  for _, message in ipairs(server.asked[number].body.messages) do
    if message.role == 'user' then
      table.insert(list, type(message.content) == 'string' and message.content or '?')
    end
  end
  return list
end

describe('oxide chat', function()
  before_each(function()
    server = model_server.start('openai')
    dir = project.begin { ['a.c'] = 'int f(void) {\n  return 1;\n}\n' }
    helper.write(
      dir .. '.lua',
      ([[return { model = 'fast', models = {
        fast = { url = %q, model = 'm1' },
        slow = { url = %q, model = 'm2' },
      } }]]):format(server.url, server.url)
    )
  end)

  after_each(function()
    server:stop()
    project.finish()
  end)

  it('answers line after line, and the model knows what was said', function()
    server:says { text = 'Hello.' }
    server:says { text = 'Fine.' }
    local t = start()
    t:till('fast (m1); /help lists the commands')
    t:till('> ')
    t:type('hi')
    t:till('Hello.')
    t:till('> ')
    t:type('how are you?')
    t:till('Fine.')
    t:till('> ')
    t:type('/quit')
    assert.equal(0, t:ended())
    assert.same({ 'hi', 'how are you?' }, said(2))
  end)

  it('ends at Ctrl-D', function()
    local t = start()
    t:till('> ')
    t:key('\4')
    assert.equal(0, t:ended())
  end)

  it('takes messages of several lines', function()
    for _ = 1, 2 do
      server:says { text = 'Ok.' }
    end
    local done = pipe('one \\\ntwo\n"""\nthree\n\n/four\n"""\n')
    assert.equal('Ok.\nOk.\n', done.stdout)
    assert.same({ 'one \ntwo', 'three\n\n/four\n' }, said(2))
    assert.equal(0, done.code)
  end)

  it('sends what the input ends in', function()
    server:says { text = 'Ok.' }
    assert.equal('Ok.\n', pipe('hello').stdout)
    server:says { text = 'Ok.' }
    assert.equal('Ok.\n', pipe('"""\nhello').stdout)
  end)

  it('asks another model from the next message on, and shows files', function()
    server:says { text = 'One.' }
    server:says { text = 'Two.' }
    local done = pipe('a\n/model slow\n/model none\n/file a.c:2\nb\n/nonsense\n')
    assert.equal('One.\nTwo.\n', done.stdout)
    assert.same({ 'm1', 'm2' }, { server.asked[1].body.model, server.asked[2].body.model })
    assert.truthy(done.stderr:find('slow (m2)', 1, true))
    assert.truthy(done.stderr:find('unknown model "none"', 1, true))
    assert.truthy(done.stderr:find('/quit or Ctrl-D', 1, true))
    assert.truthy(server.asked[2].raw:find('2:   return 1;', 1, true))
    assert.falsy(server.asked[1].raw:find('2:   return 1;', 1, true))
  end)

  it('goes on after a message that could not be sent, or answered', function()
    server:answers { status = 400, body = '{"error":{"message":"what?"}}' }
    server:says { text = 'Ok.' }
    local done = pipe('/file none.c\na\nb\nc\n')
    assert.truthy(done.stderr:find('none.c', 1, true))
    assert.truthy(done.stderr:find('answered with HTTP 400: what?', 1, true))
    assert.equal('Ok.\n', done.stdout)
    assert.equal(2, #server.asked)
  end)

  it('is not left by Ctrl-C, which cancels an answer', function()
    server:waits()
    local t = start()
    t:till('> ')
    t:type('hi')
    require('fault').wait('the request', function()
      return server.asked[1]
    end)
    t:key('\3')
    t:till('cancelled')
    t:till('> ')
    t:key('\3')
    t:till('/quit or Ctrl-D ends the conversation')
    t:till('> ')
    t:type('/quit')
    t:ended()
  end)

  it('asks for permission, and the conversation goes on', function()
    helper.write(dir .. '/Makefile', 'all:\n\t@printf x >>ran\n')
    server:says { calls = { { id = 'c1', name = 'check_project', args = vim.empty_dict() } } }
    server:says { text = 'Checked.' }
    server:says { calls = { { id = 'c2', name = 'check_project', args = vim.empty_dict() } } }
    server:says { text = 'Again.' }
    local t = start()
    t:till('> ')
    t:type('check')
    t:till('Allow this?')
    t:type('s')
    t:till('Checked.')
    t:till('> ')
    t:type('again')
    t:till('Again.')
    t:till('> ')
    t:key('\4')
    assert.equal(0, t:ended())
    assert.equal('xx', helper.read(dir .. '/ran'))
  end)

  it('can be taken up again, also after a kill', function()
    assert.truthy(pipe('', '--resume').stderr:find('no saved conversation in ' .. dir, 1, true))
    server:says { text = 'Hello.' }
    server:says { calls = { { id = 'c1', name = 'read_file', args = { file_path = 'a.c' } } } }
    assert.equal('Hello.\n', pipe('my name is Ada\n').stdout)
    local t = start('--resume')
    t:till('the conversation goes on')
    t:till('> ')
    local held
    t:type('read it')
    require('fault').wait('the next request', function()
      held = held or (server.asked[2] and server:waits())
      return server.asked[3]
    end)
    vim.uv.kill(vim.fn.jobpid(t.job), 'sigkill')
    t:ended()
    held.go()
    server:says { text = 'Ada.' }
    assert.equal('Ada.\n', pipe('who am I?\n', '--resume').stdout)
    assert.same({ 'my name is Ada', 'read it', 'who am I?' }, said(4))
    assert.truthy(server.asked[4].raw:find('2:   return 1;', 1, true))
    local files = vim.fn.glob(dir .. '.state/oxide/chats/*', true, true)
    assert.equal(1, #files)
    assert.equal(384, vim.uv.fs_stat(files[1]).mode % 512)
  end)

  it('prints the record of all turns with --json', function()
    server:says { text = 'One.' }
    server:says { text = 'Two.' }
    local done = pipe('a\nb\n', '--json')
    local r = record.read(done.stdout)
    local told = vim.tbl_map(function(m)
      return m.text .. m.turn
    end, r.messages)
    assert.same({ 'a1', 'One.1', 'b2', 'Two.2' }, told)
  end)

  it('refuses what it does not know', function()
    local done = pipe('', '--nonsense')
    assert.same(
      { 2, true },
      { done.code, done.stderr:find('unknown option --nonsense', 1, true) ~= nil }
    )
  end)
end)
