-- Stopped, mad, busy and dying servers: the editor goes on, and has its answers.
local fault = require('fault')
local life = require('fault_life')

local start, never, hover, core_pid, assert_lively =
  life.start, life.never, life.hover, life.core_pid, life.assert_lively

local function assert_renamed(child)
  local done = fault.done(child, fault.ask(child, 'rename', never()))
  assert.is_true(done.result and done.result.success, done.message)
  assert.equal('new one\n', child:file('a.txt'))
  assert.equal('two new\n', child:file('b.txt'))
end

--- It runs out of time once it is stopped; before, it may be slow.
local function stopped(options)
  local p, child = start {}
  hover(child)
  fault.options(child, options)
  assert(vim.uv.kill(p:pid(), 'sigstop'))
  return p, child
end

local function goes_on(p, child)
  fault.options(child, { ['lsp.timeout_ms'] = 600000 })
  assert(vim.uv.kill(p:pid(), 'sigcont'))
end

describe('the real core', function()
  after_each(fault.cleanup)

  it(
    'answers a ping at once, also while a server keeps it waiting, and no other request',
    function()
      local p, child = start {}
      hover(child)
      assert(vim.uv.kill(p:pid(), 'sigstop'))
      local n = fault.ask(child, 'hover')
      local asked = child:lua([[
      for _, chan in ipairs(vim.api.nvim_list_chans()) do
        if chan.client and chan.client.name == 'oxide' then
          local ok, why = pcall(vim.rpcrequest, chan.id, 'status')
          return { vim.rpcrequest(chan.id, 'ping') == vim.NIL, ok, why }
        end
      end]])
      assert.same({ true, false }, { asked[1], asked[2] })
      assert.matches('unknown method status', asked[3])
      assert(vim.uv.kill(p:pid(), 'sigcont'))
      assert.is_nil(fault.done(child, n).code)
    end
  )
end)

