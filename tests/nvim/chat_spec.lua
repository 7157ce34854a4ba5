-- Conversations in Neovim with a model that says what the test has it say.
local chat = require('chat')
local helper = require('helper')
local model_server = require('model_server')

local TEXT = 'int f(void) {\n  return 1;\n}\n'

describe('a conversation in Neovim', function()
  local server, child ---@type test.ModelServer, test.Child

  ---@param more? string   of the plugin's configuration
  local function begin(more)
    server = model_server.start('openai')
    local config = ([[{
      core = { path = %q, options = { ['chat.retry_ms'] = 1 } },
      models = { fast = { url = %q, model = 'm1' } },
      review = { agent_focus = 'always' }, %s
    }]]):format(helper.core, server.url, more or '')
    child = helper.start({ ['a.c'] = TEXT }, { config = config })
    child:cmd('edit a.c')
  end

  local function chat_text()
    return chat.text(child)
  end

  local function ended(count)
    return chat.ended(child, count)
  end

  --- The user's last words in the request.
  ---@param request integer
  local function words(request)
    local messages = server.asked[request].body.messages
    for i = #messages, 1, -1 do
      local content = messages[i].content
      if messages[i].role == 'user' then
        return type(content) == 'string' and content
          or table.concat(
            vim.tbl_map(function(part)
              return part.text
            end, content),
            '\n'
          )
      end
    end
  end

  after_each(function()
    helper.cleanup()
    server:stop()
  end)

  it('is begun by a question about the buffer, and the answer streams in beside it', function()
    begin()
    local tick = child:lua('return vim.b.changedtick')
    server:says { text = 'It returns one.\nAlways.' }
    child:cmd('Oxide ask what is this?')
    assert.falsy(ended().error)
    assert.equal(
      '# You\n\nwhat is this?\n\n> with a.c, c\n\n# fast\n\nIt returns one.\nAlways.\n\n# You\n\n',
      chat_text()
    )
    local asked = words(1)
    assert.truthy(asked:find('what is this?', 1, true))
    assert.truthy(asked:find('1: int f(void) {\n2:   return 1;\n3: }', 1, true), asked)
    assert.equal(child.dir .. '/a.c', child:lua('return vim.api.nvim_buf_get_name(0)'))
    assert.equal(TEXT, table.concat(child:lines(), '\n') .. '\n')
    assert.equal(tick, child:lua('return vim.b.changedtick'))
  end)

  it('shows some lines of a buffer that is not saved', function()
    begin()
    child:lua("vim.api.nvim_buf_set_lines(0, 1, 2, false, { '  return 7;' })")
    server:says { text = 'Seven.' }
    child:cmd('2,3Oxide ask why?')
    ended()
    local asked = words(1)
    assert.truthy(
      asked:find('a.c, lines 2 to 3, c, unsaved changes:\n2:   return 7;\n3: }', 1, true),
      asked
    )
  end)

  it('has a change of the model reviewed by the user, and tells it the result', function()
    begin()
    server:says {
      text = 'I change it.',
      calls = { model_server.edit('a.c', 2, '  return 2;') },
    }
    server:says { text = 'Done.' }
    child:cmd('Oxide ask return two')
    local question = child:event('ReviewOpen')
    assert.equal(question.buf, child:lua('return vim.api.nvim_get_current_buf()'))
    assert.truthy(table.concat(child:lines(), '\n'):find('fast', 1, true))
    child:cmd('write')
    ended()
    assert.equal('int f(void) {\n  return 2;\n}\n', child:file('a.c'))
    assert.truthy(server.asked[2].raw:find('files_changed: 1', 1, true))
    assert.falsy(chat_text():find('files_changed', 1, true)) -- that, the diff shows
    assert.truthy(chat_text():find('\n✓ edit_file a.c:2 +1 -1\n', 1, true), chat_text())
    assert.truthy(chat_text():find('\nDone.\n', 1, true), chat_text())
  end)

  --- Writes a message in the chat window, and sends it by a key.
  ---@param text string
  local function say(text)
    child:cmd('Oxide chat')
    child:type('GA' .. text .. '<Esc>')
    child:wait('the text', "vim.fn.mode() == 'n' and vim.fn.getline('.') == ...", text)
    child:type('<CR>')
  end

  local function lua_chat(code, ...)
    return child:lua("local talk = require('oxide.chat').get(1); return " .. code, ...)
  end

  --- The words of all messages of a request, by role.
  local function all_words(request)
    return vim.tbl_map(function(message)
      local content = message.content
      return message.role .. ': ' .. (type(content) == 'table' and content[1].text or content)
    end, vim.list_slice(server.asked[request].body.messages, 2))
  end

  it('goes on in the place to write', function()
    begin()
    server:says { text = 'One.' }
    server:says { text = 'Two.' }
    child:cmd('Oxide ask first')
    ended()
    say('second')
    ended(2)
    assert.same({ 'assistant: One.', 'user: second' }, vim.list_slice(all_words(2), 2))
    assert.truthy(chat_text():find('# You\n\nsecond\n\n# fast\n\nTwo.\n\n# You\n\n$'), chat_text())
    assert.equal(vim.fn.line('$'), vim.fn.line('.'))
    child:type('gg]]')
    child:wait('the answer', "vim.fn.getline('.') == '# fast'")
    child:type(']]')
    child:wait('the next message', "vim.fn.getline('.') == '# You' and vim.fn.line('.') > 6")
    child:type('[[')
    child:wait('the answer', "vim.fn.getline('.') == '# fast'")
  end)

  it('queues what is written while the model answers, and sends it then', function()
    begin()
    local waits = server:waits()
    server:says { text = 'One.' }
    server:says { text = 'Two.' }
    child:cmd('Oxide ask first')
    child:wait('the request', 'true')
    say('second')
    child:wait('the queue', "#require('oxide.chat').get(1).queue == 1")
    assert.truthy(child:lua('return require("oxide").status()'):find('fast is answering', 1, true))
    waits.go()
    ended(2)
    assert.same('user: second', all_words(2)[3])
    assert.equal('', child:lua('return require("oxide").status()'))
  end)

  it('is cancelled at once, gives back what was queued, and goes on', function()
    begin()
    local waits = server:waits()
    child:cmd('Oxide ask first')
    child:wait('the turn', "require('oxide.chat').get(1).turn.is_sent")
    say('second')
    child:cmd('Oxide cancel')
    assert.equal('cancelled', ended().error.code)
    assert.truthy(chat_text():find('**Cancelled.**\n\n# You\n\nsecond', 1, true), chat_text())
    waits.go()
    server:says { text = 'Two.' }
    child:type('G<CR>')
    ended(2)
    assert.truthy(chat_text():find('Two.\n\n# You\n', 1, true))
  end)

  it('says why it waits, and counts down', function()
    begin()
    server:answers {
      status = 429,
      headers = { ['retry-after'] = '3600' },
      body = vim.json.encode { error = { message = ('You are too fast. '):rep(10) } },
    }
    child:cmd('Oxide ask first')
    child:wait(
      'the pause',
      "require('oxide.chat.window').bar(1):find('fast .* trying again in %d+ s')"
    )
    local function above()
      return child:lua([[
        local buf = require('oxide.chat').get(1).view.buf
        local ns = vim.api.nvim_get_namespaces()['oxide.chat.waiting']
        local lines = {}
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
          for _, line in ipairs(mark[4].virt_lines or {}) do
            table.insert(lines, line[1][1])
          end
        end
        return lines
      ]])
    end
    local why = above()
    local whole = server.url .. ' answered with HTTP 429: ' .. ('You are too fast. '):rep(10)
    assert.equal((vim.trim(whole):gsub('%.$', '')), table.concat(why, ' '))
    assert.same({ 2, true }, { #why, #why[1] <= 120 })
    child:cmd('Oxide cancel')
    assert.equal('cancelled', ended().error.code)
    assert.same({ 'In Normal mode gr asks again, and ge edits your message.' }, above())
    server:says { text = 'One.' }
    child:cmd('Oxide chat')
    child:type('gr')
    assert.falsy(ended(2).error)
    assert.same({}, above())
  end)

  it('answers again, and edits the last message', function()
    begin()
    server:says { text = 'One.' }
    server:says { text = 'Another one.' }
    server:says { text = 'Something else.' }
    child:cmd('Oxide ask first')
    ended()
    child:cmd('Oxide chat')
    child:type('gr')
    ended(2)
    assert.same({ 'first' }, { (words(2):match('^%w+')) })
    assert.falsy(chat_text():find('\nOne.', 1, true))
    assert.truthy(chat_text():find('# fast\n\nAnother one.\n\n# You\n', 1, true), chat_text())
    child:type('ge')
    child:wait('the message', "vim.fn.getline('$') == 'first'")
    child:type('Asecond<Esc><CR>')
    ended(3)
    assert.truthy(words(3):find('firstsecond', 1, true))
    assert.equal(1, #all_words(3))
    assert.equal(
      '# You\n\nfirstsecond\n\n> with a.c, c\n\n# fast\n\nSomething else.\n\n# You\n\n',
      chat_text()
    )
  end)

  it('goes to the file that is named, and yanks code', function()
    begin()
    server:says { text = 'See a.c:3 and:\n\n```c\nint x;\n```\n\nor line 2.' }
    child:cmd('Oxide ask where?')
    ended()
    child:cmd('Oxide chat')
    child:type('gg/a.c:3<CR><CR>')
    child:wait('the file', "vim.fn.expand('%:t') == 'a.c' and vim.fn.line('.') == 3")
    child:cmd('Oxide chat')
    child:type('gg/or line<CR>gx')
    child:wait('the line', "vim.fn.expand('%:t') == 'a.c' and vim.fn.line('.') == 2")
    child:cmd('Oxide chat')
    child:type('Ggy')
    child:message('1 line of code')
    assert.equal('int x;\n', child:lua("return vim.fn.getreg('\"')"))
  end)

  it('is kept for later as it was, but for what a kill has cut', function()
    begin()
    server:says {
      text = 'I look.',
      calls = { { id = 'c1', name = 'read_file', args = { file_path = 'a.c', start_line = 2 } } },
    }
    server:says { text = 'One.' }
    child:cmd('Oxide ask first')
    ended()
    local before = chat_text()
    local file = lua_chat('talk.file')
    assert.equal('rw-------', child:lua('return vim.fn.getfperm(...)', file))
    vim.uv.kill(child:lua('return vim.fn.getpid()'), 'sigkill')
    vim.fn.jobwait({ child.chan }, helper.deadline)
    helper.write(file, helper.read(file) .. '{"message": "{\\"role')
    local other = helper.start({}, {
      env = { XDG_STATE_HOME = child.dir .. '/.state' },
      config = ("{ core = { path = %q }, models = { fast = { url = %q, model = 'm1' } } }"):format(
        helper.core,
        server.url
      ),
    })
    other:lua('vim.ui.select = function(items, opts, cb) cb(items[1]) end')
    other:cmd('Oxide chat resume')
    assert.equal(before, table.concat(other:lines(), '\n'))
    server:says { text = 'Two.' }
    other:type('GAsecond<Esc><CR>')
    other:wait(
      'the answer',
      "vim.fn.search('^Two', 'nw') > 0 and not require('oxide.chat').get(1).turn"
    )
    local said = all_words(3)
    assert.equal('user: second', said[#said])
    assert.equal(5, #said)
    assert.truthy(server.asked[3].raw:find('2:   return 1;', 1, true))
  end)

  it('keeps an answer whole that is too long to be told at once', function()
    begin()
    local text = ('ä€😀 is a line\n'):rep(50000)
    server:says { text = text }
    child:cmd('Oxide ask first')
    assert.falsy(ended().error)
    local row = lua_chat('talk.rows[2].message')
    assert.truthy(#row > 3 * 2 ^ 18)
    assert.equal(text, vim.json.decode(row).parts[1].text)
    local kept = vim.split(vim.trim(helper.read(lua_chat('talk.file'))), '\n')
    assert.equal(row, vim.json.decode(kept[3]).message)
  end)

  it('goes on when its buffer is wiped out, edited or renamed in the middle', function()
    begin()
    local waits = server:waits()
    server:says { text = 'One.\nTwo.' }
    child:cmd('Oxide ask first')
    child:wait('the turn', "require('oxide.chat').get(1).turn.is_sent")
    child:cmd('Oxide chat')
    child:cmd('%delete')
    child:cmd('file other')
    waits.go()
    ended()
    assert.truthy(child:lua('return vim.fn.search("^Two") > 0'), vim.inspect(child:lines()))
    server:says { text = 'Three.' }
    say('more')
    ended(2)
    waits = server:waits()
    server:says { text = 'Four.' }
    say('and more')
    child:wait('the turn', "require('oxide.chat').get(1).turn.is_sent")
    child:cmd('bwipeout!')
    waits.go()
    ended(3)
    child:cmd('Oxide chat')
    local text = chat_text()
    assert.truthy(text:find('One.\nTwo.\n\n# You\n\nmore', 1, true), text)
    assert.truthy(text:find('Four.\n\n# You\n', 1, true), text)
  end)

  it('outlives a core that is killed', function()
    begin()
    server:says { text = 'One.' }
    child:cmd('Oxide ask first')
    ended()
    local waits = server:waits()
    say('second')
    child:wait('the turn', "require('oxide.chat').get(1).turn.is_sent")
    child:lua('vim.uv.kill(require("oxide.process").pid, "sigkill")')
    assert.equal('core', ended(2).error.code)
    waits.go()
    server:says { text = 'Three.' }
    say('third')
    ended(3)
    assert.same(
      { 'assistant: One.', 'user: second', 'user: third' },
      vim.list_slice(all_words(#server.asked), 2)
    )
  end)

  it('says what to set where there is no model, and keeps the words', function()
    begin('model = "none"')
    child:cmd('Oxide ask first')
    assert.truthy(ended().error.message:find('unknown model "none"; models: fast', 1, true))
    assert.truthy(chat_text():find('# You\n\nfirst', 1, true))
    child:cmd('Oxide chat model fast')
    server:says { text = 'One.' }
    child:cmd('Oxide chat')
    child:type('G<CR>')
    ended(2)
    assert.truthy(chat_text():find('One.', 1, true))
  end)

  it('collects lines and words for a message that is sent later', function()
    begin()
    server:says { text = 'One.' }
    child:cmd('2Oxide send')
    child:cmd('Oxide send why so?')
    assert.same({}, server.asked)
    assert.truthy(chat_text():find('# You\n\n@file:a.c:2\nwhy so?', 1, true), chat_text())
    child:cmd('Oxide chat context')
    child:wait('the list', "vim.fn.search('a.c, lines 2 to 2 .*tokens') > 0")
    child:cmd('close')
    child:cmd('Oxide chat')
    child:type('G')
    child:type('<CR>')
    ended()
    assert.truthy(
      words(1):find('why so?\n\na.c, lines 2 to 2, c:\n2:   return 1;', 1, true),
      words(1)
    )
  end)

  it('lists the rules of the project that are sent, as they are then', function()
    begin()
    server:says { text = 'One.' }
    child:cmd('Oxide chat')
    local function listed()
      child:cmd('Oxide chat context')
      child:wait('the list', "vim.bo.filetype ~= 'oxide-chat' and vim.fn.search('^together') > 0")
      local lines = child:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
      child:cmd('close')
      return table.concat(lines, '\n')
    end
    assert.falsy(listed():find('.md', 1, true))
    helper.write(child.dir .. '/CLAUDE.md', 'Be kind.\n')
    assert.matches('\nCLAUDE.md, 1 line +9 B, about 3 tokens\n\ntogether +9 B', listed())
    helper.write(child.dir .. '/AGENTS.md', ('Be brief.\n'):rep(4000))
    assert.matches('\nAGENTS.md, 3276 of 4000 lines +32.8 kB, about 9360 tokens\n\n', listed())
    say('hello')
    ended()
    local told = server.asked[1].body.messages[1].content
    assert.equal(3276, select(2, told:gsub('Be brief%.\n', '')))

    helper.write(child.dir .. '/AGENTS.md', '\n')
    assert.matches('\nCLAUDE.md, 1 line ', listed())
  end)

  it('leaves cursor and view alone where they are not at the end', function()
    begin()
    local lines = {}
    for i = 1, 100 do
      lines[i] = 'line ' .. i
    end
    server:says { text = table.concat(lines, '\n') }
    server:says { text = table.concat(lines, '\n') }
    child:cmd('Oxide ask first')
    ended()
    child:cmd('Oxide chat')
    assert.truthy(
      child:lua("return vim.fn.line('w0') > 60 and vim.fn.line('w$') == vim.fn.line('$')")
    )
    child:cmd('normal! 40Gzt')
    local view = child:lua('return vim.fn.winsaveview()')
    child:cmd('wincmd p')
    child:cmd('Oxide ask second')
    ended(2)
    child:cmd('wincmd p')
    assert.same(view, child:lua('return vim.fn.winsaveview()'))
  end)

  it('is given lines and files by :Oxide context', function()
    begin()
    child:cmd('2Oxide context to=chat')
    child:cmd('Oxide context a.c to=chat')
    assert.matches('@file:a.c:2\n@file:a.c$', vim.trim(chat_text()))
    assert.same({}, server.asked)
  end)
end)
