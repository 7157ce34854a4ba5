-- The program on a terminal, with somebody before it.
--
--   local t = pty.start({ 'ask', 'hello' }, { cwd = dir, env = {} })
--   t:till('Allow this?')   t:type('y')   local code = t:ended()   t.text
local fault = require('fault')
local helper = require('helper')

local M = {}

---@class test.Pty
---@field text string   all that it printed
---@field job integer
---@field code? integer
---@field private seen integer
local Pty = {}
Pty.__index = Pty

---@param argv string[]
---@param opts table   of jobstart()
---@return test.Pty
function M.start(argv, opts)
  local t = setmetatable({ text = '', seen = 1 }, Pty)
  t.job = vim.fn.jobstart(
    vim.list_extend({ helper.core }, argv),
    vim.tbl_extend('force', {
      pty = true,
      width = 400,
      on_stdout = function(_, lines)
        t.text = t.text .. table.concat(lines, '\n'):gsub('\r', '')
      end,
      on_exit = function(_, code)
        t.code = code
      end,
    }, opts)
  )
  return t
end

--- Waits until it has printed this, behind what was waited for before.
---@param words string
function Pty:till(words)
  fault.wait(('"%s" in: %s'):format(words, self.text), function()
    local _, last = self.text:find(words, self.seen, true)
    self.seen = last and last + 1 or self.seen
    assert(last or not self.code, self.text)
    return last
  end)
end

---@param line string
function Pty:type(line)
  vim.fn.chansend(self.job, line .. '\n')
end

--- A key, such as Ctrl-C ('\3').
---@param key string
function Pty:key(key)
  vim.fn.chansend(self.job, key)
end

---@return integer code
function Pty:ended()
  fault.wait('its end', function()
    return self.code
  end)
  return self.code
end

return M
