-- A review to look at: folds, floats, and the keys that make it quick.
local fault = require('fault')
local helper = require('helper')
local review_child = require('review_child')
local screen = require('screen')

local REFUSED = 'Oxide: the change would bring 12 new errors'

describe('a review', function()
  local child

  before_each(function()
    child = review_child.start()
    child:lua('vim.ui.select = function(items, opts, cb) _G.asked, _G.answer = opts.prompt, cb end')
  end)
  after_each(helper.cleanup)

  ---@param name? string
  local function ask(name)
    review_child.ask(child, name)
  end

  ---@return boolean[] files
  ---@return any hunks
  local function reply()
    child:wait('the reply', "vim.uv.fs_stat('.reply')")
    local ok, sent = pcall(vim.json.decode, child:file('.reply'))
    assert.is_true(ok and sent.accept)
    return sent.files, sent.hunks
  end

  it('says what the servers have against it', function()
    ask('bad')
    assert.matches(
      '^# 3 kept, 0 left out; .*; 12 new errors, 1 not verified; from clangd$',
      child:lines()[5]
    )
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('has that in the quickfix list, %d columns wide'):format(columns), function()
      screen.size(child, columns, 24)
      ask('bad')
      for _, leave in ipairs { 'cclose', 'cclose | q' } do
        child:cmd('Oxide places')
        screen.shows_some(child, { 'a.c', '2:1', 'no such name' })
        child:cmd(leave)
      end
      child:message('nothing was changed')
      assert.equal(1, child:lua("return require('oxide').places { open = false }"))
      assert.equal('E', child:lua('return vim.fn.getqflist()[1].type'))
    end)

    it(('is folded to a line for each file, %d columns wide'):format(columns), function()
      screen.size(child, columns, 24)
      ask()
      child:type('zM')
      child:wait('the folds', 'vim.fn.foldclosed(vim.fn.line("$")) > 0')
      local rows = child:lua('return _G.screen_rows()')
      local shown = vim.tbl_filter(function(row)
        return vim.startswith(row, '## ')
      end, rows)
      assert.same({
        '## [x] a.c   2 hunks  +2 -2',
        '## [x] m.py  1 hunk  +1 -1',
        '## [x] n.c   new file  +1 -0',
      }, shown)
      assert.is_false(child:lua("return _G.screen_has { '@@ ' }"))
    end)
  end

  it('folds a file', function()
    screen.size(child, 80, 40)
    ask()
    child:lua('vim.o.showtabline = 0')
    child:type('jjza')
    screen.shows_some(child, { '## [x] a.c   2 hunks  +2 -2' })
    child:wait('the fold', 'vim.fn.foldclosed(6) == 5 and vim.fn.foldclosed(16) == -1')
    local rows = child:lua('return _G.screen_rows()')
    assert.equal('## [x] a.c   2 hunks  +2 -2', rows[5])
    assert.equal('## [x] m.py  1 hunk  +1 -1', rows[7])
    child:type('za')
    child:wait('no fold', 'vim.fn.foldclosed(6) == -1')
  end)

  it('repeats what was done to a hunk or a file', function()
    ask()
    child:type('.]cx')
    child:wait('the mark', "vim.fn.getline(6):find('%[ %]')")
    child:type(']c.')
    child:wait('the mark', "vim.fn.getline(11):find('%[ %]')")
    child:type('gg]f]f=')
    child:wait('the mark', "vim.fn.getline(15):find('%[ %]')")
    child:type('gg]f.')
    child:wait('the mark', "vim.fn.getline(5):find('%[x%]')")
  end)

  it('applies what some lines touch, and nothing else', function()
    ask()
    child:type('gg]c]cV]cj:w!<CR>')
    local files, hunks = reply()
    assert.same({ true, true, false }, files)
    assert.same({ false, true }, hunks[1])
    child:message('Renamed')
  end)

  it('is as before where such a part cannot be applied', function()
    ask('bad')
    child:type(':1,2write!<CR>')
    child:wait('the refusal', "vim.v.errmsg:find('nothing to apply')")
    assert.matches('^# 3 kept, 0 left out; ', child:lines()[5])
    assert.same({}, child:lua("return vim.fn.glob('.reply', true, true)"))
    child:cmd('9,10write!')
    local files, hunks = reply()
    assert.same({ true, false, false }, files)
    assert.same({ true, false }, hunks[1])
    assert.is_false(vim.json.decode(child:file('.reply')).force)
  end)

  -- How many other tabs there are, and what its own is labelled with.
  local LABELS = {
    [60] = { [1] = 'rename old to new', [2] = 'rename old to...', [4] = 'review' },
    [80] = { [1] = 'rename old to new', [3] = 'rename old to...', [5] = 'review' },
    [200] = { [1] = 'rename old to new', [7] = 'rename old to new', [11] = 'review' },
  }
  for columns, labels in vim.spairs(LABELS) do
    it(('has a tab that says what it is, %d columns wide'):format(columns), function()
      for tabs, label in vim.spairs(labels) do
        child:lua('_G.events = {}')
        screen.size(child, columns, 40)
        child:lua('vim.o.showtabline = 1')
        child:lua("vim.cmd('tabonly') for _ = 2, ... do vim.cmd.tabnew('a.c') end", tabs)
        ask()
        local line = child:lua('return _G.screen_rows()[1]')
        assert.matches(' ' .. vim.pesc(label) .. ' +X$', line)
        child:type(':q<CR>')
        child:event('ReviewClose')
      end
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('has no prompt below it any more, %d columns wide'):format(columns), function()
      screen.size(child, columns, 40)
      child:type(':Oxide rename<CR>')
      child:wait('the prompt', "vim.fn.getcmdline() == 'int'")
      child:type('<C-u>new<CR>')
      child:event('ReviewOpen')
      assert.equal((' '):rep(columns), screen.row(child))
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('shows all of a line that is changed, %d columns wide'):format(columns), function()
      screen.size(child, columns, 40)
      ask('wide')
      screen.shows_with_floats(child, { 'int flags);' })
      assert.equal(columns < 100, child:lua('return vim.wo.wrap'))
      child:type(':q<CR>')
      child:event('ReviewClose')
      child:lua('_G.events = {}')
      ask('header')
      assert.is_false(child:lua('return vim.wo.wrap'))
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('has a header and help that are not cut, %d columns wide'):format(columns), function()
      screen.size(child, columns, 34)
      ask('long')
      child:lua('vim.o.showtabline = 0')
      local rows = child:lua('return _G.screen_rows()')
      local header = {}
      for _, row in ipairs(rows) do
        if row:find('^#[^#]') then
          assert.is_true(vim.fn.strdisplaywidth(row) <= columns)
          table.insert(header, (row:gsub('^# +', '')))
        end
      end
      local text = table.concat(header, ' ')
      for _, whole in ipairs {
        columns == 200 and '3 kept, 0 left out; 3 places in 2 files, 1 added, 4 hunks, +4 -3; 1'
          or '3 kept, 0 left out 3 places in 2 files, 1 added, 4 hunks, +4 -3; 1',
        'not verified: no server could say what 1 of the places called new would mean, '
          .. 'nor could any other that was asked',
        ':w applies   :q discards   g? help',
        '<Space> switches a hunk, = a file',
      } do
        assert.is_true(text:find(whole, 1, true) ~= nil, text)
      end
      child:type('g?')
      screen.shows_with_floats(child, { ':w       apply what is kept', 'g?       this help' })
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('says how to see the rest of its help, %d columns wide'):format(columns), function()
      screen.size(child, columns, 24)
      ask()
      child:type('g?')
      screen.shows_with_floats(
        child,
        { ':w       apply what is kept', ' more: g? again goes there ' }
      )
      child:type('g?G')
      screen.shows_with_floats(child, { 'g?       this help' })
      child:type('q')
      child:wait('no help', '#vim.api.nvim_tabpage_list_wins(0) == 1')
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('is a row of :Oxide, and discarded there, %d columns wide'):format(columns), function()
      screen.size(child, columns, 24)
      ask()
      child:cmd('tabprevious | Oxide')
      screen.shows_with_floats(child, {
        'Oxide    x cancels or declines, <CR> opens, q closes',
        'Review   rename old to new',
      })
      child:type('2Gx')
      assert.equal('discarded', child:event('ReviewClose').outcome)
      screen.shows_with_floats(child, { 'Running  nothing' })
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('has its first hunk below many notes, %d columns wide'):format(columns), function()
      screen.size(child, columns, 24)
      ask('noted')
      screen.shows_some(child, { '# new error: a.c:3: no such type' })
      screen.shows_some(
        child,
        { columns == 60 and '# 19 more notes: za shows them' or '18 more notes' }
      )
      screen.shows_some(child, { '+  return new(1, "x"); // was' })
      child:type(' ')
      child:wait('the mark', "vim.fn.getline('.'):find('## [ ]', 1, true)")
      screen.shows_some(child, { 'more notes: za shows them' })
      child:lua("vim.fn.search('f20.c', 'b')")
      child:type('za')
      screen.shows_some(child, { '# not verified: f20.c: server 20 has published nothing' })
      child:type('za')
      screen.shows_some(child, { 'more notes: za shows them' })
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(
      ('has both sides of a file in a tab that says so, %d columns wide'):format(columns),
      function()
        screen.size(child, columns, 20)
        ask()
        child:lua('vim.o.showtabline = 1')
        child:type('o')
        child:wait('both sides', '#vim.api.nvim_tabpage_list_wins(0) == 2')
        screen.shows_with_floats(child, { 'before: a.c   q closes', 'after: a.c' })
        assert.matches('a%.c after +X$', screen.row(child, 1))
        child:type('q')
        child:wait('the review', "vim.api.nvim_buf_get_name(0):find('oxide://review/7 ', 1, true)")
        child:type('o')
        child:wait('both sides', '#vim.api.nvim_tabpage_list_wins(0) == 2')
      end
    )
  end

  it(
    'has both sides above each other, or in tabs, where they do not fit beside each other',
    function()
      screen.size(child, 30, 16)
      ask()
      child:cmd('set winwidth=20 winminwidth=20')
      child:type('o')
      child:wait('both sides', "vim.fn.winlayout()[1] == 'col'")
      child:type('q')
      child:wait('the review', "vim.api.nvim_buf_get_name(0):find('oxide://review/7 ', 1, true)")
      child:cmd('set winheight=10 winminheight=10')
      child:type('o')
      child:wait('both sides', "vim.fn.tabpagenr('$') == 4")
      child:type('qq')
      child:wait('the review', "vim.api.nvim_buf_get_name(0):find('oxide://review/7 ', 1, true)")
      assert.equal('', child:lua('return vim.v.errmsg'))
    end
  )

  it('has floats with the border that the user has set', function()
    local winborder = child:lua("return vim.fn.exists('+winborder')") == 1
    screen.size(child, 80, 40)
    child:lua('if ... then vim.o.winborder = "double" end', winborder)
    ask()
    child:type('g?')
    screen.shows_with_floats(child, { winborder and '╔═' or '┌─' })
    child:type('q]cK')
    screen.shows_with_floats(child, { winborder and ' a.c:1-1 ═' or ' a.c:1-1 ─' })
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('refuses to be written on one line of %d columns'):format(columns), function()
      vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 20, {})
      child:lua('vim.o.columns, vim.o.lines, vim.o.more = ..., 20, true', columns)
      child:lua('vim.notify = _G.last_line')
      ask('bad')
      for _, keys in ipairs { ':w<CR>', ':wq<CR>', 'ZZ', ':wqa<CR>', ':x<CR>', '<Cmd>w<CR>' } do
        child:lua("vim.v.errmsg = '' vim.cmd('echo')")
        child:lua("vim.keymap.set('n', '<F2>', ...)", keys)
        child:type('<F2>')
        fault.wait('the message', function()
          local mode = vim.rpcrequest(child.chan, 'nvim_get_mode')
          assert.not_equal('r', mode.mode, keys .. ' asks for <CR>')
          return not mode.blocking and vim.startswith(screen.row(child), REFUSED)
        end)
        assert.matches('^' .. REFUSED, child:lua('return vim.v.errmsg'))
        assert.matches('^oxide://review/7 ', child:lua('return vim.api.nvim_buf_get_name(0)'))
      end
    end)
  end

  it('fails for a script that writes it, without a message of its own', function()
    ask('bad')
    local write = 'return { pcall(vim.cmd.write) }'
    assert.matches(REFUSED, child:lua(write)[2])
    local caught = child:lua([[
      vim.cmd("try | wq | catch /^Oxide:/ | let g:caught = v:exception | endtry")
      return vim.g.caught
    ]])
    assert.matches('^' .. REFUSED, caught)
    assert.equal(0, child:lua('return #_G.messages'))
    assert.same({}, child:lua("return vim.fn.glob('.reply', true, true)"))
  end)

  it('closes floats with q, and asks when there is none', function()
    ask()
    child:type('g?')
    child:wait('the help', '#vim.api.nvim_tabpage_list_wins(0) == 2')
    child:type('q')
    child:wait('no help', '#vim.api.nvim_tabpage_list_wins(0) == 1')
    child:type(']cK')
    child:wait('the lines', '#vim.api.nvim_tabpage_list_wins(0) == 2')
    child:type('q')
    child:wait('no lines', '#vim.api.nvim_tabpage_list_wins(0) == 1')
    child:type('q')
    child:wait('the question', "_G.asked == 'rename old to new:'")
    child:lua("_G.answer('Stay')")
    assert.equal(2, child:lua("return vim.fn.tabpagenr('$')"))
    child:lua("_G.answer('Apply')")
    assert.same({ true, true, true }, reply())
    child:message('Renamed')
  end)

  it('is discarded by q as well, and says why it is not applied', function()
    ask('bad')
    child:type('q')
    child:wait('the question', '_G.asked')
    child:lua("_G.answer('Apply')")
    child:message('12 new errors; nothing was applied')
    child:lua("_G.answer('Discard')")
    child:message('nothing was changed')
    assert.equal('discarded', child:event('ReviewClose').outcome)
  end)
end)
