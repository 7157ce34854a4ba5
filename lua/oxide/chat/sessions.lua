-- `:Oxide chat sessions`: sessions that an agent keeps itself, such as those of its own terminal. One
-- that is chosen is gone on with in the chat window.
local chat = require('oxide.chat')
local turns = require('oxide.chat.turn')
local ui = require('oxide.ui')

local M = {}

---@param session oxide.AgentSession
---@return string
local function line(session)
  local day, time = (session.updated or ''):match('^(%d+%-%d+%-%d+)T(%d+:%d+)')
  local title = (session.title or session.session):match('^[^\n]*'):sub(1, 80)
  return day and ('%s %s  %s'):format(day, time, title) or title
end

--- The latest first; those that tell no time last.
---@param a oxide.AgentSession
---@param b oxide.AgentSession
local function is_later(a, b)
  return (a.updated or '') > (b.updated or '')
end

---@param talk oxide.Talk
---@param session string
---@param before? oxide.Talk
---@param mods? table
local function take_up(talk, session, before, mods)
  local open = chat.of_session(session)
  if open then
    chat.drop(talk, open)
    return chat.show(open, mods)
  end
  turns.take_session(talk, session, function(err)
    if err then
      chat.drop(talk, before)
      return ui.error(err)
    end
    chat.show(talk, mods)
  end)
end

---@param agent? string   without it, the one of the conversation
---@param mods? table
function M.choose(agent, mods)
  local before = chat.current()
  agent = agent or before and before.agent and before.model or nil
  if not agent then
    return ui.notify('chat sessions needs the name of an agent', vim.log.levels.ERROR)
  end
  local talk = chat.new(agent)
  local late = require('oxide.late_question').later()
  turns.sessions(talk, function(err, sessions)
    if err then
      chat.drop(talk, before)
      return ui.error(err)
    elseif #assert(sessions) == 0 then
      chat.drop(talk, before)
      return ui.notify(agent .. ' has no session in this project')
    end
    table.sort(sessions, is_later)
    local function chosen(one)
      if one then
        take_up(talk, one.session, before, mods)
      else
        chat.drop(talk, before)
      end
    end
    late('which session', function()
      local opts = { prompt = 'Which session?', kind = 'oxide', format_item = line }
      ui.select(sessions, opts, chosen)
    end, chosen)
  end)
end

return M
