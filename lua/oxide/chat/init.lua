-- `:Oxide ask`, `chat` and `send`: conversations with models. chat/talk.lua is one of them.
local prompt = require('oxide.chat.prompt')
local talks_of = require('oxide.chat.talk')
local ui = require('oxide.ui')
local window = require('oxide.chat.window')

local M = {}

local talks = {} ---@type table<integer, oxide.Talk>
local current ---@type oxide.Talk?   the one that was used last
local last_number = 0

---@param number integer
---@return oxide.Talk?
function M.get(number)
  return talks[number]
end

---@param model? string
---@return oxide.Talk
function M.new(model)
  last_number = last_number + 1
  local talk = talks_of.new(last_number, model or '')
  talks[last_number] = talk
  current = talk
  return talk
end

--- Forgets one that came to nothing.
---@param talk oxide.Talk
---@param before? oxide.Talk   the one that was used before it
function M.drop(talk, before)
  talks[talk.number] = nil
  current = before
  require('oxide.core').request('chat', { what = 'close', chat = talk.number }, function() end)
end

---@param path string   of a transcript
---@return oxide.Talk?
function M.of_file(path)
  for _, talk in pairs(talks) do
    if talk.file == path then
      return talk
    end
  end
end

---@param session string   of an agent
---@return oxide.Talk?
function M.of_session(session)
  for _, talk in pairs(talks) do
    if talk.session == session then
      return talk
    end
  end
end

--- The conversation of this buffer, else the one that was used last.
---@return oxide.Talk?
function M.current()
  local buf = vim.api.nvim_get_current_buf()
  for _, talk in pairs(talks) do
    if talk.view and talk.view.buf == buf then
      current = talk
    end
  end
  return current
end

--- An event of the core.
---@param value table
function M.event(value)
  local talk = talks[value.chat]
  if talk then
    require('oxide.chat.events').take(talk, value)
  end
end

--- The core has ended: it has none of them any more. What was under way fails by itself.
function M.forget()
  for _, talk in pairs(talks) do
    talk.opened = false
  end
end

