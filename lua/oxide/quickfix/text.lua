-- How Oxide's lists look: columns that line up, the severity as a word, and colours for what is on
-- the screen.
local messages = require('oxide.messages')

local M = {}

local WORDS = { E = 'error', W = 'warning', I = 'info', N = 'hint' }
local GROUPS = {
  error = 'OxideQfError',
  warning = 'OxideQfWarn',
  info = 'OxideQfInfo',
  hint = 'OxideQfHint',
}
local WIDEST, SHARE = 48, 0.4 -- of a place that others line up with, in cells and of the screen
local FIX = '[fix]'

---@param item table
---@return string
local function message(item)
  local text = messages.one_line(item.text)
  local by = type(item.user_data) == 'table' and item.user_data.oxide
  return by and by ~= '' and ('%s [%s]'):format(text, by) or text
end

---@param item table
---@return boolean
local function has_fix(item)
  return type(item.user_data) == 'table' and item.user_data.fixes ~= nil
end

--- What tells those that can be fixed from the others, where there are any.
---@param items table[]
---@return fun(item: table): string
local function marker(items)
  for _, item in ipairs(items) do
    if has_fix(item) then
      return function(other)
        return (has_fix(other) and FIX or (' '):rep(#FIX)) .. ' '
      end
    end
  end
  return function()
    return ''
  end
end

--- Lines for entries: "src/a.c:12:5  error    [fix] message [source code]".
---@param items table[]
---@return string[]
function M.lines(items)
  local names, widths = {}, {} ---@type table<integer, string>, table<integer, integer>
  local places, most = {}, 0
  local widest = math.min(WIDEST, math.floor(vim.o.columns * SHARE))
  for i, item in ipairs(items) do
    local buf = item.bufnr
    if not names[buf] then
      local path = buf > 0 and vim.api.nvim_buf_get_name(buf) or '' -- an entry may have no place
      names[buf] = require('oxide.quickfix').shown(path)
      widths[buf] = vim.fn.strdisplaywidth(names[buf])
    end
    local column = item.col > 0 and ':' .. item.col or ''
    local position = item.lnum > 0 and (':%d%s'):format(item.lnum, column) or ''
    local width = widths[buf] + #position
    places[i] = { names[buf] .. position, width }
    most = math.max(most, math.min(width, widest))
  end
  local lines, mark = {}, marker(items)
  for i, item in ipairs(items) do
    local place, width = places[i][1], places[i][2]
    local word = WORDS[item.type]
    local severity = word and ('%-7s  '):format(word) or ''
    local blank = (' '):rep(most - width)
    lines[i] = ('%s%s  %s%s%s'):format(place, blank, severity, mark(item), message(item))
  end
  return lines
end

-- The entries as they were given, by the list's id: asking Neovim for ten thousand of them takes
-- longer than all else. They hold as long as the list is the same.
local given = {} ---@type table<integer, { tick: integer, items: table[] }>
-- While a list is being set, of which Neovim has not all yet; no id: it is new. Neovim asks then for the
-- list that the window shows, which may be another one.
M.setting = nil ---@type { id?: integer, items: table[] }?

---@param id integer
---@param tick integer
---@param items? table[]
function M.remember(id, tick, items)
  for old in pairs(given) do
    if vim.fn.getqflist({ id = old }).id ~= old then
      given[old] = nil
    end
  end
  given[id] = items and { tick = tick, items = items }
end

---@param info { quickfix: integer, winid: integer, id: integer }
---@return table[]
local function entries(info)
  local function get(what)
    what.id = info.id
    return info.quickfix == 1 and vim.fn.getqflist(what) or vim.fn.getloclist(info.winid, what)
  end
  local now = get { changedtick = 0, size = 0 }
  local known, setting = given[info.id], M.setting
  local is_it = setting and (setting.id == info.id or not setting.id and not known)
  if is_it and #setting.items == now.size then
    return setting.items
  elseif known and info.quickfix == 1 and known.tick == now.changedtick then
    return known.items
  end
  return get({ items = 0 }).items
end

--- 'quickfixtextfunc' of the lists.
---@param info { quickfix: integer, winid: integer, id: integer, start_idx: integer, end_idx: integer }
---@return string[]
function M.text(info)
  local items = entries(info)
  if info.start_idx > 1 or info.end_idx < #items then
    items = vim.list_slice(items, info.start_idx, info.end_idx)
  end
  return M.lines(items)
end

---@param win integer
---@return boolean whether the window shows a list of ours
local function is_ours(win)
  local info = vim.fn.getwininfo(win)[1]
  if not info or info.quickfix ~= 1 then
    return false
  end
  local what = { context = 0 }
  local list = info.loclist == 1 and vim.fn.getloclist(win, what) or vim.fn.getqflist(what)
  return type(list.context) == 'table' and list.context.oxide ~= nil
end

local ns = vim.api.nvim_create_namespace('oxide.quickfix')

---@param buf integer
---@param row integer
local function colour(buf, row)
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  local name, position, blank, word, rest = line:match('^(.-)(:%d+:?%d*)(%s+)(%a*)(%s*)')
  if not name then
    return
  end
  local marked = vim.startswith(line:sub(#name + #position + #blank + #word + #rest + 1), FIX)
  local at = 0
  for _, part in ipairs {
    { #name, 'OxideQfFile' },
    { #position, 'OxideQfPosition' },
    { #blank },
    { #word, GROUPS[word] },
    { #rest },
    { marked and #FIX or 0, GROUPS[word] and 'OxideQfFix' },
  } do
    if part[2] then
      vim.api.nvim_buf_set_extmark(buf, ns, row, at, {
        end_col = at + part[1],
        hl_group = part[2],
        ephemeral = true,
        priority = 150,
      })
    end
    at = at + part[1]
  end
end

vim.api.nvim_set_decoration_provider(ns, {
  on_win = function(_, win, buf)
    return vim.bo[buf].buftype == 'quickfix' and is_ours(win)
  end,
  on_line = function(_, _, buf, row)
    colour(buf, row)
  end,
})

return M
