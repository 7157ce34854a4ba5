-- `:Oxide chat sessions`: what an agent keeps of its sessions, and one of these taken up again.
local acp = require('acp')
local chat = require('chat')
local fault = require('fault')
local helper = require('helper')

-- An agent with two sessions, of which it tells one page at a time. What was said in the first it
-- tells when it loads it.
local SCRIPT = [[
local function says(agent, kind, text)
  agent:update { sessionUpdate = kind, content = { type = 'text', text = text } }
end
return {
  initialize = { agentCapabilities = { sessionCapabilities = { list = vim.empty_dict(), resume = vim.empty_dict() } } },
  load = function(agent, id)
    agent.session = id
    if id == 'gone' then
      return nil, { code = -32002, message = 'no such session' }
    end
    says(agent, 'user_message_chunk', 'What is ')
    says(agent, 'user_message_chunk', 'in the notes?')
    says(agent, 'agent_thought_chunk', 'I read them.')
    agent:update { sessionUpdate = 'tool_call', toolCallId = 'c1', title = 'notes.txt', kind = 'read',
      rawInput = { file_path = DIR .. '/notes.txt' } }
    agent:update { sessionUpdate = 'tool_call_update', toolCallId = 'c1', status = 'completed',
      content = { { type = 'content', content = { type = 'text', text = 'alpha' } } } }
    says(agent, 'agent_message_chunk', 'Greek ')
    says(agent, 'agent_message_chunk', 'letters.')
    says(agent, 'user_message_chunk', 'Thanks')
    says(agent, 'agent_message_chunk', 'You are welcome.')
    says(agent, 'agent_message_chunk', 'More?')
    says(agent, 'agent_message_chunk', ' Ask.')
  end,
  methods = {
    ['session/list'] = function(_, params)
      if params.cwd ~= DIR then
        return { sessions = {} }
      elseif not params.cursor then
        return { sessions = { { sessionId = 'old', cwd = DIR, title = 'Greek letters',
          updatedAt = '2026-11-20T10:11:12Z' } }, nextCursor = 'more' }
      end
      return { sessions = { { sessionId = 'gone', cwd = DIR, updatedAt = '2026-11-24T08:00:00Z' } } }
    end,
  },
  prompt = function(agent, words)
    agent:says(agent.session .. ' heard ' .. words)
  end,
}
]]

describe(':Oxide chat sessions', function()
  local child ---@type test.Child

  --- Asks for them, and chooses the one of this number, from 1; 0: none.
  ---@return string[] what was offered
  local function choose(number)
    child:lua(
      [[
      local number = ...
      vim.ui.select = function(items, opts, cb)
        _G.offered = vim.tbl_map(opts.format_item, items)
        cb(items[number])
      end
    ]],
      number
    )
    child:cmd('Oxide chat sessions robot')
    return child:wait('the list', '_G.offered')
  end

  local function chats()
    return child:lua("return require('oxide.chat').current() ~= nil")
  end

  after_each(acp.cleanup)

  it('lists them, the latest first, and shows what was said in the one that is taken up', function()
    child = acp.begin { script = SCRIPT }
    assert.same({ '2026-11-24 08:00  gone', '2026-11-20 10:11  Greek letters' }, choose(2))
    child:wait('the window', "vim.bo.filetype == 'oxide-chat'")
    local text = chat.text(child)
    assert.equal(
      table.concat({
        '# You',
        '',
        'What is in the notes?',
        '',
        '# robot',
        '',
        '> thinking',
        '> I read them.',
        '',
        '✓ read notes.txt',
        '```',
        'alpha',
        '```',
        '',
        'Greek letters.',
        '',
        '# You',
        '',
        'Thanks',
        '',
        '# robot',
        '',
        'You are welcome.',
        '',
        'More? Ask.',
        '',
        '# You',
        '',
        '',
      }, '\n'),
      text
    )
    assert.equal('old', acp.heard('session/load')[1].params.sessionId)
    assert.same({}, acp.heard('session/new'))
    acp.say('go on')
    assert.falsy(chat.ended(child).error)
    assert.matches('old heard go on', chat.text(child))
  end)

  it('keeps it as a conversation, which goes on after a restart of the core', function()
    child = acp.begin { script = SCRIPT }
    choose(2)
    child:wait('the window', "vim.bo.filetype == 'oxide-chat'")
    child:lua("vim.uv.kill(require('oxide.process').pid, 'sigkill')")
    child:wait('the end of the core', "not require('oxide.chat').get(1).opened")
    acp.say('go on')
    assert.falsy(chat.ended(child).error)
    assert.matches(
      'You are welcome.\n\nMore%? Ask.\n\n# You\n\ngo on\n\n# robot\n\nold heard go on',
      chat.text(child)
    )
    assert.equal(1, #acp.heard('session/load'))
    assert.equal('old', acp.heard('session/resume')[1].params.sessionId)
  end)

  it('says why where one cannot be loaded, and leaves nothing', function()
    child = acp.begin { script = SCRIPT }
    choose(1)
    assert.matches('no such session', child:message('session'))
    assert.is_false(chats())
  end)

  it('is left alone where the core is stopped while it is loaded', function()
    child = acp.begin {
      script = SCRIPT:gsub(
        "if id == 'gone' then",
        [[if id == 'gone' then
      says(agent, 'user_message_chunk', 'What')
      agent:update { sessionUpdate = 'tool_call', toolCallId = 'c1', title = 'a call' }
      while agent:hear() do end
      os.exit(0)]]
      ),
    }
    choose(1)
    fault.wait('the session to be loaded', function()
      return #acp.heard('session/load') == 1
    end)
    local core = child:lua("return require('oxide.process').pid")
    child:cmd('Oxide core stop')
    child:message('the core was stopped')
    fault.wait_end(core)
    assert.is_false(chats())
  end)

  it('shows no more than acp.history_bytes of what was said, and says so', function()
    child = acp.begin {
      options = "['acp.history_bytes'] = 1024,",
      script = SCRIPT:gsub("'Thanks'", "('x'):rep(2000)"),
    }
    choose(2)
    child:wait('the window', "vim.bo.filetype == 'oxide-chat'")
    assert.matches('Greek letters%.', chat.text(child))
    assert.matches('%*%*Note%*%*: more was said after this than is shown', chat.text(child))
    assert.falsy(chat.text(child):find('welcome', 1, true))
  end)

  it('leaves nothing of an agent whose sessions were only looked at', function()
    local tell = "vim.fn.writefile({ vim.uv.os_getpid() }, _G.arg[1] .. '.pid')\n"
    child = acp.begin { script = tell .. SCRIPT }
    choose(0)
    assert.is_false(chats())
    fault.wait_end(tonumber(helper.read(child.script .. '.pid')))
  end)

  it('says so of one that has no list, or no session', function()
    child = acp.begin { script = 'return { prompt = function() end }' }
    child:cmd('Oxide chat sessions robot')
    assert.matches('cannot list its sessions', child:message('sessions'))
    assert.is_false(chats())
    child:cmd('Oxide chat sessions')
    child:message('needs the name of an agent')
  end)
end)
