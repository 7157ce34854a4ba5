local helper = require('helper')
local numbers = require('oxide.numbers')

describe('line numbers', function()
  it('are 1 and up, without padding', function()
    assert.equal('1: a\n2: b\n', numbers.text('a\nb\n'))
    local text = ('x\n'):rep(1000)
    assert.matches('\n999: x\n1000: x\n$', numbers.text(text))
  end)

  it('keep empty lines, and start no line behind the last line end', function()
    assert.equal('', numbers.text(''))
    assert.equal('1: ', numbers.text('a'):gsub('a', ''))
    assert.equal('1: a\n2: \n3: b', numbers.text('a\n\nb'))
    assert.equal('1: \n', numbers.text('\n'))
    assert.equal('1: \n2: \n', numbers.text('\n\n'))
  end)

  it('show a line that ends with CRLF without the CR', function()
    assert.equal('1: a\n2: b\r', numbers.text('a\r\nb\r'))
    assert.equal('1: a\r\n', numbers.text('a\r\r\n'))
    assert.equal('1: a\rb\n', numbers.text('a\rb\r\n'))
  end)

  it('begin where they are told', function()
    assert.equal('9: a\n10: b', numbers.text('a\nb', 9))
  end)
end)

--- A core that reads two files.
local CORE = [[
return function(core, method, params)
  if method == 'configure' then
    core.ready()
  elseif method == 'call' then
    local args = vim.json.decode(params[3])
    local name = vim.fs.basename(args.file_path)
    if name == 'gone.txt' then
      core.fail(params[1], 'not_found', 'there is no gone.txt')
    else
      core.answer(params[1], { content = ('1: %s %s\n2: end\n'):format(params[2], name) })
    end
  end
end
]]

describe('context', function()
  local child

  before_each(function()
    child = helper.start_fake(
      CORE,
      { ['a.txt'] = 'one\n\nthree\nfour\n', ['b.txt'] = 'b\n', ['sub/c d.txt'] = 'c\n' }
    )
    child:lua('vim.g.clipboard = false')
    child:cmd('edit a.txt')
    child:lua('_G.tick = vim.b.changedtick')
  end)
  after_each(function()
    assert.same(
      { true, false },
      child:lua(
        "local b = vim.fn.bufnr('a.txt'); return { vim.b[b].changedtick == _G.tick, vim.bo[b].modified }"
      )
    )
    helper.cleanup()
  end)

  local function register(name)
    return child:lua('return vim.fn.getreg(...)', name)
  end

  it('is the buffer, with numbers, in the unnamed register', function()
    child:cmd('Oxide context')
    assert.equal('1: one\n2: \n3: three\n4: four\n', register('"'))
    assert.equal('V', child:lua("return vim.fn.getregtype('\"')"))
    assert.equal('Oxide: 4 lines of a.txt, in register "', child:message('lines'))
    assert.is_false(child:lua("return require('oxide.core').running()"))
  end)

  it('is a range, with the numbers of the buffer', function()
    child:cmd('3,4Oxide context to=q')
    assert.equal('3: three\n4: four\n', register('q'))
    child:cmd('2Oxide context to=q')
    assert.equal('2: \n', register('q'))
  end)

  it('goes to the clipboard, where there is one', function()
    child:lua([[
      vim.g.clipboard = { name = 'test', cache_enabled = 0,
        copy = { ['+'] = function(lines) _G.copied = lines end, ['*'] = function() end },
        paste = { ['+'] = function() return { {}, 'v' } end, ['*'] = function() return { {}, 'v' } end } }
      vim.g.loaded_clipboard_provider = nil
      vim.cmd('runtime autoload/provider/clipboard.vim')
    ]])
    child:cmd('1Oxide context')
    assert.same({ '1: one', '' }, child:lua('return _G.copied'))
  end)

  it('goes to a scratch buffer', function()
    child:cmd('vertical Oxide context to=scratch')
    assert.same({ '1: one', '2: ', '3: three', '4: four' }, child:lines())
    assert.same(
      { 'nofile', 'oxide://context', false },
      child:lua('return { vim.bo.buftype, vim.api.nvim_buf_get_name(0), vim.bo.modified }')
    )
    assert.is_true(child:lua('return vim.api.nvim_win_get_width(0) < vim.o.columns - 10'))
    child:cmd('wincmd p | 1Oxide context to=scratch')
    assert.same({ '1: one' }, child:lines())
    assert.equal(2, child:lua("return vim.fn.winnr('$')"))
    child:type('q')
    child:wait('one window', "vim.fn.winnr('$') == 1")
    assert.equal(0, child:lua("return vim.fn.bufexists('oxide://context')"))
  end)

  it('goes where the option says', function()
    child:lua("require('oxide').setup { context = { to = 'z' } }")
    child:cmd('1Oxide context')
    assert.equal('1: one\n', register('z'))
    child:cmd('1Oxide context to=y')
    assert.equal('1: one\n', register('y'))
  end)

  it('is files, as the core reads them, each under its name', function()
    child:cmd([[Oxide context b.txt sub/c\ d.txt to=q]])
    child:message('in register q')
    assert.equal(
      table.concat({
        'FILE: b.txt',
        '1: read_file b.txt',
        '2: end',
        'FILE: sub/c d.txt',
        '1: read_file c d.txt',
        '2: end',
        '',
      }, '\n'),
      register('q')
    )
    child:cmd('Oxide context % to=r')
    child:message('in register r')
    assert.equal('1: read_file a.txt\n2: end\n', register('r'))
    child:cmd('Oxide context *.txt to=s')
    child:message('of 2 files, in register s')
  end)

  it('says what cannot be', function()
    child:cmd('Oxide context to=+')
    child:message('no clipboard')
    child:cmd('Oxide context to=%')
    child:message("'%%' is not a writable register")
    child:cmd('1Oxide context b.txt')
    child:message('give either files or a range')
    child:cmd('Oxide context *.none')
    child:message('no file is called %*.none')
    child:lua([[
      require('oxide').context { files = { 'b.txt', 'gone.txt' }, to = 'q', on_done = function(err)
        _G.err = (_G.err or '') .. err.code
      end }
    ]])
    child:message('there is no gone.txt')
    assert.equal('not_found', child:wait('the error', '_G.err'))
    assert.equal('', register('q'))
    child:cmd('new')
    child:cmd('Oxide context')
    child:message('no lines to number')
  end)

  it('is an operator, and works in Visual mode', function()
    child:cmd('nmap gc <Plug>(oxide-context)')
    child:cmd('xmap gc <Plug>(oxide-context)')
    child:type('gggcj')
    child:wait('two lines', [[vim.fn.getreg('"') == '1: one\n2: \n']])
    child:type('Gvkgc')
    child:wait('the others', [[vim.fn.getreg('"') == '3: three\n4: four\n']])
  end)

  it('is a function for scripts', function()
    assert.equal('1: a\n2: b', child:lua("return require('oxide').add_line_numbers('a\\r\\nb')"))
    child:lua([[
      require('oxide').context { first = 4, to = 'q', on_done = function(err, result)
        _G.got = result
      end }
    ]])
    assert.same({ text = '4: four\n', to = 'q' }, child:lua('return _G.got'))
  end)

  it('completes files and targets', function()
    assert.same(
      { 'to=chat', 'to=scratch', 'to=+', 'to="' },
      child:lua([[return vim.fn.getcompletion('Oxide context to', 'cmdline')]])
    )
    assert.same(
      { 'sub/c\\ d.txt' },
      child:lua([[return vim.fn.getcompletion('Oxide context b.txt sub/', 'cmdline')]])
    )
  end)
end)
