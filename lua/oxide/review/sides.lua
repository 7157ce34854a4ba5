-- A file before and after the change, beside each other in a tab of their own.
local M = {}

--- The text that the change was made for: of the buffer, else of the file.
---@param file oxide.ReviewFile
---@return string[]
function M.old_lines(file)
  local buf = require('oxide.buffers').of(file.path)
  if buf then
    return vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  elseif vim.fn.filereadable(file.path) ~= 1 then
    return {}
  end
  return vim.tbl_map(function(line)
    return (line:gsub('\r$', ''))
  end, vim.fn.readfile(file.path))
end

---@param review oxide.Review
---@param file oxide.ReviewFile
---@param when 'before'|'after'
---@param lines string[]
---@param filetype string
---@return integer buf   in the current window
local function show(review, file, when, lines, filetype)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modeline = false
  vim.bo[buf].undolevels = -1
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].undolevels = vim.go.undolevels
  vim.bo[buf].filetype = filetype
  require('oxide.scratch').show(0, buf)
  local name = vim.fs.basename(file.new_path or file.path)
  -- For the label of the tab; one that is open already keeps it.
  pcall(require('oxide.scratch').name, buf, ('review/%d/%s %s'):format(review.id, name, when))
  return buf
end

--- Opens the tab. The cursor is in the new text.
---@param review oxide.Review
---@param file oxide.ReviewFile
---@param old string[]
---@param new string[]
---@param keys? string   what can be done there; nil: `q` closes it
---@return integer before   buffers
---@return integer after
function M.open(review, file, old, new, keys)
  local filetype = require('oxide.review.syntax').filetype(file.new_path or file.path, new)
  vim.cmd('tab split')
  local before = show(review, file, 'before', old, filetype)
  local title = file.shown:gsub('%%', '%%%%')
  vim.wo[0][0].winbar = ('before: %%<%s%s'):format(title, keys and '' or '   q closes')
  vim.cmd('diffthis')
  require('oxide.scratch').split { mods = { vertical = true, split = 'rightbelow' } }
  local after = show(review, file, 'after', new, filetype)
  vim.wo[0][0].winbar = ('after: %%<%s%s'):format(title, keys and '   ' .. keys or '')
  vim.cmd('diffthis')
  return before, after
end

return M
