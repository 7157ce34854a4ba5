-- The unified diff of one file, as hunks. Pure.
local M = {}

---@class oxide.Hunk
---@field head string      the line with @@
---@field lines string[]   with their first character
---@field old integer      first line of the old text, from 1
---@field span integer     how many lines of the old text it covers
---@field added integer
---@field removed integer

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

---@param hunk oxide.Hunk
---@param line string
local function add(hunk, line)
  local mark = line:sub(1, 1)
  table.insert(hunk.lines, line)
  if mark == '+' then
    hunk.added = hunk.added + 1
  elseif mark == '-' then
    hunk.removed = hunk.removed + 1
    hunk.span = hunk.span + 1
  elseif mark == ' ' or mark == '' then
    hunk.span = hunk.span + 1
  end
end

---@param diff string
---@return oxide.Hunk[]
function M.parse(diff)
  local list = {} ---@type oxide.Hunk[]
  for line in vim.gsplit(diff, '\n', { plain = true, trimempty = true }) do
    local old, count = line:match('^@@ %-(%d+),?(%d*) %+%d+,?%d* @@')
    if old then
      -- A hunk that removes nothing names the line that it follows.
      local first = tonumber(old) + (count == '0' and 1 or 0)
      table.insert(list, { head = line, lines = {}, old = first, span = 0, added = 0, removed = 0 })
    elseif #list > 0 then
      add(list[#list], line)
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
  for _, hunk in ipairs(M.parse(diff)) do
    for i = at, hunk.old - 1 do
      table.insert(new, old[i])
    end
    at = hunk.old + hunk.span
    for _, line in ipairs(hunk.lines) do
      local mark = line:sub(1, 1)
      if mark == '+' or mark == ' ' then
        table.insert(new, line:sub(2))
      end
    end
  end
  for i = at, #old do
    table.insert(new, old[i])
  end
  return new
end

--- How many hunks are kept, and the lines that these add and remove.
---@param hunks oxide.ReviewHunk[]
---@return integer kept
---@return integer added
---@return integer removed
function M.kept(hunks)
  local kept, added, removed = 0, 0, 0
  for _, hunk in ipairs(hunks) do
    if hunk.kept then
      kept, added, removed = kept + 1, added + hunk.added, removed + hunk.removed
    end
  end
  return kept, added, removed
end

return M
