-- The buffer of a conversation, `oxide://chat/{n}`: what was said, then the place to write. New text
-- goes to the pen, a mark that is always before that place, so that whoever edits the buffer, or
-- writes meanwhile, is not in the way.
local render = require('oxide.chat_render')

local M = {}

---@class oxide.ChatView
---@field talk oxide.Talk
---@field buf integer
---@field pen integer       where what is said goes on
---@field prompt integer    the heading of the place to write
---@field last? oxide.ChatBlock   what was drawn last

local MARKS = vim.api.nvim_create_namespace('oxide.chat')
M.TURNS = vim.api.nvim_create_namespace('oxide.chat.turns') -- headings of those who speak
local WAITING = vim.api.nvim_create_namespace('oxide.chat.waiting')
local RULE = ('─'):rep(400)

--- Changes the text without an entry in the undo history: what streams in is nobody's edit, and a
--- line of that history would be wrong after it.
---@param view oxide.ChatView
---@param fn fun()
local function change(view, fn)
  local bo = vim.bo[view.buf]
  local modifiable, levels = bo.modifiable, bo.undolevels
  bo.modifiable, bo.undolevels = true, -1
  local ok, err = pcall(fn)
  bo.modifiable, bo.undolevels = modifiable, levels
  if not ok then
    error(err, 0)
  end
end

---@param view oxide.ChatView
---@param id integer
---@return integer row, integer column   from 0
local function at(view, id)
  local place = vim.api.nvim_buf_get_extmark_by_id(view.buf, MARKS, id, {})
  return place[1] or 0, place[2] or 0
end

--- A place to write, which is there even after somebody has deleted it.
---@param view oxide.ChatView
local function ensure_prompt(view)
  local row = at(view, view.prompt)
  local pen = at(view, view.pen)
  local text = vim.api.nvim_buf_get_lines(view.buf, row, row + 1, false)[1]
  if text == render.PERSON and (pen < row or not view.last) then
    return
  end
  local last = vim.api.nvim_buf_line_count(view.buf)
  change(view, function()
    vim.api.nvim_buf_set_lines(view.buf, last, last, false, { '', render.PERSON, '', '' })
  end)
  vim.api.nvim_buf_set_extmark(view.buf, MARKS, last + 1, 0, { id = view.prompt })
  if pen >= last then
    vim.api.nvim_buf_set_extmark(view.buf, MARKS, math.max(last - 1, 0), 0, { id = view.pen })
  end
end

---@param view oxide.ChatView
---@param lines string[]
local function write(view, lines)
  local row, column = at(view, view.pen)
  change(view, function()
    vim.api.nvim_buf_set_text(view.buf, row, column, row, column, lines)
  end)
end

---@param view oxide.ChatView
---@param row integer   from 0
---@param group string
local function mark_heading(view, row, group)
  vim.api.nvim_buf_set_extmark(view.buf, M.TURNS, row, 0, {
    end_row = row + 1,
    hl_group = group,
    virt_text = { { RULE, 'OxideChatRule' } },
    priority = 200,
  })
end

---@param view oxide.ChatView
---@param block oxide.ChatBlock
---@return integer? first
---@return integer? last   from 1
function M.range(view, block)
  if not block.mark then
    return nil
  end
  local place = vim.api.nvim_buf_get_extmark_by_id(view.buf, MARKS, block.mark, { details = true })
  if not place[1] then
    return nil
  end
  return place[1] + 1, (place[3].end_row or place[1]) + 1
end

--- Folds a block in the windows that show it.
---@param view oxide.ChatView
---@param block oxide.ChatBlock
---@param wins? integer[]
function M.fold(view, block, wins)
  local first, last = M.range(view, block)
  if not first or last <= first then
    return
  end
  for _, win in ipairs(wins or vim.fn.win_findbuf(view.buf)) do
    vim.api.nvim_win_call(win, function()
      if vim.fn.foldlevel(first) == 0 then
        vim.cmd(('%d,%dfold'):format(first, last))
      end
    end)
  end
end

---@param block oxide.ChatBlock
---@return boolean
function M.folds(block)
  return block.kind == 'thought' or block.kind == 'call' and block.state ~= 'running'
end

---@param view oxide.ChatView
---@param block oxide.ChatBlock
---@param row integer      from 0
local function mark_block(view, block, row)
  local last, column = at(view, view.pen)
  block.mark = vim.api.nvim_buf_set_extmark(view.buf, MARKS, row, 0, {
    id = block.mark,
    end_row = last,
    end_col = column,
    end_right_gravity = false,
    hl_group = block.kind == 'thought' and 'OxideChatThought' or nil,
  })
end

