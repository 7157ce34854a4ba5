-- Agents of other makers in the chat window, by ACP: what they read, change and run, and what of it
-- the user decides. Each is one conversation, in which each turn is something of these.
local agents = require('agents')
local chat = require('chat')
local helper = require('helper')
local hooked = require('hooked')
local model = require('model')
local record = require('record')
local relay = require('relay')

local LIST, with = hooked.DISK, hooked.with
local PART = LIST:sub(3, -5) -- from the second line to the last but one

--- How its calls end, but for these.
---@param other table<integer, string>
---@return string[]
local function calls_end(other)
  local all = {}
  for i = 1, 9 do
    all[i] = other[i] or (i == 5 or i == 7) and 'denied' or i == 9 and 'interrupted' or 'completed'
  end
  return all
end

-- What is different about each, by its name. `edits`: it reads what it edits from the editor, and
-- writes it there; `ends`: a no ends its turn; `lists`: it has a list of its sessions; `calls`: how
-- they end, of what it does in all turns: it reads, edits, runs, reads, edits, reads and edits again,
-- runs, and is stopped as it runs more.
local SPEAKERS = {
  claude = {
    program = 'claude-agent-acp',
    lists = true,
    calls = calls_end { [3] = 'failed' },
  },
  codex = { -- its sandbox keeps commands from changing anything; it asks where one wants out of it
    program = 'codex-acp',
    lists = true,
    ends = true,
    run = function(command)
      return 'exec_command',
        { cmd = command, sandbox_permissions = 'require_escalated', justification = 'may I?' }
    end,
    calls = calls_end { [3] = 'failed' },
  },
  ['codex by its app server'] = { -- where there is no codex-acp
    agent = 'codex',
    program = 'codex',
    lists = true,
    config = "codex = { acp = { executable = 'none', app_server = { args = { 'app-server' } } } }",
    calls = calls_end { [3] = 'failed' },
  },
  gemini = { -- tells of no exit code; what it has written is refused when its turn is over
    program = 'gemini',
    edits = true,
    calls = calls_end { [5] = 'completed', [7] = 'completed' },
  },
  opencode = { -- an exit code is no failure to it
    program = 'opencode',
    lists = true,
    ends = true,
    calls = calls_end {},
  },
}

