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
