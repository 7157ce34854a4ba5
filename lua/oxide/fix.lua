-- Applies what the servers offer to do about their complaints.
local ui = require('oxide.ui')

local M = {}

---@class oxide.FixOpts
---@field scope? 'cursor'|'buffer'|'project'   without it the cursor's line
---@field buf? integer
---@field first? integer   line from 1; with `last`, instead of a scope
---@field last? integer
---@field min? 'error'|'warning'|'info'|'hint'   the mildest to fix; of lines all, else warnings
---@field kind? string     fixes of this kind alone, as "quickfix.import"
---@field code? string     complaints with this code alone
---@field review? 'auto'|'always'|'never'
---@field on_done? fun(err?: oxide.Error, result?: table)

---@param result table
---@return string
function M.summary(result)
  local refused = (result.not_applied or {})[1]
  local left = refused and (' Left out: %s: %s'):format(refused.title, refused.reason) or ''
  if (result.fixes_applied or 0) == 0 then
    return (result.remaining or 0) > 0 and 'No fix was applied.' .. left or 'Nothing to fix.'
  end
  local text = ('Applied %s: %d resolved, %d left.'):format(
    ui.count(result.fixes_applied, 'fix', 'fixes'),
    result.resolved,
    result.remaining
  )
  local rounds = #(result.transactions or {})
  text = text .. require('oxide.verb').changed(result)
  if rounds > 1 then
    text = ('%s There were %d rounds, each a change of its own.'):format(text, rounds)
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
  local verb = require('oxide.verb')
  local place, why = require('oxide.place').here(opts.buf)
  if not place then
    return verb.refuse(assert(why), opts.on_done)
  end
  verb.call('lsp_diagnostic', arguments(opts, place), {
    buf = place.buf,
    status = 'fixing',
    context = { confirm = opts.review or 'auto' },
    on_done = opts.on_done,
    fallback = function(err)
      require('oxide.fallback').fix(err)
    end,
  }, function(result)
    ui.notify(M.summary(result))
  end)
end

return M
