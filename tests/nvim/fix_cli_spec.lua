-- Diagnostics with what can be done about them, and fixing them, from the command line, with a
-- scripted server.
local fault = require('fault')
local helper = require('helper')

local function project(text, lint, options, script)
  script = vim.tbl_deep_extend('keep', script or {}, {
    lint = lint,
    capabilities = { referencesProvider = true, documentSymbolProvider = true },
    on = { ['textDocument/documentSymbol'] = { result = {} } },
  })
  return fault.project(script, options):files { ['a.txt'] = text }
end

local function word(name, ...)
  return { word = name, fixes = { ... } }
end

local function call(p, args, flags)
  args = vim.tbl_extend('keep', args or {}, { file_path = 'a.txt' })
  return p:call('lsp_diagnostic', args, flags)
end

local function list(p, args)
  local out = call(p, args)
  assert.equal(0, out.code, vim.inspect(out.result))
  return out.result.diagnostics
end

local function fix(p, args, flags)
  return call(p, vim.tbl_extend('keep', args or {}, { fix_errors = true }), flags)
end

--- How many were applied, resolved, and remain.
local function assert_fixed(p, out, text, applied, resolved, remaining)
  assert.equal(0, out.code, vim.inspect(out.result))
  assert.equal(text, helper.read(p.dir .. '/a.txt'))
  local r = out.result
  assert.same({ applied, resolved, remaining }, { r.fixes_applied, r.resolved, r.remaining })
  assert.equal(remaining, #r.diagnostics)
  return r
end

local function titles(row)
  return vim.tbl_map(function(f)
    return f.title
  end, row.fixes)
end

local GOOD = { title = 'say good', new = 'good', preferred = true }

describe('lsp_diagnostic', function()
  after_each(fault.cleanup)

  it('lists what can be done about each', function()
    local p =
      project('bad\nodd bad\n', { word('bad', GOOD, { title = 'drop', new = '' }), word('odd') })
    local rows = list(p)
    assert.equal(3, #rows)
    assert.same({ title = 'say good', kind = 'quickfix', preferred = true }, {
      title = rows[1].fixes[1].title,
      kind = rows[1].fixes[1].kind,
      preferred = rows[1].fixes[1].preferred,
    })
    assert.same({ 'say good', 'drop' }, titles(rows[1]))
    assert.same({}, rows[2].fixes)
    local params = p:received('textDocument/codeAction')[1].params
    assert.equal('bad is wrong', params.context.diagnostics[1].message)
    assert.same({ 'quickfix' }, params.context.only)
    assert.same(params.context.diagnostics[1].range, params.range)
  end)

  it('names each fix, and the same one by the same name', function()
    local p = project('bad\nbad bad\n', { word('bad', GOOD, { title = 'say good', new = 'ok' }) })
    local function ids()
      local all = {}
      for _, row in ipairs(list(p)) do
        for _, f in ipairs(row.fixes) do
          table.insert(all, f.action_id)
        end
      end
      return all
    end
    local first, seen = ids(), {}
    assert.equal(6, #first)
    assert.same(first, ids())
    for _, id in ipairs(first) do
      assert.matches('^fix%-a%.txt:%d%-%x+$', id)
      assert.is_nil(seen[id])
      seen[id] = true
    end
    helper.write(p.dir .. '/a.txt', 'bad\nbad bad!\n')
    assert.is_nil(seen[ids()[1]])
  end)

  it('leaves out what is disabled, of another kind, or only for another client', function()
    local p = project('bad\n', {
      word(
        'bad',
        { title = 'not now', new = 'x', disabled = 'no' },
        { title = 'a refactoring', new = 'x', kind = 'refactor' },
        { title = 'details', new = 'x', how = 'resolve', kind = 'quickfix.details' },
        { title = 'a command', new = 'x', how = 'command' },
        { title = 'of the client', new = 'x', how = 'client' }
      ),
    }, nil, { capabilities = { codeActionProvider = { resolveProvider = false } } })
    assert.same({ 'a command' }, titles(list(p)[1]))
    local can = project('bad\n', { word('bad', { title = 'details', how = 'resolve', new = 'x' }) })
    assert.same({ 'details' }, titles(list(can)[1]))
  end)

  it('asks for the first ones alone where there are many, and for none when told so', function()
    local p = project('bad bad bad\n', { word('bad', GOOD) }, { ['diagnostics.fixes'] = 2 })
    local out = call(p)
    assert.equal(1, out.result.not_asked)
    assert.same({}, out.result.diagnostics[3].fixes)
    assert.equal(2, #p:received('textDocument/codeAction'))
    call(p, { fixes = false })
    assert.equal(2, #p:received('textDocument/codeAction'))
  end)

  it('lists them also where the server fails to say what it offers', function()
    local p = project('bad\n', { word('bad', GOOD) }, nil, {
      on = { ['textDocument/codeAction'] = { error = { code = -32603, message = 'oops' } } },
    })
    assert.same({}, list(p)[1].fixes)
  end)

  it('shows them to a person by file, with a mark on what has a fix', function()
    local p = project('odd\nbad\nill\n', {
      { word = 'odd', severity = 2 },
      word('bad', GOOD, { title = 'x', new = 'x' }),
      {
        word = 'ill',
        severity = 2,
        fixes = { { title = 'x', new = '' }, { title = 'y', new = 'y' } },
      },
    })
    local done = p:start('lsp_diagnostic', { file_path = 'a.txt' }, { '--text' }):wait()
    assert.equal(
      'a.txt\n  2:1 error: bad is wrong [bad] fix: say good\n'
        .. '  1:1 warning: odd is wrong [odd]\n  3:1 warning: ill is wrong [ill] fixes: 2\n\n'
        .. '1 error, 2 warnings\n',
      done.stdout
    )
  end)
end)

describe('fix_errors', function()
  after_each(fault.cleanup)

  it('applies what is preferred or alone, as one change that can be taken back', function()
    local p = project('bad odd ill\nbad\n', {
      word('bad', { title = 'x', new = 'x' }, GOOD),
      word('odd', { title = 'say even', new = 'even' }),
      word('ill', { title = 'x', new = '' }, { title = 'y', new = 'y' }),
    })
    local r = assert_fixed(p, fix(p), 'good even ill\ngood\n', 3, 3, 1)
    assert.same({ 1, 3 }, { r.files_changed, #r.applied })
    assert.equal(1, #r.transactions)
    assert.equal('say good', r.applied[1].title)
    p:call('undo', {})
    assert.equal('bad odd ill\nbad\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('gets the details of a fix, and what a command asks for', function()
    local p = project('bad odd non\n', {
      word('bad', { title = 'details', new = 'good', how = 'resolve' }),
      word('odd', { title = 'command', new = 'even', how = 'command' }),
      word('non', { title = 'nothing', how = 'none' }),
    })
    assert_fixed(p, fix(p), 'good even non\n', 2, 2, 1)
    assert.is_true(p:logged(function(entry)
      return entry.id == 'fake-1' and entry.result
    end)[1].result.applied)
  end)

  it('goes on in rounds, three at most', function()
    local p = project('a1\n', {
      { word = 'a1', severity = 2, fixes = { { title = '1', new = 'a2' } } },
      { word = 'a2', severity = 2, fixes = { { title = '2', new = 'a3' } } },
      { word = 'a3', severity = 2, fixes = { { title = '3', new = 'a4' } } },
      { word = 'a4', severity = 2, fixes = { { title = '4', new = 'a5' } } },
    })
    local r = assert_fixed(p, fix(p), 'a4\n', 3, 1, 1)
    assert.equal(3, #r.transactions)
    assert.equal(r.transactions[3], r.transaction)
    assert.same({ 3, 3, 1 }, { r.edits, r.files[1].edits, r.files_changed })
  end)

  it(
    'leaves fixes that touch to the next round, and tries none again that was of no use',
    function()
      local p = project('a1\na2\na3\na4\n', {
        word('a1', { title = '1', new = 'a' }),
        word('a2', { title = 'touches', top = 'x\n' }),
        word('a3', { title = 'touches too', top = 'y\n' }),
        word('a4', { title = 'and this', top = 'z\n' }),
      }, { ['fix.rounds'] = 2 })
      -- they insert at one place: one a round, and the words they are for stay
      assert_fixed(p, fix(p), 'y\nx\na\na2\na3\na4\n', 3, 1, 3)
    end
  )

  it('leaves out a fix that brings a new error, and applies the others', function()
    local p = project('bad odd bad ill\n', {
      word('bad', GOOD),
      word('odd', { title = 'make it worse', new = 'evil' }),
      word('ill', { title = 'say well', new = 'well' }),
      word('evil'),
    })
    local r = assert_fixed(p, fix(p), 'good odd good well\n', 3, 3, 1)
    assert.equal(1, #r.transactions)
    assert.equal('make it worse', r.not_applied[1].title)
    assert.matches('new error', r.not_applied[1].reason)
    assert.equal('good odd good well\n', p:server_text('a.txt'))
  end)

  it('changes nothing where the only fix brings a new error', function()
    local p = project('odd\n', { word('odd', { title = 'worse', new = 'evil' }), word('evil') })
    local before = p:tree()
    local r = assert_fixed(p, fix(p), 'odd\n', 0, 0, 1)
    assert.equal('worse', r.not_applied[1].title)
    assert.is_nil(r.transaction)
    assert.same(before, p:tree())
    assert.equal('odd\n', p:server_text('a.txt'))
  end)

  it('fixes what it is told to: severity, code, kind, lines', function()
    local lint = {
      word('bad', GOOD),
      { word = 'odd', severity = 2, code = 'w1', fixes = { { title = 'e', new = 'even' } } },
      {
        word = 'meh',
        severity = 4,
        fixes = { { title = 'm', new = 'well', kind = 'quickfix.m' } },
      },
    }
    local text = 'bad odd meh\nbad odd meh\n'
    local p = project(text, lint)
    assert_fixed(p, fix(p), 'good even meh\ngood even meh\n', 4, 4, 0)
    p = project(text, lint)
    assert_fixed(p, fix(p, { severity = 'error' }), 'good odd meh\ngood odd meh\n', 2, 2, 0)
    p = project(text, lint)
    assert_fixed(p, fix(p, { code = 'w1' }), 'bad even meh\nbad even meh\n', 2, 2, 2)
    p = project(text, lint)
    local all = { severity = 'hint', kind = 'quickfix.m' }
    assert_fixed(p, fix(p, all), 'bad odd well\nbad odd well\n', 2, 2, 4)
    p = project(text, lint)
    assert_fixed(p, fix(p, { start_line = 2 }), 'bad odd meh\ngood even meh\n', 2, 2, 2)
  end)

  it('only shows what it would do in a dry run', function()
    local p = project('bad\n', { word('bad', GOOD) })
    local before = p:tree()
    local out = fix(p, { dry_run = true })
    assert.matches('%-bad\n%+good\n', out.result.diff)
    assert.is_nil(out.result.transaction)
    assert.same(before, p:tree())
  end)

  it('waits for a person where it is told to ask', function()
    local p = project('bad\n', { word('bad', GOOD) })
    local before = p:tree()
    local out = fix(p, { confirm = 'ask' })
    assert.is_true(out.result.needs_confirmation)
    assert.equal(0, out.result.fixes_applied)
    assert.same(before, p:tree())
    assert_fixed(p, fix(p, { confirm = 'ask' }, { '--yes' }), 'good\n', 1, 1, 0)
  end)

  it('has nothing to do where nothing is wrong, and fails where no server is', function()
    local p = project('fine\n', { word('bad', GOOD) })
    local r = assert_fixed(p, fix(p), 'fine\n', 0, 0, 0)
    assert.is_nil(r.files_changed)
    local out = fix(p, { file_path = 'none.txt' })
    assert.equal('not_found', out.result.error.code)
  end)
end)
