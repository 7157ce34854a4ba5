-- Where the cursor is, in the terms of the tools: lines and columns from 1, columns in bytes.
local M = {}

---@class oxide.Place
---@field buf integer
---@field win integer
---@field file_path string
---@field line integer
---@field column integer
---@field word string

--- Nil and a reason when the buffer is not a file.
---@param buf? integer
---@return oxide.Place?, string?
function M.here(buf)
  local win = vim.api.nvim_get_current_win()
  buf = buf or vim.api.nvim_win_get_buf(win)
  local name = vim.api.nvim_buf_get_name(buf)
  if not require('oxide.buffers').is_file(buf) then
    return nil,
      name == '' and 'this buffer has no file yet; write it first' or 'this buffer is not a file'
  end
  if vim.api.nvim_win_get_buf(win) ~= buf then
    win = vim.fn.win_findbuf(buf)[1] or win
  end
  local cursor = vim.api.nvim_win_get_buf(win) == buf and vim.api.nvim_win_get_cursor(win)
    or { 1, 0 }
  return {
    buf = buf,
    win = win,
    file_path = name,
    line = cursor[1],
    column = cursor[2] + 1,
    word = vim.api.nvim_win_call(win, function()
      return vim.fn.expand('<cword>')
    end),
  }
end

return M
