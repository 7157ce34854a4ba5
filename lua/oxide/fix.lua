-- Applies what the servers offer to do about their complaints.
local ui = require('oxide.ui')

local M = {}

---@class oxide.FixOpts
---@field scope? 'cursor'|'buffer'|'project'   without it the cursor's line
---@field buf? integer
---@field first? integer   line from 1; with `last`, instead of a scope
---@field last? integer
---@field min? 'error'|'warning'|'info'|'hint'   lowest to fix; of lines all, else warnings
---@field kind? string     fixes of this kind alone, as "quickfix.import"
---@field code? string     complaints with this code alone
---@field review? 'auto'|'always'|'never'
---@field force? boolean   in spite of new errors
---@field on_done? fun(err?: oxide.Error, result?: table)

---@param row table   a diagnostic
---@return string
local function first_line(row)
  return (row.message:match('[^\n]*'))
end

--- Of the diagnostics, those that were asked about.
---@param rows table[]
---@param asked table   arguments of lsp_diagnostic
---@return table[]
local function wanted(rows, asked)
  return vim.tbl_filter(function(row)
    local on_lines = not asked.start_line
      or (row.line <= asked.end_line and row.end_line >= asked.start_line)
    return on_lines and (not asked.code or row.code == asked.code)
  end, rows)
end

--- Where else there is something to be fixed.
---@param rows table[]
---@param line integer
---@return string
local function elsewhere(rows, line)
  local nearest, least = nil, math.huge
  for _, row in ipairs(rows) do
    local off = math.abs(row.line - line)
    if #row.fixes > 0 and off < least then
      nearest, least = row, off
    end
  end
  return nearest
      and (' The nearest one is for line %d; `:Oxide fix buffer` applies all.'):format(nearest.line)
    or ' Nothing in the file can be fixed.'
end

--- Why nothing was done, and what there is to do.
---@param rows table[]   the diagnostics
---@param asked table
---@return string
local function excuse(rows, asked)
  local line, last = asked.start_line, asked.end_line
  local here = wanted(rows, asked)
  local place = not line and 'here' or line == last and 'on line ' .. line or 'on these lines'
  local which = (asked.code and ' with the code ' .. asked.code or '')
    .. (asked.kind and ' of the kind ' .. asked.kind or '')
  for _, row in ipairs(here) do
    if #row.fixes > 0 and not asked.kind then
      return ('No fix was applied: choose between %s %s with `:Oxide actions`.'):format(
        #row.fixes > 1 and #row.fixes or 'some',
        #here > 1 and 'for ' .. first_line(row) or place
      )
    end
  end
  local text = #here == 0 and ('No fix was applied: nothing is wrong %s%s.'):format(place, which)
    or ('No fix was applied: none%s is available %s, for: %s.'):format(
      asked.kind and which or '',
      place,
      first_line(here[1])
    )
  return line and text .. elsewhere(rows, line) or text
end

---@param row { title: string, reason: string }
---@return string
function M.left_out(row)
  local text = (' Left out: %s: %s.'):format(row.title, (row.reason:gsub('%.$', '')))
  local by_errors = row.reason:find('new error', 1, true)
  return by_errors and text .. ' `:Oxide fix!` applies it anyway.' or text
end

---@param result table
---@param asked table   arguments of lsp_diagnostic
---@return string
function M.summary(result, asked)
  local refused = (result.not_applied or {})[1]
  local left = refused and M.left_out(refused) or ''
  if (result.fixes_applied or 0) == 0 and refused then
    return 'No fix was applied.' .. left
  elseif (result.fixes_applied or 0) == 0 then
    return (result.remaining or 0) > 0 and excuse(result.diagnostics or {}, asked)
      or 'Nothing to fix.'
  end
  local text = ('Applied %s: %d resolved, %d left.'):format(
    ui.count(result.fixes_applied, 'fix', 'fixes'),
    result.resolved,
    result.remaining
  )
  local rounds = #(result.transactions or {})
  text = text .. require('oxide.tool_command').changed(result)
  if rounds > 1 then
    text = ('%s There were %d rounds, each one a separate change.'):format(text, rounds)
  end
  return result.stopped and ('%s Stopped: %s'):format(text .. left, result.stopped) or text .. left
end

---@param opts oxide.FixOpts
---@param place oxide.Place
---@return table
local function arguments(opts, place)
  local scope = opts.scope or 'cursor'
  local lines = opts.first or (scope == 'cursor' and place.line)
  return {
    file_path = scope ~= 'project' and place.file_path or nil,
    fix_errors = true,
    start_line = lines or nil,
    end_line = opts.last or lines or nil,
    severity = opts.min or (lines and 'hint' or 'warning'),
    kind = opts.kind,
    code = opts.code,
    confirm = 'ask',
  }
end

---@param opts oxide.FixOpts
function M.run(opts)
  local tool_command = require('oxide.tool_command')
  local place = tool_command.here(opts)
  if not place then
    return
  end
  local args = arguments(opts, place)
  tool_command.call('lsp_diagnostic', args, {
    buf = place.buf,
    status = 'fixing',
    context = { confirm = opts.review or 'auto' },
    force = opts.force,
    on_done = opts.on_done,
    fallback = function(err)
      require('oxide.fallback').fix(err)
    end,
  }, function(result)
    require('oxide.tool_command').report(result, M.summary(result, args))
  end)
end

return M
