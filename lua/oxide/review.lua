-- A change that waits for a person's word: who is asked, and what becomes of the answer. The
-- buffer that shows it is review_buffer.lua's.
--
--   open -> applied    :w, and the core carries it out
--        -> discarded  :q, or its last window was closed
--        -> gone       the core took the question back, or ended
local ui = require('oxide.ui')

local M = {}

---@class oxide.Review
---@field id integer
---@field question oxide.Question
---@field states oxide.FileState[]
---@field stamps table<integer, string>   of files that are no buffers, by index
---@field outcome? 'applied'|'discarded'|'gone'
---@field done boolean       the core has answered the call
---@field err? oxide.Error
---@field view? oxide.ReviewView
---@field past table<integer, oxide.Past>[]   what `u` takes back, by file
---@field warned? boolean    that the rename is one in part

local open = {} ---@type table<integer, oxide.Review>
local latest ---@type integer?
local unsettled = {} ---@type table<integer, oxide.Review>   accepted, and not yet answered

local WRITE_LIMIT = 3000 -- how long :w waits for the core to carry the change out, in milliseconds

---@param path string
---@return boolean
local function visible(path)
  local buf = require('oxide.buffers').of(path)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if buf and vim.api.nvim_win_get_buf(win) == buf then
      return true
    end
  end
  return false
end

--- Whether a person sees this change before it is applied.
---@param question oxide.Question
---@param when 'auto'|'always'|'never'
---@param is_visible? fun(path: string): boolean
---@return boolean
function M.wanted(question, when, is_visible)
  if when ~= 'auto' then
    return when == 'always'
  end
  local file = question.files[1]
  if question.annotated or #question.files > 1 then
    return true
  end
  return file ~= nil
    and (file.kind ~= 'modify' or file.new_path ~= nil or not (is_visible or visible)(file.path))
end

---@param review oxide.Review
---@param accept boolean
local function reply(review, accept)
  local answer = { id = review.id, accept = accept }
  if accept then
    answer.files, answer.hunks = require('oxide.review_choice').answer(review)
    ui.event('ApplyPre', {
      id = review.id,
      title = review.question.title,
      files = vim.tbl_map(function(file)
        return file.path
      end, review.question.files),
    })
  end
  require('oxide.core').tell('reply', answer)
end

---@param review oxide.Review
---@param outcome 'applied'|'discarded'|'gone'
local function close(review, outcome)
  review.outcome = outcome
  open[review.id] = nil
  if latest == review.id then
    latest = next(open)
  end
  if review.view then
    local buf = review.view.buf
    require('oxide.review_buffer').close(review)
    ui.event('ReviewClose', { id = review.id, buf = buf, outcome = outcome })
  end
end

--- Looks at the files on disk again. Buffers say themselves when they change.
---@param review oxide.Review
function M.refresh(review)
  local stamp = require('oxide.buffers').stamp
  for i, before in pairs(review.stamps) do
    local file = review.question.files[i]
    if review.states[i] ~= 'stale' and stamp(file.path) ~= before then
      M.stale(review, i)
    end
  end
end

--- A file has changed since it was asked about, and stays marked.
---@param review oxide.Review
---@param index integer
function M.stale(review, index)
  if not review.outcome and review.states[index] ~= 'stale' then
    review.states[index] = 'stale'
    require('oxide.review_buffer').redraw(review, { index })
  end
end

---@param review oxide.Review
---@return string? reason why it cannot be applied
local function obstacle(review)
  M.refresh(review)
  local kept = false
  for i, state in ipairs(review.states) do
    if state == 'stale' then
      return (
        '%s was changed since this review was made; nothing was applied. Close the review '
        .. 'and ask again.'
      ):format(review.question.files[i].shown)
    end
    kept = kept or state ~= 'off'
  end
  if not kept then
    return 'every file is left out; there is nothing to apply. :q discards the change.'
  end
end

