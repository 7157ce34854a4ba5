-- The real agents in the chat window: the person changes the text of what they write, or are about to.
local agents = require('agents')
local chat = require('chat')
local helper = require('helper')
local model = require('model')

-- What they hear of it with the next message: those that write files themselves could only be told no.
local MADE =
  { 'the user changed this before accepting it, and the files are changed', '%-beta\\n%+Beta' }
local TAKEN = { 'The user has changed what you wrote before accepting it', '%-BETA\\n%+Beta' }

local SPEAKERS = {
  claude = { program = 'claude-agent-acp', told = MADE },
  codex = { program = 'codex-acp', told = MADE },
  ['codex by its app server'] = {
    agent = 'codex',
    program = 'codex',
    config = "codex = { acp = { executable = 'none', app_server = { args = { 'app-server' } } } }",
    told = MADE,
  },
  gemini = { program = 'gemini', told = TAKEN },
  opencode = { program = 'opencode', told = MADE },
}

for name, how in vim.spairs(SPEAKERS) do
  local key = how.agent or name
  local agent = agents.all[key]
  describe(('%s in the chat window whose change was edited'):format(name), function()
    local why = not agent and 'another one is tried' or agents.hindered(key, how.program)
    if why then
      pending(why)
      return
    end

    local child, seat ---@type test.Child, test.Seat

    ---@param words string
    ---@param count integer
    local function say(words, count)
      child:lua(
        "vim.api.nvim_set_current_win(vim.fn.win_findbuf(vim.fn.bufnr('^oxide://chat/1$'))[1])"
      )
      child:type('<Esc>G$a' .. words .. '<C-s><Esc>')
      child:wait(
        'the turn to begin',
        [[#vim.tbl_filter(function(e)
          return e.name == 'OxideChatTurn' and e.data.phase == 'begin'
        end, _G.events) == ...]],
        count
      )
    end

    before_each(function()
      seat = { home = helper.tempdir(), run = helper.tempdir(), asks = true }
      seat.model = model.start(function(call)
        local file = seat.dir .. '/notes.txt'
        call(agent.calls.read(file))
        call(agent.calls.edit(file, 'beta', 'BETA'))
        coroutine.yield('as the user wants it')
        return 'so it is'
      end)
      child = helper.start({ ['notes.txt'] = 'alpha\nbeta\ngamma\n' }, {
        env = agents.env(seat, key),
        config = ("{ core = { path = %q }, review = { agent_focus = 'always' }, agents = { %s } }"):format(
          helper.core,
          how.config or ''
        ),
      })
      seat.dir = child.dir
      agent.settle(seat)
      child:cmd('edit notes.txt')
      child:cmd('Oxide chat ' .. key)
      child:wait('the window', "vim.bo.filetype == 'oxide-chat'")
    end)
    after_each(function()
      helper.cleanup()
      model.cleanup()
      vim.fn.delete(seat.home, 'rf')
      vim.fn.delete(seat.run, 'rf')
    end)

    it('has that made in place of its own, and its model learns of it', function()
      say('change the notes', 1)
      child:edit_in_review('BETA', 'Beta')
      child:type(':w<CR>')
      chat.ended(child)
      assert.equal('alpha\nBeta\ngamma\n', child:file('notes.txt'))
      say('go on', 2)
      chat.ended(child, 2)
      local asked = vim.json.encode(seat.model.server.asked)
      for _, words in ipairs(how.told) do
        assert.matches(words, asked)
      end
      assert.equal('alpha\nBeta\ngamma\n', child:file('notes.txt'))
      child:cmd('Oxide undo')
      child:wait('the undo', "vim.fn.getbufline('notes.txt', 2)[1] == 'beta'")
    end)
  end)
end
