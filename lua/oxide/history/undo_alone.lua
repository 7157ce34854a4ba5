-- `u` undoes a change in one buffer alone. Where the change has more files, that is said, once, with
-- the command that undoes all of it.
local M = {}

local MOST = 20 -- changes that are known of a buffer

---@class oxide.AppliedChange
---@field title string
---@field time_ms integer
---@field told? boolean

---@type table<integer, { seq: integer, change: oxide.AppliedChange }[]>   by buffer, oldest first
local watched = {}

--- The entry of the history that a change became.
---@param entries oxide.HistoryEntry[]
---@param change oxide.AppliedChange
---@return oxide.HistoryEntry?
local function entry_of(entries, change)
  local found, least = nil, math.huge
  for _, entry in ipairs(entries) do
    local off = math.abs(entry.time_ms - change.time_ms)
    if entry.title == change.title and off < least then
      found, least = entry, off
    end
  end
  return found
end

---@param entries oxide.HistoryEntry[]
---@param entry oxide.HistoryEntry
---@return boolean   whether it is what `:Oxide undo` undoes
local function is_last(entries, entry)
  for _, one in ipairs(entries) do
    if not one.undone then
      return one == entry
    end
  end
  return false
end

---@param change oxide.AppliedChange
local function tell(change)
  if not require('oxide.core').running() then
    return
  end
  require('oxide.history').entries(function(_, entries)
    local entry = entry_of(entries or {}, change)
    if not entry or entry.undone or #entry.files < 2 then
      return
    end
    local ui = require('oxide.ui')
    local command = ':Oxide undo' .. (is_last(entries, entry) and '' or ' ' .. entry.id)
    local others = ui.count(#entry.files - 1, 'other file')
    -- The number and the command come first: a narrow screen cuts what follows.
    ui.notify(('still in %s; %s undoes it there'):format(others, command))
  end)
end

---@param buf integer
local function on_changed(buf)
  local list = watched[buf] or {}
  local seq = vim.fn.changenr()
  while #list > 0 and seq < list[#list].seq do
    local change = table.remove(list).change
    if not change.told then
      change.told = true
      tell(change)
    end
  end
end

--- A change was made in these buffers, one of which may be undone by itself.
---@param title string
---@param bufs integer[]
function M.watch(title, bufs)
  local sec, usec = vim.uv.gettimeofday()
  local change = { title = title, time_ms = sec * 1000 + math.floor(usec / 1000) }
  local group = vim.api.nvim_create_augroup('oxide.history.undo_alone', { clear = false })
  for _, buf in ipairs(bufs) do
    if not watched[buf] then
      watched[buf] = {}
      vim.api.nvim_create_autocmd('TextChanged', {
        group = group,
        buffer = buf,
        callback = function()
          on_changed(buf)
        end,
      })
      vim.api.nvim_create_autocmd('BufWipeout', {
        group = group,
        buffer = buf,
        once = true,
        callback = function()
          watched[buf] = nil
        end,
      })
    end
    local seq = vim.api.nvim_buf_call(buf, vim.fn.changenr)
    table.insert(watched[buf], { seq = seq, change = change })
    if #watched[buf] > MOST then
      table.remove(watched[buf], 1)
    end
  end
end

return M
