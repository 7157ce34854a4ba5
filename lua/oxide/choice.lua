-- vim.ui.select with a diff of each item: by `preview_item` (|vim.ui.select()|) where a picker has
-- taken its place, by the picker's own means where it does not know that, else in a window above
-- Neovim's own list, for as long as that is up.
local M = {}

local LEAST = 3 -- lines of a diff that are worth showing

---@param item oxide.Action
---@return string[]
local function diff_lines(item)
  local lines = vim.split(item.diff or '', '\n', { plain = true })
  if lines[#lines] == '' then
    table.remove(lines)
  end
  return #lines > 0 and lines or { '(its changes are computed when it is chosen)' }
end

---@param item oxide.Action
---@return { buf: integer }
local function preview_item(item)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  require('oxide.scratch').fill(buf, diff_lines(item))
  vim.bo[buf].filetype = 'diff'
  return { buf = buf }
end

--- The diffs under one another, none of them at the cost of the others: what is cut says so.
---@param items oxide.Action[]
---@param format fun(item: oxide.Action): string
---@param room integer   lines
---@return string[]
function M.overview(items, format, room)
  local each = math.max(LEAST, math.floor(room / #items) - 1)
  local lines = {} ---@type string[]
  for i, item in ipairs(items) do
    local diff = diff_lines(item)
    table.insert(lines, ('%d: %s'):format(i, format(item)))
    local shown = #diff <= each and #diff or each - 1
    vim.list_extend(lines, diff, 1, shown)
    if shown < #diff then
      table.insert(lines, ('@@ %d more lines @@'):format(#diff - shown))
    end
  end
  return lines
end

--- Shows the overview where the list, which grows from the bottom of the screen, leaves room.
---@param items oxide.Action[]
---@param opts table
---@return fun() close
local function show(items, opts)
  local height = vim.o.lines - #items - vim.o.cmdheight - 4
  if height < LEAST then
    return function() end
  end
  local here, view = vim.api.nvim_get_current_win(), vim.fn.winsaveview()
  local scratch = require('oxide.scratch')
  local lines = M.overview(items, opts.format_item, height)
  local buf = scratch.open('actions', lines, { split = 'topleft' })
  local win = vim.api.nvim_get_current_win()
  vim.bo[buf].filetype = 'diff'
  vim.api.nvim_win_set_height(win, math.min(height, #lines))
  vim.api.nvim_set_current_win(here)
  vim.cmd.redraw()
  return function()
    pcall(vim.api.nvim_win_close, win, true)
    if vim.api.nvim_win_is_valid(here) then
      vim.api.nvim_win_call(here, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

--- As vim.ui.select(), for actions.
---@param items oxide.Action[]
---@param opts { prompt: string, kind: string, format_item: fun(item: oxide.Action): string }
---@param on_choice fun(item?: oxide.Action)
function M.select(items, opts, on_choice)
  local pickers = require('oxide.pickers')
  if pickers.is_telescope() then
    return pickers.telescope(items, opts, diff_lines, on_choice)
  end
  opts.preview_item = preview_item ---@diagnostic disable-line: inject-field
  opts.snacks = pickers.snacks(diff_lines) ---@diagnostic disable-line: inject-field
  local close = require('oxide.ui').selects_plainly() and show(items, opts) or nil
  require('oxide.ui').select(items, opts, function(item)
    if close then
      close()
    end
    on_choice(item)
  end)
end

return M
