-- A review of which a file was changed meanwhile: what it shows cannot be applied any more. Where the
-- core can work the change out anew, as that of a model's turn, `:w` asks for that, and what was left
-- out stays left out. Who else has asked for it is told why nothing was changed.
local M = {}

---@class oxide.Anew
---@field id integer    the question before it
---@field title string
---@field file string   that was changed
---@field left_out table<string, table<string, integer>>   by path, then by what a hunk adds and removes:
---  how many of them

local expected ---@type oxide.Anew?

---@param review oxide.Review
---@return oxide.ReviewFile?   the first that was changed
function M.file(review)
  for i, state in ipairs(review.states) do
    if state == 'stale' then
      return review.question.files[i]
    end
  end
end

---@param question oxide.Question
---@return string   what the top of the review says
function M.advice(question)
  if question.again then
    return 'A file has changed: :w shows the change again, beside that; :q discards it.'
  elseif question.who then
    return 'A file has changed: nothing can be applied. :q tells whoever asked for it.'
  end
  return 'A file has changed: nothing can be applied. :q, then try again.'
end

---@param question oxide.Question
---@param file oxide.ReviewFile
---@return string   why it cannot be applied
function M.reason(question, file)
  local what = question.again and ':w in the review shows the change again, beside that.'
    or question.who and 'Closing the review tells whoever asked for it.'
    or 'Close the review and try again.'
  return ('%s was changed since this review was made; nothing was applied. %s'):format(
    file.shown,
    what
  )
end

---@param hunk oxide.ReviewHunk
---@return string   what it adds and removes
local function essence(hunk)
  local lines = vim.tbl_filter(function(line)
    return line:find('^[+-]') ~= nil
  end, hunk.lines)
  return table.concat(lines, '\n')
end

---@param review oxide.Review
---@return table<string, table<string, integer>>
local function left_out(review)
  local out = {}
  for i, file in ipairs(review.question.files) do
    local of = {} ---@type table<string, integer>
    for _, hunk in ipairs(review.view.page.hunks[i]) do
      local key = essence(hunk)
      of[key] = (of[key] or 0) + (hunk.kept and 0 or 1)
    end
    if review.states[i] == 'off' then
      of[''] = 1
    end
    out[file.path] = of
  end
  return out
end

--- The change is to be shown again, as it is with what is there now.
---@param review oxide.Review
---@param file oxide.ReviewFile   that was changed
function M.expect(review, file)
  expected = {
    id = review.id,
    title = review.question.title,
    file = file.shown,
    left_out = left_out(review),
  }
end

--- Whether this is the change that was asked for.
---@param question oxide.Question
---@return oxide.Anew?
function M.expected(question)
  local before = expected
  if before and question.again and question.id > before.id and question.title == before.title then
    expected = nil
    return before
  end
end

--- The changes of a turn are decided about, or wait: what was asked for does not come.
---@param why? string   they wait
function M.settled(why)
  if expected and why then
    require('oxide.ui').notify(why, vim.log.levels.WARN)
  end
  expected = nil
end

--- It is before the user: what was left out of the one before is left out again.
---@param review oxide.Review
---@param before oxide.Anew
function M.take_over(review, before)
  local wish = {} ---@type oxide.Wish
  for i, file in ipairs(review.question.files) do
    local of = before.left_out[file.path] or {}
    local hunks = {} ---@type table<integer, boolean>
    for j, hunk in ipairs(review.view.page.hunks[i]) do
      local key = essence(hunk)
      if (of[key] or 0) > 0 then
        of[key] = of[key] - 1
        hunks[j] = false
      end
    end
    wish[i] = next(hunks) and hunks or nil
    if #review.view.page.hunks[i] == 0 and of[''] then
      wish[i] = false
    end
  end
  require('oxide.review.choice').change(review, wish)
  require('oxide.ui').notify(
    before.file .. ' has changed: this is the change beside it, not applied yet'
  )
end

return M
