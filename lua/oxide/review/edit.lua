-- The new text of a file under review, for the person to change: writing it gives it to the core in
-- the place of what was proposed, and the review goes on with that.
local ui = require('oxide.ui')

local M = {}

local LIMIT = 10000 -- how long :w waits for the core to take a text, in milliseconds

---@class oxide.EditStep
---@field index integer    of the file
---@field text string      all of it, before it was edited
---@field edited? boolean  it was the person's own by then

---@class oxide.ReviewEdit
---@field review oxide.Review
---@field index integer   of the file
---@field buf integer
---@field old string[]
---@field text string     as it was given, or last taken
---@field whole string    the same with the hunks that are left out
---@field bom boolean     it begins with a byte order mark

local open = {} ---@type table<integer, oxide.ReviewEdit>   by buffer

local BOM = '\239\187\191'

--- Puts a text into a buffer so that text_of() gives it back, byte by byte.
---@param buf integer
---@param text string
---@return boolean bom
local function set_form(buf, text)
  local _, ends = text:gsub('\n', '')
  local _, dos = text:gsub('\r\n', '')
  vim.bo[buf].fileformat = ends > 0 and dos == ends and 'dos' or 'unix'
  vim.bo[buf].fixendofline = false
  vim.bo[buf].endofline = text == '' or text:sub(-1) == '\n'
  return vim.startswith(text, BOM)
end

---@param text string
---@return string[]
local function lines_of(text)
  local _, ends = text:gsub('\n', '')
  local _, dos = text:gsub('\r\n', '')
  local body = vim.startswith(text, BOM) and text:sub(#BOM + 1) or text
  if ends > 0 and dos == ends then
    body = body:gsub('\r\n', '\n')
  end
  return vim.split((body:gsub('\n$', '')), '\n', { plain = true })
end

---@param edit oxide.ReviewEdit
---@return string
local function text_of(edit)
  local buf = edit.buf
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local eol = vim.bo[buf].fileformat == 'dos' and '\r\n' or '\n'
  local text = table.concat(lines, eol)
  if not (#lines == 1 and text == '') and vim.bo[buf].endofline then
    text = text .. eol
  end
  return (edit.bom and BOM or '') .. text
end

--- The line of the new text that a line of the page is, or stands at.
---@param review oxide.Review
---@param index integer
---@param row integer   of the page, from 1
---@return integer
local function new_line(review, index, row)
  local page = review.view.page
  while page.at[row] and page.at[row].kind ~= 'add' and page.at[row].kind ~= 'delete' do
    local next_line = page.at[row + 1]
    if page.at[row].kind == 'context' or not next_line or next_line.file ~= index then
      break
    end
    row = row + 1 -- from a heading to what it is above
  end
  local more = 0
  for r = page.headings[index] + 1, row do
    local line = page.at[r]
    local hunk = line and line.hunk and page.hunks[index][line.hunk]
    if line and (not hunk or hunk.kept) then
      more = more + (line.kind == 'add' and 1 or line.kind == 'delete' and -1 or 0)
    end
  end
  local line = page.at[row]
  return math.max(1, (line.old or 1) + more - (line.kind == 'add' and 1 or 0))
end

---@param edit oxide.ReviewEdit
local function back_to_review(edit)
  local view = edit.review.view
  local win = view and vim.fn.win_findbuf(view.buf)[1]
  if win then
    vim.api.nvim_set_current_win(win)
  end
end

--- Its window was closed: the text beside it goes with it.
---@param edit oxide.ReviewEdit
---@param before integer
local function on_closed(edit, before)
  open[edit.buf] = nil
  vim.schedule(function()
    if vim.api.nvim_buf_is_valid(before) then
      local here = vim.fn.win_findbuf(before)[1] == vim.api.nvim_get_current_win()
      vim.api.nvim_buf_delete(before, { force = true })
      if here then
        back_to_review(edit)
      end
    end
  end)
end

---@param review oxide.Review
---@param index integer
---@return string? reason why its text cannot be edited
local function obstacle(review, index)
  local file, state = review.question.files[index], review.states[index]
  if file.offered then
    return file.shown .. ' is only offered; <Space> adds it as it is'
  elseif file.kind == 'delete' then
    return file.shown .. ' is deleted: there is no text to edit'
  elseif file.mode and file.mode:find('symbolic link', 1, true) then
    return file.shown .. ' is a symbolic link: there is no text to edit'
  elseif state == 'stale' or state == 'gone' then
    return file.shown .. ' was changed since this review was made'
  elseif review.checking then
    return 'the text before is still being checked'
  end
end

---@param review oxide.Review
---@param index integer
---@return oxide.ReviewEdit?
local function find(review, index)
  for _, edit in pairs(open) do
    if edit.review == review and edit.index == index then
      return edit
    end
  end
end

--- The text in a tab, old beside new; the new one can be written.
---@param review oxide.Review
---@param index integer
---@param text string
---@param whole string
---@param line integer
local function show(review, index, text, whole, line)
  local sides = require('oxide.review.sides')
  local file = review.question.files[index]
  local old = file.kind == 'create' and {} or sides.old_lines(file)
  local keys = ':w takes it  :q! drops it'
  local before, after = sides.open(review, file, old, lines_of(text), keys)
  vim.bo[before].modifiable = false
  vim.bo[after].buftype = 'acwrite'
  local edit =
    { review = review, index = index, buf = after, old = old, text = text, whole = whole }
  edit.bom = set_form(after, text)
  vim.bo[after].modified = false
  open[after] = edit
  require('oxide.review.write').on_writing(
    after,
    ("v:lua.require'oxide.review.edit'.on_write(%d)"):format(after)
  )
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = after,
    callback = function()
      on_closed(edit, before)
    end,
  })
  local last = vim.api.nvim_buf_line_count(after)
  vim.api.nvim_win_set_cursor(0, { math.min(line, last), 0 })
  vim.cmd('normal! zvzz')
