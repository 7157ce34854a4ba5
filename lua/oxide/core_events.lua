-- What the core says by itself, and which module hears it: a function for each event, with its value.
-- The answers to calls are core.lua's.
local ui = require('oxide.ui')

local M = {}

--- It asks about a change, for a permission, or what another client may do.
---@param question oxide.Question
---@param context oxide.Context   of the call that the question belongs to
function M.confirm(question, context)
  if question.permission then
    return require('oxide.permission').ask(question)
  elseif #(question.files or {}) == 0 then
    return require('oxide.remote_client').ask(question)
  end
  require('oxide.review').confirm(question, context)
end

function M.confirm_gone(question)
  require('oxide.permission').gone(question.id)
  require('oxide.remote_client').gone(question.id)
  require('oxide.review').gone(question.id)
end

function M.confirm_settled(question)
  require('oxide.review').settled(question.id, question.error)
end

--- An answer that was given before counts.
function M.confirm_unattended(question)
  M.confirm_gone(question)
  require('oxide.core').tell('reply', { id = question.id, accept = false })
end

function M.remote_client(call)
  require('oxide.remote_client').ended(call)
end

function M.progress(p)
  require('oxide.waits').progress(p)
  ui.progress(p)
end

function M.chat(value)
  require('oxide.chat').event(value)
end

function M.agent(info)
  require('oxide.agent_terminal').event(info)
end

function M.agent_turn(info)
  require('oxide.agent_terminal').turn(info)
end

function M.ide(status)
  require('oxide.ide').event(status)
end

function M.follow(buffer)
  require('oxide.reread').follow(buffer)
end

function M.message(message)
  ui.notify(message.text, vim.log.levels[message.level:upper()])
end

function M.change(news)
  require('oxide.changes').event(news)
end

function M.diagnostics(published)
  require('oxide.diagnostics').published(published.path)
end

function M.server(server)
  require('oxide.waits').server(server)
  require('oxide.server_news').changed(server)
end

function M.show(document)
  require('oxide.server_news').show(document)
end

return M
