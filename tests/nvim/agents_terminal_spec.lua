-- Agents of other makers on their own screens, as `:Oxide agent` opens them: what reaches their model,
-- what they may change, the record while they work, a core that dies meanwhile, and their end.
local agents = require('agents')
local helper = require('helper')
local model = require('model')
local record = require('record')
local relay = require('relay')

-- What is in the record after the first turn.
local CALLS = {
  claude = { 'Read', 'Edit', 'Bash' },
  codex = { 'shell', 'apply_patch', 'shell' },
  gemini = { 'read_file', 'replace', 'run_shell_command' },
}

--- @param pid string
--- @param file string
local function proc(pid, file)
  local f = io.open(('/proc/%s/%s'):format(pid, file), 'rb')
  local text = f and f:read('*a') or ''
  if f then
    f:close()
  end
  return text
end

--- What runs with this home directory, apart from Neovim and its core.
---@param home string
---@return integer[]
local function processes(home)
  local found = {}
  for pid in vim.fs.dir('/proc') do
    local argv = vim.split(proc(pid, 'cmdline'), '\0')
    local kept = argv[1] == vim.v.progpath or argv[1] == helper.core and argv[2] ~= 'run'
    if
      pid:match('^%d+$')
      and not kept
      and ('\0' .. proc(pid, 'environ')):find('\0HOME=' .. home .. '\0', 1, true)
      and not proc(pid, 'stat'):find('%) Z')
    then
      table.insert(found, tonumber(pid))
    end
  end
  return found
end

