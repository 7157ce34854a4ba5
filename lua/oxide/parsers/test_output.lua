-- What one test has printed: all of it, or of a flood the first and the last.
local MOST = 65536 -- bytes of either

---@class oxide.Kept
---@field add fun(text: string)
---@field list fun(): string[]

---@return oxide.Kept
return function()
  local first, before, last = {}, {}, {} ---@type string[], string[], string[]
  local filling, bytes = first, 0
  local gap = false

  local function add(text)
    if bytes > MOST then
      gap = gap or #before > 0
      before, last, bytes = last, {}, 0
      filling = last
    end
    filling[#filling + 1] = text
    bytes = bytes + #text
  end

  local function list()
    local all = {}
    for _, part in ipairs { first, gap and { '...' } or {}, before, last } do
      for _, text in ipairs(part) do
        all[#all + 1] = text
      end
    end
    return all
  end

  return { add = add, list = list }
end
