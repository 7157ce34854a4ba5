-- The keys of a conversation.
local chat = require('oxide.chat')
local chat_view = require('oxide.chat.view')
local places = require('oxide.chat.places')
local prompt = require('oxide.chat.prompt')
local ui = require('oxide.ui')

local M = {}

---@param view oxide.ChatView
---@return boolean
local function is_writing(view)
  return vim.fn.line('.') >= prompt.row(view)
end

---@param view oxide.ChatView
---@return boolean
local function go(view)
  local place = places.at_cursor(view)
  if place then
    places.go(place)
  end
  return place ~= nil
end

---@param view oxide.ChatView
---@param step 1|-1
local function to_turn(view, step)
  local rows = { prompt.row(view) }
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(view.buf, chat_view.TURNS, 0, -1, {})) do
    table.insert(rows, mark[2] + 1)
  end
  table.sort(rows)
  local here, target = vim.fn.line('.'), nil ---@type integer, integer?
  for _, row in ipairs(rows) do
    if step == 1 then
      target = target or row > here and row or nil
    else
      target = row < here and row or target
    end
  end
  if target then
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { target, 0 })
  end
end

---@param view oxide.ChatView
local function show_change(view)
  local block = places.block(view, vim.fn.line('.'))
  if block and block.turn then
    return require('oxide').turn { action = 'diff', turn = block.turn }
  end
  local diff = block and block.kind == 'call' and (block.detail or ''):match('\ndiff:\n(.*)$')
  if diff then
    local buf = require('oxide.scratch').open('chat/diff', vim.split(vim.trim(diff), '\n'))
    vim.bo[buf].filetype = 'diff'
  elseif block and block.kind == 'call' and block.state == 'running' then
    require('oxide').review()
  else
    ui.notify('there is no change at the cursor')
  end
end

---@param view oxide.ChatView
local function yank_code(view)
  local lines = places.code(view)
  if lines then
    require('oxide.text_source').set(vim.v.register, lines)
    ui.notify(('%s of code, in register %s'):format(ui.count(#lines, 'line'), vim.v.register))
  else
    ui.notify('there is no code block at the cursor or above it')
  end
end

---@class oxide.ChatKey
---@field modes string[]
---@field lhs string
---@field desc string
---@field run fun(view: oxide.ChatView)

---@type oxide.ChatKey[]
M.keys = {
  {
    modes = { 'n' },
    lhs = '<CR>',
    desc = 'send what is written; elsewhere: go to the file at the cursor',
    run = function(view)
      if is_writing(view) then
        chat.submit(view)
      elseif not go(view) then
        ui.notify('there is no file at the cursor')
      end
    end,
  },
  { modes = { 'i' }, lhs = '<C-s>', desc = 'send what is written', run = chat.submit },
  {
    modes = { 'n', 'i' },
    lhs = '<C-c>',
    desc = 'cancel the turn; else forget what goes with the next message',
    run = function(view)
      if not view.talk:cancel() then
        require('oxide.chat.resend').forget(view.talk)
        vim.cmd.stopinsert()
      end
    end,
  },
  {
    modes = { 'n' },
    lhs = 'gx',
    desc = 'go to the file at the cursor, or open the address',
    run = function(view)
      if not go(view) then
        vim.ui.open(vim.fn.expand('<cfile>'))
      end
    end,
  },
  {
    modes = { 'n' },
    lhs = ']]',
    desc = 'next message',
    run = function(view)
      to_turn(view, 1)
    end,
  },
  {
    modes = { 'n' },
    lhs = '[[',
    desc = 'previous message',
    run = function(view)
      to_turn(view, -1)
    end,
  },
  { modes = { 'n' }, lhs = 'gd', desc = 'show the change at the cursor', run = show_change },
  {
    modes = { 'n' },
    lhs = 'gr',
    desc = 'answer the last message again',
    run = function(view)
      require('oxide.chat.resend').retry(view.talk)
    end,
  },
  {
    modes = { 'n' },
    lhs = 'ge',
    desc = 'edit the last message, and go on from there',
    run = function(view)
      require('oxide.chat.resend').edit(view.talk)
    end,
  },
  { modes = { 'n' }, lhs = 'gy', desc = 'yank the code block at the cursor', run = yank_code },
}

local function help()
  local lines = {}
  for _, key in ipairs(M.keys) do
    table.insert(lines, ('%-6s %s'):format(key.lhs, key.desc))
  end
  table.insert(lines, 'za     open or close what a tool has answered')
  table.insert(lines, 'q      close this list')
  local scratch = require('oxide.scratch')
  local win = scratch.float(lines, '', { focus_id = 'oxide-chat-help' })
  vim.api.nvim_set_current_win(win)
  local wo = vim.wo[win][0]
  wo.wrap, wo.linebreak, wo.breakindent, wo.breakindentopt = true, true, true, 'shift:7'
  scratch.centre(win)
end

---@param view oxide.ChatView
function M.map(view)
  local function map(key)
    vim.keymap.set(key.modes, key.lhs, function()
      key.run(view)
    end, { buffer = view.buf, desc = 'Oxide: ' .. key.desc, nowait = true })
  end
  vim.iter(M.keys):each(map)
  map { modes = { 'n' }, lhs = 'g?', desc = 'list the keys', run = help }
end

return M
