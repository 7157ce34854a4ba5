-- `:Oxide review`: to the change that waits, and what becomes of it.
local queue = require('oxide.review.queue')
local reviews = require('oxide.review')

local M = {}

---@param review oxide.Review
---@return boolean
local function is_open(review)
  return review.view ~= nil and review.view.seen == true
end

--- Shows the one that is open, or brings up the next that waits: from elsewhere the former first.
---@param review oxide.Review
local function show(review)
  local here = is_open(review) and vim.api.nvim_get_current_buf() == review.view.buf
  if is_open(review) and not (here and queue.count() > 0) then
    require('oxide.review.window').show(review)
  else
    queue.take()
  end
end

--- The one that is open, else the one that came last.
---@return oxide.Review?
local function pending()
  local review = reviews.current()
  for _, other in ipairs(reviews.all()) do
    review = review and is_open(review) and review or other
  end
  return review
end

--- `:Oxide review`, with what to do with the pending one.
---@param action? oxide.ReviewAction
---@param force? boolean   apply it in spite of what speaks against it
---@return string? problem
function M.run(action, force)
  local review = pending()
  if not review and queue.take() then
    return
  elseif not review then
    return 'no change is waiting for a review'
  elseif not action then
    show(review)
  elseif action == 'discard' then
    reviews.discard(review)
  elseif not is_open(review) then
    return 'the change has not been reviewed; :Oxide review opens it'
  elseif action == 'apply' then
    return reviews.write(review, force)
  else
    local window = require('oxide.review.window')
    window.show(review)
    if action == 'next' or action == 'prev' then
      window.to_hunk(action == 'next' and 1 or -1)
    else
      local line = vim.fn.line('.')
      require('oxide.review.choice').lines(review, line, line, action == 'accept')
    end
  end
end

return M
