-- The keys of a review's buffer: one row each. The page of `g?` and the help file list the rows.
local M = {}

---@return integer? index of the file that the cursor is on
---@return oxide.ReviewLine? line
local function here(review)
  local line = review.view.page.at[vim.fn.line('.')]
  return line and line.file, line
end

---@param review oxide.Review
local function toggle(review)
  local index = here(review)
  if not index then
    return
  end
  require('oxide.review').refresh(review)
  if review.states[index] == 'stale' then
    require('oxide.ui').notify(
      review.question.files[index].shown .. ' was changed since this review was made',
      vim.log.levels.WARN
    )
    return
  end
  local state = review.states[index] == 'kept' and 'off' or 'kept'
  require('oxide.review').mark(review, index, state)
end

---@param state oxide.FileState
local function all(state)
  return function(review)
    for i in ipairs(review.question.files) do
      require('oxide.review').mark(review, i, state)
    end
  end
end

---@param step 1|-1
---@param pattern string
local function move(step, pattern)
  return function()
    for _ = 1, vim.v.count1 do
      vim.fn.search(pattern, step == 1 and 'W' or 'bW')
    end
  end
end

--- Goes to the line of the source that the cursor is on, in the window the review came from.
---@param review oxide.Review
local function jump(review)
  local index, line = here(review)
  if not index or not line then
    return
  end
  local file = review.question.files[index]
  if file.kind == 'create' then
    require('oxide.ui').notify(file.shown .. ' is not there yet')
    return
  end
  local first = line.old or (review.view.page.at[review.view.page.headings[index] + 1] or {}).old
  if vim.api.nvim_win_is_valid(review.view.origin) then
    vim.api.nvim_set_current_win(review.view.origin)
  else
    vim.cmd('tab split')
  end
  vim.cmd("normal! m'")
  if vim.api.nvim_buf_get_name(0) ~= file.path then
    vim.cmd.edit(vim.fn.fnameescape(file.path))
  end
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(first or 1, last)), 0 })
  vim.cmd('normal! ^zv')
end

--- Shows old and new text of the file beside each other, in a tab; `q` closes it.
---@param review oxide.Review
local function side_by_side(review)
  local index = here(review)
  if not index then
    return
  end
  local file = review.question.files[index]
  local old_buf = require('oxide.buffers').of(file.path)
  local old = {} ---@type string[]
  if old_buf then
    old = vim.api.nvim_buf_get_lines(old_buf, 0, -1, false)
  elseif vim.fn.filereadable(file.path) == 1 then
    old = vim.fn.readfile(file.path)
  end
  local new = require('oxide.review_render').patched(old, file.diff or '')
  local filetype = vim.filetype.match { filename = file.path, contents = old }
  vim.cmd('tab split')
  for side, lines in ipairs { old, new } do
    if side == 2 then
      vim.cmd('rightbelow vsplit')
    end
    local buf = vim.api.nvim_create_buf(false, true)
    vim.bo[buf].bufhidden = 'wipe'
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    vim.bo[buf].modifiable = false
    vim.bo[buf].filetype = filetype or ''
    vim.api.nvim_win_set_buf(0, buf)
    vim.wo[0][0].winbar = (side == 1 and 'before: ' or 'after: ') .. file.shown:gsub('%%', '%%%%')
    vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = buf, nowait = true })
    vim.cmd('diffthis')
  end
end

---@class oxide.Key
---@field key string
---@field doc string
---@field run fun(review: oxide.Review)

local show_help

---@type oxide.Key[]
M.keys = {
  { key = '=', doc = 'keep this file, or leave it out', run = toggle },
  {
    key = '<Space>',
    doc = 'the same, on the heading of a file',
    run = function(review)
      local _, line = here(review)
      if line and line.kind == 'heading' then
        toggle(review)
      end
    end,
  },
  { key = 'A', doc = 'keep all files', run = all('kept') },
  { key = 'X', doc = 'leave all files out', run = all('off') },
  { key = ']c', doc = 'to the next hunk', run = move(1, '^@@ ') },
  { key = '[c', doc = 'to the hunk before', run = move(-1, '^@@ ') },
  { key = ']f', doc = 'to the next file', run = move(1, '^## ') },
  { key = '[f', doc = 'to the file before', run = move(-1, '^## ') },
  { key = '<CR>', doc = 'to this place in the source', run = jump },
  { key = 'o', doc = 'old and new text side by side', run = side_by_side },
  {
    key = 'g?',
    doc = 'this help',
    run = function()
      show_help()
    end,
  },
}

show_help = function()
  local lines = {
    '`:w`       apply what is kept, whole or not at all',
    '`:wq` `ZZ`   the same',
    '`:q` `ZQ`    discard the change',
    '',
  }
  for _, key in ipairs(M.keys) do
    table.insert(lines, ('`%s`%s %s'):format(key.key, (' '):rep(8 - #key.key), key.doc))
  end
  vim.lsp.util.open_floating_preview(
    lines,
    'markdown',
    { focus_id = 'oxide-review-help', border = 'single' }
  )
end

---@param review oxide.Review
function M.map(review)
  for _, key in ipairs(M.keys) do
    vim.keymap.set('n', key.key, function()
      key.run(review)
    end, { buffer = review.view.buf, nowait = true, desc = 'Oxide review: ' .. key.doc })
  end
end

return M
