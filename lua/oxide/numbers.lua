-- Line numbers for a model: "12: text", as the core's read_file and `oxide number` write them.
local M = {}

--- Numbers lines. A CR at a line's end is not shown.
---@param lines string[]
---@param first? integer   the number of the first one; 1
---@return string[]
function M.lines(lines, first)
  local numbered, before = {}, (first or 1) - 1
  for i, line in ipairs(lines) do
    numbered[i] = ('%d: %s'):format(before + i, (line:gsub('\r$', '')))
  end
  return numbered
end

--- Numbers the lines of a text. A line end at its end starts no line of its own, and is there
--- afterwards when it was there before.
---@param text string
---@param first? integer
---@return string
function M.text(text, first)
  if text == '' then
    return ''
  end
  local ended = text:sub(-1) == '\n'
  local lines = vim.split(ended and text:sub(1, -2) or text, '\n', { plain = true })
  local last = lines[#lines]
  local numbered = M.lines(lines, first)
  if not ended and last:sub(-1) == '\r' then
    numbered[#lines] = numbered[#lines] .. '\r' -- no line end follows that it could belong to
  end
  return table.concat(numbered, '\n') .. (ended and '\n' or '')
end

return M