end

--- Which hunks it is to be edited with: those that are kept, or all where none is.
---@param review oxide.Review
---@param index integer
---@return boolean[]?
local function kept_hunks(review, index)
  if review.states[index] ~= 'part' then
    return nil
  end
  return vim.tbl_map(function(hunk)
    return hunk.kept
  end, review.view.page.hunks[index])
end

--- Asks the core for the new text of a file.
---@param review oxide.Review
---@param index integer
---@param keep? boolean[]   nil: with all hunks
---@param cb fun(text: string)
local function fetch(review, index, keep, cb)
  local about = { question = review.id, file = index - 1, keep = keep }
  require('oxide.core').request('review_text', about, function(err, answer)
    if err then
      ui.error(err)
    elseif not review.outcome then
      cb(assert(answer).text)
    end
  end)
end

--- Opens the text of the file that a line of the page belongs to.
---@param review oxide.Review
---@param row integer   from 1
function M.open(review, row)
  local line = review.view.page.at[row]
  local index = line and line.file
  if not index or review.outcome then
    return
  end
  require('oxide.review').refresh(review)
  local reason, edit = obstacle(review, index), find(review, index)
  if edit then
    vim.api.nvim_set_current_win(vim.fn.win_findbuf(edit.buf)[1])
    return
  elseif reason then
    ui.notify(reason, vim.log.levels.WARN)
    return
  end
  local at = new_line(review, index, row)
  local keep = kept_hunks(review, index)
  fetch(review, index, nil, function(whole)
    ---@param text string
    local function got(text)
      if not find(review, index) then
        show(review, index, text, whole, at)
      end
    end
    if keep then
      return fetch(review, index, keep, got)
    end
    got(whole)
  end)
end

---@param review oxide.Review
---@param index integer
---@param text string
---@param cb fun(err?: oxide.Error)
local function send(review, index, text, cb)
  local about = { question = review.id, file = index - 1, text = text }
  review.checking = index
  require('oxide.core').request('review_text', about, function(err)
    if err then
      review.checking, review.step = nil, nil
    end
    require('oxide.review.buffer').redraw(review, {})
    cb(err)
  end)
end