for speaker, how in vim.spairs(SPEAKERS) do
  local name = how.agent or speaker
  local agent = agents.all[name]
  local title = agent and agent.title or name
  describe((how.agent and speaker or title) .. ' in the chat window', function()
    local why = not agent and 'another one is tried' or agents.hindered(name, how.program)
    if why then
      pending(why)
      return
    end

    local config = ("{ core = { path = %q }, review = { agent_focus = 'always' }, agents = { %s } }"):format(
      helper.core,
      how.config or ''
    )
    local child, seat ---@type test.Child, test.Seat
    local told = {} ---@type table<string, test.ToolResult>
    local in_part ---@type string   what is left of a change that was accepted in part
    local own = vim.tbl_extend('force', agent.calls, { run = how.run })

    local function chat_text()
      return chat.text(child)
    end

    --- Waits until it is so in Neovim, and shows the conversation where it never is.
    local function till(what, code)
      local ok, err = pcall(child.wait, child, what, code)
      if not ok then
        error(('%s\n%s'):format(err, chat_text()), 2)
      end
    end

    --- Writes a message and sends it, with keys.
    local function say(words)
      child:lua('_G.events = {}')
      child:lua(
        "vim.api.nvim_set_current_win(vim.fn.win_findbuf(vim.fn.bufnr('^oxide://chat/1$'))[1])"
      )
      child:type('<Esc>G$a' .. words .. '<C-s><Esc>')
      till(
        'the turn to begin',
        [[vim.iter(_G.events):any(function(e)
          return e.name == 'OxideChatTurn' and e.data.phase == 'begin'
        end)]]
      )
    end

    --- Waits for a review, and answers it by keys. Returns its lines.
    local function review(keys)
      till('the review', "vim.fn.bufname():find('oxide://review/', 1, true)")
      local lines = table.concat(child:lines(), '\n')
      child:type('<Esc>' .. keys)
      return lines
    end

    --- Waits for a question about a command, and answers it.
    local function permit(answer)
      till('the question', "#require('oxide.permission').list() == 1")
      child:lua("local p = require('oxide.permission') p.answer(p.list()[1].id, ...)", answer)
      till('its end', "#require('oxide.permission').list() == 0")
    end

    ---@param text string   of list.txt, below the line that the user has typed
    local function till_list_has(text)
      till(
        'list.txt',
        ("table.concat(vim.fn.getbufline('list.txt', 2, '$'), '\\n') == %q"):format(vim.trim(text))
      )
      assert.equal('// mine', child:lua("return vim.fn.getbufline('list.txt', 1)[1]"))
    end

    local function asked()
      return vim.json.encode(seat.model.server.asked)
    end

    local function notes()
      return child:lua("return vim.fn.getbufline('notes.txt', 1, '$')")
    end

    lazy_setup(function()
      seat = { home = helper.tempdir(), run = helper.tempdir(), asks = true }
      seat.model = model.start(function(call)
        local file = seat.dir .. '/notes.txt'
        told.read = call(own.read(file))
        told.edited = call(own.edit(file, 'beta', 'BETA'))
        coroutine.yield('changed')
        told.ran = call(own.run('echo ran; exit 3'))
        coroutine.yield('it ran')
        call(own.read(file))
        told.refused = call(own.edit(file, 'gamma', 'GAMMA'))
        if not how.ends then
          coroutine.yield('not changed')
        end
        local list = seat.dir .. '/list.txt'
        call(own.read(list))
        call(own.edit(list, PART, with(with(PART, '2', 'two'), '18', 'eighteen')))
        if not how.ends then
          coroutine.yield('changed in part')
        end
        told.past = call(own.run("sed -i 's/^10$/ten/' list.txt"))
        coroutine.yield('changed by sed')
        call(own.run('touch made'))
        return 'cancelled by then'
      end)
      child = helper.start({ ['notes.txt'] = 'alpha\nbeta\ngamma\n', ['list.txt'] = LIST }, {
        env = agents.env(seat, name),
        config = config,
      })
      seat.dir = child.dir
      agent.settle(seat)
      child:cmd('edit list.txt | call append(0, "// mine")')
      child:cmd('edit notes.txt | call setline(1, "typed")')
      child:cmd('Oxide chat ' .. name)
      till('the window', "vim.bo.filetype == 'oxide-chat'")
    end)
    lazy_teardown(function()
      helper.cleanup()
      model.cleanup()
      vim.fn.delete(seat.home, 'rf')
      vim.fn.delete(seat.run, 'rf')
    end)

    it('reads, and changes what its review accepts', function()
      say('change the notes')
      local shown = review(':w<CR>')
      assert.matches('%-beta\n%+BETA', shown)
      assert.falsy(chat.ended(child).error)
      assert.matches('alpha', told.read.text) -- of the disk: none of them reads what it shows a model by us
      till('the buffer', "vim.fn.getbufline('notes.txt', 2)[1] == 'BETA'")
      assert.same({ 'typed', 'BETA', 'gamma' }, notes())
      local disk = how.edits and 'alpha\nbeta\ngamma\n' or 'alpha\nBETA\ngamma\n'
      assert.equal(disk, child:file('notes.txt'))
      assert.matches('changed', chat_text())
    end)

    it('runs a command once it may', function()
      say('run it')
      permit('once')
      assert.falsy(chat.ended(child).error)
      assert.matches('ran', told.ran.text)
      assert.matches('it ran', chat_text())
    end)

    it('is told that a change was refused', function()
      say('change more')
      local shown = review(':q<CR>')
      assert.matches('%-gamma\n%+GAMMA', shown)
      chat.ended(child)
      assert.same({ 'typed', 'BETA', 'gamma' }, notes())
      assert.falsy(child:file('notes.txt'):find('GAMMA'))
      if not how.ends then
        assert.matches('not changed', chat_text())
      end
    end)

    -- Where it writes itself, it would write all: the part is written for it.
    it('has a part of an edit accepted, and its model learns of it', function()
      say('change the list')
      local shown = review('gg/eighteen<CR> :w<CR>')
      assert.matches('%-2\n%+two\n', shown)
      assert.matches('%-18\n%+eighteen\n', shown)
      chat.ended(child)
      in_part = with(LIST, '2', 'two')
      till_list_has(in_part)
      assert.equal(LIST, child:file('list.txt'))
    end)

    it('is caught where its command changes a file, which is shown and undone', function()
      say('change it by a command')
      permit('once')
      assert.falsy(chat.ended(child).error)
      assert.matches(
        how.edits and 'accepted your changes in part'
          or 'accepted only a part of this, and the files are changed already',
        asked()
      )
      assert.equal(with(LIST, '10', 'ten'), child:file('list.txt'))
      till_list_has(with(in_part, '10', 'ten'))
      assert.matches('%*%*Changed by .- itself%*%*: list.txt %+1 %-1\n', chat_text())
      child:cmd('Oxide turn diff')
      till('the diff', "vim.bo.filetype == 'diff'")
      assert.matches('%-10\n%+ten\n', table.concat(child:lines(), '\n'))
      child:cmd('close | Oxide turn undo')
      till_list_has(in_part)
      child:cmd('Oxide turn undo') -- and the turn before
      till_list_has(LIST)
      child:lua("vim.api.nvim_buf_call(vim.fn.bufnr('list.txt'), vim.cmd.write)")
      assert.equal('// mine\n' .. LIST, child:file('list.txt'))
      assert.falsy(told.past.failed)
    end)

    it('is cancelled while it waits for the user', function()
      say('run more')
      till('the question', "#require('oxide.permission').list() == 1")
      child:cmd('Oxide cancel')
      assert.equal('cancelled', chat.ended(child).error.code)
      till('no question', "#require('oxide.permission').list() == 0")
      assert.falsy(vim.uv.fs_stat(child.dir .. '/made'))
    end)

    it('has its changes undone as a turn', function()
      child:cmd('Oxide turn undo')
      till('the undo', "vim.fn.getbufline('notes.txt', 2)[1] == 'beta'")
      assert.same({ 'typed', 'beta', 'gamma' }, notes())
      child:cmd('buffer notes.txt | write')
      assert.equal('typed\nbeta\ngamma\n', child:file('notes.txt'))
    end)

    it('is recorded', function()
      child:cmd('Oxide core stop')
      local state = seat.home .. '/.local/state'
      local env =
        vim.tbl_extend('force', relay.env(seat.home, seat.run), { XDG_STATE_HOME = state })
      local done = vim.system({ helper.core, 'records', '--json' }, { env = env }):wait()
      local r = record.read(done.stdout)
      local calls = vim.tbl_map(function(call)
        return call.status
      end, r.tool_calls)
      assert.same(how.calls, calls)
      local changes = vim.tbl_filter(function(file)
        return file.operation ~= 'read'
      end, r.file_operations)
      local files = { 'notes.txt', 'list.txt', 'list.txt' }
      for i, file in ipairs(files) do
        assert.equal(child.dir .. '/' .. file, changes[i].path)
        assert.same({ 1, 1 }, { changes[i].change.lines_added, changes[i].change.lines_removed })
      end
      assert.equal(#files, #changes)
      assert.equal(5, changes[#files].turn)
      assert.equal('echo ran; exit 3', r.shell_commands[1].command)
      assert.equal("sed -i 's/^10$/ten/' list.txt", r.shell_commands[2].command)
      assert.equal(2, #r.shell_commands)
    end)

    it('tells another Neovim of its session, and what was said in it', function()
      local other = helper.start({}, {
        env = agents.env(seat, name),
        config = config,
      })
      other:cmd('cd ' .. child.dir)
      other:lua([[vim.ui.select = function(items, opts, cb)
        _G.offered = opts.format_item(items[1])
        cb(items[1])
      end]])
      other:cmd('Oxide chat sessions ' .. name)
      if not how.lists then
        other:message('cannot list its sessions')
        return
      end
      other:wait('the window', "vim.bo.filetype == 'oxide-chat'")
      if how.agent == 'codex' then
        assert.matches('^%d+%-%d+%-%d+ %d+:%d+  change the notes', other:lua('return _G.offered'))
      end
      local text = chat.text(other)
      assert.matches('# You\n\nchange the notes', text)
      assert.matches('%+BETA.*\n\nchanged\n', text)
    end)
  end)
end
