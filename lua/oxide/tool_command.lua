-- What the verbs have in common: one call of a tool for a buffer, its status while it waits, and
-- what is said when it fails.
local ui = require('oxide.ui')

local M = {}

local UNAVAILABLE = { no_core = true, no_server = true, unsupported = true, cancelled = true }

---@class oxide.ToolCommandOpts
---@field buf integer
---@field status string      what the buffer's status says meanwhile
---@field context? oxide.Context
---@field force? boolean     new errors are accepted
---@field looks? string      it changes nothing: what it is, where it is said that it was cancelled
---@field runs? boolean   it runs programs of the project's
---@field quiet? boolean     say nothing of what cannot be had at all: no core, no server for it
---@field fallback? fun(err: oxide.Error)   runs when the core is missing
---@field candidates? string  the verb's name, where a failure lists what may have been meant
---@field mods? table         of the command, for the window of that list
---@field handled? fun(err: oxide.Error): boolean   has dealt with a failure, and calls on_done itself
---@field on_done? fun(err?: oxide.Error, result?: table)

---@param err oxide.Error
---@param looks? string
local function tell(err, looks)
  if err.told then
    return
  elseif err.code == 'cancelled' then
    ui.notify(looks and looks .. ' was cancelled' or 'nothing was changed')
  else
    ui.error(err)
  end
end

--- What becomes of new errors: whoever can be asked decides.
---@param opts oxide.ToolCommandOpts
---@return 'refuse'|'ask'|'accept'
local function errors_of(opts)
  local never = opts.context and opts.context.confirm == 'never'
  return opts.force and 'accept' or never and 'refuse' or 'ask'
end

--- Calls `tool`; `done` gets its result. `on_done` of the caller gets error or result, after it.
---@param tool string
---@param args table
---@param opts oxide.ToolCommandOpts
---@param done fun(result: table)
---@return integer id
function M.call(tool, args, opts, done)
  -- A large change's diff takes longer to make and to read than the change itself.
  local context = vim.tbl_extend('keep', {
    buf = opts.buf,
    diff = false,
    errors = errors_of(opts),
  }, opts.context or {})
  local waits, id = require('oxide.waits'), nil
  id = require('oxide.core').call(tool, args, context, function(err, result)
    waits.done(id)
    require('oxide.places').remember(tool, err or assert(result))
    if err and opts.handled and opts.handled(err) then
      return
    elseif not err then
      done(assert(result))
    elseif opts.quiet and UNAVAILABLE[err.code] then
      return opts.on_done and opts.on_done(err)
    elseif err.code == 'no_core' and opts.fallback then
      opts.fallback(err)
    else
      tell(err, opts.looks)
    end
    if err and opts.candidates then
      require('oxide.candidates').list(opts.candidates, err, opts.mods)
    end
    if opts.on_done then
      opts.on_done(err, result)
    end
  end)
  waits.begin(id, { title = opts.status, buf = opts.buf, runs = opts.runs })
  return id
end

--- How the buffer is indented.
---@param buf integer
---@return { tab_size: integer, spaces: boolean }
function M.style(buf)
  return {
    tab_size = vim.api.nvim_buf_call(buf, vim.fn.shiftwidth),
    spaces = vim.bo[buf].expandtab,
  }
end

--- Says that something cannot even be asked.
---@param why string
---@param on_done? fun(err: oxide.Error)
function M.refuse(why, on_done)
  ui.notify(why, vim.log.levels.ERROR)
  if on_done then
    on_done(require('oxide.errors').new('invalid', why))
  end
end

--- Where the cursor is, in the buffer if one is given, or where a name is meant; nil where that is no file,
--- which is said.
---@param opts { buf?: integer, symbol?: string, on_done?: fun(err: oxide.Error) }
---@return oxide.Place?
function M.here(opts)
  local cursor = require('oxide.cursor')
  local place, why = cursor.here(opts.buf or opts.symbol and cursor.file_buffer() or nil)
  if not place then
    M.refuse(assert(why), opts.on_done)
  end
  return place
end

local UNASKED = 'skipped: the server was not asked' -- since what was done needs no look

