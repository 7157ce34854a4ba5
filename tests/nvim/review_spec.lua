local helper = require('helper')
local review_child = require('review_child')

local A = 'int old(void);\nint f(void) { return old(); }\n'
local B = '#include "a.h"\nint g(void) { return old(); }\n'

--- A core that asks about a rename in a.c and b.c, and answers with what it was told.
local CORE = [[
local DIFF_A = [=[
@@ -1,2 +1,2 @@
-int old(void);
-int f(void) { return old(); }
+int new(void);
+int f(void) { return new(); }
]=]
local DIFF_B = [=[
@@ -1,2 +1,2 @@
 #include "a.h"
-int g(void) { return old(); }
+int g(void) { return new(); }
]=]
--- Answers when the test says so, by a file.
local function when_told(fn)
  local timer = vim.uv.new_timer()
  timer:start(0, 5, function()
    if vim.uv.fs_stat(dir .. '/.go') then
      timer:stop()
      fn()
    end
  end)
end
local function asks()
  local list = { file('a.c', DIFF_A, { where = 'buffer' }), file('b.c', DIFF_B) }
  if name == 'one' then
    list = { list[1] }
  end
  if name == 'many' then
    confirm(list, { id = 8, title = 'rename' })
    confirm(list, { id = 9, title = 'rename' })
  end
  confirm(list)
  if name == 'never' then
    core.event('confirm_gone', { id = 7 })
    core.fail(call, 'stale', 'it went stale')
  end
end
local function replied(reply)
  if not reply.accept then
    core.fail(call, 'cancelled', 'refused')
    return
  elseif name == 'fails' then
    core.fail(call, 'io', 'the disk is full; nothing was changed')
    return
  end
  local kept = 0
  for _, keep in ipairs(reply.files) do
    kept = kept + (keep and 1 or 0)
  end
  local function answer()
    note('.applied', '')
    core.answer(call, { success = true, edits = kept * 2, files_changed = kept,
      transaction = 't1', files = {},
      server = table.concat(vim.tbl_map(tostring, reply.files), ',') })
  end
  if name == 'slow' then
    when_told(answer)
  else
    answer()
  end
end
]]

