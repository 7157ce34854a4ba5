-- What Oxide says. On the last line it is cut to what fits, by whole sentences where they do: a
-- longer message would ask for <CR>, and take the next key for it. `:Oxide messages` shows all of it.
-- A notifier of the user's own gets the whole text, and "Oxide" as its title. What comes of a command
-- under `:silent` is not said, also where its answer comes later. Without a command line ('cmdheight'
-- of 0) the next redraw takes a message away, so that it is seen in the corner for a while; there alone
-- where the ruler leaves no room beside it.
local in_corner = require('oxide.corner')

local M = {}

local KEPT = 200
local SEEN_MS = 5000 -- how long in the corner
local LEAST = 10 -- cells of a message, or it tells nothing

---@alias oxide.Hush nil|'errors'|'all'   what is said nevertheless: errors; or nothing at all is said

local hush ---@type oxide.Hush   of the command whose doing this is
local said = {} ---@type { time: string, text: string }[]   the newest last

local waiting = 0 -- how many waits of commands there are, one in the other
---@class oxide.Unseen   a message that is not shown yet
---@field text string
---@field level integer
---@field seen? string
---@field gone? boolean   it does not hold any more

local unseen = {} ---@type table<oxide.Unseen, true>
local later = {} ---@type oxide.Unseen[]   said in a wait, shown after it

local LOOKS = { [vim.log.levels.WARN] = 'WarningMsg', [vim.log.levels.ERROR] = 'ErrorMsg' }

-- Neovim's own counts of `:silent` and `:silent!`, and what gathers the output for execute(). It tells a
-- command of the modifiers before it, but not of those before `:execute`, `:call` or `:normal`.
local counts = (function()
  local ok, ffi = pcall(require, 'ffi')
  if not ok then
    return {}
  end
  for _, declaration in ipairs { 'int msg_silent;', 'int emsg_silent;', 'void *capture_ga;' } do
    pcall(ffi.cdef, 'extern ' .. declaration) -- another plugin may have declared it
  end
  return ffi.C
end)()

---@param name string
---@return any   nil in a Neovim that does not show it
local function count(name)
  local ok, value = pcall(function()
    return counts[name]
  end)
  return ok and value or nil
end

--- What holds for all that runs now. execute() and nvim_exec2() are silent in order to gather what is said.
---@return oxide.Hush
local function hush_around()
  local silent, emsg_silent = count('msg_silent') or 0, count('emsg_silent') or 0
  if silent == 0 or count('capture_ga') ~= nil then
    return nil
  end
  return emsg_silent > 0 and 'all' or 'errors'
end

--- How much a command may say that begins now.
---@param mods table   its modifiers
---@return oxide.Hush
function M.hush_of(mods)
  if mods.unsilent then
    return nil
  end
  return mods.emsg_silent and 'all' or mods.silent and 'errors' or hush_around() or hush
end

--- How much is said now.
---@return oxide.Hush
function M.hush()
  return hush
end

--- Calls it; what it says is said as far as `how` allows.
---@param how oxide.Hush
---@param fn fun(...: any)
function M.hushed(how, fn, ...)
  if hush == how then
    return fn(...)
  end
  local before = hush
  hush = how
  local ok, err = xpcall(fn, debug.traceback, ...)
  hush = before
  if not ok then
    error(err, 0)
  end
end

--- What is called later, and then says as much as is allowed now.
---@generic F: fun(...: any)
---@param fn F
---@return F
function M.later(fn)
  local how = hush
  return function(...)
    M.hushed(how, fn, ...)
  end
end

---@param level integer
---@return boolean   whether what is said now is
function M.is_heard(level)
  return not hush or hush == 'errors' and level == vim.log.levels.ERROR
end

--- The file of what may have taken the place of a function of Neovim, which may be a table that can be
--- called, such as nvim-notify.
---@param fn function|table
---@return string   as debug.getinfo() has it; empty: it is no function
function M.source_of(fn)
  return type(fn) == 'function' and debug.getinfo(fn, 'S').source or ''
end

