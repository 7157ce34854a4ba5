-- Questions that wait until they may take the keys. What the person asked for themselves comes up as
-- soon as their hands are free; what an agent asks for as `review.agent_focus` says, one after the
-- other. Until then it is announced, a status line can say so, and `:Oxide review` brings it up.
local typing = require('oxide.typing')
local ui = require('oxide.ui')

local M = {}

---@class oxide.Waiting
---@field id integer        of the question
---@field title string
---@field who? string       who asks, if it is not the person
---@field bufs integer[]    buffers that it is about
---@field open fun()
---@field asks? string      for what, if it is not a review; it never opens by itself
---@field is_late? boolean  a prompt of the person's own (late_question.lua), for when their keys rest
---@field cancel? fun()      what becomes of such a prompt that they do not want any more
---@field announced? boolean

local STATUS = 'a review is waiting'
local LATE = 'a question is waiting, until you stop typing'

local waiting = {} ---@type oxide.Waiting[]   the oldest first
local shown = {} ---@type table<integer, true>   questions of agents that are before the person
local group = vim.api.nvim_create_augroup('oxide.review.queue', {})
local timer ---@type uv.uv_timer_t?

local pump

---@param w oxide.Waiting
---@return string
local function announcement(w)
  local more = #waiting > 1 and (' (%d waiting)'):format(#waiting) or ''
  local what = w.asks or 'a review'
  if w.is_late then
    return ('%s; :Oxide review asks it: %s'):format(LATE, w.title)
  end
  return w.who
      and ('%s asks for %s%s; :Oxide review opens it: %s'):format(w.who, what, more, w.title)
    or ('a review is waiting%s; it opens in Normal mode: %s'):format(more, w.title)
end

--- The oldest first, of questions by their ids.
---@generic T
---@param open table<integer, T>
---@return T[]
function M.by_age(open)
  local all = vim.tbl_values(open)
  table.sort(all, function(a, b)
    return a.id < b.id
  end)
  return all
end

---@return string
local function status()
  local one = waiting[1]
  if #waiting > 1 then
    return #waiting .. ' reviews are waiting'
  end
  return one and (one.is_late and LATE or STATUS) or ''
end

--- What can be seen of it while it waits. A message is one line: a longer one would ask for a key.
local function announce()
  ui.waiting(status())
  for _, w in ipairs(waiting) do
    if not w.announced and not typing.prompted() then
      w.announced = true
      ui.notify(announcement(w))
    end
    for _, buf in ipairs(w.bufs) do
      ui.buffer_status(buf, STATUS)
    end
  end
end

---@param id integer
---@return oxide.Waiting?
local function find(id)
  for _, w in ipairs(waiting) do
    if w.id == id then
      return w
    end
  end
end

---@param w oxide.Waiting
local function forget(w)
  waiting = vim.tbl_filter(function(other)
    return other ~= w
  end, waiting)
  for _, buf in ipairs(w.bufs) do
    if vim.api.nvim_buf_is_valid(buf) and vim.b[buf].oxide_status == STATUS then
      ui.buffer_status(buf, '')
    end
  end
end

--- It is before the person.
---@param w oxide.Waiting
local function bring_up(w)
  forget(w)
  shown[w.id] = w.who and true or nil
  announce()
end

---@param w oxide.Waiting
local function open(w)
  bring_up(w)
  w.open()
end

--- For how long it has to wait at least; nil: for something else than time.
---@param w oxide.Waiting
---@return integer? ms
local function delay(w)
  if not w.who then
    return w.is_late and typing.busy_ms() or 0
  end
  local focus = require('oxide.config').get('review.agent_focus')
  if w.asks or focus == 'never' or next(shown) then
    return nil
  end
  return focus == 'always' and 0 or typing.busy_ms()
end

---@param ms integer
local function wake_in(ms)
  timer = timer or assert(vim.uv.new_timer())
  timer:start(ms, 0, vim.schedule_wrap(pump))
end

--- The next that may come up, or in how long one may.
---@return oxide.Waiting?
---@return integer? ms
local function next_one()
  local least ---@type integer?
  for _, w in ipairs(waiting) do
    local ms = delay(w)
    if ms == 0 then
      return w
    end
    least = ms and math.min(ms, least or ms) or least
  end
  return nil, least
end

--- Neovim waits for a key, with nothing pending. Schedules only what will be of use: it is triggered
--- again after each event.
local function on_safe()
  if not typing.free(true) then
    return
  end
  local w, ms = next_one()
  if w then
    vim.schedule(pump)
    return
  elseif ms then
    wake_in(ms)
  end
  announce()
end

local function watch()
  vim.api.nvim_clear_autocmds { group = group }
  if #waiting > 0 then
    vim.api.nvim_create_autocmd('SafeState', {
      group = group,
      desc = 'Oxide: open what is waiting for confirmation',
      callback = on_safe,
    })
  elseif timer then
    timer:stop()
  end
end

--- Brings up what may come up now.
pump = function()
  while typing.free() do
    local w, ms = next_one()
    if not w then
      if ms then
        wake_in(ms)
      end
      break
    end
    open(w)
  end
  announce()
  watch()
end

--- At once where that is possible.
---@param w oxide.Waiting
function M.add(w)
  table.insert(waiting, w)
  pump()
end

--- The user has reached it another way.
---@param id integer
function M.seen(id)
  local w = find(id)
  if w then
    bring_up(w)
    watch()
  end
end

--- The question is answered, or was taken back.
---@param id integer
function M.drop(id)
  local w, was_shown = find(id), shown[id]
  shown[id] = nil
  if w then
    forget(w)
  end
  announce()
  watch()
  if was_shown and #waiting > 0 then
    vim.schedule(pump)
  end
end

--- Opens the oldest, or that one, when the user asks for it.
---@param id? integer
---@return boolean  false: none waits
function M.take(id)
  local w = id and find(id) or not id and waiting[1] or nil
  if w then
    open(w)
    watch()
  end
  return w ~= nil
end

--- The user does not want a prompt of their own any more that waits for them.
---@param id integer
function M.cancel(id)
  local w = find(id)
  M.drop(id)
  if w and w.cancel then
    w.cancel()
  end
end

--- The prompts that wait until the person stops typing.
---@return oxide.Waiting[]
function M.late()
  return vim.tbl_filter(function(w)
    return w.is_late
  end, waiting)
end

---@return integer
function M.count()
  return #waiting
end

return M
