-- The last message of a conversation again: as it was, or edited.
local prompt = require('oxide.chat.prompt')
local ui = require('oxide.ui')

local M = {}

--- The number of the user's last message, and the message.
---@param talk oxide.Talk
---@return integer?
---@return oxide.Sent?
local function last_sent(talk)
  for i = #talk.rows, 1, -1 do
    if talk.rows[i].sent then
      return i, talk.rows[i].sent
    end
  end
end

--- Whether nothing goes on that has to end first.
---@param talk oxide.Talk
---@return boolean
local function is_idle(talk)
  if talk.turn then
    ui.notify('an answer is on its way; :Oxide cancel ends it')
  end
  return not talk.turn
end

--- Has the last message answered again.
---@param talk oxide.Talk
function M.retry(talk)
  local number, sent = last_sent(talk)
  if not number then
    ui.notify('there is no message yet')
  elseif is_idle(talk) then
    talk:send {
      words = assert(sent).words,
      shown = {},
      confirm = sent.confirm,
      keep = number,
      again = true,
    }
  end
end

--- Puts the last message into the place to write; sent, it takes the place of the one that was.
---@param talk oxide.Talk
function M.edit(talk)
  local number, sent = last_sent(talk)
  local view = talk:draw()
  if not number then
    ui.notify('there is no message yet')
  elseif prompt.text(view) ~= '' then
    ui.notify('something is written already; send or delete it first')
  elseif is_idle(talk) then
    talk.editing, talk.shown = number - 1, vim.deepcopy(assert(sent).shown)
    prompt.set_text(view, sent.words)
    talk:announce()
    for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
      vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(view.buf), 0 })
    end
    talk:follow()
  end
end

--- What goes with the next message does not, and an edited message stays as it was.
---@param talk oxide.Talk
function M.forget(talk)
  if talk.editing and talk.view then
    prompt.set_text(talk.view, '')
  end
  talk.editing, talk.shown = nil, {}
  talk:announce()
end

return M
