-- What was found out about a change, as lines of a review's header: what was not verified for one
-- reason in several files is one note, what is long is broken between its words, and of many notes those
-- that follow the first few lines are folded, so that the change itself is on the first screen.
local M = {}

local FILES = 4 -- of one reason, by name
local LINES = 4 -- of notes, that are not folded

--- The files of a reason: "a.c, b.c and 6 more".
---@param files string[]
---@return string
local function named(files)
  if #files <= FILES then
    return table.concat(files, ', ')
  end
  local first = table.concat(vim.list_slice(files, 1, FILES - 1), ', ')
  return ('%s and %d more'):format(first, #files - FILES + 1)
end

local FIRST = { 'new error: ', 'another meaning: ' } -- what a change is refused for

--- What must not be folded comes first; the rest stays in its order.
---@param notes string[]
---@return string[]
local function by_weight(notes)
  local list = {}
  for _, start in ipairs(FIRST) do
    vim.list_extend(
      list,
      vim.tbl_filter(function(note)
        return vim.startswith(note, start)
      end, notes)
    )
  end
  return vim.list_extend(
    list,
    vim.tbl_filter(function(note)
      return not vim.iter(FIRST):any(function(start)
        return vim.startswith(note, start)
      end)
    end, notes)
  )
end

--- Notes of one file each that give the same reason become one, in the place of the first.
---@param notes string   a line each, as the core has them
---@return string[]
function M.group(notes)
  local list, files = {}, {} ---@type string[], table<string, string[]>
  for note in vim.gsplit(notes, '\n', { plain = true, trimempty = true }) do
    local file, reason = note:match('^not verified: ([^:%s]+): (.+)$')
    if not file then
      table.insert(list, note)
    elseif files[reason] then
      table.insert(files[reason], file)
    else
      files[reason] = { file }
      table.insert(list, reason)
    end
  end
  return by_weight(vim.tbl_map(function(note)
    return files[note] and ('not verified: %s: %s'):format(named(files[note]), note) or note
  end, list))
end

--- Breaks a line of the header between its words.
---@param text string
---@param cells integer
---@return string[]
function M.lines(text, cells)
  local lines, line = {}, '#'
  for word in text:gmatch('%S+') do
    if #line > 3 and vim.fn.strdisplaywidth(line .. ' ' .. word) > cells then
      table.insert(lines, line)
      line = '#  '
    end
    line = line .. ' ' .. word
  end
  table.insert(lines, line)
  return lines
end

---@class oxide.FoldedNotes
---@field first integer   line, from 1
---@field last integer
---@field count integer   notes

--- All notes as lines of the header. The first note is always whole.
---@param notes string   a line each, as the core has them
---@param cells integer
---@return string[] lines
---@return oxide.FoldedNotes? folded   in these; at least two lines
function M.header(notes, cells)
  local lines, folded = {}, nil ---@type string[], oxide.FoldedNotes?
  for _, note in ipairs(M.group(notes)) do
    local own = M.lines(note, cells)
    if folded or (#lines > 0 and #lines + #own > LINES) then
      folded = folded or { first = #lines + 1, last = 0, count = 0 }
      folded.count = folded.count + 1
    end
    vim.list_extend(lines, own)
  end
  if folded and folded.first < #lines then
    folded.last = #lines
    return lines, folded
  end
  return lines
end

--- What the screen has in place of folded ones.
---@param count integer
---@return string
function M.more(count)
  return ('# %s: za shows %s'):format(
    require('oxide.ui').count(count, 'more note'),
    count == 1 and 'it' or 'them'
  )
end

return M
