-- A rename with a placeholder for the name, as lines: what each line becomes for any name is then a
-- matter of putting the name in. The placeholder's diff is the server's own edit, so that a line which
-- does not simply swap the name (`{ x }` to `{ x: y }`) is shown right too. Pure.
local M = {}

-- A name in all languages, and in no program.
M.STAND_IN = 'oxide_stand_in_for_the_name'

--- The placeholder that a server is asked with, which begins as the name does: Go exports by a
--- capital, and refuses to rename what other packages use to a name without; a lifetime of Rust has
--- its sign.
---@param name string
---@return string
function M.asked(name)
  local sign, word = name:match("^([#']?)(.*)$")
  local first = vim.fn.strcharpart(word, 0, 1)
  local capital = first ~= vim.fn.tolower(first)
  return sign .. (capital and M.STAND_IN:sub(1, 1):upper() .. M.STAND_IN:sub(2) or M.STAND_IN)
end

---@class oxide.PreviewLine
---@field row integer     of the old text, from 0
---@field old string
---@field new string      with the placeholder

---@class oxide.PreviewSpan
---@field from integer    bytes of the old line, from 0
---@field to integer
---@field text string     what is shown instead
---@field name [integer, integer][]?  where in the text the new name is

---@class oxide.DiffPart
---@field name string   as the diff has it, without a/
---@field diff string   the hunks

--- The parts of a diff of several files. The lines of a hunk are counted, not guessed from its
--- look: a removed line can begin with two more dashes.
---@param diff string
---@return oxide.DiffPart[]
function M.split(diff)
  local parts = {} ---@type { name: string, lines: string[] }[]
  local old_left, new_left = 0, 0
  for line in vim.gsplit(diff, '\n', { plain = true, trimempty = true }) do
    if old_left > 0 or new_left > 0 or line:sub(1, 1) == '\\' then
      local mark = line:sub(1, 1)
      old_left = old_left - ((mark == ' ' or mark == '-' or mark == '') and 1 or 0)
      new_left = new_left - ((mark == ' ' or mark == '+' or mark == '') and 1 or 0)
      table.insert(parts[#parts].lines, line)
    elseif vim.startswith(line, '--- ') then
      table.insert(parts, { name = line:match('^%-%-%- a/(.*)$') or '', lines = {} })
    elseif vim.startswith(line, '@@ ') then
      local old, new = line:match('^@@ %-%d+,?(%d*) %+%d+,?(%d*) @@')
      old_left, new_left = tonumber(old) or 1, tonumber(new) or 1
      table.insert(parts[#parts].lines, line)
    end
  end
  local list = {} ---@type oxide.DiffPart[]
  for _, part in ipairs(parts) do
    if part.name ~= '' then
      table.insert(list, { name = part.name, diff = table.concat(part.lines, '\n') })
    end
  end
  return list
end

--- The lines that a diff changes one for one.
---@param diff string
---@return oxide.PreviewLine[]
function M.lines(diff)
  local list = {} ---@type oxide.PreviewLine[]
  for _, hunk in ipairs(require('oxide.review.hunks').parse(diff)) do
    local row, deletes, adds = hunk.old - 1, {}, {}
    local function flush()
      if #deletes == #adds then
        for i, delete in ipairs(deletes) do
          table.insert(list, { row = delete[1], old = delete[2], new = adds[i] })
        end
      end
      deletes, adds = {}, {}
    end
    for _, line in ipairs(hunk.lines) do
      local mark, text = line:sub(1, 1), line:sub(2)
      if mark == '+' then
        table.insert(adds, text)
      elseif mark ~= '\\' then
        if #adds > 0 or mark ~= '-' then
          flush()
        end
        if mark == '-' then
          table.insert(deletes, { row, text })
        end
        row = row + 1
      end
    end
    flush()
  end
  return list
end

---@param text string
---@param name string
---@return string
function M.with_name(text, name)
  return (text:gsub(M.STAND_IN, (name:gsub('%%', '%%%%'))))
end

---@param a string
---@param b string
---@return integer bytes that both begin with
local function alike(a, b)
  local n = 0
  while n < #a and n < #b and a:byte(n + 1) == b:byte(n + 1) do
    n = n + 1
  end
  return n
end

---@param text string
---@param at integer   from 1
---@return boolean whether a character goes on here that began before
local function inside(text, at)
  local byte = text:byte(at)
  return byte ~= nil and byte >= 128 and byte < 192
end

--- The parts of the old line that the new name changes. Without an old name that fits, one part
--- from the first difference to the last.
---@param line oxide.PreviewLine
---@param old_name string
---@param name string
---@return oxide.PreviewSpan[]
function M.spans(line, old_name, name)
  local spans = {} ---@type oxide.PreviewSpan[]
  if old_name ~= '' and M.with_name(line.new, old_name) == line.old then
    local at, from = 0, 1
    while true do
      local s, e = line.new:find(M.STAND_IN, from, true)
      if not s then
        return spans
      end
      at = at + (s - from)
      table.insert(spans, { from = at, to = at + #old_name, text = name })
      at, from = at + #old_name, e + 1
    end
  end
  local new = M.with_name(line.new, name)
  local head = alike(line.old, new)
  while head > 0 and (inside(line.old, head + 1) or inside(new, head + 1)) do
    head = head - 1
  end
  local a, b = line.old:sub(head + 1), new:sub(head + 1)
  local tail = alike(a:reverse(), b:reverse())
  while tail > 0 and inside(a, #a - tail + 1) do
    tail = tail - 1
  end
  return { { from = head, to = #line.old - tail, text = b:sub(1, #b - tail) } }
end

return M
