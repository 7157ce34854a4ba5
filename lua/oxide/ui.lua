-- Everything that a person reads while working, and the User events that scripts listen to.
local messages = require('oxide.messages')

local M = {}

local levels = vim.log.levels

---@param text string
---@param level? integer
---@param seen? string   a sentence of it that is seen on the narrowest screen too
function M.notify(text, level, seen)
  local function show()
    messages.say(text, level or levels.INFO, seen)
  end
  if vim.in_fast_event() then
    vim.schedule(messages.later(show))
  else
    show()
  end
end

local told = {} ---@type table<string, boolean>

---@param key string   a notice with the same key is shown once in a session
---@param text string
---@param level? integer
function M.notify_once(key, text, level)
  level = level or levels.WARN
  if not told[key] and messages.is_heard(level) then
    told[key] = true
    M.notify(text, level)
  end
end

---@param err oxide.Error|string
function M.error(err)
  M.notify(type(err) == 'table' and err.message or tostring(err), levels.ERROR)
end

--- Asks for a line; the prompt does not stay on the last line once it is answered.
---@param opts { prompt: string, default?: string }
---@param answered fun(text?: string)
function M.input(opts, answered)
  answered = messages.later(answered)
  vim.ui.input(opts, function(text)
    vim.cmd.redraw() -- or nothing takes its place
    vim.api.nvim_echo({ { '' } }, false, {})
    answered(text)
  end)
end

---@return boolean whether Neovim's own list is what vim.ui.select is
function M.selects_plainly()
  return vim.endswith(messages.source_of(vim.ui.select), 'vim/ui.lua')
end

--- As vim.ui.select(); Neovim's own list gets what fits the screen.
---@generic T
---@param items T[]
---@param opts table
---@param chosen fun(item?: T, index?: integer)
function M.select(items, opts, chosen)
  chosen = messages.later(chosen)
  if M.selects_plainly() then
    return require('oxide.plain_list').select(items, opts, chosen)
  end
  vim.ui.select(items, opts, chosen)
end

---@param count integer
---@param one string
---@param many? string
---@return string  "1 file", "2 files"
function M.count(count, one, many)
  return ('%d %s'):format(count, count == 1 and one or (many or one .. 's'))
end

---@param name string   without 'Oxide'
---@param data? table
function M.event(name, data)
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'Oxide' .. name,
    modeline = false,
    data = data or vim.empty_dict(),
  })
end

---@class oxide.Progress
---@field id string
---@field call? integer   for which it is
---@field title string
---@field message? string
---@field percent integer   -1 when unknown
---@field done boolean

local running = {} ---@type table<string, oxide.Progress>
local order = {} ---@type string[]
local echo_ids = {} ---@type table<string, integer|string>

---@param value string   of 'messagesopt'
local function set_messages(value)
  vim.cmd.set { args = { 'messagesopt=' .. value }, mods = { noautocmd = true } }
end

--- Neovim's own progress message, for its event and for what terminals and status lines make of it. In
--- the last line it would cover all that is said there meanwhile, and is left out unless the user
--- wants to wait before messages.
---@param text string
---@param opts table
---@return integer|string|nil id
local function send_progress(text, opts)
  local before = vim.o.messagesopt
  local hidden = require('oxide.config').get('wait.show') ~= 'message'
  if hidden then
    set_messages(before:gsub(',?progress:%w*', '') .. ',progress:')
  end
  local ok, id = pcall(vim.api.nvim_echo, { { text } }, false, opts)
  if hidden then
    set_messages(before)
  end
  return ok and id or nil
end

---@param p oxide.Progress
local function echo(p)
  local text = p.message and p.message ~= '' and p.message or (p.done and 'done' or 'working')
  local opts = {
    kind = 'progress',
    title = p.title,
    status = p.done and 'success' or 'running',
    source = 'oxide',
    id = echo_ids[p.id],
  }
  if p.percent and p.percent >= 0 then
    opts.percent = p.done and 100 or p.percent
  end
  local id = send_progress(text, opts)
  echo_ids[p.id] = not p.done and id or nil
end

--- Shows what a server is busy with: in the status line, and from 0.12 on as Neovim's own progress.
---@param p oxide.Progress
function M.progress(p)
  if p.done then
    running[p.id] = nil
    order = vim.tbl_filter(function(id)
      return id ~= p.id
    end, order)
  else
    if not running[p.id] then
      table.insert(order, p.id)
    end
    running[p.id] = p
  end
  if vim.fn.has('nvim-0.12') == 1 then
    echo(p)
  end
  vim.cmd.redrawstatus { bang = true, mods = { emsg_silent = true } }
end

function M.progress_clear()
  for _, id in ipairs(vim.deepcopy(order)) do
    local p = running[id]
    p.done = true
    p.message = 'stopped'
    M.progress(p)
  end
end

local waiting = '' -- what waits for confirmation

---@param text string   empty: nothing
function M.waiting(text)
  if text ~= waiting then
    waiting = text
    vim.cmd.redrawstatus { bang = true, mods = { emsg_silent = true } }
  end
end

local working = '' -- who works on an answer

---@param text string   empty: nobody
function M.working(text)
  working = text
end

--- What waits for the person, else what they wait for, else what is going on, for a status line;
--- empty when nothing is.
---@return string
function M.status()
  local p = running[order[#order]]
  local wait = package.loaded['oxide.waits'] and require('oxide.waits').text() or ''
  if waiting ~= '' or wait ~= '' or not p then
    return waiting ~= '' and waiting or wait ~= '' and wait or working
  end
  local text = p.title
  if p.percent and p.percent >= 0 then
    text = ('%s %d%%'):format(text, p.percent)
  elseif p.message and p.message ~= '' then
    text = text .. ' ' .. p.message
  end
  return text
end

--- Says in b:oxide_status what a buffer is waiting for.
---@param buf integer
---@param text string   empty when it waits no more
function M.buffer_status(buf, text)
  if vim.api.nvim_buf_is_valid(buf) then
    vim.b[buf].oxide_status = text
  end
end

return M
