-- Whatever is done to a buffer, the server's text stays equal to it: the server applies each
-- didChange by itself, and writes down what does not fit.
local fault = require('fault')

local TEXT = 'first old\n\tsecond, 日本語 😀 α\nthird\n\nfifth e\204\129 end\n'

--- What a person does, as keys or as a command.
local STEPS = {
  { keys = 'Gohello <Esc>' },
  { keys = 'ggOα😀日本<Esc>' },
  { keys = '3Gf日x' },
  { keys = '3GA 👩‍👩‍👧<Esc>' },
  { cmd = '%delete _' },
  { keys = 'onew after all is gone<Esc>' },
  { cmd = 'undo' },
  { cmd = 'undo' },
  { cmd = 'redo' },
  { cmd = 'undo' },
  { cmd = 'set noendofline nofixendofline' },
  { keys = 'Gotyped without a newline at the end<Esc>' },
  { keys = 'dd' },
  { cmd = 'set endofline' },
  { keys = 'ggyGGp' },
  { keys = 'GdGggdG' },
  { cmd = 'undo' },
  { keys = 'gg5J' },
  { cmd = [[silent! %s/old/日本/g]] },
  { cmd = [[silent! %s/$/ x\ry/]] },
  { cmd = '2,4move 0' },
  { cmd = 'sort' },
  { keys = 'ggqaA!<Esc>jq3@a' },
  { keys = 'gg<C-v>jjI->😀<Esc>' },
  { lua = "vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'all', 'of it', '😀' })" },
  { lua = "vim.api.nvim_buf_set_text(0, 0, 1, 2, 4, { 'é', '' })" },
  { lua = "vim.api.nvim_paste('pasted\\nin three 😀\\nlines', true, -1)" },
  { cmd = 'earlier 3' },
  { cmd = 'later 2' },
  { cmd = 'setlocal fileformat=dos' },
  { cmd = 'normal! Ounder CRLF' },
  { cmd = 'write' },
  { cmd = [[silent! 1,$delete | put ='x']] },
  { cmd = 'edit!' },
}

for _, encoding in ipairs { 'utf-8', 'utf-16', 'utf-32' } do
  describe(encoding .. ': the text of the server', function()
    after_each(fault.cleanup)

    it('stays that of the buffer', function()
      local p = fault.project { encoding = encoding }
      local child = p:nvim { ['a.txt'] = TEXT }
      child:cmd('edit a.txt')
      fault.done(child, fault.ask(child, 'hover'))
      assert.equal(TEXT, p:server_text('a.txt'))
      for i, step in ipairs(STEPS) do
        if step.keys then
          child:lua(
            [[
            local keys = vim.api.nvim_replace_termcodes((...), true, true, true)
            vim.api.nvim_feedkeys(keys, 'xt', false)
          ]],
            step.keys
          )
        elseif step.cmd then
          child:cmd(step.cmd)
        else
          child:lua(step.lua)
        end
        -- The answer comes after every change that was sent before it; but where there is no text
        -- there is no place to ask about, and the server is not asked.
        fault.done(child, fault.ask(child, 'hover'))
        local want = table.concat(child:lines(), '\n')
        if child:lua('return vim.bo.endofline') then
          want = want .. '\n'
        end
        local function got()
          return (p:server_text('a.txt'):gsub('\r\n', '\n'))
        end
        -- A buffer without lines has one that is empty.
        if want == '\n' then
          fault.wait(('an empty text after step %d'):format(i), function()
            return got() == '' or got() == want
          end)
        else
          assert.equal(want, got(), ('after step %d, %s'):format(i, vim.inspect(step)))
        end
      end
    end)
  end)
end

