-- Neovim's own list of vim.ui.select, of what fits the screen: a longer one would go on behind
-- `-- More --`, and take the next key for it. The last choice is the rest then, which comes as a list of
-- its own.
local messages = require('oxide.messages')

local M = {}

local HINT = 'Type number and <Enter> or click with the mouse (q or empty cancels): '
local ANSWER = 4 -- cells, of the number that is typed

--- As many as it takes of the screen; a full one is followed by an empty one.
---@param text string   of one line
---@return integer rows
local function rows_of(text)
  local cells, columns = vim.fn.strdisplaywidth(text), vim.o.columns
  -- A wide character that does not fit at the end of a row goes to the next one, and leaves a cell.
  local spare = #text > cells and math.floor(cells / columns) or 0
  return math.floor((cells + spare) / columns) + 1
end

---@param prompt string
---@return integer rows   of all but the items
local function rows_around(prompt)
  local hint = rows_of(vim.fn.gettext(HINT) .. (' '):rep(ANSWER))
  local rows = 2 * hint - 1 -- Neovim 0.12 draws again what does not fit one row
  for line in vim.gsplit(prompt, '\n', { plain = true }) do
    rows = rows + rows_of(line)
  end
  return vim.o.cmdheight == 0 and rows + 1 or rows -- and leaves a row above the hint
end

---@param texts string[]
---@param first integer   the first that is not shown yet
---@param room integer   rows
---@return integer last   that fits, with a row left for the rest where there is one; at least the first
local function last_of(texts, first, room)
  local last, used = first, 0
  for i = first, #texts do
    used = used + rows_of(('%d: %s'):format(i, texts[i]))
    if used > room then
      break
    elseif i == #texts or used < room then
      last = i
    end
  end
  return last
end

---@param count integer
---@return string
local function rest(count)
  return ('more (%d)'):format(count)
end

---@param items any[]
---@param opts table
---@param chosen fun(item?: any, index?: integer)
function M.select(items, opts, chosen)
  local prompt = opts.prompt or 'Select one of:'
  -- Without a command line ('cmdheight' of 0) the list loses the first line of what is asked, unless a
  -- command asks it: that is an empty one then.
  prompt = vim.o.cmdheight == 0 and '\n' .. prompt or prompt
  local room = math.max(vim.o.lines - rows_around(prompt), 2)
  local texts = vim.tbl_map(function(item)
    local text = (opts.format_item or tostring)(item)
    return messages.fit(text, (room - 1) * vim.o.columns - ANSWER - 2)
  end, items)

  ---@param first integer
  local function from(first)
    local last = last_of(texts, first, room)
    local shown = vim.list_slice(texts, first, last)
    if last < #texts then
      table.insert(shown, rest(#texts - last))
    end
    local page = vim.tbl_extend('force', opts, { prompt = prompt, format_item = tostring })
    vim.ui.select(shown, page, function(text, number)
      local index = text and first + number - 1
      if index and index > last then
        vim.cmd.redraw()
        return from(index)
      end
      chosen(index and items[index], index)
    end)
  end
  from(1)
end

return M
