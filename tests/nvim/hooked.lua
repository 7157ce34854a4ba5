-- A Neovim with unsaved changes in list.txt, and beside it a real agent with Oxide's hooks, whose model
-- follows a script.
local agents = require('agents')
local assert = require('luassert')
local fault = require('fault')
local helper = require('helper')
local model = require('model')
local relay = require('relay')

local M = {}

-- What list.txt holds; its buffer has "// mine" above that.
M.DISK = vim.iter(vim.fn.range(1, 20)):map(tostring):join('\n') .. '\n'

---@class test.Hooked
---@field child test.Child
---@field seat test.Seat
---@field running vim.SystemObj[]
local Hooked = {}
Hooked.__index = Hooked

---@param files? table<string, string>   beside list.txt
---@return test.Hooked
function M.begin(files)
  local seat = { home = helper.tempdir(), run = helper.tempdir(), asks = true }
  local child = relay.start(
    vim.tbl_extend('error', { ['list.txt'] = M.DISK }, files or {}),
    seat.run,
    "review = { agent_focus = 'always' }" -- the user has typed just now
  )
  seat.dir = child.dir
  child:cmd('edit list.txt')
  child:type('ggO// mine<Esc>')
  child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline(1) == '// mine'")
  return setmetatable({ child = child, seat = seat, running = {} }, Hooked)
end

function Hooked:finish()
  for _, process in ipairs(self.running) do
    process:kill('sigkill')
    process:wait()
  end
  model.cleanup()
  helper.cleanup()
  vim.fn.delete(self.seat.home, 'rf')
  vim.fn.delete(self.seat.run, 'rf')
end

---@return string   the text of list.txt as it is in Neovim
function Hooked:buffer()
  return self.child:lua([[
    local buf = vim.fn.bufnr('list.txt')
    return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n') .. '\n'
  ]])
end

---@return string   all that the model has been told, as JSON
function Hooked:told()
  return vim.json.encode(self.seat.model.server.asked)
end

--- Neither the file nor the buffer has changed.
function Hooked:assert_untouched()
  assert.equal(M.DISK, self.child:file('list.txt'))
  assert.equal('// mine\n' .. M.DISK, self:buffer())
end

--- The user has accepted a change of line 2, and not that of line 18: the model knows which.
function Hooked:assert_told_of_part()
  assert.matches('accepted your change in part', self:told())
  assert.matches('%-18 or so\\n%+18\\n', self:told())
end

--- The user undoes the turn, which has changed line 12.
function Hooked:undoes()
  self.child:cmd('Oxide turn undo')
  self.child:wait('the turn to be undone', "vim.fn.getline(13) == '12'")
  assert.equal('// mine\n' .. M.DISK, self:buffer())
end

--- The user chooses the first answer of each question, which is kept in _G.asked.
function Hooked:agrees()
  self.child:lua([[
    _G.asked = {}
    vim.ui.select = function(items, opts, fn)
      table.insert(_G.asked, opts.prompt)
      fn(items[1], 1)
    end
  ]])
end

--- What `oxide hook --print` prints for the agent.
---@param name string
---@return string
function M.settings(name)
  local printed = vim.system({ helper.core, 'hook', '--print', name }):wait()
  assert(printed.code == 0, printed.stderr)
  return printed.stdout
end

--- Lets an agent loose that ends by itself.
---@param name string
---@param script test.Script
---@param argv string[]
---@param settings? string   for agents.lua
---@return fun(): string   waits for the end, and returns the last words of the model
---@return vim.SystemObj
function Hooked:run(name, script, argv, settings)
  local last, done
  self.seat.model = model.start(function(...)
    last = script(...)
    return last
  end)
  agents.all[name].settle(self.seat, settings)
  local process = vim.system(
    agents.secluded(self.seat, name, argv),
    { cwd = self.seat.dir, stdin = false },
    function(d)
      done = d
    end
  )
  table.insert(self.running, process)
  return function()
    fault.wait(name .. ' to end', function()
      return done
    end)
    return assert(last, done.stdout .. done.stderr)
  end,
    process
end

--- A text with one line in the place of another.
---@param text string
---@param line string
---@param new string
---@return string
function M.with(text, line, new)
  return (('\n' .. text):gsub('\n' .. line .. '\n', '\n' .. new .. '\n')):sub(2)
end

return M
