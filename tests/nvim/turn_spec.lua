-- `:Oxide turn`: what a model has changed in one turn, decided about, undone and redone in Neovim while
-- its user goes on typing.
local chat = require('chat')
local helper = require('helper')
local model_server = require('model_server')
local screen = require('screen')

local A, B = 'one\ntwo\nthree\nfour\n', 'B\n'

describe(':Oxide turn', function()
  local server, child ---@type test.ModelServer, test.Child

  before_each(function()
    server = model_server.start('openai')
    local config = ([[{
      core = { path = %q },
      models = { fast = { url = %q, model = 'm1' } },
      review = { agent_focus = 'always' },
    }]]):format(helper.core, server.url)
    child = helper.start({ ['a.txt'] = A, ['b.txt'] = B }, { config = config })
    child:cmd('edit a.txt')
    server:says {
      calls = { model_server.edit('a.txt', 2, 'zwei'), model_server.edit('b.txt', 1, 'beta') },
    }
    server:says { text = 'Done.' }
  end)
  after_each(function()
    helper.cleanup()
    server:stop()
  end)

  local function ask()
    child:cmd('Oxide ask translate')
    child:event('ReviewOpen')
  end

  local function applied()
    child:cmd('Oxide ask! translate')
    chat.ended(child)
    assert.equal('one\nzwei\nthree\nfour\n', child:file('a.txt'))
    assert.equal('beta\n', child:file('b.txt'))
  end

  --- The lines of a.txt in Neovim.
  local function lines()
    local text = child:lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, true)")
    return table.concat(text, ' ')
  end

  --- As a user does who goes there and types.
  local function type_in_a(keys)
    child:cmd('tabfirst')
    child:lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('a.txt'))")
    child:lua("vim.fn.feedkeys(vim.keycode(...), 'xt')", keys)
  end

  --- What the chat says last of changes.
  local function note()
    return child:wait(
      'the note',
      [[(function()
        local lines = vim.api.nvim_buf_get_lines(vim.fn.bufnr('^oxide://chat/1$'), 0, -1, true)
        for i = #lines, 1, -1 do
          if lines[i]:find('^%*%*Changes ') then return lines[i] end
        end
      end)()]]
    )
  end

  local function review_gone()
    child:wait('the end of the review', "vim.fn.bufnr('oxide://review/') < 0")
  end

  it('accept: decides in place of the review that is open', function()
    ask()
    child:cmd('Oxide turn accept')
    assert.matches('Accepted "translate" in 2 files', child:message('Accepted'))
    chat.ended(child)
    review_gone()
    assert.equal('one\nzwei\nthree\nfour\n', child:file('a.txt'))
    assert.equal('beta\n', child:file('b.txt'))
    assert.matches('Changes accepted%*%*: a.txt %+1 %-1, b.txt %+1 %-1', note())
  end)

  it('reject: forgets them', function()
    ask()
    child:cmd('Oxide turn reject')
    child:message('Rejected the changes of "translate"')
    chat.ended(child)
    review_gone()
    assert.same({ A, B }, { child:file('a.txt'), child:file('b.txt') })
    assert.matches('Changes rejected', note())
    child:cmd('Oxide turn accept')
    child:message('no changes of a model wait for a review')
  end)

  it('accept: keeps what was typed in other lines during the review', function()
    ask()
    type_in_a('GoFIVE<Esc>ggOzero<Esc>')
    child:cmd('Oxide turn accept')
    local said = 'Oxide: Accepted "translate" in 2 files. Wrote 1 file. 1 buffer is left modified.'
    assert.equal(said, child:message('.'))
    chat.ended(child)
    review_gone()
    assert.equal('zero one zwei three four FIVE', lines())
    assert.equal('beta\n', child:file('b.txt'))
  end)

  it('waits where the same lines were typed during the review, until they can be made', function()
    ask()
    type_in_a('2GSdeux<Esc>')
    child:cmd('Oxide turn accept')
    local message = child:message('a%.txt')
    assert.truthy(message:find('2', 1, true), message)
    assert.equal('one deux three four', lines())
    assert.equal(B, child:file('b.txt'))
    chat.ended(child)
    assert.matches('Changes undecided', note())
    child:lua('_G.messages = {}')
    child:cmd('Oxide turn diff')
    child:wait('the diff', "vim.bo.filetype == 'diff' and vim.fn.search('^+zwei', 'w') > 0")
    assert.truthy(vim.list_contains(child:lines(), '-two')) -- as the model has made it
    assert.truthy(vim.list_contains(child:lines(), '+beta'))
    child:message('same lines .*a.txt %(line 2%)')
    child:cmd('close')
    type_in_a('2GStwo<Esc>')
    child:cmd('Oxide turn accept')
    child:message('Accepted')
    assert.equal('one zwei three four', lines())
    assert.equal('beta\n', child:file('b.txt'))
  end)

  it('a review of a file that was typed in meanwhile shows the change beside that by :w', function()
    ask()
    child:cmd('call search("^@@.*", "W") | call search("^## .*b.txt", "W")')
    child:type('=')
    type_in_a('GoFIVE<Esc>ggOzero<Esc>')
    child:cmd('tabnext')
    child:wait(
      'the advice',
      "vim.fn.search('^# A file has changed: :w shows the change again, beside that', 'nw') > 0"
    )
    child:lua('_G.events = {}')
    child:cmd('write')
    child:event('ReviewOpen')
    child:message('a.txt has changed: this is the change beside it, not applied yet')
    assert.equal('zero one two three four FIVE', lines())
    assert.equal(1, child:lua("return vim.fn.search('^## .x. a.txt', 'nw') > 0 and 1 or 0"))
    assert.equal(1, child:lua("return vim.fn.search('^## . . b.txt', 'nw') > 0 and 1 or 0"))
    child:cmd('write')
    chat.ended(child)
    review_gone()
    assert.equal('zero one zwei three four FIVE', lines())
    assert.equal(B, child:file('b.txt'))
    assert.matches('Changes accepted in part', note())
  end)

  it('a review of a file that was typed in meanwhile keeps :wqa from ending Neovim', function()
    ask()
    type_in_a('GoFIVE<Esc>')
    child:wait('the status', "vim.fn.bufname('%') == 'a.txt'")
    child:type(':wqa<CR>')
    child:message('a.txt was changed since this review was made')
    assert.truthy(child:lua("return vim.fn.bufnr('oxide://review/') > 0"))
    child:cmd('Oxide review')
    child:lua('_G.events = {}')
    child:type(':w<CR>')
    child:event('ReviewOpen')
    child:type(':w<CR>')
    chat.ended(child)
    assert.equal('one zwei three four FIVE', lines())
  end)

  it('a review of lines that were typed meanwhile says so by :w, and the changes wait', function()
    ask()
    type_in_a('2GSdeux<Esc>')
    child:cmd('tabnext')
    child:cmd('write')
    review_gone()
    chat.ended(child)
    assert.matches('Changes undecided', note())
    child:message('a.txt %(line 2%)')
    assert.equal('one deux three four', lines())
    type_in_a('2GStwo<Esc>')
    child:cmd('Oxide turn accept')
    child:message('Accepted')
    assert.equal('one zwei three four', lines())
  end)

  it('diff: shows them while the model is still at work, as the chat does', function()
    local waits
    server.answers_left[1].before = function()
      waits = server:waits()
    end
    child:cmd('Oxide ask translate')
    assert.truthy(vim.wait(helper.deadline, function()
      return #server.asked == 2
    end))
    for _, shown in ipairs { '✓ edit_file a.txt:2 +1 -1', '-two\n+zwei', '-B\n+beta' } do
      assert.truthy(
        vim.wait(helper.deadline, function()
          return chat.text(child):find('\n' .. shown .. '\n', 1, true) ~= nil
        end, 5),
        shown
      )
    end
    child:cmd('Oxide turn diff')
    child:wait('the diff', "vim.bo.filetype == 'diff' and vim.fn.search('^+zwei', 'w') > 0")
    assert.same({ A, B }, { child:file('a.txt'), child:file('b.txt') })
    child:cmd('close')
    waits.go()
    child:event('ReviewOpen')
    child:cmd('write')
    assert.is_nil(chat.ended(child).error)
    assert.same(
      { 'one\nzwei\nthree\nfour\n', 'beta\n' },
      { child:file('a.txt'), child:file('b.txt') }
    )
  end)

  it('diff: shows them while they wait, and once they were made', function()
    ask()
    child:cmd('tabfirst')
    child:cmd('Oxide turn diff')
    child:wait('the diff', "vim.bo.filetype == 'diff' and vim.fn.search('^+zwei', 'w') > 0")
    assert.same({ A, B }, { child:file('a.txt'), child:file('b.txt') })
    child:cmd('close | Oxide turn accept')
    child:message('Accepted')
    child:cmd('Oxide turn diff')
    child:wait('the diff', "vim.bo.filetype == 'diff' and vim.fn.search('^-two', 'w') > 0")
    assert.truthy(vim.list_contains(child:lines(), '+beta'))
  end)

  it('undo and redo: keep what was edited since', function()
    applied()
    type_in_a('GoFIVE<Esc>')
    child:cmd('Oxide turn undo')
    child:message('Undid "translate" in 2 files')
    assert.equal('one two three four FIVE', lines())
    assert.equal(B, child:file('b.txt'))
    type_in_a('ggOzero<Esc>')
    child:cmd('Oxide turn redo')
    child:message('Redid "translate" in 2 files')
    assert.equal('zero one zwei three four FIVE', lines())
    assert.equal('beta\n', child:file('b.txt'))
  end)

  describe('undo and redo: are told to the model', function()
    --- Asks on, and looks at what the model is told and the screen shows.
    local function asked(prompt, says)
      server:says { text = 'Yes.' }
      child:lua('_G.events = {}')
      child:cmd('Oxide ask! ' .. prompt)
      chat.ended(child)
      local raw = server.asked[#server.asked].raw
      local last = raw:sub(raw:find('"' .. prompt, 1, true) or 1, -1)
      child:cmd('Oxide chat')
      child:cmd('wincmd _')
      local rows = table.concat(child:lua('return _G.screen_rows()'), '\n')
      for _, told in ipairs(says) do
        assert.truthy(last:find(vim.json.encode(told):sub(2, -2), 1, true), last)
        assert.truthy(rows:find('> told: ' .. told:sub(1, 46), 1, true), rows)
      end
      assert.equal(#says > 0, last:find('The user has ', 1, true) ~= nil, last)
      child:lua("vim.fn.win_gotoid(vim.fn.bufwinid('a.txt'))")
    end

    local accepted = 'The user has accepted your changes: the files are changed.'

    for _, columns in ipairs { 60, 80, 200 } do
      it(('%d columns wide'):format(columns), function()
        screen.size(child, columns, 50)
        applied()
        local undone = 'The user has undone your changes: the files are as they were before'
        child:cmd('Oxide turn undo')
        child:message('Undid')
        asked('second', { accepted, undone })
        assert.equal(A, child:file('a.txt'))
        asked('third', {})
      end)

      it(
        ('also of an earlier turn, and of another core, %d columns wide'):format(columns),
        function()
          screen.size(child, columns, 50)
          applied()
          asked('second', { accepted })
          child:cmd('Oxide core restart')
          child:cmd('Oxide turn undo')
          child:message('Undid')
          asked('third', { 'The user has undone your changes for "translate": the files' })
          child:cmd('Oxide core restart')
          asked('fourth', {})
          child:cmd('Oxide turn redo')
          child:message('Redid')
          asked('fifth', { 'The user has made your changes for "translate" again' })
        end
      )

      it(
        ('also of a message that was sent again, and of another core, %d columns wide'):format(
          columns
        ),
        function()
          screen.size(child, columns, 50)
          applied()
          server:says { calls = { model_server.edit('a.txt', 3, 'drei') } }
          server:says { text = 'Again.' }
          child:lua('_G.messages, _G.events = {}, {}')
          child:lua("require('oxide').chat {}")
          child:type('<Esc>gr')
          chat.ended(child)
          child:lua("vim.fn.win_gotoid(vim.fn.bufwinid('a.txt'))")
          assert.equal('one zwei drei four', lines())
          child:cmd('Oxide core restart')
          child:cmd('Oxide turn undo')
          child:message('Undid')
          asked('go on', { 'The user has undone your changes for "translate": the files' })
          child:cmd('Oxide core restart')
          asked('at last', {})
        end
      )
    end
  end)

  describe('what another core was left with is told to the model', function()
    local function asked_again(prompt)
      server:says { text = 'Yes.' }
      child:lua('_G.events = {}')
      child:cmd('Oxide ask ' .. prompt)
      chat.ended(child)
      local raw = server.asked[#server.asked].raw
      return raw:sub(raw:find('"' .. prompt, 1, true) or 1, -1)
    end

    it('that none was made', function()
      ask()
      child:cmd('Oxide core restart')
      review_gone()
      assert.same({ A, B }, { child:file('a.txt'), child:file('b.txt') })
      assert.matches('None of your changes was made', asked_again('second'))
      assert.truthy(chat.text(child):find('> told: None of your changes was made', 1, true))
    end)

    it('that they were made', function()
      applied()
      child:cmd('Oxide core restart')
      assert.matches('The user has accepted your changes', asked_again('second'))
      child:cmd('Oxide core restart')
      assert.not_matches('your changes', asked_again('third'))
    end)
  end)

  it('undo: changes nothing where the same lines were edited since, and names them', function()
    applied()
    type_in_a('2GSdeux<Esc>')
    child:cmd('Oxide turn undo')
    local message = child:message('a%.txt')
    assert.truthy(message:find('2', 1, true), message)
    assert.equal('one deux three four', lines())
    assert.equal('beta\n', child:file('b.txt'))
    child:cmd('undo')
    child:cmd('Oxide turn undo')
    child:message('Undid')
    assert.equal('one two three four', lines())
  end)

  it('says that there is none', function()
    for _, action in ipairs { 'accept', 'reject', 'undo', 'redo', 'diff' } do
      child:lua('_G.messages = {}')
      child:cmd('Oxide turn ' .. action)
      child:message('^Oxide: no ')
    end
  end)
end)
