-- What an agent asks leave for: to run a command, to read or edit outside of the project. A question
-- waits for as long as the user likes and takes no key by itself: it is announced, `:Oxide review`
-- opens it, and a chat can show it where it is (list(), answer()).
local queue = require('oxide.review.queue')
local ui = require('oxide.ui')

local M = {}

---@alias oxide.PermissionChoice 'once'|'session'|'always'|'no'

local LABELS = {
  once = 'Yes, once',
  session = 'Yes, for this session',
  always = 'Yes, always for exactly this',
  no = 'No',
  why = 'No, and say why',
}

local open = {} ---@type table<integer, oxide.Question>

---@param id integer
local function forget(id)
  local question = open[id]
  open[id] = nil
  queue.drop(id)
  if question then
    ui.event('Permission', { id = id, open = false })
  end
end

--- The questions that are not answered, the oldest first.
---@return oxide.Question[]
function M.list()
  return queue.by_age(open)
end

--- What may be answered.
---@param question oxide.Question
---@return oxide.PermissionChoice[]
function M.choices(question)
  return question.lasting and { 'once', 'session', 'always', 'no' } or { 'once', 'no' }
end

---@param id integer   of a question; one that is answered, or was taken back, is ignored
---@param choice oxide.PermissionChoice
---@param why? string  of a no
function M.answer(id, choice, why)
  if not open[id] then
    return
  end
  forget(id)
  require('oxide.core').tell('reply', {
    id = id,
    accept = choice ~= 'no',
    lasts = choice,
    why = why or '',
  })
end

--- Asks now, by vim.ui.select. What is closed without an answer waits on.
---@param question oxide.Question
function M.select(question)
  local items = vim.list_extend(M.choices(question), { 'why' }) ---@type string[]
  ui.select(items, {
    prompt = ('%s asks: %s?'):format(question.who or question.tool, question.title),
    kind = 'oxide',
    format_item = function(item)
      return LABELS[item]
    end,
  }, function(choice)
    if choice == 'why' then
      ui.input({ prompt = 'Why not: ' }, function(why)
        if why then
          M.answer(question.id, 'no', why)
        else
          M.wait(question, true)
        end
      end)
    elseif choice then
      M.answer(question.id, choice --[[@as oxide.PermissionChoice]])
    else
      M.wait(question, true)
    end
  end)
end

--- Puts it among what waits for the user.
---@param question oxide.Question
---@param again? boolean   it was announced before
function M.wait(question, again)
  if not open[question.id] then
    return
  end
  queue.drop(question.id) -- it was open
  queue.add {
    id = question.id,
    title = question.title,
    who = question.who or question.tool,
    asks = 'permission',
    announced = again,
    bufs = {},
    open = function()
      M.select(question)
    end,
  }
end

---@param question oxide.Question
function M.ask(question)
  if question.unattended then
    return require('oxide.core').tell('reply', { id = question.id, accept = false })
  end
  open[question.id] = question
  M.wait(question)
  ui.event('Permission', { id = question.id, open = true })
end

--- The core has taken a question back.
---@param id integer
function M.gone(id)
  if open[id] then
    forget(id)
  end
end

--- The core has ended: nobody waits for an answer.
function M.forget()
  for id in pairs(open) do
    forget(id)
  end
end

return M
