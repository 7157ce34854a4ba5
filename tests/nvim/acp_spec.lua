-- Conversations in Neovim with an agent that speaks ACP, which does what the test says.
local acp = require('acp')
local chat = require('chat')

describe('an agent in the chat window', function()
  local child ---@type test.Child
  local say, heard, recorded = acp.say, acp.heard, acp.recorded

  ---@param script string
  ---@param spec? test.AcpSpec   what else there is
  local function begin(script, spec)
    child = acp.begin(vim.tbl_extend('error', { script = script }, spec or {}))
  end

  local function chat_text()
    return chat.text(child)
  end

  local function ended(count)
    return chat.ended(child, count)
  end

  after_each(acp.cleanup)

  it('answers, and is told who asks and what can be done here', function()
    begin([[return { prompt = function(agent, words)
      agent:says('You said: ' .. words)
    end }]])
    child:cmd('Oxide chat robot')
    child:wait('the window', "vim.bo.filetype == 'oxide-chat'")
    say('hello')
    assert.falsy(ended().error)
    assert.equal('# You\n\nhello\n\n# robot\n\nYou said: hello\n\n# You\n\n', chat_text())
    local hello = heard('initialize')[1].params
    assert.equal(1, hello.protocolVersion)
    assert.same(
      { fs = { readTextFile = true, writeTextFile = true }, terminal = true },
      hello.clientCapabilities
    )
    local session = heard('session/new')[1].params
    assert.equal(child.dir, session.cwd)
    assert.equal('oxide', session.mcpServers[1].name)
  end)

  it('reads the text as the editor has it, or some of its lines', function()
    begin([[return { prompt = function(agent)
      agent:says(agent:read(DIR .. '/notes.txt'))
      agent:says(agent:read(DIR .. '/notes.txt', { line = 2, limit = 1 }))
      agent:says('[' .. agent:read(DIR .. '/notes.txt', { line = 20, limit = 1 }) .. ']')
      local _, err = agent:read(DIR .. '/nothing.txt')
      agent:says(tostring(err.code))
    end }]])
    child:lua("vim.api.nvim_buf_set_lines(0, 3, 3, false, { 'delta (unsaved)' })")
    say('read')
    assert.falsy(ended().error)
    assert.truthy(
      chat_text():find('alpha\nbeta\ngamma\ndelta (unsaved)\nbeta\n[]-32002', 1, true),
      chat_text()
    )
  end)

  it('sees what it has written, and the user reviews it all as one at the end', function()
    begin([[return { prompt = function(agent)
      local text = agent:read(DIR .. '/notes.txt')
      assert(not agent:write(DIR .. '/notes.txt', (text:gsub('beta', 'BETA'))))
      agent:says(agent:read(DIR .. '/notes.txt'))
      assert(not agent:write(DIR .. '/new.txt', 'one\n'))
      agent:says(agent:read(DIR .. '/new.txt'))
    end }]])
    child:lua("vim.api.nvim_buf_set_lines(0, 3, 3, false, { 'delta (unsaved)' })")
    say('change it')
    local question = child:event('ReviewOpen')
    assert.falsy(vim.uv.fs_stat(child.dir .. '/new.txt'))
    assert.equal(question.buf, child:lua('return vim.api.nvim_get_current_buf()'))
    child:cmd('write')
    assert.falsy(ended().error)
    assert.equal('one\n', child:file('new.txt'))
    assert.same(
      { 'alpha', 'BETA', 'gamma', 'delta (unsaved)' },
      child:lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, -1, false)")
    )
    assert.truthy(chat_text():find('alpha\nBETA\ngamma\ndelta (unsaved)\none\n', 1, true))
    assert.truthy(chat_text():find('Changes accepted', 1, true))
    child:cmd('Oxide turn undo')
    child:wait('the undo', "vim.fn.getbufline('notes.txt', 2)[1] == 'beta'")
    assert.falsy(vim.uv.fs_stat(child.dir .. '/new.txt'))
  end)

  it('is asked about by commands, and an answer holds for this once', function()
    begin([[return { prompt = function(agent)
      local call = { toolCallId = 't1', title = 'make', kind = 'execute', rawInput = { command = 'echo hi; exit 3' } }
      agent:says('option ' .. agent:permission(call) .. '. ')
      local made = agent:ask('terminal/create', { command = 'echo hi; exit 3' })
      local exit = agent:ask('terminal/wait_for_exit', { terminalId = made.terminalId })
      local output = agent:ask('terminal/output', { terminalId = made.terminalId })
      agent:update { sessionUpdate = 'tool_call_update', toolCallId = 't1', status = 'completed',
        content = { { type = 'terminal', terminalId = made.terminalId } } }
      agent:ask('terminal/release', { terminalId = made.terminalId })
      agent:says(('exit %d: %s'):format(exit.exitCode, output.output))
    end }]])
    say('run it')
    local question = child:event('Permission')
    child:lua("require('oxide.permission').answer(..., 'session')", question.id)
    assert.falsy(ended().error)
    assert.truthy(chat_text():find('option once. ', 1, true), chat_text())
    assert.truthy(chat_text():find('exit 3: hi', 1, true), chat_text())
    assert.truthy(chat_text():find('✓ execute echo hi; exit 3', 1, true), chat_text())
    say('again') -- which was allowed for the session
    assert.falsy(ended(2).error)
    assert.equal(2, #vim.tbl_filter(function(message)
      return message.result and message.result.outcome and message.result.outcome.optionId == 'once'
    end, heard()))
  end)

  it('is not let outside of the project where the user says no', function()
    begin([[return { prompt = function(agent)
      local _, err = agent:read('/etc/hostname')
      agent:says(err and 'no read. ' or 'read! ')
      err = agent:write('/etc/oxide-test', 'x')
      agent:says(err and 'no write.' or 'written!')
    end }]])
    say('look around')
    child:wait('the question', "#require('oxide.permission').list() == 1")
    child:lua("local p = require('oxide.permission') p.answer(p.list()[1].id, 'no')")
    child:wait('the next question', "#require('oxide.permission').list() == 1")
    child:lua("local p = require('oxide.permission') p.answer(p.list()[1].id, 'no')")
    ended()
    assert.truthy(chat_text():find('no read. no write.', 1, true), chat_text())
  end)

  it('ends when it is cancelled, with permissions that are open', function()
    begin([[return { prompt = function(agent)
      local id = agent:request('session/request_permission', {
        toolCall = { toolCallId = 't1', title = 'make', kind = 'execute' },
        options = { { optionId = 'once', name = 'Once', kind = 'allow_once' } },
      })
      agent:wait_for_cancel()
      local result = agent:answer_of(id)
      agent:says('outcome ' .. result.outcome.outcome)
      return 'cancelled'
    end }]])
    say('run it')
    child:event('Permission')
    child:cmd('Oxide cancel')
    assert.equal('cancelled', ended().error.code)
    assert.truthy(chat_text():find('outcome cancelled', 1, true), chat_text())
    child:wait('no question', "#require('oxide.permission').list() == 0")
  end)

  it('shows calls, diffs and the plan', function()
    begin([[return { prompt = function(agent)
      agent:update { sessionUpdate = 'plan', entries = {
        { content = 'look', status = 'in_progress' }, { content = 'act', status = 'pending' } } }
      agent:update { sessionUpdate = 'tool_call', toolCallId = 'c1', title = 'Read', kind = 'read' }
      agent:update { sessionUpdate = 'tool_call_update', toolCallId = 'c1', rawInput = { path = DIR .. '/notes.txt' } }
      agent:update { sessionUpdate = 'tool_call_update', toolCallId = 'c1', status = 'completed',
        content = { { type = 'content', content = { type = 'text', text = 'alpha' } } } }
      agent:update { sessionUpdate = 'plan', entries = {
        { content = 'look', status = 'completed' }, { content = 'act', status = 'in_progress' } } }
      agent:update { sessionUpdate = 'tool_call', toolCallId = 'c2', title = 'Edit', kind = 'edit', status = 'failed',
        content = { { type = 'content', content = { type = 'text', text = '```\nno such text\n```' } } } }
      agent:update { sessionUpdate = 'something_new', x = 1 }
      agent:says('done')
    end }]])
    say('go')
    assert.falsy(ended().error)
    local text = chat_text()
    assert.truthy(text:find('- [x] look\n- [~] act', 1, true), text)
    assert.truthy(text:find('✓ read notes.txt', 1, true), text)
    assert.truthy(text:find('✗ edit Edit: no such text', 1, true), text)
    assert.falsy(text:find('- [~] look', 1, true), text)
  end)

  it('says why when the agent dies, and starts it again', function()
    begin([[return { prompt = function(agent, words)
      if words == 'die' then
        agent:request('fs/read_text_file', { path = DIR .. '/notes.txt' })
        io.stderr:write('out of luck\n')
        os.exit(7)
      end
      agent:says('alive')
    end }]])
    say('die')
    local err = ended().error
    assert.truthy(err.message:find('robot has ended %(exit status 7%): out of luck'), err.message)
    say('and now?')
    assert.falsy(ended(2).error)
    assert.truthy(chat_text():find('alive', 1, true))
  end)

  it(
    'is reviewed before it writes where it writes files itself, and it is not written twice',
    function()
      begin([[return { prompt = function(agent)
      local file = DIR .. '/notes.txt'
      if agent:changes_itself(file, 'beta', 'BETA') then
        assert(not agent:write(file, 'alpha\nBETA\ngamma\n'))
        agent:has_changed()
      end
    end }]])
      say('change it')
      local question = child:event('ReviewOpen')
      assert.truthy(table.concat(child:lines(), '\n'):find('+BETA', 1, true))
      assert.equal(question.buf, child:lua('return vim.api.nvim_get_current_buf()'))
      child:cmd('write')
      assert.falsy(ended().error)
      assert.truthy(chat_text():find('once. ', 1, true), chat_text())
      assert.equal('alpha\nBETA\ngamma\n', child:file('notes.txt'))
      child:wait('the buffer', "vim.fn.getbufline('notes.txt', 2)[1] == 'BETA'")
      assert.falsy(chat_text():find('Changes', 1, true), chat_text())
      assert.truthy(chat_text():find('✓ edit notes.txt:2 +1 -1\n', 1, true), chat_text())
      assert.truthy(
        chat_text():find('**Changed by robot itself**: notes.txt +1 -1\n', 1, true),
        chat_text()
      )
      child:cmd('Oxide turn undo')
      child:message('Undid "change it" in 1 file')
      child:wait('the undo', "vim.fn.getbufline('notes.txt', 2)[1] == 'beta'")
      child:wait('the file', "vim.fn.readfile('notes.txt')[2] == 'beta'")
    end
  )

  it('is shown in the buffer with changes what it would make of the file', function()
    begin(
      [[return { prompt = function(agent)
      local file = DIR .. '/notes.txt'
      local now = 'alpha\nBETA\ngamma\n'
      agent:says(agent:asks_to_change(file, 'alpha\nbeta\ngamma\n', now) .. '. ')
      agent:says(agent:write(file, now) and 'no' or 'heard')
      agent.writes_itself(file, now)
      agent:has_changed()
    end }]],
      { acp = 'writes_itself = true,' }
    )
    child:cmd('call setline(1, "typed")')
    say('change it')
    child:event('ReviewOpen')
    local shown = table.concat(child:lines(), '\n')
    assert.truthy(shown:find('-beta\n+BETA', 1, true), shown)
    child:cmd('write')
    assert.falsy(ended().error)
    assert.truthy(chat_text():find('once. heard', 1, true), chat_text())
    assert.falsy(chat_text():find('undecided', 1, true), chat_text())
    child:wait('the buffer', "vim.fn.getbufline('notes.txt', 2)[1] == 'BETA'")
    assert.same(
      { 'typed', 'BETA', 'gamma' },
      child:lua("return vim.fn.getbufline('notes.txt', 1, '$')")
    )
  end)

  it('asks where a change cannot be shown', function()
    begin([[return { prompt = function(agent)
      local file = DIR .. '/notes.txt'
      agent:says(agent:permission {
        toolCallId = 'e1', title = 'Edit notes.txt', kind = 'edit', locations = { { path = file } },
      } .. '. ')
      agent:says(agent:permission {
        toolCallId = 'e2', title = 'Edit notes.txt', kind = 'edit',
        content = { { type = 'diff', path = file, oldText = 'not there', newText = 'x' } },
      } .. '.')
    end }]])
    say('change it')
    for _, answer in ipairs { 'always', 'no' } do -- and always is this once, for what nobody saw
      child:wait('the question', "#require('oxide.permission').list() == 1")
      local title = child:lua(
        [[
        local permission = require('oxide.permission')
        local asked = permission.list()[1]
        permission.answer(asked.id, ...)
        return asked.title
      ]],
        answer
      )
      assert.equal('Edit notes.txt (what it changes cannot be shown)', title)
    end
    assert.falsy(ended().error)
    assert.matches('once%. .*denied.*no%.', chat_text())
  end)

  it('may be refused what it would write itself', function()
    begin([[return { prompt = function(agent)
      agent:says(agent:asks_to_change(DIR .. '/notes.txt', 'alpha\nbeta\ngamma\n', 'x\n') .. '.')
    end }]])
    say('change it')
    child:event('ReviewOpen')
    child:cmd('quit')
    ended()
    assert.truthy(chat_text():find('no.', 1, true), chat_text())
    assert.equal('alpha\nbeta\ngamma\n', child:file('notes.txt'))
  end)

  it('prints garbage, and lines without an end, and is heard all the same', function()
    begin(
      [[return { prompt = function(agent)
      agent.print('Loading ...')
      agent.print('{"jsonrpc":"2.0","id":99,"result":{}}')
      agent.print('{"jsonrpc":')
      agent.print(('x'):rep(3000000))
      agent.print('\255\254')
      agent:says('still here')
    end }]],
      { options = "['acp.message_bytes'] = 1000000," }
    )
    say('go')
    assert.falsy(ended().error)
    assert.truthy(chat_text():find('still here', 1, true))
  end)

  it('asks for more than it may at once', function()
    begin([[return { prompt = function(agent)
      local ids, refused, answered = {}, 0, 0
      for i = 1, 300 do
        ids[i] = agent:request('terminal/create', { command = 'true' })
      end
      agent:send { method = 'session/update', params = { sessionId = 's1', update = {
        sessionUpdate = 'agent_message_chunk', content = { type = 'text', text = 'asked' } } } }
      agent:wait_for_cancel()
      return 'cancelled'
    end }]])
    say('go')
    child:wait('many questions', "#require('oxide.permission').list() >= 200")
    child:cmd('Oxide cancel')
    ended()
    local refused = vim.tbl_filter(function(message)
      return message.error and message.error.message:find('too many', 1, true)
    end, heard())
    assert.truthy(#refused >= 40, #refused)
    child:wait('the questions', "#require('oxide.permission').list() == 0")
    assert.equal('alpha', child:lua("return vim.fn.getbufline('notes.txt', 1)[1]"))
  end)

  it('wants to be authenticated first', function()
    begin([[
      local done = false
      return {
        initialize = { authMethods = { { id = 'key', name = 'A key', description = 'of yours' } } },
        methods = {
          authenticate = function(_, params)
            done = params.methodId == 'key'
            return vim.empty_dict()
          end,
          ['session/new'] = function()
            if not done then
              return nil, { code = -32000, message = 'Authentication required' }
            end
            return { sessionId = 's1' }
          end,
        },
        prompt = function(agent)
          agent:says('welcome')
        end,
      }]])
    child:lua([[vim.ui.select = function(items, opts, cb)
      _G.asked = opts.prompt .. ' ' .. opts.format_item(items[1])
      cb(items[1])
    end]])
    say('hello')
    assert.falsy(ended().error)
    assert.truthy(chat_text():find('welcome', 1, true), chat_text())
    assert.truthy(child:lua('return _G.asked'):find('A key: of yours', 1, true))
  end)

  it('goes on in its session after a restart of the core', function()
    begin([[return {
      load = function(agent, id)
        agent.session = id
        agent:says('said before')
      end,
      prompt = function(agent, words)
        agent:says('session ' .. agent.session .. ': ' .. words)
      end }]])
    say('one')
    ended()
    child:lua('vim.uv.kill(require("oxide.process").pid, "sigkill")')
    child:wait('the end of the core', "not require('oxide.chat').get(1).opened")
    say('two')
    assert.falsy(ended(2).error)
    assert.equal('s1', heard('session/load')[1].params.sessionId)
    assert.truthy(chat_text():find('session s1: two', 1, true), chat_text())
    assert.falsy(chat_text():find('said before', 1, true), chat_text())
  end)

  it('has modes, which can be chosen', function()
    begin([[return {
      session = { modes = { currentModeId = 'ask', availableModes = {
        { id = 'ask', name = 'Ask' }, { id = 'plan', name = 'Plan' } } } },
      prompt = function(agent) agent:says('ok') end }]])
    child:cmd('Oxide chat robot')
    child:wait('the agent', "require('oxide.chat').current().opened")
    assert.same(
      { 'ask', 'plan' },
      child:lua("return vim.fn.getcompletion('Oxide chat mode ', 'cmdline')")
    )
    local function bar()
      return child:lua("return require('oxide.chat.window').bar(1)")
    end
    assert.matches('mode Ask', bar())
    child:cmd('Oxide chat mode plan')
    child:message('now in mode plan')
    assert.matches('mode Plan', bar())
    assert.equal('plan', heard('session/set_mode')[1].params.modeId)
  end)

  it('has slash commands, which are completed where a message begins', function()
    begin([[return { prompt = function(agent, words)
      agent:update { sessionUpdate = 'available_commands_update', availableCommands = {
        { name = 'compact', description = 'Forget what is old' },
        { name = 'review', description = 'Look for faults', input = { hint = 'a branch' } } } }
      agent:says('You said ' .. words)
    end }]])
    child:cmd('Oxide chat robot')
    child:wait('the window', "vim.bo.filetype == 'oxide-chat'")
    say('hello')
    assert.falsy(ended().error)
    child:wait('the commands', "#require('oxide.chat').current().agent.commands == 2")
    child:type('Go/re<C-x><C-o>')
    child:wait('the completion', "vim.api.nvim_get_current_line() == '/review'")
    child:type('<Space>/re<C-x><C-o>')
    child:wait('nothing more', "vim.api.nvim_get_current_line() == '/review /re'")
    child:type('<Esc>cc/<C-x><C-o>')
    local items =
      child:wait('the menu', "vim.fn.pumvisible() == 1 and vim.fn.complete_info({ 'items' }).items")
    assert.same({ '/compact', '/review' }, { items[1].word, items[2].word })
    assert.same({ '', 'a branch' }, { items[1].menu, items[2].menu })
    child:type('<C-e><Esc>cc/review main<C-s>')
    assert.falsy(ended(2).error)
    assert.matches('You said /review main', chat_text())
    local found = child:lua([[
      local found
      require('oxide.mentions.complete').lsp_items('/re', vim.fn.line('$') - 1, function(items)
        found = items
      end)
      return found
    ]])
    assert.same({ '/compact', '/review' }, { found[1].label, found[2].label })
  end)

  it('is recorded', function()
    begin(
      [[return { prompt = function(agent)
      local text = agent:read(DIR .. '/notes.txt')
      agent:update { sessionUpdate = 'tool_call', toolCallId = 'c1', title = 'notes.txt', kind = 'read',
        locations = { { path = DIR .. '/notes.txt' } }, status = 'completed' }
      agent:write(DIR .. '/notes.txt', (text:gsub('beta', 'BETA')))
      local own = assert(io.open(DIR .. '/own.txt', 'w'))
      own:write('own\n')
      own:close()
      agent:says('done')
    end }]],
      { config = "chat = { permissions = { edit = 'allow' } }," }
    )
    say('change it')
    assert.falsy(ended().error)
    local record = recorded()
    assert.equal('acp', record.agent.engine)
    assert.equal('read', record.tool_calls[1].name)
    local rows = vim.tbl_map(function(row)
      return row.operation .. ' ' .. vim.fs.basename(row.path)
    end, record.file_operations)
    table.sort(rows)
    assert.same({ 'create own.txt', 'modify notes.txt', 'read notes.txt' }, rows)
    assert.equal('user', record.messages[1].role)
  end)

  it('is told no where the user rejects what it has written', function()
    begin([[return { prompt = function(agent, words)
      if words == 'change it' then
        local text = agent:read(DIR .. '/notes.txt')
        agent:write(DIR .. '/notes.txt', (text:gsub('beta', 'BETA')))
      end
      agent:says(words)
    end }]])
    say('change it')
    child:event('ReviewOpen')
    child:cmd('quit')
    ended()
    assert.equal('alpha\nbeta\ngamma\n', child:file('notes.txt'))
    say('and now?')
    ended(2)
    assert.truthy(chat_text():find('The user has rejected your changes', 1, true), chat_text())
  end)
end)
