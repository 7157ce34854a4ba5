-- The tree of :Oxide symbols, with a server that knows of these.
local fault = require('fault')
local screen = require('screen')

local function at(line, last)
  return {
    start = { line = line, character = 0 },
    ['end'] = { line = last or line, character = 3 },
  }
end

local function symbol(name, kind, line, last, children)
  return {
    name = name,
    kind = kind,
    range = at(line, last),
    selectionRange = at(line),
    children = children,
  }
end

local SYMBOLS = {
  symbol('Shape', 5, 0, 4, {
    symbol('area', 6, 1, 2),
    symbol('Side', 5, 3, 4, { symbol('length', 8, 4) }),
  }),
  symbol('main', 12, 5, 6),
}

describe('the tree of symbols', function()
  local p, child

  before_each(function()
    p = fault.project {
      capabilities = { documentSymbolProvider = true },
      on = {
        ['textDocument/documentSymbol'] = {
          { result = SYMBOLS },
          { result = { symbol('other', 12, 0) } },
          { error = { code = -32603, message = 'the server has none' } },
        },
      },
    }
    local text = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n'
    child = p:nvim { ['a.txt'] = text, ['b.txt'] = text, ['c.txt'] = text }
    child:cmd('edit a.txt')
    child:cmd('Oxide symbols')
  end)
  after_each(fault.cleanup)

  ---@param want string[]
  local function shows(want)
    child:wait(
      vim.inspect(want),
      "vim.deep_equal(vim.fn.getbufline('oxide://symbols', 1, '$'), ...)",
      want
    )
  end

  ---@type string[]
  local ALL = {
    'Shape',
    '  area',
    '  Side',
    '    length',
    'main',
  }

  --- The line that is marked as that of the cursor.
  local function marked(line)
    child:wait(
      'the mark in line ' .. line,
      [[(function(line)
        local ns = vim.api.nvim_get_namespaces()['oxide.symbols']
        local marks = vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('oxide://symbols'), ns, 0, -1, {})
        return #marks == 1 and marks[1][2] == line - 1
      end)(...)]],
      line
    )
  end

  it('leaves the cursor where it was, and is gone to by the same command', function()
    shows(ALL)
    assert.equal('a.txt', child:lua("return vim.fn.expand('%:t')"))
    child:cmd('Oxide symbols')
    assert.equal('oxide://symbols', child:lua('return vim.fn.bufname()'))
    shows(ALL)
  end)

  -- How wide the tree is, and what of the kinds has room in it.
  for columns, width in vim.spairs { [60] = 24, [80] = 26, [200] = 40 } do
    it(('has whole names, and kinds under one another, %d columns wide'):format(columns), function()
      shows(ALL)
      child:cmd('wincmd l | close')
      screen.size(child, columns, 10)
      child:cmd('Oxide symbols')
      for name, kind in vim.spairs { Shape = 'class', ['    length'] = 'field', main = 'function' } do
        screen.shows_some(child, { '│' .. name .. (' '):rep(width - #name - #kind) .. kind })
      end
      -- A name that needs the room has it.
      child:cmd('wincmd l | vertical resize 11')
      screen.shows_some(child, { '│main' })
      screen.shows_some(child, { '│Shape class' })
      assert.is_false(child:lua("return _G.screen_has { 'function' }"))
    end)
  end

  it('follows the cursor', function()
    shows(ALL)
    marked(1)
    child:type('j')
    marked(2)
    child:type('4G')
    marked(3)
    child:type('j')
    marked(4)
    child:type('G')
    marked(5)
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(
      ('shows the one at the cursor, and what a filter leaves, %d columns wide'):format(columns),
      function()
        shows(ALL)
        screen.size(child, columns, 10)
        child:type('G')
        marked(5)
        assert.is_true(screen.differ(child, 'main', 'Shape'))
        child:type('gg')
        marked(1)
        child:cmd('wincmd l')
        child:type('fLEN<CR>')
        shows { 'Shape', '  Side', '    length' }
        screen.shows_some(child, { '│    length' })
        assert.is_false(child:lua("return _G.screen_has { 'main' }"))
      end
    )
  end

  it('goes to a symbol', function()
    shows(ALL)
    child:cmd('wincmd l')
    child:type('4G<CR>')
    child:wait('the jump', "vim.fn.expand('%:t') == 'a.txt' and vim.fn.line('.') == 5")
  end)

  it('goes to a symbol where its own window is the only one', function()
    child:cmd('set number')
    shows(ALL)
    child:cmd('wincmd l | only')
    child:type('4G<CR>')
    child:wait('the jump', "vim.fn.expand('%:t') == 'a.txt' and vim.fn.line('.') == 5")
    assert.equal(40, child:lua("return vim.fn.winwidth(vim.fn.bufwinnr('oxide://symbols'))"))
    local own = 'return { vim.wo.number, vim.wo.winfixwidth, vim.wo.foldmethod }'
    assert.same({ true, false, 'manual' }, child:lua(own))
  end)

  it('goes to the last line where the one of the symbol is gone', function()
    shows(ALL)
    child:cmd('3,$delete | wincmd l')
    child:type('5G<CR>')
    child:wait('the jump', "vim.fn.expand('%:t') == 'a.txt' and vim.fn.line('.') == 2")
    assert.equal('', child:lua('return vim.v.errmsg'))
  end)

  it('shows what matches a filter, and what that is in', function()
    shows(ALL)
    child:cmd('wincmd l')
    child:type('fLEN<CR>')
    shows { 'Shape', '  Side', '    length' }
    child:type('fnone<CR>')
    shows { 'no symbol matches' }
  end)

  it('folds what a symbol has in it', function()
    shows(ALL)
    child:cmd('wincmd l | 1')
    child:type('zc')
    child:wait('the fold', 'vim.fn.foldclosedend(1) == 4 and vim.fn.foldclosed(5) == -1')
  end)

  it('goes with the file that one goes to, and with its window', function()
    shows(ALL)
    child:cmd('edit b.txt')
    shows { 'other' }
    child:cmd('wincmd l')
    child:type('q')
    child:wait('one window', '#vim.api.nvim_list_wins() == 1')
    child:cmd('edit a.txt')
  end)

  it('has nothing of the file before where no server lists what is in one', function()
    shows(ALL)
    child:cmd('edit b.txt')
    shows { 'other' }
    child:cmd('edit c.txt')
    shows { 'symbols are not known' }
    child:message('the server has none')
  end)
end)
