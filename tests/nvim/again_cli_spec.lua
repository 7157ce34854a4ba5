-- Calls that another change of Oxide's own comes before, with a scripted server: they are worked out
-- again, but for an edit of a symbol that is another text by then.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local C = 'int one(void)\n{\n\treturn 1;\n}\n\nint two(void)\n{\n\treturn 2;\n}\n'

local function line(at, column)
  return { line = at, character = column }
end

--- `one` begins at its line `at`, from 0.
local function one(at)
  return {
    name = 'one',
    kind = 12,
    range = { start = line(at, 0), ['end'] = line(at + 3, 1) },
    selectionRange = { start = line(at, 4), ['end'] = line(at, 7) },
  }
end

local NOTHING = { result = { kind = 'full', items = {} } }
local ASKED = { interFileDependencies = false, workspaceDiagnostics = false }

describe('an edit of a symbol behind another change', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  --- What becomes of it when `from` becomes `to` while it is verified, and `one` is at `at` then.
  ---@return boolean failed
  ---@return string said
  ---@return string text   of the file
  ---@return integer asked   how often the server was asked where the symbol is
  local function behind(from, to, at)
    local p = fault.project {
      capabilities = {
        documentSymbolProvider = true,
        diagnosticProvider = ASKED,
      },
      on = {
        ['textDocument/documentSymbol'] = { { result = { one(0) } }, { result = { one(at) } } },
        ['textDocument/diagnostic'] = {
          vim.tbl_extend('error', NOTHING, { hold = 'verdict' }),
          NOTHING,
        },
      },
    }
    p:files_of_c { ['a.c'] = C }
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize()
    local id = c:ask('tools/call', {
      name = 'lsp_edit',
      arguments = {
        file_path = 'a.c',
        symbol = 'one',
        action = 'replace_body',
        content = 'return 10;',
      },
    })
    p:wait_log('the verdict to be held', function(entry)
      return entry.holds == 'verdict'
    end)
    local text, failed = c:call('edit_file', {
      file_path = 'a.c',
      old_string = from,
      new_string = to,
    })
    assert.is_false(failed, text)
    p:act { release = 'verdict' }
    local result = c:reply(id).result
    return result.isError or false,
      result.content[1].text,
      helper.read(p.dir .. '/a.c'),
      #p:received('textDocument/documentSymbol')
  end

  it('of another symbol is made, where the symbol is now', function()
    local failed, said, text, asked = behind('int one', '/* first */\nint one', 1)
    assert.is_false(failed, said)
    assert.equal('/* first */\n' .. C:gsub('return 1;', 'return 10;'), text)
    assert.equal(2, asked)
  end)

  it('of the symbol itself is refused, and names it', function()
    local failed, said, text = behind('return 1;', 'return 11;', 0)
    assert.is_true(failed, said)
    assert.matches('a.c: one: another change was applied first; read it again', said)
    assert.equal((C:gsub('return 1;', 'return 11;')), text)
  end)
end)

