local helper = require('helper')

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
  elseif method == 'call' then
    local id = vim.json.decode(params[3]).transaction
    core.data.none = params[2] ~= 'undo'
    for _, entry in ipairs(entries) do
      if entry.id == id then
        entry.undone = true
        core.answer(params[1], { success = true, title = entry.title, transaction = id,
          files_changed = #entry.files, files = {} })
        return
      end
    end
    core.fail(params[1], 'not_found', 'there is no ' .. tostring(id))
  end
end
]]

describe('the history', function()
  local child

  before_each(function()
    local core = helper.fakecore(helper.tempdir(), CORE)
    child = helper.start(
      { ['a.c'] = '' },
      { config = ('{ core = { path = %q } }'):format(core), env = { TZ = 'UTC' } }
    )
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
      '# Oxide: changes of this project   <CR> undoes one   q closes',
      '',
      't3  1970-01-01 00:00:03  apply a patch, by cli',
      '      1.c  +1 -0',
      '      2.c  +2 -0',
      '      3.c  +3 -0',
      '      4.c  +4 -0',
      '      5.c  +5 -0',
      '      and 2 more files',
      '',
      't2  1970-01-01 00:00:02  format c.c, by nvim  [undone]',
      '',
      't1  1970-01-01 00:00:01  rename a to b, by nvim',
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

  it('takes back the change under the cursor, and shows that', function()
    open()
    child:type('G<CR>')
    assert.matches('Undid rename a to b in 2 files', child:message('Undid'))
    child:wait('the mark', "vim.fn.getline(13):find('rename a to b, by nvim  %[undone%]')")
    assert.equal('t1', child:event('UndoPost').transaction)
    child:type('<CR>')
    child:message('t1 is already undone')
    child:type('gg<CR>')
    assert.equal('n', child:lua('return vim.fn.mode()'))
  end)

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
    child:cmd('Oxide undo t9')
    child:message('there is no t9')
    child:cmd('Oxide history now')
    child:message('takes no argument')
  end)
end)
