local helper = require('helper')
local review_child = require('review_child')

--- A core that asks about one file of each kind, and tells what it was answered.
local CORE = [[
local TWO = [=[
@@ -2,3 +2,3 @@
 two
-three old
+three new
 four
@@ -31,2 +31,3 @@ int f
 31
+31 and a half
 32
]=]
local RENAMED = [=[
@@ -1 +1 @@
-r old
+r new
@@ -9 +9 @@
-s old
+s new
]=]
local function asks()
  local function renamed(new)
    return { kind = 'rename', new_path = dir .. '/' .. new }
  end
  confirm({
    file('a.txt', TWO),
    file('b.txt', '@@ -0,0 +1,2 @@\n+b1\n+b2\n', { kind = 'create' }),
    file('c.txt', '@@ -1 +0,0 @@\n-c1\n', { kind = 'delete' }),
    file('d.txt', '', renamed('e.txt')),
    file('r.txt', RENAMED, renamed('s.txt')),
  }, { title = 'a change', tool = name == 'rename' and 'lsp_rename' or 'apply_patch', server = '' })
end
local function replied(reply)
  core.answer(call, { success = true, edits = 1, files_changed = 1, files = {},
    server = vim.json.encode(reply) })
end
]]

local TEXT = {}
for i = 1, 40 do
  TEXT[i] = tostring(i)
end
TEXT[2], TEXT[3], TEXT[4] = 'two', 'three old', 'four'