describe('symbols that were told of a text that is gone', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  --- The answer to `tool`, for whose first symbols a line was put before `one` while they came.
  local function overtaken(tool, args)
    local p = fault.project {
      capabilities = {
        documentSymbolProvider = true,
        hoverProvider = true,
        diagnosticProvider = ASKED,
      },
      on = {
        ['textDocument/diagnostic'] = NOTHING,
        ['textDocument/documentSymbol'] = {
          { result = { one(0) }, hold = 'symbols' },
          { result = { one(1) } },
        },
        ['textDocument/hover'] = { result = { contents = 'it is one' } },
      },
    }
    p:files_of_c { ['a.c'] = C }
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize()
    args.file_path, args.symbol = 'a.c', 'one'
    local id = c:ask('tools/call', { name = tool, arguments = args })
    p:wait_log('the symbols to be held', function(entry)
      return entry.holds == 'symbols'
    end)
    local text, failed = c:call('edit_file', {
      file_path = 'a.c',
      old_string = 'int one',
      new_string = '/* first */\nint one',
    })
    assert.is_false(failed, text)
    p:act { release = 'symbols' }
    local result = c:reply(id).result
    assert.is_falsy(result.isError, result.content[1].text)
    return p
  end

  it('are asked for again, to edit one', function()
    local p = overtaken('lsp_edit', { action = 'replace_body', content = 'return 10;' })
    assert.equal('/* first */\n' .. C:gsub('return 1;', 'return 10;'), helper.read(p.dir .. '/a.c'))
    assert.equal(2, #p:received('textDocument/documentSymbol'))
  end)

  it('are asked for again, to ask about one', function()
    local p = overtaken('lsp_symbol', { query = 'hover' })
    local asked = p:received('textDocument/hover')
    assert.same({ line = 1, character = 4 }, asked[#asked].params.position)
  end)
end)

describe('a rename that the server refuses because a text changed meanwhile', function()
  local PLACE = { file_path = 'a.txt', line = 1, symbol = 'old' }

  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  --- The server refuses it once, after `change`, where that is given, is made.
  local function refused(change)
    local p = fault.project {
      on = {
        ['textDocument/rename'] = {
          { hold = 'answer', error = { code = -32001, message = 'must be saved first' } },
          { rename = { files = { 'a.txt' } } },
        },
      },
    }
    p:files { ['a.txt'] = 'old\none\n' }
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize()
    local id = c:ask('tools/call', {
      name = 'lsp_rename',
      arguments = vim.tbl_extend('error', PLACE, { new_name = 'new', confirm = 'apply' }),
    })
    p:wait_log('the answer to be held', function(entry)
      return entry.holds == 'answer'
    end)
    if change then
      local text, failed = c:call('edit_file', change)
      assert.is_false(failed, text)
    end
    p:act { release = 'answer' }
    local result = c:reply(id).result
    return result.isError or false,
      result.content[1].text,
      helper.read(p.dir .. '/a.txt'),
      #p:received('textDocument/rename')
  end

  it('is asked for again', function()
    local failed, said, text, asked =
      refused { file_path = 'a.txt', old_string = 'one', new_string = 'two' }
    assert.is_false(failed, said)
    assert.same({ 'new\ntwo\n', 2 }, { text, asked })
  end)

  it('is refused in its words where none has', function()
    local failed, said, text, asked = refused()
    assert.is_true(failed, said)
    assert.matches('fake: must be saved first %(peer%)', said)
    assert.same({ 'old\none\n', 1 }, { text, asked })
  end)
end)

describe('an answer that was on its way while another call had a file read', function()
  local FIRST, SECOND = fault.range(0, 4, 7), fault.range(1, 4, 7)
  local USE = fault.range(0, 8, 11)

  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  --- What the server says until it has read b.c, and then. Its first answer is held.
  local function project_of(method, before, after)
    local declared = { uri = 'file://{ROOT}/a.c', range = FIRST }
    local held = vim.tbl_extend('error', { hold = 'answer' }, before)
    local p = fault.project({
      capabilities = { referencesProvider = true },
      on = {
        [method] = { held, before, after },
        ['textDocument/definition'] = { result = { declared } },
        ['textDocument/hover'] = { result = {} },
      },
    }, { ['reach.files'] = 10 })
    return p:files_of_c {
      ['a.c'] = 'int one(void);\nint one(void);\n',
      ['b.c'] = 'int n = one();\n',
    }
  end

  --- Calls about the first line and about the second: that one is made while the answer is held.
  local function overtaken(p, tool, first, second)
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize()
    local id = c:ask('tools/call', { name = tool, arguments = first })
    p:wait_log('the answer to be held', function(entry)
      return entry.holds == 'answer'
    end)
    local text, failed = c:call(tool, second)
    assert.is_false(failed, text)
    p:act { release = 'answer' }
    local result = c:reply(id).result
    assert.is_falsy(result.isError, result.content[1].text)
    return text, result.content[1].text
  end

  it('is asked for again: references', function()
    local function places(of)
      for i, place in ipairs(of) do
        of[i] = { uri = 'file://{ROOT}/' .. place[1], range = place[2] }
      end
      return { result = of }
    end
    local a, again = { 'a.c', FIRST }, { 'a.c', SECOND }
    local after = places { a, again, { 'b.c', USE } }
    local p = project_of('textDocument/references', places { a, again }, after)
    local function about(at)
      return { query = 'references', file_path = 'a.c', symbol = 'one', line = at }
    end
    local second, first = overtaken(p, 'lsp_symbol', about(1), about(2))
    assert.matches('complete: true', second)
    assert.equal(second, first)
  end)

  it('is asked for again: a rename', function()
    local function changes(of)
      local by_file = {}
      for name, ranges in pairs(of) do
        by_file['file://{ROOT}/' .. name] = vim.tbl_map(function(range)
          return { range = range, newText = 'two' }
        end, ranges)
      end
      return { result = { changes = by_file } }
    end
    local in_a = { FIRST, SECOND }
    local after = changes { ['a.c'] = in_a, ['b.c'] = { USE } }
    local p = project_of('textDocument/rename', changes { ['a.c'] = in_a }, after)
    local function about(at, more)
      local args = { file_path = 'a.c', line = at, symbol = 'one', new_name = 'two' }
      return vim.tbl_extend('error', args, more)
    end
    overtaken(p, 'lsp_rename', about(1, { confirm = 'apply' }), about(2, { dry_run = true }))
    assert.equal('int two(void);\nint two(void);\n', helper.read(p.dir .. '/a.c'))
    assert.equal('int n = two();\n', helper.read(p.dir .. '/b.c'))
  end)

  it('is not taken for all that a change concerns', function()
    local p = fault.project({
      capabilities = {
        documentSymbolProvider = true,
        referencesProvider = true,
        diagnosticProvider = ASKED,
      },
      on = {
        ['textDocument/documentSymbol'] = { result = { one(0) } },
        ['textDocument/diagnostic'] = NOTHING,
        ['textDocument/references'] = { hold = 'answer', result = {} },
        ['textDocument/hover'] = { result = { contents = 'n' } },
      },
    }, { ['reach.files'] = 10 })
    p:files_of_c { ['a.c'] = C, ['b.c'] = 'int n = one();\n' }
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize()
    local change = { file_path = 'a.c', symbol = 'one', action = 'replace_body' }
    change.content = 'return 10;'
    local id = c:ask('tools/call', { name = 'lsp_edit', arguments = change })
    p:wait_log('the answer to be held', function(entry)
      return entry.holds == 'answer'
    end)
    local hover = { query = 'hover', file_path = 'b.c', symbol = 'n', line = 1 }
    local text, failed = c:call('lsp_symbol', hover)
    assert.is_false(failed, text)
    p:act { release = 'answer' }
    local result = c:reply(id).result
    assert.is_falsy(result.isError, result.content[1].text)
    local looked = vim.tbl_map(function(entry)
      return vim.fs.basename(entry.params.textDocument.uri)
    end, p:received('textDocument/diagnostic'))
    assert.is_true(vim.tbl_contains(looked, 'b.c'), vim.inspect(looked))
  end)
end)
