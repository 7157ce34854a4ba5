-- What can go wrong with a model's server: each says what happened, keeps what was said, and is not
-- tried again where that cannot help. `oxide ask` shows it, in all formats where they differ.
local faults = require('model_faults')
local helper = require('helper')
local model_server = require('model_server')
local project = require('project')

local FORMATS = { 'anthropic', 'openai', 'openai-responses', 'gemini' }

local server, dir ---@type test.ModelServer, string

---@param format string
---@param options? string   of the core, as Lua
---@param url? string
local function begin(format, options, url)
  server = model_server.start(format)
  dir = project.begin { ['a.c'] = 'int a;\n' }
  helper.write(
    dir .. '.lua',
    ([[return {
      options = { ['chat.retry_ms'] = 1, ['chat.retries'] = 1, %s },
      models = { fast = { provider = %q, url = %q, model = 'm1', key_env = 'OXIDE_TEST_KEY' } },
    }]]):format(options or '', format, url or server.url)
  )
end

---@param args string[]
---@param env? table<string, string>
---@param on_stderr? fun(err?: string, piece?: string)
---@return vim.SystemObj
local function start(args, env, on_stderr)
  local argv =
    { helper.core, 'ask', '--config', dir .. '.lua', '--data', helper.root .. '/lua/oxide' }
  return vim.system(vim.list_extend(argv, args), {
    cwd = dir,
    stdin = '',
    stderr = on_stderr,
    env = vim.tbl_extend('force', {
      XDG_STATE_HOME = dir .. '.state',
      OXIDE_TEST_KEY = 'a-key',
    }, env or {}),
  })
end

---@param args string[]
---@param env? table<string, string>
local function ask(args, env)
  return start(args, env):wait(helper.deadline)
end

local function after_one()
  server:stop()
  project.finish()
end

--- The stream without its end, from where `words` end on.
---@param stream string
---@param words string
---@param more? integer   bytes behind them that are still there
local function cut(stream, words, more)
  local _, at = stream:find(words, 1, true)
  return stream:sub(1, assert(at) + (more or 0))
end

--- An error in the middle of a stream, as each API sends it.
local ERRORS = {
  anthropic = 'event: error\ndata: {"type":"error","error":{"type":"x","message":"it broke"}}\n\n',
  openai = 'data: {"error":{"message":"it broke"}}\n\n',
  ['openai-responses'] = 'data: {"type":"error","message":"it broke"}\n\n',
  gemini = 'data: {"error":{"code":400,"message":"it broke"}}\n\n',
}

