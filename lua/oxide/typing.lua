-- Whether the person is typing: nothing that takes the keys opens in the middle of it.
local M = {}

M.IDLE_MS = 1000 -- without a key for this long, or for 'updatetime', they are idle

local last_key ---@type number?   vim.uv.hrtime()
local typed = 0

--- Begins to note when a key was typed last; until then nobody has typed.
function M.watch()
  if not last_key then
    last_key = -math.huge
    vim.on_key(function(_, by_hand)
      last_key = vim.uv.hrtime()
      typed = typed + (by_hand ~= '' and 1 or 0) -- not what a mapping makes of it
    end, vim.api.nvim_create_namespace('oxide.typing'))
  end
end

--- How many keys the person has typed, to see later whether they have typed more.
---@return integer
function M.typed()
  M.watch()
  return typed
end

--- Whether a window can be opened: Normal mode, with nothing pending. Not while a command, a
--- mapping, an operator or a prompt is waiting for its rest, and not while a macro is recorded.
---@param safe? boolean   from SafeState, which Neovim itself triggers only then
---@return boolean
function M.free(safe)
  local mode = vim.api.nvim_get_mode()
  return not mode.blocking
    and (mode.mode == 'n' or mode.mode == 'nt')
    and vim.fn.getcmdwintype() == ''
    and vim.fn.reg_recording() == ''
    and vim.fn.reg_executing() == ''
    and vim.fn.state(safe and 'moa' or 'moaxS') == ''
end

--- For how many milliseconds the person has to leave the keys alone until they are idle; 0: they
--- are.
---@return integer
function M.busy_ms()
  local limit = math.max(M.IDLE_MS, vim.o.updatetime)
  local since = (vim.uv.hrtime() - (last_key or -math.huge)) / 1e6
  return math.max(0, math.ceil(limit - math.min(since, limit)))
end

--- Whether a message would end up in a command line or a prompt.
---@return boolean
function M.prompted()
  return vim.api.nvim_get_mode().mode:match('^[cr!]') ~= nil
end

return M
