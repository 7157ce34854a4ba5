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

local MOST_FILES = 5 -- listed of one change
local COMPLETE_MS = 1000 -- how long completion waits for the core

local shown = {} ---@type table<integer, oxide.HistoryEntry>   by line of the list

---@param file { file: string, lines_added: integer, lines_removed: integer }
---@return string
local function file_line(file)
  return ('      %s  +%d -%d'):format(file.file, file.lines_added or 0, file.lines_removed or 0)
end

--- The list as text, and which entry each of its lines belongs to.
---@param entries oxide.HistoryEntry[]
---@return string[] lines
---@return table<integer, oxide.HistoryEntry> at
function M.lines(entries)
  local lines, at = { '# Oxide: changes of this project   <CR> undoes one   q closes' }, {}
  local function put(text, entry)
    table.insert(lines, text)
    at[#lines] = entry
  end
  if #entries == 0 then
    table.insert(lines, 'no changes yet')
  end
  for _, entry in ipairs(entries) do
    put('', nil)
    put(
      ('%s  %s  %s, by %s%s'):format(
        entry.id,
        os.date('%Y-%m-%d %H:%M:%S', math.floor((entry.time_ms or 0) / 1000)),
        entry.title,
        entry.origin,
        entry.undone and '  [undone]' or ''
      ),
      entry
    )
    for i, file in ipairs(entry.files or {}) do
      if i > MOST_FILES then
        put(('      and %s'):format(ui.count(#entry.files - MOST_FILES, 'more file')), entry)
        break
      end
      put(file_line(file), entry)
    end
  end
  return lines, at
end

--- Asks the core; the newest change comes first.
---@param cb fun(err?: oxide.Error, entries?: oxide.HistoryEntry[])
local function ask(cb)
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

---@param buf integer
local function renew(buf)
  ask(function(_, entries)
    if entries and vim.api.nvim_buf_is_valid(buf) then
      local lines
      lines, shown = M.lines(entries)
      require('oxide.scratch').fill(buf, lines)
    end
  end)
end

--- Takes back the change that the cursor is on.
---@param buf integer
local function take_back(buf)
  local entry = shown[vim.fn.line('.')]
  if not entry then
    return
  elseif entry.undone then
    ui.notify(('%s is already undone'):format(entry.id))
    return
  end
  require('oxide.undo').run {
    transaction = entry.id,
    on_done = function()
      renew(buf)
    end,
  }
end

---@param entries oxide.HistoryEntry[]
---@param mods? table
local function show(entries, mods)
  local lines
  lines, shown = M.lines(entries)
  local buf = require('oxide.scratch').open('history', lines, mods)
  vim.bo[buf].filetype = 'oxide-history'
  vim.keymap.set('n', '<CR>', function()
    take_back(buf)
  end, { buffer = buf, nowait = true, desc = 'Oxide: undo this change' })
  vim.api.nvim_win_set_cursor(0, { math.min(3, #lines), 0 })
end

---@param opts oxide.HistoryOpts
function M.run(opts)
  ask(function(err, entries)
    if err then
      ui.error(err)
    elseif opts.open ~= false then
      show(assert(entries), opts.mods)
    end
    if opts.on_done then
      opts.on_done(err, entries and { entries = entries })
    end
  end)
end

--- What can be taken back, for completion, which has to wait for it.
---@return string[]
function M.ids()
  local ids, answered = {}, false
  ask(function(_, entries)
    for _, entry in ipairs(entries or {}) do
      if not entry.undone then
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
