-- The text of a review, from what the core asks: a heading for each file and its diff below it.
-- Nothing here touches a buffer.
local M = {}

local MARKS = { kept = '[x]', off = '[ ]', stale = '[~]' }

---@alias oxide.FileState 'kept'|'off'|'stale'

---@class oxide.ReviewFile
---@field path string
---@field shown string
---@field new_path? string
---@field kind 'modify'|'create'|'delete'|'rename'
---@field hunks integer
---@field added integer
---@field removed integer
---@field where 'buffer'|'disk'
---@field buf? integer
---@field diff string

---@class oxide.Question
---@field id integer
---@field call integer
---@field title string
---@field tool string
---@field server? string
---@field places integer
---@field annotated boolean
---@field labels? string
---@field files oxide.ReviewFile[]

---@class oxide.ReviewLine
---@field file integer    index into the question's files
---@field kind 'heading'|'hunk'|'context'|'add'|'delete'|'note'
---@field old? integer    line of the old text that it is, or stands before; from 1

---@class oxide.ReviewPage
---@field lines string[]
---@field at table<integer, oxide.ReviewLine>   by line number from 1; lines of no file are absent
---@field headings integer[]                    the line of each file's heading
---@field pairs { [1]: integer, [2]: integer }[]   a removed line and the added one in its place

---@class oxide.Hunk
---@field old integer    first line of the old text, from 1
---@field lines string[]   with their first character
---@field head string

--- Takes the CR off all lines, when all have one: buffers show such a file without it.
---@param list oxide.Hunk[]
local function drop_cr(list)
  for _, hunk in ipairs(list) do
    for _, line in ipairs(hunk.lines) do
      if line:sub(-1) ~= '\r' and line:sub(1, 1) ~= '\\' then
        return
      end
    end
  end
  for _, hunk in ipairs(list) do
    for i, line in ipairs(hunk.lines) do
      hunk.lines[i] = line:gsub('\r$', '')
    end
  end
end

