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

---@param err table   as the core sends it
---@return oxide.Error
function M.from(err)
  err.message = err.message or err.code or 'unknown error'
  return setmetatable(err, meta)
end

return M
