-- The same core through all that a server may do: whatever comes, it answers afterwards, its
-- buffers are what they were, and the next question is answered.
local fault = require('fault')

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }
local GOOD = { rename = { files = { 'a.txt', 'b.txt' } } }
local RENAME = 'textDocument/rename'

local function start(script, options)
  script.on = script.on or {}
  script.on['textDocument/hover'] = script.on['textDocument/hover']
    or { result = { contents = 'a hover' } }
  local p = fault.project(
    script,
    vim.tbl_extend('force', { ['lsp.stop_ms'] = 100, ['lsp.restart_ms'] = 0 }, options or {})
  )
  local child = p:nvim(FILES)
  child:cmd('set hidden | edit b.txt')
  child:cmd('edit a.txt')
  return p, child
end

local function rename(child)
  return fault.ask(child, 'rename', { name = 'new', review = 'never' })
end

local function assert_renamed(child)
  local done = fault.done(child, rename(child))
  assert.is_true(done.result and done.result.success, done.message)
  assert.equal('new one\n', child:file('a.txt'))
  assert.equal('two new\n', child:file('b.txt'))
end

local function assert_alone(child)
  assert.same({ 'old one' }, child:lua("return vim.fn.getbufline('a.txt', 1, '$')"))
  assert.equal(0, child:lua("return vim.fn.getbufinfo('a.txt')[1].changed"))
  assert.equal('old one\n', child:file('a.txt'))
  assert.equal('two old\n', child:file('b.txt'))
end

describe('one core', function()
  after_each(fault.cleanup)

  it('lives through every death of its server, one after the other', function()
    local function dies(method, more)
      return { on = { [method] = { before = { more or { kill = true } }, silent = true } } }
    end
    local half = { on = {} }
    half.on[RENAME] = {
      before = { { raw = 'Content-Length: 90\r\n\r\n{"jsonrpc":' }, { exit = 0 } },
    }
    local lives = {
      dies('initialize'),
      dies('initialized'),
      dies('textDocument/didOpen'),
      dies(RENAME),
      half,
      dies(RENAME, { mute = true }),
      { on = { [RENAME] = GOOD } },
    }
    local p, child = start({ lives = lives }, { ['lsp.restarts'] = 100 })
    child:lua("require('oxide.core').query('status', function() _G.up = true end)")
    child:wait('the core', '_G.up')
    local core = child:lua("return require('oxide.process').pid")
    local failed = 0
    for _ = 1, #lives do
      local done = fault.done(child, rename(child))
      if done.result then
        break
      end
      failed = failed + 1
      assert.equal('no_server', done.code, done.message)
      assert.matches('fake', done.message)
      assert_alone(child)
    end
    assert.is_true(failed > 0)
    assert.equal('new one\n', child:file('a.txt'))
    assert.equal('two new\n', child:file('b.txt'))
    assert.equal(core, child:lua("return require('oxide.process').pid"))
    for life = 1, #lives - 1 do
      fault.wait_end(p:pid(life))
    end
  end)

  it('takes answers out of order, each for its own question', function()
    local p, child = start {
      on = {
        ['textDocument/hover'] = {
          { hold = 'first', result = { contents = 'the first' } },
          { hold = 'second', result = { contents = 'the second' } },
        },
      },
    }
    local first = fault.ask(child, 'hover')
    p:wait_log('the first question', function(entry)
      return entry.holds == 'first'
    end)
    child:cmd('normal! $')
    local second = fault.ask(child, 'hover')
    p:wait_log('the second question', function(entry)
      return entry.holds == 'second'
    end)
    p:act { release = 'second' }
    assert.matches('the second', vim.inspect(fault.done(child, second).result))
    assert.is_true(child:lua('return _G.done[...] == nil', first))
    p:act { release = 'first' }
    assert.matches('the first', vim.inspect(fault.done(child, first).result))
  end)

  it('passes over a second answer to the same question, and the server lives on', function()
    local p, child = start { on = { [RENAME] = GOOD } }
    fault.done(child, fault.ask(child, 'hover'))
    local id = p:received('textDocument/hover')[1].id
    local body = ('{"jsonrpc":"2.0","id":%d,"result":null}'):format(id)
    p:act { raw = ('Content-Length: %d\r\n\r\n%s'):format(#body, body) }
    assert_renamed(child)
    assert.equal(1, #p:received('initialize'))
  end)

  it('refuses most of 10,000 changes that nobody asked for, and answers all', function()
    local top = { line = 0, character = 0 }
    local edits = { { range = { start = top, ['end'] = top }, newText = 'x' } }
    local edit = { changes = { ['file://{ROOT}/a.txt'] = edits, ['file://{ROOT}/b.txt'] = edits } }
    local p, child = start({ on = { [RENAME] = GOOD } }, { ['lsp.edits'] = 2 })
    fault.done(child, fault.ask(child, 'hover'))
    p:act { request = 'workspace/applyEdit', params = { edit = edit }, times = 10000 }
    child:event('ReviewOpen')
    local function refused()
      return #p:logged(function(entry)
        return entry.result and entry.result.failureReason == 'too many changes are pending'
      end)
    end
    fault.wait('the refusals', function()
      return refused() == 9998
    end)
    assert_alone(child)
    child:lua([[
      require('oxide.core').query('status', function(_, status) _G.status = status end)
    ]])
    assert.equal('ready', child:wait('the status', '_G.status').servers[1].state)
  end)
end)

describe("Neovim's own client", function()
  after_each(fault.cleanup)

  local function attach(script)
    local p = fault.project(script)
    local child = p:nvim(FILES)
    child:cmd('edit a.txt')
    p:attach(child)
    return p, child
  end

  it(
    'that is stopped in the middle of a rename fails it, and a server of ours does the next',
    function()
      local p, child = attach {
        lives = { { on = { [RENAME] = { hold = 'ever' } } }, { on = { [RENAME] = GOOD } } },
      }
      local n = rename(child)
      p:wait_received(RENAME)
      child:lua('vim.lsp.stop_client(vim.lsp.get_clients()[1].id)')
      local done = fault.done(child, n)
      assert.equal('no_server', done.code, done.message)
      assert.matches('fake.*which Neovim started, has exited', done.message)
      assert_alone(child)
      assert_renamed(child)
    end
  )

  it('that hangs is not ours to end: it is said so, and it may go on', function()
    local p, child = attach { on = { [RENAME] = GOOD } }
    child:lua([[
      require('oxide.core').query('status', function() _G.up = true end)
    ]])
    child:wait('the core', '_G.up')
    assert(vim.uv.kill(p:pid(), 'sigstop'))
    child:lua([[
      local args = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' }
      local context = { confirm = 'never', timeout_ms = 200 }
      require('oxide.core').call('lsp_rename', args, context, function(err) _G.err = err end)
    ]])
    local err = child:wait('the time-out', '_G.err')
    assert.equal('timeout', err.code)
    assert.matches("Neovim's own fake is unresponsive", err.message)
    assert_alone(child)
    assert(vim.uv.kill(p:pid(), 'sigcont'))
    p:wait_received('$/oxide/ping')
    assert_renamed(child)
    assert.equal(1, #p:received('initialize'))
    child:cmd('Oxide core restart fake')
    child:message('fake runs in Neovim; restart it there')
  end)
end)
