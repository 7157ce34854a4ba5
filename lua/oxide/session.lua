-- What a session (|:mksession|) keeps of Oxide's own buffers is their names: a chat, a review or a list
-- that is in memory cannot be restored. An agent's terminal can, see oxide.agent_terminal.
local M = {}

---@param buf integer
---@return boolean   whether it is one of those, with nothing of Oxide's in it
local function is_empty_name(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  return vim.startswith(name, 'oxide://')
    and not vim.startswith(name, 'oxide://agent/')
    and not vim.b[buf].oxide_own
end

--- Takes them away, with their windows; the last window gets another buffer.
function M.loaded()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if is_empty_name(buf) then
      vim.api.nvim_buf_delete(buf, { force = true })
    end
  end
end

return M
