-- Symbols where no language server says anything: the tree, definitions, references, edits and names
-- come from the text alone, and it is seen that they do.
local fault = require('fault')
local helper = require('helper')
local screen = require('screen')

local FILES = {
  ['shape.h'] = 'int area(int w);\nint twice(int w);\n',
  ['shape.c'] = '#include "shape.h"\nint area(int w)\n{\n\treturn twice(w);\n}\n',
  ['a.c'] = '#include "shape.h"\nstatic int first(int w) { return w; }\nint main(void) { return area(first(1)); }\n',
  ['b.c'] = 'static int first(int w) { return w; }\nint other(void) { return first(2); }\n',
  ['notes.txt'] = 'one\n',
}
local WIDTHS = { 60, 80, 200 }
local NOWHERE = { clangd = { cmd = { '/nowhere' } } }

describe('without a language server', function()
  local child

  before_each(function()
    local config = vim.inspect { core = { path = helper.core }, servers = NOWHERE }
    child = helper.start(FILES, { config = config })
    child:lua([[
      vim.ui.select = function(items, opts, cb)
        _G.offered, _G.prompt = vim.tbl_map(opts.format_item, items), opts.prompt
        _G.answer = function(i) cb(items[i]) end
      end
    ]])
    child:cmd('edit a.c')
  end)
  after_each(helper.cleanup)

  local function listed(title)
    child:wait('the list ' .. title, 'vim.fn.getqflist({ title = 0 }).title == ...', title)
  end

  for _, columns in ipairs(WIDTHS) do
    it(('the tree is that of the text and says so, %d columns wide'):format(columns), function()
      screen.size(child, columns, 12)
      child:cmd('Oxide symbols')
      screen.shows_some(child, { '│from the text alone' })
      screen.shows_some(child, { '│first', 'function' })
      screen.shows_some(child, { '│main', 'function' })
      child:cmd('wincmd l')
      child:type('fmai<CR>')
      screen.shows_some(child, { '│text alone, filter: mai' })
      assert.is_false(child:lua("return _G.screen_has { '│first' }"))
      child:type('f<C-u><CR><C-w>h')
      child:type('3G')
      assert.is_true(screen.differ(child, 'main ', 'first '))
      child:cmd('edit shape.c')
      screen.shows_some(child, { '│area', 'function' })
    end)

    it(('lists say that they are text, %d columns wide'):format(columns), function()
      screen.size(child, columns, 16)
      child:cmd('filetype plugin on | set laststatus=2') -- the window's line has the title
      child:cmd('edit shape.h | Oxide definition first')
      listed('Oxide definitions: 2 definitions of first in 2 files (from the text alone)')
      screen.shows_some(child, { 'in 2 files (from the text alone)' })
      child:cmd('cclose | Oxide references area')
      listed('Oxide references: 3 occurrences of area in 3 files (from the text alone)')
      screen.shows_some(child, { 'in 3 files (from the text alone)' })
      child:cmd('cclose | Oxide symbols first')
      listed('Oxide symbols: 2 like first (from the text alone)')
    end)
  end

  it('a definition is gone to, with a message', function()
    child:cmd('Oxide definition area')
    child:wait('the jump', "vim.fn.expand('%:t') == 'shape.c' and vim.fn.line('.') == 2")
    child:message('found in the text alone: no language server for a.c is installed')
    child:cmd('edit a.c')
    child:type('3G$Fa')
    child:cmd('normal! 0')
    child:lua("vim.fn.search('first')")
    child:cmd('Oxide definition')
    child:wait('the jump', "vim.fn.expand('%:t') == 'a.c' and vim.fn.line('.') == 2")
    child:cmd('Oxide definition nothing')
    child:message('nothing is declared as nothing as far as texts tell')
  end)

  it('a symbol of another file is chosen before it is edited', function()
    child:cmd('let @" = "return 2;"')
    child:cmd('Oxide edit area replace_body')
    child:wait('the choice', '_G.offered')
    assert.same(
      { 'area  function  shape.c:2', 'area  function  shape.h:1' },
      child:lua('return _G.offered')
    )
    assert.equal('area (from the text alone):', child:lua('return _G.prompt'))
    child:lua('_G.answer(1)')
    child:message('It was found in the text alone, and not verified')
  end)

  it('names are those that the project declares, the buffer first, and then words', function()
    child:completes('Oxide definition ma', { 'main' })
    child:completes('Oxide definition ar', { 'area' })
    child:completes('Oxide edit fi', { 'first' })
    child:completes('Oxide references ot', { 'other' })
    child:cmd('edit shape.h')
    helper.write(
      child.dir .. '/c.c',
      '#define AREA_MAX 9\nint area_all(int area_n) { return area_n; }\n'
    )
    child:completes('Oxide hover are', { 'area', 'area_all', 'area_n' })
    child:completes('Oxide definition AR', { 'AREA_MAX' })
    child:completes('Oxide definition ', { 'area', 'twice' })
  end)

  it('names are those of buffers as they are', function()
    child:cmd('edit b.c | call append(0, "int fir_unsaved(void);") | set hidden | edit shape.h')
    child:completes('Oxide definition fir', { 'fir_unsaved', 'first' })
  end)

  it('names of members come by their paths, of other languages too', function()
    helper.write(child.dir .. '/s.cpp', 'struct Shape {\n  int side_of() { return 1; }\n};\n')
    child:completes('Oxide definition side', { 'Shape/side_of' })
    child:completes('Oxide definition Shape/', { 'Shape/side_of' })
  end)

  it('a mentioned symbol is that of the text, where one alone may be meant', function()
    local function resolve(text)
      child:lua(
        [[
          _G.found = nil
          require('oxide.mentions').resolve(..., nil, function(found) _G.found = found end)
        ]],
        text
      )
      return child:wait('what is mentioned', '_G.found')
    end
    local shown = resolve('@symbol:area').shown
    assert.matches('^area, found in the text alone: no installed', shown[1].heading)
    assert.equal('int area(int w)\n', shown[1].text)
    assert.same({ child.dir .. '/shape.c', 2, 5 }, { shown[2].path, shown[2].first, shown[2].last })
    child:cmd('edit shape.h')
    assert.matches('several may be meant: a.c:2, b.c:1', resolve('@symbol:first').problems[1])
  end)

  it('what knows nothing of a file is quiet about it, but where it was asked for', function()
    child:cmd('Oxide symbols')
    screen.size(child, 80, 12)
    screen.shows_some(child, { '│main' })
    child:cmd('edit notes.txt')
    screen.shows_some(child, { '│symbols are not known' })
    assert.is_false(child:lua("return _G.screen_has { 'text alone' }"))
    assert.same({}, child:lua('return _G.messages'))
    child:cmd('only | Oxide symbols')
    child:message('no language server is known for notes.txt')
  end)
end)

