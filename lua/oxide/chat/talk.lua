-- A conversation: what was said, and what is still to be sent. The core has it too, as long as it
-- lives; this is what it is opened with again. chat/turn.lua sends, chat/events.lua takes what comes.
local chat_view = require('oxide.chat.view')
local prompt = require('oxide.chat.prompt')
local render = require('oxide.chat.render')
local store = require('oxide.chat.store')
local ui = require('oxide.ui')

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
---@field model? string    to ask another one from here on
---@field on_done? fun(err?: oxide.Error, result?: { text: string })
---@field about? { buf: integer, first?: integer, last?: integer }   what @buffer and @selection are

---@class oxide.ChatRow   of a transcript
---@field message? string   JSON of the core
---@field lines? table<string, string>   of its calls, by id
---@field sent? oxide.Sent
---@field who? string       the model
---@field keep? integer     the messages behind that many are forgotten

---@class oxide.ChatTurn
---@field sent oxide.Sent    what it answers
---@field began integer      vim.uv.now()
---@field id? integer        of the request
---@field is_sent? boolean   the core has the message
---@field has_heading? boolean
---@field waits? string      for what
---@field pause? { why: string, ends: integer }   it is tried again then, by vim.uv.now()
---@field plan? oxide.ChatBlock   of an agent

---@class oxide.Talk
---@field number integer
---@field model string      as it was asked for; empty: the configured one
---@field id string         the model's name at its provider
---@field opened boolean    the core has it
---@field opening? fun(err?: oxide.Error)[]   who waits for that
---@field rows oxide.ChatRow[]   its messages
---@field blocks oxide.ChatBlock[]
---@field queue oxide.Sent[]
---@field turn? oxide.ChatTurn
---@field pieces? string[]   of a message that the core is telling
---@field failed? boolean   the last turn, after the core had its message
---@field usage? oxide.ChatUsage
---@field agent? oxide.ChatAgent   it is one that answers (chat/agent.lua)
---@field session? string   of that, to go on with
---@field view? oxide.ChatView
---@field file? string      of its transcript
---@field output? integer   to write to that, which is locked
---@field unkept? boolean   rows are missing in it
---@field shown oxide.Shown[]   what goes with the next message
---@field unsent? string    what was being written as its buffer went
---@field editing? integer  the next message is put in place of all behind that many
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
  if require('oxide.review.queue').count() > 0 then
    return 'waiting for you'
  end
  local pause = self.turn.pause
  local left = pause and math.ceil((pause.ends - vim.uv.now()) / 1000) or 0
  return self.turn.waits or left > 0 and ('trying again in %d s'):format(left) or 'answering'
end

---@return string
function Talk:title()
  local name = self.model == '' and 'no model yet' or self.model
  local says_it = vim.endswith(name, vim.fs.basename(self.id)) -- as "llama.cpp/qwen3.gguf" does
  return says_it and name or ('%s (%s)'):format(name, self.id)
end

--- Draws a block as the last one.
---@param block oxide.ChatBlock
function Talk:add(block)
  -- What a model says is of the message that is complete only afterwards.
  block.message = #self.rows + (block.kind == 'person' and 0 or 1)
  table.insert(self.blocks, block)
  if self.view then
    chat_view.add(self.view, block)
  end
end

--- What waits, beside the place to write.
function Talk:announce()
  if not self.view then
    return
  end
  local above, below = {}, {}
  if self.turn and self.turn.pause then
    table.insert(above, self.turn.pause.why)
  end
  for i, sent in ipairs(self.queue) do
    local is_next = i == 1 and self.turn and not self.turn.is_sent
    table.insert(above, (is_next and 'sending: ' or 'queued: ') .. sent.words:match('^[^\n]*'))
  end
  if self.editing then
    table.insert(below, 'instead of your last message; what follows it goes. CTRL-C keeps it')
  end
  if self.failed and not self.turn and not self.agent then
    table.insert(below, 'In Normal mode gr asks again, and ge edits your message.')
  end
  if #self.blocks == 0 and #self.queue == 0 then
    table.insert(below, 'Write a message, and <CR> in Normal mode sends it; g? lists the keys.')
  end
  for _, shown in ipairs(self.shown) do
    table.insert(below, 'with ' .. render.shown_name(shown))
  end
  prompt.announce(self.view, above, below)
end

function Talk:follow()
  if self.view then
    require('oxide.chat.window').follow(self.view)
  end
end

--- Makes its buffer, if it has none.
---@return oxide.ChatView
function Talk:draw()
  if not self.view then
    self.view = chat_view.new(self)
    require('oxide.chat.window').watch(self.view)
    require('oxide.chat.keys').map(self.view)
    vim.bo[self.view.buf].omnifunc = "v:lua.require'oxide.mentions.complete'.omnifunc"
    vim.bo[self.view.buf].filetype = 'oxide-chat'
    if (self.unsent or '') ~= '' then
      prompt.set_text(self.view, self.unsent)
    end
    self.unsent = nil
    self:announce()
    ui.event('ChatOpen', { chat = self.number, buf = self.view.buf })
  end
  return self.view
end

--- The buffer is unloaded, or wiped out; the conversation goes on, with what was being written.
---@param view oxide.ChatView
function Talk:lost(view)
  if self.view == view then
    self.view, self.unsent = nil, prompt.text(view)
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
    chat_view.cut(self.view, self.blocks[at], self.blocks[at - 1])
  end
  self.blocks = vim.list_slice(self.blocks, 1, at - 1)
  self.rows = vim.list_slice(self.rows, 1, keep)
  store.append(self, { keep = keep })
end

---@param found { model: string, id: string }
function Talk:set_model(found)
  self.model, self.id = found.model, found.id
  require('oxide.chat').working()
  require('oxide.chat.window').redraw_bars()
end

---@param sent oxide.Sent
function Talk:send(sent)
  require('oxide.chat.turn').send(self, sent)
end

--- Ends the turn.
---@return boolean  false: there is none
function Talk:cancel()
  return require('oxide.chat.turn').cancel(self)
end

--- What the model has said since then.
---@return string
function Talk:answer()
  local texts = {}
  for i = #self.blocks, 1, -1 do
    local block = self.blocks[i]
    if block.kind == 'person' then
      break
    elseif block.kind == 'text' then
      table.insert(texts, 1, render.text(block))
    end
  end
  return table.concat(texts, '\n\n')
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
  self.failed = #rows > 0 and rows[#rows].sent ~= nil -- nobody has answered it
end

return M
