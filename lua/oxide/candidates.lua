-- The places that the core names when it could not tell what was meant, in the quickfix list.
local M = {}

---@param path string   absolute, or from the project's root
---@return string
local function absolute(path)
  local root = require('oxide.process').root
  return vim.startswith(path, '/') and path or vim.fs.joinpath(root or vim.fn.getcwd(), path)
end

--- The places that are near to what one operation looks for; else what is wrong with it.
---@param failed table   an error of the core, or one of its details
---@param items table[]
---@return boolean near   whether there is such a place
local function collect(failed, items)
  if not failed.file then
    return false
  end
  local buf = require('oxide.buffers').add(absolute(failed.file))
  local candidates = failed.candidates or failed.why and { failed } or {}
  for _, candidate in ipairs(candidates) do
    local why = (candidate.why or 'is near'):gsub('^line %d+: ', '')
    local text = vim.trim(candidate.text or '')
    if not why:find(text, 1, true) then
      why = ('%s: %s'):format(why, text)
    end
    local col = candidate.column or 1
    table.insert(items, { bufnr = buf, lnum = candidate.line, col = col, text = why })
  end
  if #candidates == 0 then
    local line = failed.line or 1
    table.insert(items, { bufnr = buf, lnum = line, col = 1, type = 'E', text = failed.message })
  end
  return #candidates > 0
end

--- Lists what may have been meant, for all that failed.
---@param verb string   of :Oxide
---@param err oxide.Error
---@param mods? table
function M.list(verb, err, mods)
  local items, near = {}, false
  for _, failed in ipairs(err.details or err.sites or { err }) do
    if not failed.success then
      near = collect(failed, items) or near
    end
  end
  if near then
    local quickfix = require('oxide.quickfix')
    local made = quickfix.create {
      title = ('Oxide %s: %s'):format(verb, err.message:match('[^\n]*')),
      items = items,
      kind = verb,
    }
    quickfix.open(made, mods)
  end
end

return M
