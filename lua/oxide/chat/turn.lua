-- The turns of a conversation: what is sent, and how it ends. One at a time; what is written
-- meanwhile waits in the queue.
local chat_view = require('oxide.chat.view')
local errors = require('oxide.errors')
local prompt = require('oxide.chat.prompt')
local ui = require('oxide.ui')

local M = {}

---@param talk oxide.Talk
---@param turn? oxide.ChatTurn
---@param err? oxide.Error
local function set_turn(talk, turn, err)
  talk.turn = turn
  require('oxide.chat').working()
  ui.event('ChatTurn', {
    chat = talk.number,
    buf = talk.view and talk.view.buf,
    phase = turn and 'begin' or 'end',
    model = talk.model,
    error = err and { code = err.code, message = err.message },
    usage = talk.usage,
  })
end

--- What was not sent goes back to the place to write.
---@param talk oxide.Talk
local function give_back(talk)
  local words = {}
  for _, sent in ipairs(talk.queue) do
    if not sent.again then
      table.insert(words, sent.words)
      vim.list_extend(talk.shown, sent.shown)
    end
  end
  talk.queue = {}
  if #words > 0 then
    local view = talk:draw()
    local written = prompt.text(view)
    table.insert(words, written ~= '' and written or nil)
    prompt.set_text(view, table.concat(words, '\n\n'))
  end
end

---@param talk oxide.Talk
local function end_calls(talk)
  for _, block in ipairs(talk.blocks) do
    if block.kind == 'call' and block.state == 'running' then
      block.state = 'failed'
      if talk.view then
        chat_view.redraw(talk.view, block)
      end
    end
  end
end

---@param talk oxide.Talk
---@param err? oxide.Error
local function ended(talk, err)
  end_calls(talk)
  if talk.view then
    chat_view.close(talk.view)
  end
  if err and err.code == 'cancelled' then
    talk:add { kind = 'note', text = 'Cancelled.' }
  elseif err then
    talk:add { kind = 'note', text = 'Error: ' .. err.message }
  end
  local sent = talk.turn.sent
  talk.failed = err ~= nil and talk.turn.is_sent
  talk.pieces = nil -- the core may have died meanwhile
  set_turn(talk, nil, err)
  if err then
    give_back(talk)
  end
  talk:announce()
  talk:follow()
  if sent.on_done then
    sent.on_done(err, not err and { text = talk:answer() } or nil)
  end
  M.pump(talk)
end

---@param talk oxide.Talk
---@param value table
---@param cb fun(err?: oxide.Error, result?: table)
---@return integer id
local function request(talk, value, cb)
  value.chat = talk.number
  return require('oxide.core').request('chat', value, cb)
end

--- Opens it in the core; what is still to be decided for that, the user is asked.
---@param talk oxide.Talk
---@param value table
---@param cb fun(err?: oxide.Error, result?: table)
local function ask_core(talk, value, cb)
  local late = require('oxide.late_question').later()
  local function done(err, result)
    local is_choice = err and (err.code == 'ambiguous' or err.code == 'invalid')
    if is_choice and #(err.models or {}) > 0 and talk.model == '' then
      local function chosen(model)
        if not model then
          return cb(errors.new('cancelled', 'no model was chosen'))
        end
        talk.model, value.model = model, model
        request(talk, value, done)
      end
      late('which model', function()
        require('oxide.chat.model').choose(err, chosen)
      end, chosen)
    elseif err and err.methods then
      local function chosen(method)
        if not method then
          return cb(err)
        end
        request(talk, { what = 'authenticate', method = method }, done)
      end
      late(err.message, function()
        require('oxide.chat.agent').authenticate(err, chosen)
      end, chosen)
    else
      cb(err, result)
    end
  end
  request(talk, value, done)
end

---@param talk oxide.Talk
---@param result table
local function take_opened(talk, result)
  talk.opened = true
  require('oxide.chat.agent').opened(talk, result)
  talk:set_model(result)
end

---@param talk oxide.Talk
---@param cb fun(err?: oxide.Error)
local function ask_core_to_open(talk, cb)
  local messages = vim.tbl_map(function(row)
    return row.message
  end, talk.rows)
  local value = { what = 'open', model = talk.model, messages = messages, session = talk.session }
  ask_core(talk, value, function(err, result)
    if not err then
      take_opened(talk, assert(result))
    end
    cb(err)
  end)
end

