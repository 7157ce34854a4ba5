-- `oxide ask`: what reaches a model in each API's format, what its tools do, and what goes wrong.
local helper = require('helper')
local model_server = require('model_server')
local project = require('project')

local FORMATS = { 'anthropic', 'openai', 'openai-responses', 'gemini' }
local KEY = 'sk-of-the-test-and-of-nothing-else'

local server, dir ---@type test.ModelServer, string

---@param format string
---@param files? table<string, string>
local function begin(format, files)
  server = model_server.start(format)
  dir = project.begin(files or { ['a.c'] = 'int f(void) {\n  return 1;\n}\n' })
  helper.write(
    dir .. '.lua',
    ('return { options = { ["chat.retry_ms"] = 1 }, models = { fast = { provider = %q, url = %q, '):format(
      format,
      server.url
    ) .. 'model = "m1", key_env = "OXIDE_TEST_KEY" } } }'
  )
end

---@param args string[]
---@param env? table<string, string>
---@return vim.SystemCompleted
local function ask(args, env)
  local argv =
    { helper.core, 'ask', '--config', dir .. '.lua', '--data', helper.root .. '/lua/oxide' }
  return vim
    .system(vim.list_extend(argv, args), {
      cwd = dir,
      stdin = '',
      env = vim.tbl_extend('force', {
        XDG_STATE_HOME = dir .. '.state',
        OXIDE_TEST_KEY = KEY,
      }, env or {}),
    })
    :wait()
end

--- All that the person's last message says; the Responses API has an item for each part of it.
---@param body table
---@return string
local function last_words(body)
  local list = body.messages or body.input or body.contents
  local words = {}
  for i = #list, 1, -1 do
    if list[i].role ~= 'user' then
      break
    end
    local content = list[i].content or list[i].parts
    content = type(content) == 'string' and { { text = content } } or content
    for k = #content, 1, -1 do
      table.insert(words, 1, content[k].text)
    end
  end
  return table.concat(words, '\n')
end

local function after_one()
  server:stop()
  project.finish()
end

