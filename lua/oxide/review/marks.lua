-- The colours of a review's buffer. They say nothing that its text does not say.
local M = {}

local ns = vim.api.nvim_create_namespace('oxide.review')
local ns_off = vim.api.nvim_create_namespace('oxide.review.off')

local MOST_PAIRS = 5000 -- changed lines whose words are compared

local STATE_GROUPS = {
  kept = 'OxideReviewKept',
  part = 'OxideReviewPart',
  off = 'OxideReviewOff',
  stale = 'OxideReviewStale',
  gone = 'OxideReviewStale',
}

---@param buf integer
---@param row integer   from 0
---@param from integer
---@param to integer
---@param group string
local function mark(buf, row, from, to, group)
  vim.api.nvim_buf_set_extmark(buf, ns, row, from, {
    end_col = to,
    hl_group = group,
    priority = 150,
  })
end

--- Takes the marks off a line that is about to be rewritten.
---@param buf integer
---@param row integer   from 0
function M.clear(buf, row)
  vim.api.nvim_buf_clear_namespace(buf, ns, row, row + 1)
end

--- Takes all marks off, before all lines are rewritten.
---@param buf integer
function M.clear_all(buf)
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  vim.api.nvim_buf_clear_namespace(buf, ns_off, 0, -1)
end

---@param buf integer
---@param title string
---@param line? integer   from 1; nil: the first
function M.title(buf, title, line)
  mark(buf, (line or 1) - 1, 0, #title, 'OxideReviewTitle')
end

---@param buf integer
---@param row integer   from 0
---@param text string
---@param state oxide.FileState
function M.heading(buf, row, text, state)
  mark(buf, row, 3, 6, STATE_GROUPS[state])
  mark(buf, row, 7, #text, state == 'kept' and 'OxideReviewFile' or STATE_GROUPS[state])
end

--- The mark of a hunk, and all of its lines when it is left out.
---@param buf integer
---@param hunk oxide.ReviewHunk
---@param at integer   where the mark begins in the line
function M.hunk(buf, hunk, at)
  local row = hunk.row - 1
  mark(buf, row, at, at + 3, hunk.kept and STATE_GROUPS.kept or STATE_GROUPS.off)
  vim.api.nvim_buf_clear_namespace(buf, ns_off, row, hunk.last)
  if not hunk.kept and hunk.last > hunk.row then
    vim.api.nvim_buf_set_extmark(buf, ns_off, row + 1, 0, {
      end_row = hunk.last - 1,
      end_col = #vim.api.nvim_buf_get_lines(buf, hunk.last - 1, hunk.last, true)[1],
      hl_group = STATE_GROUPS.off,
      priority = 160,
    })
  end
end

local WORD_GROUPS = { 'OxideReviewRemovedText', 'OxideReviewAddedText' }

--- The words that differ inside changed lines.
---@param view oxide.ReviewView
function M.words(view)
  if not require('oxide.config').get('review.word_diff') then
    return
  end
  local word_diff = require('oxide.review.word_diff')
  for i = 1, math.min(#view.page.pairs, MOST_PAIRS) do
    local old, new = unpack(view.page.pairs[i])
    local spans = { word_diff.diff(view.page.lines[old]:sub(2), view.page.lines[new]:sub(2)) }
    for side, line in ipairs { old, new } do
      for _, span in ipairs(spans[side] or {}) do
        mark(view.buf, line - 1, span[1] + 1, span[2] + 1, WORD_GROUPS[side])
      end
    end
  end
end

return M