describe('the hunks of a review', function()
  local child

  before_each(function()
    child = review_child.start_with(CORE, {
      ['a.txt'] = table.concat(TEXT, '\n') .. '\n',
      ['c.txt'] = 'c1\n',
      ['d.txt'] = 'd\n',
      ['r.txt'] = 'r old\n',
      ['here.txt'] = 'x\n',
    })
    child:cmd('edit here.txt')
    child:lua([[
      function _G.Ask(name)
        require('oxide').rename { name = name, on_done = function(err, result)
          _G.reply = result and result.server
        end }
      end
      vim.ui.select = function(items, opts, on_choice)
        _G.offered = { opts.prompt, unpack(vim.tbl_map(opts.format_item, items)) }
        _G.choose = function(i) on_choice(items[i]) end
      end
    ]])
  end)
  after_each(helper.cleanup)

  local function ask(name)
    child:lua('_G.Ask(...)', name or 'patch')
    child:event('ReviewOpen')
  end

  --- The marks as they are, of files and of hunks.
  local function marks()
    local list = {}
    for _, line in ipairs(child:lines()) do
      table.insert(list, line:match('^## %[(.)%]') or line:match('^@@ .- @@ %[(.)%]'))
    end
    return table.concat(list)
  end

  --- Types, and waits until the marks are these.
  local function keys(typed, want)
    child:type(typed)
    child:wait(
      ('%s after %s'):format(want, typed),
      [[(function(want)
        local list = {}
        for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
          table.insert(list, line:match('^## %[(.)%]') or line:match('^@@ .- @@ %[(.)%]'))
        end
        return table.concat(list) == want
      end)(...)]],
      want
    )
  end

  local function reply()
    child:type(':w<CR>')
    local answer = vim.json.decode(child:wait('the reply', '_G.reply'))
    return answer.files, answer.hunks
  end

  it('are shown with their marks behind :edit!', function()
    ask()
    keys(']c<Space>', '- xxxxxxx')
    local text, some = child:lines(), marks()
    child:cmd('edit!')
    assert.same(text, child:lines())
    assert.equal(some, marks())
    assert.is_true(child:lua('return vim.bo.modified'))
    keys('gg]c<Space>', 'xxxxxxxxx')
    assert.equal('', child:lua('return vim.v.errmsg'))
  end)

  it('are marked where a file is changed in place, and only there', function()
    ask()
    assert.equal('xxxxxxxxx', marks())
    assert.same({
      '## [x] a.txt           2 hunks  +2 -1',
      '@@ -2,3 +2,3 @@ [x]',
      ' two',
      '-three old',
      '+three new',
      ' four',
      '@@ -31,2 +31,3 @@ [x] int f',
      ' 31',
      '+31 and a half',
      ' 32',
      '',
      '## [x] b.txt           new file  +2 -0',
      '@@ -0,0 +1,2 @@',
      '+b1',
    }, vim.list_slice(child:lines(), 5, 18))
    local files, hunks = reply()
    assert.same({ true, true, true, true, true }, files)
    assert.is_nil(hunks)
  end)

  it('are switched one by one, and the head lines follow', function()
    ask()
    keys(']c<Space>', '- xxxxxxx')
    local lines = child:lines()
    assert.equal(
      '# 4 kept, 1 in part, 0 left out; 3 of 4 hunks; 3 places in 2 files, '
        .. '1 added, 1 deleted, 2 renamed, 6 hunks, +6 -4',
      lines[2]
    )
    assert.equal('## [-] a.txt           1 of 2 hunks  +1 -0', lines[5])
    assert.equal('@@ -2,3 +2,3 @@ [ ]', lines[6])
    local files, hunks = reply()
    assert.same({ true, true, true, true, true }, files)
    assert.same({ { false, true }, vim.NIL, vim.NIL, vim.NIL, vim.NIL }, hunks)
  end)

  it('leave the file out when none is kept, and keep it when all are', function()
    ask()
    keys(']cx', '- xxxxxxx')
    keys(']cjx', '   xxxxxx')
    assert.matches('^# 4 kept, 1 left out; ', child:lines()[2])
    keys('a', '- xxxxxxx')
    keys('2[ca', 'xxxxxxxxx')
    keys('jX', (' '):rep(9))
    keys('a', '-x       ')
    local files, hunks = reply()
    assert.same({ true, false, false, false, false }, files)
    assert.same({ true, false }, hunks[1])
  end)

  it('of a renamed file go without its rename going', function()
    ask()
    keys('G<Space>', 'xxxxxx-x ')
    keys('2[cx', 'xxxxxx-  ')
    assert.matches('\n## %[%-%] r.txt .*renamed  0 of 2 hunks\n', table.concat(child:lines(), '\n'))
    local files, hunks = reply()
    assert.same({ true, true, true, true, true }, files)
    assert.same({ vim.NIL, vim.NIL, vim.NIL, vim.NIL, { false, false } }, hunks)
  end)

  it('are switched by file where there are none', function()
    ask()
    keys('/+b1<CR><Space>', 'xxx xxxxx')
    keys('/-c1<CR>x', 'xxx  xxxx')
    keys(']fx', 'xxx   xxx')
    keys(']f=', 'xxx      ')
    keys('a', 'xxx   xxx')
    keys('gg]f<Space>', '      xxx')
  end)

  it('are switched together by a Visual range', function()
    ask()
    -- From the body of one hunk into the body of the next.
    keys('gg]cjVjjjj<Space>', '   xxxxxx')
    assert.equal('n', child:lua('return vim.fn.mode()'))
    keys('gg]cV]c<Space>', 'xxxxxxxxx')
    -- What is not alike becomes alike.
    keys('gg]cx', '- xxxxxxx')
    keys('V]c<Space>', 'xxxxxxxxx')
    -- Headings in the range stand for their files.
    keys('ggVGx', (' '):rep(9))
    keys('ggv]fa', 'xxx      ')
  end)

  it('come back one step at a time', function()
    ask()
    keys(']cx', '- xxxxxxx')
    keys('G=', '- xxxx   ')
    keys('X', (' '):rep(9))
    keys('u', '- xxxx   ')
    keys('u', '- xxxxxxx')
    keys('u', 'xxxxxxxxx')
    child:type('u')
    child:message('nothing was kept, left out or edited')
    -- A step that changes nothing is none.
    keys('gg]cxxx', '- xxxxxxx')
    keys('u', 'xxxxxxxxx')
  end)

  it('do not change in a file that was changed meanwhile', function()
    ask()
    keys(']cx', '- xxxxxxx')
    helper.write(child.dir .. '/a.txt', 'theirs\n')
    keys('u]c<Space>', '~xxxxxxxx')
    child:message('a.txt was changed since')
    keys('X', '~xx      ')
  end)

  it('say what becomes of them by highlight too', function()
    ask()
    keys(']cx', '- xxxxxxx')
    local found = child:lua([[
      local names = vim.api.nvim_get_namespaces()
      local found = {}
      for _, name in ipairs { 'oxide.review', 'oxide.review.off' } do
        for _, row in ipairs { 4, 5, 6 } do
          for _, m in ipairs(vim.api.nvim_buf_get_extmarks(0, names[name], { row, 0 }, { row, -1 },
              { details = true })) do
            local d = m[4]
            table.insert(found, ('%d.%d-%d.%d %s'):format(m[2], m[3], d.end_row, d.end_col, d.hl_group))
          end
        end
      end
      return found
    ]])
    assert.same({
      '4.3-4.6 OxideReviewPart',
      '4.7-4.42 OxideReviewPart',
      '5.16-5.19 OxideReviewOff',
      '6.0-9.5 OxideReviewOff',
    }, found)
    keys('a', 'xxxxxxxxx')
    assert.equal(
      0,
      child:lua(
        "return #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces()['oxide.review.off'], 0, -1, {})"
      )
    )
  end)

  it('of a rename that are left out are warned of, once', function()
    ask('rename')
    keys('X', (' '):rep(9))
    keys('A', 'xxxxxxxxx')
    assert.same({}, child:lua('return _G.messages'))
    keys(']cx', '- xxxxxxx')
    keys(']cx', '   xxxxxx')
    local messages = child:lua('return _G.messages')
    assert.equal(1, #messages)
    assert.matches('references will differ', messages[1].text)
  end)

  it('of another change are left out without a word', function()
    ask()
    keys(']cx', '- xxxxxxx')
    assert.same({}, child:lua('return _G.messages'))
  end)

  it('are accepted and rejected by command', function()
    ask()
    child:type(']cjj')
    child:wait('the line', "vim.fn.line('.') == 8")
    child:cmd('Oxide review reject')
    assert.equal('- xxxxxxx', marks())
    child:cmd('tabfirst | Oxide review accept')
    assert.equal('xxxxxxxxx', marks())
    child:cmd('Oxide review next')
    child:cmd('Oxide review reject')
    assert.equal('-x xxxxxx', marks())
  end)

  it('offer what can be done with them', function()
    ask()
    child:type(']cgra')
    child:wait('the question', '_G.offered')
    assert.same({
      'Hunk 1 of a.txt:',
      'accept this hunk',
      'reject this hunk',
      'reject the whole file',
      'open the diff side by side',
      'edit the new text',
    }, child:lua('return _G.offered'))
    child:lua('_G.choose(2)')
    assert.equal('- xxxxxxx', marks())
    child:lua('_G.choose(1)')
    assert.equal('xxxxxxxxx', marks())
    child:lua('_G.choose(3)')
    assert.equal('   xxxxxx', marks())
    child:type(']f]fgra')
    child:wait('the question', "_G.offered[1] == 'c.txt:'")
    child:lua('_G.choose(2)')
    assert.equal('   x xxxx', marks())
    child:lua('_G.choose(3)')
    assert.equal(2, child:lua('return #vim.api.nvim_tabpage_list_wins(0)'))
  end)

  it('show the lines around them', function()
    ask()
    child:type(']c]c3K')
    local win = child:wait(
      'the window',
      [[(function()
        for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
          if vim.api.nvim_win_get_config(win).relative ~= '' then return win end
        end
      end)()]]
    )
    assert.same(
      { ' 28', ' 29', ' 30', ' 31', '+31 and a half', ' 32', ' 33', ' 34', ' 35' },
      child:lua(
        'return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(...), 0, -1, false)',
        win
      )
    )
    child:type(']fK')
    child:message('the review shows the whole file')
  end)

  it('show as many of these as the option says', function()
    child:lua(
      "require('oxide').setup(vim.tbl_extend('force', vim.g.oxide, { review = { around = 1 } }))"
    )
    ask()
    child:type(']c]cK')
    child:wait(
      'the five lines',
      [[(function()
        for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
          local buf = vim.api.nvim_win_get_buf(win)
          if vim.api.nvim_win_get_config(win).relative ~= '' then
            return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '|')
              == ' 30| 31|+31 and a half| 32| 33'
          end
        end
      end)()]]
    )
  end)

  it('have an outline by file, which goes with the review', function()
    ask()
    keys(']cx', '- xxxxxxx')
    child:type('gO')
    child:wait('the list', "vim.bo.buftype == 'quickfix'")
    assert.same({
      '[-] a.txt           1 of 2 hunks  +1 -0',
      '[x] b.txt           new file  +2 -0',
      '[x] c.txt           deleted  +0 -1',
      '[x] d.txt -> e.txt  renamed',
      '[x] r.txt -> s.txt  renamed  2 hunks  +2 -2',
    }, child:lines())
    child:type('jj<CR>')
    child:wait(
      'the heading',
      "vim.bo.filetype == 'oxide-review' and vim.fn.getline('.'):find('c.txt')"
    )
    child:type(':q<CR>')
    child:wait('the end', "vim.fn.bufnr('oxide://review/7 ') < 0")
    child:wait('the first tab alone', "vim.fn.tabpagenr('$') == 1 and vim.fn.winnr('$') == 1")
  end)
end)
