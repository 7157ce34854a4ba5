-- The windows of a conversation: where they open, their options, and the bar that says who answers.
local chat_view = require('oxide.chat.view')
local prompt = require('oxide.chat.prompt')
local render = require('oxide.chat.render')

local M = {}

local WIDE = 140 -- columns from which on it opens at the right
local SPINNER = { '⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏' }
local SPIN_MS = 100

--- 'winbar' of a conversation.
---@param number integer
---@return string
function M.bar(number)
  local talk = require('oxide.chat').get(number)
  if not talk then
    return ''
  end
  local function plain(text)
    return (text:gsub('%%', '%%%%'))
  end
  local right = { require('oxide.chat.agent').mode(talk), render.usage(talk.usage) }
  if talk:working() then
    local s = math.floor((vim.uv.now() - talk.turn.began) / 1000)
    local spin = SPINNER[math.floor(vim.uv.now() / SPIN_MS) % #SPINNER + 1]
    table.insert(right, ('%s %s %d s'):format(spin, talk:doing(), s))
  end
  right = vim.tbl_filter(function(text)
    return text ~= ''
  end, right)
  return (' %%#OxideChatTitle#%s%%*%%=%s '):format(
    plain(talk:title()),
    plain(table.concat(right, '  '))
  )
end

--- What a bar says has changed.
function M.redraw_bars()
  vim.cmd.redrawstatus { bang = true, mods = { emsg_silent = true } }
end

local spinning ---@type uv.uv_timer_t?

--- Keeps the bars moving while anybody answers.
---@param on boolean
function M.spin(on)
  if on and not spinning then
    spinning = assert(vim.uv.new_timer())
    spinning:start(SPIN_MS, SPIN_MS, vim.schedule_wrap(M.redraw_bars))
  elseif not on and spinning then
    spinning:stop()
    spinning:close()
    spinning = nil
    M.redraw_bars()
  end
end

---@param view oxide.ChatView
---@param win integer
local function set_options(view, win)
  local wo = require('oxide.scratch').plain(win)
  wo.wrap = true
  wo.linebreak = true
  wo.breakindent = true
  wo.smoothscroll = true -- a line may be higher than the window
  wo.foldmethod = 'manual'
  wo.foldtext = ''
  wo.fillchars = (vim.o.fillchars ~= '' and vim.o.fillchars .. ',' or '') .. 'fold: '
  wo.foldenable = true
  wo.winbar = ("%%{%%v:lua.require'oxide.chat.window'.bar(%d)%%}"):format(view.talk.number)
end

--- What a window needs that shows it from now on.
---@param view oxide.ChatView
local function entered(view)
  local win = vim.api.nvim_get_current_win()
  set_options(view, win)
  view.talk:announce() -- as wide as this one
  for _, block in ipairs(view.talk.blocks) do
    if chat_view.folds(block) and block ~= view.last then
      chat_view.fold(view, block, { win })
    end
  end
end

--- What is left of a buffer that was unloaded goes.
---@param view oxide.ChatView
local function replace(view)
  if not vim.api.nvim_buf_is_valid(view.buf) then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    vim.api.nvim_win_set_buf(win, view.talk:draw().buf)
  end
  vim.api.nvim_buf_delete(view.buf, { force = true })
end

---@param view oxide.ChatView
function M.watch(view)
  local group = vim.api.nvim_create_augroup('oxide.chat.' .. view.talk.number, {})
  vim.api.nvim_create_autocmd('BufWinEnter', {
    group = group,
    buffer = view.buf,
    callback = function()
      entered(view)
    end,
  })
  -- What came while a window was not on the screen, Neovim scrolls to in its own way.
  vim.api.nvim_create_autocmd({ 'TabEnter', 'WinResized' }, {
    group = group,
    callback = vim.schedule_wrap(function()
      if vim.api.nvim_buf_is_valid(view.buf) then
        view.talk:announce()
        M.follow(view)
      end
    end),
  })
  -- Also by :bdelete and :edit, which leave the buffer empty: it is drawn anew where it is shown.
  vim.api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = view.buf,
    callback = function()
      view.talk:lost(view)
      vim.schedule(function()
        replace(view)
      end)
    end,
  })
end

--- The view that ends with the last line. In the current window.
---@return { topline: integer, skipcol: integer }
local function last_view()
  local rows = vim.api.nvim_win_get_height(0) - (vim.wo.winbar ~= '' and 1 or 0)
  local first = vim.fn.line('$') + 1
  while first > 1 and rows > 0 do
    local above = vim.fn.foldclosed(first - 1)
    above = above > 0 and above or first - 1
    local range = { start_row = above - 1, end_row = above - 1 }
    local folded = above < first - 1
    local height = folded and { all = 1, fill = 0 } or vim.api.nvim_win_text_height(0, range)
    rows = rows - height.all
    if rows < 0 and not folded and height.fill == 0 then
      local info = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
      return { topline = above, skipcol = -rows * (info.width - info.textoff) }
    end
    first = rows >= 0 and above or first
  end
  return { topline = first, skipcol = 0 }
end

--- Shows the end in the windows whose cursor is in the place to write; the others stay as they are.
---@param view oxide.ChatView
function M.follow(view)
  local row = prompt.row(view)
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    if vim.api.nvim_win_get_cursor(win)[1] >= row then
      vim.api.nvim_win_call(win, function()
        local want, is = last_view(), vim.fn.winsaveview()
        if is.topline ~= want.topline or is.skipcol ~= want.skipcol then
          vim.fn.winrestview(want)
        end
      end)
    end
  end
end

--- A window beside the code: at the right where there is room, else below.
---@param mods? table
function M.split(mods)
  mods = mods or {}
  local given = mods.vertical
    or mods.horizontal
    or (mods.split or '') ~= ''
    or (mods.tab or -1) >= 0
  local wide = vim.o.columns >= WIDE
  local how = given
      and {
        vertical = mods.vertical,
        horizontal = mods.horizontal,
        split = mods.split,
        tab = (mods.tab or -1) >= 0 and mods.tab or nil,
      }
    or { vertical = wide, split = 'botright' }
  local size = not given
      and math.floor((wide and vim.o.columns or vim.o.lines) * (wide and 0.4 or 0.45))
    or nil
  require('oxide.scratch').split { range = size and { size } or nil, mods = how }
end

--- Shows it in this tab page, in its window or in a new one.
---@param view oxide.ChatView
---@param opts { focus: boolean, mods?: table }
---@return integer win
function M.show(view, opts)
  local here = vim.api.nvim_get_current_win()
  local win ---@type integer?
  for _, other in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    win = win or vim.api.nvim_win_get_buf(other) == view.buf and other or nil
  end
  if not win then
    M.split(opts.mods)
    win = vim.api.nvim_get_current_win()
    require('oxide.scratch').show(win, view.buf)
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(view.buf), 0 })
    M.follow(view)
  end
  vim.api.nvim_set_current_win(opts.focus and win or here)
  return win
end

return M
