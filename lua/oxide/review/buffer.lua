-- The buffer of a review: `oxide://review/{id} {title}` in a tab of its own. Writing it applies the change;
-- closing it discards the change. While it waits it counts as modified, so that Neovim warns
-- before it is lost.
local header = require('oxide.review.header')
local marks = require('oxide.review.marks')
local render = require('oxide.review.render')
local window = require('oxide.review.window')
local write = require('oxide.review.write')

local M = {}

local LABEL = 40 -- characters of the title, in the name
local SHORT = 14 -- too few for a part of it

---@class oxide.ReviewView
---@field buf integer
---@field page oxide.ReviewPage
---@field seen? boolean    it has been in a window
---@field origin? integer  the window that it was opened from
---@field outline? integer  the window of its outline
---@field float? integer    the window of what one of its keys shows
---@field coloured? table<integer, boolean>   hunks that have the colours of their language
---@field filetypes? table<oxide.ReviewFile, string>
---@field repeated? fun(review: oxide.Review)   what `.` does

---@param buf integer
---@param first integer   from 0
---@param last integer
---@param lines string[]
local function set_lines(buf, first, last, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, first, last, true, lines)
  vim.bo[buf].modifiable = false
end

--- Rewrites one line, without marks.
---@param buf integer
---@param line integer   from 1
---@param text string
local function set_line(buf, line, text)
  marks.clear(buf, line - 1)
  set_lines(buf, line - 1, line, { text })
end

---@param view oxide.ReviewView
local function set_page(view)
  vim.b[view.buf].oxide_folded = view.page.folded -- for 'foldexpr' and 'foldtext', which come with it
  set_lines(view.buf, 0, -1, view.page.lines)
end

---@param review oxide.Review
---@param index integer
local function redraw_file(review, index)
  local view = assert(review.view)
  local row, hunks = view.page.headings[index], view.page.hunks[index]
  local file, state = review.question.files[index], review.states[index]
  local heading = render.heading(file, state, hunks, render.width(review.question))
  set_line(view.buf, row, heading)
  marks.heading(view.buf, row - 1, heading, state)
  for _, hunk in ipairs(hunks) do
    if hunk.drawn ~= hunk.kept then
      hunk.drawn = hunk.kept
      local text, at = render.hunk_head(hunk)
      set_line(view.buf, hunk.row, text)
      marks.hunk(view.buf, hunk, at)
    end
  end
end

--- Shows the new state of some files, and of the header.
---@param review oxide.Review
---@param indexes integer[]
function M.redraw(review, indexes)
  local view = review.view
  if not view or not vim.api.nvim_buf_is_valid(view.buf) then
    return
  end
  local doing = review.outcome == 'applied' and 'applying' or review.checking and 'checking' or nil
  local lines = header.lines(review.question, review.states, view.page.hunks, doing)
  local shown = vim.api.nvim_buf_get_lines(view.buf, 0, #lines, true)
  for i, line in ipairs(lines) do
    if line ~= shown[i] then -- the others keep their fold
      set_line(view.buf, i, line)
    end
  end
  if view.page.offer then
    local text = header.offer(review.question, review.states, view.page.hunks)
    set_line(view.buf, view.page.offer, text)
    marks.title(view.buf, text, view.page.offer)
  end
  for _, index in ipairs(indexes) do
    redraw_file(review, index)
  end
  vim.bo[view.buf].modified = true
end

---@param review oxide.Review
local function watch_buffers(review)
  for i, file in ipairs(review.question.files) do
    local buf = file.where == 'buffer' and (file.buf or require('oxide.buffers').of(file.path))
    if buf and vim.api.nvim_buf_is_loaded(buf) then
      local function is_over()
        return review.outcome ~= nil
      end
      require('oxide.review.sources').watch(buf, is_over, function()
        require('oxide.review').stale(review, i)
      end)
    end
  end
end

---@param review oxide.Review
local function on_close(review)
  local buf = assert(review.view).buf
  vim.schedule(function()
    if not review.outcome and #vim.fn.win_findbuf(buf) == 0 then
      require('oxide.review').discard(review)
    end
  end)
end

---@param review oxide.Review
local function set_autocmds(review)
  local buf = assert(review.view).buf
  local group = vim.api.nvim_create_augroup('oxide.review.' .. review.id, {})
  for event, part in pairs { BufWriteCmd = 0, FileWriteCmd = 1 } do
    local on_write = "v:lua.require'oxide.review.write'.on_write(%d, v:cmdbang, %d)"
    write.on_writing(buf, on_write:format(review.id, part), event, group)
  end
  ---@param events string|string[]
  ---@param fn fun()
  local function on(events, fn)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = fn })
  end
  on('BufWinEnter', function()
    window.set_options(review)
  end)
  on('QuitPre', function()
    require('oxide.review.exit').stay(review)
  end)
  on('WinClosed', function()
    on_close(review)
  end)
  on('BufWipeout', function()
    require('oxide.review').discard(review)
  end)
  on('BufReadCmd', function() -- :edit!
    if not review.outcome then
      M.rewrite(review)
      vim.bo[buf].modified = true
    end
  end)
  on({ 'BufEnter', 'CursorHold', 'FocusGained' }, function()
    if not review.outcome then
      require('oxide.review').refresh(review)
    end
  end)
