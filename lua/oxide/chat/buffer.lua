-- The buffer of a conversation, `oxide://chat/{n}`: making it, changing it, and marks in it.
local M = {}

local MARKS = vim.api.nvim_create_namespace('oxide.chat')

M.RULE = { ('─'):rep(400), 'OxideChatRule' } -- behind a heading, as wide as any window

--- Changes the text without an entry in the undo history: what streams in is nobody's edit, and a
--- line of that history would be wrong after it.
---@param buf integer
---@param fn fun()
function M.change(buf, fn)
  local bo = vim.bo[buf]
  local modifiable, levels = bo.modifiable, bo.undolevels
  bo.modifiable, bo.undolevels = true, -1
  local ok, err = pcall(fn)
  bo.modifiable, bo.undolevels = modifiable, levels
  if not ok then
    error(err, 0)
  end
end

--- Replaces whole lines.
---@param buf integer
---@param first integer   from 0
---@param last integer    the first one behind them; -1: the end
---@param lines string[]
function M.set_lines(buf, first, last, lines)
  M.change(buf, function()
    vim.api.nvim_buf_set_lines(buf, first, last, false, lines)
  end)
end

--- Makes a mark, or moves the one whose `id` the options name.
---@param buf integer
---@param row integer      from 0
---@param column integer   from 0
---@param opts? vim.api.keyset.set_extmark
---@return integer id
function M.mark(buf, row, column, opts)
  return vim.api.nvim_buf_set_extmark(buf, MARKS, row, column, opts or {})
end

---@param buf integer
---@param id integer
function M.unmark(buf, id)
  vim.api.nvim_buf_del_extmark(buf, MARKS, id)
end

---@param buf integer
---@param id integer
---@return integer row, integer column   from 0
function M.position(buf, id)
  local place = vim.api.nvim_buf_get_extmark_by_id(buf, MARKS, id, {})
  return place[1] or 0, place[2] or 0
end

---@class oxide.ChatRange   from 0; the end is the first place behind it
---@field row integer
---@field column integer
---@field end_row integer
---@field end_column integer

---@param buf integer
---@param id? integer
---@return oxide.ChatRange?
function M.range(buf, id)
  local place = id and vim.api.nvim_buf_get_extmark_by_id(buf, MARKS, id, { details = true })
  if not place or not place[1] then
    return nil
  end
  local row, column, details = place[1], place[2], place[3]
  return {
    row = row,
    column = column,
    end_row = details.end_row or row,
    end_column = details.end_col or column,
  }
end

---@param number integer
---@return integer buf
function M.create(number)
  require('oxide.highlights')
  local name = 'chat/' .. number
  local old = vim.fn.bufnr('^oxide://' .. name .. '$')
  if old > 0 then -- another one that has this name now
    vim.api.nvim_buf_set_name(old, ('oxide://%s-%d'):format(name, old))
  end
  local buf = vim.api.nvim_create_buf(true, true)
  require('oxide.scratch').name(buf, name)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  return buf
end

return M
