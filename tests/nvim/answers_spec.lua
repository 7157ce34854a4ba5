-- One question is put to a language server once: two who ask the same share the answer, and one
-- that is known is not asked for again until anything changes.
local fault = require('fault')

local function symbol(name)
  local range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 3 } }
  return { name = name, kind = 12, range = range, selectionRange = range }
end

local HELD = { hold = 'references', result = {} }

local function start(options, references)
  local script = {
    capabilities = { referencesProvider = true, documentSymbolProvider = true },
    on = {
      ['textDocument/references'] = references or HELD,
      ['textDocument/documentSymbol'] = { result = { symbol('old') } },
    },
  }
  local p = fault.project(script, options)
  local child = p:nvim { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }
  child:cmd('edit a.txt')
  return p, child
end

--- Begins a call of lsp_symbol; wait for it with fault.done().
local function ask(child, query, file)
  return child:lua(
    [[
      local query, file = ...
      _G.done, _G.ids = _G.done or {}, _G.ids or {}
      local n = #_G.ids + 1
      local args = { query = query, file_path = file }
      if query == 'references' then
        args.line, args.symbol = 1, 'old'
      end
      _G.ids[n] = require('oxide.core').call('lsp_symbol', args, {}, function(err, result)
        _G.done[n] = { code = err and err.code, message = err and err.message, result = result }
      end)
      return n
    ]],
    query,
    file or 'a.txt'
  )
end

local function symbols(child, file)
  local done = fault.done(child, ask(child, 'document_symbols', file))
  assert.equal('old', done.result and done.result.symbols[1].name, done.message)
end

local function asked(p, method)
  return #p:received('textDocument/' .. method)
end

local function held(p, times)
  fault.wait('the server to hold the answer', function()
    local holds = p:logged(function(entry)
      return entry.holds
    end)
    return #holds == times
  end)
end

