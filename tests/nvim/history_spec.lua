local helper = require('helper')
local screen = require('screen')

--- A core with two changes to take back, and one that was.
local CORE = [[
local entries = {
  { id = 't1', time_ms = 1000, origin = 'nvim', title = 'rename a to b', undone = false, files = {
    { file = 'a.c', lines_added = 1, lines_removed = 2 }, { file = 'b.c', lines_added = 3,
    lines_removed = 0 } } },
  { id = 't3', time_ms = 3000, origin = 'cli', title = 'apply a patch', undone = false, files = {} },
  { id = 't2', time_ms = 2000, origin = 'nvim', title = 'format c.c', undone = true, files = {} },
}
for i = 1, 7 do
  entries[2].files[i] = { file = i .. '.c', lines_added = i, lines_removed = 0 }
end
return function(core, method, params)
  if method == 'configure' then
    core.ready()
  elseif method == 'history' then
    core.answer(params[1], { entries = core.data.none and {} or entries })
  elseif method == 'history_diff' then
    local id = vim.json.decode(params[2]).transaction
    core.answer(params[1], { diff = ('--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-old\n+%s\n'):format(id) })
  elseif method == 'call' then
    local args = vim.json.decode(params[3])
    local id = args.transaction
    core.data.none = params[2] ~= 'undo'
    for _, entry in ipairs(entries) do
      if entry.id == id then
        entry.undone = not args.redo
        core.answer(params[1], { success = true, title = entry.title, transaction = id,
          files_changed = #entry.files, files = {} })
        return
      end
    end
    core.fail(params[1], 'not_found', 'there is no ' .. tostring(id))
  end
end
]]

local HEAD = '# Changes   <CR> undo or redo  = diff  za files  q closes'

describe('the history', function()
  local child

  before_each(function()
    child = helper.start_fake(CORE, { ['a.c'] = '' }, { env = { TZ = 'UTC' } })
    child:cmd('edit a.c')
  end)
  after_each(helper.cleanup)

  local function open()
    child:cmd('Oxide history')
    child:wait('the list', "vim.bo.filetype == 'oxide-history'")
  end

  it('lists the changes, the newest first', function()
    open()
    assert.same({
      HEAD,
      '',
      '1970-01-01 00:00  apply a patch, by cli  t3',
      '      1.c  +1 -0',
      '      2.c  +2 -0',
      '      3.c  +3 -0',
      '      4.c  +4 -0',
      '      5.c  +5 -0',
      '      6.c  +6 -0',
      '      7.c  +7 -0',
      '',
      '1970-01-01 00:00  [undone] format c.c, by nvim  t2',
      '',
      '1970-01-01 00:00  rename a to b, by nvim  t1',
      '      a.c  +1 -2',
      '      b.c  +3 -0',
    }, child:lines())
    assert.same(
      { 'nofile', false, 3 },
      child:lua("return { vim.bo.buftype, vim.bo.modifiable, vim.fn.line('.') }")
    )
    child:type('q')
    child:wait('the end', "vim.fn.bufexists('oxide://history') == 0")
  end)

  it('undoes the change under the cursor once that is confirmed, and makes it again', function()
    child:lua('vim.ui.select = function(_, opts, cb) _G.asked, _G.answer = opts.prompt, cb end')
    open()
    child:type('G<CR>')
    child:wait('the question', "_G.asked == 'Undo rename a to b in 2 files?'")
    child:lua('_G.answer(nil)')
    assert.same({}, child:lua('return _G.messages'))
    child:lua("_G.answer('Undo')")
    assert.matches('Undid rename a to b in 2 files', child:message('Undid'))
    child:wait('the mark', "vim.fn.getline(14):find('%[undone%] rename a to b, by nvim')")
    assert.equal(16, child:lua("return vim.fn.line('.')"))
    child:type('<CR>')
    child:wait('the question', "_G.asked == 'Redo rename a to b in 2 files?'")
    child:lua("_G.answer('Redo')")
    assert.matches('Redid rename a to b in 2 files', child:message('Redid'))
    child:wait('no mark', "vim.fn.getline(14):find('00  rename a to b, by nvim')")
    child:type('gg<CR>')
    assert.equal('n', child:lua('return vim.fn.mode()'))
  end)

  it('shows the diff of a change below its files, and hides it', function()
    open()
    child:type('G=')
    child:wait('the diff', "vim.fn.getline('$') == '+t1'")
    assert.equal(16, child:lua("return vim.fn.line('.')"))
    child:type('3j=')
    child:wait('no diff', "vim.fn.getline('$'):find('b.c')")
    assert.equal(14, child:lua("return vim.fn.line('.')"))
    child:type('gg2j=')
    child:wait('the diff', "vim.fn.getline(15) == '+t3'")
    assert.equal(-1, child:lua('return vim.fn.foldclosed(3)'))
  end)

  it('shows the diff where the window ends before it', function()
    open()
    child:cmd('resize 6')
    child:type('4jza5j=') -- the last change, whose files are the last lines that are seen
    child:wait('the diff', "vim.fn.getline('$') == '+t1'")
    assert.same(
      { '--- a/a.c', '+t1' },
      child:lua([[
        return { vim.fn.getline(vim.fn.line('w0') + 1), vim.fn.getline('w$') }
      ]])
    )
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('is what the screen shows, %d columns wide'):format(columns), function()
      child:cmd('syntax on')
      screen.size(child, columns, 44)
      child:lua("vim.o.number, vim.o.signcolumn, vim.o.list = true, 'yes', true") -- for files alone
      open()
      ---@param rows string[]
      local function shows(rows)
        local cut = vim.tbl_map(function(row)
          return (row:sub(1, columns):gsub(' +$', ''))
        end, rows)
        screen.shows(child, cut)
      end
      local t3 = '1970-01-01 00:00  apply a patch, by cli  t3'
      local t2 = '1970-01-01 00:00  [undone] format c.c, by nvim  t2'
      local t1 = '1970-01-01 00:00  rename a to b, by nvim  t1'
      shows { HEAD, '', t3 .. '  (7 files)', '', t2, '', t1, '      a.c  +1 -2' }
      child:type('zo')
      shows { HEAD, '', t3, '      1.c  +1 -0', '      2.c  +2 -0' }
      child:type('zc4jza')
      shows { HEAD, '', t3 .. '  (7 files)', '', t2, '', t1 .. '  (2 files)' }
      child:type('=')
      shows { HEAD, '', t3 .. '  (7 files)', '', t2, '', t1, '      a.c  +1 -2', '      b.c  +3 -0' }
      child:type('G')
      child:wait('the diff', "vim.fn.line('.') == 21")
      assert.equal(
        'diffAdded',
        child:lua("return vim.fn.synIDattr(vim.fn.synID(21, 1, 1), 'name')")
      )
      assert.is_true(screen.differ(child, '-old', '@@ -1'))
      assert.same({}, child:lua('return _G.messages'))
    end)
  end

  it('can be asked for by scripts', function()
    child:lua([[
      require('oxide').history { open = false, on_done = function(err, result) _G.got = result end }
    ]])
    assert.equal('t3', child:wait('the entries', '_G.got').entries[1].id)
    assert.equal(1, child:lua("return vim.fn.winnr('$')"))
  end)

  it('says when it is empty', function()
    child:lua([[
      require('oxide').hover { on_done = function() require('oxide').history() end }
    ]])
    child:wait('the list', "vim.bo.filetype == 'oxide-history'")
    assert.equal('no changes yet', child:lines()[2])
  end)

  it('completes what can be taken back', function()
    child:type(':Oxide undo <C-a>')
    child:wait('the ids', "vim.fn.getcmdline() == 'Oxide undo t3 t1'")
    child:type('<C-u>Oxide undo t1<CR>')
    child:message('Undid rename a to b')
    assert.same({ 't3' }, child:lua([[return vim.fn.getcompletion('Oxide undo ', 'cmdline')]]))
    assert.same(
      { 't2', 't1' },
      child:lua([[return vim.fn.getcompletion('Oxide redo ', 'cmdline')]])
    )
    child:cmd('Oxide undo t9')
    child:message('there is no t9')
    child:cmd('Oxide history now')
    child:message('takes no argument')
  end)
end)
