-- Whether the value of an option fits it.
local M = {}

--- Where a table has a function; those of open options go to the core, as JSON.
---@param value any
---@return string? path   ".mine.reader"
local function with_function(value)
  if type(value) == 'function' then
    return ''
  end
  for key, member in pairs(type(value) == 'table' and value or {}) do
    local path = with_function(member)
    if path then
      return '.' .. tostring(key) .. path
    end
  end
end

---@param option oxide.Option
---@param value any
---@return string? what is wrong with it
function M.problem(option, value)
  local kinds = vim.split(option.type, '|', { plain = true })
  if not vim.list_contains(kinds, type(value)) then
    return ('is a %s, expected %s'):format(type(value), table.concat(kinds, ' or '))
  end
  if type(value) == 'string' and option.values and not vim.list_contains(option.values, value) then
    return ("is '%s', allowed: %s"):format(value, table.concat(option.values, ', '))
  end
  local path = option.open and with_function(value)
  return path and ('has a function (%s), which only a file can have'):format(path:sub(2)) or nil
end

return M
