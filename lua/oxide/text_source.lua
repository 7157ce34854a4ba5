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

---@param name string
---@return string?
function M.register(name)
  return join(vim.fn.getreg(name, 1, true) --[[@as string[] ]], '\n')
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
