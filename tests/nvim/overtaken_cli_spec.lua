-- Calls whose texts another change of Oxide's own moves while their server is asked, with a scripted
-- server: what it said of the text that is gone is neither answered nor taken for a reason to refuse,
-- and a line is the one that it was when the call came.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local C = 'int one(void)\n{\n\treturn 1;\n}\n\nint two(void)\n{\n\treturn 2;\n}\n'
local FIRST = { file_path = 'a.c', old_string = 'int one', new_string = '/* first */\nint one' }

local NO_DIAGNOSTICS = { result = { kind = 'full', items = {} } }

--- Four lines of a.c from `line` on, from 0.
local function symbol(name, line)
  return {
    name = name,
    kind = 12,
    range = { start = { line = line, character = 0 }, ['end'] = { line = line + 3, character = 1 } },
    selectionRange = fault.range(line, 4, 7),
  }
end

local function named(line)
  return { uri = 'file://{ROOT}/a.c', range = fault.range(line, 4, 7) }
end

local function renamed(line)
  local change = { range = fault.range(line, 4, 7), newText = 'left' }
  return { result = { changes = { ['file://{ROOT}/a.c'] = { change } } } }
end

describe('while a server is asked about a text', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  --- Calls `tool`, and makes `change` while the answer that is held waits.
  ---@param on table<string, table>   what the server answers
  ---@param change? table|fun(dir: string)   default: FIRST
  ---@return boolean failed
  ---@return string said
  ---@return test.Project p
  local function overtaken(on, tool, args, change)
    on['textDocument/diagnostic'] = on['textDocument/diagnostic'] or NO_DIAGNOSTICS
    local p = fault.project {
      capabilities = {
        documentSymbolProvider = true,
        referencesProvider = true,
        hoverProvider = true,
        documentFormattingProvider = true,
        diagnosticProvider = { interFileDependencies = false, workspaceDiagnostics = false },
      },
      on = on,
    }
    p:files_of_c { ['a.c'] = C }
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config }, {
      ['elicitation/create'] = function()
        return { action = 'accept', content = vim.empty_dict() }
      end,
    })
    c:initialize('2025-06-18', { elicitation = vim.empty_dict() })
    local id = c:ask('tools/call', { name = tool, arguments = args })
    p:wait_log('an answer to be held', function(entry)
      return entry.holds == 'it'
    end)
    if type(change) == 'function' then
      change(p.dir)
    else
      local text, failed = c:call('edit_file', change or FIRST)
      assert.is_false(failed, text)
    end
    p:act { release = 'it' }
    local result = c:reply(id).result
    return result.isError or false, result.content[1].text, p
  end

  local PLACE = { query = 'references', file_path = 'a.c', line = 6, symbol = 'two' }

  it('places are asked for again', function()
    local failed, said, p = overtaken({
      ['textDocument/references'] = {
        { result = { named(5) }, hold = 'it' },
        { result = { named(6) } },
      },
    }, 'lsp_symbol', PLACE)
    assert.is_false(failed, said)
    assert.matches('a.c:7:5', said)
    assert.matches('int two%(void%)', said)
    local asked = p:received('textDocument/references')
    assert.same({ line = 6, character = 4 }, asked[#asked].params.position)
  end)

  it('places by lines from 0 are too', function()
    local failed, said = overtaken({
      ['textDocument/references'] = {
        { result = { named(5) }, hold = 'it' },
        { result = { named(6) } },
      },
    }, 'find_references', { file_path = 'a.c', line = 5, character = 5 })
    assert.is_false(failed, said)
    assert.matches('int two%(void%)', said)
  end)

  it('what hovers over a place is', function()
    local failed, said = overtaken({
      ['textDocument/hover'] = {
        { result = { contents = 'of before' }, hold = 'it' },
        { result = { contents = 'of now' } },
      },
    }, 'lsp_symbol', { query = 'hover', file_path = 'a.c', line = 6, symbol = 'two' })
    assert.is_false(failed, said)
    assert.matches('of now', said)
  end)

  it('a line is the one that it was when the call came', function()
    local failed, said, p = overtaken({
      initialize = { hold = 'it' },
      ['textDocument/references'] = { result = { named(6) } },
    }, 'lsp_symbol', { query = 'references', file_path = 'a.c', line = 6, column = 5 })
    assert.is_false(failed, said)
    assert.matches('a.c:7:5', said)
    local asked = p:received('textDocument/references')
    assert.same({ line = 6, character = 4 }, asked[1].params.position)
  end)

  it('the line of a rename is that one too', function()
    local failed, said, p = overtaken(
      { initialize = { hold = 'it' }, ['textDocument/rename'] = renamed(6) },
      'lsp_rename',
      { file_path = 'a.c', line = 6, column = 5, new_name = 'left', confirm = 'apply' }
    )
    assert.is_false(failed, said)
    local asked = p:received('textDocument/rename')
    assert.same({ line = 6, character = 4 }, asked[1].params.position)
    assert.matches('int left%(void%)\n{\n\treturn 2', helper.read(p.dir .. '/a.c'))
  end)

  local NOTHING = { result = vim.NIL, hold = 'it' }

  it('that it knows nothing there is no reason to refuse a rename', function()
    local failed, said, p = overtaken(
      { ['textDocument/rename'] = { NOTHING, renamed(6) } },
      'lsp_rename',
      { file_path = 'a.c', line = 6, symbol = 'two', new_name = 'left', confirm = 'apply' }
    )
    assert.is_false(failed, said)
    assert.matches('int left%(void%)\n{\n\treturn 2', helper.read(p.dir .. '/a.c'))
  end)

  --- A rename of `two` by its place, whose line becomes `line` meanwhile.
  ---@param place table
  ---@param line string   instead of 'int two'
  ---@return boolean failed
  ---@return string said
  ---@return test.Project p
  local function renamed_beside(place, line)
    local answer = renamed(5)
    local change = answer.result.changes['file://{ROOT}/a.c'][1]
    local at = assert(line:find('two')) - 1
    change.range = fault.range(5, at, at + 3)
    local args = { file_path = 'a.c', new_name = 'left', confirm = 'apply' }
    return overtaken(
      { ['textDocument/rename'] = { NOTHING, answer } },
      'lsp_rename',
      vim.tbl_extend('error', args, place),
      { file_path = 'a.c', old_string = 'int two', new_string = line }
    )
  end

  local function asked_at(p)
    local asked = p:received('textDocument/rename')
    return asked[#asked].params.position
  end

  for how, place in pairs {
    ['its column'] = { line = 6, column = 6 },
    ['its name'] = { line = 6, symbol = 'two' },
  } do
    it('a line that is edited beside the name is still that line, with ' .. how, function()
      local failed, said, p = renamed_beside(place, 'const long two')
      assert.is_false(failed, said)
      assert.same({ line = 5, character = place.column and 12 or 11 }, asked_at(p))
      assert.matches('const long left%(void%)\n{\n\treturn 2', helper.read(p.dir .. '/a.c'))
    end)

    it('a name that is another one by then is refused, with ' .. how, function()
      local failed, said, p = renamed_beside(place, 'int two_more')
      assert.is_true(failed, said)
      assert.matches('a.c: another change was applied first, and the line may be', said)
      assert.equal((C:gsub('int two', 'int two_more')), helper.read(p.dir .. '/a.c'))
    end)
  end

  it('a name that is on the line twice by then is refused', function()
    local failed, said, p = renamed_beside({ line = 6, symbol = 'two' }, '/* two */ int two')
    assert.is_true(failed, said)
    assert.matches('a.c: another change was applied first, and the line may be', said)
    assert.equal((C:gsub('int two', '/* two */ int two')), helper.read(p.dir .. '/a.c'))
  end)

  it('nor to refuse another signature', function()
    local failed, said, p = overtaken(
      {
        ['textDocument/references'] = {
          { result = {}, hold = 'it' },
          { result = { named(6) } },
        },
      },
      'lsp_edit',
      {
        file_path = 'a.c',
        line = 6,
        column = 5,
        action = 'change_signature',
        signature = 'two(int more := 1)',
      }
    )
    assert.is_false(failed, said)
    assert.matches('int two%(int more%)', helper.read(p.dir .. '/a.c'))
  end)

  it('but to change one that is another one by then', function()
    local failed, said, p = overtaken(
      { ['textDocument/references'] = { { result = {}, hold = 'it' }, { result = { named(5) } } } },
      'lsp_edit',
      {
        file_path = 'a.c',
        symbol = 'two',
        line = 6,
        action = 'change_signature',
        parameters = { { new = 'int more', argument = '1' } },
      },
      { file_path = 'a.c', old_string = 'two(void)', new_string = 'two(int n)' }
    )
    assert.is_true(failed, said)
    assert.matches('two: another change was applied first; read it again', said)
    assert.equal((C:gsub('two%(void%)', 'two(int n)')), helper.read(p.dir .. '/a.c'))
  end)

  local SYMBOLS = {
    { result = { symbol('one', 0), symbol('two', 5) }, hold = 'it' },
    { result = { symbol('one', 1), symbol('two', 6) } },
  }

  it('a symbol of the project is sought again', function()
    local failed, said, p = overtaken({
      ['textDocument/documentSymbol'] = SYMBOLS,
      ['textDocument/hover'] = { result = { contents = 'it is two' } },
    }, 'get_symbol_info', { symbol_name = 'two' })
    assert.is_false(failed, said)
    assert.matches('int two%(void%)\n{\n\treturn 2', said)
    local asked = p:received('textDocument/hover')
    assert.same({ line = 6, character = 4 }, asked[#asked].params.position)
  end)

  it('a symbol whose place is lost is found again by its name, to rename it', function()
    local edits = { changes = { ['file://{ROOT}/a.c'] = {} } }
    edits.changes['file://{ROOT}/a.c'][1] = { range = fault.range(8, 4, 7), newText = 'left' }
    local failed, said, p = overtaken(
      {
        ['textDocument/documentSymbol'] = {
          { result = { symbol('one', 0), symbol('two', 5) } },
          { result = { symbol('one', 0), symbol('two', 8) } },
        },
        ['textDocument/rename'] = { NOTHING, { result = edits } },
      },
      'rename_symbol',
      { symbol_name = 'two', new_name = 'left', execute_immediately = true },
      {
        file_path = 'a.c',
        old_string = 'int two(void)\n{\n',
        new_string = '/* two */\nint\ntwo_1;\nint two(int n)\n{\n',
      }
    )
    assert.is_false(failed, said)
    assert.matches('int left%(int n%)\n{\n\treturn 2', helper.read(p.dir .. '/a.c'))
    assert.same({ line = 8, character = 4 }, asked_at(p))
  end)

  for tool, case in pairs {
    lsp_edit = {
      { ['textDocument/documentSymbol'] = { result = { symbol('two', 5) }, hold = 'it' } },
      { symbol = 'two', action = 'replace_body', content = 'return 3;' },
    },
    lsp_format = {
      {
        ['textDocument/formatting'] = {
          result = { { range = fault.range(7, 0, 8), newText = '' } },
          hold = 'it',
        },
      },
      {},
    },
  } do
    it('what another program has made shorter is refused: ' .. tool, function()
      local on, args = unpack(case)
      args.file_path = 'a.c'
      local failed, said, p = overtaken(on, tool, args, function(root)
        helper.write(root .. '/a.c', 'int a;\n')
      end)
      assert.is_true(failed, said)
      assert.matches('a.c.*try again %(stale%)', said)
      assert.equal('int a;\n', helper.read(p.dir .. '/a.c'))
    end)
  end

  it('what is put before a symbol is put there, whatever that has become', function()
    local on = {
      ['textDocument/documentSymbol'] = { result = { symbol('one', 0) } },
      ['textDocument/diagnostic'] = {
        vim.tbl_extend('error', NO_DIAGNOSTICS, { hold = 'it' }),
        NO_DIAGNOSTICS,
      },
    }
    local args = { file_path = 'a.c', symbol = 'one', action = 'insert_before', content = 'int b;' }
    local change = { file_path = 'a.c', old_string = 'return 1', new_string = 'return 11' }
    local failed, said, p = overtaken(on, 'lsp_edit', args, change)
    assert.is_false(failed, said)
    assert.matches('^int b;\n\nint one%(void%)\n{\n\treturn 11', helper.read(p.dir .. '/a.c'))
  end)
end)

describe('a document that a server first speaks of beside a change on trial', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  it('is shown to it again, once that is refused', function()
    local function publish(name, diagnostics)
      return {
        publish = '{ROOT}/' .. name,
        version = 'same',
        diagnostics = diagnostics,
      }
    end
    local wrong = { range = fault.range(2, 1, 7), severity = 1, message = 'no such thing' }
    local p = fault.project({
      capabilities = { documentSymbolProvider = true },
      on = {
        ['textDocument/documentSymbol'] = { result = { symbol('one', 0) } },
        ['textDocument/didOpen'] = {
          vim.empty_dict(), -- b.c
          { after = { publish('a.c') } },
          { after = { publish('b.c') } },
        },
        ['textDocument/didChange'] = {
          { after = { publish('b.c'), publish('a.c', { wrong }) } },
          { after = { publish('a.c') } },
        },
        ['textDocument/hover'] = { result = { contents = 'what it is' } },
      },
    }, { ['lsp.diagnostics_wait_ms'] = 600000 })
    p:files_of_c { ['a.c'] = C, ['b.c'] = 'int n;\n' }
    local config = helper.read(p.config)
    helper.write(p.config, (config:gsub('fake = {', "fake = { ready = 'diagnostics',")))
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize()
    local hover = { query = 'hover', file_path = 'b.c', symbol = 'n', line = 1 }
    local id = c:ask('tools/call', { name = 'lsp_symbol', arguments = hover })
    p:wait_received('textDocument/didOpen')
    local text, failed = c:call('lsp_edit', {
      file_path = 'a.c',
      symbol = 'one',
      action = 'replace_body',
      content = 'return wrong;',
    })
    assert.is_true(failed, text)
    assert.matches('no such thing', text)
    local result = c:reply(id).result
    assert.is_falsy(result.isError, result.content[1].text)
    assert.matches('what it is', result.content[1].text)
    assert.equal(3, #p:received('textDocument/didOpen'))
  end)
end)
