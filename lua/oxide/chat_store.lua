-- Transcripts of conversations: a file each, a row of JSON a message, appended when it is complete.
local M = {}

---@return string
function M.directory()
  return vim.fn.stdpath('state') .. '/oxide/chats'
end

---@param _talk oxide.Talk
---@param _row table
function M.append(_talk, _row) end

return M
