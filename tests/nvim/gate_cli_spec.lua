-- A change that is shown to a language server before it is made, from the command line: servers
-- that are right, late, silent, dead, or speak of another text.
local fault = require('fault')
local helper = require('helper')

local FILES = { ['a.txt'] = 'one\ntwo\nthree\n', ['b.txt'] = 'uses two\n' }

local function diagnostic(line, message, severity)
  local place = { line = line, character = 0 }
  return {
    range = { start = place, ['end'] = { line = line, character = 3 } },
    severity = severity or 1,
    message = message,
    code = 'c1',
    source = 'fake',
  }
end

--- What follows when a document is opened or changed: diagnostics of what it is by then.
local function says(diagnostics, version, file)
  local publish = {
    publish = '{ROOT}/' .. (file or 'a.txt'),
    version = version or 'same',
    diagnostics = diagnostics,
  }
  return { after = { publish } }
end

local function project(on, options, script)
  on['textDocument/documentSymbol'] = on['textDocument/documentSymbol'] or { result = {} }
  script = vim.tbl_deep_extend('keep', script or {}, {
    capabilities = { referencesProvider = true, documentSymbolProvider = true },
  })
  script.on = on
  return fault.project(script, options):files(FILES)
end

--- "new" comes before line 2 of a.txt.
local EDIT = {
  verify = true,
  operations = { { edit_type = 'insert', file_path = 'a.txt', line_number = 2, content = 'new' } },
}
local AFTER = 'one\nnew\ntwo\nthree\n'

local function start(p)
  return p:start('multi_edit', EDIT, { '--yes' })
end

local function call(p)
  return fault.finish(start(p))
end

local function assert_done(p, out, complete, check)
  assert.equal(0, out.code, vim.inspect(out.result))
  assert.is_true(out.result.success)
  assert.equal(complete, out.result.complete)
  assert.matches(check, out.result.syntax_check)
  assert.equal(AFTER, helper.read(p.dir .. '/a.txt'))
end

--- Refused, with nothing touched; the server sees the old text again.
local function assert_refused(p, before, out, errors)
  assert.equal(1, out.code, vim.inspect(out.result))
  assert.equal('conflict', out.result.error.code)
  local got = vim.tbl_map(function(e)
    return { e.file, e.line, e.message, e.text }
  end, out.result.new_errors)
  assert.same(errors, got)
  assert.same({ errors[1][1], errors[1][2] }, { out.result.error.file, out.result.error.line })
  assert.same(before, p:tree())
  assert.equal(FILES['a.txt'], p:server_text('a.txt'))
end

local OLD = diagnostic(1, 'old')

