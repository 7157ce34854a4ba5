-- Agents of other makers that are asked once and print what they do, with `oxide mcp` as :Oxide mcp
-- config has it, beside a Neovim whose user looks at the changes. Each is started once, and does all in
-- one turn: by Oxide's tools, then by its own. claude_spec has more of Claude Code.
local agents = require('agents')
local fault = require('fault')
local helper = require('helper')
local model = require('model')
local record = require('record')
local relay = require('relay')

-- What is in the record of what an agent prints, and of its session log: its calls with how they
-- ended, files and commands. The first three calls are of Oxide's tools.
local OXIDE = 'read_file completed\nedit_file completed\nedit_file failed\n'
local FILES = 'read plain.txt\nmodify plain.txt +1 -1\n'
local COMMANDS = 'echo ran: 0\necho failed; exit 3: 3\n'
local RECORDS = {
  claude = {
    calls = 'Read completed\nEdit completed\nBash completed\nBash failed\nBash denied\n',
  },
  codex = {
    calls = 'shell completed\napply_patch completed\nshell completed\nshell failed\n',
    printed = { files = 'modify plain.txt\n' }, -- no diff is printed, nor what was forbidden
    logged = { denied = 'shell denied\n', files = 'modify plain.txt +1 -1\n' },
    commands = 'cat plain.txt: 0\n' .. COMMANDS,
  },
  gemini = {
    calls = 'read_file completed\nreplace completed\nrun_shell_command completed\n'
      .. 'run_shell_command completed\nrun_shell_command denied\n',
    printed = { commands = 'echo ran: ?\necho failed; exit 3: ?\n' }, -- no exit codes are printed
  },
  opencode = {
    calls = 'read completed\nedit completed\nbash completed\nbash completed\nbash denied\n',
  },
}

---@param name string
---@param kind 'printed'|'logged'
---@return string
local function expected(name, kind)
  local all = RECORDS[name]
  local own = all[kind] or {}
  return OXIDE
    .. (all.calls .. (own.denied or ''))
    .. (own.files or FILES)
    .. (own.commands or all.commands or COMMANDS)
end

--- Begins a turn beside a Neovim that has notes.txt open, with a change that is not saved.
---@param name string
---@param script test.Script
---@return test.Child, { done?: table }, test.Seat
local function begin(name, script)
  local seat = { home = helper.tempdir(), run = helper.tempdir(), model = model.start(script) }
  local child = relay.start(
    { ['notes.txt'] = 'alpha\nbeta\ngamma\n', ['plain.txt'] = 'one\ntwo\n' },
    seat.run,
    ("core = { path = %q }, review = { agent_focus = 'always' }"):format(helper.core)
  )
  seat.dir = child.dir
  child:cmd('edit notes.txt | call setline(1, "typed")')
  child:cmd('Oxide mcp config ' .. name)
  local shown = table.concat(child:lines(), '\n', 3)
  child:cmd('close')
  agents.all[name].settle(seat, shown)
  local turn = {}
  agents.ask(seat, name, 'change the notes', function(done)
    turn.done = done
  end)
  return child, turn, seat
end

