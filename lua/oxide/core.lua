-- The plugin's side of the protocol: calls with an id go out as notifications, answers come back
-- as events, and every call ends: by its answer, by the core's death, or because the core hangs.
local errors = require('oxide.errors')
local messages = require('oxide.messages')
local process = require('oxide.process')
local ui = require('oxide.ui')

local M = {}

---@class oxide.Context
---@field buf? integer
---@field origin? string
---@field confirm? 'auto'|'always'|'never'
---@field flat? boolean
---@field diff? boolean   false: the answer to a change that is made has none
---@field known? boolean  of a project what is known, without asking about files that are closed
---@field by_text? boolean   of symbols what the texts tell, without waiting for a server
---@field names? boolean   with `by_text`: the names alone that begin as the symbol that is asked for
---@field timeout_ms? integer
---@field style? { tab_size: integer, spaces: boolean }   for formatting, where no file says it

---@class oxide.Call
---@field id integer
---@field tool string
---@field context oxide.Context
---@field send fun()
---@field cb fun(err?: oxide.Error, result?: table)
---@field started integer   vim.uv.now()
---@field asked boolean     a person is being asked; their time is not limited
---@field patient? boolean   it takes as long as it takes, and is cancelled by another way
---@field is_for_next? boolean   the core is being restarted: the one that comes is asked
---@field under_way? boolean   the core runs the tool, and answers also when that is cancelled
---@field hush oxide.Hush   of the command that has asked

local LIMIT = 600000 -- an answer that is lost ends its call after this many milliseconds

local pending = {} ---@type table<integer, oxide.Call>
local queue = {} ---@type integer[]  calls made before the core was ready
local last_id = 0
local unanswered = 0 -- beats in a row
local restarting = false -- the core that runs is told to end
local watchdog ---@type uv.uv_timer_t?

---@param id integer
---@param err? oxide.Error
---@param result? table
local function finish(id, err, result)
  local call = pending[id]
  if not call then
    return
  end
  pending[id] = nil
  messages.hushed(call.hush, call.cb, err, result)
end

--- What the core was asked fails, but not what the next one is asked, while it is being restarted.
---@param err oxide.Error
local function fail_all(err)
  local ids = vim.tbl_filter(function(id)
    return not (restarting and pending[id].is_for_next)
  end, vim.tbl_keys(pending))
  table.sort(ids)
  queue = vim.tbl_filter(function(id)
    return not vim.list_contains(ids, id)
  end, queue)
  for _, id in ipairs(ids) do
    finish(id, err)
  end
end

---@param late boolean   Neovim itself was busy, and has not read what the core said meanwhile
local function check(late)
  unanswered = late and 0 or unanswered
  if process.phase ~= 'ready' or next(pending) == nil then
    unanswered = 0
    return
  end
  if unanswered >= 2 then
    unanswered = 0
    fail_all(errors.new('timeout', 'the core did not respond and was stopped'))
    process.kill()
    return
  end
  for id, call in pairs(pending) do
    if not call.asked and not call.patient and vim.uv.now() - call.started > LIMIT then
      process.send('cancel', id)
      finish(id, errors.new('timeout', call.tool .. ' has not been answered'))
    end
  end
  unanswered = unanswered + 1
  process.send('ping')
end

local function watch()
  if not watchdog then
    watchdog = assert(vim.uv.new_timer())
    local every = math.max(10, math.floor(require('oxide.config').get('core.hang_ms') / 3))
    local due ---@type integer?
    watchdog:start(every, every, function()
      if due then
        return
      end
      due = vim.uv.now()
      vim.schedule(function()
        local late = vim.uv.now() - due >= every
        due = nil
        check(late)
      end)
    end)
  end
end

local function unwatch()
  if watchdog then
    watchdog:stop()
    watchdog:close()
    watchdog, unanswered = nil, 0
  end
end

