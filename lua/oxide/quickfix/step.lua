-- `]e` and `[e`: through the list that Oxide made last, from its first entry on, round its end.
local quickfix = require('oxide.quickfix')
local ui = require('oxide.ui')

local M = {}

--- Those that lead to a place, as indices of the list.
---@param items table[]
---@return integer[]
local function valid(items)
  local list = {}
  for i, item in ipairs(items) do
    if item.valid == 1 then
      table.insert(list, i)
    end
  end
  return list
end

---@param item table
---@return boolean
local function is_here(item)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  return item.bufnr == vim.api.nvim_get_current_buf()
    and item.lnum == row
    and math.max(item.col, 1) == column + 1
end

--- Where to go among the `places`, of which the list's own is `at`.
---@param places integer[]
---@param at integer
---@param step integer   with its sign
---@param fresh boolean  nobody has gone to an entry yet
---@return integer
local function target(places, at, step, fresh)
  local here = step > 0 and 0 or 1
  for _, place in ipairs(places) do
    local behind = step > 0 and place <= at or place < at
    here = here + (behind and 1 or 0)
  end
  if fresh then -- before the first, behind the last
    here = step > 0 and 0 or #places + 1
  end
  return places[(here + step - 1) % #places + 1]
end

---@param list oxide.List
---@param step integer
local function go(list, step)
  local what = quickfix.get(list, { items = 0, idx = 0, nr = 0 })
  local places = valid(what.items)
  if #places == 0 then
    ui.notify('the list is empty')
    return
  end
  local fresh = not list.visited and what.idx <= places[1] and not is_here(what.items[places[1]])
  local to = target(places, what.idx, step, fresh)
  list.visited = true
  if not quickfix.is_current(list) then
    vim.cmd(('silent %d%shistory'):format(what.nr, list.win and 'l' or 'c'))
  end
  vim.cmd(('%d%s'):format(to, list.win and 'll' or 'cc'))
  vim.cmd('normal! zv')
end

--- Goes `step` entries on, or back. Without a list, one of the project's diagnostics is made.
---@param step integer
function M.step(step)
  local list = quickfix.latest()
  if list then
    return go(list, step)
  end
  require('oxide.diagnostics').run {
    scope = 'project',
    known = true,
    open = false,
    on_done = function(err)
      list = quickfix.latest()
      if not err and list and quickfix.get(list, { size = 0 }).size > 0 then
        go(list, step)
      end
    end,
  }
end

return M
