-- A conversation: what was said, what is still to be sent, and the turn that goes on. The core has
-- it too, as long as it lives; this is what it is opened with again.
local errors = require('oxide.errors')
local render = require('oxide.chat_render')
local store = require('oxide.chat_store')
local ui = require('oxide.ui')
local view_of = require('oxide.chat_view')

---@class oxide.Shown   what goes with a message: lines of a file, or a text under a heading
---@field path? string
---@field first? integer
---@field last? integer
---@field heading? string
---@field text? string

---@class oxide.Sent   a message of the user, as it was written
---@field words string
---@field shown oxide.Shown[]
---@field confirm? 'never'
---@field keep? integer   how many messages stay before it
---@field again? boolean  what was said last is answered again

---@class oxide.ChatRow   of a transcript
---@field message? string   JSON of the core
---@field lines? table<string, string>   of its calls, by id
---@field sent? oxide.Sent
---@field keep? integer     the messages behind that many are forgotten

---@class oxide.Talk
---@field number integer
---@field model string      as it was asked for; empty: the configured one
---@field id string         the model's name at its provider
---@field opened boolean    the core has it
---@field rows oxide.ChatRow[]   its messages
---@field blocks oxide.ChatBlock[]
---@field queue oxide.Sent[]
---@field sending? oxide.Sent
---@field turn? { id?: integer, began: integer, model?: boolean, waits?: string }
---@field usage? { input: integer, output: integer, cached: integer }
---@field view? oxide.ChatView
---@field file? string      of its transcript
---@field shown oxide.Shown[]   what goes with the next message
local Talk = {}
Talk.__index = Talk

local M = {}

---@param number integer
---@param model string
---@return oxide.Talk
function M.new(number, model)
  return setmetatable({
    number = number,
    model = model,
    id = '',
    opened = false,
    rows = {},
    blocks = {},
    queue = {},
    shown = {},
  }, Talk)
end

---@return boolean
function Talk:working()
  return self.turn ~= nil
end

--- What it is busy with.
---@return string
function Talk:doing()
  if require('oxide.review_queue').count() > 0 then
    return 'a review is waiting'
  end
  return self.turn.waits or 'answering'
end

---@return string
function Talk:title()
  local name = self.model == '' and 'no model yet' or self.model
  return self.id ~= '' and self.id ~= name and ('%s (%s)'):format(name, self.id) or name
end

--- Draws a block as the last one.
---@param block oxide.ChatBlock
function Talk:add(block)
  block.message = #self.rows
  table.insert(self.blocks, block)
  if self.view then
    view_of.add(self.view, block)
  end
end

---@param what string   "Error", "Cancelled"
---@param text? string
function Talk:note(what, text)
  self:add { kind = 'note', text = text and ('%s: %s'):format(what, text) or what .. '.' }
end

--- What waits, beside the place to write.
function Talk:announce()
  if not self.view then
    return
  end
  local above, below = {}, {}
  for _, sent in ipairs(self.queue) do
    local first = sent.words:match('^[^\n]*')
    table.insert(above, (self.turn and 'queued: ' or 'sending: ') .. first)
  end
  for _, shown in ipairs(self.shown) do
    table.insert(below, 'with ' .. M.shown_name(shown))
  end
  view_of.announce(self.view, above, below)
end

---@param shown oxide.Shown
---@return string
function M.shown_name(shown)
  if not shown.path then
    return shown.heading
  end
  local name = vim.fn.fnamemodify(shown.path, ':~:.')
  return shown.first and ('%s, lines %d to %d'):format(name, shown.first, shown.last) or name
end

---@return boolean
function Talk:is_shown()
  return self.view ~= nil
end

--- Makes its buffer, if it has none.
---@return oxide.ChatView
function Talk:draw()
  if not self.view then
    self.view = view_of.new(self)
    require('oxide.chat_window').watch(self.view)
    require('oxide.chat_keys').map(self.view)
    vim.bo[self.view.buf].filetype = 'oxide-chat'
    pcall(vim.treesitter.start, self.view.buf, 'markdown')
    self:announce()
  end
  return self.view
