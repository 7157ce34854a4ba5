-- What a server is asked about a change that is verified, and when, from the command line.
local fault = require('fault')

local FILE = '{ROOT}/a.c'
local PUBLISHES = { publish = FILE, version = 'same', diagnostics = {} }
local SAYS = { after = { PUBLISHES } }

local function project(on, capabilities)
  capabilities = vim.tbl_extend('error', capabilities or {}, {
    referencesProvider = true,
    documentSymbolProvider = true,
  })
  on['textDocument/documentSymbol'] = on['textDocument/documentSymbol'] or { result = {} }
  return fault.project { on = on, capabilities = capabilities }
end

--- One line becomes another.
local function change(p, line, content)
  local out = p:call('multi_edit', {
    verify = true,
    operations = {
      { edit_type = 'delete', file_path = 'a.c', line_number = line },
      { edit_type = 'insert', file_path = 'a.c', line_number = line + 1, content = content },
    },
  }, { '--yes' })
  assert.equal(0, out.code, vim.inspect(out.result))
  assert.is_true(out.result.complete)
end

describe('who uses a function that changes', function()
  after_each(fault.cleanup)

  local TEXT = 'int g(void);\nint f(int a)\n{\n\treturn a + g();\n}\n'

  local function range(line, from, to, last)
    return {
      start = { line = line, character = from },
      ['end'] = { line = last or line, character = to },
    }
  end

  --- Where it asks for that, of a server that tells its symbols once it is asked.
  ---@param symbol table
  local function asked(symbol)
    local p = project {
      ['textDocument/didOpen'] = SAYS,
      ['textDocument/documentSymbol'] = { hold = 'symbols', result = { symbol } },
      ['textDocument/references'] = {
        { before = { { release = 'symbols' } }, result = {} },
        { result = {} },
      },
      ['textDocument/didChange'] = SAYS,
    }
    p:files_of_c { ['a.c'] = TEXT }
    change(p, 4, '\treturn a;')
    return vim.tbl_map(function(question)
      return question.params.position
    end, p:received('textDocument/references'))
  end

  it('is asked while the server lists what there is', function()
    local symbol =
      { name = 'f', kind = 12, range = range(1, 0, 1, 4), selectionRange = range(1, 4, 5) }
    assert.same({ { line = 1, character = 4 } }, asked(symbol))
  end)

  it('is asked again as the server lists it, where the text looks otherwise', function()
    local symbol =
      { name = 'a', kind = 12, range = range(1, 0, 1, 4), selectionRange = range(1, 10, 11) }
    assert.same({ { line = 1, character = 4 }, { line = 1, character = 10 } }, asked(symbol))
  end)
end)

describe('a server that says what it works on', function()
  after_each(fault.cleanup)

  local HIGHLIGHT = 'textDocument/documentHighlight'
  local TEXT = '#include "b.h"\nint f(int a)\n{\n\treturn a;\n}\n'

  local function works(state)
    return {
      notify = 'textDocument/clangd.fileStatus',
      params = { uri = 'file://' .. FILE, state = state },
    }
  end

  --- How often it is asked about the text on trial.
  ---@param line integer     that changes
  ---@param content string
  ---@param ends? table      what it says last before it is idle
  local function asked(line, content, ends)
    local p = project({
      ['textDocument/didOpen'] = { after = { PUBLISHES, works('idle') } },
      ['textDocument/references'] = { result = {} },
      ['textDocument/didChange'] = {
        after = { works('parsing includes, parsing main file'), PUBLISHES, ends },
      },
      [HIGHLIGHT] = { result = {}, after = { works('idle') } },
    }, { documentHighlightProvider = true })
    p:files_of_c { ['a.c'] = TEXT, ['b.h'] = '' }
    change(p, line, content)
    local n = 0
    for _, entry in ipairs(p:log()) do
      n = entry.method == 'textDocument/didChange' and 0 or n
      n = n + (entry.method == HIGHLIGHT and 1 or 0)
    end
    return n
  end

  it('is asked once behind the text', function()
    assert.equal(1, asked(4, '\treturn a + 1;'))
  end)

  it('is asked again where the change may be one of what the text includes', function()
    assert.equal(2, asked(1, '#include "c.h"'))
  end)

  it('is asked again where it has read what the text includes at last', function()
    assert.equal(2, asked(4, '\treturn a + 1;', works('parsing includes')))
  end)
end)
