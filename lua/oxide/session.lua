-- What a session (|:mksession|) keeps of Oxide's own buffers is their names: a chat, a review or a list
-- that is in memory cannot be restored. An agent's terminal can, see oxide.agent_terminal. Where a
-- session is loaded beside the buffer that has such a name, that one stays, and is in its window again.
local M = {}

local aside = {} ---@type table<integer, string>   buffers whose names a session gives to its own, and the names

---@param buf integer
---@return boolean   whether it is named as Oxide's are, but for an agent's terminal
local function is_named(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  return vim.startswith(name, 'oxide://') and not vim.startswith(name, 'oxide://agent/')
end

--- A buffer is about to be named by a session: to give a name that is in use would be an error.
function M.naming()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.b[buf].oxide_own and not aside[buf] and is_named(buf) then
      aside[buf] = vim.api.nvim_buf_get_name(buf)
      vim.api.nvim_buf_set_name(buf, ('oxide://aside/%d'):format(buf))
    end
  end
end

--- Puts the buffers that were there into the windows of those that have their names.
local function take_windows()
  local own = {} ---@type table<string, integer>
  for buf, name in pairs(aside) do
    own[name] = vim.api.nvim_buf_is_valid(buf) and buf or nil
  end
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local buf = own[vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))]
    if buf then
      vim.api.nvim_win_set_buf(win, buf)
    end
  end
end

--- Takes away those with nothing of Oxide's in them, and their windows; the last window gets another buffer.
local function forget()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if is_named(buf) and not vim.b[buf].oxide_own then
      vim.api.nvim_buf_delete(buf, { force = true })
    end
  end
end

function M.loaded()
  take_windows()
  forget()
  for buf, name in pairs(aside) do
    if vim.api.nvim_buf_is_valid(buf) then
      vim.api.nvim_buf_set_name(buf, name)
    end
  end
  aside = {}
  forget() -- Neovim keeps the names that they had meanwhile
end

return M