process.setup {
  ready = function()
    require('oxide.buffers').open_all()
    require('oxide.clients').begin()
    if require('oxide.config').get('core.listen') then
      require('oxide.typing').watch()
      M.tell('listen', vim.empty_dict()) -- once it knows of all buffers
    end
    if require('oxide.config').get('ide.start') == 'always' then
      require('oxide.ide').start()
    end
    ui.event('Ready', { version = process.version, protocol = process.PROTOCOL })
    for _, id in ipairs(queue) do
      if pending[id] then
        pending[id].send()
      end
    end
    queue = {}
  end,
  down = function(err)
    unwatch()
    require('oxide.apply').finish()
    require('oxide.buffers').forget()
    require('oxide.clients').forget()
    require('oxide.review').close_all(err)
    for _, name in ipairs { 'chat', 'agent_terminal', 'ide', 'reread' } do
      local module = package.loaded['oxide.' .. name]
      if module then
        module.forget()
      end
    end
    require('oxide.permission').forget()
    fail_all(err)
    require('oxide.waits').forget()
  end,
}

--- What becomes of an answer.
---@param cb fun(err?: oxide.Error, result?: table)
---@return fun(err?: oxide.Error, result?: table)
local function answered(cb)
  return function(err, result)
    local warning = result and result.warning or ''
    warning = warning ~= '' and require('oxide.apply').untold(warning) or ''
    if warning ~= '' then
      ui.notify(warning, vim.log.levels.WARN)
    end
    cb(err, result)
  end
end

---@param tool string
---@param context oxide.Context
---@param cb fun(err?: oxide.Error, result?: table)
---@param send fun(id: integer)
---@return integer id
local function ask_core(tool, context, cb, send)
  cb = answered(cb)
  last_id = last_id + 1
  local id = last_id
  local err = process.ensure()
  if err then
    vim.schedule(messages.later(function()
      cb(err)
    end))
    return id
  end
  pending[id] = {
    id = id,
    tool = tool,
    context = context,
    cb = cb,
    started = vim.uv.now(),
    asked = false,
    is_for_next = restarting,
    hush = messages.hush(),
    send = function()
      send(id)
    end,
  }
  watch()
  if process.phase == 'ready' and not restarting then
    send(id)
  else
    table.insert(queue, id)
  end
  return id
end

--- Calls a tool of the core; `cb` is called exactly once, later.
---@param tool string
---@param args table
---@param context oxide.Context
---@param cb fun(err?: oxide.Error, result?: table)
---@return integer id
function M.call(tool, args, context, cb)
  local args_json = vim.json.encode(vim.tbl_extend('force', vim.empty_dict(), args))
  local context_json = vim.json.encode(vim.tbl_extend('keep', { origin = 'nvim' }, context))
  return ask_core(tool, context, cb, function(id)
    pending[id].under_way = true
    process.send('call', id, tool, args_json, context_json)
  end)
end

--- What is under way ends by the core's answer: only the core knows whether a change was made before
--- it heard of this.
---@param id integer   a call that has ended is ignored
function M.cancel(id)
  local call = pending[id]
  if call and call.under_way then
    process.send('cancel', id)
  elseif call then
    finish(id, errors.new('cancelled', 'cancelled'))
  end
end

--- Cancels all running requests; a question that waits for confirmation keeps waiting.
---@return integer count
function M.cancel_all()
  local ids = vim.tbl_filter(function(id)
    return not pending[id].asked and not pending[id].patient
  end, vim.tbl_keys(pending))
  vim.iter(ids):each(M.cancel)
  return #ids
end

---@param what 'status'|'runs'|'history'
---@param cb fun(err?: oxide.Error, answer?: table)
function M.query(what, cb)
  ask_core(what, {}, cb, function(id)
    process.send(what, id)
  end)
end

--- Something else than a call of a tool or a query, answered as those are.
---@param method string
---@param value table
---@param cb fun(err?: oxide.Error, answer?: table)
---@return integer id
function M.request(method, value, cb)
  local text = vim.json.encode(value)
  return ask_core(method, {}, cb, function(id)
    process.send(method, id, text)
  end)
end