describe('the review', function()
  local child

  before_each(function()
    child = review_child.start_with(CORE, { ['a.c'] = A, ['b.c'] = B })
    child:cmd('edit a.c')
    child:lua([[
      vim.api.nvim_create_user_command('Ask', function(opts)
        require('oxide').rename { name = opts.args, on_done = function(err, result)
          _G.err, _G.result = err and err.code, result
        end }
      end, { nargs = 1 })
    ]])
  end)
  after_each(helper.cleanup)

  local function ask(name)
    child:cmd('Ask ' .. (name or 'new'))
    child:event('ReviewOpen')
  end

  local function gone()
    child:wait('the review to be gone', "vim.fn.bufnr('oxide://review/7 ') < 0")
    child:wait('the first tab alone', "vim.fn.tabpagenr('$') == 1")
    assert.equal(child.dir .. '/a.c', child:lua('return vim.api.nvim_buf_get_name(0)'))
  end

  it('is on the page of :Oxide, and opened or discarded from there', function()
    ask('many')
    child:cmd('tabprevious | Oxide')
    child:wait('the page', "vim.fn.getline(2) == 'Review   rename old to new'")
    child:wait('the page', "vim.fn.getline(3):find('^Review   rename')")
    child:type('2Gx')
    assert.equal('discarded', child:event('ReviewClose').outcome)
    child:wait('the renewed page', "vim.fn.getline(4):find('^Core')")
    child:type('2G<CR>')
    child:wait('the review', "vim.bo.filetype == 'oxide-review'")
  end)

  it('is a buffer in a tab of its own, with the change as text', function()
    ask()
    assert.equal(
      'oxide://review/7 rename old to new',
      child:lua('return vim.api.nvim_buf_get_name(0)')
    )
    assert.matches('^oxide://review/7 ', child:lua('return vim.api.nvim_buf_get_name(0)'))
    assert.same(
      { 'acwrite', 'oxide-review', 'diff', false, 2 },
      child:lua(
        [[return { vim.bo.buftype, vim.bo.filetype, vim.bo.syntax, vim.bo.modifiable, vim.fn.tabpagenr() }]]
      )
    )
    assert.same({
      '# Oxide: rename old to new',
      '# 2 kept, 0 left out; 3 places in 2 files, 2 hunks, +3 -3; from clangd',
      '# :w applies   :q discards   g? help   <Space> switches a hunk, = a file',
      '',
      '## [x] a.c  1 hunk  +2 -2  open',
      '@@ -1,2 +1,2 @@ [x]',
      '-int old(void);',
      '-int f(void) { return old(); }',
      '+int new(void);',
      '+int f(void) { return new(); }',
      '',
      '## [x] b.c  1 hunk  +1 -1',
      '@@ -1,2 +1,2 @@ [x]',
      ' #include "a.h"',
      '-int g(void) { return old(); }',
      '+int g(void) { return new(); }',
    }, child:lines())
    local words = child:lua([[
      local ns = vim.api.nvim_get_namespaces()['oxide.review']
      local found = {}
      for _, m in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, { 6, 0 }, { 6, -1 }, { details = true })) do
        table.insert(found, { m[3], m[4].end_col, m[4].hl_group })
      end
      return found
    ]])
    assert.same({ { 5, 8, 'OxideReviewRemovedText' } }, words)
  end)

  for _, keys in ipairs { ':w<CR>', ':wq<CR>', 'ZZ', ':x<CR>' } do
    it('applies with ' .. keys, function()
      ask()
      child:type(keys)
      assert.equal('true,true', child:wait('the result', '_G.result and _G.result.server'))
      gone()
      assert.equal(
        'Renamed 4 places in 2 files. Wrote 2 files. :Oxide undo takes it back.',
        child:message('Renamed'):gsub('^Oxide: ', '')
      )
      assert.equal('applied', child:event('ReviewClose').outcome)
    end)
  end

  for _, keys in ipairs {
    ':q<CR>',
    'ZQ',
    ':q!<CR>',
    ':close<CR>',
    '<C-w>c',
    ':tabclose<CR>',
    ':bwipeout!<CR>',
  } do
    it('discards with ' .. keys, function()
      ask()
      child:type(keys)
      assert.equal('cancelled', child:wait('the refusal', '_G.err'))
      gone()
      assert.equal('discarded', child:event('ReviewClose').outcome)
    end)
  end

  for _, keys in ipairs { ':q<CR>', 'ZQ' } do
    it('closes alone where nothing else is left, with ' .. keys, function()
      ask()
      child:cmd('tabonly')
      child:type(keys)
      assert.equal('discarded', child:event('ReviewClose').outcome)
      child:wait('the file', "vim.fn.tabpagenr('$') == 1 and vim.fn.bufname() == 'a.c'")
      assert.equal('', child:lua('return vim.v.errmsg'))
    end)
  end

  it('is written by :wall like any buffer', function()
    ask()
    child:type(':wa<CR>')
    child:wait('the result', '_G.result')
    gone()
  end)

  it('makes :qa from elsewhere warn, and :qa! leave', function()
    ask()
    child:type('gt:qa<CR>')
    child:wait('the warning', "vim.v.errmsg:find('E37') or vim.v.errmsg:find('E162')")
    child:type('<CR>:qa!<CR>')
    assert.equal(0, child:ended())
  end)

  local function exists(name)
    return vim.uv.fs_stat(child.dir .. '/' .. name) ~= nil
  end

  for _, keys in ipairs {
    ':wqa<CR>',
    ':wqall<CR>',
    ':xa<CR>',
    ':xall<CR>',
    ':wa<CR>:qa<CR>',
    ':wqa!<CR>',
    'gt:wqa<CR>',
    ':confirm qa<CR>y',
  } do
    it('applies before Neovim ends with ' .. keys, function()
      ask()
      child:type(keys)
      assert.equal(0, child:ended())
      assert.is_true(exists('.applied'))
    end)
  end

  for _, keys in ipairs { ':qa<CR>', ':qall<CR>', 'gt:qa<CR>' } do
    it('keeps Neovim from ending with ' .. keys .. ', and says what waits', function()
      ask()
      child:type(keys)
      child:message(
        'rename old to new is waiting: :w applies it, :q discards it, :qa! quits without it'
      )
      assert.matches('^oxide://review/7 ', child:lua('return vim.api.nvim_buf_get_name(0)'))
      assert.is_false(exists('.reply'))
      child:type(':qa!<CR>')
      assert.equal(0, child:ended())
      assert.is_false(exists('.applied'))
    end)
  end

  local function accepted()
    assert.is_true(vim.wait(helper.deadline, function()
      return exists('.reply')
    end, 5))
  end

  it('keeps Neovim until the change is made', function()
    ask('slow')
    child:type(':wqa<CR>')
    accepted()
    assert.matches('^oxide://review/7 ', child:lua('return vim.api.nvim_buf_get_name(0)'))
    helper.write(child.dir .. '/.go', '')
    assert.equal(0, child:ended())
    assert.is_true(exists('.applied'))
  end)

  it('is not left by CTRL-C while the change is made, and closes then', function()
    ask('slow')
    child:type(':wqa<CR>')
    accepted()
    child:type('<C-c>')
    child:wait('the refusal', "vim.v.errmsg:find('is still being applied')")
    child:type('<CR>:q<CR>')
    child:type(':Oxide review<CR>')
    child:wait('the review', "vim.api.nvim_buf_get_name(0):find('oxide://review/7 ', 1, true)")
    assert.matches('# Being applied', table.concat(child:lines(), '\n'))
    helper.write(child.dir .. '/.go', '')
    child:wait('the result', '_G.result')
    gone()
    assert.equal('applied', child:event('ReviewClose').outcome)
  end)

  for _, keys in ipairs { ':wqa<CR>', ':wq<CR>', ':w<CR>' } do
    it('keeps Neovim when the change fails with ' .. keys .. ', and says it once', function()
      ask('fails')
      child:type(keys)
      assert.equal('io', child:wait('the error', '_G.err'))
      assert.matches('the disk is full; nothing was changed', child:lua('return vim.v.errmsg'))
      gone()
      child:message('the disk is full; nothing was changed')
      assert.equal(1, child:lua('return #_G.messages'))
    end)
  end

  it('leaves out the files that are switched off', function()
    ask()
    child:type(']f=')
    child:wait('the mark', "vim.fn.getline(12):find('^## %[ %] b.c')")
    assert.equal(
      '# 1 kept, 1 left out; 3 places in 2 files, 2 hunks, +3 -3; from clangd',
      child:lines()[2]
    )
    child:type(':w<CR>')
    assert.equal('true,false', child:wait('the result', '_G.result and _G.result.server'))
  end)

  it('switches a file with <Space> on its heading, and all with A and X', function()
    ask()
    child:type('<Space>')
    child:wait('the mark', "vim.fn.getline(5):find('^## %[ %] a.c')")
    child:type('A')
    child:wait('all marks', "vim.fn.getline(2):find('2 kept')")
    child:type('X')
    child:wait('no marks', "vim.fn.getline(2):find('0 kept, 2 left out')")
    child:type(':w<CR>')
    child:wait('the refusal', "vim.v.errmsg:find('every file is left out')")
    assert.matches('^oxide://review/7 ', child:lua('return vim.api.nvim_buf_get_name(0)'))
  end)

  it('moves by hunk and by file', function()
    ask()
    for keys, line in pairs { ['gg]c'] = 6, ['G[c'] = 13, ['gg]f]f'] = 12, ['G2[f'] = 5 } do
      child:type(keys)
      child:wait(keys, 'vim.fn.line(".") == ' .. line)
    end
  end)

  it('jumps to the source', function()
    ask()
    child:type('G<CR>')
    child:wait('b.c', "vim.api.nvim_buf_get_name(0):find('b.c$')")
    assert.equal(2, child:lua("return vim.fn.line('.') == 3 and 2 or vim.fn.line('.')"))
    assert.equal(1, child:lua('return vim.fn.tabpagenr()'))
    child:cmd('Oxide review')
    assert.matches('^oxide://review/7 ', child:lua('return vim.api.nvim_buf_get_name(0)'))
  end)

  it('shows old and new text side by side', function()
    ask()
    child:type('Go')
    child:wait('two windows', '#vim.api.nvim_tabpage_list_wins(0) == 2')
    local texts = child:lua([[
      return vim.tbl_map(function(win)
        return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
      end, vim.api.nvim_tabpage_list_wins(0))
    ]])
    assert.same({
      { '#include "a.h"', 'int g(void) { return old(); }' },
      { '#include "a.h"', 'int g(void) { return new(); }' },
    }, texts)
    child:type('q')
    child:wait('the review', "vim.api.nvim_buf_get_name(0):find('oxide://review/7 ', 1, true)")
  end)

  it('folds by file', function()
    ask()
    child:type('zM')
    child:wait('the folds', 'vim.fn.foldclosed(6) == 5 and vim.fn.foldclosed(13) == 12')
  end)

  it('refuses the whole when an open file has changed', function()
    ask()
    child:lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.c'), 0, 0, false, { '// mine' })")
    child:wait('the mark', "vim.fn.getline(5):find('^## %[~%] a.c')")
    child:type(':wq<CR>')
    child:wait('the refusal', "vim.v.errmsg:find('a.c was changed')")
    assert.matches('^oxide://review/7 ', child:lua('return vim.api.nvim_buf_get_name(0)'))
    assert.is_true(child:lua('return _G.result == nil'))
    child:type(':q<CR>')
    child:wait('the refusal', "_G.err == 'cancelled'")
    gone()
  end)

  it('refuses the whole when a file on disk has changed', function()
    ask()
    helper.write(child.dir .. '/b.c', '// theirs\n' .. B)
    child:type(':w<CR>')
    child:wait('the refusal', "vim.v.errmsg:find('b.c was changed')")
    assert.matches('^## %[~%] b.c', child:lines()[12])
  end)

  it('is applied, discarded and walked by command', function()
    ask()
    child:cmd('tabfirst | Oxide review next')
    child:wait('the first hunk', 'vim.fn.line(".") == 6')
    child:cmd('tabfirst | Oxide review apply')
    child:wait('the result', '_G.result')
    gone()
    child:cmd('Oxide review')
    child:message('no change is waiting')
    child:lua('_G.events, _G.err = {}, nil')
    ask()
    child:cmd('Oxide review discard')
    child:wait('the refusal', "_G.err == 'cancelled'")
    gone()
  end)

  it('does not open for a change that is seen anyway, nor with !', function()
    child:cmd('Ask one')
    child:wait('the result', '_G.result')
    child:lua('_G.result = nil')
    child:cmd('Oxide! rename new')
    child:message('Renamed 4 places in 2 files')
    child:lua('_G.messages = {}')
    child:cmd('Oxide rename! new')
    child:message('Renamed 4 places in 2 files')
    assert.equal(1, child:lua("return vim.fn.tabpagenr('$')"))
  end)

  it('opens with :confirm in any case', function()
    child:cmd('confirm Oxide rename one')
    child:event('ReviewOpen')
  end)

  it('closes when the core takes the question back', function()
    child:cmd('Ask never')
    assert.equal('stale', child:wait('the error', '_G.err'))
    gone()
    assert.equal('gone', child:event('ReviewClose').outcome)
  end)

  it('waits until a command line is done', function()
    child:type(':echo 1')
    child:wait('the command line', "vim.fn.getcmdline() == 'echo 1'")
    child:cmd('Ask new')
    child:wait('the question', "require('oxide.review').current() ~= nil")
    assert.equal('echo 1', child:lua('return vim.fn.getcmdline()'))
    assert.equal(1, child:lua("return vim.fn.tabpagenr('$')"))
    child:type('<C-c>')
    child:event('ReviewOpen')
  end)

  it('waits with as many as there are until a command line is done', function()
    child:type(':echo 1')
    child:wait('the command line', "vim.fn.getcmdline() == 'echo 1'")
    child:cmd('Ask many')
    child:wait('the questions', "require('oxide.review').get(7) ~= nil")
    assert.equal(1, child:lua("return vim.fn.tabpagenr('$')"))
    child:type('<C-c>')
    for id = 7, 9 do
      child:wait('review ' .. id, "vim.fn.bufnr(('oxide://review/%d '):format(...)) > 0", id)
    end
    assert.equal('', vim.trim(child:lua("return vim.fn.execute('messages')")))
  end)
end)
