-- What the user waits for: calls that the core has not answered yet. One that takes longer than
-- `wait.after_ms` is shown, with what it waits for in turn, most often a server that loads, and what is
-- shown goes with the answer. b:oxide_status and oxide.status() say the same.
--
--   begin(id, what)    a call was made
--   done(id)           it is answered, whatever the answer: called before anything else is said
local corner = require('oxide.corner')
local ui = require('oxide.ui')

local M = {}

---@class oxide.Wait
---@field title string   what is done, as 'renaming'
---@field buf? integer   for which buffer
---@field runs? boolean   it runs programs of the project's, and waits for those alone
---@field id? integer      of the call
---@field since? integer   vim.uv.now()
---@field late? boolean  it takes longer than one would not notice
---@field silent? boolean   of a command under `:silent`: status lines and the page of `:Oxide` alone have it

---@type table<integer, oxide.Wait>   by the id of the call
local waits = {}

---@type table<string, string>   what servers that are not ready are doing, by name; empty: starting
local loading = {}

---@type table<string, table<string, string>>   what each is busy with, by its name, by the id of that
local tasks = {}

---@class oxide.Working
---@field text string
---@field call? integer   for which call

local working = {} ---@type table<string, oxide.Working>   what the core is doing itself, by id

local RUNS = 'oxide/run/' -- begins the id of a check or a test that the core runs

local told = {} ---@type table<string, true>   servers that were said to load

local LOADS = '%s is loading' -- what is said of such a server
local said = {} ---@type table<string, true>   of which that may be on the last line
local loaded = {} ---@type table<string, true>   that were done with something since they started
local READ_MS = 1000 -- in which such a line can be read

local CELLS = 14 -- of the last line that are not a message's

---@param server string
---@param filetype string
---@return boolean   whether it may be what a buffer of that type waits for
local function serves(server, filetype)
  local known = require('oxide.lsp_config').servers()[server]
  return not known or filetype == '' or vim.list_contains(known.filetypes or {}, filetype)
end

--- What the core waits for itself.
---@param wait oxide.Wait
---@return string   empty when that is not known
local function cause(wait)
  if not require('oxide.core').running() then
    return 'the core is starting'
  end
  local filetype = wait.buf and vim.api.nvim_buf_is_valid(wait.buf) and vim.bo[wait.buf].filetype
  for server, doing in vim.spairs(loading) do
    if not filetype or serves(server, filetype) then
      return ('%s is loading%s'):format(server, doing ~= '' and ' (' .. doing .. ')' or '')
    end
  end
  return ''
end

--- What of that it may wait for.
---@param wait oxide.Wait
---@return string?
local function work(wait)
  for id, row in vim.spairs(working) do
    local is_run = vim.startswith(id, RUNS)
    if row.call == wait.id and is_run or not wait.runs and not is_run then
      return row.text
    end
  end
end

---@param wait oxide.Wait
---@return string
local function describe(wait)
  local doing = work(wait)
  if doing then
    return doing
  end
  local why = cause(wait)
  return why == '' and wait.title or ('%s: %s'):format(wait.title, why)
end

--- Those that nobody is asked about, the oldest first.
---@return integer[] ids
local function ids()
  local core = require('oxide.core')
  local all = vim.tbl_filter(function(id)
    local call = core.pending(id)
    return not (call and call.asked)
  end, vim.tbl_keys(waits))
  table.sort(all)
  return all
end

--- What is waited for longest, once it has taken so long that it is shown.
---@param aloud? boolean   not of a command under `:silent`
---@return string   empty when nothing is
function M.text(aloud)
  for _, id in ipairs(next(waits) and ids() or {}) do
    if waits[id].late and not (aloud and waits[id].silent) then
      return describe(waits[id])
    end
  end
  return ''
end

---@return boolean   whether all that is waited for is of commands under `:silent`
local function is_silent()
  return next(waits) ~= nil
    and vim.iter(pairs(waits)):all(function(_, wait)
      return wait.silent
    end)
end

--- All that is waited for, also what is not shown yet: what was asked for first, whatever goes on.
---@return { id: integer, text: string, since: integer }[]
function M.list()
  return vim.tbl_map(function(id)
    local wait = waits[id]
    local text = describe(wait)
    if not vim.startswith(text, wait.title) then
      text = ('%s: %s'):format(wait.title, text)
    end
    return { id = id, text = text, since = wait.since }
  end, ids())
end

local line = '' -- what is shown now
local status = '' -- what status lines have
local win ---@type integer?   that shows it
local echoed ---@type integer|string|nil   the id of a progress message

---@param text string
---@return string   which fits
local function cut(text)
  local most = vim.o.columns - CELLS
  return vim.fn.strdisplaywidth(text) <= most and text
    or vim.fn.strcharpart(text, 0, math.max(1, most - 3)) .. '...'
end

--- Takes the window away, with its text.
local function close_float()
  win = corner.close(win)
end

--- Whether it is shown in the corner.
---@return boolean
function M.shown()
  return win ~= nil and vim.api.nvim_win_is_valid(win)
end

---@param text string
local function float(text)
  win = corner.show(win, { ' ' .. cut(text) .. ' ' }, 'OxideWait', 40)
end

