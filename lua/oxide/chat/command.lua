-- `:Oxide chat`: its words, and what they do.
local chat = require('oxide.chat')
local store = require('oxide.chat.store')
local ui = require('oxide.ui')

local M = {}

local WORDS = { 'context', 'mode', 'model', 'new', 'resume', 'sessions' }

--- What can be named: the user's own models, and agents.
---@return string[]
local function models()
  local names = vim.tbl_keys(require('oxide.config').get('models'))
  vim.list_extend(names, require('oxide.chat.agent').names())
  table.sort(names)
  return vim.fn.uniq(names)
end

--- For `:Oxide ask`.
---@return string[]   'model=fast'
function M.named()
  local names = vim.tbl_map(function(name)
    return 'model=' .. name
  end, vim.tbl_keys(require('oxide.config').get('models')))
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
  if before[1] == 'mode' or before[1] == 'model' then
    local offered = require('oxide.chat.agent').values(chat.current(), before[1])
    return offered or before[1] == 'model' and models() or {}
  end
  if before[1] == 'sessions' then
    return require('oxide.chat.agent').names()
  end
  return before[1] == 'new' and models() or {}
end

--- Goes on with one; where another Neovim or a shell writes to it, in a copy.
---@param transcript oxide.Transcript
---@param mods? table
local function go_on(transcript, mods)
  local talk = chat.new(transcript.model)
  talk:load(transcript.rows)
  if transcript.output then
    talk.file, talk.output = transcript.path, transcript.output
    talk.session = transcript.session
  elseif #transcript.rows > 0 then
    store.append(talk, transcript.rows[#transcript.rows])
  end
  chat.show(talk, mods)
end

--- Takes up a transcript again, in the conversation that has it already, if there is one.
---@param path string
---@param mods? table
local function take_up(path, mods)
  local talk = chat.of_file(path)
  if talk then
    return chat.show(talk, mods)
  end
  local transcript, why = store.resume(path)
  if not transcript then
    return ui.notify(assert(why), vim.log.levels.ERROR)
  elseif transcript.output then
    return go_on(transcript, mods)
  end
  ui.select({ 'Go on with a copy', 'Leave it' }, {
    prompt = 'Another Neovim, or oxide chat, has this conversation open and writes to it',
    kind = 'oxide',
  }, function(_, choice)
    if choice == 1 then
      go_on(transcript, mods)
    end
  end)
end

---@param mods? table
local function resume(mods)
  local kept = store.list()
  if #kept == 0 then
    return ui.notify('no saved conversation in ' .. store.directory())
  end
  ui.select(kept, {
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
  require('oxide.chat.turn').set_model(talk, model, function(err)
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

---@param mode? string
local function set_mode(mode)
  local talk = chat.current()
  if not talk or not talk.agent then
    return ui.notify('no conversation with an agent is open', vim.log.levels.ERROR)
  elseif not mode then
    local offered = require('oxide.chat.agent').values(talk, 'mode') or {}
    return ui.notify('chat mode needs one of: ' .. table.concat(offered, ', '))
  end
  require('oxide.chat.turn').set_option(talk, 'mode', mode, function(err)
    if err then
      ui.error(err)
    else
      ui.notify(('%s is now in mode %s'):format(talk:title(), mode))
    end
  end)
end

---@param mods? table
local function list_context(mods)
  local talk = chat.current()
  if not talk then
    return ui.notify('no conversation is open; :Oxide chat begins one', vim.log.levels.ERROR)
  end
  require('oxide.chat.context').list(talk, mods)
end

---@param inv oxide.Invocation
function M.run(inv)
  local word, name = inv.args[1], inv.args[2]
  if word == 'resume' then
    resume(inv.mods)
  elseif word == 'model' then
    set_model(name)
  elseif word == 'mode' then
    set_mode(name)
  elseif word == 'sessions' then
    require('oxide.chat.sessions').choose(name, inv.mods)
  elseif word == 'context' then
    list_context(inv.mods)
  elseif word == 'new' then
    chat.begin(name, inv.mods)
  elseif name then
    require('oxide.command.arguments').refuse('chat takes one model, not ' .. inv.text)
  else
    require('oxide').chat { model = word, mods = inv.mods }
  end
end

return M
