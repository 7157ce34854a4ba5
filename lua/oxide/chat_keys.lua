-- The keys of a conversation.
local chat = require('oxide.chat')

local M = {}

---@param view oxide.ChatView
function M.map(view)
  ---@param modes string|string[]
  ---@param lhs string
  ---@param desc string
  ---@param fn fun()
  local function map(modes, lhs, desc, fn)
    vim.keymap.set(modes, lhs, fn, { buffer = view.buf, desc = desc, nowait = true })
  end
  map('n', '<CR>', 'Send', function()
    chat.submit(view)
  end)
  map('i', '<C-s>', 'Send', function()
    chat.submit(view)
  end)
  map({ 'n', 'i' }, '<C-c>', 'Cancel the turn', function()
    if not view.talk:cancel() then
      vim.cmd.stopinsert()
    end
  end)
end

return M
