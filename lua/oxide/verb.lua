-- What the verbs have in common: one call of a tool for a buffer, its status while it waits, and
-- what is said when it fails.
local ui = require('oxide.ui')

local M = {}

local UNAVAILABLE = { no_core = true, no_server = true, unsupported = true, cancelled = true }

---@class oxide.VerbOpts
---@field buf integer
---@field status string      what the buffer's status says meanwhile
---@field context? oxide.Context
---@field quiet? boolean     say nothing of what cannot be had at all: no core, no server for it
---@field fallback? fun(err: oxide.Error)   runs when there is no core
---@field candidates? string  the verb's name, where a failure lists what may have been meant
---@field mods? table         of the command, for the window of that list
---@field handled? fun(err: oxide.Error): boolean   has dealt with a failure, and calls on_done itself
---@field on_done? fun(err?: oxide.Error, result?: table)

---@param err oxide.Error
local function tell(err)
  if err.code == 'cancelled' then
    ui.notify('nothing was changed')
  else
    ui.error(err)
  end
end

--- Calls `tool`; `done` gets its result. `on_done` of the caller gets error or result, after it.
---@param tool string
---@param args table
---@param opts oxide.VerbOpts
---@param done fun(result: table)
---@return integer id
function M.call(tool, args, opts, done)
  -- A large change's diff takes longer to make and to read than the change itself.
  local context = vim.tbl_extend('keep', { buf = opts.buf, diff = false }, opts.context or {})
  ui.buffer_status(opts.buf, opts.status)
  return require('oxide.core').call(tool, args, context, function(err, result)
    ui.buffer_status(opts.buf, '')
    if err and opts.handled and opts.handled(err) then
      return
    elseif not err then
      done(assert(result))
    elseif opts.quiet and UNAVAILABLE[err.code] then
      return opts.on_done and opts.on_done(err)
    elseif err.code == 'no_core' and opts.fallback then
      opts.fallback(err)
    else
      tell(err)
    end
    if err and opts.candidates then
      require('oxide.candidates').list(opts.candidates, err, opts.mods)
    end
    if opts.on_done then
      opts.on_done(err, result)
    end
  end)
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

--- After a change: what scripts hear, and what is said besides.
---@param result table
---@return string  to be put behind the verb's own sentence
function M.changed(result)
  ui.event('ApplyPost', {
    transaction = result.transaction,
    files = result.files,
    files_changed = result.files_changed,
    saved = result.saved,
    left_modified = result.left_modified,
  })
  local text = result.transaction and ' :Oxide undo takes it back.' or ''
  if (result.left_modified or 0) > 0 then
    text = ('%s %s left modified.'):format(
      text,
      ui.count(result.left_modified, 'buffer is', 'buffers are')
    )
  end
  return text
end

return M
