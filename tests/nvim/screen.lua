-- What the screen of a child shows, cell by cell.
local fault = require('fault')

local M = {}

local CODE = [[
  vim.o.columns, vim.o.lines, vim.o.cmdheight = ...
  vim.o.laststatus, vim.o.showtabline, vim.o.ruler, vim.o.showcmd = 0, 0, false, false
  local function rows()
    vim.cmd.redraw()
    local all = {}
    for row = 0, vim.o.lines - 2 do
      local cells = {}
      for column = 0, vim.o.columns - 1 do
        local cell = vim.api.nvim__inspect_cell(1, row, column)
        cells[column + 1] = { cell[1] or '', vim.inspect(cell[2] or {}) }
      end
      all[row + 1] = cells
    end
    return all
  end
  local function text(cells)
    return (table.concat(vim.tbl_map(function(cell) return cell[1] end, cells)):gsub(' +$', ''))
  end
  function _G.screen_rows()
    return vim.tbl_map(text, rows())
  end
  -- Whether its first rows are these.
  function _G.screen_shows(want)
    local shown = vim.list_slice(_G.screen_rows(), 1, #want)
    _G.screen_seen = shown
    return vim.deep_equal(shown, want)
  end
  function _G.screen_has(parts)
    for _, row in ipairs(_G.screen_rows()) do
      local at = 1
      for _, part in ipairs(parts) do
        local _, to = row:find(part, at or #row + 1, true)
        at = to and to + 1
      end
      if at then
        return true
      end
    end
    return false
  end
  -- How the first cell of the first row with this text is highlighted.
  function _G.screen_look(part)
    for _, cells in ipairs(rows()) do
      local at = text(cells):find(part, 1, true)
      if at then
        return cells[vim.str_utfindex(text(cells), at - 1) + 1][2]
      end
    end
  end
]]

--- Gives it a screen of that size, whose rows are all a window's.
---@param child test.Child
---@param columns integer
---@param lines integer
function M.size(child, columns, lines)
  child:lua(CODE, columns, lines, 1)
end

--- How the first cell of a text is highlighted, as text.
---@param child test.Child
---@param part string
---@return string
function M.look(child, part)
  return child:wait('the text ' .. part, '_G.screen_look(...)', part)
end

---@param child test.Child
---@param one string
---@param other string
---@return boolean   whether the two texts are highlighted in different ways
function M.differ(child, one, other)
  return M.look(child, one) ~= M.look(child, other)
end

--- Waits until the first rows are these.
---@param child test.Child
---@param rows string[]
function M.shows(child, rows)
  local ok = pcall(child.wait, child, 'the screen', '_G.screen_shows(...)', rows)
  if not ok then
    local seen = child:lua('return _G.screen_seen')
    error(('the screen is\n%s\nand not\n%s'):format(vim.inspect(seen), vim.inspect(rows)), 2)
  end
end

--- Waits until a row has these parts, in this order.
---@param child test.Child
---@param parts string[]
function M.shows_some(child, parts)
  local ok = pcall(child.wait, child, 'the screen', '_G.screen_has(...)', parts)
  if not ok then
    local rows = child:lua('return _G.screen_rows()')
    error(('no row of\n%s\nhas\n%s'):format(table.concat(rows, '\n'), vim.inspect(parts)), 2)
  end
end

--- The lines above the files of a review, as a screen of that width has them.
---@param columns integer   at least 60
---@param lines string[]   as a wide one has them, without the keys
---@return string[]
function M.review_header(columns, lines)
  if columns >= 80 then
    local keys = '# :w applies   :q discards   g? help   <Space> switches a hunk, = a file'
    return vim.list_extend(vim.list_slice(lines), { keys })
  end
  local all = {}
  for _, line in ipairs(lines) do
    local kept, size = line:match('^(# %d+ kept, .- left out); (.*)$')
    vim.list_extend(all, kept and { kept, '# ' .. size } or { line })
  end
  return vim.list_extend(all, {
    '# :w applies   :q discards   g? help',
    '#   <Space> switches a hunk, = a file',
  })
end

local ROW = [[
  local row = ... or vim.o.lines
  vim.cmd.redraw()
  local cells = {}
  for column = 1, vim.o.columns do
    cells[column] = vim.fn.screenstring(row, column)
  end
  return table.concat(cells)
]]

--- A row as it is with the floats over it.
---@param child test.Child
---@param row? integer   from 1; the last
---@return string
function M.row(child, row)
  return child:lua(ROW, row)
end

--- Waits until the last row is this text alone.
---@param child test.Child
---@param text string
function M.shows_last(child, text)
  local row
  local ok = pcall(fault.wait, text, function()
    row = vim.trim(M.row(child))
    return row == text
  end)
  if not ok then
    error(('the last row is\n%s\nand not\n%s'):format(row, text), 2)
  end
end

--- Waits until each text is somewhere on the screen, also in a float.
---@param child test.Child
---@param texts string[]
function M.shows_with_floats(child, texts)
  for _, text in ipairs(texts) do
    fault.wait(text .. ' on the screen', function()
      for row = 1, child:lua('return vim.o.lines') do
        if M.row(child, row):find(text, 1, true) then
          return true
        end
      end
    end)
  end
end

return M
