-- The record of what a model did: its rows as they happen, the whole as one JSON value, by a schema.
local helper = require('helper')
local model_server = require('model_server')
local project = require('project')
local record = require('record')

local KEY = 'a-key-in-the-environment'

local server, dir, state ---@type test.ModelServer, string, string

---@param command string
---@return vim.SystemCompleted
local function run(command, ...)
  return vim
    .system({
      helper.core,
      command,
      '--config',
      dir .. '.lua',
      '--data',
      helper.root .. '/lua/oxide',
      ...,
    }, {
      cwd = dir,
      stdin = '',
      env = { XDG_STATE_HOME = state, OXIDE_TEST_KEY = KEY },
    })
    :wait()
end

local function ask(...)
  return run('ask', ...)
end

--- The record of a turn in which these tools are called, one after the other.
---@return table record
---@return vim.SystemCompleted
local function recorded(calls, ...)
  for i, call in ipairs(calls) do
    server:says { calls = { { id = 'c' .. i, name = call[1], args = call[2] or vim.empty_dict() } } }
  end
  server:says { text = 'Done.' }
  local done = ask('--yes', '--json', ...)
  assert.equal(0, done.code, done.stderr)
  return record.read(done.stdout), done
end

local function configure(more)
  helper.write(
    dir .. '.lua',
    ('return { %s models = { fast = { url = %q, model = "m1", key_env = "OXIDE_TEST_KEY" } } }'):format(
      more or '',
      server.url
    )
  )
end

