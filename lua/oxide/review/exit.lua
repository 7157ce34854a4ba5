-- Neovim does not leave a change behind that waits for a word, nor one that it is about to apply.
local M = {}

local exiting = false -- from ExitPre until Neovim has decided

--- Whether the command that writes is one that ends Neovim, too.
---@return boolean
function M.leaving()
  return exiting
end

--- A file that an applied change has left modified in a buffer that `:wqa` has been past.
---@param review oxide.Review
---@return string? reason why Neovim cannot end yet
function M.left_behind(review)
  for _, file in ipairs(review.question.files) do
    local buf = require('oxide.buffers').of(file.path)
    if buf and buf < review.view.buf and vim.bo[buf].modified then
      vim.bo[review.view.buf].modified = true -- `:confirm qa` looks at this
      return ('applied, but %s is not written yet; :wqa writes it and quits'):format(file.shown)
    end
  end
end

--- `:q` closes a review, not Neovim: where nothing but the review is left of it, there is a window with
--- the file before it, too.
---@param review oxide.Review
function M.stay(review)
  local wins = vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_config(win).relative == ''
  end, vim.api.nvim_list_wins())
  if #wins > 1 or vim.api.nvim_win_get_buf(wins[1]) ~= review.view.buf then
    return
  end
  local before = vim.fn.bufnr('#')
  vim.cmd(before > 0 and vim.fn.buflisted(before) == 1 and 'tab sbuffer ' .. before or 'tabnew')
  vim.api.nvim_set_current_win(wins[1])
end

--- Says what it is that Neovim has refused to leave.
local function tell()
  exiting = false
  local review = require('oxide.review').current()
  if not review or review.outcome or vim.v.exiting ~= vim.NIL then
    return
  end
  local who = review.question.who
  require('oxide.ui').notify(
    ('%s%s is waiting: :w applies it, :q discards it, :qa! quits without it'):format(
      review.question.title,
      who and ', asked for by ' .. who .. ',' or ''
    ),
    vim.log.levels.WARN
  )
end

--- Neovim is about to end, and will not where a buffer is modified: what waits has one from here on.
local function on_exit()
  exiting = true
  for _, review in ipairs(require('oxide.review').all()) do
    if not review.view then
      require('oxide.review.buffer').make(review)
    end
  end
  vim.schedule(tell)
end

vim.api.nvim_create_autocmd('ExitPre', {
  group = vim.api.nvim_create_augroup('oxide.review', {}),
  desc = 'Oxide: warn about a waiting change before Neovim exits',
  callback = on_exit,
})

return M
