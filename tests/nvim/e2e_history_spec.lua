-- Undoing, making again and looking at changes of the history, with the real core.
local e2e = require('e2e')
local helper = require('helper')
local screen = require('screen')

local PATCH = [[
*** Begin Patch
*** Update File: a.txt
@@
-a one
+A ONE
*** Update File: b.txt
@@
-b one
+B ONE
*** Add File: c.txt
+c
*** End Patch
]]

describe('the history of the real core', function()
  local child

  before_each(function()
    child = helper.start(
      { ['a.txt'] = 'a one\na two\n', ['b.txt'] = 'b one\n', ['.git/HEAD'] = 'ref: refs/heads/x\n' },
      { config = ('{ core = { path = %q } }'):format(helper.core) }
    )
    child:cmd('edit b.txt')
    child:cmd('edit a.txt')
    child:lua("vim.fn.setreg('q', ...)", PATCH)
    child:cmd('Oxide! patch q')
    child:event('ApplyPost')
    child:wait('the file', "vim.uv.fs_stat('c.txt')")
  end)
  after_each(helper.cleanup)

  ---@param applied boolean
  local function expect_files(applied)
    assert.equal(applied and 'A ONE\na two\n' or 'a one\na two\n', child:file('a.txt'))
    assert.equal(applied and 'B ONE\n' or 'b one\n', child:file('b.txt'))
    assert.equal(applied and 1 or 0, child:lua("return vim.fn.filereadable('c.txt')"))
  end

  it('makes again what was undone', function()
    child:cmd('Oxide redo')
    child:message('nothing to redo')
    child:cmd('Oxide undo')
    child:message('Undid apply a patch in 3 files')
    expect_files(false)
    child:cmd('Oxide redo')
    child:message('Redid apply a patch in 3 files')
    expect_files(true)
    child:lua('_G.messages = {}')
    child:cmd('Oxide undo')
    child:message('Undid apply a patch in 3 files')
    local ids = child:lua("return vim.fn.getcompletion('Oxide redo ', 'cmdline')")
    assert.equal(1, #ids)
    child:lua("vim.fn.writefile({ 'by hand' }, 'c.txt')")
    child:cmd('Oxide redo ' .. ids[1])
    child:message('nothing was redone: c.txt')
    assert.equal('a one\na two\n', child:file('a.txt'))
  end)

  --- A second change, of a file that a window shows.
  local function change_more()
    local patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-a two\n+A TWO\n*** End Patch\n'
    child:lua("vim.fn.setreg('q', ...) _G.events = {}", patch)
    child:cmd('Oxide! patch q')
    child:event('ApplyPost')
  end

  it('passes over what `u` has undone already', function()
    change_more()
    child:cmd('normal! u')
    child:cmd('write')
    child:cmd('Oxide undo')
    child:message('apply a patch was undone already: its files are as before it')
    child:lua('_G.messages = {}')
    child:cmd('Oxide undo')
    child:message('Undid apply a patch in 3 files')
    expect_files(false)
    child:cmd('Oxide undo')
    child:message('nothing to undo')
  end)

  it('passes over what `u` has made again already', function()
    change_more()
    child:cmd('Oxide undo')
    child:message('Undid apply a patch in 1 file')
    child:cmd('normal! u')
    child:cmd('Oxide redo')
    child:message('apply a patch was redone already: its files are as with it')
    child:cmd('Oxide redo')
    child:message('nothing to redo')
    child:lua('_G.messages = {}')
    child:cmd('Oxide undo')
    child:message('Undid apply a patch in 1 file')
    assert.same({ 'A ONE', 'a two' }, child:lines())
  end)

  it('tells scripts of every change, also of one that is made again', function()
    local post = child:event('ApplyPost')
    assert.equal('apply a patch', post.title)
    assert.same({ 3, 2, 0 }, { post.files_changed, post.saved, post.left_modified })
    child:lua('_G.told = _G.events; _G.events = {}')
    child:cmd('Oxide undo')
    child:message('Undid apply a patch in 3 files')
    child:cmd('Oxide redo')
    child:message('Redid apply a patch in 3 files')
    local told = vim.list_extend(child:lua('return _G.told'), child:lua('return _G.events'))
    told = vim.tbl_filter(function(event)
      return event.name:find('Apply') or event.name:find('do') ~= nil
    end, told)
    assert.same(
      {
        'OxideApplyPre',
        'OxideApplyPost',
        'OxideApplyPre',
        'OxideUndoPost',
        'OxideApplyPre',
        'OxideRedoPost',
      },
      vim.tbl_map(function(event)
        return event.name
      end, told)
    )
    for _, event in ipairs(told) do
      table.sort(event.data.files)
      local names = vim.tbl_map(vim.fs.basename, event.data.files)
      assert.same({ 'a.txt', 'b.txt', 'c.txt' }, names)
    end
    for _, i in ipairs { 4, 6 } do
      assert.equal(post.transaction, told[i].data.transaction)
    end
  end)

  it('says what the other files of a change hold that `u` undoes here, and undoes them', function()
    child:type('u')
    child:message('still in 2 other files; :Oxide undo undoes it there')
    child:type('<C-r>u')
    child:wait('the text', "vim.fn.getline(1) == 'a one'")
    child:cmd('Oxide undo')
    child:message('Undid apply a patch in 2 files')
    assert.equal('b one\n', child:file('b.txt'))
    assert.equal(0, child:lua("return vim.fn.filereadable('c.txt')"))
    assert.equal('a one', child:lines()[1])
    child:type('<C-r>')
    child:wait('the text', "vim.fn.getline(1) == 'A ONE'")
    assert.equal(
      1,
      child:lua([[return #vim.tbl_filter(function(m)
        return m.text:find('still in 2')
      end, _G.messages)]])
    )
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('says so on the last line, %d columns wide'):format(columns), function()
      child:lua('vim.o.columns, vim.o.lines, vim.notify = ..., 24, _G.last_line', columns)
      child:type('u')
      local says = 'Oxide: still in 2 other files; :Oxide undo undoes it there'
      local shown = columns == 60 and says:sub(1, 45) .. '...' or says
      screen.shows_last(child, shown)
      child:cmd('Oxide undo')
      screen.shows_with_floats(child, { 'Undid apply a patch in 2 files. Wrote ' })
      child:cmd('Oxide history')
      screen.shows_with_floats(child, { '[undone] apply a patch, by nvim' })
    end)
  end

  it('has on its page what was undone or made elsewhere', function()
    child:cmd('Oxide history')
    child:wait('the list', "vim.fn.getline(3):find('apply a patch, by nvim')")
    child:cmd('wincmd p')
    local page = "table.concat(vim.fn.getbufline('oxide://history', 1, '$'), '\\n')"
    local undone = ("%s:find('[undone]', 1, true) ~= nil"):format(page)
    child:cmd('Oxide undo')
    child:wait('the mark', undone)
    child:cmd('Oxide redo')
    child:wait('no mark', ('not (%s)'):format(undone))
    change_more()
    child:wait('the other', ("select(2, %s:gsub('apply a patch', '')) == 2"):format(page))
  end)

  it('shows what each change did', function()
    child:lua([[vim.fn.setreg('q', '--- a/b.txt\n+++ b/b.txt\n@@ -1 +1,2 @@\n B ONE\n+more\n')]])
    child:cmd('Oxide! patch q')
    child:wait('the file', "#vim.fn.readfile('b.txt') == 2")
    child:cmd('Oxide history')
    child:wait('the list', "vim.bo.filetype == 'oxide-history'")
    child:type('G=')
    child:wait('the diff', "vim.fn.getline('$') == '+c'")
    local text = table.concat(child:lines(), '\n')
    assert.matches('\n%-b one\n%+B ONE\n', text)
    assert.matches('\n%-a one\n%+A ONE\n a two\n', text)
    assert.matches('\n%-%-%- /dev/null\n%+%+%+ b/c.txt\n', text)
    child:cmd('close')
    child:cmd('Oxide undo')
    child:message('Undid apply a patch in 1 file')
    child:lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('b.txt'), 0, -1, true, { 'by hand' })")
    child:cmd('Oxide history')
    child:wait('the list', "vim.bo.filetype == 'oxide-history'")
    child:type('G=')
    child:wait('the diff', "vim.fn.getline('$') == '+c'")
    assert.matches('# b.txt was edited since;', table.concat(child:lines(), '\n'))
  end)
