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
  elseif news.what == 'undone' then
    ui.event('UndoPost', data)
  elseif news.what == 'redone' then
    ui.event('RedoPost', data)
  else
    ui.event('ApplyPost', data)
  end
  local page = news.done and package.loaded['oxide.history.window']
  if page then
    page.changed()
  end
end

return M
