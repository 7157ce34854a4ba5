-- What can go wrong with a model, as the chat window says it: what happened and what to do. What was
-- said is kept, and the conversation goes on.
local chat = require('chat')
local faults = require('model_faults')
local helper = require('helper')
local model_server = require('model_server')
local tls_model = require('tls_model')

local TEXT = 'int a;\n'

describe('the chat window', function()
  local server, child, turns ---@type test.ModelServer, test.Child, integer

  --- Models: fast; nokey, whose key is not set; nobody, where nothing listens; nowhere, a host that is
  --- not found; far, behind a proxy that is not there.
  ---@param options? string   of the core, as Lua
  ---@param models? string    more of them, as Lua
  local function begin(options, models)
    server = model_server.start('openai')
    local config = ([[{
      core = { path = %q, options = { ['chat.retry_ms'] = 1, ['chat.retries'] = 1, %s } },
      model = 'fast',
      models = {
        fast = { url = %q, model = 'm1', key_env = 'OXIDE_TEST_KEY' },
        nokey = { url = %q, model = 'm1', key_env = 'OXIDE_NO_KEY' },
        nobody = { url = 'http://127.0.0.1:1/v1', model = 'm1' },
        nowhere = { url = 'https://%s/v1', model = 'm1' },
        far = { url = 'http://model.test/v1', model = 'm1' }, %s
      },
      review = { agent_focus = 'always' },
    }]]):format(
      helper.core,
      options or '',
      server.url,
      server.url,
      ('x'):rep(64), -- longer than a label may be: nobody is asked for its address
      models or ''
    )
    child = helper.start({ ['a.c'] = TEXT }, {
      config = config,
      env = { OXIDE_TEST_KEY = 'a-key', http_proxy = 'http://127.0.0.1:1', no_proxy = '' },
    })
    child:cmd('edit a.c')
    turns = 0
  end

  after_each(function()
    helper.cleanup()
    server:stop()
  end)

  --- Waits until the next turn has ended.
  ---@return { code: string, message: string }? error
  local function ended()
    turns = turns + 1
    return chat.ended(child, turns).error
  end

  --- The turn that goes on fails, and the window says why and what can be done about it.
  ---@param says string
  ---@param what? string   is tested
  local function fails(says, what)
    assert.truthy(ended(), what)
    local text = chat.text(child) .. '\n'
    assert.truthy(text:find('**Error**: ', 1, true), text)
    assert.truthy(text:find(says, 1, true), (what or '') .. '\n' .. text)
    local below = child:lua([[
      local ns = vim.api.nvim_get_namespaces()['oxide.chat.waiting']
      local buf = require('oxide.chat').get(1).view.buf
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
        if mark[4].virt_lines then
          return mark[4].virt_lines[1][1][1]
        end
      end
    ]])
    return text, below
  end

  --- Has the last message answered again, as the window says it: that is all that is left of it.
  ---@param words string
  local function goes_on(words)
    server:says { text = 'Fine.' }
    child:cmd('Oxide chat')
    child:type('gr')
    assert.is_nil(ended(), words)
    assert.truthy(
      vim.endswith(chat.text(child), ('# You\n\n%s\n\n# fast\n\nFine.\n\n# You\n\n'):format(words)),
      chat.text(child)
    )
  end

  it('says what is wrong of whatever the server answers, and goes on', function()
    begin()
    for what, case in vim.spairs(faults) do
      local before = #server.asked
      for _ = 1, case.asks do
        server:answers(case.answer)
      end
      child:cmd('Oxide chat')
      child:type('GA' .. what .. '<Esc><CR>')
      local _, below = fails(case.says, what)
      assert.equal('In Normal mode gr asks again, and ge edits your message.', below)
      assert.equal(before + case.asks, #server.asked, what)
      goes_on(what)
    end
  end)

  local INCOMPLETE = 'the connection ended in the middle of the answer; ask again to go on'

  it('keeps what was said before a stream broke, runs no half of a call, and goes on', function()
    begin()
    local stream = server:stream { text = 'Half größer.' }
    server:answers { body = stream:sub(1, select(2, stream:find('gr', 1, true)) + 1) }
    server:answers { body = stream:sub(1, select(2, stream:find('gr', 1, true)) + 1) }
    child:cmd('Oxide chat')
    child:type('GAfirst<Esc><CR>')
    assert.falsy(fails(INCOMPLETE):find('\195', 1, true))
    goes_on('first')

    stream = server:stream { text = 'One of two.' }
    server:answers { body = stream:sub(1, (stream:find('\n\n', 1, true)) + 1) }
    child:type('GAsecond<Esc><CR>')
    assert.truthy(fails(INCOMPLETE):find('# fast\n\nOne of two.\n\n**Error**: ', 1, true))
    goes_on('second')

    stream = server:stream { text = 'Half of it.' }
    local _, words = stream:find('Half of it.', 1, true)
    server:answers {
      body = stream:sub(1, (select(2, stream:find('\n\n', words, true))))
        .. 'data: {"error":{"message":"it broke"}}\n\n',
    }
    child:type('GAthird<Esc><CR>')
    assert.truthy(fails('it broke'):find('# fast\n\nHalf of it.\n\n**Error**: ', 1, true))
    goes_on('third')

    local write = { id = 'c1', name = 'write_file', args = { file_path = 'b.c', content = 'XY' } }
    stream = server:stream { calls = { write } }
    server:answers { body = stream:sub(1, select(2, stream:find('b.c', 1, true))) }
    child:type('GAfourth<Esc><CR>')
    fails(INCOMPLETE)
    goes_on('fourth')
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/b.c'))
  end)

  it('ends an answer that is too long, and goes on', function()
    begin("['chat.answer_bytes'] = 2000")
    server:answers {
      body = '',
      endless = 'data: {"choices":[{"index":0,"delta":{"content":"and on "}}]}\n\n',
    }
    child:cmd('Oxide chat')
    child:type('GAfirst<Esc><CR>')
    assert.truthy(
      fails('longer than 2000 bytes (chat.answer_bytes)'):find('and on and on', 1, true)
    )
    goes_on('first')
  end)

  for option, case in
    vim.spairs {
      ['chat.silence_ms'] = { '50', 'sent nothing for' },
      ['chat.seconds'] = { '1', 'the turn ended after 1 s (chat.seconds)' },
    }
  do
    it('ends a turn by ' .. option .. ', and can be asked again', function()
      begin(("['%s'] = %s, ['chat.retries'] = 0"):format(option, case[1]))
      local waits = server:waits()
      child:cmd('Oxide chat')
      child:type('GAfirst<Esc><CR>')
      fails(case[2])
      child:type('gr')
      fails(case[2])
      assert.equal(2, #server.asked)
      waits.go()
    end)
  end

  it('says whose certificate is not trusted, and trusts it once that is set', function()
    local secret = tls_model.start(vim.fn.tempname())
    begin(nil, ('secret = { url = %q, model = "m1" }'):format(secret.url))
    child:cmd('Oxide chat')
    child:cmd('Oxide chat model secret')
    child:type('GAfirst<Esc><CR>')
    local text = fails('the certificate of https://127.0.0.1:')
    assert.truthy(
      text:find('to trust it, set SSL_CERT_FILE to a file with its certificate', 1, true)
    )
    assert.same({}, secret.versions())
    child:cmd('Oxide chat model fast')
    goes_on('first')

    child:cmd(('let $SSL_CERT_FILE = %q'):format(secret.cert))
    local before = child:lua("return require('oxide.process').pid")
    child:cmd('Oxide core restart')
    local next_core = "require('oxide.process').pid ~= ... and require('oxide.process').pid ~= nil"
    child:wait('the next core', next_core, before)
    child:cmd('Oxide chat model secret')
    child:type('GAsecond<Esc><CR>')
    assert.is_nil(ended())
    assert.truthy(
      vim.endswith(chat.text(child), '# You\n\nsecond\n\n# secret\n\nHello.\n\n# You\n\n')
    )
    secret:stop()
  end)

  it('sends what is written while the core is restarted to the next one', function()
    begin()
    server:says { text = 'Hello.' }
    server:says { text = 'Hello.' }
    child:cmd('Oxide chat')
    child:type('GAfirst<Esc><CR>')
    assert.is_nil(ended())
    child:lua([[
      require('oxide.core').control('restart')
      require('oxide.chat').ask { prompt = 'second' }
    ]])
    assert.is_nil(ended())
    assert.truthy(
      vim.endswith(chat.text(child), '# You\n\nsecond\n\n# fast\n\nHello.\n\n# You\n\n')
    )
  end)

  it('says what is missing where no server can be asked, and goes on with another', function()
    begin()
    for model, says in
      vim.spairs {
        nokey = 'the environment variable OXIDE_NO_KEY is not set',
        nowhere = 'x; check the URL and the network',
        nobody = 'cannot connect to http://127.0.0.1:1: connection refused; check that a server runs',
        far = 'a server runs there, and the proxy in http_proxy',
      }
    do
      child:cmd('Oxide chat')
      child:cmd('Oxide chat model ' .. model)
      child:type('GAask ' .. model .. '<Esc><CR>')
      fails(says, model)
      child:cmd('Oxide chat model fast')
      goes_on('ask ' .. model)
    end
  end)

  it('shows calls that fail, gives each its result, and ends what fails again and again', function()
    begin()
    local calls = {
      { id = 'c1', name = 'edit_fiel', args = {} },
      { id = 'c2', name = 'edit_file', args = '{"file_path": ' },
      { id = 'c3', name = 'edit_file', args = { file_path = 'a.c', line_number = 0 } },
    }
    for i = 1, 50 do
      calls[3 + i] =
        { id = 'r' .. i, name = 'read_file', args = { file_path = 'a.c', end_line = 1 } }
    end
    server:says { calls = calls }
    server:says { text = 'I see.' }
    child:cmd('Oxide chat')
    child:type('GAfirst<Esc><CR>')
    assert.is_nil(ended())
    local text = chat.text(child)
    assert.same(
      { 3, 50 },
      { select(2, text:gsub('\n✗ edit_fi', '')), select(2, text:gsub('\n✓ read_file a.c', '')) },
      text
    )
    local results = {}
    for _, message in ipairs(server.asked[2].body.messages) do
      if message.role == 'tool' then
        results[message.tool_call_id] = message.content
      end
    end
    assert.equal(53, vim.tbl_count(results))
    assert.matches('edit_file', results.c1)
    assert.matches('^error:.*error:', results.c2 .. results.c3)

    for i = 1, 3 do
      local args = { file_path = 'none.c', line_number = 1, content = '' }
      server:says { calls = { { id = 'n' .. i, name = 'edit_file', args = args } } }
    end
    child:type('GAsecond<Esc><CR>')
    fails('made the same call 3 times')
    goes_on('second')
  end)

  it('says once that its record is incomplete, and goes on', function()
    begin()
    child:lua([[
      local dir = vim.env.XDG_STATE_HOME .. '/oxide'
      vim.fn.mkdir(dir, 'p')
      vim.fn.writefile({}, dir .. '/records')
    ]])
    for i = 1, 2 do
      server:says { text = 'Fine.' }
      child:cmd('Oxide chat')
      child:type('GAfirst<Esc><CR>')
      assert.is_nil(ended(), i)
    end
    child:message('the record of this conversation is incomplete: .*/oxide/records.*; :w {file}')
    local said = child:lua([[
      return #vim.tbl_filter(function(m) return m.text:find('is incomplete') end, _G.messages)
    ]])
    assert.equal(1, said)
  end)
end)
