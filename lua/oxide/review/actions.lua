-- What the keys of a review do besides keeping and leaving out: ways to look at the change.
local M = {}

---@param review oxide.Review
---@return integer? index of the file that the cursor is on
---@return oxide.ReviewLine? line
local function here(review)
  local line = review.view.page.at[vim.fn.line('.')]
  return line and line.file, line
end

--- Goes to the line of the source that the cursor is on, in the window the review came from.
---@param review oxide.Review
function M.jump(review)
  local index, line = here(review)
  if not index or not line then
    return
  end
  local file = review.question.files[index]
  if file.kind == 'create' then
    require('oxide.ui').notify(file.shown .. ' does not exist yet')
    return
  end
  local first = line.old or (review.view.page.at[review.view.page.headings[index] + 1] or {}).old
  local origin = review.view.origin
  if origin and vim.api.nvim_win_is_valid(origin) then
    vim.api.nvim_set_current_win(origin)
  else
    vim.cmd('tab split')
  end
  vim.cmd("normal! m'")
  if vim.api.nvim_buf_get_name(0) ~= file.path and not require('oxide.scratch').edit(file.path) then
    return
  end
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(first or 1, last)), 0 })
  vim.cmd('normal! ^zv')
end

--- Shows old and new text of the file beside each other, in a tab; `q` closes it.
---@param review oxide.Review
function M.side_by_side(review)
  local index = here(review)
  if not index then
    return
  end
  local sides = require('oxide.review.sides')
  local file = review.question.files[index]
  local old = sides.old_lines(file)
  local new = require('oxide.review.hunks').patched(old, file.diff or '')
  for _, buf in ipairs { sides.open(review, file, old, new) } do
    vim.bo[buf].modifiable = false
    vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = buf, nowait = true })
  end
end

--- Shows the hunk with more of the lines around it; a count says how many.
---@param review oxide.Review
function M.around(review)
  local index, line = here(review)
  if not index or not line then
    return
  end
  local file = review.question.files[index]
  local hunk = review.view.page.hunks[index][line.hunk or 1]
  if not hunk then
    require('oxide.ui').notify('the review shows the whole file')
    return
  end
  local old = require('oxide.review.sides').old_lines(file)
  local more = vim.v.count > 0 and vim.v.count or require('oxide.config').get('review.around')
  local first, behind = math.max(1, hunk.old - more), hunk.old + hunk.span
  local last = math.min(#old, behind + more - 1)
  local lines = {}
  for i = first, hunk.old - 1 do
    table.insert(lines, ' ' .. (old[i] or ''))
  end
  vim.list_extend(lines, hunk.lines)
  for i = behind, last do
    table.insert(lines, ' ' .. old[i])
  end
  local float = require('oxide.scratch').float(lines, 'diff', {
    focus_id = 'oxide-review-around',
    title = (' %s:%d-%d '):format(file.shown, first, math.max(first, last)),
  })
  review.view.float = float
end

--- Lists the files in the location list.
---@param review oxide.Review
function M.outline(review)
  local view = review.view
  local win = vim.api.nvim_get_current_win()
  local items = {}
  for i, row in ipairs(view.page.headings) do
    local text = vim.api.nvim_buf_get_lines(view.buf, row - 1, row, true)[1]
    items[i] = { bufnr = view.buf, lnum = row, col = 1, text = text:sub(4) }
  end
  vim.fn.setloclist(win, {}, ' ', {
    title = review.question.title,
    items = items,
    quickfixtextfunc = "v:lua.require'oxide.review.actions'.outline_text",
  })
  vim.cmd.lopen()
  view.outline = vim.api.nvim_get_current_win()
end

--- 'quickfixtextfunc' of the outline.
---@param info { winid: integer, id: integer, start_idx: integer, end_idx: integer }
---@return string[]
function M.outline_text(info)
  local items = vim.fn.getloclist(info.winid, { id = info.id, items = 0 }).items
  return vim.tbl_map(function(item)
    return item.text
  end, vim.list_slice(items, info.start_idx, info.end_idx))
end

---@class oxide.ReviewAction
---@field title string
---@field run fun()

--- What can be done with the hunk, or with a file that goes whole.
---@param review oxide.Review
---@param row integer   of the page
---@param line oxide.ReviewLine
---@return oxide.ReviewAction[]
local function offered(review, row, line)
  local choice = require('oxide.review.choice')
  local win = vim.api.nvim_get_current_win()
  local what = line.hunk and 'hunk' or 'file'
  local function keep(kept)
    return function()
      choice.lines(review, row, row, kept)
    end
  end
  --- In the window of the review, if it is still there.
  local function there(fn)
    return function()
      if not review.outcome and vim.api.nvim_win_is_valid(win) then
        vim.api.nvim_set_current_win(win)
        fn(review, row)
      end
    end
  end
  local actions = { ---@type oxide.ReviewAction[]
    { title = 'accept this ' .. what, run = keep(true) },
    { title = 'reject this ' .. what, run = keep(false) },
    { title = 'open the diff side by side', run = there(M.side_by_side) },
    { title = 'edit the new text', run = there(require('oxide.review.edit').open) },
  }
  if line.hunk then
    table.insert(actions, 3, {
      title = 'reject the whole file',
      run = function()
        choice.change(review, { [line.file] = false })
      end,
    })
  end
  return actions
end

--- Offers what can be done where the cursor is.
---@param review oxide.Review
function M.choose(review)
  local index, line = here(review)
  if not index or not line then
    return
  end
  local shown = review.question.files[index].shown
  require('oxide.ui').select(offered(review, vim.fn.line('.'), line), {
    prompt = line.hunk and ('Hunk %d of %s:'):format(line.hunk, shown) or shown .. ':',
    kind = 'oxide-review',
    format_item = function(action)
      return action.title
    end,
  }, function(action)
    if action then
      action.run()
    end
  end)
end

return M
