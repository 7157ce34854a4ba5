-- :Oxide fix, with a scripted server.
local fault = require('fault')
local helper = require('helper')

local LINT = {
  { word = 'bad', fixes = { { title = 'say good', new = 'good' } } },
  { word = 'odd', severity = 4, code = 'h1', fixes = { { title = 'even', new = 'even' } } },
  { word = 'evil' },
  { word = 'ill', fixes = { { title = 'worse', new = 'evil' } } },
}
local FILES = { ['a.txt'] = 'bad odd\nodd bad\nill\n', ['b.txt'] = 'bad\n' }

local function start(config)
  local p = fault.project {
    lint = LINT,
    on = { ['textDocument/documentSymbol'] = { result = {} } },
  }
  local child = p:nvim(FILES, config)
  child:cmd('set hidden')
  child:cmd('edit a.txt')
  return p, child
end

describe(':Oxide fix', function()
  after_each(fault.cleanup)

  it('fixes what is on the line of the cursor, hints too', function()
    local _, child = start()
    child:cmd('2')
    child:cmd('Oxide fix')
    child:message('Applied 2 fixes: 2 resolved, 3 left. Wrote 1 file. :Oxide undo takes it back.')
    assert.same({ 'bad odd', 'even good', 'ill' }, child:lines())
    child:cmd('1')
    child:cmd('Oxide fix code=h1')
    child:wait('the hint to go', "vim.fn.getline(1) == 'bad even'")
  end)

  it('fixes a buffer that was not written, but for what would make it worse', function()
    local p, child = start()
    child:cmd('normal! Gobad')
    child:cmd('Oxide fix buffer')
    child:message('Applied 3 fixes: 3 resolved, 1 left.*Left out: worse: .*new error')
    assert.same({ 'good odd', 'odd good', 'ill', 'good' }, child:lines())
    assert.is_true(child:lua('return vim.bo.modified'))
    assert.equal(FILES['a.txt'], helper.read(p.dir .. '/a.txt'))
    child:cmd('Oxide undo')
    child:wait('the text before', "vim.fn.getline(4) == 'bad'")
    assert.same({ 'bad odd', 'odd bad', 'ill', 'bad' }, child:lines())
  end)

  it('is answered also where the core does nothing else', function()
    local p, child = start()
    for i = 1, 5 do
      child:cmd('edit! a.txt')
      local n = fault.ask(child, 'fix', { code = 'none' })
      assert.equal(0, fault.done(child, n).result.fixes_applied or 0, i)
    end
    assert.equal(FILES['a.txt'], helper.read(p.dir .. '/a.txt'))
  end)

  it('takes a range', function()
    local _, child = start()
    child:cmd('1,2Oxide fix kind=quickfix')
    child:message('Applied 4 fixes')
    assert.same({ 'good even', 'even good', 'ill' }, child:lines())
  end)

  it('shows a change of several files first', function()
    local p, child = start()
    child:cmd('edit b.txt')
    child:cmd('Oxide fix project')
    child:wait('the review', "vim.bo.filetype == 'oxide-review'")
    assert.equal(FILES['b.txt'], helper.read(p.dir .. '/b.txt'))
    child:cmd('write')
    child:message('Applied 3 fixes')
    assert.equal('good\n', helper.read(p.dir .. '/b.txt'))
    assert.equal('good odd\nodd good\nill\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('says where there is nothing to fix, and what it does not know', function()
    local _, child = start()
    child:cmd('edit b.txt')
    child:cmd('Oxide fix code=h1')
    child:message('No fix was applied: nothing is wrong on line 1 with the code h1%.')
    child:cmd('Oxide fix bufer')
    child:message("unknown argument 'bufer', did you mean 'buffer'")
  end)

  it('says why nothing was fixed on a line, and where something can be', function()
    local _, child = start()
    child:cmd('normal! Goevil\rfine')
    child:cmd('4')
    child:cmd('Oxide fix')
    child:message(
      'No fix was applied: none is available on line 4, for: evil is wrong%. '
        .. 'The nearest one is for line 3; `:Oxide fix buffer` applies all%.'
    )
    child:cmd('5')
    child:cmd('Oxide fix')
    child:message('No fix was applied: nothing is wrong on line 5%. The nearest')
  end)

  it('says that there are several to choose from', function()
    local p = fault.project {
      lint = {
        { word = 'bad', fixes = { { title = 'a', new = 'a' }, { title = 'b', new = 'b' } } },
      },
      on = { ['textDocument/documentSymbol'] = { result = {} } },
    }
    local child = p:nvim { ['a.txt'] = 'bad\n' }
    child:cmd('edit a.txt')
    child:cmd('Oxide fix')
    child:message('choose between 2 on line 1 with `:Oxide actions`%.')
  end)

  it('marks in the list what can be fixed', function()
    local _, child = start()
    child:cmd('Oxide diagnostics')
    child:wait(
      'the marks',
      'vim.iter(vim.fn.getqflist()):any(function(e) return e.user_data.fixes end)'
    )
    child:cmd('normal! 4Goevil')
    local win = 'vim.fn.getqflist({ qfbufnr = 0 }).qfbufnr'
    child:wait('the new entry', 'vim.api.nvim_buf_line_count(' .. win .. ') == 6')
    assert.same({
      'a.txt:1:1  error    [fix] bad is wrong [fake bad]',
      'a.txt:2:5  error    [fix] bad is wrong [fake bad]',
      'a.txt:3:1  error    [fix] ill is wrong [fake ill]',
      'a.txt:4:1  error          evil is wrong [fake evil]',
      'a.txt:1:5  hint     [fix] odd is wrong [fake h1]',
      'a.txt:2:1  hint     [fix] odd is wrong [fake h1]',
    }, child:lua('return vim.api.nvim_buf_get_lines(' .. win .. ', 0, -1, false)'))
  end)

  it('is a mapping', function()
    local _, child = start()
    child:cmd('edit b.txt')
    child:lua("vim.keymap.set('n', 'grx', '<Plug>(oxide-fix)')")
    child:type('grx')
    child:wait('the fix', "vim.fn.getline(1) == 'good'")
  end)
end)
