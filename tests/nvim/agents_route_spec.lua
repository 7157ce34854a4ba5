-- `:Oxide agent claude` and `:Oxide agent codex`: the real ones in Neovim's terminal, with nothing set
-- up for them. What they change comes up for review, and nothing of their settings is written.
local agents = require('agents')
local fault = require('fault')
local helper = require('helper')
local model = require('model')
local relay = require('relay')

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
    prompt = '❯',
    reads = true,
    written = 'updated successfully',
  },
  codex = {
    args = ' -a on-request -s read-only', -- it would ask about each change itself
    settings = '.codex/config.toml',
    prompt = '›',
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

    local child, seat ---@type test.Child, test.Seat
    local own = agents.all[name].calls

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

    --- Between words Neovim may show what was there before.
    local function shows(pattern)
      pattern = pattern:gsub(' ', '[^\n]-')
      local found = vim.wait(helper.deadline, function()
        return screen():find(pattern) ~= nil
      end, 10)
      if not found then
        error(('waited in vain for %s in:\n%s'):format(pattern, screen()), 2)
      end
    end

    --- Right behind what is typed Return may be taken for a part of it.
    local function submit()
      fault.wait('a review', function()
        child:type('<CR>')
        return vim.wait(2000, function()
          return child:lua("return require('oxide.review_queue').count() > 0")
        end, 20)
      end)
    end

    before_each(function()
      seat = { home = helper.tempdir(), run = helper.tempdir(), asks = true }
      local program = ('agents = { %s = { executable = %q } }'):format(
        name,
        helper.root .. '/.deps/agents/bin/' .. name
      )
      child = helper.start({ ['plain.txt'] = 'one\ntwo\n' }, {
        env = { XDG_RUNTIME_DIR = seat.run, XDG_STATE_HOME = seat.home .. '/state' },
        config = ('{ core = { path = %q }, %s }'):format(helper.core, program),
      })
      vim.fn.mkdir(child.dir .. '/.git')
      relay.listen(child)
      seat.dir = child.dir
    end)
    after_each(function()
      model.cleanup()
      helper.cleanup()
      vim.fn.delete(seat.home, 'rf')
      vim.fn.delete(seat.run, 'rf')
    end)

    it('shows each change in the review, and keeps the turn to be undone', function()
      local told, plain = {}, child.dir .. '/plain.txt'
      seat.model = model.start(function(call)
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
      agents.all[name].settle(seat)
      local settings = helper.read(seat.home .. '/' .. route.settings)
      child:cmd('edit plain.txt')
      child:type('ggO// mine<Esc>')
      child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline(1) == '// mine'")
      child:lua(
        [[
        local env, command = ...
        for name, value in pairs(env) do
          vim.env[name] = value
        end
        vim.cmd(command)
      ]],
        agents.env(seat, name),
        'Oxide agent ' .. name .. route.args
      )
      shows(agents.all[name].ready)
      child:type('change line 2')
      shows(route.prompt .. '[^%a]*change line 2')
      submit()
      child:message(name .. ' .* asks for a review')
      assert.equal('one\ntwo\n', child:file('plain.txt'))
      child:type('<C-\\><C-n>:Oxide review<CR>')
      child:event('ReviewOpen')
      child:type(':w<CR>')
      shows('the second line is changed')
      assert.matches(route.written, told.edited.text)
      assert.matches('1: // mine', told.read.text)
      assert.equal('one\nTWO\n', child:file('plain.txt'))
      child:wait('the buffer', "vim.fn.getbufline('plain.txt', 1, '$')[3] == 'TWO'")
      child:message(name .. ' has changed')

      child:cmd('Oxide agent ' .. name) -- hidden, and there again
      child:cmd('Oxide agent ' .. name)
      child:type('change line 1')
      shows(route.prompt .. '[^%a]*change line 1')
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
      child:wait('the turn to be undone', "vim.fn.getbufline('plain.txt', 1, '$')[3] == 'two'")
      local listed = child:lua("return vim.fn.getbufline('plain.txt', 1, '$')")
      assert.same({ '// mine', 'one', 'two' }, listed)
      -- Codex notes there what it has shown
      local now = helper.read(seat.home .. '/' .. route.settings)
      assert.equal(settings, now:sub(1, #settings))
      assert.is_nil(now:find('hook', 1, true))
    end)
  end)
end