--- A request that may take as long as it likes.
---@param id integer
function M.is_patient(id)
  if pending[id] then
    pending[id].patient = true
  end
end

---@return boolean
function M.running()
  return process.phase == 'ready'
end

---@param id integer
---@return oxide.Call?
function M.pending(id)
  return pending[id]
end

--- Tells the core something that is not answered; nothing when it does not run.
---@param method string
---@param value table
function M.tell(method, value)
  if process.phase == 'ready' then
    process.send(method, vim.json.encode(value))
  end
end

---@type table<string, fun(value: table)>   those of calls; the rest are core_events.lua's
local events = {
  ready = process.said_ready,
  answer = function(answer)
    local err = answer.error
    finish(answer.id, err and errors.from(err, answer.details) or nil, answer.result)
  end,
  confirm = function(question)
    local call = pending[question.call]
    if call then
      call.asked = true
      require('oxide.waits').changed()
    end
    require('oxide.core_events').confirm(question, call and call.context or {})
  end,
}

local decode_options = { luanil = { object = true, array = true } }

-- What came while the command-line window was open, where Neovim opens no other (E11), and what came
-- behind that, in order.
local held = {} ---@type [string, string][]

---@param event string
---@param json string
local function handle(event, json)
  local handler = events[event] or require('oxide.core_events')[event]
  if not handler then -- such as pong, which says no more than that the core lives
    return
  end
  local ok, err = xpcall(function()
    handler(vim.json.decode(json, decode_options))
  end, debug.traceback)
  if not ok then
    ui.notify(('%s: %s'):format(event, err), vim.log.levels.ERROR)
  end
end

--- Whether it opens a window at once: what a command of this Neovim has asked for may. What others ask
--- for waits by itself until the user is free.
---@param event string
---@param json string
---@return boolean
local function may_open(event, json)
  return event == 'answer'
    or event == 'confirm' and pending[vim.json.decode(json, decode_options).call] ~= nil
end

--- An event of the core. Called over RPC.
---@param event string
---@param json string
function M.on(event, json)
  unanswered = 0
  local waits = #held > 0 or vim.fn.getcmdwintype() ~= '' and may_open(event, json)
  if not waits or event == 'ready' or messages.waits() then
    return handle(event, json)
  end
  table.insert(held, { event, json })
end

local group = vim.api.nvim_create_augroup('oxide.core', {})
vim.api.nvim_create_autocmd('CmdwinLeave', {
  group = group,
  desc = 'Oxide: what the core said meanwhile',
  callback = vim.schedule_wrap(function()
    while #held > 0 and vim.fn.getcmdwintype() == '' do
      handle(unpack(table.remove(held, 1)))
    end
  end),
})

-- Who answers what.
local ASKED = { apply = 'oxide.apply', save = 'oxide.apply' }
ASKED.reread = 'oxide.reread'
ASKED.ide = 'oxide.ide'

--- A question of the core, answered at once. Called over RPC.
---@param name string
---@param json string
---@return string json
function M.ask(name, json)
  unanswered = 0
  local ok, answer = xpcall(function()
    return require(ASKED[name])[name](vim.json.decode(json, decode_options))
  end, debug.traceback)
  if not ok then
    answer = { ok = false, path = '', reason = answer }
  end
  return vim.json.encode(answer)
end

---@param action 'restart'|'stop'
---@param stopped? fun()   called once it is gone, and if it did not run
function M.control(action, stopped)
  restarting = action == 'restart'
  if restarting and package.loaded['oxide.chat'] then
    require('oxide.chat').forget() -- what is said from now on is for the next one
  end
  process.reset(messages.later(function()
    if stopped then
      stopped()
    end
    if action == 'restart' then
      restarting = false
      local err = process.ensure()
      if err then
        ui.error(err)
        fail_all(err)
      elseif next(pending) then
        watch()
      end
    end
  end))
end

vim.api.nvim_create_autocmd('VimLeavePre', {
  group = group,
  desc = 'Oxide: end the core',
  callback = function()
    require('oxide.review').settle(3000)
    process.stop()
  end,
})

return M
