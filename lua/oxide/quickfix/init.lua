-- Lists of places for the quickfix window and the location list. A list is known by its id: it is
-- renewed in place, and lists of others are never touched.
local M = {}

---@class oxide.List
---@field id integer
---@field win? integer   the window of a location list; nil for quickfix
---@field visited? boolean   `]e` or `[e` has gone to an entry since it was made

---@class oxide.FlatDiagnostics
---@field files string[]
---@field file integer[]   index into files, from 0
---@field line integer[]
---@field column integer[]
---@field end_line integer[]
---@field end_column integer[]
---@field severity integer[]
---@field code string[]
---@field source string[]
---@field message string[]

---@class oxide.FlatLocations
---@field files string[]
---@field file integer[]
---@field line integer[]
---@field column integer[]
---@field end_line integer[]
---@field end_column integer[]
---@field text string[]

local TYPES = { 'E', 'W', 'I', 'N' }

---@param path string   absolute
---@return string as the list shows it
local function shown(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

---@param flat oxide.FlatDiagnostics
---@return integer[] order   indices from 1, grouped by file, by severity, then line
local function sorted(flat)
  local file, severity, line, column = flat.file, flat.severity, flat.line, flat.column
  local names, rank = {}, {}
  for i, path in ipairs(flat.files) do
    names[i] = { path, i - 1 }
  end
  table.sort(names, function(a, b)
    return a[1] < b[1]
  end)
  for i, name in ipairs(names) do
    rank[name[2]] = i
  end
  local function before(a, b)
    if file[a] ~= file[b] then
      return rank[file[a]] < rank[file[b]]
    elseif severity[a] ~= severity[b] then
      return severity[a] < severity[b]
    elseif line[a] ~= line[b] then
      return line[a] < line[b]
    elseif column[a] ~= column[b] then
      return column[a] < column[b]
    end
    return a < b
  end
  local order, ordered = {}, true
  for i = 1, #line do
    order[i] = i
    ordered = ordered and (i == 1 or before(i - 1, i))
  end
  if not ordered then
    table.sort(order, before)
  end
  return order
end

---@param files string[]
---@return integer[] buffers by index from 0; one look-up a file instead of one an entry
local function buffers(files)
  local list, add = {}, require('oxide.buffers').add
  for i, path in ipairs(files) do
    list[i - 1] = path ~= '' and add(path) or 0
  end
  return list
end

--- Entries for diagnostics, in one loop over the flat arrays. Who says it, and its code, are one
--- text: a table for each of ten thousand entries would cost as much as all the rest.
---@param flat oxide.FlatDiagnostics
---@param fixes? integer[]   how many are on offer, for the first ones
---@return table[]
function M.from_diagnostics(flat, fixes)
  fixes = fixes or {}
  local file, severity, message = flat.file, flat.severity, flat.message
  local line, column, end_line, end_column = flat.line, flat.column, flat.end_line, flat.end_column
  local code, source = flat.code, flat.source
  local bufs = buffers(flat.files)
  local items = {}
  for n, i in ipairs(sorted(flat)) do
    local by = source[i]
    if code[i] ~= '' then
      by = by ~= '' and by .. ' ' .. code[i] or code[i]
    end
    items[n] = {
      bufnr = bufs[file[i]],
      lnum = line[i],
      end_lnum = end_line[i],
      col = column[i],
      end_col = end_column[i],
      type = TYPES[severity[i]],
      nr = tonumber(code[i]),
      text = message[i],
      user_data = { oxide = by, fixes = (fixes[i] or 0) > 0 and fixes[i] or nil },
    }
  end
  return items
end

--- Entries for places in code.
---@param flat oxide.FlatLocations
---@return table[]
function M.from_locations(flat)
  local bufs = buffers(flat.files)
  local items = {}
  for i = 1, #flat.line do
    items[i] = {
      bufnr = bufs[flat.file[i]],
      lnum = flat.line[i],
      end_lnum = flat.end_line[i],
      col = flat.column[i],
      end_col = flat.end_column[i],
      text = vim.trim((flat.text or {})[i] or ''),
    }
  end
  return items
end

---@param list oxide.List
---@param what table
---@return table
function M.get(list, what)
  what.id = list.id
  if list.win then
    return vim.fn.getloclist(list.win, what)
  end
  return vim.fn.getqflist(what)
end

---@param list oxide.List
---@param action string
---@param what table
local function set(list, action, what)
  local text = require('oxide.quickfix.text')
  text.setting = { id = what.id, items = what.items }
  if list.win then
    vim.fn.setloclist(list.win, {}, action, what)
  else
    vim.fn.setqflist({}, action, what)
  end
  text.setting = nil
  local made = M.get({ id = what.id or 0, win = list.win }, { changedtick = 0, id = what.id or 0 })
  text.remember(made.id, made.changedtick, what.items)
end

---@param list? oxide.List
---@return boolean
function M.exists(list)
  if not list or (list.win and not vim.api.nvim_win_is_valid(list.win)) then
    return false
  end
  return M.get(list, { id = list.id }).id == list.id
end

---@param list? oxide.List
---@return boolean whether it is the list that :cnext walks
function M.is_current(list)
  if not list or not M.exists(list) then
    return false
  end
  return M.get({ id = 0, win = list.win }, { id = 0 }).id == list.id
end

local last ---@type oxide.List?   the quickfix list that was made last
local of_windows = {} ---@type table<integer, oxide.List>   the location list of each
local last_win ---@type integer?   whose location list was made after that

--- A list was made, or made anew: it is what `]e` goes through.
---@param list oxide.List
function M.made(list)
  list.visited = nil
  last_win = list.win
  if list.win then
    of_windows[list.win] = list
  else
    last = list
  end
end

--- The list that was made last, as seen from the current window.
---@return oxide.List?
function M.latest()
  local win = vim.api.nvim_get_current_win()
  local list = last_win == win and of_windows[win] or nil
  if list and M.exists(list) then
    return list
  end
  return M.exists(last) and last or nil
end

---@class oxide.ListSpec
---@field title string
---@field items table[]
---@field kind string
---@field win? integer

--- A new list behind the current one.
---@param spec oxide.ListSpec
---@return oxide.List
function M.create(spec)
  require('oxide.highlights')
  local list = { id = 0, win = spec.win } ---@type oxide.List
  set(list, ' ', {
    title = spec.title,
    items = spec.items,
    context = { oxide = spec.kind },
    quickfixtextfunc = "v:lua.require'oxide.quickfix.text'.text",
  })
  list.id = M.get(list, { id = 0 }).id
  M.made(list)
  return list
end

--- The entry of `items` that `old` has become: the same one, else the nearest of its buffer.
---@param old table?
---@param items table[]
---@return integer index
function M.place(old, items)
  local best, least = 1, math.huge
  for i, item in ipairs(old and items or {}) do
    if item.bufnr == old.bufnr then
      local off = math.abs(item.lnum - old.lnum) * 2 + (item.text == old.text and 0 or 1)
      if off < least then
        best, least = i, off
      end
    end
  end
  return best
end

--- Gives a list new entries; the place in it, and what its window shows, stay.
---@param list oxide.List
---@param title string
---@param items table[]
function M.renew(list, title, items)
  local before = M.get(list, { idx = 0, winid = 0 })
  -- that entry alone: all of them would be a table for each
  local old = (M.get(list, { idx = before.idx, items = 0 }).items or {})[1]
  local win = before.winid
  local view = win and win > 0 and vim.api.nvim_win_call(win, vim.fn.winsaveview)
  set(list, 'r', { id = list.id, title = title, items = items, idx = M.place(old, items) })
  if view and vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview { topline = view.topline, leftcol = view.leftcol }
    end)
  end
end

--- What a server has said in a float would cover the list: Neovim closes it only where it is left.
local function close_preview()
  local float = vim.b.lsp_floating_preview
  if float and vim.api.nvim_win_is_valid(float) then
    vim.api.nvim_win_close(float, true)
  end
end

--- Opens the list's window without leaving this one.
---@param list oxide.List
---@param mods? table   the modifiers of the command
function M.open(list, mods)
  close_preview()
  local here = vim.api.nvim_get_current_win()
  mods = mods and { vertical = mods.vertical, split = mods.split } or {}
  mods.silent = true -- Neovim's message on the list would cover that of the command
  if not list.win and not mods.vertical and (mods.split or '') == '' then
    mods.split = 'botright'
  end
  local ok, err = pcall(
    vim.api.nvim_cmd,
    { cmd = list.win and 'lopen' or 'copen', mods = mods },
    {}
  )
  if not ok then
    local why = require('oxide.errors').of_command(err)
    local text = 'the window of the list cannot be opened: ' .. why
    require('oxide.ui').notify(text, vim.log.levels.WARN)
  end
  vim.api.nvim_set_current_win(here)
end

M.shown = shown

return M