--- The hunks of a unified diff of one file.
---@param diff string
---@return oxide.Hunk[]
function M.hunks(diff)
  local list = {} ---@type oxide.Hunk[]
  for line in vim.gsplit(diff, '\n', { plain = true, trimempty = true }) do
    local old, count = line:match('^@@ %-(%d+),?(%d*) %+%d+,?%d* @@')
    if old then
      -- A hunk that removes nothing names the line that it follows.
      local first = tonumber(old) + (count == '0' and 1 or 0)
      table.insert(list, { old = first, lines = {}, head = line })
    elseif #list > 0 then
      table.insert(list[#list].lines, line)
    end
  end
  drop_cr(list)
  return list
end

--- The new text that a diff makes of the old one.
---@param old string[]
---@param diff string
---@return string[]
function M.patched(old, diff)
  local new, at = {}, 1
  for _, hunk in ipairs(M.hunks(diff)) do
    for i = at, hunk.old - 1 do
      table.insert(new, old[i])
    end
    at = hunk.old
    for _, line in ipairs(hunk.lines) do
      local mark = line:sub(1, 1)
      if mark == '+' or mark == ' ' then
        table.insert(new, line:sub(2))
      end
      if mark == '-' or mark == ' ' then
        at = at + 1
      end
    end
  end
  for i = at, #old do
    table.insert(new, old[i])
  end
  return new
end

local KINDS = { create = 'new file', delete = 'deleted', rename = 'renamed' }

---@param file oxide.ReviewFile
---@return string
local function facts(file)
  local count = require('oxide.ui').count
  local parts = {} ---@type string[]
  table.insert(parts, KINDS[file.kind])
  if file.kind == 'modify' or (file.kind == 'rename' and file.hunks > 0) then
    table.insert(parts, count(file.hunks, 'hunk'))
  end
  if file.added + file.removed > 0 then
    table.insert(parts, ('+%d -%d'):format(file.added, file.removed))
  end
  if file.where == 'buffer' then
    local modified = file.buf and vim.api.nvim_buf_is_valid(file.buf) and vim.bo[file.buf].modified
    table.insert(parts, modified and 'open, modified' or 'open')
  end
  return table.concat(parts, '  ')
end

---@param file oxide.ReviewFile
---@return string
function M.name(file)
  if not file.new_path then
    return file.shown
  end
  local dir = vim.fs.dirname(file.path)
  local new = file.new_path
  if vim.fs.dirname(new) == dir then
    new = vim.fs.basename(new)
  end
  return ('%s -> %s'):format(file.shown, new)
end

---@param files oxide.ReviewFile[]
---@return integer
local function widest(files)
  local width = 0
  for _, file in ipairs(files) do
    width = math.max(width, vim.fn.strdisplaywidth(M.name(file)))
  end
  return math.min(width, 60)
end

--- One heading. It says by its text, not by its colour, what becomes of the file.
---@param file oxide.ReviewFile
---@param state oxide.FileState
---@param width integer
---@return string
function M.heading(file, state, width)
  local name = M.name(file)
  local pad = (' '):rep(math.max(0, width - vim.fn.strdisplaywidth(name)))
  local note = state == 'stale' and '  changed meanwhile' or ''
  return ('## %s %s%s  %s%s'):format(MARKS[state], name, pad, facts(file), note)
end

--- The lines above the files.
---@param question oxide.Question
---@param states oxide.FileState[]
---@return string[]
function M.header(question, states)
  local count = require('oxide.ui').count
  local number = { kept = 0, off = 0, stale = 0 }
  for _, state in ipairs(states) do
    number[state] = number[state] + 1
  end
  local sum = ('# %s in %s'):format(count(question.places, 'place'), count(#question.files, 'file'))
  if (question.server or '') ~= '' then
    sum = sum .. ', from ' .. question.server
  end
  sum = ('%s; %d kept, %d left out'):format(sum, number.kept, number.off)
  if number.stale > 0 then
    sum = ('%s, %d changed meanwhile'):format(sum, number.stale)
  end
  local lines = { '# Oxide: ' .. question.title, sum }
  if question.annotated and question.labels and question.labels ~= '' then
    for label in vim.gsplit(question.labels, '\n', { plain = true, trimempty = true }) do
      table.insert(lines, '# The server asks about: ' .. label)
    end
  end
  if number.stale > 0 then
    table.insert(lines, '# A file was changed since: nothing can be applied. :q, then ask again.')
  else
    table.insert(lines, '# :w applies   :q discards   = switches a file   g? help')
  end
  return lines
end

---@param page oxide.ReviewPage
---@param text string
---@param info? oxide.ReviewLine
local function put(page, text, info)
  table.insert(page.lines, text)
  if info then
    page.at[#page.lines] = info
  end
end

--- Pairs the removed lines of a block with the added ones that follow, when there are as many.
---@param page oxide.ReviewPage
---@param deletes integer[]
---@param adds integer[]
local function pair(page, deletes, adds)
  if #deletes > 0 and #deletes == #adds then
    for i = 1, #deletes do
      table.insert(page.pairs, { deletes[i], adds[i] })
    end
  end
end

local LINE_KINDS = { ['+'] = 'add', ['-'] = 'delete', [' '] = 'context', [''] = 'context' }

---@param page oxide.ReviewPage
---@param index integer
---@param hunk oxide.Hunk
local function put_hunk(page, index, hunk)
  local old = hunk.old
  local deletes, adds = {}, {}
  put(page, hunk.head, { file = index, kind = 'hunk', old = old })
  for _, line in ipairs(hunk.lines) do
    local kind = LINE_KINDS[line:sub(1, 1)] or 'note'
    if kind ~= 'note' and (kind == 'context' or (kind == 'delete' and #adds > 0)) then
      pair(page, deletes, adds)
      deletes, adds = {}, {}
    end
    put(page, line, { file = index, kind = kind, old = old })
    if kind == 'delete' then
      table.insert(deletes, #page.lines)
    elseif kind == 'add' then
      table.insert(adds, #page.lines)
    end
    if kind == 'delete' or kind == 'context' then
      old = old + 1
    end
  end
  pair(page, deletes, adds)
end

--- The whole review.
---@param question oxide.Question
---@param states oxide.FileState[]
---@return oxide.ReviewPage
function M.page(question, states)
  local page = { lines = {}, at = {}, headings = {}, pairs = {} } ---@type oxide.ReviewPage
  local width = widest(question.files)
  for _, line in ipairs(M.header(question, states)) do
    put(page, line)
  end
  for i, file in ipairs(question.files) do
    put(page, '')
    put(page, M.heading(file, states[i], width), { file = i, kind = 'heading' })
    page.headings[i] = #page.lines
    for _, hunk in ipairs(M.hunks(file.diff or '')) do
      put_hunk(page, i, hunk)
    end
  end
  return page
end

---@param question oxide.Question
---@return integer
function M.width(question)
  return widest(question.files)
end

return M
