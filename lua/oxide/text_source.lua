-- Where the text comes from that a command is given: a register, or lines of a buffer. And lines that
-- go to a register.
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

local GET = "require('oxide.text_source').got = { pcall(vim.fn.getreg, %q, 1, true) }"

M.got = nil ---@type [boolean, string[]|string]?   of the register that is being read

---@param name string
---@return string? text   nil: it is empty, or
---@return string? why    it cannot be read
function M.register(name)
  -- Some providers take a clipboard without a text for an error, and say so on the last line.
  local mods = { silent = true, emsg_silent = true }
  vim.api.nvim_cmd({ cmd = 'lua', args = { GET:format(name) }, mods = mods }, {})
  local ok, got = unpack(assert(M.got))
  M.got = nil
  if not ok then
    local reason = vim.split(tostring(got), '\n')[1]
    return nil, ('register %s cannot be read: %s'):format(name, reason)
  end
  return join(got --[[@as string[] ]], '\n')
end

--- Puts lines into a register.
---@param name string
---@param lines string[]
function M.set(name, lines)
  local of_vim = vim.tbl_map(function(line)
    return (line:gsub('%z', '\n')) -- as a string with NUL it would be a Blob (E976)
  end, lines)
  vim.fn.setreg(name, of_vim, 'l')
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