end

--- The buffer was wiped out; the conversation goes on.
---@param view oxide.ChatView
function Talk:lost(view)
  if self.view == view then
    self.view = nil
  end
end

---@param row oxide.ChatRow
function Talk:keep_row(row)
  table.insert(self.rows, row)
  store.append(self, row)
end

--- Forgets all messages but the first ones.
---@param keep integer
function Talk:cut(keep)
  local at = #self.blocks + 1
  while at > 1 and self.blocks[at - 1].message > keep do
    at = at - 1
  end
  if self.view and self.blocks[at] then
    view_of.cut(self.view, self.blocks[at], self.blocks[at - 1])
  end
  self.blocks = vim.list_slice(self.blocks, 1, at - 1)
  self.rows = vim.list_slice(self.rows, 1, keep)
  store.append(self, { keep = keep })
end

---@param on boolean
---@param err? oxide.Error
function Talk:set_turn(on, err)
  self.turn = on and { began = vim.uv.now() } or nil
  require('oxide.chat').working(self)
  ui.event('ChatTurn', {
    chat = self.number,
    buf = self.view and self.view.buf,
    phase = on and 'begin' or 'end',
    model = self.model,
    error = err and { code = err.code, message = err.message },
    usage = self.usage,
  })
end

--- What was not sent goes back to the place to write.
function Talk:give_back()
  if #self.queue == 0 then
    return
  end
  local words = {}
  for _, sent in ipairs(self.queue) do
    table.insert(words, sent.words ~= '' and sent.words or nil)
    vim.list_extend(self.shown, sent.shown)
  end
  self.queue = {}
  local view = self:draw()
  local written = view_of.written(view)
  table.insert(words, written ~= '' and written or nil)
  view_of.write(view, table.concat(words, '\n\n'))
end

--- A turn has ended.
---@param err? oxide.Error
function Talk:ended(err)
  self.sending = nil
  for _, block in ipairs(self.blocks) do
    if block.kind == 'call' and block.state == 'running' then
      block.state = 'failed'
      if self.view then
        view_of.redraw(self.view, block)
      end
    end
  end
  if self.view then
    view_of.close(self.view)
  end
  if err and err.code == 'cancelled' then
    self:note('Cancelled')
  elseif err then
    self:note('Error', err.message)
  end
  self:set_turn(false, err)
  if err then
    self:give_back()
  end
  self:announce()
  self:pump()
end

---@param value table
---@param cb fun(err?: oxide.Error, result?: table)
---@return integer id
function Talk:request(value, cb)
  value.chat = self.number
  return require('oxide.core').request('chat', value, cb)
end

--- Makes sure that the core has it.
---@param cb fun(err?: oxide.Error)
function Talk:open(cb)
  if self.opened then
    return cb()
  end
  local messages = vim.tbl_map(function(row)
    return row.message
  end, self.rows)
  local value = { what = 'open', model = self.model, messages = messages }
  self:request(value, function(err, result)
    if err and err.models and #err.models > 0 and (err.code == 'ambiguous' or self.model == '') then
      return require('oxide.chat_model').choose(err, function(model)
        self.model = model or ''
        if model then
          self:open(cb)
        else
          cb(errors.new('cancelled', 'no model was chosen'))
        end
      end)
    elseif err then
      return cb(err)
    end
    self.opened = true
    self:set_model(assert(result))
    cb()
  end)
end

---@param found { model: string, id: string }
function Talk:set_model(found)
  self.model, self.id = found.model, found.id
end

