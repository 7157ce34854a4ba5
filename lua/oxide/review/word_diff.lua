-- Which words differ between two versions of a line.
local M = {}

local LONGEST = 2000 -- bytes; longer lines are marked as a whole

---@param line string
---@return string[] tokens   words, runs of blanks, single other characters
local function tokens(line)
  local list = {}
  local at = 1
  while at <= #line do
    local word = line:match('^[%w_\128-\255]+', at) or line:match('^%s+', at) or line:sub(at, at)
    table.insert(list, word)
    at = at + #word
  end
  return list
end

---@param list string[]
---@return integer[] where each token starts, in bytes from 0; one more for the end
local function starts(list)
  local at, out = 0, {}
  for i, token in ipairs(list) do
    out[i] = at
    at = at + #token
  end
  out[#list + 1] = at
  return out
end

---@alias oxide.Span { [1]: integer, [2]: integer }   bytes from 0, end exclusive

--- The differing spans of both lines. Nil when marking them would say nothing: one is empty or too
--- long, or nothing is the same.
---@param a string
---@param b string
---@return oxide.Span[]?, oxide.Span[]?
function M.diff(a, b)
  if a == '' or b == '' or #a > LONGEST or #b > LONGEST then
    return nil, nil
  end
  local left, right = tokens(a), tokens(b)
  local at_left, at_right = starts(left), starts(right)
  -- vim.diff() is called vim.text.diff() from 0.12 on.
  local diff = vim.text and vim.text.diff or vim.diff
  local hunks = diff(
    table.concat(left, '\n') .. '\n',
    table.concat(right, '\n') .. '\n',
    { result_type = 'indices' }
  ) --[[@as integer[][] ]]
  local spans_a, spans_b, changed = {}, {}, 0
  for _, h in ipairs(hunks) do
    if h[2] > 0 then
      local span = { at_left[h[1]], at_left[h[1] + h[2]] }
      changed = changed + span[2] - span[1]
      table.insert(spans_a, span)
    end
    if h[4] > 0 then
      table.insert(spans_b, { at_right[h[3]], at_right[h[3] + h[4]] })
    end
  end
  if changed == #a then
    return nil, nil
  end
  return spans_a, spans_b
end

return M
