-- What the cursor is on in a conversation: a file, a line of it, a code block.
local chat_view = require('oxide.chat.view')
local prompt = require('oxide.chat.prompt')
local render = require('oxide.chat.render')

local M = {}

---@class oxide.Place
---@field path string
---@field line? integer

---@param name string
---@return string? path
local function find_file(name)
  if name == '' or name == '/' then
    return nil
  end
  local root = require('oxide.process').root
  for _, dir in ipairs { '', vim.fn.getcwd() .. '/', root and root .. '/' or '' } do
    local path = vim.fs.normalize(dir .. name)
    local stat = (dir ~= '' or name:match('^[/~]')) and vim.uv.fs_stat(path)
    if stat and stat.type == 'file' then
      return path
    end
  end
end

--- "src/a.c", "src/a.c:12", "src/a.c:12:3", "src/a.c#L12"
---@param word string
---@return oxide.Place?
local function place_of(word)
  word = word:gsub('^@file:', ''):gsub('[%.,:;!%?]+$', '')
  local path = find_file(word)
  if path then
    return { path = path }
  end
  local name, line = word:match('^(.-)[:#]L?(%d+)')
  path = name and find_file(name)
  return path and { path = path, line = tonumber(line) } or nil
end

---@param text string
---@return fun(): integer?, string?, integer?   where it begins, the word, where it ends
local function words(text)
  return text:gmatch('()([^%s`\'"<>%(%)%[%],|]+)()')
end

--- The file that is named on a line; at the column, if there is one.
---@param text string
---@param column? integer   from 1
---@return oxide.Place?
local function place_in(text, column)
  local found ---@type oxide.Place?
  for first, word, last in words(text) do
    local place = place_of(word)
    if place and column and column >= first and column < last then
      return place
    end
    found = found or place
  end
  if found and not found.line then
    found.line = tonumber(text:match('[Ll]ines? (%d+)'))
  end
  return found
end

---@param view oxide.ChatView
---@param line integer   from 1
---@return oxide.ChatBlock?
function M.block(view, line)
  for _, block in ipairs(view.talk.blocks) do
    local first, last = chat_view.range(view, block)
    if block == view.last and first then
      last = prompt.row(view) - 1
    end
    if first and line >= first and line <= last then
      return block
    end
  end
end

local BACK = 200 -- lines above in which the file of a line without one is looked for

--- The file, and the line, at the cursor.
---@param view oxide.ChatView
---@return oxide.Place?
function M.at_cursor(view)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local text = vim.api.nvim_get_current_line()
  local block = M.block(view, row)
  local number = tonumber(text:match('^(%d+): ') or text:match('[Ll]ine (%d+)'))
  if block and block.kind == 'call' and number then -- numbered lines of what it has read
    local place = place_in(block.line)
    return place and { path = place.path, line = number }
  end
  local place = place_in(text, column + 1)
  if place or not number then
    return place
  end
  for line = row - 1, math.max(1, row - BACK), -1 do
    place = place_in(vim.fn.getline(line))
    if place then
      return { path = place.path, line = number }
    end
  end
end

--- Shows it in a window that has a file, the previous one first.
---@param place oxide.Place
function M.go(place)
  local wins =
    vim.list_extend({ vim.fn.win_getid(vim.fn.winnr('#')) }, vim.api.nvim_tabpage_list_wins(0))
  local target ---@type integer?
  for _, win in ipairs(wins) do
    local usable = win ~= 0 and vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ''
    target = target or usable and win or nil
  end
  if target then
    vim.api.nvim_set_current_win(target)
  else
    require('oxide.scratch').split { mods = { split = 'aboveleft' } }
  end
  vim.cmd("normal! m'")
  local buf = require('oxide.scratch').edit(place.path)
  if buf and place.line then
    local last = vim.api.nvim_buf_line_count(buf)
    vim.api.nvim_win_set_cursor(0, { math.min(place.line, last), 0 })
    vim.cmd('normal! zv')
  end
end

--- The lines of the code block at the cursor, else of the one above it.
---@param view oxide.ChatView
---@return string[]?
function M.code(view)
  local row = vim.fn.line('.')
  local found, first, fence ---@type string[]?, integer?, string?
  local lines = vim.api.nvim_buf_get_lines(view.buf, 0, -1, false)
  for i, line in ipairs(lines) do
    local before = fence
    fence = render.fence_behind(line, before)
    if fence and not before then
      if i > row then
        break
      end
      first = i + 1
    elseif before and not fence then
      found = vim.list_slice(lines, first, i - 1)
    end
  end
  return found
end

return M