--- Sends what waits, if nothing is under way.
function Talk:pump()
  local sent = self.queue[1]
  if self.turn or not sent then
    return
  end
  self.sending = sent
  self:set_turn(true)
  self:announce()
  require('oxide.chat_context').resolve(sent, function(err, words, shown)
    if err then
      return self:ended(err)
    end
    self:open(function(why)
      if why then
        return self:ended(why)
      end
      if sent.keep then
        self:cut(sent.keep)
      end
      if not self.turn then
        return
      end
      self.turn.id = self:request({
        what = 'send',
        keep = #self.rows,
        words = not sent.again and words or nil,
        shown = shown,
        confirm = sent.confirm,
      }, function(failed, result)
        require('oxide.review').settled(result and result.question or 0)
        self:ended(failed)
      end)
      require('oxide.core').is_patient(self.turn.id)
      if sent.again then
        table.remove(self.queue, 1)
      end
    end)
  end)
end

---@param sent oxide.Sent
function Talk:send(sent)
  table.insert(self.queue, sent)
  self:announce()
  self:pump()
end

--- Ends the turn.
---@return boolean  false: there is none
function Talk:cancel()
  if not self.turn then
    return false
  end
  if self.turn.id then
    self:request({ what = 'cancel' }, function() end)
  else
    self:ended(errors.new('cancelled', 'cancelled'))
  end
  return true
end

---@type table<string, fun(talk: oxide.Talk, value: table)>
local events = {}

---@param kind 'text'|'thought'
---@return fun(talk: oxide.Talk, value: table)
local function piece(kind)
  return function(talk, value)
    talk:begin_model()
    local block = talk.blocks[#talk.blocks]
    if block.kind == kind then
      block.text = block.text .. value.text
      if talk.view then
        view_of.more(talk.view, block, value.text)
      end
    else
      talk:add { kind = kind, text = value.text }
    end
  end
end

events.text = piece('text')
events.thought = piece('thought')

--- The heading of who answers, once a turn.
function Talk:begin_model()
  if not self.turn then
    return
  end
  self.turn.waits = nil
  if not self.turn.model then
    self.turn.model = true
    self:add { kind = 'model', who = self.model }
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

function events.call(talk, value)
  talk:begin_model()
  talk:add { kind = 'call', id = value.id, line = value.line, state = 'running' }
end

function events.result(talk, value)
  local block = call_of(talk, value.id)
  if not block then
    return
  end
  require('oxide.review').settled(value.question, value.failed and value.line or nil)
  block.state = value.failed and 'failed' or 'done'
  block.line, block.detail = value.line, value.text
  if talk.view then
    view_of.redraw(talk.view, block)
  end
end

function events.waits(talk, value)
  talk.turn.waits = ('%s; trying again in %d s'):format(value.why, math.ceil(value.ms / 1000))
end

function events.model(talk, value)
  talk:set_model(value)
end

function events.message(talk, value)
  local message = vim.json.decode(value.message, { luanil = { object = true } })
  local row = { message = value.message } ---@type oxide.ChatRow
  talk.usage = value.usage
  if message.role == 'person' then
    row.sent = table.remove(talk.queue, 1)
    talk:keep_row(row)
    talk:add(render.blocks(message, row, {})[1])
    talk:announce()
    return
  end
  if message.role == 'tools' then
    row.lines = {}
    for _, part in ipairs(message.parts) do
      local block = call_of(talk, part.id)
      row.lines[part.id] = block and block.line
    end
  end
  talk:keep_row(row)
end

---@param value table
function Talk:event(value)
  events[value.kind](self, value)
end

--- Takes up the rows of a transcript.
---@param rows oxide.ChatRow[]
function Talk:load(rows)
  local calls = {} ---@type table<string, oxide.ChatBlock>
  for _, row in ipairs(rows) do
    local message = vim.json.decode(row.message, { luanil = { object = true } })
    table.insert(self.rows, row)
    local blocks = render.blocks(message, row, calls)
    local last = self.blocks[#self.blocks]
    if message.role == 'model' and last and last.kind == 'person' then
      table.insert(blocks, 1, { kind = 'model', who = row.who or self.model })
    end
    for _, block in ipairs(blocks) do
      block.message = #self.rows
      table.insert(self.blocks, block)
    end
  end
end

return M
