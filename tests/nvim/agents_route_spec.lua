-- `:Oxide agent claude` and `:Oxide agent codex`: the real ones in Neovim's terminal, with nothing set
-- up for them. What they change comes up for review, and nothing of their settings is written.
local agent_seat = require('agent_seat')
local agents = require('agents')
local fault = require('fault')
local helper = require('helper')

---@class test.Route
---@field args string        of `:Oxide agent`
---@field settings string    a file of its settings
---@field prompt string      pattern: what its prompt begins with
---@field reads boolean      it has a tool for that, which asks nobody
---@field written string     pattern: what its model is told of a change that was made

---@type table<string, test.Route>
local ROUTES = {
  claude = {
    args = '',
    settings = '.claude/settings.json',
    reads = true,
    written = 'updated successfully',
  },
  codex = {
    args = ' -a on-request -s read-only', -- it would ask about each change itself
    settings = '.codex/config.toml',
    reads = false,
    written = 'Success',
  },
}

for name, route in vim.spairs(ROUTES) do
  describe(':Oxide agent ' .. name, function()
    if not agents.brought(name) or not agents.all[name] then
      pending('npm brings no ' .. name .. ' here')
      return
    end

    local s, child ---@type test.AgentSeat, test.Child
    local own = agents.all[name].calls

    --- Right behind what is typed Return may be taken for a part of it.
    local function submit()
      fault.wait('a review', function()
        child:type('<CR>')
        return vim.wait(2000, function()
          return child:lua("return require('oxide.review.queue').count() > 0")
        end, 20)
      end)
    end

    after_each(function()
      s:finish()
    end)

    it('shows each change in the review, and keeps the turn to be undone', function()
      local told = {}
      s = agent_seat.begin(name, function(call)
        local plain = child.dir .. '/plain.txt'
        told.read = call('mcp__oxide__read_file', { file_path = plain })
        if route.reads then
          call(own.read(plain))
        end
        told.edited = call(own.edit(plain, 'two', 'TWO'))
        coroutine.yield('the second line is changed')
        told.refused = call(own.edit(plain, 'one', 'ONE'))
        told.over = true
        return 'the first line stays'
      end)
      child = s.child
      local settings = helper.read(s.seat.home .. '/' .. route.settings)
      s:toggle(route.args)
      s:shows(agents.all[name].ready)
      child:type('change line 2')
      s:shows('change line 2')
      submit()
      child:message(name .. ' .* asks for a review')
      assert.equal('one\ntwo\n', child:file('plain.txt'))
      child:type('<C-\\><C-n>:Oxide review<CR>')
      child:event('ReviewOpen')
      child:type(':w<CR>')
      s:shows('the second line is changed')
      assert.matches(route.written, told.edited.text)
      assert.matches('1: // mine', told.read.text)
      assert.equal('one\nTWO\n', child:file('plain.txt'))
      s:has('// mine\none\nTWO\n')
      child:message(name .. ' has changed')

      s:toggle() -- hidden, and there again
      s:toggle()
      child:type('change line 1')
      s:shows('change line 1')
      child:lua('_G.events = {}')
      submit()
      child:type('<C-\\><C-n>:Oxide review<CR>')
      child:event('ReviewOpen')
      child:type(':q<CR>')
      fault.wait('the model to be told', function()
        return told.over
      end)
      assert.matches('The user has refused this', told.refused.text)
      assert.equal('one\nTWO\n', child:file('plain.txt'))

      child:cmd('Oxide turn undo')
      s:has('// mine\none\ntwo\n')
      -- Codex notes there what it has shown
      local now = helper.read(s.seat.home .. '/' .. route.settings)
      assert.equal(settings, now:sub(1, #settings))
      assert.is_nil(now:find('hook', 1, true))
    end)
  end)
end