--- The sessions that an agent has in this project, of itself.
---@param talk oxide.Talk   new
---@param cb fun(err?: oxide.Error, sessions?: oxide.AgentSession[])
function M.sessions(talk, cb)
  ask_core(talk, { what = 'open', model = talk.model, sessions = true }, function(err, result)
    if not err and not assert(result).agent then
      err = errors.new('unsupported', talk.model .. ' is a model, which has no sessions of its own')
    end
    cb(err, not err and result.sessions or nil)
  end)
end

--- Goes on with one of these, with all that was said in it.
---@param talk oxide.Talk
---@param session string
---@param cb fun(err?: oxide.Error)
function M.take_session(talk, session, cb)
  ask_core(talk, { what = 'session', session = session }, function(err, result)
    if not err then
      require('oxide.chat.agent').take_history(talk, assert(result))
      take_opened(talk, result)
    end
    cb(err)
  end)
end

--- Makes sure that the core has it, with all that was said.
---@param talk oxide.Talk
---@param cb fun(err?: oxide.Error)
function M.open(talk, cb)
  if talk.opened then
    return cb()
  elseif talk.opening then
    return table.insert(talk.opening, cb)
  end
  talk.opening = { cb }
  ask_core_to_open(talk, function(err)
    local waiting = assert(talk.opening)
    talk.opening = nil
    for _, fn in ipairs(waiting) do
      fn(err)
    end
  end)
end

--- Another model from the next turn on.
---@param talk oxide.Talk
---@param model string
---@param cb fun(err?: oxide.Error)
function M.set_model(talk, model, cb)
  if talk.opening then -- with the one before, whose name would take the place of this one
    return table.insert(talk.opening, function()
      M.set_model(talk, model, cb)
    end)
  elseif not talk.opened then
    talk.model, talk.id = model, ''
    return cb()
  end
  request(talk, { what = 'model', model = model }, function(err, result)
    if not err then
      talk:set_model(assert(result))
    end
    cb(err)
  end)
end

--- Another mode, model or option of an agent's session.
---@param talk oxide.Talk
---@param option string
---@param value string
---@param cb fun(err?: oxide.Error)
function M.set_option(talk, option, value, cb)
  request(talk, { what = 'option', option = option, value = value }, function(err, result)
    if result then
      talk:set_model(result)
    end
    cb(err)
  end)
end

--- Opens it, with the model that the message is for.
---@param talk oxide.Talk
---@param sent oxide.Sent
---@param cb fun(err?: oxide.Error)
local function prepare(talk, sent, cb)
  local before = talk.model
  if sent.model and not talk.opened and not talk.opening then
    talk.model = sent.model -- else somebody might be asked which one
  end
  M.open(talk, function(err)
    if err then
      talk.model = before
    end
    if err or not sent.model or sent.model == talk.model then
      return cb(err)
    end
    M.set_model(talk, sent.model, cb)
  end)
end

---@param talk oxide.Talk
---@param sent oxide.Sent
---@param words string
---@param shown oxide.Shown[]
local function send(talk, sent, words, shown)
  if sent.keep then
    talk:cut(sent.keep)
  end
  if sent.again then
    table.remove(talk.queue, 1)
  end
  talk.turn.id = request(talk, {
    what = 'send',
    keep = #talk.rows,
    words = not sent.again and words or nil,
    shown = shown,
    confirm = sent.confirm,
  }, function(err, result)
    require('oxide.review').settled(result and result.question or 0)
    ended(talk, err)
  end)
  require('oxide.core').is_patient(talk.turn.id)
end

--- Sends what waits, if nothing is under way.
---@param talk oxide.Talk
function M.pump(talk)
  local sent = talk.queue[1]
  if talk.turn or not sent then
    return
  end
  set_turn(talk, { sent = sent, began = vim.uv.now() })
  local turn = talk.turn
  talk:announce()
  require('oxide.chat.context').resolve(sent, function(err, words, shown)
    if talk.turn ~= turn then -- cancelled
      return
    elseif err then
      return ended(talk, err)
    end
    prepare(talk, sent, function(why)
      if talk.turn ~= turn then
        return
      elseif why then
        return ended(talk, why)
      end
      send(talk, sent, assert(words), assert(shown))
    end)
  end)
end

---@param talk oxide.Talk
---@param sent oxide.Sent
function M.send(talk, sent)
  table.insert(talk.queue, sent)
  talk:announce()
  M.pump(talk)
end

--- Ends the turn.
---@param talk oxide.Talk
---@return boolean  false: there is none
function M.cancel(talk)
  if not talk.turn then
    return false
  elseif talk.turn.id then
    request(talk, { what = 'cancel' }, function() end)
  else
    ended(talk, errors.new('cancelled', 'cancelled'))
  end
  return true
end

return M
