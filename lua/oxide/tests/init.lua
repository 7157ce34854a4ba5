-- `:Oxide test`: which tests are run, and what becomes of what failed: a list, marks where it was, and
-- its own output.
local check = require('oxide.check')
local failures = require('oxide.tests.failures')

local M = {}

---@class oxide.TestOpts: oxide.CheckOpts
---@field name? string       of one test, or what the runner selects by that; without it all are run
---@field which? 'nearest'|'last'|'file'|'failed'   instead: of this buffer, or of the runs before
---@field backtrace? boolean

M.WHICH = { 'nearest', 'last', 'file', 'failed' }

local last ---@type table?   what the last run was asked for
local running = 0 -- how many go on, or wait in line

--- Why no failure is known.
---@return string
local function no_failure()
  return last and 'no test failed in the last run' or 'no test was run yet'
end

--- By its name: exactly that one where it has failed, as completion gives it; else what the runner makes
--- of it.
---@param name? string
---@return table
local function by_name(name)
  for _, failure in ipairs(failures.list) do
    if failure.name == name then
      return { test_names = { failure.id or failure.name }, kind = failure.kind }
    end
  end
  return { test_name = name }
end

--- All that failed, of one kind of the project if they are of one.
---@return table
local function failed_again()
  local kinds = {} ---@type table<string, true>
  for _, failure in ipairs(failures.list) do
    kinds[failure.kind] = true
  end
  local kind = next(kinds)
  return {
    test_names = vim.tbl_map(function(failure)
      return failure.id or failure.name
    end, failures.list),
    kind = not next(kinds, kind) and kind or nil,
  }
end

---@param opts oxide.TestOpts
---@param done oxide.Chosen
local function choose(opts, done)
  if opts.which == 'last' then
    done(last, not last and 'no test was run yet' or nil)
  elseif opts.which == 'failed' and #failures.list == 0 then
    done(nil, no_failure())
  elseif opts.which == 'failed' then
    done(failed_again())
  elseif opts.which then
    local kind = require('oxide.tests.names').KINDS[vim.bo.filetype]
    require('oxide.tests.choice')[opts.which](opts, function(args, why)
      done(args and vim.tbl_extend('error', args, { kind = kind }), why)
    end)
  else
    done(by_name(opts.name))
  end
end

---@param result table
---@param note? string   on what was run
---@param opts oxide.TestOpts
local function take(result, note, opts)
  failures.list = result.failures
  for _, failure in ipairs(failures.list) do
    require('oxide.tests.place').find(failure, result.root)
  end
  local list = vim.list_extend(check.from_diagnostics(result), failures.items())
  local summary, referred = result.summary:gsub('see `output`', 'see the list')
  if #list == 0 and (referred > 0 or not result.success) then
    list = check.from_output(result.output)
  end
  result.warnings = vim.list_extend({ note }, result.warnings or {})
  failures.mark()
  check.show('test', 'Oxide test: ' .. summary, list, opts)
  check.say(result, summary)
end

---@param opts oxide.TestOpts
function M.run(opts)
  local on_done = opts.on_done
  opts = vim.tbl_extend('force', opts, {
    on_done = function(err, result)
      running = running - 1
      if on_done then
        on_done(err, result)
      end
    end,
  })
  running = running + 1
  choose(opts, function(args, why)
    if not args then
      return require('oxide.tool_command').refuse(assert(why), opts.on_done)
    end
    last = vim.deepcopy(args)
    args = vim.tbl_extend('error', args, { backtrace = opts.backtrace })
    check.call('test_project', args, 'testing', opts, function(result)
      take(result, why, opts)
    end)
  end)
end

--- Shows what the failure at the cursor has printed; while tests run, what they have so far, but in the
--- list of failures that of its entry.
function M.output()
  local output = require('oxide.tests.output')
  local failure = failures.listed() or running == 0 and failures.nearest()
  if failure then
    output.of_failure(failure)
  elseif running > 0 then
    output.of_run()
  else
    local none = #failures.list == 0
    require('oxide.ui').notify(
      none and no_failure() or 'no test failed here; go to an entry of the list'
    )
  end
end

--- Tests worth running alone, for completion.
---@return string[]
function M.failed()
  return vim.tbl_map(function(failure)
    return (failure.name:gsub('[ \\]', '\\%0')) -- as one word
  end, failures.list)
end

return M