end

---@param buf integer
local function set_options(buf)
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modeline = false
  vim.bo[buf].filetype = 'oxide-review'
  vim.bo[buf].syntax = 'diff'
end

---@param review oxide.Review
local function mark_all(review)
  local buf, page = review.view.buf, review.view.page
  marks.title(buf, page.lines[1])
  if page.offer then
    marks.title(buf, page.lines[page.offer], page.offer)
  end
  for i, row in ipairs(page.headings) do
    marks.heading(buf, row - 1, page.lines[row], review.states[i])
    for _, hunk in ipairs(page.hunks[i]) do
      local _, at = render.hunk_head(hunk)
      marks.hunk(buf, hunk, at)
    end
  end
  marks.words(review.view)
end

--- How much of a name Neovim shows in the label of a tab, which it cuts at its beginning: all tabs
--- are as wide, what a modified buffer has before its name takes three cells, the blank behind it one.
---@return integer
local function label_room()
  local tabs = #vim.api.nvim_list_tabpages() + 1 -- with its own
  return math.floor((vim.o.columns - 1 + math.floor(tabs / 2)) / tabs) - 4
end

--- "oxide://review/7 rename a to b": Neovim labels a tab with what is behind the last slash. Where
--- there is no room for a title, it is a review and no more.
---@param review oxide.Review
---@return string   behind oxide://
local function name_of(review)
  local title = review.question.title:gsub('%S*/', ''):gsub('[%c%s]+', ' ')
  local room = math.min(LABEL, label_room())
  if vim.fn.strdisplaywidth(title) > room then
    title = room < SHORT and 'review' or vim.trim(vim.fn.strcharpart(title, 0, room - 3)) .. '...'
  end
  return ('review/%d %s'):format(review.id, title)
end

--- Shows a change that was worked out again. Of files other than this one, what is left out stays so.
---@param review oxide.Review
---@param index? integer
function M.rewrite(review, index)
  local view = review.view
  if not view or not vim.api.nvim_buf_is_valid(view.buf) then
    return
  end
  local before, where = view.page, window.places(view)
  view.page = render.page(review.question, review.states)
  for i, hunks in ipairs(view.page.hunks) do
    for j, hunk in ipairs(i ~= index and hunks or {}) do
      hunk.kept = (before.hunks[i][j] or hunk).kept
    end
  end
  marks.clear_all(view.buf)
  set_page(view)
  mark_all(review)
  require('oxide.review.syntax').follow(review)
  M.redraw(review, vim.tbl_keys(review.question.files))
  window.return_to(view, where)
end

--- Makes the buffer, in no window.
---@param review oxide.Review
function M.make(review)
  require('oxide.highlights')
  require('oxide.review.unasked')
  local buf = vim.api.nvim_create_buf(true, false)
  require('oxide.scratch').name(buf, name_of(review))
  review.question.cells = math.max(40, vim.o.columns)
  review.view = { buf = buf, page = render.page(review.question, review.states) }
  set_options(buf)
  set_page(review.view)
  mark_all(review)
  require('oxide.review.syntax').follow(review)
  require('oxide.review.keys').map(review)
  set_autocmds(review)
  watch_buffers(review)
  vim.bo[buf].modified = true
end

--- Takes the buffer away, later: it may be in the middle of its own :wq.
---@param review oxide.Review
function M.close(review)
  local view = assert(review.view)
  pcall(vim.api.nvim_del_augroup_by_name, 'oxide.review.' .. review.id)
  require('oxide.review.syntax').forget(view.buf)
  if not vim.api.nvim_buf_is_valid(view.buf) then
    return
  end
  vim.bo[view.buf].modified = false
  vim.schedule(function()
    if not vim.api.nvim_buf_is_valid(view.buf) then
      return
    end
    local here = vim.api.nvim_get_current_buf() == view.buf
    if view.outline and vim.api.nvim_win_is_valid(view.outline) then
      pcall(vim.api.nvim_win_close, view.outline, true)
    end
    vim.api.nvim_buf_delete(view.buf, { force = true })
    if here and view.origin and vim.api.nvim_win_is_valid(view.origin) then
      vim.api.nvim_set_current_win(view.origin)
    end
  end)
end

return M