for name, agent in vim.spairs(agents.all) do
  describe(agent.title .. ' in a terminal', function()
    local why = agents.hindered(name, name)
    if why then
      pending(why)
      return
    end

    local child, seat ---@type test.Child, test.Seat
    local told = {} ---@type table<string, test.ToolResult>
    local own = agent.calls

    local function screen()
      return child:lua([[
        for _, buf in ipairs(vim.api.nvim_list_bufs()) do
          if vim.b[buf].oxide_agent then
            return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
          end
        end
        return ''
      ]])
    end

    --- Waits until `fn` returns something, and shows the terminal where it never does.
    local function till(what, fn)
      if not vim.wait(helper.deadline, fn, 20) then
        error(('waited in vain for %s in:\n%s'):format(what, screen()), 2)
      end
    end

    local function shows(pattern)
      till(pattern, function()
        return screen():find(pattern) ~= nil
      end)
    end

    --- Presses a key until the dialog is gone: one that has just come up may not listen yet.
    local function answer(key)
      till('the dialog to go', function()
        child:lua("require('oxide').send(...)", { agent = name, keys = { key } })
        return vim.wait(2000, function()
          return not screen():find(agent.dialog)
        end, 20)
      end)
    end

    --- All that the model was asked, as text.
    local function asked()
      local texts = vim.tbl_map(function(request)
        return type(request.body) == 'table' and vim.json.encode(request.body) or ''
      end, seat.model.server.asked)
      return table.concat(texts, '\n')
    end

    --- Says yes until the screen shows this.
    local function allowed_until(pattern)
      till(pattern, function()
        if agent.dialog and screen():find(agent.dialog) then
          answer('<CR>')
        end
        return screen():find(pattern) ~= nil
      end)
    end

    --- The record, as `oxide records` has it now.
    ---@return table
    local function recorded()
      local state = seat.home .. '/.local/state'
      local env =
        vim.tbl_extend('force', relay.env(seat.home, seat.run), { XDG_STATE_HOME = state })
      local done = vim.system({ helper.core, 'records', '--json' }, { env = env }):wait()
      assert.equal(0, done.code, done.stderr)
      return record.read(done.stdout)
    end

    lazy_setup(function()
      seat = { home = helper.tempdir(), run = helper.tempdir(), asks = true }
      seat.model = model.start(function(call)
        local plain = seat.dir .. '/plain.txt'
        call(own.read(plain))
        told.edited = call(own.edit(plain, 'two', 'TWO'))
        told.ran = call(own.run('echo ran; exit 3'))
        coroutine.yield('the first words')
        if agent.dialog then
          call(own.edit(plain, 'one', 'ONE')) -- which is refused, and ends the turn
        end
        return 'more words'
      end)
      child = helper.start({ ['plain.txt'] = 'one\ntwo\n' }, {
        env = agents.env(seat, name),
        -- the agent by itself; agents_route has what it asks Oxide about
        config = ('{ core = { path = %q }, agents = { claude = { route = {} }, codex = { route = {} } } }'):format(
          helper.core
        ),
      })
      seat.dir = child.dir
      agent.settle(seat)
      child:cmd('edit plain.txt')
      child:cmd('Oxide agent ' .. name)
      child:event('Agent')
      shows(agent.ready)
      till('it to know what is pasted', function()
        local raw = vim.fn.glob(seat.home .. '/.local/state/oxide/records/*.raw')
        return raw ~= '' and helper.read(raw):find('\27[?2004h', 1, true)
      end)
      child:cmd('stopinsert')
    end)
    lazy_teardown(function()
      helper.cleanup()
      model.cleanup()
      for _, pid in ipairs(processes(seat.home)) do
        vim.uv.kill(pid, 'sigkill')
      end
      vim.fn.delete(seat.home, 'rf')
      vim.fn.delete(seat.run, 'rf')
    end)

    it('is hidden and shown again', function()
      local function windows()
        return child:lua('return #vim.api.nvim_tabpage_list_wins(0)')
      end
      assert.equal(2, windows())
      child:cmd('Oxide agent ' .. name)
      assert.equal(1, windows())
      child:cmd('Oxide agent ' .. name)
      child:cmd('stopinsert')
      assert.equal(2, windows())
    end)

    it('is sent lines with their numbers, which reach its model', function()
      child:cmd('wincmd p | 1,2Oxide send ' .. name .. ' why?')
      till('the paste', function()
        return screen():find('why?', 1, true) or screen():find('[Pasted', 1, true)
      end)
      assert.equal(0, seat.model.turns)
      -- right behind a paste some take Return as a part of it
      till('the question', function()
        child:lua("require('oxide').send(...)", { agent = name, keys = { '<CR>' } })
        return vim.wait(2000, function()
          return asked():find('plain.txt, lines 1 to 2:\\n1: one\\n2: two\\nwhy?', 1, true)
        end, 20)
      end)
    end)

    it('changes a file and runs a command, once it may', function()
      allowed_until('the first words')
      assert.equal('one\nTWO\n', child:file('plain.txt'))
      assert.matches('ran', told.ran.text)
      child:wait('the buffer', "vim.fn.getbufline('plain.txt', 2)[1] == 'TWO'")
    end)

    if agent.log then
      it('is in the records while it works', function()
        local r
        till('the last row', function()
          r = recorded()
          local last = r.messages[#r.messages]
          return last and last.text == 'the first words'
        end)
        assert.is_nil(r.ended)
        assert.same(
          CALLS[name],
          vim.tbl_map(function(call)
            return call.name
          end, r.tool_calls)
        )
        assert.matches('plain%.txt, lines 1 to 2:\n1: one', r.messages[1].text)
        local change = r.file_operations[#r.file_operations]
        assert.same({ 'modify', 1, 1 }, {
          change.operation,
          change.change.lines_added,
          change.change.lines_removed,
        })
        local command = r.shell_commands[#r.shell_commands]
        assert.matches('echo ran', command.command)
        assert.equal(3, command.exit_code)
      end)
    end

    it('is found by the core after the one that died', function()
      child:lua("_G.events = {} vim.uv.kill(require('oxide.process').pid, 'sigkill')")
      child:wait('the end of the core', "require('oxide.process').phase == 'stopped'")
      relay.listen(child)
      child:event('Agent')
      child:lua("require('oxide').send(...)", { agent = name, text = 'go on', submit = true })
      if agent.dialog then
        shows(agent.dialog)
        answer('<Esc>')
      else
        shows('more words')
      end
      assert.truthy(asked():find('go on', 1, true))
      assert.equal('one\nTWO\n', child:file('plain.txt'))
    end)

    it('is stopped, and nothing of it is left', function()
      child:cmd('Oxide agent! ' .. name)
      child:event('AgentExit')
      till('its processes to end', function()
        return #processes(seat.home) == 0
      end)
      local r = recorded()
      assert.truthy(r.ended)
      if name == 'claude' then
        assert.equal(143, r.exit.code)
      end
    end)
  end)
end