--- Neovim's own function has no file of the user's behind it.
---@return boolean
local function shown_on_last_line()
  local source = M.source_of(vim.notify)
  return source == '?' or vim.startswith(source, '@vim/')
end

---@param text string
---@param cells integer
---@return string?   its first sentences, as many as fit
local function sentences(text, cells)
  local fits ---@type string?
  for stop in text:gmatch('()%. ') do
    local part = text:sub(1, stop --[[@as integer]])
    if vim.fn.strdisplaywidth(part) > cells then
      break
    end
    fits = part
  end
  return fits
end

--- A text of several lines as one; pyright indents those behind the first with no-break spaces.
---@param text string
---@return string
function M.one_line(text)
  if not text:find('\n', 1, true) then
    return text
  end
  return (text:gsub('\194\160', ' '):gsub('%s*\n%s*', ' '))
end

--- What of a text fits one line of so many cells; all of it, or with a sign that there is more.
---@param text string
---@param cells integer   at least LEAST
---@return string
function M.fit(text, cells)
  text = M.one_line(text)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local whole = sentences(text, cells - 4)
  if whole and vim.fn.strdisplaywidth(whole) >= cells / 2 then
    return whole .. ' ...'
  end
  local n = vim.fn.strchars(text)
  repeat
    n = n - 1
    local part = vim.fn.strcharpart(text, 0, n)
  until vim.fn.strdisplaywidth(part) <= cells - 3
  return vim.fn.strcharpart(text, 0, n) .. '...'
end