end)

describe('of more changes than history.entries', function()
  local FEW = { ['history.entries'] = 2 }

  ---@param dir string
  ---@return integer
  local function entries(dir)
    return #vim.fn.glob(dir .. '/.state/oxide/history/*.entry', true, true)
  end

  it('the oldest go once the last is made', function()
    local child = helper.start({
      ['a.txt'] = '0\n',
      ['.config/oxide/config.lua'] = ('return { options = %s }'):format(vim.inspect(FEW)),
    }, { config = ('{ core = { path = %q } }'):format(helper.core) })
    child:cmd('edit a.txt')
    for i = 1, 4 do
      local patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-%d\n+%d\n*** End Patch\n'
      child:lua("vim.fn.setreg('q', ...) _G.events = {}", patch:format(i - 1, i))
      child:cmd('Oxide! patch q')
      child:event('ApplyPost')
    end
    vim.wait(helper.deadline, function()
      return entries(child.dir) == 2
    end)
    local left = entries(child.dir)
    helper.cleanup()
    assert.equal(2, left)
  end)

  it('the oldest go before a program ends that makes no other', function()
    local dir = helper.tempdir()
    local args = { 'call', 'edit_file', '--file-path', 'b.txt', '--old-string', 'old' }
    vim.list_extend(args, { '--new-string', 'new', '--yes' })
    for i = 1, 4 do
      helper.write(dir .. '/b.txt', 'old\n')
      local done = e2e.oxide(dir, args, { options = FEW })
      assert.equal(0, done.code, done.out .. done.err)
      assert.equal(math.min(i, 2), entries(dir))
    end
    vim.fn.delete(dir, 'rf')
  end)
end)
