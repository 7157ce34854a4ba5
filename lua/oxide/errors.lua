---@class oxide.Error
---@field code string      one of the core's codes, or 'no_core': nothing to run, 'core': it ended
---@field message string   fit to show to a person
---@field [string] any

local M = {}

local meta = {
  __tostring = function(err)
    return err.message
  end,
}

---@param code string
---@param message string
---@return oxide.Error
function M.new(code, message)
  return setmetatable({ code = code, message = message }, meta)
end

---@param err table        as the core sends it
---@param details? table[]  of each operation, where there were several
---@return oxide.Error
function M.from(err, details)
  err.message = err.message or err.code or 'unknown error'
  err.details = details
  return setmetatable(err, meta)
end

--- What Neovim itself says of a command that has failed, without where that was called.
---@param err any   as pcall() has it
---@return string
function M.of_command(err)
  local text = tostring(err)
  return text:match('E%d+:[^\n]*') or text
end

return M
