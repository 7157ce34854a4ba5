-- A conversation with an agent program: what it offers, and what it tells beside its answers. The
-- core speaks with it (native/chat/acp.h).
local ui = require('oxide.ui')

local M = {}

---@class oxide.AgentOption   of the agent's session
---@field id string
---@field name? string
---@field category? string   "mode", "model", ...
---@field value? string
---@field values { value: string, name?: string, description?: string }[]

---@class oxide.ChatAgent
---@field options oxide.AgentOption[]
---@field commands oxide.AgentCommand[]

---@class oxide.AgentCommand   a message that begins with `/NAME` runs it
---@field name string
---@field description? string
---@field input? { hint?: string }   what may follow

--- Agents that the plugin brings, and those of the user's settings.
---@return string[]
function M.names()
  local names = {}
  for _, path in ipairs(vim.api.nvim_get_runtime_file('lua/oxide/agents/*.lua', true)) do
    names[vim.fn.fnamemodify(path, ':t:r')] = true
  end
  for name in pairs(require('oxide.config').get('agents')) do
    names[name] = true
  end
  return vim.tbl_keys(names)
end

---@param talk? oxide.Talk
---@param id string   of an option, or its category
---@return oxide.AgentOption?
local function option(talk, id)
  for _, one in ipairs(talk and talk.agent and talk.agent.options or {}) do
    if one.id == id or one.category == id then
      return one
    end
  end
end

--- What can be chosen for an option.
---@param talk? oxide.Talk
---@param id string
---@return string[]?
function M.values(talk, id)
  local found = option(talk, id)
  return found and vim.tbl_map(function(one)
    return one.value
  end, found.values)
end

--- The mode that the agent is in, by its name.
---@param talk oxide.Talk
---@return string   empty where there is none
function M.mode(talk)
  local found = option(talk, 'mode')
  local value = found and found.value or ''
  for _, one in ipairs(found and found.values or {}) do
    value = one.value == found.value and one.name or value
  end
  return value == '' and '' or 'mode ' .. value
end

--- What can be run in the current buffer by a message that begins in this line.
---@param line integer   from 0
---@return oxide.AgentCommand[]
function M.commands(line)
  local talk = require('oxide.chat').current()
  local view = talk and talk.view
  if not view or view.buf ~= vim.api.nvim_get_current_buf() or not talk.agent then
    return {}
  end
  return require('oxide.chat.prompt').first(view) == line and talk.agent.commands or {}
end

--- The core has opened it.
---@param talk oxide.Talk
---@param result { agent?: boolean, session?: string, options?: table, commands?: table, new_session?: boolean }
function M.opened(talk, result)
  if not result.agent then
    talk.agent = nil
    return
  end
  talk.agent = { options = result.options or {}, commands = result.commands or {} }
  if result.session and result.session ~= talk.session then
    talk.session = result.session
    if talk.file then
      require('oxide.chat.store').append(talk, { session = talk.session })
    end
  end
  if result.new_session and #talk.rows > 0 then
    talk:add {
      kind = 'note',
      text = 'Note: the agent has begun a new session, and knows nothing of what is above',
    }
  end
end

---@class oxide.AgentSession   that the agent keeps itself
---@field session string
---@field title? string
---@field updated? string   RFC 3339

--- What was said before in a session that is resumed.
---@param talk oxide.Talk   empty, without a view
---@param result { history: { message: string, lines: table<string, string> }[], history_cut?: boolean }
function M.take_history(talk, result)
  local rows, lines = {}, {} ---@type oxide.ChatRow[], table<string, string>
  for _, said in ipairs(result.history) do
    local message = vim.json.decode(said.message, { luanil = { object = true } })
    local row = { message = said.message } ---@type oxide.ChatRow
    if message.role == 'person' then
      row.sent = { words = message.parts[1].text, shown = {} }
    elseif message.role == 'model' then
      row.who, lines = talk.model, said.lines
    else
      row.lines = lines
    end
    table.insert(rows, row)
    require('oxide.chat.store').append(talk, row)
  end
  talk:load(rows)
  if result.history_cut then
    talk:add { kind = 'note', text = 'Note: more was said after this than is shown' }
  end
end

--- Asks how the agent is to be authenticated.
---@param err oxide.Error   with `methods`
---@param cb fun(method?: string)
function M.authenticate(err, cb)
  ui.select(err.methods, {
    prompt = err.message .. '; how?',
    kind = 'oxide',
    format_item = function(method)
      local description = method.description and ': ' .. method.description or ''
      return (method.name or method.id) .. description
    end,
  }, function(choice)
    cb(choice and choice.id)
  end)
end

local MARKS = { completed = 'x', in_progress = '~' }

--- A plan is shown where it was first told of, as it is now.
---@param talk oxide.Talk
---@param entries { content: string, status?: string }[]
local function show_plan(talk, entries)
  local lines = { 'Plan:' }
  for _, entry in ipairs(entries) do
    table.insert(lines, ('- [%s] %s'):format(MARKS[entry.status] or ' ', entry.content))
  end
  local block = talk.turn and talk.turn.plan
  if not block then
    block = { kind = 'note', text = table.concat(lines, '\n') }
    if talk.turn then
      talk.turn.plan = block
    end
    return talk:add(block)
  end
  block.text = table.concat(lines, '\n')
  if talk.view then
    require('oxide.chat.view').redraw(talk.view, block)
  end
end

--- The agent has written this file itself: buffers of it are read again, as 'autoread' has it.
---@param path string
local function look_at_disk(path)
  local buf = vim.fn.bufnr('^' .. vim.fn.escape(path, '\\*?[{,') .. '$')
  if buf > 0 and vim.api.nvim_buf_is_loaded(buf) and not vim.bo[buf].modified then
    vim.cmd.checktime { args = { tostring(buf) } }
  end
end

--- It has changed files past Oxide: what is undone with the turn.
---@param talk oxide.Talk
---@param report { turn: string, files: table[] }
local function show_changed(talk, report)
  local files = vim.tbl_map(function(file)
    return ('%s +%d -%d'):format(file.file, file.lines_added, file.lines_removed)
  end, report.files or {})
  local text = ('Changed by %s itself: %s'):format(talk.model, table.concat(files, ', '))
  talk:add { kind = 'note', text = text, turn = report.turn }
end

---@type table<string, fun(talk: oxide.Talk, value: any)>
local news = {
  changed = show_changed,
  plan = show_plan,
  disk = function(_, path)
    look_at_disk(path)
  end,
  commands = function(talk, commands)
    if talk.agent then
      talk.agent.commands = commands
    end
  end,
  options = function(talk, options)
    if talk.agent then
      talk.agent.options = options
      require('oxide.chat').working()
    end
  end,
  answered = function(_, question)
    require('oxide.review').settled(question)
  end,
  title = function() end, -- the conversation has a title of its own
}

---@param talk oxide.Talk
---@param what string
---@param value any
function M.event(talk, what, value)
  local fn = news[what]
  if fn then
    fn(talk, value)
  else
    ui.notify(('the core has sent an unknown event of an agent: %s'):format(what))
  end
end

return M