describe('the text of a server', function()
  after_each(fault.cleanup)

  it('of the kind that wants whole texts is right too', function()
    local p = fault.project {
      capabilities = { textDocumentSync = { openClose = true, change = 1 } },
    }
    local child = p:nvim { ['a.txt'] = TEXT }
    child:cmd('edit a.txt')
    fault.done(child, fault.ask(child, 'hover'))
    child:cmd('normal! ggOα😀')
    fault.done(child, fault.ask(child, 'hover'))
    assert.equal('α😀\n' .. TEXT, p:server_text('a.txt'))
  end)

  it('keeps up with typing alone, with nothing asked', function()
    local p = fault.project {}
    local child = p:nvim { ['a.txt'] = TEXT }
    child:cmd('edit a.txt')
    fault.done(child, fault.ask(child, 'hover'))
    child:type('ggityped 😀 <Esc>')
    fault.wait('the server to know it', function()
      return p:server_text('a.txt') == 'typed 😀 ' .. TEXT
    end)
    child:cmd('bwipeout!')
    p:wait_received('textDocument/didClose')
  end)

  -- The oracle is Neovim's own way.
  it('and the buffer are what the edits say, lines coming and going between them', function()
    local lines, edits = {}, {}
    for i = 1, 300 do
      lines[i] = ('word%d日 second%d😀 third%d'):format(i, i, i)
    end
    local function add(first, from, last, to, new)
      table.insert(edits, {
        range = {
          start = { line = first, character = from },
          ['end'] = { line = last, character = to },
        },
        newText = new,
      })
    end
    for i = 0, 280, 7 do
      add(i, 0, i, 4, 'wörd') -- two in one line,
      add(i, 4, i, 4, '+')
      add(i + 1, 0, i + 2, 0, '') -- two that touch, whole lines,
      add(i + 2, 0, i + 3, 0, 'a\nb\n')
      add(i + 4, 2, i + 5, 2, 'joined')
      add(i + 6, 0, i + 6, 0, 'before\n')
    end
    add(299, 0, 300, 0, 'the last\n')
    add(300, 0, 300, 0, 'and one more\n')
    local text = table.concat(lines, '\n') .. '\n'
    local p = fault.project { on = { ['textDocument/formatting'] = { result = edits } } }
    local child = p:nvim { ['a.txt'] = text }
    child:cmd('edit a.txt')
    local mark = child:lua([[
      local ns = vim.api.nvim_create_namespace('test')
      return { ns, vim.api.nvim_buf_set_extmark(0, ns, 290, #'word291日 ', {}) }
    ]])
    child:cmd('call setpos("\'a", [0, 207, 1, 0])')
    local oracle = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_lines(oracle, 0, -1, false, lines)
    vim.lsp.util.apply_text_edits(edits, oracle, 'utf-16')
    local want = vim.api.nvim_buf_get_lines(oracle, 0, -1, false)
    if want[#want] == '' then
      table.remove(want) -- 0.10 makes a line of the last line's end
    end
    local done = fault.done(child, fault.ask(child, 'format', { review = 'never' }))
    assert.is_nil(done.message)
    assert.same(want, child:lines())
    fault.done(child, fault.ask(child, 'hover'))
    assert.equal(table.concat(want, '\n') .. '\n', p:server_text('a.txt'))
    local at = child:lua('return vim.api.nvim_buf_get_extmark_by_id(0, ...)', mark[1], mark[2], {})
    assert.equal('second291', want[at[1] + 1]:sub(at[2] + 1, at[2] + 9))
    assert.matches('^word207日', want[child:lua([[return vim.fn.line("'a")]])])
    child:cmd('undo')
    assert.same(lines, child:lines())
    fault.done(child, fault.ask(child, 'hover'))
    assert.equal(text, p:server_text('a.txt'))
  end)

  it('is right when a plugin answers a change with one of its own', function()
    local p = fault.project {
      on = { ['textDocument/rename'] = { rename = { files = { 'a.txt' } } } },
    }
    local child = p:nvim { ['a.txt'] = ('old old\n'):rep(100) }
    child:cmd('edit a.txt')
    child:lua([[
      vim.api.nvim_create_autocmd('TextChanged', { once = true, callback = function()
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'from a plugin' })
      end })
      vim.api.nvim_buf_attach(0, false, { on_lines = function(_, buf)
        if not _G.seen then
          _G.seen = true
          vim.schedule(function()
            vim.api.nvim_buf_set_lines(buf, -1, -1, false, { 'and from another' })
          end)
        end
      end })
    ]])
    local args = { name = 'new', line = 1, column = 1, review = 'never' }
    assert.is_nil(fault.done(child, fault.ask(child, 'rename', args)).message)
    local want = 'from a plugin\n' .. ('new new\n'):rep(100) .. 'and from another\n'
    child:type('<Esc>') -- the main loop turns, and with it TextChanged
    child:wait('both', "vim.fn.line('$') == 102")
    assert.equal(want, table.concat(child:lines(), '\n') .. '\n')
    fault.done(child, fault.ask(child, 'hover'))
    assert.equal(want, p:server_text('a.txt'))
  end)

  -- The core does not listen while so many edits are carried out.
  it('is right after hundreds of edits, and after what is typed behind them', function()
    local p = fault.project {
      on = { ['textDocument/rename'] = { rename = { files = { 'a.txt' } } } },
    }
    local child = p:nvim { ['a.txt'] = ('old 😀 old\n'):rep(100) }
    child:cmd('edit a.txt')
    child:cmd('normal! Otyped')
    local args = { name = 'new', line = 2, column = 1, review = 'never' }
    local done = fault.done(child, fault.ask(child, 'rename', args))
    assert.is_nil(done.message)
    assert.equal(200, done.result.edits)
    child:cmd('normal! Goand 日本')
    fault.done(child, fault.ask(child, 'hover'))
    local want = 'typed\n' .. ('new 😀 new\n'):rep(100) .. 'and 日本\n'
    assert.equal(want, table.concat(child:lines(), '\n') .. '\n')
    assert.equal(want, p:server_text('a.txt'))
    child:cmd('undo')
    child:cmd('undo')
    fault.done(child, fault.ask(child, 'hover'))
    assert.equal('typed\n' .. ('old 😀 old\n'):rep(100), p:server_text('a.txt'))
  end)
end)