--- What of a message fits the last line. Where a sentence that is to be seen would not be on it, first the
--- name of Oxide goes, then the end of what is before that sentence.
---@param text string
---@param cells integer   at least LEAST
---@param seen? string
---@return string
local function line_of(text, cells, seen)
  text = M.one_line(text)
  local line = M.fit('Oxide: ' .. text, cells)
  local at = seen and seen ~= '' and text:find(seen, 1, true)
  if not at or line:find(seen, 1, true) then
    return line
  end
  local short = M.fit(text, cells)
  local tail = ' ' .. text:sub(at, at + #seen - 1) .. (at + #seen <= #text and ' ...' or '')
  local room = cells - vim.fn.strdisplaywidth(tail)
  if short:find(seen, 1, true) or room < 10 then
    return short
  end
  return M.fit(text:sub(1, at - 2), room) .. tail
end

---@return integer cells   that a message may take on the last line without asking for <CR>
local function room()
  return vim.v.echospace + (math.max(vim.o.cmdheight, 1) - 1) * vim.o.columns
end

---@return boolean   whether the last line does not show messages, at least not for long
local function is_bare()
  return vim.o.cmdheight == 0 or room() < LEAST
end

--- Writes it on the last line.
---@param text string
---@param level integer
---@param seen? string
local function echo(text, level, seen)
  vim.cmd.redraw() -- or it would come below another one of this moment, and both ask for <CR>
  local line = line_of(text, room(), seen)
  -- Not by vim.notify(): that makes an error one of the command line, which has a line of its own.
  vim.api.nvim_echo({ { line, LOOKS[level] } }, true, {})
end

local corner ---@type { line: string, look: string, win: integer? }?   what is shown there

local function leave_corner()
  in_corner.close(corner and corner.win)
  corner = nil
end

local function draw_corner()
  if corner then
    in_corner.close(corner.win)
    local above = require('oxide.waits').shown() and 1 or 0
    corner.win = in_corner.show(nil, { ' ' .. corner.line .. ' ' }, corner.look, 45, above)
  end
end

---@param text string
---@param level integer
---@param seen? string
local function show_in_corner(text, level, seen)
  leave_corner()
  local line = line_of(text, math.max(vim.o.columns - 2, LEAST), seen)
  local this = { line = line, look = LOOKS[level] or 'OxideWait' }
  corner = this
  draw_corner()
  vim.api.nvim_create_autocmd('TabEnter', { -- such as that behind a review
    group = vim.api.nvim_create_augroup('oxide.messages', {}),
    callback = vim.schedule_wrap(draw_corner),
  })
  vim.defer_fn(function()
    if corner == this then
      leave_corner()
    end
  end, SEEN_MS)
end

--- Once the command that was typed is over.
---@param message oxide.Unseen
local function show(message)
  local bare = is_bare()
  if bare and waiting > 0 then
    table.insert(later, message)
    return
  end
  unseen[message] = nil
  if message.gone then
    return
  end
  local text, level, seen = message.text, message.level, message.seen
  if room() >= LEAST then
    echo(text, level, seen) -- in any case for :messages
  end
  if bare and pcall(show_in_corner, text, level, seen) then -- not in the command-line window
    vim.cmd.redraw()
  end
end

---@param text string
---@param level integer   of vim.log.levels
---@param seen? string   a sentence of the text that is to be seen also where not all of it fits
function M.say(text, level, seen)
  if not M.is_heard(level) then
    return
  end
  table.insert(said, {
    time = os.date('%H:%M:%S') --[[@as string]],
    text = text,
  })
  if #said > KEPT then
    table.remove(said, 1)
  end
  if not shown_on_last_line() then
    return vim.notify(text, level, { title = 'Oxide' })
  end
  if is_bare() or hush then
    -- The command that is typed has the last line until it is over: below it this would ask for <CR>.
    -- Under `:silent` nothing is shown until then.
    local message = { text = text, level = level, seen = seen }
    unseen[message] = true
    vim.schedule(function()
      show(message)
    end)
  else
    echo(text, level, seen)
  end
end

--- vim.wait(), for what a command waits for. Without a command line, what is said meanwhile is shown
--- when the command is over.
---@param ms integer
---@param is_done fun(): boolean?
---@param interval? integer
---@return boolean done, integer? why   as of vim.wait()
function M.wait(ms, is_done, interval)
  waiting = waiting + 1
  local ok, done, why = pcall(vim.wait, ms, is_done, interval)
  waiting = waiting - 1
  if waiting == 0 and #later > 0 then
    vim.schedule(function()
      local lines = later
      later = {}
      vim.iter(lines):each(show)
    end)
  end
  if not ok then
    error(done, 0)
  end
  return done, why
end

--- Whether that is under way.
---@return boolean
function M.waits()
  return waiting > 0
end

--- Whether a message of one line is still to be seen; of a notifier of the user's own it is not known.
---@param text string
---@return boolean
function M.shows(text)
  if not shown_on_last_line() then
    return true
  end
  if is_bare() then
    return corner ~= nil and corner.line == 'Oxide: ' .. text
  end
  local row, line = vim.o.lines - vim.o.cmdheight + 1, 'Oxide: ' .. text
  local cells = {}
  for column = 1, math.min(#line + 1, vim.o.columns) do
    cells[column] = vim.fn.screenstring(row, column)
  end
  return vim.trim(table.concat(cells)) == line
end

--- Takes a message of one line away, before it is shown or if the last line still shows it: it does not
--- hold any more.
---@param text string
function M.retract(text)
  for message in pairs(unseen) do
    message.gone = message.gone or message.text == text
  end
  if not shown_on_last_line() or not M.shows(text) then
    return
  elseif is_bare() then
    leave_corner()
  else
    vim.api.nvim_echo({ { '' } }, false, {})
  end
end

--- All that was said in this session, in a window of its own; the last is at its end.
---@param mods? table   the modifiers of the command
function M.open(mods)
  local lines = {}
  for _, message in ipairs(said) do
    local first = true
    for line in vim.gsplit(message.text, '\n') do
      table.insert(lines, (first and message.time .. ' ' or (' '):rep(9)) .. line)
      first = false
    end
  end
  local buf =
    require('oxide.scratch').open('messages', #lines > 0 and lines or { 'nothing yet' }, mods)
  vim.wo[0][0].wrap, vim.wo[0][0].linebreak, vim.wo[0][0].breakindent = true, true, true
  vim.wo[0][0].breakindentopt = 'shift:9'
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buf), 0 })
end

return M
