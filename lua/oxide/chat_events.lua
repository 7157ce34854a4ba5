-- What the core tells of a conversation while a turn goes on (native/front/nvim_chat.h).
local render = require('oxide.chat_render')
local view_of = require('oxide.chat_view')

local M = {}

--- The heading of who answers, once a turn.
---@param talk oxide.Talk
local function begin_model(talk)
  if not talk.turn then
    return
  end
  talk.turn.waits = nil
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
      block.text = block.text .. value.text
      if talk.view then
        view_of.more(talk.view, block, value.text)
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

---@param talk oxide.Talk
---@param value { message: string, usage: oxide.ChatUsage }
local function on_message(talk, value)
  local message = vim.json.decode(value.message, { luanil = { object = true } })
  local row = { message = value.message } ---@type oxide.ChatRow
  talk.usage = value.usage
  if message.role == 'person' then
    local sent = assert(table.remove(talk.queue, 1)) ---@type oxide.Sent
    row.sent = { words = sent.words, shown = sent.shown, confirm = sent.confirm }
    if talk.turn then
      talk.turn.is_sent = true
    end
    talk:keep_row(row)
    talk:add(render.blocks(message, row, {})[1])
    talk:announce()
    return
  elseif message.role == 'tools' then
    row.lines = {}
    for _, part in ipairs(message.parts) do
      local block = call_of(talk, part.id)
      row.lines[part.id] = block and block.line
    end
  else
    row.who = talk.model
  end
  talk:keep_row(row)
end

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
  message = on_message,
  call = function(talk, value)
    begin_model(talk)
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
      view_of.redraw(talk.view, block)
    end
  end,
  waits = function(talk, value)
    if talk.turn then
      local s = math.ceil(value.ms / 1000)
      talk.turn.waits = ('%s; trying again in %d s'):format(value.why, s)
    end
  end,
  review = function(talk)
    if talk.turn then
      talk.turn.waits = 'waiting for your review'
    end
  end,
  changes = function(talk, value)
    require('oxide.review').settled(value.question, value.why)
    talk:add { kind = 'note', text = changes_text(value), turn = value.turn }
  end,
  model = function(talk, value)
    talk:set_model(value)
  end,
}

---@param talk oxide.Talk
---@param value table
function M.take(talk, value)
  events[value.kind](talk, value)
  talk:follow()
end

return M
