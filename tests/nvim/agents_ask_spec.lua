-- Agents of other makers that are asked by `oxide ask --agent`: by ACP, and with --yes.
local agents = require('agents')
local helper = require('helper')
local model = require('model')
local record = require('record')

--- Those that speak ACP; Codex needs another program for it.
for _, name in ipairs { 'claude', 'gemini', 'opencode' } do
  local agent = agents.all[name]
  describe('oxide ask --agent ' .. name, function()
    if not agent or not agents.brought(name) then
      pending('npm brings no such agent here')
      return
    end

    local seat ---@type test.Seat

    after_each(function()
      model.cleanup()
      for _, dir in ipairs { seat.home, seat.run, seat.dir } do
        vim.fn.delete(dir, 'rf')
      end
    end)

    it('has it read and change a file, and records that', function()
      seat = { home = helper.tempdir(), run = helper.tempdir(), dir = helper.tempdir() }
      vim.fn.mkdir(seat.dir .. '/.git')
      helper.write(seat.dir .. '/plain.txt', 'one\ntwo\n')
      local read ---@type test.ToolResult
      seat.model = model.start(function(call)
        read = call(agent.calls.read(seat.dir .. '/plain.txt'))
        call(agent.calls.edit(seat.dir .. '/plain.txt', 'two', 'TWO'))
        return 'the last words'
      end)
      agent.settle(seat)
      local argv = { helper.core, 'ask', '--agent', name, '--yes', '--json', 'change it' }
      local done = vim
        .system(agents.secluded(seat, name, argv), { cwd = seat.dir, stdin = false, text = true })
        :wait(helper.deadline)
      assert.equal(0, done.code, done.stderr)
      assert.matches('one', read.text)
      assert.equal('one\nTWO\n', helper.read(seat.dir .. '/plain.txt'))
      local r = record.read(done.stdout)
      assert.same({ name, 'acp' }, { r.agent.name, r.agent.engine })
      assert.matches('the last words', vim.iter(r.messages):last().text)
      assert.equal(
        'TWO',
        table
          .concat(vim.tbl_map(function(row)
            return row.change and row.change.diff and row.change.diff:match('\n%+(TWO)\n') or ''
          end, r.file_operations))
          :sub(1, 3)
      )
    end)
  end)
end
