-- What went wrong, in one line.
local MOST = 160 -- bytes of a message that has several lines

---@param text string   one whose first line ends with a colon goes on
---@return string?
return function(text)
  local first = text:match('[^\n]+')
  if not (first or ''):match(':%s*$') then
    return first
  end
  local all = text:gsub('%s+', ' '):match('^(.-) ?$')
  return #all > MOST and all:sub(1, MOST):gsub('[\128-\255]*$', '') .. '...' or all
end