for name, agent in vim.spairs(agents.all) do
  describe(agent.title .. ' beside Neovim', function()
    if not agents.brought(name) then
      pending('npm brings no ' .. agent.title .. ' here')
      return
    end

    local child, turn, seat ---@type test.Child, { done?: table }, test.Seat
    local told = {} ---@type table<string, test.ToolResult>
    local review = {} ---@type table<string, string[]>   its lines

    local answered ---@type string   the review before, which may still be there

    --- Waits for the review, and answers it.
    local function answer(which, keys)
      fault.wait('the review', function()
        assert(not turn.done, turn.done and turn.done.stdout .. turn.done.stderr)
        local shown = child:lua('return vim.fn.bufname()')
        local is_next = shown:find('oxide://review/', 1, true) and shown ~= answered
        answered = is_next and shown or answered
        return is_next
      end)
      review[which] = child:lines()
      child:type(keys)
    end

    lazy_setup(function()
      child, turn, seat = begin(name, function(call)
        local function oxide(tool, args)
          return call(agent.tool:format(tool), args)
        end
        told.read = oxide('read_file', { file_path = 'notes.txt' })
        local line_2 = { file_path = 'notes.txt', line_number = 2, content = 'BETA' }
        told.accepted = oxide('edit_file', line_2)
        local line_3 = { file_path = 'notes.txt', line_number = 3, content = 'GAMMA' }
        told.refused = oxide('edit_file', line_3)
        local own = agent.calls
        call(own.read(seat.dir .. '/plain.txt'))
        call(own.edit(seat.dir .. '/plain.txt', 'two', 'TWO'))
        told.ran = call(own.run('echo ran'))
        told.failed = call(own.run('echo failed; exit 3'))
        told.forbidden = call(own.run('rm plain.txt'))
        return 'the last words'
      end)
      answer('accepted', ':w<CR>')
      fault.wait('the first answer', function()
        return told.accepted
      end)
      answer('refused', ':q<CR>')
      fault.wait(agent.title .. ' to end', function()
        return turn.done
      end)
    end)
    lazy_teardown(function()
      model.cleanup()
      helper.cleanup()
      vim.fn.delete(seat.home, 'rf')
      vim.fn.delete(seat.run, 'rf')
    end)

    it('reads what is not saved, with its numbers', function()
      assert.matches('where: buffer\ncontent:\n1: typed\n2: beta\n3: gamma\n', told.read.text)
    end)

    it('is shown by its own name to who has to decide', function()
      assert.matches(agent.called, review.accepted[3])
      assert.matches('^%-beta\n%+BETA$', table.concat(review.accepted, '\n', 10, 11))
    end)

    it('changes the buffer once its review is accepted', function()
      assert.matches('success: true', told.accepted.text)
      assert.matches('left_modified: 1', told.accepted.text)
      assert.same({ 'typed', 'BETA', 'gamma' }, child:lines())
      assert.equal('alpha\nbeta\ngamma\n', child:file('notes.txt'))
    end)

    it('is told that its review was refused', function()
      assert.matches('%+GAMMA', table.concat(review.refused, '\n'))
      assert.matches('was not confirmed; nothing was changed', told.refused.text)
    end)

    it('changes a file by its own tool, and runs what is not forbidden', function()
      assert.equal('one\nTWO\n', child:file('plain.txt'))
      assert.matches('ran', told.ran.text)
      assert.matches('failed', told.failed.text)
    end)

    it('ends with the last words of its model', function()
      assert.equal(0, turn.done.code)
      assert.matches('the last words', turn.done.stdout)
    end)

    --- What `oxide records --reader` finds in a file.
    local function read_by_reader(kind, file)
      local argv = { helper.core, 'records', '--reader', name, '--kind', kind, file }
      local done = vim.system(argv, { env = relay.env(seat.home, seat.run) }):wait()
      assert.equal(0, done.code, done.stderr)
      return record.read(done.stdout)
    end

    it('is recorded by what it prints', function()
      local file = seat.home .. '/printed'
      helper.write(file, turn.done.stdout)
      assert.equal(
        expected(name, 'printed'),
        record.summary(read_by_reader('stream', file), seat.dir)
      )
    end)

    if agent.log then
      it('is recorded by its session log', function()
        local file = vim.fn.glob(seat.home .. '/' .. agent.log)
        local r = read_by_reader('log', file)
        assert.equal(expected(name, 'logged'), record.summary(r, seat.dir))
        assert.same(
          { 'change the notes', 'the last words' },
          vim.tbl_map(function(message)
            assert.equal(1, message.turn)
            return message.text
          end, r.messages)
        )
      end)
    end

    it('is in the history, and one undo takes its change back', function()
      child:cmd('Oxide history')
      child:wait('the history', "vim.bo.filetype == 'oxide-history'")
      assert.matches('edit notes.txt, by mcp', child:lines()[3])
      child:cmd('close | Oxide undo')
      child:wait('the undo', "vim.fn.getline(2) == 'beta'")
      assert.same({ 'typed', 'beta', 'gamma' }, child:lines())
    end)
  end)
end