describe('the record of a turn', function()
  before_each(function()
    server = model_server.start('openai')
    dir = project.begin { ['a.c'] = 'int f(void) {\n  return 1;\n}\n', ['b.c'] = 'int b;\n' }
    state = dir .. '.state'
    configure()
  end)

  after_each(function()
    server:stop()
    project.finish()
  end)

  it('has the messages, calls and changes, in order of time', function()
    local r, done = recorded({
      { 'read_file', { file_path = 'a.c' } },
      { 'edit_file', { file_path = 'a.c', line_number = 2, content = '  return 2;' } },
      { 'edit_file', { file_path = 'none.c', line_number = 2, content = '' } },
    }, 'return two')
    assert.equal(1, select(2, done.stdout:gsub('\n', '\n')))
    assert.same({ name = 'fast', engine = 'model', model = 'm1' }, r.agent)
    assert.equal(dir, r.cwd)
    assert.truthy(r.ended >= r.timestamp)
    local said = vim.tbl_map(function(m)
      return { m.role, m.text, m.turn }
    end, r.messages)
    assert.same({ { 'user', 'return two', 1 }, { 'assistant', 'Done.', 1 } }, said)
    local calls = vim.tbl_map(function(c)
      return { c.id, c.name, c.status, c.turn }
    end, r.tool_calls)
    assert.same({
      { 'c1', 'read_file', 'completed', 1 },
      { 'c2', 'edit_file', 'completed', 1 },
      { 'c3', 'edit_file', 'failed', 1 },
    }, calls)
    assert.equal(2, r.tool_calls[2].arguments.line_number)
    assert.truthy(r.tool_calls[1].result:find('2:   return 1;', 1, true))
    local read, edit = r.file_operations[1], r.file_operations[2]
    assert.same({ 'read', dir .. '/a.c', 'c1' }, { read.operation, read.path, read.tool_call_id })
    assert.same({ 'modify', dir .. '/a.c' }, { edit.operation, edit.path })
    assert.same({ 1, 1 }, { edit.change.lines_added, edit.change.lines_removed })
    assert.truthy(edit.change.diff:find('-  return 1;\n+  return 2;', 1, true))
    assert.truthy(edit.transaction)
    assert.equal(2, #r.file_operations)
  end)

  it('has an operation for each file of a change, each with its own diff', function()
    local r = recorded({
      {
        'apply_patch',
        {
          patch = '*** Begin Patch\n*** Update File: a.c\n@@\n-  return 1;\n+  return 3;\n'
            .. '*** Add File: new.c\n+int n;\n*** Delete File: b.c\n*** End Patch\n',
        },
      },
    }, 'go')
    local seen = {}
    for _, op in ipairs(r.file_operations) do
      seen[vim.fs.basename(op.path)] = op
    end
    assert.same(
      { 'modify', 'create', 'delete' },
      { seen['a.c'].operation, seen['new.c'].operation, seen['b.c'].operation }
    )
    assert.truthy(seen['a.c'].change.diff:find('return 3', 1, true))
    assert.falsy(seen['a.c'].change.diff:find('int n', 1, true))
    assert.truthy(seen['new.c'].change.diff:find('+int n;', 1, true))
  end)

  it('has the commands, and calls that were denied', function()
    helper.write(dir .. '/Makefile', 'all:\n\tfalse\n')
    local r = recorded({ { 'check_project' } }, '--allow-run', 'go')
    assert.equal(1, #r.shell_commands)
    assert.truthy(r.shell_commands[1].command:find('make', 1, true))
    assert.equal(2, r.shell_commands[1].exit_code)
    r = recorded({ { 'check_project' } }, 'go')
    assert.equal('denied', r.tool_calls[1].status)
    assert.same({}, r.shell_commands)
  end)

  it('is appended to a file of its own that nobody else may read', function()
    server:says { text = 'Hello.' }
    assert.equal(0, ask('hello').code)
    local files = record.files(state)
    assert.equal(1, #files)
    assert.matches('/%d+T%d+%.%d+Z%-%x+%.jsonl$', files[1])
    assert.equal(384, vim.uv.fs_stat(files[1]).mode % 512)
    local whole = run('records', '--json')
    local r = record.read(whole.stdout)
    assert.same({ 'hello', 'Hello.' }, { r.messages[1].text, r.messages[2].text })
    assert.equal(whole.stdout, run('records', r.session_id:sub(1, 6)).stdout)
    assert.truthy(run('records').stdout:find(r.session_id .. '  fast  ' .. dir, 1, true))
    assert.truthy(run('records', 'zzz').stderr:find('no record found of the session zzz', 1, true))
  end)

  it('is whole but for the last row when the process is killed', function()
    server:says { calls = { { id = 'c1', name = 'read_file', args = { file_path = 'a.c' } } } }
    local first = server:waits()
    local running = vim.system(
      { helper.core, 'ask', '--config', dir .. '.lua', '--data', helper.root .. '/lua/oxide', 'hi' },
      { cwd = dir, env = { XDG_STATE_HOME = state, OXIDE_TEST_KEY = KEY } }
    )
    local function asked(n)
      require('fault').wait('request ' .. n, function()
        return server.asked[n]
      end)
    end
    asked(1)
    first.go()
    server:waits()
    asked(2)
    running:kill('sigkill')
    running:wait()
    local file = record.files(state)[1]
    helper.write(file, helper.read(file) .. '{"row":"messages","ro')
    local r = record.read(run('records', '--json').stdout)
    assert.equal('hi', r.messages[1].text)
    assert.equal('c1', r.tool_calls[1].id)
    assert.equal(nil, r.ended)
  end)

  it('masks keys, in whichever text they are', function()
    local token = 'ghp_' .. ('a1'):rep(18)
    helper.write(dir .. '/.env', 'API_KEY=abcdefgh12345\nTOKEN=' .. token .. '\n')
    server:says {
      calls = {
        { id = 'c1', name = 'read_file', args = { file_path = '.env' } },
        {
          id = 'c2',
          name = 'edit_file',
          args = { file_path = 'a.c', line_number = 1, content = '// ' .. KEY, api_key = 'x y z' },
        },
      },
    }
    server:says { text = 'It is ' .. token .. '.' }
    local done = ask('--yes', '--json', 'hello')
    local text = done.stdout .. helper.read(record.files(state)[1])
    record.read(done.stdout)
    for _, secret in ipairs { token, 'abcdefgh12345', KEY, 'x y z' } do
      assert.falsy(text:find(secret, 1, true), secret)
    end
    assert.truthy(text:find('API_KEY=***', 1, true))
  end)

  it('cuts long texts in their middle, and says so', function()
    configure('options = { ["records.text_bytes"] = 200 },')
    helper.write(dir .. '/long.txt', ('äöü\n'):rep(500))
    local r = recorded({ { 'read_file', { file_path = 'long.txt' } } }, 'go')
    local result = r.tool_calls[1].result
    assert.matches('%[%.%.%. %d+ bytes left out %.%.%.%]', result)
    assert.truthy(#result < 300)
    assert.truthy(vim.endswith(vim.trim(result), 'äöü'))
  end)

  it('is written whole into records.directory', function()
    configure(('records = { directory = %q },'):format(dir .. '.out/deep/'))
    server:says { text = 'Hello.' }
    assert.equal(0, ask('hello').code)
    local files = vim.fn.glob(dir .. '.out/deep/*.json', true, true)
    assert.equal(1, #files)
    local r = record.read(helper.read(files[1]))
    assert.truthy(files[1]:find(r.session_id, 1, true))
    assert.equal(384, vim.uv.fs_stat(files[1]).mode % 512)
  end)

  it('is kept in memory where nothing can be written, and only the latest are kept', function()
    configure('options = { ["records.files"] = 0 },')
    local r = recorded({ { 'read_file', { file_path = 'a.c' } } }, 'go')
    assert.equal(1, #r.tool_calls)
    assert.same({}, record.files(state))
    configure('options = { ["records.files"] = 2 },')
    for _ = 1, 3 do
      recorded({}, 'go')
    end
    assert.equal(2, #record.files(state))
    configure('options = { ["records.files"] = 0, ["records.memory"] = 300 },')
    r = recorded({ { 'read_file', { file_path = 'a.c' } } }, 'go')
    assert.truthy(r.lost_rows > 0)
  end)

  --- `oxide ask` whose files cannot grow beyond a kilobyte.
  local function ask_on_full_disk(...)
    local argv = { helper.core, 'ask', '--config', dir .. '.lua', ... }
    vim.list_extend(argv, { '--data', helper.root .. '/lua/oxide' })
    local full = { 'sh', '-c', [[trap '' XFSZ; ulimit -f 1; exec "$@"]], 'sh' }
    return vim
      .system(vim.list_extend(full, argv), {
        cwd = dir,
        stdin = '',
        env = { XDG_STATE_HOME = state, OXIDE_TEST_KEY = KEY },
      })
      :wait(helper.deadline)
  end

  it(
    'that the disk has no room for is said to be incomplete, once, and the turn goes on',
    function()
      local question = ('word '):rep(500)
      local function answers()
        server:says { calls = { { id = 'c1', name = 'read_file', args = { file_path = 'a.c' } } } }
        server:says { text = 'Done.' }
      end
      answers()
      local done = ask_on_full_disk(question)
      local _, times = done.stderr:gsub(
        'the record of this conversation is incomplete: [^\n]+/oxide/records/[^\n]+%.jsonl: '
          .. 'File too large; %-%-json prints all of it\n',
        ''
      )
      assert.same({ 0, 'Done.\n', 1 }, { done.code, done.stdout, times }, done.stderr)
      answers()
      done = ask_on_full_disk('--json', question)
      local r = record.read(done.stdout)
      assert.matches('/oxide/records/.+%.jsonl: File too large', r.incomplete)
      assert.same({ 1, 2 }, { #r.tool_calls, #r.messages })
      assert.equal(vim.trim(question), vim.trim(r.messages[1].text))
      assert.matches(
        'the record of this conversation is incomplete: [^;]+File too large\n',
        done.stderr
      )
    end
  )
end)

describe('doc/record.schema.json', function()
  it('refuses what is no record', function()
    assert.truthy(record.problems('{}'):find("'version' is a required property", 1, true))
    assert.truthy(record.problems('{"version": 2}'):find('1 was expected', 1, true))
  end)
end)
