-- Servers that tell when they have read the project, and those that check what is saved, each in its
-- own time, as rust-analyzer does both.
local fault = require('fault')

local ALL = { ['lsp.index_wait_ms'] = 600000, ['lsp.diagnostics_wait_ms'] = 600000 }
local BAD = {
  range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 3 } },
  severity = 1,
  message = 'bad',
}

local p, child

local function start(server, options)
  p = fault.project({
    capabilities = { diagnosticProvider = { interFileDependencies = true } },
    on = { ['textDocument/diagnostic'] = { result = { kind = 'full', items = {} } } },
  }, vim.tbl_extend('force', ALL, options or {}))
  child = p:nvim({ ['a.txt'] = 'one\n' }, { servers = { fake = server } })
  child:cmd('edit a.txt')
end

local function ask()
  return fault.ask(child, 'diagnostics', { scope = 'buffer', open = false })
end

local function done(n)
  return assert(fault.done(child, n).result)
end

local function questions()
  return #p:received('textDocument/diagnostic')
end

--- Waits until the core has read all that the server said so far.
local function heard()
  p:act { request = 'workspace/workspaceFolders' }
  p:wait_log('the answer', function(entry)
    return entry.result
  end)
end

local function status(quiescent)
  p:act { notify = 'experimental/serverStatus', params = { quiescent = quiescent } }
end

describe('a server that says when it is settled', function()
  after_each(fault.cleanup)

  it('is asked nothing before, whatever work has ended', function()
    start { ready = 'status' }
    local n = ask()
    p:wait_received('textDocument/didOpen')
    status(false)
    p:act { progress = 'begin', title = 'reading' }
    p:act { progress = 'end' }
    heard()
    assert.equal(0, questions())
    status(true)
    assert.is_true(done(n).complete)
    assert.equal(1, questions())
  end)

  it('is asked all the same when it never does', function()
    start({ ready = 'status' }, { ['lsp.index_wait_ms'] = 100 })
    done(ask())
    assert.equal(1, questions())
  end)
end)

describe('what a server checks when it is saved', function()
  after_each(fault.cleanup)

  it('is waited for, and counts', function()
    start { check = 'check/' }
    local n = ask()
    p:wait_received('textDocument/diagnostic')
    p:act { progress = 'begin', token = 'check/0', title = 'checking' }
    p:act { publish = '{ROOT}/a.txt', version = 'same', diagnostics = { BAD } }
    heard()
    assert.equal(1, questions())
    p:act { progress = 'end', token = 'check/0' }
    local found = done(n)
    assert.same({ 1, true }, { found.counts.error, found.complete })
    assert.equal(2, questions())
    -- until it is saved again there is nothing to wait for
    assert.is_true(done(ask()).complete)
  end)

  it('is left out when it lasts too long', function()
    start({ check = 'check/' }, { ['lsp.diagnostics_wait_ms'] = 100 })
    assert.is_false(done(ask()).complete)
  end)
end)
