-- Whether a review is written by nobody's wish: by 'autowrite' before :make, :! and CTRL-Z, by
-- 'autowriteall' before :qall, or by an autocommand or a timer that saves all there is.
local M = {}

local SUSPEND = '\26' -- CTRL-Z

--- Commands that write nothing but what those options have them write.
local OTHERS = {}
for name in
  ('! make lmake grep lgrep grepadd lgrepadd stop suspend quit qall quitall'):gmatch('%S+')
do
  OTHERS[name] = true
end

-- Until Neovim waits for the next key:
local running ---@type string?   the command that was typed
local keys = true -- whether any were typed, also before this was loaded

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

--- As plugins do that save some time after a text was changed. The review is not what the user looks at.
---@return boolean
local function is_by_timer()
  return not keys and not running and vim.fn.win_gettype() == 'autocmd'
end

--- Asked by the autocommand that writes it.
---@return boolean
function M.is_unasked()
  return not asked and (is_by_option() or is_by_event() or is_by_timer())
end

---@param event string
---@param pattern? string
---@param fn fun()
local function on(event, pattern, fn)
  vim.api.nvim_create_autocmd(event, {
    group = vim.api.nvim_create_augroup('oxide.review.unasked', { clear = false }),
    pattern = pattern,
    desc = 'Oxide: which command may write a review',
    callback = fn,
  })
end

on('CmdlineLeave', ':', function()
  running = vim.fn.getcmdline()
end)
on('QuickFixCmdPre', nil, function() -- also of a mapping
  running = 'make'
end)
on('SafeState', nil, function()
  running, keys = nil, false
end)
vim.on_key(function(key)
  keys = true
  if key == SUSPEND and vim.fn.mode() == 'n' then
    running = 'suspend'
  end
end, vim.api.nvim_create_namespace('oxide.review.unasked'))

return M
