-- Servers that are slow, busy, dead, deaf or mad, seen from the command line.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }
local GOOD = { rename = { files = { 'a.txt', 'b.txt' } } }
local ASK = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' }

local function project(script, options)
  script.on = script.on or {}
  script.on['textDocument/rename'] = script.on['textDocument/rename'] or GOOD
  return fault.project(script, options):files(FILES)
end

local function assert_done(p, out)
  assert.is_true(out.result.success, vim.inspect(out.result))
  assert.equal('new one\n', helper.read(p.dir .. '/a.txt'))
  assert.equal('two new\n', helper.read(p.dir .. '/b.txt'))
end

local function assert_failed(p, out, code, patterns)
  assert.equal(1, out.code)
  assert.equal(code, out.result.error and out.result.error.code, vim.inspect(out.result))
  for _, pattern in ipairs(patterns) do
    assert.matches(pattern, out.result.error.message)
  end
  assert.equal('old one\n', helper.read(p.dir .. '/a.txt'))
  assert.equal('two old\n', helper.read(p.dir .. '/b.txt'))
end

local function on_rename(step)
  return { on = { ['textDocument/rename'] = step } }
end

local function raw(bytes, times)
  return { { raw = bytes, times = times } }
end

describe('a server', function()
  after_each(fault.cleanup)

  it('that never answers costs a time-out, and does not outlive the call', function()
    local options = { ['lsp.timeout_ms'] = 200, ['lsp.stop_ms'] = 100 }
    for _, step in ipairs { { silent = true }, { before = { { stop = true } } } } do
      local p = project(on_rename(step), options)
      assert_failed(p, p:rename(), 'timeout', { 'fake', '200 ms' })
      fault.wait_end(p:pid())
    end
  end)

  it('that never starts costs a time-out', function()
    local p = project(
      { on = { initialize = { silent = true } } },
      { ['lsp.start_timeout_ms'] = 200, ['lsp.stop_ms'] = 100 }
    )
    assert_failed(p, p:rename(), 'no_server', { 'fake', '200 ms' })
    fault.wait_end(p:pid())
  end)

  it('that reads no more costs a time-out, however much is sent', function()
    local options = { ['lsp.timeout_ms'] = 500, ['lsp.stop_ms'] = 100 }
    local p = project({ on = { initialized = { before = { { deaf = true } } } } }, options)
    helper.write(p.dir .. '/a.txt', 'old one\n' .. ('filler '):rep(1500000))
    local out = p:rename()
    assert.equal('timeout', out.result.error and out.result.error.code, vim.inspect(out.result))
    fault.wait_end(p:pid())
  end)

  it('that ignores SIGTERM, the end of its input and shutdown is ended all the same', function()
    local p = project({
      start = { { stubborn = true } },
      on = { shutdown = { silent = true }, exit = { silent = true } },
    }, { ['lsp.stop_ms'] = 100 })
    assert_done(p, p:rename())
    fault.wait_end(p:pid())
  end)

  it('that runs what a project brings is not started where that is forbidden', function()
    local p = project({}, { ['lsp.project_programs'] = 0 })
    local config = helper.read(p.config)
    helper.write(p.config, (config:gsub('fake = {', "fake = { runs = 'its build script',")))
    assert_failed(p, p:rename(), 'denied', { 'fake', 'its build script', 'project_programs' })
    assert.same({}, p:log())
    helper.write(
      p.config,
      (config:gsub('fake = {', "fake = { runs = 'a script', runs_not_env = { 'NOT=1' },"))
    )
    assert_done(p, p:rename())
  end)

  it('is told to shut down, then to exit, and is waited for', function()
    local p = project({ start = { { stubborn = true } } }, { ['lsp.stop_ms'] = 60000 })
    assert_done(p, p:rename())
    fault.wait_end(p:pid())
    local told = {}
    for _, entry in ipairs(p:log()) do
      table.insert(told, entry.method)
    end
    assert.same({ 'shutdown', 'exit' }, vim.list_slice(told, #told - 1))
  end)

  it('that ignores the end of its input and TERM does not outlive a killed core', function()
    local p = project {
      start = { { stubborn = true } },
      on = { ['textDocument/rename'] = { silent = true } },
    }
    local running = p:start('lsp_rename', ASK, { '--yes' })
    p:wait_received('textDocument/rename')
    running:kill('sigkill')
    running:wait()
    fault.wait_end(p:pid())
  end)

  it('that sends what makes no sense is passed over, and the log says so', function()
    local function framed(body)
      return ('Content-Length: %d\r\n\r\n%s'):format(#body, body)
    end
    local nonsense = {
      ['id 99'] = '{"jsonrpc":"2.0","id":99,"result":[]}',
      ['id "2"'] = '{"jsonrpc":"2.0","id":"2","result":null}',
      ['id "x"'] = '{"jsonrpc":"2.0","id":"x","result":[]}',
      ['id null'] = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}',
      ['neither a method nor an id'] = '{}',
      ['expected an object'] = '[1,2]',
      ['JSON'] = '{"a":',
      ['window/logMessage'] = '{"jsonrpc":"2.0","method":"window/logMessage","params":[1]}',
    }
    for what, body in pairs(nonsense) do
      local p = project(on_rename { before = raw(framed(body)), rename = GOOD.rename })
      assert_done(p, p:rename())
      assert.equal(1, #p:received('textDocument/rename'), what)
      assert.matches(vim.pesc(what), helper.read(p.base .. '/state/oxide/oxide.log'))
    end
  end)

  it('that answers with an error without a message is not given up', function()
    for _, text in ipairs { '{}', '{"code":-32603}', '{"code":-32603,"message":null}' } do
      local body = '{"jsonrpc":"2.0","id":%d,"error":' .. text .. '}'
      local p = project(on_rename { answer = body })
      assert_failed(p, p:rename(), 'peer', { 'fake', 'has no message' })
      assert.equal(1, #p:received('textDocument/rename'))
    end
  end)

  it('that answers neither with a result nor an error costs that question alone', function()
    local p = project(on_rename { answer = '{"jsonrpc":"2.0","id":%d}' })
    assert_failed(p, p:rename(), 'protocol', { 'fake', 'neither a result nor an error' })
    assert.equal(1, #p:received('textDocument/rename'))
  end)

  it('that goes on and on with it is ended in the end', function()
    local body = 'Content-Length: 2\r\n\r\n{}'
    local p = project(
      on_rename { before = raw(body, 4), silent = true },
      { ['lsp.odd_messages'] = 3, ['lsp.restart_ms'] = 0, ['lsp.stop_ms'] = 100 }
    )
    assert_failed(p, p:rename(), 'no_server', { 'fake', 'neither a method nor an id' })
    assert.equal(2, #p:received('textDocument/rename'))
  end)

  it('that floods standard error is listened to, and no more', function()
    local p = project { start = { { stderr = 5000000 } } }
    assert_done(p, p:rename())
  end)

  it('that says "content modified" is asked again', function()
    local again = { error = { code = -32801, message = 'content modified' } }
    local p = project(on_rename { again, again, GOOD })
    assert_done(p, p:rename())
    assert.equal(3, #p:received('textDocument/rename'))
  end)

  it('that always says "content modified" is not asked for ever', function()
    local p = project(on_rename { error = { code = -32801, message = 'content modified' } })
    assert_failed(p, p:rename(), 'peer', { 'fake', 'content modified' })
    assert.equal(4, #p:received('textDocument/rename'))
  end)

  it('that wants its configuration and registers late is served', function()
    local p = project {
      capabilities = { renameProvider = false },
      on = {
        initialized = {
          after = {
            {
              request = 'workspace/configuration',
              params = { items = { { section = 'fake.size' }, { section = 'none' } } },
            },
            {
              request = 'client/registerCapability',
              params = { registrations = { { id = '1', method = 'textDocument/rename' } } },
            },
            { request = 'no/such/method' },
          },
        },
      },
    }
    local config = helper.read(p.config)
    helper.write(
      p.config,
      (config:gsub('fake = {', 'fake = { settings = { fake = { size = 7 } },'))
    )
    assert_done(p, p:rename())
    local answers = p:logged(function(entry)
      return not entry.method and entry.id
    end)
    assert.same({ 7, vim.NIL }, vim.json.decode(vim.json.encode(answers[1].result)))
    assert.equal(-32601, answers[3].error.code)
  end)

  it(
    'that registers late that it can be asked what is wrong, and says nothing else, is asked',
    function()
      local registrations = { { id = '1', method = 'textDocument/diagnostic' } }
      local wrong = { range = fault.range(0, 0, 3), severity = 1, message = 'bad' }
      local p = project({
        on = {
          ['textDocument/didOpen'] = {
            after = {
              { request = 'client/registerCapability', params = { registrations = registrations } },
            },
          },
          ['textDocument/diagnostic'] = { result = { kind = 'full', items = { wrong } } },
        },
      }, { ['lsp.diagnostics_wait_ms'] = 600000 })
      local found = p:call('lsp_diagnostic', { fixes = false }).result
      assert.same({ true, 2, 2 }, { found.complete, found.counts.error, found.asked })
    end
  )

  it('that is late with a file, but gets on with the others, is asked about it again', function()
    local full = { result = { kind = 'full', items = {} } }
    local p = project({
      capabilities = { diagnosticProvider = { workspaceDiagnostics = false } },
      on = { ['textDocument/diagnostic'] = { { silent = true }, full } },
    }, { ['lsp.timeout_ms'] = 2000 })
    local found = p:call('lsp_diagnostic', { fixes = false }).result
    assert.same({ true, 2 }, { found.complete, found.asked }, vim.inspect(found))
    assert.equal(3, #p:received('textDocument/diagnostic'))
  end)

  --- Calls a tool of a server that is waited for until it wants to be asked again, and rests.
  local function refreshed(on, options, tool, args)
    local registrations = { { id = '1', method = 'textDocument/diagnostic' } }
    on.initialized = {
      after = {
        { request = 'client/registerCapability', params = { registrations = registrations } },
      },
    }
    options['lsp.diagnostics_wait_ms'] = 600000
    options['lsp.index_wait_ms'] = 600000
    options['lsp.quiet_ms'] = 50
    local p = project({ on = on, capabilities = { referencesProvider = true } }, options)
    local config = helper.read(p.config)
    helper.write(p.config, (config:gsub('fake = {', "fake = { ready = 'refresh',")))
    local running = p:start(tool, args, { '--yes' })
    p:wait_received('textDocument/didOpen')
    p:wait_received('$/oxide/ping') -- it is waited for
    p:act { request = 'workspace/diagnostic/refresh' }
    return p, fault.finish(running)
  end

  local function refreshing(on, options)
    local p, out = refreshed(on, options, 'lsp_rename', ASK)
    assert_done(p, out)
    local sent = vim.iter(p:log()):map(function(entry)
      return entry.method or (entry.id and 'answer')
    end)
    sent = sent:totable()
    return table.concat(vim.list_slice(sent, 1, vim.fn.index(sent, 'textDocument/rename')), ' ')
  end

  it('that wants to be asked again when it has found its files is asked no sooner', function()
    assert.matches('ping.* answer .*ping', refreshing({}, {}))
  end)

  it('that then begins work which nobody asks for is not waited for', function()
    local on = { ['textDocument/didOpen'] = { after = { { progress = 'begin', token = 'w' } } } }
    assert.matches('ping.* answer .*ping', refreshing(on, {}))
  end)

  it('that is too busy to say that it rests is asked for that again', function()
    local steps = { vim.empty_dict(), { silent = true }, vim.empty_dict() }
    local before = refreshing({ ['$/oxide/ping'] = steps }, { ['lsp.timeout_ms'] = 3000 })
    assert.matches('ping.* answer .*ping.*ping', before)
  end)

  it('that has found its files need not check those that it is only to read', function()
    local on = {
      ['textDocument/references'] = {
        result = { { uri = 'file://{ROOT}/a.txt', range = fault.range(0, 0, 3) } },
      },
    }
    local args = { query = 'references', file_path = 'a.txt', line = 1, symbol = 'old' }
    local p, out = refreshed(on, { ['reach.files'] = 10 }, 'lsp_symbol', args)
    assert.equal(1, out.result.total, vim.inspect(out.result))
    local read = p:received('textDocument/hover')
    assert.matches('/b%.txt$', read[1].params.textDocument.uri)
    assert.equal(0, #p:received('textDocument/diagnostic'))
  end)

  it('that cannot do it is named', function()
    local p = project { capabilities = { renameProvider = false } }
    assert_failed(p, p:rename(), 'unsupported', { 'fake does not support rename' })
  end)

  it('that breaks its first life is started again, and the answer still comes', function()
    local kinds = {
      ['a bad header'] = { start = raw('Hello from fake 1.0\n') },
      ['a huge message'] = { start = raw('Content-Length: 99999999999\r\n\r\n') },
      ['an endless header'] = { start = raw('X-Filler: ' .. ('x'):rep(1000), 100) },
      ['death'] = { start = { { kill = true } } },
      ['an early exit'] = { start = { { exit = 3 } } },
      ['a closed output'] = { start = { { mute = true } } },
    }
    for what, life in pairs(kinds) do
      local p = project({ lives = { life, {} } }, { ['lsp.restart_ms'] = 0, ['lsp.stop_ms'] = 100 })
      local ok, why = pcall(assert_done, p, p:rename())
      assert(ok, what .. ': ' .. tostring(why))
      fault.wait_end(p:pid(1))
      fault.wait_end(p:pid(2))
    end
  end)

  it('that breaks each time it is asked is asked twice, and no more', function()
    local body = '{"jsonrpc":"2.0","id":1,"result":{"changes":{}}}'
    local kinds = {
      { raw('Content-Length: 400\r\n\r\n' .. body), { exit = 0 }, 'status 0' },
      { raw('nonsense\r\n\r\n'), nil, 'bad header' },
      { raw('Content-Length: 2000000\r\n\r\n'), nil, '2000000' },
      { {}, { exit = 7 }, 'status 7' },
      { {}, { kill = true }, 'signal 9' },
    }
    for _, kind in ipairs(kinds) do
      local before = vim.deepcopy(kind[1])
      table.insert(before, kind[2])
      local p = project(
        on_rename { before = before, silent = true },
        { ['lsp.message_bytes'] = 1000000, ['lsp.stop_ms'] = 100, ['lsp.restart_ms'] = 0 }
      )
      assert_failed(p, p:rename(), 'no_server', { 'fake', kind[3] })
      assert.equal(2, #p:received('textDocument/rename'))
    end
  end)

  it('that dies again and again is left alone, with its last words', function()
    local p = project(
      { start = { { stderr = 1 }, { exit = 3 } } },
      { ['lsp.restart_ms'] = 0, ['lsp.restarts'] = 2 }
    )
    assert_failed(p, p:rename(), 'no_server', { 'fake', '3 crashes', 'status 3', 'chatter' })
    assert.equal(3, #p:logged(function(entry)
      return entry.pid
    end))
  end)

  it('that was given up is started again when a call says so', function()
    local p = project(
      { lives = { { start = { { exit = 3 } } }, {} } },
      { ['lsp.restarts'] = 0, ['lsp.stop_ms'] = 100 }
    )
    local client = mcp.start(p.dir, {}, {}, { OXIDE_CONFIG = p.config })
    client:initialize()
    local rename = vim.tbl_extend('force', ASK, { confirm = 'apply' })
    local text, failed = client:call('lsp_rename', rename)
    assert.is_true(failed)
    assert.matches('restart_server', text)
    local said = client:heard('notifications/message')
    assert.equal('error', said.level)
    assert.matches('fake.*status 3', said.data)
    text, failed = client:call('manage_projects', { restart_server = 'fake' })
    assert.is_falsy(failed, text)
    assert.matches('fake is being restarted', text)
    text, failed = client:call('lsp_rename', rename)
    assert.is_falsy(failed, text)
    assert.equal('new one\n', helper.read(p.dir .. '/a.txt'))
    mcp.cleanup()
  end)

  it('leaves each of its deaths in the log, with its signal and last words', function()
    local p = project(
      { start = { { stderr = 1 }, { kill = true } } },
      { ['lsp.restart_ms'] = 0, ['lsp.restarts'] = 2 }
    )
    assert_failed(p, p:rename(), 'no_server', { 'fake', 'signal 9', 'chatter' })
    local log = helper.read(p.base .. '/state/oxide/oxide.log')
    local _, deaths = log:gsub('signal 9[^\n]*chatter', '')
    assert.equal(3, deaths, log)
  end)

  it('that is not there is named, with the way to install it', function()
    local p = project {}
    helper.write(p.dir .. '/x.go', 'package x\n')
    helper.write(p.dir .. '/x.zig', 'const x = 1;\n')
    local config = helper.read(p.config)
    helper.write(
      p.config,
      (config:gsub('servers = {', 'servers = { gopls = { cmd = { "/nowhere/gopls" } },'))
    )
    local out = p:rename { file_path = 'x.go', symbol = 'x' }
    assert_failed(p, out, 'no_server', { 'x%.go', 'gopls', 'go install' })
    out = p:rename { file_path = 'x.zig', symbol = 'x' }
    assert_failed(p, out, 'no_server', { 'x%.zig', 'zig', 'servers' })
  end)
end)

describe('a busy server', function()
  after_each(fault.cleanup)

  local BUSY = {
    on = {
      initialized = {
        after = { { progress = 'begin', title = 'indexing', create = true } },
      },
      ['textDocument/didOpen'] = { after = { { publish = '{ROOT}/a.txt', version = 'same' } } },
    },
  }

  --- It says that it indexes before it says anything of a file, as clangd and others do.
  local function busy(options, script)
    local p = project(script or vim.deepcopy(BUSY), options)
    local config = helper.read(p.config)
    helper.write(p.config, (config:gsub('fake = {', 'fake = { ready = "diagnostics",')))
    return p
  end

  it('is waited for before a rename', function()
    local p = busy()
    local running = p:start('lsp_rename', ASK, { '--yes' })
    p:wait_received('textDocument/didOpen')
    p:act { progress = 'end' }
    assert_done(p, fault.finish(running))
    local ended, asked
    for i, entry in ipairs(p:log()) do
      ended = ended or entry.act and i
      asked = asked or entry.method == 'textDocument/rename' and i
    end
    assert.is_true(ended < asked)
  end)

  it('is not waited for longer than index_wait_ms, and the answer says so', function()
    local p = busy { ['lsp.index_wait_ms'] = 50 }
    local out = p:rename()
    assert_done(p, out)
    assert.is_false(out.result.complete)
  end)

  it('that hangs is found out', function()
    local script = vim.deepcopy(BUSY)
    script.on['textDocument/didOpen'].after = { { stop = true } }
    local p = busy({ ['lsp.timeout_ms'] = 200, ['lsp.stop_ms'] = 100 }, script)
    assert_failed(p, p:rename(), 'timeout', { 'fake', 'unresponsive' })
    fault.wait_end(p:pid())
  end)

  it('does not keep a call from being cancelled', function()
    local p = busy()
    local running = p:start('lsp_rename', ASK, { '--yes' })
    p:wait_received('textDocument/didOpen')
    running:kill('sigint')
    assert_failed(p, fault.finish(running), 'cancelled', {})
    fault.wait_end(p:pid())
  end)
end)

describe('a cancelled call', function()
  after_each(fault.cleanup)

  it('tells the server, changes nothing, and takes a late answer', function()
    local p = project(on_rename { hold = 'answer', rename = GOOD.rename })
    local running = p:start('lsp_rename', ASK, { '--yes' })
    p:wait_log('the question', function(entry)
      return entry.holds
    end)
    running:kill('sigint')
    assert_failed(p, fault.finish(running), 'cancelled', {})
    local id = p:received('textDocument/rename')[1].id
    assert.equal(id, p:wait_received('$/cancelRequest').params.id)
    fault.wait_end(p:pid())
  end)
end)
