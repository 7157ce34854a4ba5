-- Whether a review is written by nobody's wish: by 'autowrite' before :make, :! and CTRL-Z, by
-- 'autowriteall' before :qall, or by an autocommand that saves all there is.
local M = {}

local SUSPEND = '\26' -- CTRL-Z

--- Commands that write nothing but what those options have them write.
local OTHERS = {}
for name in
  ('! make lmake grep lgrep grepadd lgrepadd stop suspend quit qall quitall'):gmatch('%S+')
do
  OTHERS[name] = true
end

local running ---@type string?   the command that was typed, until it is over

---@param command string
local function begin(command)
  running = command
  vim.schedule(function()
    running = nil
  end)
end

---@return boolean
local function is_by_option()
  if not running or not (vim.o.autowrite or vim.o.autowriteall) then
    return false
  end
  local ok, command = pcall(vim.api.nvim_parse_cmd, running, {})
  return ok and OTHERS[command.cmd] or false
end

--- An event in the stack of what is executed; the review's own is not one.
---@return boolean
local function is_by_event()
  for _, part in ipairs(vim.split(vim.fn.expand('<stack>'), '..', { plain = true })) do
    local event = part:match('^%a+')
    if event and not event:find('WriteCmd$') and vim.fn.exists('##' .. event) == 1 then
      return true
    end
  end
  return false
end

local asked = false

--- What the user has asked for, wherever the answer came from.
---@param fn fun()
---@return boolean ok, any why
function M.asked(fn)
  asked = true
  local ok, why = pcall(fn)
  asked = false
  return ok, why
end

--- Asked by the autocommand that writes it.
---@return boolean
function M.is_unasked()
  return not asked and (is_by_option() or is_by_event())
end

local group = vim.api.nvim_create_augroup('oxide.review.unasked', {})
vim.api.nvim_create_autocmd('CmdlineLeave', {
  group = group,
  pattern = ':',
  desc = 'Oxide: which command may write a review',
  callback = function()
    begin(vim.fn.getcmdline())
  end,
})
vim.api.nvim_create_autocmd('QuickFixCmdPre', { -- also of a mapping
  group = group,
  desc = 'Oxide: which command may write a review',
  callback = function()
    begin('make')
  end,
})
vim.on_key(function(key)
  if key == SUSPEND and vim.fn.mode() == 'n' then
    begin('suspend')
  end
end, vim.api.nvim_create_namespace('oxide.review.unasked'))

return M
