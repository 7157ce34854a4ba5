local M = {}

---@param a string
---@param b string
---@return integer edits that turn a into b
local function distance(a, b)
  local row = {} ---@type integer[]
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    local corner = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and corner or corner + 1
      corner = row[j]
      row[j] = math.min(cost, row[j] + 1, row[j - 1] + 1)
    end
  end
  return row[#b]
end

--- The name that was probably meant, or nil when none is near enough to be worth saying.
---@param word string
---@param names string[]
---@return string?
function M.find(word, names)
  local best, least ---@type string?, number
  least = math.max(2, math.floor(#word / 2)) + 0.5
  for _, name in ipairs(names) do
    local d = distance(word:lower(), name:lower())
    if vim.startswith(name, word) then
      d = math.min(d, 1)
    end
    if d < least then
      best, least = name, d
    end
  end
  return best
end

return M
