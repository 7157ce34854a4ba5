-- Which model is asked: chosen by the user where there are several.
local M = {}

local API = '/MODEL$' -- of an API whose model is still to be named

---@param name string
---@param cb fun(model?: string)
local function complete(name, cb)
  if not name:match(API) then
    return cb(name)
  end
  local prefix = name:gsub('MODEL$', '')
  require('oxide.ui').input({ prompt = 'Model: ', default = prefix }, function(input)
    cb(input and input ~= '' and input ~= prefix and input or nil)
  end)
end

--- Asks which of them; what was chosen is remembered.
---@param err oxide.Error   of the core, with `models`
---@param cb fun(model?: string)
function M.choose(err, cb)
  if #err.models == 1 then
    return complete(err.models[1], cb)
  end
  table.sort(err.models)
  require('oxide.ui').select(
    err.models,
    { prompt = 'Which model?', kind = 'oxide' },
    function(choice)
      if not choice then
        return cb(nil)
      end
      complete(choice, cb)
    end
  )
end

return M
