-- What a person keeps of a change: whole files, and hunks of those files that are changed in place
-- or renamed. A file that is made or removed goes whole, and so does one that is only renamed.
local M = {}

---@alias oxide.Wish table<integer, boolean|table<integer, boolean>>
---   by file: to keep all of it or nothing, or by hunk

---@class oxide.Past
---@field state oxide.FileState
---@field kept boolean[]

---@class oxide.ReviewStep
---@field before table<integer, oxide.Past>   by file
---@field edit? oxide.EditStep                a text was edited (review/edit.lua)

local RENAMES = { lsp_rename = true, rename_symbol = true }

---@param review oxide.Review
---@param index integer
---@return oxide.ReviewHunk[]
local function hunks_of(review, index)
  return review.view and review.view.page.hunks[index] or {}
end

--- The state of a file, from its hunks. Without any of them a rename is still a rename.
---@param file oxide.ReviewFile
---@param hunks oxide.ReviewHunk[]
---@return oxide.FileState
local function state_of(file, hunks)
  local kept = 0
  for _, hunk in ipairs(hunks) do
    kept = kept + (hunk.kept and 1 or 0)
  end
  if kept == #hunks then
    return 'kept'
  end
  return (kept > 0 or file.kind == 'rename') and 'part' or 'off'
end

---@param review oxide.Review
---@param index integer
---@return oxide.Past
function M.now(review, index)
  local kept = {}
  for j, hunk in ipairs(hunks_of(review, index)) do
    kept[j] = hunk.kept
  end
  return { state = review.states[index], kept = kept }
end

---@param review oxide.Review
---@param index integer
---@param wish boolean|table<integer, boolean>
---@return boolean changed
local function take(review, index, wish)
  local hunks, changed = hunks_of(review, index), false
  for j, hunk in ipairs(hunks) do
    local want = wish
    if type(wish) == 'table' then
      want = wish[j]
    end
    if want ~= nil and want ~= hunk.kept then
      hunk.kept, changed = want, true
    end
  end
  local state = review.states[index]
  if type(wish) == 'boolean' then
    state = wish and 'kept' or 'off'
  elseif changed then
    state = state_of(review.question.files[index], hunks)
  end
  changed = changed or state ~= review.states[index]
  review.states[index] = state
  return changed
end

--- Whether all of the change itself is kept, and whether some is.
---@param review oxide.Review
---@return boolean whole
---@return boolean some
function M.is_whole(review)
  local whole, some = true, false
  for i in ipairs(require('oxide.review.header').own(review.question)) do
    local state = review.states[i]
    whole = whole and state == 'kept'
    some = some or state == 'kept' or state == 'part'
  end
  return whole, some
end

--- Says once that a rename which leaves something out leaves old names behind.
---@param review oxide.Review
local function warn(review)
  if review.warned or not RENAMES[review.question.tool] then
    return
  end
  local whole, some = M.is_whole(review)
  if some and not whole then
    review.warned = true
    require('oxide.ui').notify(
      'a rename in part: references will differ, what is left out keeps the old name',
      vim.log.levels.WARN
    )
  end
end

--- Keeps and leaves out what is wished, in one step of `u`. A file that was changed meanwhile stays
--- as it is, and is named.
---@param review oxide.Review
---@param wish oxide.Wish
function M.change(review, wish)
  if review.outcome or not review.view then
    return
  end
  require('oxide.review').refresh(review)
  local past, stale = {}, nil ---@type table<integer, oxide.Past>, integer?
  for i, what in pairs(wish) do
    if review.states[i] == 'stale' or review.states[i] == 'gone' then
      stale = i
    else
      local before = M.now(review, i)
      past[i] = take(review, i, what) and before or nil
    end
  end
  if stale then
    require('oxide.ui').notify(
      review.question.files[stale].shown .. ' was changed since this review was made',
      vim.log.levels.WARN
    )
  end
  if next(past) then
    table.insert(review.past, { before = past })
    require('oxide.review.buffer').redraw(review, vim.tbl_keys(past))
    warn(review)
  end
end

