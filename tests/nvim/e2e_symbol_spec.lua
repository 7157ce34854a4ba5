-- Symbols edited in Neovim with the real core and servers: in buffers with changes of their own.
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')

local CASES = {
  clangd = {
    file = 'a.cpp',
    text = '#include <stddef.h>\n\nstruct Shape {\n\t/// Größe 😀.\n\tint area(int w) { return w; }\n};\n',
    comment = '// mine',
    symbol = 'Shape/area',
    body = 'int h = w;\nreturn w * h;\n',
    done = '\tint area(int w) {\n\t\tint h = w;\n\t\treturn w * h;\n\t}\n',
    old = '\tint area(int w) { return w; }\n',
    deleted = '\t/// Größe 😀.\n\tint area(int w) { return w; }\n',
  },
  pyright = {
    file = 'a.py',
    text = 'import os\n\n\nclass Shape:\n    # Größe 😀.\n    @staticmethod\n    def area(w: int) -> int:\n'
      .. '        return w\n\n    size = 1\n',
    comment = '# mine',
    symbol = 'Shape/area',
    body = 'h = w\nreturn w * h\n',
    done = '        h = w\n        return w * h\n',
    old = '        return w\n',
    deleted = '    # Größe 😀.\n    @staticmethod\n    def area(w: int) -> int:\n        return w\n\n',
  },
}

local function replaced(text, old, new)
  local at, to = text:find(old, 1, true)
  return text:sub(1, at - 1) .. new .. text:sub(to + 1)
end

for server, case in vim.spairs(CASES) do
  describe('a symbol with ' .. server, function()
    local child

    before_each(function()
      child = e2e.start { files = { [case.file] = case.text, ['pyrightconfig.json'] = '{}\n' } }
      child:cmd('edit ' .. case.file)
      child:type('O' .. case.comment .. '<Esc>')
      child:wait('the typed line', 'vim.bo.modified and vim.fn.mode() == "n"')
    end)
    after_each(helper.cleanup)

    local function buffer()
      return table.concat(child:lines(), '\n') .. '\n'
    end

    local mine = case.comment .. '\n' .. case.text

    it('is edited where it was not written yet, in one step of undo', function()
      child:lua('vim.fn.setreg("a", ...)', case.body)
      child:cmd(('Oxide edit %s replace_body a'):format(case.symbol))
      assert.matches('indented to fit', child:message('Replaced the body of Shape/area'))
      assert.equal(replaced(mine, case.old, case.done), buffer())
      assert.equal(case.text, child:file(case.file))
      assert.is_true(child:lua('return vim.bo.modified'))
      child:cmd('undo')
      assert.equal(mine, buffer())
    end)

    it('is deleted with what belongs to it, and comes back', function()
      child:cmd(('Oxide edit %s delete'):format(case.symbol))
      child:message('Deleted Shape/area')
      assert.equal(replaced(mine, case.deleted, ''), buffer())
      child:cmd('Oxide undo')
      child:message('Undid')
      assert.equal(mine, buffer())
      assert.equal(case.text, child:file(case.file))
    end)

    it('is shown first when that is asked for', function()
      child:lua('vim.fn.setreg("a", ...)', case.body)
      child:cmd(('confirm Oxide edit %s replace_body a'):format(case.symbol))
      child:event('ReviewOpen')
      child:cmd('write')
      child:message('Replaced the body of')
      child:cmd('buffer ' .. case.file)
      assert.equal(replaced(mine, case.old, case.done), buffer())
    end)

    it('that is not there is looked for in the quickfix list', function()
      child:cmd('Oxide edit Shape/aera delete')
      child:message('symbol Shape/aera not found; the nearest is Shape/area')
      local list = child:wait('the list', 'vim.fn.getqflist { title = 0, items = 0 }.items[1]')
      assert.matches('has a similar name', list.text)
      assert.equal(
        mine,
        table.concat(child:lua('return vim.fn.getbufline(...)', case.file, 1, '$'), '\n') .. '\n'
      )
    end)
  end)
end

describe('the command', function()
  after_each(helper.cleanup)

  it('says what it does not know, and what is missing', function()
    local child = helper.start { ['a.c'] = 'int a;\n' }
    child:cmd('edit a.c')
    child:cmd('Oxide edit a remove')
    child:message("unknown argument 'remove'")
    child:cmd('Oxide edit a replace signatures')
    child:message("unknown argument 'signatures', did you mean 'signature'")
    child:cmd('Oxide edit a replace b')
    child:message('register b is empty')
    assert.equal('int a;', child:lines()[1])
  end)
end)

describe('a text that changes while the server is at work', function()
  after_each(fault.cleanup)
  after_each(helper.cleanup)

  local TEXT = 'f {\n  one\n}\n'

  --- The error of an edit of `f`, whose text the user deletes while the server holds an answer.
  local function overtaken(on)
    local p = fault.project {
      capabilities = { documentSymbolProvider = true, selectionRangeProvider = true },
      on = on,
    }
    local child = p:nvim { ['a.txt'] = TEXT }
    child:cmd('edit a.txt')
    local edit = { symbol = 'f', action = 'replace_body', content = 'two' }
    local n = fault.ask(child, 'edit', edit)
    p:wait_log('the question', function(entry)
      return entry.holds
    end)
    child:type('ggdG')
    child:wait('the empty buffer', 'vim.api.nvim_buf_line_count(0) == 1')
    p:act { release = 'answer' }
    local done = fault.done(child, n)
    assert.same({ '' }, child:lines())
    assert.equal(TEXT, child:file('a.txt'))
    return done
  end

  local range = { start = { line = 0, character = 0 }, ['end'] = { line = 2, character = 1 } }
  local symbols = { { name = 'f', kind = 12, range = range, selectionRange = range } }

  it('is not edited', function()
    local done = overtaken {
      ['textDocument/documentSymbol'] = { result = symbols },
      ['textDocument/selectionRange'] = { hold = 'answer' },
    }
    assert.equal('stale', done.code, done.message)
  end)

  it('is asked about again, and has the symbol no longer', function()
    local done = overtaken {
      ['textDocument/documentSymbol'] = { { result = symbols, hold = 'answer' }, { result = {} } },
    }
    assert.equal('not_found', done.code, done.message)
  end)
end)
