-- The window of `:Oxide history`: a fold for each change with its files, and its diff on demand.
local ui = require('oxide.ui')

local M = {}

local HEAD = '# Changes   <CR> undo or redo  = diff  za files  q closes'
local MOST_FILES = 5 -- of a change whose files are shown at first
local PART = 10 -- lines of a diff that are to be seen at once

---@class oxide.HistoryShown
---@field entries oxide.HistoryEntry[]
---@field at table<integer, oxide.HistoryEntry>   by line
---@field heads table<integer, boolean>           lines that a change begins at
---@field diffs table<string, string[]>           of those that show one, by id

local shown = {} ---@type table<integer, oxide.HistoryShown>   by buffer

--- What a narrow window cuts is at its end, the id, which says little but the time again.
---@param entry oxide.HistoryEntry
---@return string
local function head_line(entry)
  return ('%s  %s%s, by %s  %s'):format(
    os.date('%Y-%m-%d %H:%M', math.floor((entry.time_ms or 0) / 1000)),
    entry.undone and '[undone] ' or '',
    entry.title,
    entry.origin,
    entry.id
  )
end

--- The list as text, and which change each of its lines belongs to.
---@param entries oxide.HistoryEntry[]
---@param diffs? table<string, string[]>
---@return string[] lines
---@return table<integer, oxide.HistoryEntry> at
---@return table<integer, boolean> heads
function M.lines(entries, diffs)
  local lines, at, heads = { HEAD }, {}, {}
  if #entries == 0 then
    table.insert(lines, 'no changes yet')
  end
  for _, entry in ipairs(entries) do
    vim.list_extend(lines, { '', head_line(entry) })
    heads[#lines], at[#lines] = true, entry
    for _, file in ipairs(entry.files or {}) do
      table.insert(
        lines,
        ('      %s  +%d -%d'):format(file.file, file.lines_added or 0, file.lines_removed or 0)
      )
      at[#lines] = entry
    end
    for _, line in ipairs(diffs and diffs[entry.id] or {}) do
      table.insert(lines, line)
      at[#lines] = entry
    end
  end
  return lines, at, heads
end

--- 'foldexpr': a fold for each change.
---@param lnum integer
---@return string
function M.fold(lnum)
  local list = shown[vim.api.nvim_get_current_buf()]
  if not list or not list.at[lnum] then
    return '0'
  end
  return list.heads[lnum] and '>1' or '1'
end

--- 'foldtext': the change, and what the fold hides.
---@return string
function M.fold_text()
  local list = shown[vim.api.nvim_get_current_buf()]
  local entry = list and list.at[vim.v.foldstart]
  local head = vim.fn.getline(vim.v.foldstart)
  return entry and ('%s  (%s)'):format(head, ui.count(#entry.files, 'file')) or head
end

---@param buf integer
---@param id string
---@return integer? line   that the change begins at
local function line_of(buf, id)
  for line in pairs(shown[buf].heads) do
    if shown[buf].at[line].id == id then
      return line
    end
  end
end

--- Which changes are folded, by id. A change with many files is at first.
---@param buf integer
---@return table<string, boolean>
local function folded(buf)
  local list, ids = shown[buf], {}
  for line in pairs(list.heads) do
    ids[list.at[line].id] = vim.fn.foldclosed(line) ~= -1
  end
  return ids
end

---@param buf integer
---@param closed table<string, boolean>
local function draw(buf, closed)
  local list = shown[buf]
  local lines
  lines, list.at, list.heads = M.lines(list.entries, list.diffs)
  require('oxide.scratch').fill(buf, lines)
  vim.cmd('normal! zx')
  for line in pairs(list.heads) do
    local entry = list.at[line]
    local close = closed[entry.id]
    if close == nil then
      close = #entry.files > MOST_FILES
    end
    if close and (line < #lines and list.at[line + 1] == entry) then
      vim.cmd(('%dfoldclose'):format(line))
    end
  end
end

--- Draws it anew; the cursor stays in its change.
---@param buf integer
---@param open? string   the id of a change whose fold is to be open
local function redraw(buf, open)
  local win = vim.fn.win_findbuf(buf)[1]
  if not win then
    return
  end
  vim.api.nvim_win_call(win, function()
    local list, row = shown[buf], vim.fn.line('.')
    local entry = list.at[row]
    local off = entry and row - line_of(buf, entry.id)
    local closed = folded(buf)
    if open then
      closed[open] = false
    end
    draw(buf, closed)
    local line = entry and line_of(buf, entry.id)
    local last = vim.fn.line('$')
    local to = line and line + off or row
    if line and list.at[to] ~= list.at[line] then
      to = line
    end
    vim.api.nvim_win_set_cursor(win, { math.min(to, last), 0 })
  end)
end

---@param buf integer
local function renew(buf)
  require('oxide.history').entries(function(_, entries)
    if entries and vim.api.nvim_buf_is_valid(buf) and shown[buf] then
      shown[buf].entries = entries
      redraw(buf)
    end
  end)
end

--- A change was made, undone or made again, by whomever: the page has it, if it is open.
function M.changed()
  for buf in pairs(shown) do
    if vim.api.nvim_buf_is_loaded(buf) then
      renew(buf)
    end
  end
end

---@param buf integer
---@return oxide.HistoryEntry?
local function under_cursor(buf)
  return shown[buf].at[vim.fn.line('.')]
end

--- Undoes the change that the cursor is on, or makes it again, once that is confirmed.
---@param buf integer
local function back_or_forth(buf)
  local entry = under_cursor(buf)
  if not entry then
    return
  end
  local verb = entry.undone and 'Redo' or 'Undo'
  local prompt = ('%s %s in %s?'):format(verb, entry.title, ui.count(#entry.files, 'file'))
  ui.select({ verb, 'Cancel' }, { prompt = prompt, kind = 'oxide' }, function(choice)
    if choice ~= verb then
      return
    end
    require('oxide.history.undo')[entry.undone and 'redo' or 'run'] {
      transaction = entry.id,
      on_done = function() -- also where that was so already
        renew(buf)
      end,
    }
  end)
end

--- Scrolls so far that the beginning of a diff is seen: its change stays, if there is room for both.
---@param buf integer
---@param id string
local function reveal(buf, id)
  local win, list = vim.fn.win_findbuf(buf)[1], shown[buf]
  local head = win and line_of(buf, id)
  if not head then
    return
  end
  local first = head + 1 + #list.at[head].files
  local last = first + math.min(#list.diffs[id], PART) - 1
  vim.api.nvim_win_call(win, function()
    local height = vim.api.nvim_win_get_height(win)
    if vim.fn.line('w$') >= last then
      return
    end
    local top = math.min(first, math.max(head, last - height + 1))
    vim.fn.winrestview { topline = top, lnum = math.max(vim.fn.line('.'), top) }
  end)
end

--- Shows the diff of the change that the cursor is on, or hides it.
---@param buf integer
local function toggle_diff(buf)
  local entry = under_cursor(buf)
  local list = shown[buf]
  if not entry then
    return
  elseif list.diffs[entry.id] then
    list.diffs[entry.id] = nil
    return redraw(buf)
  end
  require('oxide.core').request('history_diff', { transaction = entry.id }, function(err, result)
    if err then
      ui.error(err)
    elseif vim.api.nvim_buf_is_valid(buf) and shown[buf] then
      local text = vim.trim(result.diff or '')
      list.diffs[entry.id] = text == '' and { '# no text was changed' } or vim.split(text, '\n')
      redraw(buf, entry.id)
      reveal(buf, entry.id)
    end
  end)
end

local function set_options()
  local wo = vim.wo[0][0]
  wo.wrap = false
  wo.foldmethod = 'expr'
  wo.foldexpr = "v:lua.require'oxide.history.window'.fold(v:lnum)"
  wo.foldtext = "v:lua.require'oxide.history.window'.fold_text()"
  wo.fillchars = 'fold: '
  wo.foldlevel = 99
  wo.foldenable = true
end

---@param buf integer
local function map_keys(buf)
  local function map(key, doc, fn)
    vim.keymap.set('n', key, function()
      fn(buf)
    end, { buffer = buf, nowait = true, desc = 'Oxide: ' .. doc })
  end
  map('<CR>', 'undo this change, or make it again', back_or_forth)
  map('=', 'show or hide the diff of this change', toggle_diff)
end

---@param entries oxide.HistoryEntry[]
---@param mods? table
function M.show(entries, mods)
  local buf = require('oxide.scratch').open('history', {}, mods)
  shown = { [buf] = { entries = entries, at = {}, heads = {}, diffs = {} } }
  vim.bo[buf].filetype = 'oxide-history'
  vim.bo[buf].syntax = 'diff'
  set_options()
  map_keys(buf)
  draw(buf, {})
  vim.api.nvim_win_set_cursor(0, { math.min(3, vim.fn.line('$')), 0 })
end

return M
