-- Which lines of a buffer differ from the last commit.
local git = require('oxide.git')

local M = {}

---@param text string
---@return string
local function as_lines(text)
  return (text:gsub('^\239\187\191', ''):gsub('\r\n', '\n'))
end

---@param old string    the committed text
---@param lines string[]
---@return { [1]: integer, [2]: integer }[]   first and last, from 1
function M.ranges(old, lines)
  -- vim.diff() is called vim.text.diff() from 0.12 on.
  local diff = vim.text and vim.text.diff or vim.diff
  local new = table.concat(lines, '\n') .. '\n'
  old = as_lines(old)
  if old ~= '' and old:sub(-1) ~= '\n' then
    old = old .. '\n'
  end
  local ranges = {}
  local hunks = diff(old, as_lines(new), { result_type = 'indices' }) --[[@as integer[][] ]]
  for _, hunk in ipairs(hunks) do
    local first, count = hunk[3], hunk[4]
    if count > 0 then
      table.insert(ranges, { first, first + count - 1 })
    end
  end
  return ranges
end

--- Of a file that is in no commit yet, all lines are changed.
---@param buf integer
---@param cb fun(ranges?: { [1]: integer, [2]: integer }[], reason?: string)
function M.changed(buf, cb)
  local path = vim.api.nvim_buf_get_name(buf)
  local dir, name = vim.fs.dirname(path), vim.fs.basename(path)
  git.run(dir, { 'rev-parse', '--show-toplevel' }, function(top, why)
    if not top then
      return cb(nil, ('git does not know what changed in %s: %s'):format(name, why))
    end
    -- The object itself: no filter of the repository runs.
    git.run(dir, { 'cat-file', 'blob', 'HEAD:./' .. name }, function(old)
      if not vim.api.nvim_buf_is_loaded(buf) then
        return cb(nil, 'the buffer is gone')
      end
      cb(M.ranges(old or '', vim.api.nvim_buf_get_lines(buf, 0, -1, true)))
    end)
  end)
end

return M
