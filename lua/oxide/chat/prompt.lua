-- The place to write in a conversation: a heading at the end of its buffer, and what is below it.
local buffer = require('oxide.chat.buffer')
local render = require('oxide.chat.render')

local M = {}

local WAITING = vim.api.nvim_create_namespace('oxide.chat.waiting')

---@param view oxide.ChatView
---@return integer row   from 1, of its heading
function M.row(view)
  return buffer.position(view.buf, view.prompt) + 1
end

--- Makes it, where somebody has deleted it.
---@param view oxide.ChatView
function M.ensure(view)
  local row = buffer.position(view.buf, view.prompt)
  local pen = buffer.position(view.buf, view.pen)
  local text = vim.api.nvim_buf_get_lines(view.buf, row, row + 1, false)[1]
  if text == render.PERSON and (pen < row or not view.last) then
    return
  end
  local last = vim.api.nvim_buf_line_count(view.buf)
  buffer.set_lines(view.buf, last, last, { '', render.PERSON, '', '' })
  buffer.mark(view.buf, last + 1, 0, { id = view.prompt })
  if pen >= last then
    buffer.mark(view.buf, math.max(last - 1, 0), 0, { id = view.pen })
  end
end

--- What is written there.
---@param view oxide.ChatView
---@return string
function M.text(view)
  M.ensure(view)
  local lines = vim.api.nvim_buf_get_lines(view.buf, M.row(view), -1, false)
  return vim.trim(table.concat(lines, '\n'))
end

--- The line in which the message begins, or may.
---@param view oxide.ChatView
---@return integer   from 0
function M.first(view)
  local row = M.row(view)
  local lines = vim.api.nvim_buf_get_lines(view.buf, row, -1, false)
  for i, line in ipairs(lines) do
    if line ~= '' then
      return row + i - 1
    end
  end
  return row + math.max(#lines - 1, 0)
end

---@param view oxide.ChatView
---@param text string   in place of what is written there
function M.set_text(view, text)
  M.ensure(view)
  local lines = vim.split('\n' .. text, '\n', { plain = true })
  buffer.set_lines(view.buf, M.row(view), -1, lines)
  local last = vim.api.nvim_buf_line_count(view.buf)
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    if vim.api.nvim_win_get_cursor(win)[1] >= M.row(view) then
      vim.api.nvim_win_set_cursor(win, { last, #lines[#lines] })
    end
  end
end

--- Virtual lines are not wrapped by Neovim.
---@param line string
---@param width integer
---@return string[]
local function wrapped(line, width)
  local lines = {}
  for word in line:gmatch('%S+') do
    local longer = lines[#lines] and lines[#lines] .. ' ' .. word
    if longer and vim.fn.strdisplaywidth(longer) <= width then
      lines[#lines] = longer
    else
      table.insert(lines, word)
    end
  end
  return lines
end

---@param view oxide.ChatView
---@param lines string[]
---@return table[]   virtual lines
local function virtual_lines(view, lines)
  local width = vim.o.columns
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    width = math.min(width, vim.api.nvim_win_get_width(win))
  end
  local all = {}
  for _, line in ipairs(lines) do
    for _, part in ipairs(wrapped(line, width)) do
      table.insert(all, { { part, 'OxideChatWaiting' } })
    end
  end
  return all
end

--- Shows what the user has to know there, in lines that are not text. The heading may be deleted.
---@param view oxide.ChatView
---@param above string[]   above the heading
---@param below string[]   below it
function M.announce(view, above, below)
  vim.api.nvim_buf_clear_namespace(view.buf, WAITING, 0, -1)
  local row = M.row(view) - 1
  vim.api.nvim_buf_set_extmark(view.buf, WAITING, row, 0, {
    virt_lines = #above > 0 and virtual_lines(view, above) or nil,
    virt_lines_above = true,
    end_row = row + 1,
    strict = false,
    hl_group = 'OxideChatPerson',
    virt_text = { buffer.RULE },
    priority = 200,
  })
  if #below > 0 then
    vim.api.nvim_buf_set_extmark(
      view.buf,
      WAITING,
      row,
      0,
      { virt_lines = virtual_lines(view, below) }
    )
  end
end

return M