--- In the last line: Neovim's own progress message from 0.12 on.
---@param text string   empty: it is over
local function echo(text)
  local chunks = text == '' and {} or { { cut('Oxide: ' .. text) } }
  local opts = { kind = 'progress', source = 'oxide', id = echoed, status = 'running' }
  if vim.fn.has('nvim-0.12') == 0 or text == '' then
    opts = {}
  elseif #chunks > 0 then
    chunks = { { cut(text) } }
    opts.title = 'Oxide'
  end
  local _, id = pcall(vim.api.nvim_echo, chunks, false, opts)
  echoed = text ~= '' and id or nil
end

--- Makes what is seen what is going on.
local function draw()
  local text = M.text(true)
  if text == line and M.text() == status then
    return
  end
  local before, how = line, require('oxide.config').get('wait.show')
  line, status = text, M.text()
  for _, wait in pairs(waits) do
    if wait.buf and wait.late then
      ui.buffer_status(wait.buf, describe(wait))
    end
  end
  local prompted = require('oxide.typing').prompted()
  if text == '' or how == 'none' then
    close_float()
  elseif how == 'float' or prompted then -- a message would end up in the command line
    pcall(float, text)
  end
  if how == 'message' and not prompted and (text ~= '' or before ~= '') then
    echo(text)
  end
  if prompted then
    vim.cmd.redraw()
  end
  vim.cmd.redrawstatus { bang = true, mods = { emsg_silent = true } }
end

--- The page of `:Oxide`, if it is open.
local function renew_overview()
  local overview = package.loaded['oxide.overview']
  if overview then
    overview.renew()
  end
end

--- A question of it has come up or was answered, or what it waits for in turn is another thing.
function M.changed()
  if next(waits) then
    draw()
    renew_overview()
  end
end

---@param id integer
---@param wait oxide.Wait
function M.begin(id, wait)
  wait.id, wait.since = id, vim.uv.now()
  wait.silent = not require('oxide.messages').is_heard(vim.log.levels.INFO)
  waits[id] = wait
  if wait.buf then
    ui.buffer_status(wait.buf, wait.title)
  end
  renew_overview()
  vim.defer_fn(function()
    if waits[id] == wait then
      wait.late = true
      draw()
    end
  end, require('oxide.config').get('wait.after_ms'))
end

---@param id integer
function M.done(id)
  local wait = waits[id]
  waits[id] = nil
  if wait and wait.buf then
    ui.buffer_status(wait.buf, '')
  end
  if wait and wait.late then
    draw()
  end
  renew_overview()
end

--- Once more where something else has covered it at once.
---@param server string
local function say_loading(server)
  local text = LOADS:format(server)
  said[server] = true
  ui.notify(text)
  vim.defer_fn(function()
    local is_news = loading[server]
      and not loaded[server]
      and not require('oxide.typing').prompted()
    if is_news and not require('oxide.messages').shows(text) then
      said[server] = true
      ui.notify(text)
    end
  end, READ_MS)
end

--- Says once that a server loads, if that takes long enough to notice; not of what it does later on,
--- such as a check of what was saved.
---@param server string
local function tell(server)
  if told[server] then
    return
  end
  vim.defer_fn(function()
    if loading[server] and not told[server] then
      told[server] = true
      -- While one types, the window of the preview says it.
      if not require('oxide.typing').prompted() and not is_silent() then
        say_loading(server)
      end
    end
  end, require('oxide.config').get('wait.after_ms'))
end

---@param server string
---@param doing? string   nil: it is ready, or has ended
local function set(server, doing)
  loading[server] = doing
  if doing then
    tell(server)
  elseif said[server] then
    said[server] = nil
    require('oxide.messages').retract(LOADS:format(server))
  end
  M.changed()
end

--- The state of a server.
---@param server oxide.ServerNews
function M.server(server)
  if server.state ~= 'ready' then
    tasks[server.name] = nil
  end
  if server.state == 'starting' or server.state == 'restarting' then
    told[server.name], loaded[server.name] = nil, nil
    set(server.name, loading[server.name] or '')
  elseif loading[server.name] == '' or server.state ~= 'ready' then
    set(server.name, nil)
  end
end

--- What a server is busy with, or the core itself, which says all that is to be said of it.
---@param p oxide.Progress
function M.progress(p)
  local server = p.id:match('^(.-)/')
  local is_server = server and p.title:sub(1, #server) == server
  local doing = is_server and p.title:sub(#server + 3) or p.title
  if p.percent and p.percent >= 0 then
    doing = ('%s %d%%'):format(doing, p.percent)
  elseif p.message and p.message ~= '' then
    doing = ('%s%s %s'):format(doing, is_server and '' or ':', p.message)
  end
  if is_server then
    told[server] = told[server] or p.done or nil
    loaded[server] = loaded[server] or p.done or nil
    tasks[server] = tasks[server] or {}
    tasks[server][p.id] = not p.done and vim.trim(doing) or nil
    local _, other = next(tasks[server])
    return set(server, tasks[server][p.id] or other)
  end
  working[p.id] = not p.done and { text = doing, call = p.call } or nil
  M.changed()
end

--- The core has ended, and its servers with it.
function M.forget()
  loading, tasks, working, told, loaded = {}, {}, {}, {}, {}
  draw()
end

return M
