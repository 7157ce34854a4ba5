-- `:Oxide chat`: its words, and what they do.
local chat = require('oxide.chat')
local store = require('oxide.chat_store')
local ui = require('oxide.ui')

local M = {}

local WORDS = { 'context', 'model', 'new', 'resume' }

--- What can be named: the user's own models.
---@return string[]
local function models()
  local names = vim.tbl_keys(require('oxide.config').get('models'))
  table.sort(names)
  return names
end

---@param _ string
---@param before string[]
---@return string[]
function M.complete(_, before)
  if #before == 0 then
    return vim.list_extend(models(), WORDS)
  end
  return (before[1] == 'model' or before[1] == 'new') and models() or {}
end

--- Takes up a transcript again, in the conversation that has it already, if there is one.
---@param path string
---@param mods? table
local function take_up(path, mods)
  local talk = chat.of_file(path)
  if not talk then
    local transcript, why = store.read(path)
    if not transcript then
      return ui.notify(assert(why), vim.log.levels.ERROR)
    end
    talk = chat.new(transcript.model)
    talk.file = path
    talk:load(transcript.rows)
  end
  chat.show(talk, mods)
end

---@param mods? table
local function resume(mods)
  local kept = store.list()
  if #kept == 0 then
    return ui.notify('no conversation is kept in ' .. store.directory())
  end
  vim.ui.select(kept, {
    prompt = 'Which conversation?',
    kind = 'oxide',
    format_item = function(item)
      return item.title
    end,
  }, function(item)
    if item then
      take_up(item.path, mods)
    end
  end)
end

---@param model? string
local function set_model(model)
  local talk = chat.current()
  if not talk then
    return ui.notify('no conversation is open; :Oxide chat begins one', vim.log.levels.ERROR)
  elseif not model then
    return ui.notify('chat model needs the name of a model, as in :help oxide-models')
  end
  require('oxide.chat_turn').set_model(talk, model, function(err)
    if err then
      ui.error(err)
    else
      ui.notify(
        ('%s answers from %s on'):format(talk:title(), talk.turn and 'the next turn' or 'now')
      )
      chat.working()
    end
  end)
end

---@param mods? table
local function list_context(mods)
  local talk = chat.current()
  if not talk then
    return ui.notify('no conversation is open; :Oxide chat begins one', vim.log.levels.ERROR)
  end
  local words = require('oxide.chat_view').written(talk:draw())
  require('oxide.chat_context').list(words, talk.shown, mods)
end

---@param inv oxide.Invocation
function M.run(inv)
  local word, name = inv.args[1], inv.args[2]
  if word == 'resume' then
    resume(inv.mods)
  elseif word == 'model' then
    set_model(name)
  elseif word == 'context' then
    list_context(inv.mods)
  elseif word == 'new' then
    chat.show(chat.new(name), inv.mods)
  elseif name then
    require('oxide.arguments').refuse('chat takes one model, not ' .. inv.text)
  else
    require('oxide').chat { model = word, mods = inv.mods }
  end
end

return M
