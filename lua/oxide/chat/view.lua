-- The buffer of a conversation: what was said, then the place to write (chat/prompt.lua). New text
-- goes to the pen, a mark that is always before that place, so that whoever edits the buffer, or
-- writes meanwhile, is not in the way.
local buffer = require('oxide.chat.buffer')
local highlight = require('oxide.chat.highlight')
local prompt = require('oxide.chat.prompt')
local render = require('oxide.chat.render')

local M = {}

---@class oxide.ChatView
---@field talk oxide.Talk
---@field buf integer
---@field pen integer       where what is said goes on
---@field prompt integer    the heading of the place to write
---@field last? oxide.ChatBlock   what was drawn last
---@field parts table<integer, oxide.ChatPart>   that are not highlighted yet
---@field tail? oxide.ChatTail    of a text that streams in

M.TURNS = vim.api.nvim_create_namespace('oxide.chat.turns') -- headings of those who speak

---@param view oxide.ChatView
---@param row integer   from 0
---@param group string
local function mark_heading(view, row, group)
  vim.api.nvim_buf_set_extmark(view.buf, M.TURNS, row, 0, {
    end_row = row + 1,
    hl_group = group,
    virt_text = { buffer.RULE },
    priority = 200,
  })
end

---@param view oxide.ChatView
---@param block oxide.ChatBlock
---@return integer? first
---@return integer? last   from 1
function M.range(view, block)
  local range = buffer.range(view.buf, block.mark)
  if range then
    return range.row + 1, range.end_row + 1
  end
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

--- Marks a block from the row to the given end.
---@param view oxide.ChatView
---@param block oxide.ChatBlock
---@param row integer      from 0
---@param end_row integer
---@param end_column integer
local function mark_block(view, block, row, end_row, end_column)
  block.mark = buffer.mark(view.buf, row, 0, {
    id = block.mark,
    end_row = end_row,
    end_col = end_column,
    end_right_gravity = false,
    hl_group = block.kind == 'thought' and 'OxideChatThought' or nil,
  })
end

--- Puts whole lines behind the pen, which goes to their end. Whole ones: Neovim takes the last line
--- off a fold that text is added to.
---@param view oxide.ChatView
---@param row integer   from 0, of the first of them
---@param lines string[]
local function put_lines(view, row, lines)
  buffer.set_lines(view.buf, row, row, lines)
  buffer.mark(view.buf, row + #lines - 1, #lines[#lines], { id = view.pen })
end

--- The lines of a block that is drawn are complete, but for those of a text that streams in.
---@param view oxide.ChatView
---@param block oxide.ChatBlock
---@param row integer    from 0
---@param count integer  of its lines
local function highlight_block(view, block, row, count)
  if block.kind == 'text' then
    highlight.begin(view, row)
  elseif block.kind == 'call' then -- its result; its first line is not Markdown
    highlight.add(view, row + 1, row + count)
  elseif block.kind ~= 'thought' then
    highlight.add(view, row, row + count)
  end
end

--- Draws a block behind the last one.
---@param view oxide.ChatView
---@param block oxide.ChatBlock
function M.add(view, block)
  prompt.ensure(view)
  local row = 0
  if view.last then
    M.close(view)
    row = buffer.position(view.buf, view.pen) + 1
    local space = render.space(view.last, block)
    if space > 0 then
      put_lines(view, row, vim.fn['repeat']({ '' }, space))
    end
    row = row + space
  else
    buffer.set_lines(view.buf, 0, 0, { '' }) -- before the place to write
  end
  local lines = render.lines(block)
  put_lines(view, row, lines)
  view.last = block
  block.mark = nil
  mark_block(view, block, row, buffer.position(view.buf, view.pen))
  highlight_block(view, block, row, #lines)
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
    mark_block(view, block, first - 1, buffer.position(view.buf, view.pen))
  end
  highlight.finish(view)
  if block and block.kind == 'thought' then
    M.fold(view, block)
  end
end

--- A piece more of the last block.
---@param view oxide.ChatView
---@param block oxide.ChatBlock
---@param text string
function M.more(view, block, text)
  local row, column = buffer.position(view.buf, view.pen)
  buffer.change(view.buf, function()
    local lines = render.more(block, text)
    vim.api.nvim_buf_set_text(view.buf, row, column, row, column, lines)
  end)
  highlight.grow(view)
end

--- Draws a block where it was drawn before.
---@param view oxide.ChatView
---@param block oxide.ChatBlock
function M.redraw(view, block)
  local range = buffer.range(view.buf, block.mark)
  if not range then
    return
  end
  local row, lines = range.row, render.lines(block)
  buffer.change(view.buf, function()
    vim.api.nvim_buf_set_text(view.buf, row, range.column, range.end_row, range.end_column, lines)
  end)
  mark_block(view, block, row, row + #lines - 1, #lines[#lines])
  highlight_block(view, block, row, #lines)
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
  local pen = buffer.position(view.buf, view.pen) + 1
  if not first or first > pen or last >= first then
    return
  end
  vim.api.nvim_buf_clear_namespace(view.buf, M.TURNS, first - 1, pen)
  highlight.forget(view)
  -- with the line that is free before the place to write, if nothing is left
  buffer.set_lines(view.buf, last, before and pen or pen + 1, {})
  local row = math.max(last - 1, 0)
  local text = vim.api.nvim_buf_get_lines(view.buf, row, row + 1, false)[1]
  buffer.mark(view.buf, row, before and #text or 0, { id = view.pen })
  view.last = before
end

---@param talk oxide.Talk
---@return oxide.ChatView
function M.new(talk)
  local buf = buffer.create(talk.number)
  buffer.set_lines(buf, 0, -1, { render.PERSON, '', '' })
  local view = { ---@type oxide.ChatView
    talk = talk,
    buf = buf,
    pen = buffer.mark(buf, 0, 0),
    prompt = buffer.mark(buf, 0, 0),
  }
  highlight.attach(view)
  for _, block in ipairs(talk.blocks) do
    M.add(view, block)
  end
  M.close(view)
  return view
end

return M