--- Takes an edited text back, to what it was before.
---@param review oxide.Review
---@param step oxide.ReviewStep   the last
function M.back(review, step)
  local index, text = step.edit.index, step.edit.text
  require('oxide.review').refresh(review)
  local reason = obstacle(review, index)
  if reason then
    return ui.notify(reason, vim.log.levels.WARN)
  end
  review.step = step
  send(review, index, text, function(err)
    local edit = find(review, index)
    if err then
      ui.error(err)
    elseif edit then
      edit.text, edit.whole = text, text
    end
  end)
end

---@param edit oxide.ReviewEdit
---@param text string
---@return string? reason why the core does not take it
local function give(edit, text)
  local review, index = edit.review, edit.index
  local answered, failed = false, nil ---@type boolean, oxide.Error?
  local was_edited = review.question.files[index].edited
  review.step = {
    before = { [index] = require('oxide.review.choice').now(review, index) },
    edit = { index = index, text = edit.whole, edited = was_edited },
  }
  send(review, index, text, function(err)
    answered, failed = true, err
  end)
  require('oxide.messages').wait(LIMIT, function()
    return answered
  end, 5)
  if answered and not failed then
    edit.text, edit.whole = text, text
    return nil
  end
  review.checking, review.step = nil, nil
  return failed and failed.message or 'the core has not answered'
end

--- What `:w` in such a text runs.
---@param buf integer
---@return string reason   empty when it was taken
function M.on_write(buf)
  local edit = open[buf]
  local review = edit.review
  if review.outcome then
    return 'the review is over, and takes no text any more'
  end
  require('oxide.review').refresh(review)
  local reason = obstacle(review, edit.index)
  local text = text_of(edit)
  local file = review.question.files[edit.index]
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  if reason then
    return reason
  elseif file.kind == 'modify' and not file.mode and vim.deep_equal(lines, edit.old) then
    require('oxide.review.choice').change(review, { [edit.index] = false })
    ui.notify(file.shown .. ' is as it was before: it is left out')
  elseif text ~= edit.text then
    reason = give(edit, text)
  end
  if not reason then
    vim.bo[buf].modified = false
  end
  return reason or ''
end

--- What became of the text, to whom does not see the review.
---@param question oxide.Question
---@param index integer
local function say(question, index)
  local text = question.files[index].shown .. ' is in the review now'
  if question.refused ~= '' then
    ui.notify(('%s: %s'):format(text, question.refused:match('[^\n]+')), vim.log.levels.WARN)
  else
    ui.notify(text)
  end
end

--- The core has worked out the change again, with a text that was written here.
---@param review oxide.Review
---@param question oxide.Question
function M.renew(review, question)
  local index, step = review.checking, review.step
  local goes_back = step ~= nil and step == review.past[#review.past]
  review.checking, review.step = nil, nil
  question.cells = review.question.cells
  for i, file in ipairs(question.files) do
    file.edited = i == index or review.question.files[i].edited
  end
  if goes_back then
    question.files[index].edited = step.edit.edited
  end
  review.question = question
  if index and review.states[index] ~= 'stale' then
    review.states[index] = 'kept'
  end
  require('oxide.review.buffer').rewrite(review, index)
  if goes_back then
    table.remove(review.past)
    require('oxide.review.choice').restore(review, step.before)
  elseif step then
    table.insert(review.past, step)
  else
    review.past = {} -- the hunks may be others
  end
  local edit = index and find(review, index)
  if edit and edit.buf == vim.api.nvim_get_current_buf() then
    say(question, index)
  end
end

--- A text that is changed and was not written.
---@param review oxide.Review
---@return string? shown   its file
function M.unwritten(review)
  for buf, edit in pairs(open) do
    if edit.review == review and vim.bo[buf].modified then
      return review.question.files[edit.index].shown
    end
  end
end

--- The review is over. What nobody asked to drop stays to be seen.
---@param review oxide.Review
---@param drop boolean
function M.close(review, drop)
  for buf, edit in pairs(open) do
    if edit.review == review and (drop or not vim.bo[buf].modified) then
      vim.schedule(function()
        pcall(vim.api.nvim_buf_delete, buf, { force = true })
      end)
    end
  end
end

return M
