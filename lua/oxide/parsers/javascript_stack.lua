-- Where an error of JavaScript was thrown, as its stack tells it.
local M = {}

--- Whether a stack means the file by this name: an absolute one, or one from the project root.
local function is_named(file, name)
  return file == name or file:sub(-#name - 1) == '/' .. name
end

--- The first place in the file of the test: of its stack, or where it is not JavaScript.
---@param text string
---@param file string   an absolute path
---@return integer? line, integer? column
function M.place(text, file)
  local found = text:find(file .. ':', 1, true)
  local rest = found and text:sub(found + #file)
  local line, column ---@type string?, string?
  if rest then
    line, column = rest:match('^:(%d+):(%d+)')
    if not line then
      line, column = rest:match('^: [^\n]*%((%d+):(%d+)%)')
    end
    return tonumber(line), tonumber(column)
  end
  for name, at, at_column in text:gmatch('([^%s()]+):(%d+):(%d+)') do
    if is_named(file, name) then
      return tonumber(at), tonumber(at_column)
    end
  end
end

--- Without the frames of the runner itself and of libraries.
---@param text string
---@return string
function M.own(text)
  local short = text:gsub('\n[ \t]+at [^\n]*node_modules[^\n]*', '')
  return short:find('\n%s+at ') and short or text
end

return M
