-- What the servers complain about, as a list that renews itself.
local quickfix = require('oxide.quickfix')
local ui = require('oxide.ui')

local M = {}

---@class oxide.DiagnosticsOpts
---@field scope? 'buffer'|'project'
---@field min? 'error'|'warning'|'warn'|'info'|'hint'
---@field loc? boolean
---@field buf? integer
---@field mods? table
---@field open? boolean
---@field known? boolean   of a project what is known, without asking about files that are closed
---@field on_done? fun(err?: oxide.Error, result?: table)

---@class oxide.DiagnosticsList
---@field list oxide.List
---@field args table
---@field context oxide.Context
---@field busy boolean
---@field dirty boolean   published while a renewal was on its way

local lists = {} ---@type table<string, oxide.DiagnosticsList>  'quickfix' or a window's number

local SEVERITIES =
  { error = 'error', warn = 'warning', warning = 'warning', info = 'info', hint = 'hint' }

--- "3 errors, 5 warnings", or "nothing".
---@param counts table<string, integer>
---@return string
function M.summary(counts)
  local parts = {} ---@type string[]
  for _, kind in ipairs { 'error', 'warning', 'info', 'hint' } do
    local n = counts[kind] or 0
    if n > 0 then
      local many = kind == 'info' and 'infos' or nil
      table.insert(parts, ui.count(n, kind, many))
    end
  end
  return #parts > 0 and table.concat(parts, ', ') or 'nothing'
end

---@param result table
---@return string
function M.title(result)
  local title = ('Oxide diagnostics: %s'):format(M.summary(result.counts or {}))
  if (result.files or 0) > 0 then
    title = ('%s in %s'):format(title, ui.count(result.files, 'file'))
  end
  return result.complete == false and title .. ' (may be incomplete)' or title
end

---@param result table
local function updated(result)
  ui.event('DiagnosticsUpdated', { counts = result.counts, files = result.files })
end

--- Whether somebody looks at the list: only then servers are asked what they could do about it.
---@param shown oxide.DiagnosticsList
---@return boolean
local function is_seen(shown)
  return quickfix.get(shown.list, { winid = 0 }).winid > 0
end

---@param shown oxide.DiagnosticsList
local function renew(shown)
  if shown.busy then
    shown.dirty = true
    return
  end
  shown.busy, shown.dirty = true, false
  local args = vim.tbl_extend('force', shown.args, { fixes = is_seen(shown) })
  -- A project is not gone through again with every text that is typed.
  local context = vim.tbl_extend('force', shown.context, { known = true })
  require('oxide.core').call('lsp_diagnostic', args, context, function(err, result)
    shown.busy = false
    if err or not quickfix.exists(shown.list) then
      return
    end
    local title = M.title(result)
    local items = quickfix.from_diagnostics(result.flat, result.fixes)
    local before = quickfix.get(shown.list, { size = 0, title = 0 })
    quickfix.renew(shown.list, title, items)
    updated(result)
    -- Asking can make a server publish. That must not go on for ever: only what was different is
    -- worth asking again.
    if shown.dirty and (before.size ~= #items or before.title ~= title) then
      renew(shown)
    end
  end)
end

--- What a list of a project lacks, in one sentence.
---@param result table
---@return string?
local function lacks(result)
  local first = (result.missing or {})[1]
  local count = (result.missed or 0) + (result.beyond or 0)
  if first then
    local missing = count == 1 and 'file is missing' or 'files are missing'
    return ('%d %s in the list; %s: %s'):format(count, missing, first.file, first.reason)
  elseif count > 0 then
    return ('%s not in the list: more than diagnostics.files allows'):format(
      ui.count(count, 'file')
    )
  end
end

---@param opts oxide.DiagnosticsOpts
---@param result table
---@param request { args: table, context: oxide.Context }
local function show(opts, result, request)
  local win = opts.loc and vim.api.nvim_get_current_win() or nil
  local key = win and tostring(win) or 'quickfix'
  local items = quickfix.from_diagnostics(result.flat)
  local shown = lists[key]
  if shown and quickfix.is_current(shown.list) then
    shown.args, shown.context = request.args, request.context
    quickfix.renew(shown.list, M.title(result), items)
    quickfix.made(shown.list)
  else
    local list =
      quickfix.create { title = M.title(result), items = items, kind = 'diagnostics', win = win }
    shown =
      { list = list, args = request.args, context = request.context, busy = false, dirty = false }
    lists[key] = shown
  end
  if #items == 0 then
    ui.notify('no diagnostics')
  elseif opts.open ~= false and require('oxide.config').get('diagnostics.open') then
    quickfix.open(shown.list, opts.mods)
  end
  if #items > 0 and is_seen(shown) then
    renew(shown) -- with what can be fixed: the list need not wait for that
  end
  local why = not request.context.known and lacks(result)
  if why then
    ui.notify(why, vim.log.levels.WARN)
  end
end

---@param opts oxide.DiagnosticsOpts
function M.run(opts)
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  local args = { severity = SEVERITIES[opts.min or ''] }
  if (opts.scope or 'buffer') == 'buffer' then
    local place = require('oxide.tool_command').here { buf = buf, on_done = opts.on_done }
    if not place then
      return
    end
    args.file_path = place.file_path
  end
  local request = { args = args, context = { buf = buf, flat = true, known = opts.known } }
  local waits, id = require('oxide.waits'), nil
  id = require('oxide.core').call('lsp_diagnostic', args, request.context, function(err, result)
    waits.done(id)
    if err and err.code == 'no_core' then
      require('oxide.fallback').diagnostics(opts, err)
    elseif err and err.code == 'cancelled' then
      ui.notify('the list of diagnostics was cancelled')
    elseif err then
      ui.error(err)
    else
      show(opts, result, request)
      updated(result)
    end
    if opts.on_done then
      opts.on_done(err, result)
    end
  end)
  waits.begin(id, { title = 'diagnostics', buf = buf })
end

local due = false

--- A server has published. Several in a row cost one renewal.
function M.published()
  if due or next(lists) == nil or not require('oxide.config').get('diagnostics.auto_update') then
    return
  end
  due = true
  vim.defer_fn(function()
    due = false
    for key, shown in pairs(lists) do
      if not quickfix.exists(shown.list) then
        lists[key] = nil
      elseif require('oxide.core').running() then
        renew(shown)
      end
    end
  end, 200)
end

return M
