-- How large a change is, as a person says it.
local M = {}

---@class oxide.ChangeSum
---@field places integer   in files that are there before and after
---@field edited integer   files with such places
---@field others integer   files of which something else changes: the mode, or where a link leads
---@field create integer
---@field delete integer
---@field rename integer

---@class oxide.SumFile
---@field kind? string     'create', 'delete', 'rename'; else its text alone changes
---@field edits? integer   how many places it has

---@param files oxide.SumFile[]
---@return oxide.ChangeSum
function M.of(files)
  local sum = { places = 0, edited = 0, others = 0, create = 0, delete = 0, rename = 0 }
  for _, file in ipairs(files) do
    local edits = file.edits or 0
    if sum[file.kind] then
      sum[file.kind] = sum[file.kind] + 1
    elseif edits == 0 then
      sum.others = sum.others + 1
    end
    if edits > 0 and file.kind ~= 'create' and file.kind ~= 'delete' then
      sum.places, sum.edited = sum.places + edits, sum.edited + 1
    end
  end
  return sum
end

--- The places, and what becomes of files as wholes. What comes first says that it is of files.
---@param sum oxide.ChangeSum
---@return string? places   "4 places in 3 files"; nil: none
---@return { count: string, what: string }[]   what: 'added', 'deleted', 'renamed'; 'more', '': something else
function M.parts(sum)
  local count, parts = require('oxide.ui').count, {}
  local places = sum.edited > 0
      and ('%s in %s'):format(count(sum.places, 'place'), count(sum.edited, 'file'))
    or nil
  local function add(n, what)
    if n > 0 then
      local is_first = not places and #parts == 0
      table.insert(parts, { count = is_first and count(n, 'file') or tostring(n), what = what })
    end
  end
  add(sum.others, places and 'more' or '')
  add(sum.create, 'added')
  add(sum.delete, 'deleted')
  add(sum.rename, 'renamed')
  return places, parts
end

return M
