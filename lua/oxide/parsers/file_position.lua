-- The first place in a file that a text speaks of, as "a.c:4" anywhere in it.

---@param text string
---@return string? file, integer? line
return function(text)
  local file, line = text:match('([%w_./%-\128-\255]+%.%a%w*):(%d+)')
  return file, tonumber(line)
end