describe('a stopped server', function()
  after_each(fault.cleanup)

  it('does not hold up the editor, times out, and is asked again once it goes on', function()
    local p, child = stopped { ['lsp.timeout_ms'] = 1500 }
    local n = fault.ask(child, 'rename', never())
    child:lua('vim.fn.cursor(1, 1)')
    child:type('$')
    child:wait('the cursor to move', "vim.fn.col('.') == 7")
    assert.is_true(child:lua('return _G.done[...] == nil', n), 'the editor was held up')
    local done = fault.done(child, n)
    assert.equal('timeout', done.code, done.message)
    assert.matches('fake.*1500 ms', done.message)
    assert.same({ 'old one' }, child:lines())
    assert.is_false(child:lua('return vim.bo.modified'))
    goes_on(p, child)
    child:cmd('normal! 0')
    assert_renamed(child)
    assert.equal(1, #p:received('initialize'))
    assert.equal(1, #p:received('$/cancelRequest'))
  end)

  it('is asked nothing more while it hangs', function()
    local p, child = stopped { ['lsp.timeout_ms'] = 300 }
    for _, said in ipairs {
      'it is unresponsive',
      'fake has been unresponsive.*:Oxide core restart fake',
    } do
      local done = fault.done(child, fault.ask(child, 'hover'))
      assert.equal('timeout', done.code, done.message)
      assert.matches(said, done.message)
    end
    goes_on(p, child)
    p:wait_received('$/cancelRequest')
    assert.equal(2, #p:received('textDocument/hover'))
  end)

  it('is started again when it hangs for long', function()
    local p, child = stopped { ['lsp.timeout_ms'] = 300, ['lsp.hung_ms'] = 300 }
    local pid = p:pid()
    local done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.equal('timeout', done.code, done.message)
    child:message('fake .*was silent for 300 ms.*being restarted')
    fault.wait_end(pid)
    p:wait_log('the second life', function(entry)
      return entry.life == 2 and entry.text
    end)
    assert.same({ 'old one' }, child:lines())
  end)

  it('that hangs is started again by hand', function()
    local p, child = stopped { ['lsp.timeout_ms'] = 300 }
    assert.equal('timeout', fault.done(child, fault.ask(child, 'hover')).code)
    child:cmd('Oxide core restart fake')
    fault.wait_end(p:pid(1))
    child:message('fake is running again')
    assert.equal(2, #p:received('initialize'))
  end)

  it('may take a text of many megabytes its own time', function()
    local p, child = stopped { ['lsp.timeout_ms'] = 300 }
    child:lua([[
      local line = ('filler '):rep(100)
      local lines = {}
      for i = 1, 5000 do lines[i] = line end
      vim.api.nvim_buf_set_lines(0, 1, -1, false, lines)
    ]])
    local n = fault.ask(child, 'hover')
    assert_lively(child)
    assert.equal('timeout', fault.done(child, n).code)
    goes_on(p, child)
    p:wait_log('the long text', function(entry)
      return entry.text and #entry.text > 3000000
    end)
    child:wait(
      'an answer in time',
      [[(function()
      if not _G.trying then
        _G.trying = true
        require('oxide').hover { on_done = function(err)
          _G.trying, _G.answered = false, err == nil
        end }
      end
      return _G.answered
    end)()]]
    )
    assert.equal(1, #p:received('initialize'))
  end)
end)

describe('garbage', function()
  after_each(fault.cleanup)

  local KINDS = {
    ['a bad header'] = { raw = 'Hello!\r\n\r\n' },
    ['a message over the limit'] = { raw = 'Content-Length: 2000000\r\n\r\n' },
    ['an exit in the middle of a message'] = {
      raw = 'Content-Length: 400\r\n\r\n{"jsonrpc":"2.0",',
      last = { exit = 0 },
    },
    ['a kill'] = { raw = '', last = { kill = true } },
    ['a closed output'] = { raw = '', last = { mute = true } },
  }

  for what, kind in pairs(KINDS) do
    it('costs the server a restart, not the answer, and never the core: ' .. what, function()
      local bad = { before = { { raw = kind.raw }, kind.last }, silent = true }
      local p, child = start({
        lives = { { on = { ['textDocument/rename'] = bad } }, {} },
      }, { ['lsp.message_bytes'] = 1000000 })
      child:cmd('normal! Oa line of mine')
      child:cmd('normal! j0')
      hover(child)
      local core = core_pid(child)
      local done = fault.done(child, fault.ask(child, 'rename', never()))
      assert.is_true(done.result and done.result.success, done.message)
      p:wait_log('the documents to be opened again', function(entry)
        return entry.life == 2 and entry.text == 'a line of mine\nold one\n'
      end)
      fault.wait_end(p:pid(1))
      child:message('fake ended.*it is being restarted')
      assert.same({ 'a line of mine', 'new one' }, child:lines())
      assert.equal('two new\n', child:file('b.txt'))
      assert.equal(core, core_pid(child))
      p:server_text('a.txt')
    end)
  end

  it('again and again: the server is left alone, until it is started by hand', function()
    local bad = { start = { { stderr = 1 }, { exit = 3 } } }
    local p, child = start({ lives = { bad, bad, bad, {} } }, { ['lsp.restarts'] = 2 })
    local done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.equal('no_server', done.code, done.message)
    assert.matches(':Oxide core restart', done.message)
    done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.equal('no_server', done.code, done.message)
    assert.equal(3, #p:logged(function(entry)
      return entry.pid
    end))
    local core = core_pid(child)
    child:lua('_G.events = {}')
    child:cmd('Oxide core restart')
    child:event('Ready')
    fault.wait_end(core)
    assert_renamed(child)
  end)

  it('again and again: one server is started by hand, and the core goes on', function()
    local bad = { start = { { exit = 3 } } }
    local p, child = start({ lives = { bad, {} } }, { ['lsp.restarts'] = 0 })
    local done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.equal('no_server', done.code, done.message)
    assert.matches('status 3', done.message)
    assert.matches(':Oxide core restart fake', child:message('was not restarted'))
    local core = core_pid(child)
    child:lua([[
      require('oxide.core').query('status', function(_, status) _G.status = status end)
    ]])
    local server = child:wait('the status', '_G.status').servers[1]
    assert.equal('left alone', server.state)
    assert.matches('status 3', server.reason)
    child:cmd('Oxide core restart none')
    child:message('no server none is running')
    child:cmd('Oxide core restart fake')
    child:message('fake is running again')
    assert_renamed(child)
    assert.equal(core, core_pid(child))
    assert.equal(2, #p:logged(function(entry)
      return entry.pid
    end))
  end)

  it('in an answer that comes after its call was given up is no harm', function()
    local late = { hold = 'late', rename = life.GOOD.rename }
    local p, child = start {
      on = { ['textDocument/rename'] = { late, life.GOOD } },
    }
    local n = fault.ask(child, 'rename', never())
    p:wait_log('the question', function(entry)
      return entry.holds
    end)
    child:lua([[
      local core = require('oxide.core')
      for id = 1, 20 do
        if core.pending(id) then core.cancel(id) end
      end
    ]])
    assert.equal('cancelled', fault.done(child, n).code)
    p:wait_received('$/cancelRequest')
    p:act { release = 'late' }
    assert_renamed(child)
    assert.equal(1, #p:received('initialize'))
  end)
end)

describe('many calls at once', function()
  after_each(fault.cleanup)

  it('are all answered, each its own', function()
    local p, child = start {}
    local calls = {}
    for column = 0, 6 do -- the same question of several would be asked once
      child:cmd('call cursor(1, 1)')
      table.insert(calls, fault.ask(child, 'rename', { name = 'old', review = 'never' }))
      child:cmd(('call cursor(1, %d)'):format(column + 1))
      table.insert(calls, fault.ask(child, 'hover'))
    end
    for i, call in ipairs(calls) do
      local done = fault.done(child, call)
      assert.equal(i % 2 == 1 and 'invalid' or nil, done.code, done.message)
    end
    assert.equal(7, #p:received('textDocument/hover'))
    -- an answer to another question does not take the focus
    assert.matches('a%.txt$', child:lua('return vim.api.nvim_buf_get_name(0)'))
  end)

  it('that change the same text: one is done, the other is refused as stale', function()
    local step = { hold = 'first', rename = life.GOOD.rename }
    local p, child = start {
      on = { ['textDocument/rename'] = { step, { hold = 'second', rename = life.GOOD.rename } } },
    }
    local first = fault.ask(child, 'rename', never())
    local second = fault.ask(child, 'rename', { name = 'other', review = 'never' })
    p:wait_log('both questions', function(entry)
      return entry.holds == 'second'
    end)
    p:act { release = 'first' }
    assert.is_true(fault.done(child, first).result.success)
    p:act { release = 'second' }
    assert.equal('stale', fault.done(child, second).code)
    assert.equal('new one\n', child:file('a.txt'))
    assert.equal('two new\n', child:file('b.txt'))
  end)
end)

describe('a busy server', function()
  after_each(fault.cleanup)

  it('is waited for, and the person is told so', function()
    local p, child = start({
      on = {
        initialized = {
          after = {
            { progress = 'begin', title = 'indexing', message = '1 of 2', create = true },
          },
        },
        ['textDocument/didOpen'] = { after = { { publish = '{ROOT}/a.txt', version = 'same' } } },
      },
    }, nil, { servers = { fake = { ready = 'diagnostics' } } })
    local n = fault.ask(child, 'rename', never())
    child:wait('the status to say it', "require('oxide').status():find('indexing')")
    assert.equal(0, #p:received('textDocument/rename'))
    p:act { progress = 'end' }
    assert.is_true(fault.done(child, n).result.success)
    child:wait('the status to be silent', "not require('oxide').status():find('indexing')")
  end)
end)

describe('a server that wants a document shown', function()
  after_each(fault.cleanup)

  local function ask_for(p, params)
    p:act { request = 'window/showDocument', params = params }
    local answer = p:wait_log('the answer', function(entry)
      return entry.id and not entry.method and entry.result and entry.result.success ~= nil
    end)
    return answer.result.success
  end

  it('gets it, where it is a file of the project and takes the focus', function()
    local p, child = start {}
    hover(child)
    local at = { line = 0, character = 4 }
    local shown = ask_for(p, {
      uri = vim.uri_from_fname(child.dir .. '/b.txt'),
      takeFocus = true,
      selection = { start = at, ['end'] = at },
    })
    assert.is_true(shown)
    child:wait('the file to be shown', "vim.fn.expand('%:t') == 'b.txt'")
    assert.equal(5, child:lua([[return vim.fn.col('.')]]))
  end)

  it('is told no for a file outside of it', function()
    local p, child = start {}
    hover(child)
    assert.is_false(ask_for(p, { uri = 'file:///etc/passwd', takeFocus = true }))
    assert.equal('a.txt', child:lua([[return vim.fn.expand('%:t')]]))
  end)
end)
