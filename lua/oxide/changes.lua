-- Changes to files and buffers, whoever makes them, as events for scripts.
local ui = require('oxide.ui')

local M = {}

---@class oxide.ChangeNews
---@field done boolean          it was made; else it begins
---@field what 'applied'|'undone'|'redone'
---@field transaction? string   of the history: what is undone or redone, or once done its own
---@field title string
---@field files string[]        absolute paths
---@field saved? integer        buffers, once done
---@field left_modified? integer

-- A file that is open by another name was changed on the disk. Neovim would read it again when its
-- buffer is entered: one that is shown shows the old text until then.
local function read_shown()
  local buffers = require('oxide.buffers')
  local done = {} ---@type table<integer, true>
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local buf = vim.api.nvim_win_get_buf(win)
    local autoread = vim.api.nvim_get_option_value('autoread', { buf = buf })
    if autoread == nil then
      autoread = vim.go.autoread
    end
    local may_read = autoread
      and not done[buf]
      and buffers.is_file(buf)
      and not vim.bo[buf].modified
    done[buf] = true
    if may_read and not buffers.disk_is_same(buf) and not buffers.is_gone(buf) then
      vim.cmd('silent! checktime ' .. buf)
    end
  end
end

---@param news oxide.ChangeNews
function M.event(news)
  local data = {
    transaction = news.transaction,
    title = news.title,
    files = news.files,
    files_changed = #news.files,
    saved = news.saved,
    left_modified = news.left_modified,
  }
  if not news.done then
    ui.event('ApplyPre', data)
    return
  end
  read_shown()
  if news.what == 'undone' then
    ui.event('UndoPost', data)
  elseif news.what == 'redone' then
    ui.event('RedoPost', data)
  else
    ui.event('ApplyPost', data)
  end
  local page = package.loaded['oxide.history.window']
  if page then
    page.changed()
  end
end

return M
