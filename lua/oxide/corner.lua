-- Lines above the last status line, at the right, in a window that takes no focus and no key.
--
--   win = show(win, { ' a line ' }, 'OxideWait', 40)   nil at first, then what it returned: it is moved
--   win = close(win)                                   nil
local M = {}

---@param win integer?   that shows the lines before these; nil, or closed by somebody: a new one
---@param lines string[]   with their own blanks at both ends
---@param highlight string   group of its background and text
---@param zindex integer
---@param above? integer   so many lines that others have there
---@return integer win
function M.show(win, lines, highlight, zindex, above)
  local width = 1
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local config = {
    relative = 'editor',
    anchor = 'SE',
    row = vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0) - (above or 0),
    col = vim.o.columns,
    width = width,
    height = #lines,
    style = 'minimal',
    focusable = false,
    zindex = zindex,
    border = 'none', -- whatever 'winborder' says: it may cover nothing but its own text
  }
  if win and vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_set_config(win, config)
  else
    require('oxide.highlights')
    local buf = vim.api.nvim_create_buf(false, true)
    vim.bo[buf].bufhidden = 'wipe'
    config.noautocmd = true
    win = vim.api.nvim_open_win(buf, false, config)
    vim.wo[win].winhighlight = 'NormalFloat:' .. highlight
  end
  vim.api.nvim_buf_set_lines(vim.api.nvim_win_get_buf(win), 0, -1, false, lines)
  return win
end

---@param win integer?
---@return nil
function M.close(win)
  if win and vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_close(win, true)
  end
end

return M