--- Puts whole lines behind the pen, which goes to their end.
---@param view oxide.ChatView
---@param row integer   from 0, of the first of them
---@param lines string[]
local function put_lines(view, row, lines)
  -- Whole lines: Neovim takes the last line off a fold that text is added to.
  change(view, function()
    vim.api.nvim_buf_set_lines(view.buf, row, row, false, lines)
  end)
  local last = row + #lines - 1
  vim.api.nvim_buf_set_extmark(view.buf, MARKS, last, #lines[#lines], { id = view.pen })
end

--- Draws a block behind the last one.
---@param view oxide.ChatView
---@param block oxide.ChatBlock
function M.add(view, block)
  ensure_prompt(view)
  local row = 0
  if view.last then
    M.close(view)
    row = at(view, view.pen) + 1
    local space = render.space(view.last, block)
    if space > 0 then
      put_lines(view, row, vim.fn['repeat']({ '' }, space))
    end
    row = row + space
  else
    change(view, function() -- before the place to write
      vim.api.nvim_buf_set_lines(view.buf, 0, 0, false, { '' })
    end)
  end
  put_lines(view, row, render.lines(block))
  view.last = block
  block.mark = nil
  mark_block(view, block, row)
  if block.kind == 'person' or block.kind == 'model' then
    mark_heading(view, row, block.kind == 'person' and 'OxideChatPerson' or 'OxideChatModel')
  end
end

--- Nothing more comes to the last block.
---@param view oxide.ChatView
function M.close(view)
  local block = view.last
  local first = block and M.range(view, block)
  if first and (block.kind == 'thought' or block.kind == 'text') then
    mark_block(view, block, first - 1)
  end
  if block and block.kind == 'thought' then
    M.fold(view, block)
  end
end

--- A piece more of the last block.
---@param view oxide.ChatView
---@param block oxide.ChatBlock
---@param text string
function M.more(view, block, text)
  write(view, render.more(block, text))
end

--- Draws a block where it was drawn before.
---@param view oxide.ChatView
---@param block oxide.ChatBlock
function M.redraw(view, block)
  local place = block.mark
    and vim.api.nvim_buf_get_extmark_by_id(view.buf, MARKS, block.mark, { details = true })
  if not place or not place[1] then
    return
  end
  local row, details = place[1], place[3]
  local lines = render.lines(block)
  change(view, function()
    vim.api.nvim_buf_set_text(view.buf, row, place[2], details.end_row, details.end_col, lines)
  end)
  vim.api.nvim_buf_set_extmark(view.buf, MARKS, row, 0, {
    id = block.mark,
    end_row = row + #lines - 1,
    end_col = #lines[#lines],
    end_right_gravity = false,
  })
  if M.folds(block) then
    M.fold(view, block)
  end
end

--- Takes away all that was drawn from this block on; `before` is what is the last one then.
---@param view oxide.ChatView
---@param block oxide.ChatBlock
---@param before? oxide.ChatBlock
function M.cut(view, block, before)
  local first = M.range(view, block)
  local last = before and select(2, M.range(view, before)) or 0
  local pen = at(view, view.pen) + 1
  if not first or first > pen or last >= first then
    return
  end
  vim.api.nvim_buf_clear_namespace(view.buf, M.TURNS, first - 1, pen)
  change(
    view,
    function() -- with the line that is free before the place to write, if nothing is left
      vim.api.nvim_buf_set_lines(view.buf, last, before and pen or pen + 1, false, {})
    end
  )
  local text =
    vim.api.nvim_buf_get_lines(view.buf, math.max(last - 1, 0), math.max(last, 1), false)[1]
  vim.api.nvim_buf_set_extmark(view.buf, MARKS, math.max(last - 1, 0), before and #text or 0, {
    id = view.pen,
  })
  view.last = before
end

---@param view oxide.ChatView
---@return integer row   from 1, of its heading
function M.prompt_row(view)
  return at(view, view.prompt) + 1
end

--- What is in the place to write.
---@param view oxide.ChatView
---@return string
function M.written(view)
  ensure_prompt(view)
  local lines = vim.api.nvim_buf_get_lines(view.buf, M.prompt_row(view), -1, false)
  return vim.trim(table.concat(lines, '\n'))
end

---@param view oxide.ChatView
---@param text string
function M.write(view, text)
  ensure_prompt(view)
  local lines = vim.split(text, '\n', { plain = true })
  change(view, function()
    table.insert(lines, 1, '')
    vim.api.nvim_buf_set_lines(view.buf, M.prompt_row(view), -1, false, lines)
  end)
  local last = vim.api.nvim_buf_line_count(view.buf)
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    if vim.api.nvim_win_get_cursor(win)[1] >= M.prompt_row(view) then
      vim.api.nvim_win_set_cursor(win, { last, #lines[#lines] })
    end
  end
end

--- What is to be known at the place to write: lines that are no text.
---@param view oxide.ChatView
---@param above string[]   before it
---@param below string[]   behind its heading
function M.announce(view, above, below)
  vim.api.nvim_buf_clear_namespace(view.buf, WAITING, 0, -1)
  local row = M.prompt_row(view) - 1
  local function virtual(lines)
    return vim.tbl_map(function(line)
      return { { line, 'OxideChatWaiting' } }
    end, lines)
  end
  vim.api.nvim_buf_set_extmark(view.buf, WAITING, row, 0, {
    virt_lines = #above > 0 and virtual(above) or nil,
    virt_lines_above = true,
    end_row = row + 1,
    hl_group = 'OxideChatPerson',
    virt_text = { { RULE, 'OxideChatRule' } },
    priority = 200,
  })
  if #below > 0 then
    vim.api.nvim_buf_set_extmark(view.buf, WAITING, row, 0, { virt_lines = virtual(below) })
  end
end

---@param talk oxide.Talk
---@return oxide.ChatView
function M.new(talk)
  require('oxide.highlights')
  local name = 'oxide://chat/' .. talk.number
  local old = vim.fn.bufnr('^' .. name .. '$')
  if old > 0 then -- another one that has this name now
    vim.api.nvim_buf_set_name(old, name .. '-' .. old)
  end
  local buf = vim.api.nvim_create_buf(true, true)
  vim.api.nvim_buf_set_name(buf, name)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  local view = { talk = talk, buf = buf } ---@type oxide.ChatView
  change(view, function()
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, { render.PERSON, '', '' })
  end)
  view.pen = vim.api.nvim_buf_set_extmark(buf, MARKS, 0, 0, {})
  view.prompt = vim.api.nvim_buf_set_extmark(buf, MARKS, 0, 0, {})
  for _, block in ipairs(talk.blocks) do
    M.add(view, block)
  end
  return view
end

return M