for _, format in ipairs(FORMATS) do
  describe('oxide ask, ' .. format, function()
    after_each(after_one)

    it('shows a model each line with its number, an empty one too', function()
      begin(format, { ['a.md'] = '# Title\n\nconst x = 1;\n' })
      server:says { text = 'Hello.' }
      local done = ask { '--file', 'a.md', 'what', 'is this?' }
      assert.equal('Hello.\n', done.stdout)
      assert.equal(0, done.code)
      local words = last_words(server.asked[1].body)
      assert.truthy(words:find('1: # Title\n2: \n3: const x = 1;', 1, true), words)
      assert.truthy(words:find('what is this?', 1, true))
      assert.truthy(words:find('a.md, markdown', 1, true))
      assert.equal('# Title\n\nconst x = 1;\n', project.get('a.md'))
    end)

    it('numbers the only line of a file, and a thousand', function()
      local lines = {}
      for i = 1, 1000 do
        lines[i] = 'line ' .. i
      end
      begin(format, { ['one.ts'] = 'const x = 1;', ['many.txt'] = table.concat(lines, '\n') })
      server:says { text = 'Yes.' }
      assert.equal(0, ask({ '--file', 'one.ts', '--file', 'many.txt', 'see?' }).code)
      local words = last_words(server.asked[1].body)
      assert.truthy(words:find('1: const x = 1;', 1, true))
      for i = 1, 1000 do
        assert.truthy(words:find(('\n%d: line %d'):format(i, i), 1, true), i)
      end
      assert.falsy(words:find('1001: ', 1, true))
    end)

    it('runs the tools that the model calls, and gives it their results', function()
      begin(format)
      server:says {
        text = 'Let me look.',
        calls = { { id = 'c1', name = 'read_file', args = { file_path = 'a.c' } } },
      }
      server:says {
        calls = {
          {
            id = 'c2',
            name = 'edit_file',
            args = { file_path = 'a.c', line_number = 2, content = '  return 2;' },
          },
        },
      }
      server:says { text = 'It returns 2.' }
      local done = ask { '--yes', 'return two' }
      assert.equal('Let me look.\nIt returns 2.\n', done.stdout)
      assert.equal('read_file a.c\nedit_file a.c:2\n', done.stderr)
      assert.equal(0, done.code)
      assert.equal('int f(void) {\n  return 2;\n}\n', project.get('a.c'))
      assert.truthy(server.asked[2].raw:find('2:   return 1;', 1, true))
      assert.truthy(server.asked[3].raw:find('files_changed: 1', 1, true))
      assert.equal(3, #server.asked)
    end)

    it('keeps the key out of everything but its header', function()
      begin(format)
      server:says { text = 'Hello.' }
      local done = ask { 'hello' }
      local header = vim.json.encode(server.asked[1].headers)
      assert.truthy(header:find(KEY, 1, true))
      assert.falsy(server.asked[1].raw:find(KEY, 1, true))
      assert.falsy(server.asked[1].path:find(KEY, 1, true))
      assert.falsy((done.stdout .. done.stderr):find(KEY, 1, true))
      assert.falsy(vim.inspect(helper.tree(dir .. '.state')):find(KEY, 1, true))
    end)
  end)
end

describe('oxide ask', function()
  before_each(function()
    begin('openai')
  end)

  after_each(after_one)

  ---@param args table
  local function edit(args)
    return { calls = { { id = 'c1', name = 'edit_file', args = args } } }
  end

  it('tells the model what AGENTS.md says, else CLAUDE.md, as it is at each turn', function()
    local function told()
      server:says { text = 'Hello.' }
      assert.equal(0, ask({ 'hello' }).code)
      local system = server.asked[#server.asked].body.messages[1]
      assert.equal('system', system.role)
      return system.content
    end
    assert.falsy(told():find('What follows', 1, true))
    helper.write(dir .. '/CLAUDE.md', 'Be kind.\n')
    assert.truthy(vim.endswith(told(), 'Be kind.\n'))
    helper.write(dir .. '/AGENTS.md', 'Use \255 tabs.\n' .. ('Be brief.\n'):rep(4000))
    local long = told()
    assert.truthy(long:find("What follows is the project's AGENTS.md", 1, true))
    assert.truthy(long:find('Use .* tabs%.\nBe brief%.\n'))
    assert.truthy(
      vim.endswith(long, 'Be brief.\n\n[The rest of AGENTS.md is left out; read_file shows it.]\n')
    )
    assert.falsy(long:find('Be kind', 1, true))
    assert.truthy(#long < 40000)
    local config = helper.read(dir .. '.lua')
    helper.write(dir .. '.lua', (config:gsub('^return { ', function()
      return 'return { chat = { permissions = { read = "ask" } }, '
    end)))
    assert.falsy(told():find('Be brief', 1, true))
  end)

  it('ends a turn that asks again and again', function()
    local config = helper.read(dir .. '.lua')
    helper.write(dir .. '.lua', (config:gsub('options = { ', '%0["chat.rounds"] = 2, ')))
    for i = 1, 2 do
      local args = { file_path = 'a.c', start_line = i }
      server:says { calls = { { id = 'c' .. i, name = 'read_file', args = args } } }
    end
    local done = ask { 'go' }
    assert.truthy(
      done.stderr:find('the turn ended after 2 requests (chat.rounds)', 1, true),
      done.stderr
    )
    assert.same({ 1, 2 }, { done.code, #server.asked })
  end)

  it('needs no more than a key in the environment for a well-known service', function()
    helper.write(dir .. '.lua', 'return { options = { ["chat.retry_ms"] = 1 } }')
    local done = ask({ '--model', 'anthropic/m2', 'hello' }, {
      ANTHROPIC_API_KEY = KEY,
      https_proxy = 'http://127.0.0.1:1',
      no_proxy = '',
    })
    assert.equal(1, done.code)
    assert.matches('https://api%.anthropic%.com.* https_proxy', done.stderr)
  end)

  it('changes nothing that nobody has confirmed, and says so', function()
    server:says(edit { file_path = 'a.c', line_number = 2, content = '  return 2;' })
    server:says { text = 'Done, if you agree.' }
    local done = ask { 'return two' }
    assert.equal(1, done.code)
    assert.equal('int f(void) {\n  return 1;\n}\n', project.get('a.c'))
    assert.truthy(done.stderr:find('nothing was changed: nobody has confirmed it', 1, true))
    assert.truthy(server.asked[2].raw:find('kept: for the user', 1, true))
  end)

  it('tells the model at once where each change is reviewed by itself', function()
    helper.write(
      dir .. '.lua',
      (helper.read(dir .. '.lua'):gsub('options = {', 'options = { ["chat.apply"] = "each",'))
    )
    server:says(edit { file_path = 'a.c', line_number = 2, content = '  return 2;' })
    server:says { text = 'You did not agree.' }
    assert.equal(0, ask({ 'return two' }).code)
    assert.equal('int f(void) {\n  return 1;\n}\n', project.get('a.c'))
    assert.truthy(server.asked[2].raw:find('has not confirmed it', 1, true))
  end)

  it('takes no confirmation from the model', function()
    server:says {
      calls = {
        {
          id = 'c1',
          name = 'rename_symbol',
          args = { symbol_name = 'f', new_name = 'g', confirm = 'apply' },
        },
      },
    }
    server:says { text = 'Sorry.' }
    assert.equal(0, ask({ 'rename f' }).code)
    assert.equal('int f(void) {\n  return 1;\n}\n', project.get('a.c'))
  end)

  describe("and the project's own commands", function()
    local MAKEFILE = 'all:\n\t@echo ran >>ran\n'

    ---@param more? string   of the configuration
    local function begin_make(more)
      after_one()
      begin('openai')
      local config = helper.read(dir .. '.lua')
      helper.write(dir .. '.lua', (config:gsub('^return { ', 'return { ' .. (more or ''))))
      server:says {
        calls = {
          {
            id = 'c1',
            name = 'write_file',
            args = { file_path = 'Makefile', content = MAKEFILE },
          },
          { id = 'c2', name = 'check_project', args = vim.empty_dict() },
        },
      }
      server:says { text = 'Done.' }
    end

    local function ran()
      return vim.uv.fs_stat(dir .. '/ran') ~= nil
    end

    it('are not run by --yes: that accepts changes', function()
      begin_make()
      assert.equal(0, ask({ '--yes', 'go' }).code)
      assert.equal(MAKEFILE, project.get('Makefile'))
      assert.is_false(ran())
      local raw = server.asked[2].raw
      assert.truthy(raw:find('no user can be asked', 1, true), raw)
      assert.truthy(raw:find('run the commands of the project', 1, true))
      assert.same({}, vim.fn.glob(dir .. '.state/oxide/allowed/*', true, true))
    end)

    it('are run with --allow-run, which remembers nothing', function()
      begin_make()
      assert.equal(0, ask({ '--yes', '--allow-run', 'go' }).code)
      assert.is_true(ran())
      assert.same({}, vim.fn.glob(dir .. '.state/oxide/allowed/*', true, true))
    end)

    it('are never run where the configuration denies them', function()
      begin_make('chat = { permissions = { command = "deny" } }, ')
      assert.equal(0, ask({ '--yes', '--allow-run', 'go' }).code)
      assert.is_false(ran())
      local raw = server.asked[2].raw
      assert.truthy(raw:find('denied by chat.permissions (command, inside)', 1, true), raw)
    end)

    it('are run where the configuration allows them', function()
      begin_make('chat = { permissions = { command = { inside = "allow" } } }, ')
      assert.equal(0, ask({ '--yes', 'go' }).code)
      assert.is_true(ran())
    end)
  end)

  it('says what is wrong with chat.permissions', function()
    for given, problem in pairs {
      ['"no"'] = 'chat.permissions must be a table',
      ['{ run = "deny" }'] = 'chat.permissions: "run" must be one of read, edit, command,',
      ['{ edit = "yes" }'] = 'chat.permissions.edit: "yes" must be one of allow, review, ask,',
      ['{ edit = { here = "ask" } }'] = '"here" must be one of inside, outside, protected',
    } do
      local config = helper.read(dir .. '.lua')
      helper.write(
        dir .. '.lua',
        (config:gsub('^return { ', 'return { chat = { permissions = ' .. given .. ' }, '))
      )
      local done = ask { 'hello' }
      assert.truthy(done.stderr:find(problem, 1, true), done.stderr)
      assert.equal(1, done.code)
      helper.write(dir .. '.lua', config)
    end
  end)

  it('makes no change that the configuration denies', function()
    local config = helper.read(dir .. '.lua')
    helper.write(
      dir .. '.lua',
      (config:gsub('^return { ', 'return { chat = { permissions = { edit = "deny" } }, '))
    )
    server:says(edit { file_path = 'a.c', line_number = 2, content = '  return 2;' })
    server:says { text = 'I cannot.' }
    assert.equal(0, ask({ '--yes', 'return two' }).code)
    assert.equal('int f(void) {\n  return 1;\n}\n', project.get('a.c'))
    assert.truthy(server.asked[2].raw:find('denied by chat.permissions (edit, inside)', 1, true))
  end)

  it('asks again after an overload, for as long as the server says', function()
    server:answers {
      status = 529,
      headers = { ['retry-after-ms'] = '3' },
      body = '{"error":{"message":"overloaded"}}',
    }
    server:answers { status = 429, body = '{"error":{"message":"slow down"}}' }
    server:says { text = 'Hello.' }
    local done = ask { 'hello' }
    assert.equal('Hello.\n', done.stdout)
    assert.truthy(done.stderr:find('HTTP 529: overloaded; trying again in 0.0 s', 1, true))
    assert.truthy(done.stderr:find('HTTP 429: slow down', 1, true))
    assert.same({ 0, 3 }, { done.code, #server.asked })
  end)

  it('keeps what was said before the connection broke, and does not ask again', function()
    local stream = server:stream { text = 'Half of it' }
    server:answers { body = stream:sub(1, (stream:find('\n\n', 1, true)) + 1) }
    local done = ask { 'hello' }
    assert.equal('Half of it\n', done.stdout)
    assert.same({ 1, 1 }, { done.code, #server.asked })
  end)

  it('gives the model an error for a tool that is not there, and for broken arguments', function()
    server:says {
      calls = {
        { id = 'c1', name = 'edit_fiel', args = {} },
        { id = 'c2', name = 'edit_file', args = '{"file_path": ' },
        { id = 'c3', name = 'edit_file', args = { file_path = 'a.c', line_number = 0 } },
      },
    }
    server:says { text = 'I see.' }
    assert.equal(0, ask({ 'go' }).code)
    local results = {}
    for _, message in ipairs(server.asked[2].body.messages) do
      if message.role == 'tool' then
        results[message.tool_call_id] = message.content
      end
    end
    assert.truthy(results.c1:find('edit_file', 1, true), results.c1)
    assert.truthy(results.c2:find('error:', 1, true))
    assert.truthy(results.c3:find('error:', 1, true))
  end)

  it('ends a turn in which the same call fails again and again', function()
    for _ = 1, 3 do
      server:says(edit { file_path = 'none.c', line_number = 1, content = '' })
    end
    local done = ask { '--yes', 'go' }
    assert.truthy(done.stderr:find('made the same call 3 times', 1, true), done.stderr)
    assert.truthy(server.asked[3].raw:find('do not repeat it', 1, true))
    assert.same({ 1, 3 }, { done.code, #server.asked })
  end)

  it('shows some lines of a file, with their numbers', function()
    server:says { text = 'Two.' }
    assert.equal(0, ask({ '--file', 'a.c:2-9', 'what?' }).code)
    local words = last_words(server.asked[1].body)
    assert.truthy(words:find('a.c, lines 2 to 3, c:\n2:   return 1;\n3: }', 1, true), words)
  end)

  it('refuses what it cannot make sense of', function()
    for _, case in ipairs {
      { 2, 'the prompt is empty' },
      { 2, '--model needs a value', 'hello', '--model' },
      { 2, 'unknown option --nonsense', '--nonsense', 'hello' },
      { 1, 'unknown model "slow"; models: fast', '--model', 'slow', 'hello' },
      { 1, 'has no lines 7 to 9: it has 3', '--file', 'a.c:7-9', 'hello' },
      { 1, 'lines must be FIRST or FIRST-LAST', '--file', 'a.c:x', 'hello' },
      { 1, 'none.c', '--file', 'none.c', 'hello' },
    } do
      local done = ask(vim.list_slice(case, 3))
      assert.equal(case[1], done.code, case[2])
      assert.truthy(done.stderr:find(case[2], 1, true), done.stderr)
    end
    assert.same({}, server.asked)
  end)

  describe('with a command that prints the key', function()
    ---@param command string   Lua
    local function begin_command(command)
      local config = helper.read(dir .. '.lua')
      helper.write(dir .. '.lua', (config:gsub('key_env = "OXIDE_TEST_KEY"', function()
        return 'key_command = ' .. command
      end)))
    end

    it('sends it, and asks the command once', function()
      begin_command('{ "sh", "-c", "echo x >>runs; echo secret-$0; echo more", "key" }')
      server:says { calls = { { id = 'c1', name = 'read_file', args = { file_path = 'a.c' } } } }
      server:says { text = 'Hello.' }
      local done = ask { 'hello' }
      assert.equal('Hello.\n', done.stdout, done.stderr)
      for i = 1, 2 do
        assert.equal('Bearer secret-key', server.asked[i].headers.authorization)
      end
      assert.equal('x\n', project.get('runs'))
      assert.falsy(vim.inspect(helper.tree(dir .. '.state')):find('secret-key', 1, true))
    end)

    for what, case in pairs {
      ['fails'] = {
        '{ "sh", "-c", "echo half; echo locked >&2; exit 3" }',
        'no key for fast: key_command ended with status 3: locked',
      },
      ['prints nothing'] = { '{ "true" }', 'no key for fast: key_command printed nothing' },
      ['is not there'] = { '{ "/no/such/program" }', '/no/such/program' },
      ['is for a shell'] = { '"pass show key"', 'key_command must be a list of strings' },
      ['does not end'] = {
        '{ "sleep", "600" } } }, options = { ["chat.key_ms"] = 20 }, x = { x = { 1',
        'no key for fast: key_command did not end in time (chat.key_ms)',
      },
    } do
      it('says so when it ' .. what, function()
        begin_command(case[1])
        local done = ask { 'hello' }
        assert.truthy(done.stderr:find(case[2], 1, true), done.stderr)
        assert.falsy(done.stderr:find('half', 1, true))
        assert.same({ 1, 0 }, { done.code, #server.asked })
      end)
    end

    it('says whose key was refused', function()
      begin_command('{ "echo", "wrong" }')
      server:answers { status = 401, body = '{"error":{"message":"bad key"}}' }
      local done = ask { 'hello' }
      assert.truthy(done.stderr:find('refused the key of key_command (HTTP 401)', 1, true))
      assert.falsy(done.stderr:find('wrong', 1, true))
    end)
  end)

  it('names the variable that has no key', function()
    local done = ask({ 'hello' }, { OXIDE_TEST_KEY = '' })
    assert.truthy(done.stderr:find('the environment variable OXIDE_TEST_KEY is not set', 1, true))
    assert.same({ 1, 0 }, { done.code, #server.asked })
  end)
end)