describe('without a language server, and with few names wanted,', function()
  after_each(helper.cleanup)

  it('no more are listed, and what is declared comes first', function()
    local core = { path = helper.core, options = { ['symbol.names'] = 2 } }
    local child = helper.start(FILES, { config = vim.inspect { core = core, servers = NOWHERE } })
    child:cmd('edit shape.h')
    child:completes('Oxide definition o', { 'other' })
    child:cmd('edit b.c | call append(0, "int a1, a2;") | write')
    child:completes('Oxide definition a', { 'area', 'a1' })
  end)
end)

describe('while a language server takes its time', function()
  after_each(fault.cleanup)

  it('names are those of the texts, until there is an answer', function()
    local at = {
      start = { line = 0, character = 0 },
      ['end'] = { line = 0, character = 3 },
    }
    local p = fault.project {
      capabilities = { documentSymbolProvider = true, workspaceSymbolProvider = true },
      on = {
        ['textDocument/documentSymbol'] = {
          hold = 'it',
          result = { { name = 'fi_buffer', kind = 12, range = at, selectionRange = at } },
        },
        ['workspace/symbol'] = {
          hold = 'all',
          result = {
            {
              name = 'fi_project',
              kind = 12,
              location = { uri = 'file://{ROOT}/b.c', range = at },
            },
          },
        },
      },
    }
    local fake = p:server()
    fake.filetypes = { 'c' }
    local child = p:nvim(FILES, { servers = vim.tbl_extend('error', { fake = fake }, NOWHERE) })
    child:cmd('edit a.c')
    child:completes('Oxide definition ', { 'first', 'main' })
    child:completes('Oxide definition fi', { 'first' })
    p:wait_received('workspace/symbol')
    p:act { release = 'it' }
    p:act { release = 'all' }
    child:completes('Oxide definition fi', { 'fi_buffer', 'fi_project' })
  end)

  it('the tree is that of the text, until there is an answer', function()
    local at = {
      start = { line = 0, character = 0 },
      ['end'] = { line = 0, character = 3 },
    }
    local p = fault.project {
      capabilities = { documentSymbolProvider = true },
      on = {
        ['textDocument/documentSymbol'] = {
          hold = 'it',
          result = { { name = 'told', kind = 12, range = at, selectionRange = at } },
        },
      },
    }
    local fake = p:server()
    fake.filetypes = { 'c' }
    local child = p:nvim(FILES, { servers = vim.tbl_extend('error', { fake = fake }, NOWHERE) })
    child:cmd('edit a.c')
    screen.size(child, 80, 12)
    child:cmd('Oxide symbols')
    screen.shows_some(child, { '│from the text alone' })
    screen.shows_some(child, { '│first' })
    p:act { release = 'it' }
    screen.shows_some(child, { '│told' })
    assert.is_false(child:lua("return _G.screen_has { 'text alone' }"))
    -- What the server has told stays while it is asked again of the same file.
    child:cmd('call append(0, "int more;") | write')
    child:wait('the wait', "require('oxide.waits').text() ~= ''")
    child:lua([[
      local args = { query = 'document_symbols', file_path = vim.api.nvim_buf_get_name(0) }
      require('oxide.core').call('lsp_symbol', args, { buf = 0, by_text = true }, function(_, result)
        _G.by_text = #result.symbols
      end)
    ]])
    child:wait('the text', '_G.by_text')
    assert.is_true(child:lua("return _G.screen_has { '│told' }"))
    assert.is_false(child:lua("return _G.screen_has { 'text alone' }"))
    p:act { release = 'it' }
    child:wait('the answer', "require('oxide.waits').text() == ''")
  end)
end)
