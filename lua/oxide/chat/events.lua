-- What the core tells of a conversation while a turn goes on (native/nvim/nvim_chat.h).
local chat_view = require('oxide.chat.view')
local render = require('oxide.chat.render')

local M = {}

--- The heading of who answers, once a turn.
---@param talk oxide.Talk
local function begin_model(talk)
  if not talk.turn then
    return
  end
  talk.turn.waits = nil
  if talk.turn.pause then
    talk.turn.pause = nil
    talk:announce()
  end
  if not talk.turn.has_heading then
    talk.turn.has_heading = true
    talk:add { kind = 'model', who = talk.model }
  end
end

---@param kind 'text'|'thought'
---@return fun(talk: oxide.Talk, value: table)
local function piece(kind)
  return function(talk, value)
    begin_model(talk)
    local block = talk.blocks[#talk.blocks]
    if block and block.kind == kind then
      block.pieces = block.pieces or {}
      table.insert(block.pieces, value.text)
      if talk.view then
        chat_view.more(talk.view, block, value.text)
      end
    else
      talk:add { kind = kind, text = value.text }
    end
  end
end

---@param talk oxide.Talk
---@param id string
---@return oxide.ChatBlock?
local function call_of(talk, id)
  for i = #talk.blocks, 1, -1 do
    if talk.blocks[i].id == id then
      return talk.blocks[i]
    end
  end
end

---@param message string   of the core
---@return table
local function decode(message)
  return vim.json.decode(message, { luanil = { object = true } })
end

-- What a message that is complete means, by who said it. What the model said was drawn as it came: it
-- is long, and not decoded.
---@type table<string, fun(talk: oxide.Talk, row: oxide.ChatRow)>
local messages = {
  person = function(talk, row)
    if talk.turn and talk.turn.sent.again then
      row.sent = talk.rows[#talk.rows].sent
      talk:cut(#talk.rows - 1) -- this one takes its place
    else
      local sent = assert(table.remove(talk.queue, 1)) ---@type oxide.Sent
      row.sent = { words = sent.words, shown = sent.shown, confirm = sent.confirm }
    end
    if talk.turn then
      talk.turn.is_sent = true
    end
    talk:keep_row(row)
    talk:add(render.blocks(decode(row.message), row, {})[1])
    talk:announce()
  end,
  model = function(talk, row)
    row.who = talk.model
    talk:keep_row(row)
  end,
  tools = function(talk, row)
    row.lines = {}
    for _, part in ipairs(decode(row.message).parts) do
      local block = call_of(talk, part.id)
      row.lines[part.id] = block and block.line
    end
    talk:keep_row(row)
  end,
}

--- "Changes accepted: a.c +1 -1, b.c +2 -0"
---@param value { fate: string, files?: table[], why?: string }
---@return string
local function changes_text(value)
  local files = vim.tbl_map(function(file)
    return ('%s +%d -%d'):format(file.file, file.lines_added, file.lines_removed)
  end, value.files or {})
  local more = value.why or table.concat(files, ', ')
  if value.fate == 'undecided' then
    more = more .. '\n:Oxide turn accept applies them, reject forgets them, diff shows them.'
  end
  return 'Changes ' .. value.fate .. (more ~= '' and ': ' .. more or '')
end

---@type table<string, fun(talk: oxide.Talk, value: table)>
local events = {
  text = piece('text'),
  thought = piece('thought'),
  message = function(talk, value)
    local pieces = talk.pieces or {}
    table.insert(pieces, value.message)
    talk.pieces, talk.usage = nil, value.usage
    messages[value.role](talk, { message = table.concat(pieces) })
  end,
  message_piece = function(talk, value)
    talk.pieces = talk.pieces or {}
    table.insert(talk.pieces, value.text)
  end,
  call = function(talk, value)
    begin_model(talk)
    local block = call_of(talk, value.id)
    if block and block.state == 'running' then -- an agent says more of it
      block.line = value.line
      return talk.view and chat_view.redraw(talk.view, block)
    end
    talk:add { kind = 'call', id = value.id, line = value.line, state = 'running' }
  end,
  result = function(talk, value)
    local block = call_of(talk, value.id)
    require('oxide.review').settled(value.question, value.failed and value.line or nil)
    if not block then
      return
    end
    block.state = value.failed and 'failed' or 'done'
    block.line, block.detail = value.line, value.text
    if talk.view then
      chat_view.redraw(talk.view, block)
    end
  end,
  waits = function(talk, value)
    if talk.turn then
      talk.turn.pause = { why = value.why, ends = vim.uv.now() + value.ms }
      talk:announce()
    end
  end,
  review = function(talk)
    if talk.turn then
      talk.turn.waits = 'waiting for your review'
    end
  end,
  changes = function(talk, value)
    require('oxide.review').settled(value.question, value.why)
    require('oxide.review.stale').settled(value.fate == 'undecided' and value.why or nil)
    talk:add { kind = 'note', text = changes_text(value), turn = value.turn }
  end,
  model = function(talk, value)
    talk:set_model(value)
  end,
  agent = function(talk, value)
    require('oxide.chat.agent').event(talk, value.what, value.value)
  end,
}

---@param talk oxide.Talk
---@param value table
function M.take(talk, value)
  events[value.kind](talk, value)
  talk:follow()
end

return M
