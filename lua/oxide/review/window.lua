-- The windows of a review: opened in a tab of its own, with a fold for each file, and with the cursor where
-- it was when the page becomes another one.
local M = {}

local WRAPPED = 4 -- rows that a changed line may take

--- Whether a line that is changed ends outside of a window so wide: what differs may be there. One that
--- would take most of the window does not count.
---@param page oxide.ReviewPage
---@param cells integer
---@return boolean
local function is_cut(page, cells)
  for row, info in pairs(page.at) do
    local line = page.lines[row]
    if #line > cells and (info.kind == 'add' or info.kind == 'delete') then
      local width = vim.fn.strdisplaywidth(line)
      if width > cells and width <= WRAPPED * cells then
        return true
      end
    end
  end
  return false
end

--- Folds what the page has to fold, in the window before the user.
---@param view oxide.ReviewView
local function fold_notes(view)
  local folded = view.page.folded
  if folded then
    vim.cmd(('silent! %dfoldclose'):format(folded.first))
  end
end

--- The options of the window that shows it, as long as it does.
---@param review oxide.Review
function M.set_options(review)
  review.view.seen = true
  require('oxide.review.queue').seen(review.id)
  local wo = require('oxide.scratch').plain(vim.api.nvim_get_current_win())
  wo.foldmethod = 'expr'
  wo.foldexpr = "v:lua.require'oxide.review.window'.fold(v:lnum)"
  wo.foldtext = "v:lua.require'oxide.review.window'.fold_text()"
  wo.fillchars = 'fold: '
  wo.foldlevel = 99
  wo.foldenable = true
  wo.wrap = is_cut(review.view.page, vim.api.nvim_win_get_width(0))
  fold_notes(review.view)
end

---@param lnum integer
---@return oxide.FoldedNotes?   that the line is one of
local function folded_at(lnum)
  local folded = vim.b.oxide_folded
  return folded and lnum >= folded.first and lnum <= folded.last and folded or nil
end

--- 'foldexpr' of a review: a fold for each file, and one for the notes that follow the first.
---@param lnum integer
---@return string
function M.fold(lnum)
  local line = vim.fn.getline(lnum)
  if vim.startswith(line, '## ') then
    return '>1'
  elseif vim.startswith(line, '#') and folded_at(lnum) then
    return '1'
  end
  -- Not '=': Neovim would go back to the heading for each line that changes.
  return (line == '' or vim.startswith(line, '#')) and '0' or '1'
end

--- 'foldtext': of a file its heading, of notes how many they are.
---@return string
function M.fold_text()
  local folded = folded_at(vim.v.foldstart)
  return folded and require('oxide.review.notes').more(folded.count)
    or vim.fn.getline(vim.v.foldstart)
end

--- Where the cursor of each window is, by file and line of the old text.
---@param view oxide.ReviewView
---@return table<integer, oxide.ReviewLine>   by window
function M.places(view)
  local list = {}
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    list[win] = view.page.at[vim.api.nvim_win_get_cursor(win)[1]]
  end
  return list
end

---@param page oxide.ReviewPage
---@param place oxide.ReviewLine
---@return integer row
local function row_of(page, place)
  local row = page.headings[place.file] or 1
  while place.kind ~= 'heading' and row < #page.lines do
    local line = page.at[row + 1]
    if not line or line.file ~= place.file or (line.old or 0) > (place.old or 0) then
      break
    end
    row = row + 1
  end
  return row
end

--- Puts the cursors back behind another page, whose notes are folded as at first.
---@param view oxide.ReviewView
---@param places table<integer, oxide.ReviewLine>   as M.places() had them
function M.return_to(view, places)
  for win, place in pairs(places) do
    vim.api.nvim_win_set_cursor(win, { row_of(view.page, place), 0 })
    vim.api.nvim_win_call(win, function()
      fold_notes(view)
    end)
  end
end

--- Shows it in a tab of its own.
---@param review oxide.Review
function M.open(review)
  if review.outcome then
    return
  elseif not review.view then
    require('oxide.review.buffer').make(review)
  end
  local view = review.view
  view.origin = vim.api.nvim_get_current_win()
  require('oxide.places').note(review.question.title, review.question.notes or '')
  vim.cmd('tab split')
  require('oxide.scratch').show(0, view.buf)
  vim.api.nvim_win_set_cursor(0, { view.page.headings[1] or 1, 0 })
  require('oxide.ui').event('ReviewOpen', { id = review.id, buf = view.buf })
end

--- Goes to the window of a review, or gives it one again.
---@param review oxide.Review
function M.show(review)
  local buf = review.view and review.view.buf
  if not buf then
    return
  end
  local win = vim.fn.win_findbuf(buf)[1]
  if win then
    vim.api.nvim_set_current_win(win)
  else
    vim.cmd('tab split')
    require('oxide.scratch').show(0, buf)
  end
end

---@param step 1|-1
function M.to_hunk(step)
  vim.fn.search('^@@ ', step == 1 and 'W' or 'bW')
end

return M