--- The new errors that were accepted.
---@param result table
---@return string
local function accepted(result)
  local count = (result.syntax_check or ''):match('^(%d+) new error')
  local first = (result.new_errors or {})[1]
  if not count or not first then
    return ''
  end
  return (' It brings %s: %s:%d: %s.'):format(
    ui.count(tonumber(count) --[[@as integer]], 'new error'),
    first.file,
    first.line,
    (first.message:match('[^\n]*'):gsub('%.$', ''))
  )
end

--- The places that mean something else now, which was accepted.
---@param result table
---@return string
local function captured(result)
  local rows = result.captures or {}
  if #rows == 0 then
    return ''
  end
  local count = ui.count(#rows, 'place')
  return (' It changes the meaning of %s: %s:%d.'):format(count, rows[1].file, rows[1].line)
end

--- What no server has looked at, or not to the end.
---@param result table
---@return string
local function unverified(result)
  local skipped = (result.syntax_check or ''):match('^skipped: (.*)')
  local rows = result.not_verified or {}
  if #rows > 1 then
    local others = ui.count(#rows - 1, 'other file')
    return (' Not verified: %s and %s: %s.'):format(rows[1].file, others, rows[1].reason)
  elseif #rows == 1 then
    return (' Not verified: %s: %s.'):format(rows[1].file, rows[1].reason)
  elseif skipped and result.syntax_check ~= UNASKED then
    return (' Not verified: %s.'):format(skipped)
  elseif result.complete == false and (result.reasons or {})[1] then
    return (' May be incomplete: %s.'):format(result.reasons[1])
  elseif result.complete == false then
    return ' Not all of it could be verified.'
  end
  return ''
end

--- What has to be known of a change that was made: new errors, other meanings, and what was not
--- verified.
---@param result table
---@return string
local function doubts(result)
  return accepted(result) .. captured(result) .. unverified(result)
end

--- Tells how a change has ended; a doubt about it makes it a warning.
---@param result table
---@param text string   with M.changed() in it
---@param level? integer
function M.report(result, text, level)
  level = level or doubts(result) ~= '' and vim.log.levels.WARN or nil
  ui.notify(text, level, M.written(result))
end

--- Where a name that was changed still occurs in comments and strings.
---@param name? string
---@param count integer
---@return string
function M.mentions(name, count)
  return count == 0 and ''
    or (' %s still occurs in %s as text, which :Oxide places lists.'):format(
      name or 'The old name',
      ui.count(count, 'other place')
    )
end

--- How many files a change has written: those that are not open, and the buffers that were saved.
--- Where it does nothing but add, delete and rename them, that says it.
---@param result table
---@return string   a sentence; empty: none
function M.written(result)
  local count = result.files_changed or 0
  local files = result.files -- of diagnostics it is their number
  if type(files) == 'table' and #files > 0 then
    local sum = require('oxide.sums').of(files)
    local there = sum.edited + sum.others
    count = there > 0 and there + sum.create or 0
  end
  count = count - (result.left_modified or 0)
  return count > 0 and ('Wrote %s.'):format(ui.count(count, 'file')) or ''
end

--- How many buffers hold what their files on the disk do not.
---@param result table
---@return string   a sentence behind others; empty: none
local function left_modified(result)
  local count = result.left_modified or 0
  return count > 0 and (' %s left modified.'):format(ui.count(count, 'buffer is', 'buffers are'))
    or ''
end

--- Tells what was done to how many files, and how many of them were written.
---@param result table
---@param done string   without its full stop
function M.tell_done(result, done)
  local written = M.written(result)
  local text = ('%s in %s.'):format(done, ui.count(result.files_changed or 0, 'file'))
  text = (written == '' and text or text .. ' ' .. written) .. left_modified(result)
  ui.notify(text, nil, written)
end

--- After a change: what else to report.
---@param result table
---@return string  to be put behind the verb's own sentence
function M.changed(result)
  local text = result.transaction and ' :Oxide undo takes it back.' or ''
  local written = M.written(result)
  return doubts(result) .. (written == '' and '' or ' ' .. written) .. text .. left_modified(result)
end

return M