describe('a change that is verified', function()
  after_each(fault.cleanup)

  it('is refused where it brings an error', function()
    local p = project {
      ['textDocument/didOpen'] = says { OLD },
      ['textDocument/didChange'] = says { diagnostic(1, 'bad'), diagnostic(2, 'old') },
    }
    local before = p:tree()
    local out = call(p)
    assert_refused(p, before, out, { { 'a.txt', 2, 'bad', 'new' } })
    assert.same(out.result.new_errors, out.result.error.new_errors)
    assert.matches('1 new error.*a.txt:2: bad', out.result.error.message)
    assert.is_true(out.result.complete)
    local row = out.result.new_errors[1]
    assert.same({ 'error', 'c1', 'fake' }, { row.severity, row.code, row.source })
  end)

  it('comes back with the fixes that the server offers for the text on trial', function()
    local bad = diagnostic(1, 'bad')
    local edit =
      { changes = { ['file://{ROOT}/a.txt'] = { { range = bad.range, newText = 'x' } } } }
    local p = project({
      ['textDocument/didOpen'] = says {},
      ['textDocument/didChange'] = says { bad },
      ['textDocument/codeAction'] = {
        result = {
          { title = 'mend it', kind = 'quickfix', isPreferred = true, edit = edit },
          { title = 'not now', kind = 'quickfix', disabled = { reason = 'no' }, edit = edit },
          { title = 'move it', kind = 'refactor', edit = edit },
          { title = 'mend that', kind = 'quickfix', diagnostics = { OLD }, edit = edit },
          { title = 'look it up', kind = 'quickfix' },
        },
      },
    }, nil, { capabilities = { codeActionProvider = true } })
    local before = p:tree()
    local out = call(p)
    assert_refused(p, before, out, { { 'a.txt', 2, 'bad', 'new' } })
    assert.same(
      { { title = 'mend it', kind = 'quickfix', preferred = true } },
      out.result.new_errors[1].fixes
    )
    local params = p:received('textDocument/codeAction')[1].params
    assert.same({ bad }, params.context.diagnostics)
    assert.same(bad.range, params.range)
  end)

  it('is made where what is wrong was wrong before, and tells the server once', function()
    local p = project {
      ['textDocument/didOpen'] = says { OLD },
      ['textDocument/didChange'] = says { diagnostic(2, 'old'), diagnostic(1, 'odd', 2) },
    }
    local out = call(p)
    assert_done(p, out, true, '^ok$')
    assert.equal(1, #out.result.new_warnings)
    assert.equal('odd', out.result.new_warnings[1].message)
    assert.equal(1, #p:received('textDocument/didChange'))
    assert.equal(AFTER, p:server_text('a.txt'))
  end)

  it('is not written in a dry run, and refused there too', function()
    local p = project {
      ['textDocument/didOpen'] = says {},
      ['textDocument/didChange'] = { says {}, says {}, says { diagnostic(0, 'bad') } },
    }
    local before = p:tree()
    local dry = vim.tbl_extend('error', EDIT, { dry_run = true })
    local out = p:call('multi_edit', dry)
    assert.same({ true, 'ok' }, { out.result.success, out.result.syntax_check })
    assert.same(before, p:tree())
    assert.equal(FILES['a.txt'], p:server_text('a.txt'))
    p = project {
      ['textDocument/didOpen'] = says {},
      ['textDocument/didChange'] = says { diagnostic(0, 'bad') },
    }
    before = p:tree()
    assert_refused(p, before, p:call('multi_edit', dry), { { 'a.txt', 1, 'bad', 'one' } })
  end)

  it('is all that there is to look at where the server knows no references', function()
    local p = project({
      ['textDocument/didOpen'] = says {},
      ['textDocument/didChange'] = says {},
    }, nil, { capabilities = { referencesProvider = false } })
    assert_done(p, call(p), true, '^ok$')
  end)

  it('waits for a late word', function()
    local p = project { ['textDocument/didOpen'] = says {} }
    local before = p:tree()
    local running = start(p)
    p:wait_received('textDocument/didChange')
    assert.same(before, p:tree())
    p:act { publish = '{ROOT}/a.txt', version = 'same', diagnostics = { diagnostic(1, 'bad') } }
    assert_refused(p, before, fault.finish(running), { { 'a.txt', 2, 'bad', 'new' } })
  end)

  it('takes no word about another version', function()
    local p = project {
      ['textDocument/didOpen'] = says {},
      ['textDocument/didChange'] = says({ diagnostic(1, 'bad') }, 1),
    }
    local running = start(p)
    p:wait_received('textDocument/didChange')
    p:act { publish = '{ROOT}/a.txt', version = 'same' }
    assert_done(p, fault.finish(running), true, '^ok$')
  end)

  it('says that it may not be all where the server gives no version', function()
    local options = { ['lsp.quiet_ms'] = 50 }
    local p = project({
      ['textDocument/didOpen'] = says({ OLD }, 'none'),
      ['textDocument/didChange'] = says({ diagnostic(2, 'old') }, 'none'),
    }, options)
    assert_done(p, call(p), false, '^ok$')
    p = project({
      ['textDocument/didOpen'] = says({ OLD }, 'none'),
      ['textDocument/didChange'] = says({ diagnostic(1, 'old') }, 'none'),
    }, options)
    local before = p:tree()
    local out = call(p)
    assert_refused(p, before, out, { { 'a.txt', 2, 'old', 'new' } })
    assert.is_false(out.result.complete)
  end)

  it('does not wait for ever where the server gives no version and falls silent', function()
    local p = project(
      { ['textDocument/didOpen'] = says({ OLD }, 'none') },
      { ['lsp.quiet_ms'] = 50, ['lsp.silence_ms'] = 100 }
    )
    assert_done(p, call(p), false, '^ok$')
  end)

  it('does not wait for ever where the server never speaks of it', function()
    local p = project({ ['textDocument/didOpen'] = says {} }, { ['lsp.diagnostics_wait_ms'] = 100 })
    local out = call(p)
    assert_done(p, out, false, '^ok$')
    assert.matches('fake may not have finished with a.txt', out.result.reasons[1])
    p = project({}, { ['lsp.diagnostics_wait_ms'] = 100 })
    out = call(p)
    assert_done(p, out, false, '^skipped: .*published no diagnostics')
    assert.equal('a.txt', out.result.not_verified[1].file)
  end)

  it('is made where the server dies, which is said', function()
    local p = project({
      ['textDocument/didOpen'] = says { OLD },
      ['textDocument/didChange'] = { before = { { kill = true } } },
    }, { ['lsp.restart_ms'] = 0 })
    local out = call(p)
    assert_done(p, out, false, '^skipped: fake exited')
    assert.matches('exited', out.result.not_verified[1].reason)
  end)

  it('is made where the server hangs, within gate.wait_ms', function()
    local p = project({
      ['textDocument/didOpen'] = says {},
      ['textDocument/didChange'] = { before = { { stop = true } } },
    }, { ['gate.wait_ms'] = 500, ['lsp.stop_ms'] = 100 })
    local out = call(p)
    assert_done(p, out, false, '^skipped: the servers did not finish within 500 ms')
    assert.matches('within 500 ms', out.result.reasons[1])
    assert.equal('a.txt', out.result.not_verified[1].file)
    p = project(
      { initialize = { silent = true } },
      { ['gate.wait_ms'] = 200, ['lsp.stop_ms'] = 100 }
    )
    assert_done(p, call(p), false, '^skipped: the servers did not finish within 200 ms')
  end)

  it('asks a server that can be asked', function()
    local function answers(...)
      return vim.tbl_map(function(items)
        return { result = { kind = 'full', items = items } }
      end, { ... })
    end
    local can = { capabilities = { diagnosticProvider = { interFileDependencies = true } } }
    local p = project({
      ['textDocument/diagnostic'] = answers({ OLD }, { diagnostic(2, 'old') }),
    }, nil, can)
    assert_done(p, call(p), true, '^ok$')
    p = project({
      ['textDocument/diagnostic'] = answers({ OLD }, { OLD, diagnostic(2, 'old') }),
    }, nil, can)
    local before = p:tree()
    assert_refused(p, before, call(p), { { 'a.txt', 2, 'old', 'new' } })
  end)

  it('is not blamed for what a server that can be asked finds on the disk meanwhile', function()
    local p = project({
      ['textDocument/diagnostic'] = { result = { kind = 'full', items = {} } },
      ['textDocument/didChange'] = says { diagnostic(1, 'of a compiler') },
    }, nil, { capabilities = { diagnosticProvider = { interFileDependencies = true } } })
    assert_done(p, call(p), true, '^ok$')
  end)

  --- A project in which b.txt uses what a.txt has.
  local function project_with_use(did_change)
    local function range(line, from, to)
      return {
        start = { line = line, character = from },
        ['end'] = { line = line, character = to },
      }
    end
    local all = { start = { line = 0, character = 0 }, ['end'] = { line = 2, character = 5 } }
    return project {
      ['textDocument/didOpen'] = { says {}, says({}, 'same', 'b.txt') },
      ['textDocument/documentSymbol'] = {
        result = { { name = 'one', kind = 12, range = all, selectionRange = range(0, 0, 3) } },
      },
      ['textDocument/references'] = {
        result = { { uri = 'file://{ROOT}/b.txt', range = range(0, 0, 3) } },
      },
      ['textDocument/didChange'] = did_change,
    }
  end
  local BROKEN = { diagnostic(0, 'broken') }

  it('is refused where it brings an error to a file that uses what it touches', function()
    local p = project_with_use { says {}, says(BROKEN, 'same', 'b.txt'), {} }
    local before = p:tree()
    assert_refused(p, before, call(p), { { 'b.txt', 1, 'broken', 'uses two' } })
    assert.equal(FILES['b.txt'], p:server_text('b.txt'))
    assert.same(
      { line = 0, character = 0 },
      p:received('textDocument/references')[1].params.position
    )
  end)

  it('asks nobody who uses it where all tokens of a source of C stay as they are', function()
    local all = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 14 } }
    local function change(content)
      local p = project {
        ['textDocument/didOpen'] = says({}, 'same', 'a.c'),
        ['textDocument/documentSymbol'] = {
          result = { { name = 'f', kind = 12, range = all, selectionRange = all } },
        },
        ['textDocument/references'] = { result = {} },
        ['textDocument/didChange'] = says({}, 'same', 'a.c'),
      }
      p:files_of_c { ['a.c'] = 'int f(int a){return a+1;}\n' }
      local out = p:call('multi_edit', {
        verify = true,
        operations = {
          { edit_type = 'delete', file_path = 'a.c', line_number = 1 },
          { edit_type = 'insert', file_path = 'a.c', line_number = 2, content = content },
        },
      }, { '--yes' })
      assert.equal(0, out.code, vim.inspect(out.result))
      assert.matches('^ok$', out.result.syntax_check)
      return #p:received('textDocument/didChange'), #p:received('textDocument/references')
    end
    assert.same({ 1, 0 }, { change('int f(int a)\n{\n\treturn a + 1; /* one */\n}') })
    assert.same({ 1, 1 }, { change('int f(int a){return a+2;}') })
  end)

  it('is refused where the server speaks of half of it first', function()
    local half = { publish = '{ROOT}/b.txt', version = 1, diagnostics = BROKEN }
    local whole = { publish = '{ROOT}/b.txt', version = 'same', diagnostics = BROKEN }
    local p = project_with_use { says {}, { after = { half, whole } }, {} }
    local before = p:tree()
    assert_refused(p, before, call(p), { { 'b.txt', 1, 'broken', 'uses two' } })
  end)

  it('shows files that are not there yet, and does not believe that they are missing', function()
    local p = project {
      ['textDocument/didOpen'] = { says {}, says({}, 'same', 'fresh.txt') },
      ['textDocument/didChange'] = says { diagnostic(0, 'no such file') },
    }
    local out = p:call('apply_patch', {
      verify = true,
      patch = '*** Begin Patch\n*** Add File: fresh.txt\n+text\n*** Update File: a.txt\n@@\n'
        .. '-one\n+one fresh\n*** End Patch',
    }, { '--yes' })
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.is_false(out.result.complete)
    assert.equal('no such file', out.result.new_warnings[1].message)
    assert.equal('text\n', helper.read(p.dir .. '/fresh.txt'))
  end)

  it('is not taken to be looked at by a server that says it is not well', function()
    local status = { quiescent = true, health = 'error', message = 'no cargo\nat all' }
    local p = project {
      ['textDocument/didOpen'] = {
        before = { { notify = 'experimental/serverStatus', params = status } },
        after = says({}).after,
      },
      ['textDocument/didChange'] = says {},
    }
    local out = call(p)
    assert_done(p, out, false, '^skipped: .*fake reports a problem: no cargo')
    assert.matches('reports a problem', out.result.not_verified[1].reason)
  end)

  it('is refused all the same for what such a server sees', function()
    local status = { quiescent = true, health = 'error', message = 'no cargo' }
    local p = project {
      ['textDocument/didOpen'] = {
        before = { { notify = 'experimental/serverStatus', params = status } },
        after = says({}).after,
      },
      ['textDocument/didChange'] = says { diagnostic(1, 'bad') },
    }
    local before = p:tree()
    assert_refused(p, before, call(p), { { 'a.txt', 2, 'bad', 'new' } })
  end)

  it('is made where no server serves the file, which is said', function()
    local p = project {}
    helper.write(p.dir .. '/x.zig', 'one\n')
    local out = p:call('multi_edit', {
      verify = true,
      operations = {
        { edit_type = 'replace', file_path = 'x.zig', old_string = 'one', new_string = 'two' },
      },
    }, { '--yes' })
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.matches('^skipped: .*zig', out.result.syntax_check)
    assert.is_false(out.result.complete)
    assert.equal('two\n', helper.read(p.dir .. '/x.zig'))
  end)

  it('can be cancelled', function()
    local p = project { ['textDocument/didOpen'] = says {} }
    local before = p:tree()
    local running = start(p)
    p:wait_received('textDocument/didChange')
    running:kill('sigint')
    local out = fault.finish(running)
    assert.equal('cancelled', out.result.error.code)
    assert.same(before, p:tree())
    assert.equal(FILES['a.txt'], p:server_text('a.txt'))
  end)
end)