--- Applies what is kept. Waits for the core, so that `:wq` knows how it ended, but not for long.
---@param review oxide.Review
---@return string? reason why nothing was applied; the review stays open
function M.write(review)
  if review.outcome then
    return nil
  end
  local reason = obstacle(review)
  if reason then
    return reason
  end
  review.outcome = 'applied'
  unsettled[review.id] = not review.done and review or nil
  reply(review, true)
  vim.wait(WRITE_LIMIT, function()
    return review.done
  end, 10)
  close(review, 'applied')
end

---@param review oxide.Review
function M.discard(review)
  if not review.outcome then
    reply(review, false)
    close(review, 'discarded')
  end
end

---@param review oxide.Review
---@param err? oxide.Error
local function settled(review, err)
  review.done, review.err = true, err
  unsettled[review.id] = nil
end

--- The call of somebody else that a review belonged to has ended.
---@param id integer
function M.settled(id)
  if unsettled[id] then
    settled(unsettled[id])
  end
end

--- A question of the core about a change.
---@param question oxide.Question
---@param context oxide.Context
function M.confirm(question, context)
  question.files = question.files or {}
  -- A call that asks again has carried out what it asked about before.
  for id, earlier in pairs(unsettled) do
    if earlier.question.call == question.call then
      earlier.done, unsettled[id] = true, nil
    end
  end
  local states = {} ---@type oxide.FileState[]
  for i = 1, #question.files do
    states[i] = 'kept'
  end
  ---@type oxide.Review
  local review = {
    id = question.id,
    question = question,
    states = states,
    stamps = {},
    past = {},
    done = false,
  }
  local when = context.confirm or 'auto'
  if question.who then
    when = require('oxide.guest').when(question)
  elseif when == 'auto' then
    when = require('oxide.config').get('review.when')
  end
  local wanted = M.wanted(question, when)
  if not wanted or question.unattended then
    reply(review, not wanted)
    return
  end
  for i, file in ipairs(question.files) do
    if file.where ~= 'buffer' then
      review.stamps[i] = require('oxide.buffers').stamp(file.path)
    end
  end
  local call = require('oxide.core').pending(question.call)
  if call then
    local cb = call.cb
    call.cb = function(err, result)
      settled(review, err)
      cb(err, result)
    end
  end
  open[review.id] = review
  latest = review.id
  require('oxide.review_buffer').open(review)
end

--- The core has taken a question back.
---@param id integer
function M.gone(id)
  local review = open[id]
  if review and not review.outcome then
    close(review, 'gone')
    ui.notify(review.question.title .. ': no longer possible, the review was closed')
  end
end

function M.close_all()
  unsettled = {}
  for _, review in pairs(vim.tbl_values(open)) do
    if not review.outcome then
      close(review, 'gone')
    end
  end
end

---@return oxide.Review?
function M.current()
  return latest and open[latest] or nil
end

---@param id integer
---@return oxide.Review?
function M.get(id)
  return open[id]
end

--- Before Neovim exits: gives changes that were accepted the time to be carried out.
---@param limit_ms integer
function M.settle(limit_ms)
  if next(unsettled) then
    vim.wait(limit_ms, function()
      return next(unsettled) == nil
    end, 10)
  end
end

--- `:Oxide review`, with what to do with the pending one.
---@param action? oxide.ReviewAction
---@return string? problem
function M.command(action)
  local review = M.current()
  if not review then
    return 'no change is waiting for a review'
  end
  local buffer = require('oxide.review_buffer')
  if action == 'apply' then
    return M.write(review)
  elseif action == 'discard' then
    M.discard(review)
  elseif not review.view then
    return 'the review is not open yet; it waits until a window can be opened'
  else
    buffer.show(review)
    if action == 'next' or action == 'prev' then
      buffer.to_hunk(action == 'next' and 1 or -1)
    elseif action == 'accept' or action == 'reject' then
      local line = vim.fn.line('.')
      require('oxide.review_choice').lines(review, line, line, action == 'accept')
    end
  end
end

return M
