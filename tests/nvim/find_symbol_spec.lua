-- A symbol by its name: completed, and found where it is, though the buffer does not have it.
local e2e = require('e2e')
local helper = require('helper')
local screen = require('screen')

local FILES = {
  ['a.h'] = 'int area_of(int w);\nint square(int a);\n',
  ['a.c'] = '#include "a.h"\nint area_of(int w) { return w; }\nint area_main(void) { return square(2); }\n',
  ['b.c'] = '#include "a.h"\nint square(int a) { return a * a; }\nint b(void) { return square(area_of(1)); }\n',
  ['c.c'] = 'static int twice(int c) { return c; }\nint c1(void) { return twice(1); }\n',
  ['d.c'] = 'static int twice(int d) { return d; }\nint d1(void) { return twice(1); }\n',
}

describe('the name of a symbol', function()
  local child

  before_each(function()
    child = helper.start(FILES, { config = e2e.config() })
    helper.write(
      child.dir .. '/compile_commands.json',
      helper.compiled(child.dir, { 'a.c', 'b.c', 'c.c', 'd.c' }, 'cc')
    )
    child:cmd('edit a.c')
    child:lua([[
      vim.ui.select = function(items, opts, cb)
        _G.offered, _G.answer = vim.tbl_map(opts.format_item, items), function(i) cb(items[i]) end
        _G.prompt = opts.prompt
      end
      -- Once the server has read the project.
      require('oxide').references { symbol = 'area_of', on_done = function(err) _G.up = err == nil end }
    ]])
    child:wait('the server', '_G.up')
    child:cmd('cclose')
  end)
  after_each(helper.cleanup)

  it('is completed from the buffer first, then from the project', function()
    for _, verb in ipairs { 'definition', 'type', 'references', 'hover', 'edit' } do
      child:completes(('Oxide %s area_'):format(verb), { 'area_of', 'area_main' })
    end
    child:completes('Oxide signature of=area_', { 'of=area_of', 'of=area_main' })
    child:completes('Oxide signature ', { 'of=' })
    child:completes('Oxide definition squ', { 'square' })
    child:completes('Oxide definition nothing_is_called_so', {})
    child:completes('Oxide edit area_of re', { 'replace', 'replace_body' })
  end)

  it('is completed by its own name where it is in another', function()
    child:lua(
      'vim.fn.writefile(vim.split(..., "\\n"), "e.py") vim.cmd.edit("e.py")',
      'class Shape:\n    def outline(self):\n        return 1\n'
    )
    child:completes('Oxide hover outl', { 'Shape/outline' })
    child:completes('Oxide edit outl', { 'Shape/outline' })
    child:completes('Oxide signature of=outl', { 'of=Shape/outline' })
    child:completes('Oxide symbols outl', { 'outline' })
    child:completes('Oxide hover Shape/o', { 'Shape/outline' })
    child:completes('Oxide edit Shape/outline del', { 'delete' })
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(
      ('is completed in a menu that shows whole names, %d columns wide'):format(columns),
      function()
        child:completes('Oxide references area_', { 'area_of', 'area_main' })
        vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 24, { rgb = true })
        child:lua('vim.o.columns, vim.o.lines = ..., 24', columns)
        child:type(':Oxide references area_<Tab>')
        screen.shows_with_floats(child, { ' area_of   ', ' area_main ' })
        assert.matches('^:Oxide references area_of *$', screen.row(child))
        child:type('<Tab>')
        child:wait('the next', "vim.fn.getcmdline() == 'Oxide references area_main'")
        child:type('<C-c>')
        child:wait('no menu', "vim.fn.mode() == 'n' and vim.fn.pumvisible() == 0")
      end
    )
  end

  it('is meant in the file beside a window of none', function()
    child:cmd('Oxide symbols')
    child:wait('the tree', "vim.fn.bufnr('oxide://symbols') > 0")
    child:cmd('Oxide symbols')
    child:completes('Oxide definition squ', { 'square' })
    child:cmd('Oxide hover square')
    screen.shows_with_floats(child, { 'int square(int a)' })
    child:cmd('Oxide definition square')
    child:wait('the jump', "vim.fn.expand('%:t') == 'b.c'")
    assert.equal(1, child:lua("return #vim.fn.win_findbuf(vim.fn.bufnr('oxide://symbols'))"))
  end)

  it('is meant in the file that was there before a window of none', function()
    child:cmd('enew | setlocal buftype=nofile')
    child:completes('Oxide definition squ', { 'square' })
    child:cmd('Oxide hover square')
    screen.shows_with_floats(child, { 'int square(int a)' })
    child:lua([[vim.fn.setreg('"', 'int square(int a) { return a * a * 1; }')]])
    child:cmd('Oxide! edit square replace')
    child:message('Replaced square')
    child:cmd('Oxide! signature of=square (int b)')
    child:message('Changed square in')
    child:cmd('Oxide definition square')
    child:wait('the jump', "vim.fn.expand('%:t') == 'b.c'")
  end)

  it('is completed from the words of the buffer where nothing answers', function()
    child:cmd('write! x.none | edit x.none')
    child:completes('Oxide definition area_m', { 'area_main' })
  end)

  it('is found where it is defined', function()
    child:cmd('Oxide definition square')
    child:wait('the jump', "vim.fn.expand('%:t') == 'b.c' and vim.fn.line('.') == 2")
    child:cmd('Oxide hover area_main')
    child:wait('the float', '#vim.api.nvim_list_wins() == 2')
  end)

  it('is what the float is of, also where it was of another', function()
    for _, name in ipairs { 'square', 'area_of', 'square' } do
      child:cmd('Oxide hover ' .. name)
      screen.shows_with_floats(child, { ('int %s(int '):format(name) })
      assert.equal('a.c', child:lua("return vim.fn.expand('%:t')"))
    end
  end)

  it('is gone to by the name that Neovim shows of a file', function()
    child:cmd('Oxide definition square')
    child:wait('the jump', "vim.fn.expand('%:t') == 'b.c'")
    assert.equal('b.c', child:lua("return vim.fn.bufname('%')"))
    child:cmd('Oxide references b')
    child:wait('the list', "vim.fn.getqflist({ title = 0 }).title:find(' of b ')")
    assert.equal('b.c', child:lua('return vim.fn.bufname(vim.fn.getqflist()[1].bufnr)'))
  end)

  it('has references in all files', function()
    child:cmd('Oxide references square')
    child:wait('the list', "vim.fn.getqflist({ title = 0 }).title:find('square')")
    assert.equal(4, child:lua('return #vim.fn.getqflist()'))
  end)

  it('is the one that ends at the cursor, as the server has it', function()
    child:lua('vim.ui.input = function(opts, cb) _G.default, _G.say = opts.default, cb end')
    child:cmd('call cursor(2, 12)')
    assert.equal('(', child:lua("return vim.fn.getline('.'):sub(12, 12)"))
    child:cmd('Oxide rename')
    assert.equal('area_of', child:wait('the question', '_G.default'))
    child:lua('_G.say(nil)')
    child:cmd('Oxide references')
    child:wait('the list', "vim.fn.getqflist({ title = 0 }).title:find('references of area_of in')")
  end)

  it('is chosen where several are called so', function()
    child:cmd('Oxide references twice')
    assert.same(
      { 'twice  function  c.c:1', 'twice  function  d.c:1' },
      child:wait('the choice', '_G.offered')
    )
    child:lua('_G.answer(2)')
    child:wait('the list', "vim.fn.getqflist({ title = 0 }).title:find('twice')")
    assert.same(
      { 'd.c', 'd.c' },
      child:lua([[return vim.tbl_map(function(item)
      return vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ':t')
    end, vim.fn.getqflist())]])
    )
  end)

  it('is chosen where the buffer alone has several that are called so', function()
    helper.write(child.dir .. '/e.cc', 'struct one { int get(); };\nstruct two { int get(); };\n')
    child:cmd('edit e.cc')
    child:cmd('Oxide definition get')
    child:wait('the choice', '_G.offered')
    assert.same(
      { 'one/get  method  e.cc:1', 'two/get  method  e.cc:2' },
      child:lua('return _G.offered')
    )
    child:lua('_G.answer(2)')
    child:wait('the jump', "vim.fn.line('.') == 2 and vim.fn.expand('<cword>') == 'get'")
  end)

  it('is chosen among all that are called so', function()
    local structs = {}
    for i = 1, 25 do
      structs[i] = ('struct s%d { int get(); };\n'):format(i)
    end
    helper.write(child.dir .. '/e.cc', table.concat(structs))
    child:cmd('edit e.cc')
    child:cmd('Oxide definition get')
    local offered = child:wait('the choice', '_G.offered')
    assert.equal(25, #offered)
    assert.equal('s25/get  method  e.cc:25', offered[25])
  end)

  it('is chosen among the methods of Go', function()
    helper.write(child.dir .. '/go.mod', 'module m\n\ngo 1.20\n')
    helper.write(
      child.dir .. '/m.go',
      'package m\n\ntype one struct{}\n\nfunc (o *one) Get() {}\n\nfunc Get() { new(one).Get() }\n'
    )
    child:cmd('edit m.go')
    child:cmd('Oxide references Get')
    assert.same(
      { '(*one).Get  method  m.go:5', 'Get[1]  function  m.go:7' },
      child:wait('the choice', '_G.offered')
    )
    child:lua('_G.answer(1)')
    child:wait('the list', "vim.fn.getqflist({ title = 0 }).title:find('Get')")
    assert.equal(2, child:lua('return #vim.fn.getqflist()'))
    child:cmd('cclose')
    child:lua('_G.offered = nil')
    child:cmd('Oxide definition Get')
    child:wait('the choice', '_G.offered')
    child:lua('_G.answer(1)')
    child:wait('the jump', "vim.fn.line('.') == 5 and vim.fn.expand('<cword>') == 'Get'")
  end)

  it('is the function whose signature is changed', function()
    child:lua([[
      vim.ui.input = function(opts, cb)
        _G.default, _G.say = opts.default, cb
      end
    ]])
    child:cmd('Oxide! signature of=square')
    assert.equal('square(int a)', child:wait('the signature', '_G.default'))
    child:lua("_G.say('square(int a, int n := 2)')")
    child:message('Changed square in 4 places of 3 files')
    assert.matches('square%(2, 2%)', table.concat(child:lines(), '\n'))
  end)

  it('is the function whose signature is changed where it was chosen', function()
    helper.write(child.dir .. '/go.mod', 'module m\n\ngo 1.20\n')
    helper.write(
      child.dir .. '/m.go',
      'package m\n\ntype one struct{}\n\nfunc (o *one) Get() {}\n\nfunc Get() { new(one).Get() }\n'
    )
    child:lua('vim.ui.input = function(opts, cb) _G.default, _G.say = opts.default, cb end')
    child:cmd('edit m.go | Oxide! signature of=Get')
    child:wait('the choice', '_G.offered')
    child:lua('_G.answer(1)')
    assert.equal('Get()', child:wait('the signature', '_G.default'))
    child:lua("_G.say('Get(n int := 2)')")
    child:message('Changed Get in 2 places of 1 file')
    assert.equal('func (o *one) Get(n int) {}', child:lines()[5])
    assert.equal('func Get() { new(one).Get(2) }', child:lines()[7])
  end)

  it('is gone to where it was chosen', function()
    child:cmd('Oxide definition twice')
    child:wait('the choice', '_G.offered')
    child:lua('_G.answer(2)')
    child:wait('the jump', "vim.fn.expand('%:t') == 'd.c' and vim.fn.expand('<cword>') == 'twice'")
  end)

  it('is chosen among similar ones where nothing is called so', function()
    child:cmd('Oxide definition squ')
    local offered = child:wait('the choice', '_G.offered')
    assert.same({ 'square  function  b.c:2' }, offered)
    assert.equal('Nothing is called squ; which:', child:lua('return _G.prompt'))
    child:lua('_G.answer(1)')
    child:wait('the jump', "vim.fn.expand('%:t') == 'b.c'")
  end)

  it('that nothing has is an error', function()
    child:cmd('Oxide definition nothing_is_called_so')
    child:message('is called nothing_is_called_so or similar')
  end)

  it('is edited where it is', function()
    child:lua([[vim.fn.setreg('"', 'int square(int a) { return a * a * 1; }')]])
    child:cmd('Oxide! edit square replace')
    child:message('Replaced square')
    assert.matches('a %* a %* 1', child:file('b.c'))
  end)
end)

describe('the name of a symbol where no server is installed', function()
  after_each(helper.cleanup)

  it('is that of a function which is assigned, too', function()
    local child = helper.start(
      { ['a.lua'] = 'local M = {}\nM.twice = function(n)\n  return n\nend\n' },
      {
        config = ("{ core = { path = %q }, servers = { lua_ls = { cmd = { 'not-installed' } } } }"):format(
          helper.core
        ),
      }
    )
    child:cmd('edit a.lua')
    child:lua("vim.fn.setreg('\"', '  return 2 * n')")
    child:cmd('Oxide! edit twice replace_body')
    child:message('Replaced the body of M%.twice')
    assert.same(
      { 'local M = {}', 'M.twice = function(n)', '  return 2 * n', 'end' },
      child:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
    )
  end)

  it('that the text has not either is said to be unknown there', function()
    local child = helper.start({ ['a.lua'] = 'function known() end\n' }, {
      config = ("{ core = { path = %q }, servers = { lua_ls = { cmd = { 'not-installed' } } } }"):format(
        helper.core
      ),
    })
    child:cmd('edit a.lua')
    child:cmd('Oxide edit unknown delete')
    child:message('a.lua: symbol unknown not found; .* %(searched in the text alone')
  end)
end)
