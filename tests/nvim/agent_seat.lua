-- A Neovim with unsaved changes in plain.txt, and in it or beside it a real agent in a terminal, whose
-- model follows a script.
local agents = require('agents')
local fault = require('fault')
local helper = require('helper')
local model = require('model')
local relay = require('relay')

local M = {}

---@class test.AgentSeat
---@field name string
---@field child test.Child
---@field seat test.Seat
---@field elsewhere? integer   the job of one that Neovim has not started
local AgentSeat = {}
AgentSeat.__index = AgentSeat

---@param name string
---@return string
function M.program(name)
  return helper.root .. '/.deps/agents/bin/' .. name
end

---@param name string
---@param script test.Script
---@param opts? { row?: string, settings?: string, text?: string }   of `agents` in the configuration, for
---  agents.lua, of plain.txt
---@return test.AgentSeat
function M.begin(name, script, opts)
  opts = opts or {}
  local seat = { home = helper.tempdir(), run = helper.tempdir(), asks = true }
  local child = helper.start({ ['plain.txt'] = opts.text or 'one\ntwo\n' }, {
    env = { XDG_RUNTIME_DIR = seat.run, XDG_STATE_HOME = seat.home .. '/state' },
    config = ('{ core = { path = %q }, agents = { %s = { executable = %q, %s } } }'):format(
      helper.core,
      name,
      M.program(name),
      opts.row or ''
    ),
  })
  vim.fn.mkdir(child.dir .. '/.git')
  relay.listen(child)
  seat.dir = child.dir
  seat.model = model.start(script)
  agents.all[name].settle(seat, opts.settings)
  child:cmd('edit plain.txt')
  child:type('ggO// mine<Esc>')
  child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline(1) == '// mine'")
  child:lua(
    [[
      for name, value in pairs(...) do
        vim.env[name] = value
      end
      function _G.opened()
        return vim.iter(_G.events):any(function(e) return e.name == 'OxideReviewOpen' end)
      end
    ]],
    agents.env(seat, name)
  )
  return setmetatable({ name = name, child = child, seat = seat }, AgentSeat)
end

function AgentSeat:finish()
  if self.elsewhere then
    vim.fn.jobstop(self.elsewhere)
    vim.fn.jobwait({ self.elsewhere }, helper.deadline)
  end
  model.cleanup()
  helper.cleanup()
  vim.fn.delete(self.seat.home, 'rf')
  vim.fn.delete(self.seat.run, 'rf')
end

--- Starts it by `:Oxide agent`, or hides it, or shows it again.
---@param args? string
function AgentSeat:toggle(args)
  self.child:cmd('Oxide agent ' .. self.name .. (args or ''))
end

--- Starts it in a terminal that is none of Neovim's.
---@param argv string[]   without the program
function AgentSeat:start_elsewhere(argv)
  local all = vim.list_extend({ M.program(self.name) }, argv)
  self.elsewhere = vim.fn.jobstart(agents.secluded(self.seat, self.name, all), {
    pty = true,
    cwd = self.child.dir,
    width = 120,
    height = 40,
    env = { TERM = 'xterm-256color' },
  })
end

--- Keys for the agent, wherever the user is.
---@param keys string
function AgentSeat:put(keys)
  if self.elsewhere then
    vim.fn.chansend(self.elsewhere, keys)
    return
  end
  self.child:lua(
    [[
      for _, buf in ipairs(vim.api.nvim_list_bufs()) do
        if vim.b[buf].oxide_agent then
          vim.fn.chansend(vim.bo[buf].channel, (...))
        end
      end
    ]],
    keys
  )
end

---@return string   what its terminal in Neovim shows
function AgentSeat:screen()
  return self.child:lua([[
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.b[buf].oxide_agent then
        return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
      end
    end
    return ''
  ]])
end

--- Waits for it. Between words Neovim may show what was there before.
---@param pattern string
function AgentSeat:shows(pattern)
  pattern = pattern:gsub(' ', '[^\n]-')
  local found = vim.wait(helper.deadline, function()
    return self:screen():find(pattern) ~= nil
  end, 10)
  if not found then
    error(('waited in vain for %s in:\n%s'):format(pattern, self:screen()), 2)
  end
end

--- Until it is connected as to an IDE.
function AgentSeat:connects()
  self.child:wait(
    self.name .. ' to connect',
    [[(function()
      for _, e in ipairs(_G.events) do
        if e.name == 'OxideIde' and #e.data.clients == 1 then return true end
      end
    end)()]]
  )
end

--- Until Claude Code shows that it knows what is open in its IDE. It is connected before that, and what
--- is said to it meanwhile is done as if there were none: it tells of no prompt, and asks for no
--- diagnostics.
function AgentSeat:knows_ide()
  local child, keys = self.child, { 'j', 'k' }
  child:lua([[
    vim.cmd('stopinsert')
    vim.fn.win_gotoid(vim.fn.bufwinid('plain.txt'))
  ]])
  fault.wait('the agent to show the open file', function()
    child:type(keys[1])
    keys[1], keys[2] = keys[2], keys[1]
    return vim.wait(300, function()
      return self:screen():find('⧉', 1, true) ~= nil
    end, 20)
  end)
end

--- Says something to it, until its model is asked. Before its prompt is there keys get lost, and right
--- behind what is typed Return may be taken for a part of it.
---@param text string
function AgentSeat:say(text)
  fault.wait('the model to be asked', function()
    self:put(text)
    local function asked()
      return vim.json.encode(self.seat.model.server.asked):find(text, 1, true) ~= nil
    end
    if vim.wait(300, asked, 20) then
      return true
    end
    self:put('\r')
    return vim.wait(2000, asked, 20)
  end)
end

--- Says something, and opens the review that comes of it.
---@param text string
function AgentSeat:ask(text)
  self:say(text)
  self:review()
end

function AgentSeat:review()
  local child = self.child
  child:wait('a review', "opened() or require('oxide.review.queue').count() > 0")
  child:lua("vim.cmd('stopinsert')")
  if not child:lua('return opened()') then -- the user is in the terminal
    child:cmd('Oxide review')
  end
  child:event('ReviewOpen')
end

---@return string   the text of plain.txt as it is in Neovim
function AgentSeat:buffer()
  return self.child:lua([[
    return table.concat(vim.fn.getbufline('plain.txt', 1, '$'), '\n') .. '\n'
  ]])
end

--- Waits for it.
---@param text string
function AgentSeat:has(text)
  local same = vim.wait(helper.deadline, function()
    return self:buffer() == text
  end, 10)
  if not same then
    error(('the buffer has in the end:\n%s'):format(self:buffer()), 2)
  end
end

return M