--- Makes what is kept what it was.
---@param review oxide.Review
---@param past table<integer, oxide.Past>
function M.restore(review, past)
  for i, before in pairs(past) do
    for j, hunk in ipairs(hunks_of(review, i)) do
      hunk.kept = before.kept[j]
    end
    if review.states[i] ~= 'stale' and review.states[i] ~= 'gone' then
      review.states[i] = before.state
    end
  end
  require('oxide.review.buffer').redraw(review, vim.tbl_keys(past))
end

--- Takes the last step back.
---@param review oxide.Review
function M.back(review)
  local step = review.past[#review.past]
  if not step or review.outcome then
    require('oxide.ui').notify('nothing to undo: nothing was kept, left out or edited')
  elseif step.edit then
    require('oxide.review.edit').back(review, step)
  else
    table.remove(review.past)
    M.restore(review, step.before)
  end
end

---@param review oxide.Review
---@param wish oxide.Wish   gets all that is offered
local function offer(review, wish)
  for i, file in ipairs(review.question.files) do
    if file.offered and review.states[i] ~= 'gone' then
      wish[i] = true
    end
  end
end

--- The files and hunks that these lines of the page touch. A heading means its whole file, and
--- so does any line of a file without hunks of its own.
---@param review oxide.Review
---@param first integer   from 1
---@param last integer
---@return oxide.Wish   to keep all of them
local function touched(review, first, last)
  local wish = {} ---@type oxide.Wish
  for row = first, last do
    local line = review.view.page.at[row]
    if line and line.kind == 'offer' then
      offer(review, wish)
    elseif line and not line.hunk then
      wish[line.file] = true
    elseif line and wish[line.file] ~= true then
      wish[line.file] = wish[line.file] or {}
      wish[line.file][line.hunk] = true
    end
  end
  return wish
end

---@param review oxide.Review
---@param wish oxide.Wish
---@return boolean whether all of it is kept already
local function all_kept(review, wish)
  for i, what in pairs(wish) do
    if what == true and review.states[i] ~= 'kept' then
      return false
    end
    for j in pairs(what ~= true and what or {}) do
      if not review.view.page.hunks[i][j].kept then
        return false
      end
    end
  end
  return true
end

--- Keeps or leaves out what the lines touch; nil for the other of what they are. Several are made
--- alike: left out when all are kept, else kept.
---@param review oxide.Review
---@param first integer   line of the page, from 1
---@param last integer
---@param keep? boolean
function M.lines(review, first, last, keep)
  local wish = touched(review, first, last)
  if keep == nil then
    keep = not all_kept(review, wish)
  end
  for i, what in pairs(wish) do
    if what == true then
      wish[i] = keep
    else
      for j in pairs(what) do
        what[j] = keep
      end
    end
  end
  M.change(review, wish)
end

--- Leaves out all that these lines do not touch; what they touch stays as it is.
---@param review oxide.Review
---@param first integer   line of the page, from 1
---@param last integer
---@return boolean changed
function M.only(review, first, last)
  local within, wish, steps = touched(review, first, last), {}, #review.past
  for i, state in ipairs(review.states) do
    local kept = within[i]
    if kept == nil and state ~= 'stale' and state ~= 'gone' then
      wish[i] = false
    elseif type(kept) == 'table' then
      wish[i] = {}
      for j in ipairs(hunks_of(review, i)) do
        if not kept[j] then
          wish[i][j] = false
        end
      end
    end
  end
  M.change(review, wish)
  return #review.past > steps
end

--- Of the change itself; what is offered with it is only ever left out.
---@param review oxide.Review
---@param keep boolean
function M.all(review, keep)
  local wish = {} ---@type oxide.Wish
  for i, state in ipairs(review.states) do
    if state ~= 'stale' and state ~= 'gone' and not (keep and review.question.files[i].offered) then
      wish[i] = keep
    end
  end
  M.change(review, wish)
end

--- What the core is told: which files, and of those that are kept in part which hunks.
---@param review oxide.Review
---@return boolean[] files
---@return (boolean[]|userdata)[]? hunks   nil when every file is kept whole or not at all
function M.answer(review)
  local files, hunks, some = {}, {}, false
  for i, state in ipairs(review.states) do
    files[i] = state == 'kept' or state == 'part'
    hunks[i] = vim.NIL
    if state == 'part' then
      hunks[i], some = M.now(review, i).kept, true
    end
  end
  return files, some and hunks or nil
end

return M
