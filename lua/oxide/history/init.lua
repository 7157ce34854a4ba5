-- The changes of this project that can be taken back, and those that were.
local ui = require('oxide.ui')

local M = {}

---@class oxide.HistoryOpts
---@field open? boolean   false: do not show the list
---@field mods? table     the modifiers of the command
---@field on_done? fun(err?: oxide.Error, result?: { entries: oxide.HistoryEntry[] })

---@class oxide.HistoryEntry
---@field id string
---@field time_ms integer
---@field origin string
---@field title string
---@field undone boolean
---@field files { file: string, lines_added: integer, lines_removed: integer }[]

local COMPLETE_MS = 1000 -- how long completion waits for the core

--- Asks the core; the newest change comes first.
---@param cb fun(err?: oxide.Error, entries?: oxide.HistoryEntry[])
function M.entries(cb)
  require('oxide.core').query('history', function(err, result)
    local entries = result and result.entries or {}
    local place = {}
    for i, entry in ipairs(entries) do
      place[entry] = i
    end
    table.sort(entries, function(a, b)
      if a.time_ms ~= b.time_ms then
        return a.time_ms > b.time_ms
      end
      return place[a] < place[b]
    end)
    cb(err, not err and entries or nil)
  end)
end

---@param opts oxide.HistoryOpts
function M.run(opts)
  M.entries(function(err, entries)
    if err then
      ui.error(err)
    elseif opts.open ~= false then
      require('oxide.history.window').show(assert(entries), opts.mods)
    end
    if opts.on_done then
      opts.on_done(err, entries and { entries = entries })
    end
  end)
end

--- What can be undone, or made again, for completion, which has to wait for it.
---@param undone boolean
---@return string[]
function M.ids(undone)
  local ids, answered = {}, false
  M.entries(function(_, entries)
    for _, entry in ipairs(entries or {}) do
      if entry.undone == undone then
        table.insert(ids, entry.id)
      end
    end
    answered = true
  end)
  vim.wait(COMPLETE_MS, function()
    return answered
  end, 5)
  return ids
end

return M