describe('two who ask the same at once', function()
  after_each(fault.cleanup)

  it('share one request, and its answer', function()
    local p, child = start()
    local a, b = ask(child, 'references'), ask(child, 'references')
    held(p, 1)
    symbols(child) -- the core has done all that it was told before
    p:act { release = 'references' }
    assert.equal(0, fault.done(child, a).result.total)
    assert.equal(0, fault.done(child, b).result.total)
    assert.equal(1, asked(p, 'references'))
  end)

  it('may be cancelled one by one', function()
    local p, child = start()
    local a, b = ask(child, 'references'), ask(child, 'references')
    held(p, 1)
    child:lua("require('oxide.core').cancel(_G.ids[...])", a)
    assert.equal('cancelled', fault.done(child, a).code)
    symbols(child)
    assert.equal(0, #p:received('$/cancelRequest'))
    p:act { release = 'references' }
    assert.equal(0, fault.done(child, b).result.total)
    assert.equal(1, asked(p, 'references'))
    a, b = ask(child, 'references'), ask(child, 'references')
    held(p, 2)
    child:lua("require('oxide.core').cancel(_G.ids[...])", b)
    child:lua("require('oxide.core').cancel(_G.ids[...])", a)
    assert.equal('cancelled', fault.done(child, a).code)
    assert.equal('cancelled', fault.done(child, b).code)
    p:wait_received('$/cancelRequest')
    assert.equal(2, asked(p, 'references'))
  end)

  it('of two texts ask twice', function()
    local p, child = start(nil, { HELD, { result = {} } })
    local a = ask(child, 'references')
    held(p, 1)
    child:cmd('call setline(2, "more")')
    local b = ask(child, 'references')
    assert.equal(0, fault.done(child, b).result.total)
    assert.equal(2, asked(p, 'references'))
    p:act { release = 'references' }
    assert.equal(0, fault.done(child, a).result.total)
    assert.equal(3, asked(p, 'references')) -- the text of the first is gone
  end)
end)

describe('what is known', function()
  after_each(fault.cleanup)

  it('is not asked for again, until anything changes', function()
    local p, child = start()
    local times = 0
    local function assert_anew(what)
      times = times + 1
      symbols(child)
      assert.equal(times, asked(p, 'documentSymbol'), what .. ': an old answer')
      symbols(child)
      symbols(child)
      assert.equal(times, asked(p, 'documentSymbol'), what .. ': asked again')
    end
    assert_anew('the first time')
    child:cmd('call setline(2, "more")')
    assert_anew('a changed text')
    child:cmd('write')
    assert_anew('a written text')
    child:cmd('edit b.txt | call setline(1, "another") | write | buffer a.txt')
    assert_anew('another file')
  end)

  it('is asked for each time where nothing may be kept', function()
    local p, child = start { ['lsp.kept_answers'] = 0 }
    symbols(child)
    symbols(child)
    assert.equal(2, asked(p, 'documentSymbol'))
  end)
end)

describe('documents', function()
  after_each(fault.cleanup)

  it('stay open, but for those not used for longest', function()
    local p, child = start { ['lsp.documents'] = 16 }
    local function file(i)
      return ('%s/more-%02d.txt'):format(child.dir, i)
    end
    local function closed()
      return vim.tbl_map(function(entry)
        return vim.fs.basename(entry.params.textDocument.uri)
      end, p:received('textDocument/didClose'))
    end
    symbols(child)
    for i = 1, 16 do
      vim.fn.writefile({ 'old' }, file(i))
      symbols(child, file(i))
    end
    symbols(child, file(1))
    assert.same({}, closed())
    for i = 17, 19 do
      vim.fn.writefile({ 'old' }, file(i))
      symbols(child, file(i))
    end
    assert.same({ 'more-02.txt', 'more-03.txt', 'more-04.txt' }, closed())
    symbols(child, file(2)) -- is shown again
    assert.equal(
      2,
      p:logged(function(entry)
        return entry.uri == vim.uri_from_fname(file(2)) and entry.version
      end)[2].version
    )
  end)
end)

describe('a file that was changed', function()
  after_each(fault.cleanup)

  --- Makes a change that the server is asked about first.
  local function change(child, from, to)
    child:lua(
      [[
        _G.came = nil
        local from, to = ...
        require('oxide.core').call('multi_edit', {
          verify = true,
          operations = {
            { edit_type = 'replace', file_path = 'a.txt', old_string = from, new_string = to },
          },
        }, { confirm = 'never' }, function(err, result) _G.came = { err = err, result = result } end)
      ]],
      from,
      to
    )
    local came = child:wait('the change', '_G.came')
    assert.is_true(came.result and came.result.complete, vim.inspect(came))
  end

  it('is asked for its symbols, so that the next change need not wait for them', function()
    local line = symbol('old')
    line.range['end'] = { line = 1, character = 0 }
    local publishes = {
      after = { { publish = '{ROOT}/a.txt', version = 'same', diagnostics = {} } },
    }
    local p = fault.project {
      capabilities = { referencesProvider = true, documentSymbolProvider = true },
      on = {
        ['textDocument/didOpen'] = publishes,
        ['textDocument/didChange'] = publishes,
        ['textDocument/references'] = { result = {} },
        ['textDocument/documentSymbol'] = { result = { line } },
      },
    }
    local child = p:nvim { ['a.txt'] = 'old one\n' }
    child:cmd('edit a.txt')
    change(child, 'one', 'two')
    fault.wait('the question', function()
      return asked(p, 'documentSymbol') == 2
    end)
    symbols(child) -- once there is an answer
    change(child, 'two', 'three')
    assert.equal('old three\n', child:file('a.txt'))
    local order = {}
    for _, entry in ipairs(p:log()) do
      local what = (entry.method or ''):match('(documentSymbol)$')
        or (entry.method or ''):match('(didChange)$')
        or (entry.method or ''):match('(references)$')
      table.insert(order, what)
    end
    local once = { 'documentSymbol', 'references', 'didChange' }
    assert.same(vim.list_extend({ unpack(once) }, once), vim.list_slice(order, 1, 6))
  end)
end)