for _, format in ipairs(FORMATS) do
  describe('oxide ask, ' .. format .. ', of a stream', function()
    before_each(function()
      begin(format)
    end)
    after_each(after_one)

    local INCOMPLETE = 'the connection ended in the middle of the answer; ask again to go on'

    it('that ends in the middle of a call, runs none of it', function()
      local call = { id = 'c1', name = 'write_file', args = { file_path = 'b.c', content = 'XY' } }
      local stream = server:stream { calls = { call } }
      server:answers { body = cut(stream, 'b.c') }
      server:answers { body = cut(stream, 'b.c') }
      local done = ask { '--yes', 'go' }
      assert.truthy(done.stderr:find(INCOMPLETE, 1, true), done.stderr)
      assert.same({ '', 1 }, { done.stdout, done.code })
      assert.is_nil(vim.uv.fs_stat(dir .. '/b.c'))
    end)

    it('that ends in the middle of a character, says no half of it', function()
      local stream = server:stream { text = 'größer' }
      server:answers { body = cut(stream, 'gr', 1) }
      server:answers { body = cut(stream, 'gr', 1) }
      local done = ask { 'go' }
      assert.equal('', done.stdout)
      assert.truthy(done.stderr:find(INCOMPLETE, 1, true), done.stderr)
      assert.same({ 1, 2 }, { done.code, #server.asked }) -- nothing was said: it is tried again
    end)

    it('that has an error behind its first words, keeps these', function()
      local stream = server:stream { text = 'Half of it' }
      local first = cut(stream, 'Half of it')
      first = first .. stream:sub(#first + 1):match('^.-\n\n')
      server:answers { body = first .. ERRORS[format] }
      local done = ask { 'go' }
      assert.equal('Half of it\n', done.stdout)
      assert.truthy(done.stderr:find('it broke', 1, true), done.stderr)
      assert.same({ 1, 1 }, { done.code, #server.asked })
    end)

    it('that is empty, is said to be', function()
      server:says {}
      local done = ask { 'hello' }
      assert.truthy(done.stderr:find('fast has answered nothing; ask again', 1, true), done.stderr)
      assert.same({ '', 1 }, { done.stdout, done.code })
    end)

    it('with fifty calls, gives each its result', function()
      local calls = {}
      for i = 1, 50 do
        calls[i] = { id = 'c' .. i, name = 'read_file', args = { file_path = 'a.c', end_line = 1 } }
      end
      server:says { calls = calls }
      server:says { text = 'Done.' }
      local done = ask { 'go' }
      assert.equal('Done.\n', done.stdout)
      local _, results = server.asked[2].raw:gsub('1: int a;', '')
      assert.equal(50, results)
    end)
  end)
end

describe('oxide ask', function()
  after_each(after_one)

  for what, case in pairs(faults) do
    it('says what is wrong of ' .. what, function()
      begin('openai')
      for _ = 1, case.asks do
        server:answers(case.answer)
      end
      local done = ask { 'hello' }
      assert.truthy(done.stderr:find(case.says, 1, true), done.stderr)
      assert.same({ '', 1, case.asks }, { done.stdout, done.code, #server.asked })
    end)
  end

  --- What is shown while the next try waits, in seconds.
  ---@return number
  local function countdown()
    local said = ''
    local process = start({ 'hello' }, nil, function(_, piece)
      said = said .. (piece or '')
    end)
    assert.truthy(
      vim.wait(helper.deadline, function()
        return said:find('trying again in [%d.]+ s') ~= nil
      end),
      said
    )
    process:kill('sigint')
    process:wait(helper.deadline)
    return tonumber(said:match('trying again in ([%d.]+) s'))
  end

  it('waits until the date that a server names', function()
    begin('openai')
    server:answers {
      status = 429,
      headers = { ['retry-after'] = os.date('!%a, %d %b %Y %H:%M:%S GMT', os.time() + 3600) },
      body = '{"error":{"message":"slow down"}}',
    }
    local s = countdown()
    assert.truthy(s > 3000 and s <= 3600, s)
  end)

  it('waits for as long as Gemini says in the details of its error', function()
    begin('gemini')
    server:answers {
      status = 429,
      body = vim.json.encode { -- a list, as for all that is no event
        {
          error = {
            code = 429,
            message = 'You exceeded your current quota.',
            status = 'RESOURCE_EXHAUSTED',
            details = {
              { ['@type'] = 'type.googleapis.com/google.rpc.Help', links = {} },
              { ['@type'] = 'type.googleapis.com/google.rpc.RetryInfo', retryDelay = '34.5s' },
            },
          },
        },
      },
    }
    assert.equal(34.5, countdown())
  end)

  it('leaves a server that is silent', function()
    begin('openai', "['chat.silence_ms'] = 50, ['chat.retries'] = 0")
    server:waits()
    local done = ask { 'hello' }
    assert.truthy(done.stderr:find('sent nothing for', 1, true), done.stderr)
    assert.equal(1, done.code)
  end)

  it('ends an answer that is too long, and closes the connection', function()
    begin('openai', "['chat.answer_bytes'] = 2000")
    server:answers {
      body = '',
      endless = 'data: {"choices":[{"index":0,"delta":{"content":"and on "}}]}\n\n',
    }
    local done = ask { 'hello' }
    assert.truthy(done.stdout:find('and on and on', 1, true))
    assert.truthy(#done.stdout < 100000)
    assert.truthy(done.stderr:find('longer than 2000 bytes (chat.answer_bytes)', 1, true))
    assert.equal(1, done.code)
    assert.truthy(vim.wait(helper.deadline, function()
      return server.left
    end))
  end)

  it('ends an answer that never comes to an end', function()
    begin('openai', "['chat.seconds'] = 1")
    server:answers { body = '', endless = ': still here\n\n' }
    local done = ask { 'hello' }
    assert.truthy(done.stderr:find('the turn ended after 1 s (chat.seconds)', 1, true), done.stderr)
    assert.same({ '', 1 }, { done.stdout, done.code })
  end)

  it('is cancelled at once', function()
    begin('openai')
    server:waits()
    local process = start { 'hello' }
    vim.wait(helper.deadline, function()
      return #server.asked == 1
    end)
    process:kill('sigint')
    local done = process:wait(helper.deadline)
    assert.equal(1, done.code)
    assert.truthy(done.stderr:find('cancelled', 1, true), done.stderr)
  end)

  it('says why it waits once', function()
    begin('openai', "['chat.retries'] = 2")
    for _ = 1, 3 do
      server:answers { status = 529, body = '{"error":{"message":"overloaded"}}' }
    end
    local done = ask { 'hello' }
    assert.equal(
      ([[
oxide: URL answered with HTTP 529: overloaded; trying again in 0.0 s
oxide: trying again in 0.0 s
oxide: URL answered with HTTP 529: overloaded (tried 3 times)
]]):gsub('URL', server.url),
      done.stderr
    )
  end)

  it('says at once that nothing listens there', function()
    begin('openai', nil, 'http://127.0.0.1:1/v1')
    local done = ask { 'hello' }
    assert.equal(
      'oxide: cannot connect to http://127.0.0.1:1: connection refused; check that a server runs '
        .. 'there\n',
      done.stderr
    )
  end)

  it('says at once that a server speaks no TLS', function()
    local listener = assert(vim.uv.new_tcp())
    listener:bind('127.0.0.1', 0)
    listener:listen(16, function()
      local client = assert(vim.uv.new_tcp())
      listener:accept(client)
      client:write('HTTP/1.1 400 Bad Request\r\n\r\n')
    end)
    local at = '127.0.0.1:' .. listener:getsockname().port
    begin('openai', nil, ('https://%s/v1'):format(at))
    local done = ask { 'hello' }
    listener:close()
    assert.equal(
      ('oxide: https://%s does not speak TLS; is it http://%s?\n'):format(at, at),
      done.stderr
    )
  end)

  it('leaves a server that never gets connected', function()
    local listener, clients = assert(vim.uv.new_tcp()), {}
    listener:bind('127.0.0.1', 0)
    listener:listen(16, function()
      local client = assert(vim.uv.new_tcp())
      listener:accept(client)
      table.insert(clients, client) -- and no word of TLS
    end)
    local at = '127.0.0.1:' .. listener:getsockname().port
    begin('openai', "['chat.connect_ms'] = 50, ['chat.retries'] = 0", ('https://%s/v1'):format(at))
    local done = ask { 'hello' }
    listener:close()
    assert.truthy(
      done.stderr:find(('cannot connect to https://%s in time'):format(at), 1, true),
      done.stderr
    )
    assert.equal(1, done.code)
  end)

  it('names the variable of a proxy that is not there', function()
    begin('openai', nil, 'http://model.test/v1')
    local done = ask({ 'hello' }, { http_proxy = 'http://127.0.0.1:1', no_proxy = '' })
    assert.truthy(
      done.stderr:find('a server runs there, and the proxy in http_proxy', 1, true),
      done.stderr
    )
  end)

  it('takes no proxy for loopback', function()
    begin('openai')
    server:says { text = 'Hello.' }
    local env = { http_proxy = 'http://127.0.0.1:1', all_proxy = 'http://127.0.0.1:1' }
    assert.equal('Hello.\n', ask({ 'hello' }, env).stdout)
  end)
end)
