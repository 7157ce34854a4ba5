-- Writing the buffer of a review, or of a text that is edited in one: it is taken, or the write fails and
-- it is said why.
local M = {}

--- What `:w` runs; an error in it keeps `:wq` from closing the window, and `:wqa` from leaving.
---@param id integer
---@param bang 0|1   v:cmdbang
---@param part 0|1   of some lines alone: then what they touch is all that is applied
---@return string reason   empty when the change was applied
function M.on_write(id, bang, part)
  local review = require('oxide.review').get(id)
  if not review or require('oxide.review.unasked').is_unasked() then
    return '' -- still modified, and so not written
  elseif not review.view.seen then
    return review.question.title .. ' has not been reviewed; :Oxide review opens it'
  end
  local leaving = require('oxide.review.exit').leaving()
  local choice = require('oxide.review.choice')
  local cut = part == 1 and choice.only(review, vim.fn.line("'["), vim.fn.line("']"))
  -- Neovim wants a ! for some of the lines (E140): there it overrules nothing.
  local reason = require('oxide.review').write(review, bang == 1 and part == 0)
  if reason and cut and not review.outcome then
    choice.back(review)
  end
  return reason or leaving and require('oxide.review.exit').left_behind(review) or ''
end

--- Says why the last write did nothing, and sets v:errmsg as an error would.
function M.refused()
  local reason = vim.g.oxide_refused
  vim.v.errmsg = 'Oxide: ' .. reason
  vim.bo.modified = true -- also where the review is over: this is what fails the write
  -- When the command is over, and after what it says itself.
  vim.schedule(function()
    require('oxide.ui').error(reason)
  end)
end

--- Lets an expression of Vim write a buffer: its value says why that has failed, or is empty.
---
--- An exception fails the write for a script, which may catch it. Where nobody does, Neovim would show
--- it below a line that names this autocommand, and ask for <CR>: it is kept quiet there, and said
--- instead. The write fails all the same, as the buffer is left modified: `:wq` does not close it.
---@param buf integer
---@param expression string
---@param event? string
---@param group? integer
function M.on_writing(buf, expression, event, group)
  vim.api.nvim_create_autocmd(event or 'BufWriteCmd', {
    group = group,
    buffer = buf,
    nested = true,
    command = ('let g:oxide_refused = %s'):format(expression)
      .. " | if g:oxide_refused !=# ''"
      .. ' | silent! execute \'throw "Oxide: " .. g:oxide_refused\''
      .. " | call v:lua.require'oxide.review.write'.refused()"
      .. ' | endif',
  })
end

return M