--- A turn has begun, or has ended.
function M.working()
  local busy = {}
  for _, talk in vim.spairs(talks) do
    if talk:working() then
      table.insert(busy, (talk.model == '' and 'the model' or talk.model) .. ' is answering')
    end
  end
  ui.working(table.concat(busy, ', '))
  window.spin(#busy > 0)
end

--- The conversations that a model is answering in.
---@return oxide.Talk[]
function M.answering()
  local busy = {}
  for _, talk in vim.spairs(talks) do
    table.insert(busy, talk:working() and talk or nil)
  end
  return busy
end

---@return integer count of turns that were cancelled
function M.cancel_all()
  local count = 0
  for _, talk in pairs(talks) do
    count = count + (talk:cancel() and 1 or 0)
  end
  return count
end

---@class oxide.ChatOpts
---@field model? string
---@field mods? table

---@param err? oxide.Error
local function say_why(err)
  if err and err.code ~= 'cancelled' then
    ui.error(err)
  end
end

---@param talk oxide.Talk
---@param mods? table
function M.show(talk, mods)
  current = talk
  window.show(talk:draw(), { focus = true, mods = mods })
  if not talk.turn then
    require('oxide.chat.turn').open(talk, say_why) -- so that the title says who answers
  end
end

--- Begins one. Where there is no model of that name, it comes to nothing; what an agent does until it is
--- ready is seen in the window.
---@param model? string
---@param mods? table
function M.begin(model, mods)
  local before = M.current()
  local talk = M.new(model)
  if talk.model == '' or vim.list_contains(require('oxide.chat.agent').names(), talk.model) then
    return M.show(talk, mods)
  end
  require('oxide.chat.turn').open(talk, function(err)
    if err and err.models then
      M.drop(talk, before)
    else
      window.show(talk:draw(), { focus = true, mods = mods })
    end
    say_why(err)
  end)
end

--- Shows the conversation that was used last, or begins one.
---@param opts oxide.ChatOpts
function M.open(opts)
  local talk = M.current()
  local model = opts.model
  if not talk or model and talk.model ~= model then
    M.begin(model or vim.b.oxide_model, opts.mods)
  else
    M.show(talk, opts.mods)
  end
end

--- What the lines of a buffer are shown as; those of a buffer without a file are numbered here.
---@param buf integer
---@param first? integer
---@param last? integer
---@return oxide.Shown
local function shown_lines(buf, first, last)
  local name = vim.api.nvim_buf_get_name(buf)
  if vim.bo[buf].buftype == '' and name ~= '' then
    return { path = name, first = first, last = last }
  end
  local lines = vim.api.nvim_buf_get_lines(buf, (first or 1) - 1, last or -1, false)
  local heading = name == '' and 'a buffer without a name' or name
  if first then
    heading = ('%s, lines %d to %d'):format(heading, first, last)
  end
  local numbered = require('oxide.numbers').lines(lines, first or 1)
  return { heading = heading, text = table.concat(numbered, '\n') .. '\n' }
end

---@class oxide.AskOpts
---@field prompt string
---@field first? integer    line from 1; without it the whole buffer
---@field last? integer
---@field buf? integer
---@field model? string
---@field review? 'never'   changes are applied without one
---@field on_done? fun(err?: oxide.Error, result?: { text: string })   at the end of the answer
---@field mods? table

--- Asks about the buffer or some lines of it; the answer streams into the chat window.
---@param opts oxide.AskOpts
function M.ask(opts)
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  local talk = M.current() or M.new(vim.b[buf].oxide_model)
  local view = talk:draw()
  window.show(view, { focus = false, mods = opts.mods })
  talk:send {
    words = opts.prompt,
    shown = view.buf ~= buf and { shown_lines(buf, opts.first, opts.last) } or {},
    about = view.buf ~= buf and { buf = buf, first = opts.first, last = opts.last } or nil,
    confirm = opts.review,
    on_done = opts.on_done,
    model = opts.model or vim.b[buf].oxide_model,
  }
end

---@class oxide.SendOpts
---@field text? string
---@field buf? integer
---@field first? integer
---@field last? integer
---@field mods? table

--- Puts lines of the buffer, or a text, to the message that is written, without sending it: a file is
--- mentioned, other text goes with the message.
---@param opts oxide.SendOpts
function M.send(opts)
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  local talk = M.current() or M.new(vim.b[buf].oxide_model)
  local view = talk:draw()
  window.show(view, { focus = false, mods = opts.mods })
  local words = {}
  if view.buf ~= buf and (opts.first or not opts.text) then
    local shown = shown_lines(buf, opts.first, opts.last)
    if shown.path then
      local mention = require('oxide.chat.context').mention(shown.path, opts.first, opts.last)
      table.insert(words, mention)
    else
      table.insert(talk.shown, shown)
    end
  end
  table.insert(words, opts.text)
  local written = prompt.text(view)
  if #words > 0 then
    prompt.set_text(view, (written == '' and '' or written .. '\n') .. table.concat(words, ' '))
  end
  talk:announce()
  talk:follow()
end

--- Asks for a question about the lines, and puts it.
---@param first? integer
---@param last? integer
function M.ask_for(first, last)
  ui.input({ prompt = 'Ask: ' }, function(question)
    if question and vim.trim(question) ~= '' then
      M.ask { prompt = question, first = first, last = last }
    end
  end)
end

--- 'operatorfunc' of <Plug>(oxide-ask).
function M.operatorfunc()
  local first, last = vim.fn.line("'["), vim.fn.line("']")
  vim.schedule(function() -- not while the operator still holds the keys
    M.ask_for(first, last)
  end)
end

---@return string keys
function M.operator()
  vim.o.operatorfunc = "v:lua.require'oxide.chat'.operatorfunc"
  return 'g@'
end

--- Sends what is in the place to write.
---@param view oxide.ChatView
function M.submit(view)
  local talk = view.talk
  local words = prompt.text(view)
  if words == '' then
    return ui.notify('there is nothing to send')
  end
  local sent = { words = words, shown = talk.shown, keep = talk.editing }
  talk.shown, talk.editing = {}, nil
  prompt.set_text(view, '')
  current = talk
  talk:send(sent)
end

return M
