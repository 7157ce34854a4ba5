-- Others who work in this editor: `oxide call` in a shell, and agents. What they change comes up
-- for review, and is told.
local ui = require('oxide.ui')

local M = {}

local asked = {} ---@type table<integer, true>   questions about no change, and not answered

---@class oxide.RemoteCall
---@field who string        "oxide call (4711)"
---@field question integer  the latest review; 0: there was none
---@field title string      of what was written; empty: nothing was
---@field error? string
---@field transaction? string
---@field files? table[]
---@field files_changed? integer
---@field saved? integer
---@field left_modified? integer

--- Whether a person sees this change first.
---@param question oxide.Question
---@return 'always'|'never'
function M.when(question)
  local how = require('oxide.config').get('review.agent')
  if type(how) == 'function' then
    local ok, shown = pcall(how, question)
    if not ok then
      ui.notify('review.agent: ' .. tostring(shown), vim.log.levels.ERROR)
    end
    how = (not ok or shown == true or shown == 'always') and 'always' or 'never'
  end
  return how
end

--- A question about no change: there is nothing to review.
---@param question oxide.Question
function M.ask(question)
  local function reply(accept)
    require('oxide.core').tell('reply', { id = question.id, accept = accept })
  end
  question.files = {}
  local never = M.when(question) == 'never'
  if never or question.unattended then
    return reply(never)
  end
  local queue = require('oxide.review.queue')
  asked[question.id] = true
  queue.add {
    id = question.id,
    title = question.title,
    who = question.who,
    bufs = {},
    open = function()
      local prompt = ('%s asks: %s?'):format(question.who or question.tool, question.title)
      ui.select({ 'No', 'Yes' }, { prompt = prompt, kind = 'oxide' }, function(choice)
        asked[question.id] = nil
        queue.drop(question.id)
        reply(choice == 'Yes')
      end)
    end,
  }
end

--- The core has taken a question back.
---@param id integer
function M.gone(id)
  if asked[id] then
    asked[id] = nil
    require('oxide.review.queue').drop(id)
  end
end

---@param call oxide.RemoteCall
local function say(call)
  if call.error then
    ui.notify(('%s: %s: %s'):format(call.who, call.title, call.error), vim.log.levels.WARN)
    return
  end
  local tool_command = require('oxide.tool_command')
  local files = ui.count(call.files_changed or 0, 'file')
  local text = ('%s: %s, in %s.%s'):format(call.who, call.title, files, tool_command.changed(call))
  ui.notify(text, nil, tool_command.written(call))
end

---@param call oxide.RemoteCall
function M.ended(call)
  local told, hush = require('oxide.review').settled(call.question, call.error)
  if call.title ~= '' and not told then
    require('oxide.messages').hushed(hush, say, call)
  end
end

return M
