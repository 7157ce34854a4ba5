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
        -- The answer comes after every change that was sent before it.
        fault.done(child, fault.ask(child, 'hover'))
        local want = table.concat(child:lines(), '\n')
        if child:lua('return vim.bo.endofline') then
          want = want .. '\n'
        end
        local got = p:server_text('a.txt'):gsub('\r\n', '\n')
        -- A buffer without lines has one that is empty.
        if not (want == '\n' and got == '') then
          assert.equal(want, got, ('after step %d, %s'):format(i, vim.inspect(step)))
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
