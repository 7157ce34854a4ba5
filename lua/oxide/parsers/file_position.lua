-- The first place in a file that a text speaks of, as "a.c:4" anywhere in it.

---@param text string
---@return string? file, integer? line, string? what   the rest of its line
return function(text)
  local file, line, what = text:match('([%w_./%-\128-\255]+%.%a%w*):(%d+):?%d*:?[ \t]*([^\n]*)')
  return file, tonumber(line), what
end
