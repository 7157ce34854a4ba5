-- Where the cursor is, in the terms of the tools: lines and columns from 1, columns in bytes.
local M = {}

---@class oxide.Place
---@field buf integer
---@field win integer
---@field file_path string
---@field line integer
---@field column integer
---@field word string

local WIDEST = 200 -- bytes of a name on either side of the cursor

--- The name that a server takes a place for: also the one that ends before it, as at the bracket of
--- `f(x)`, where <cword> is the next one.
---@param line integer
---@param column integer
---@return string
local function word_at(line, column)
  local from = math.max(column - WIDEST, 1) -- a line may be as long as a file
  local text = vim.fn.getline(line):sub(from, column + WIDEST)
  local touched = vim.fn.matchstr(text, ([[\k*\%%%dc\k*]]):format(column - from + 1))
  return touched ~= '' and touched or vim.fn.expand('<cword>')
end

--- Nil and a reason when the buffer is not a file.
---@param buf? integer
---@return oxide.Place?, string?
function M.here(buf)
  local win = vim.api.nvim_get_current_win()
  buf = buf or vim.api.nvim_win_get_buf(win)
  local name = vim.api.nvim_buf_get_name(buf)
  if not require('oxide.buffers').is_file(buf) then
    local is_new = name == '' and vim.bo[buf].buftype == ''
    return nil,
      is_new and 'this buffer has no file yet; write it first' or 'this buffer is not a file'
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
      return word_at(cursor[1], cursor[2] + 1)
    end),
  }
end

--- The file that was used last, as where a file explorer has taken its window.
---@return integer? buf
local function last_file()
  local last ---@type { bufnr: integer, lastused: integer }?
  for _, info in ipairs(vim.fn.getbufinfo { buflisted = 1 }) do
    if
      require('oxide.buffers').is_file(info.bufnr) and (not last or info.lastused > last.lastused)
    then
      last = info
    end
  end
  return last and last.bufnr
end

--- The file that a name is meant in: the one before the user, or where that is none, as beside a list or
--- the tree of symbols, the one of the window that they came from, or another on the screen, or the last
--- that was there.
---@return integer? buf
function M.file_buffer()
  local wins = { vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr('#')) }
  vim.list_extend(wins, vim.api.nvim_tabpage_list_wins(0))
  for _, win in ipairs(wins) do
    local buf = win > 0 and vim.api.nvim_win_get_buf(win)
    if buf and require('oxide.buffers').is_file(buf) then
      return buf
    end
  end
  return last_file()
end

return M
