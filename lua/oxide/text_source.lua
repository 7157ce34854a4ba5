-- Where the text comes from that a command is given: a register, or lines of a buffer.
local M = {}

M.REGISTER = '^[%w"+*%-./:=]$'

---@param lines string[]   of Vim: a newline in one stands for NUL
---@param eol string
---@return string?
local function join(lines, eol)
  local text = table.concat(
    vim.tbl_map(function(line)
      return (line:gsub('\n', '\0'))
    end, lines),
    eol
  )
  return text ~= '' and text .. eol or nil
end

M.lines = nil ---@type string[]?   of the register that is being read

---@param name string
---@return string?
function M.register(name)
  -- Some providers take a clipboard without a text for an error, and say so on the last line.
  local read = ("require('oxide.text_source').lines = vim.fn.getreg(%q, 1, true)"):format(name)
  local mods = { silent = true, emsg_silent = true }
  vim.api.nvim_cmd({ cmd = 'lua', args = { read }, mods = mods }, {})
  local lines = assert(M.lines)
  M.lines = nil
  return join(lines, '\n')
end

---@param buf integer
---@param first integer
---@param last integer
---@return string?
function M.lines(buf, first, last)
  local eol = vim.bo[buf].fileformat == 'dos' and '\r\n' or '\n'
  return join(vim.api.nvim_buf_get_lines(buf, first - 1, last, false), eol)
end

return M
