-- The person changes the new text of a file in the review: that text is checked as the one before
-- was, and is what is applied.
local fault = require('fault')
local helper = require('helper')
local screen = require('screen')

local LINT = { { word = 'bad' }, { word = 'evil' } }

local OLD = {}
for i = 1, 20 do
  OLD[i] = 'line ' .. i
end

---@param changes table<integer, string>
local function text(changes)
  local lines = vim.deepcopy(OLD)
  for line, new in pairs(changes) do
    lines[line] = new
  end
  return table.concat(lines, '\n') .. '\n'
end

local PATCH = [[
*** Begin Patch
*** Update File: a.txt
@@
-line 2
+second
@@
-line 18
+eighteenth
*** Update File: b.txt
-ok
+fine
*** Add File: c.txt
+new
*** Delete File: d.txt
*** End Patch
]]

describe('the text of a change, in its review,', function()
  local p, child

  before_each(function()
    p = fault.project { lint = LINT, on = { ['textDocument/documentSymbol'] = { result = {} } } }
    child = p:nvim { ['a.txt'] = text {}, ['b.txt'] = 'ok\n', ['d.txt'] = 'd\n' }
    child:cmd('edit b.txt')
  end)
  after_each(fault.cleanup)

  local function ask()
    child:lua(
      [[
      require('oxide').patch { text = ..., review = 'always', on_done = function(err, result)
        _G.err, _G.result = err and err.message, result
      end }
    ]],
      PATCH
    )
    child:event('ReviewOpen')
  end

  local function in_review()
    child:wait('the review', "vim.bo.filetype == 'oxide-review'")
  end

  --- Goes to this line of the review, and opens the text.
  local function edit(pattern)
    in_review()
    child:cmd(([[call search('%s', 'w')]]):format(pattern))
    child:type('e')
    child:wait('the text', "vim.bo.buftype == 'acwrite' and vim.bo.filetype ~= 'oxide-review'")
  end

  --- Takes the text into the review, which says that it has been.
  local function take(name)
    child:type(':wq<CR>')
    in_review()
    child:wait(
      'the edited text in the review',
      [[(function(name)
        local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
        return text:find('\n## %[.%] ' .. vim.pesc(name) .. '[^\n]*edited by you')
          and not text:find('being checked', 1, true)
      end)(...)]],
      name
    )
  end

  local function page()
    return table.concat(child:lines(), '\n')
  end

  local function apply(keys)
    child:type(keys or ':w<CR>')
    local result = child:wait('the answer', '_G.result or _G.err')
    assert.equal('table', type(result), result)
    return result
  end

  it('is edited where the cursor was, and applied with the rest as one change', function()
    ask()
    edit('^+eighteenth')
    assert.equal('eighteenth', child:lua("return vim.fn.getline('.')"))
    child:type('AX<Esc>')
    take('a.txt')
    assert.matches('\n%+eighteenthX\n', page())
    assert.equal(2, child:lua("return vim.fn.tabpagenr('$')"))
    local result = apply()
    assert.equal(text { [2] = 'second', [18] = 'eighteenthX' }, helper.read(p.dir .. '/a.txt'))
    assert.equal('fine\n', helper.read(p.dir .. '/b.txt'))
    assert.equal('new\n', helper.read(p.dir .. '/c.txt'))

    assert.matches('+++ b/a.txt', result.changed_by_user, 1, true)
    assert.matches('\n%-eighteenth\n%+eighteenthX\n', result.changed_by_user)
    assert.is_nil(result.changed_by_user:find('second\n+', 1, true))
    child:cmd('Oxide history')
    child:wait(
      'the history',
      [[table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
      :find('(text changed in the review)', 1, true)]]
    )
    child:cmd('Oxide undo')
    child:message('Undid')
    assert.equal(text {}, helper.read(p.dir .. '/a.txt'))
    assert.equal('ok\n', helper.read(p.dir .. '/b.txt'))
    assert.equal('d\n', helper.read(p.dir .. '/d.txt'))
    assert.is_nil(vim.uv.fs_stat(p.dir .. '/c.txt'))
  end)

  it('has new errors shown, which are gone once it is mended', function()
    ask()
    edit('^+fine')
    child:type('Sevil<Esc>')
    take('b.txt')
    assert.equal('# It would bring 1 new error: :w! applies it anyway', child:lines()[2])
    assert.matches('\n# new error: b.txt:1: ', page())
    child:type(':w<CR>')
    child:wait('the refusal', "vim.v.errmsg:find('nothing was applied. :w! applies', 1, true)")
    in_review()
    edit('^+evil')
    child:type('Swell<Esc>')
    take('b.txt')
    assert.is_nil(page():find('new error', 1, true))
    apply()
    assert.equal('well\n', helper.read(p.dir .. '/b.txt'))
  end)

  it('says what became of it, to whom stays in the text', function()
    ask()
    edit('^+fine')
    child:type('Sevil<Esc>:w<CR>')
    child:message('b.txt is in the review now: it would bring 1 new error')
    child:type('Swell<Esc>:w<CR>')
    child:message('b.txt is in the review now')
    assert.matches('^oxide://review/.*b.txt after$', child:lua('return vim.fn.bufname()'))
  end)

  it('begins without the hunks that are left out, and others stay left out', function()
    ask()
    child:cmd([[call search('^+second')]])
    child:type('x')
    child:wait('the mark', "vim.fn.getline(vim.fn.search('^@@', 'bn')):find('[ ]', 1, true)")
    child:cmd([[call search('^## .*d.txt')]])
    child:type('=')
    edit('^+eighteenth')
    assert.equal('line 2', child:lua('return vim.fn.getline(2)'))
    child:type('cc18th<Esc>')
    take('a.txt')
    assert.matches('## %[x%] a.txt +1 hunk ', page())
    assert.matches('## %[ %] d.txt ', page())
    local result = apply()
    assert.equal(text { [18] = '18th' }, helper.read(p.dir .. '/a.txt'))
    assert.equal('d\n', helper.read(p.dir .. '/d.txt'))
    assert.equal('d.txt', result.left_out[1].file)
    assert.matches('\n%-second\n%+line 2\n', result.changed_by_user)
  end)

  it('has hunks that are left out like others', function()
    ask()
    edit('^+second')
    child:type('A, or so<Esc>')
    take('a.txt')
    child:cmd([[call search('^+eighteenth', 'w')]])
    child:type('x')
    child:wait('the mark', "vim.fn.getline(vim.fn.search('^@@', 'bn')):find('[ ]', 1, true)")
    local result = apply()
    assert.equal(text { [2] = 'second, or so' }, helper.read(p.dir .. '/a.txt'))
    assert.equal(1, result.left_out[1].hunks)
    assert.matches('\n%+second, or so\n', result.changed_by_user)
    assert.matches('\n%-eighteenth\n%+line 18\n', result.changed_by_user)
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('is what it was before by u, %d columns wide'):format(columns), function()
      ask()
      in_review()
      screen.size(child, columns, 60)
      child:lua('vim.o.showtabline = 0')
      local function back(state)
        child:type('u')
        screen.shows_some(child, { '## ' .. state .. ' a.txt' })
      end
      child:cmd([[call search('^+eighteenth', 'w')]])
      child:type('x')
      edit('^+second')
      child:type('AX<Esc>')
      take('a.txt')
      screen.shows_some(child, { '## [x] a.txt', '1 hunk ', 'edited by you' })
      edit('^+secondX')
      child:type('AY<Esc>')
      take('a.txt')
      child:cmd([[call search('^+fine', 'w')]])
      child:type('x')
      screen.shows_some(child, { '## [ ] b.txt' })
      child:type('u')
      screen.shows_some(child, { '## [x] b.txt' })

      child:type('u')
      screen.shows_some(child, { '+secondX' })
      child:wait('the check', "vim.fn.search('being checked', 'nw') == 0")
      assert.is_nil(page():find('secondXY', 1, true))
      assert.truthy(page():find('edited by you', 1, true))
      back('[-]')
      assert.is_nil(page():find('edited by you', 1, true))
      assert.matches('\n@@ [^\n]* %[ %]\n line 15\n', page())
      back('[x]')
      child:type('u')
      child:message('nothing to undo: nothing was kept, left out or edited')
      local result = apply()
      assert.equal(text { [2] = 'second', [18] = 'eighteenth' }, helper.read(p.dir .. '/a.txt'))
      assert.is_nil(result.changed_by_user)
    end)
  end

  it('of a new file is edited too, and of one that goes there is none', function()
    ask()
    edit('^+new')
    child:type('Anewer<Esc>onext<Esc>')
    take('c.txt')
    child:cmd([[call search('^## .*d.txt', 'w')]])
    child:type('e')
    child:message('d.txt is deleted: there is no text to edit')
    apply()
    assert.equal('newnewer\nnext\n', helper.read(p.dir .. '/c.txt'))
  end)

  it('is dropped by :q!, and holds up the review until then', function()
    ask()
    edit('^+fine')
    child:type('Sother<Esc>')
    child:cmd('tabprevious')
    in_review()
    child:type(':w<CR>')
    child:wait('the refusal', "vim.v.errmsg:find('the new text of b.txt is being edited', 1, true)")
    child:type('e')
    child:wait('the text', "vim.fn.getline(1) == 'other'")
    child:type(':q!<CR>')
    in_review()
    assert.is_nil(page():find('edited by you', 1, true))
    local result = apply()
    assert.equal('fine\n', helper.read(p.dir .. '/b.txt'))
    assert.is_nil(result.changed_by_user)
  end)

  it('that is as before leaves the file out', function()
    ask()
    edit('^+fine')
    child:type('Sok<Esc>:wq<CR>')
    in_review()
    child:message('b.txt is as it was before: it is left out')
    assert.matches('## %[ %] b.txt ', page())
    local result = apply()
    assert.equal('b.txt', result.left_out[1].file)
    assert.equal('ok\n', helper.read(p.dir .. '/b.txt'))
  end)

  it('is not taken where the file was changed meanwhile', function()
    ask()
    edit('^+second')
    child:type('A!<Esc>')
    helper.write(p.dir .. '/a.txt', 'theirs\n')
    child:type(':wq<CR>')
    child:wait('the refusal', "vim.v.errmsg:find('a.txt was changed since', 1, true)")
    assert.equal('second!', child:lua("return vim.fn.getline('.')"))
    child:type(':q!<CR>')
    in_review()
    assert.matches('## %[~%] a.txt ', page())
    assert.equal('theirs\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('goes with the review', function()
    ask()
    edit('^+fine')
    child:cmd('tabprevious')
    in_review()
    child:type(':q<CR>')
    child:wait('the one tab', "vim.fn.tabpagenr('$') == 1")
    assert.equal('ok\n', helper.read(p.dir .. '/b.txt'))
  end)

  it('keeps its line ends and what it has no end for', function()
    helper.write(p.dir .. '/b.txt', '\239\187\191ok\r\nlast')
    child:cmd('bwipeout!')
    child:cmd('edit a.txt')
    ask()
    edit('^+.*fine')
    assert.same({ 'fine', 'last' }, child:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)'))
    child:type('Afine<Esc>')
    take('b.txt')
    apply()
    assert.equal('\239\187\191finefine\r\nlast', helper.read(p.dir .. '/b.txt'))
  end)

  describe('while it is being checked,', function()
    before_each(function()
      helper.cleanup()
      p = fault.project {
        lint = LINT,
        on = {
          ['textDocument/documentSymbol'] = { result = {} },
          ['textDocument/codeAction'] = { hold = 'fixes', result = {} },
        },
      }
      child = p:nvim { ['a.txt'] = text {}, ['b.txt'] = 'ok\n', ['d.txt'] = 'd\n' }
      child:cmd('edit b.txt')
      ask()
      edit('^+fine')
      child:type('Sevil<Esc>:wq<CR>')
      in_review()
      p:wait_log('the question for fixes', function(entry)
        return entry.holds == 'fixes'
      end)
    end)

    local function assert_untouched()
      assert.equal(text {}, helper.read(p.dir .. '/a.txt'))
      assert.equal('ok\n', helper.read(p.dir .. '/b.txt'))
      assert.equal('d\n', helper.read(p.dir .. '/d.txt'))
    end

    it('the review says so, and :w waits for what comes of it', function()
      assert.matches('\n# The new text is being checked; then it is shown here%.\n', page())
      child:type(':w<CR>')
      p:act { release = 'fixes' }
      child:wait('the refusal', "vim.v.errmsg:find('it would bring 1 new error', 1, true)")
      in_review()
      child:type(':w!<CR>')
      child:wait('the answer', '_G.result')
      assert.equal('evil\n', helper.read(p.dir .. '/b.txt'))
    end)

    it('nothing else is edited', function()
      child:cmd([[call search('^+second', 'w')]])
      child:type('e')
      child:message('the text before is still being checked')
      p:act { release = 'fixes' }
      take('b.txt')
      child:type(':q<CR>')
      child:wait('the refusal', '_G.err')
      assert_untouched()
    end)

    it('it can be discarded', function()
      child:type(':q<CR>')
      p:act { release = 'fixes' }
      assert.matches('was not confirmed; nothing was changed', child:wait('the end', '_G.err'))
      assert_untouched()
    end)

    it('who asked can take it back', function()
      child:lua([[
        local call = require('oxide.review').current().question.call
        require('oxide.core').cancel(call)
      ]])
      assert.equal('gone', child:event('ReviewClose').outcome)
      p:act { release = 'fixes' }
      assert.matches('cancelled', child:wait('the end', '_G.err'))
      assert_untouched()
    end)
  end)
end)

describe('the text of a rename, in its review,', function()
  after_each(helper.cleanup)

  it('is edited, and what the rename told stays told', function()
    local child = helper.start {
      ['a.c'] = '#define CHECK(x) check(x, #x)\nint check(int v, const char *text);\n'
        .. 'int old(void);\nint two(void) { return CHECK(old()); }\n',
    }
    child:cmd('edit a.c | 3')
    child:cmd('normal! w')
    child:cmd('confirm Oxide rename new')
    child:event('ReviewOpen')
    local note = 'the macro CHECK turns the name into a string'
    assert.matches(note, table.concat(child:lines(), '\n'))
    child:cmd("call search('^+int two')")
    child:type('e')
    child:wait('the text', "vim.bo.buftype == 'acwrite' and vim.bo.filetype ~= 'oxide-review'")
    child:type('A // two<Esc>:wq<CR>')
    child:wait(
      'the edited text',
      [[vim.bo.filetype == 'oxide-review' and vim.fn.search('edited by you', 'n') > 0
        and vim.fn.search('being checked', 'n') == 0]]
    )
    assert.matches(note, table.concat(child:lines(), '\n'))
    child:type(':w<CR>')
    child:message('Renamed')
    assert.equal(
      'int two(void) { return CHECK(new()); } // two',
      child:lua('return vim.fn.getline(4)')
    )
  end)
end)
