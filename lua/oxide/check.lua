-- What the project's own checkers and tests say, as lists that :cnext walks.
local quickfix = require('oxide.quickfix')
local ui = require('oxide.ui')
local tool_command = require('oxide.tool_command')

local M = {}

---@class oxide.CheckOpts
---@field project? string   its name; without it the one last used
---@field open? boolean     false: do not open the window of the list
---@field mods? table       the modifiers of the command
---@field on_done? fun(err?: oxide.Error, result?: table)

---@class oxide.TestOpts: oxide.CheckOpts
---@field name? string       of one test; without it all are run
---@field backtrace? boolean

local lists = {} ---@type table<'check'|'test', oxide.List>
local failed = {} ---@type string[]   names of the tests that failed last

--- Lines that belong to no place.
---@param output? string
---@return table[]
local function from_output(output)
  local items = {}
  for line in vim.gsplit(vim.trim(output or ''), '\n', { plain = true }) do
    table.insert(items, { bufnr = 0, lnum = 0, col = 0, text = line })
  end
  return #items == 1 and items[1].text == '' and {} or items
end

---@param failures table[]
---@return table[]
local function from_failures(failures)
  local items = {}
  for i, failure in ipairs(failures) do
    local message = failure.message or ''
    items[i] = {
      bufnr = failure.file and vim.fn.bufadd(failure.file) or 0,
      lnum = failure.line or 0,
      col = failure.column or 0,
      type = 'E',
      text = message ~= '' and ('%s: %s'):format(failure.name, message) or failure.name,
    }
  end
  return items
end

---@param result table
---@return table[]
local function from_diagnostics(result)
  return result.flat and quickfix.from_diagnostics(result.flat, result.fixes) or {}
end

--- The list of the last run takes the new one's place, where it is still the one that is walked.
---@param kind 'check'|'test'
---@param title string
---@param items table[]
---@param opts oxide.CheckOpts
local function show(kind, title, items, opts)
  local list = lists[kind]
  if quickfix.is_current(list) then
    quickfix.renew(list, title, items)
  elseif #items > 0 then
    list = quickfix.create { title = title, items = items, kind = kind }
    lists[kind] = list
  end
  if #items > 0 and opts.open ~= false then
    quickfix.open(list, opts.mods)
  end
end

---@param result table
---@param text string
local function say(result, text)
  ui.notify(text, not result.success and vim.log.levels.WARN or nil)
  local notes = vim.list_extend({}, result.warnings or {})
  if #(result.unsaved or {}) > 0 then
    table.insert(notes, 'not saved, so not checked: ' .. table.concat(result.unsaved, ', '))
  end
  if #notes > 0 then
    ui.notify(table.concat(notes, '\n'), vim.log.levels.WARN)
  end
end

---@param tool string
---@param args table
---@param status string
---@param opts oxide.CheckOpts
---@param done fun(result: table)
local function call(tool, args, status, opts, done)
  args.project_name = opts.project
  tool_command.call(tool, next(args) and args or vim.empty_dict(), {
    buf = vim.api.nvim_get_current_buf(),
    status = status,
    context = { flat = true, confirm = 'never' }, -- whoever types it has said so
    on_done = opts.on_done,
    handled = function(err)
      if err.code ~= 'cancelled' then
        return false
      end
      ui.notify(('the %s was cancelled'):format(tool == 'check_project' and 'check' or 'test run'))
      if opts.on_done then
        opts.on_done(err)
      end
      return true
    end,
  }, done)
end

---@param opts oxide.CheckOpts
function M.check(opts)
  call('check_project', {}, 'checking', opts, function(result)
    local items = vim.list_extend(from_diagnostics(result), from_output(result.output))
    show('check', 'Oxide check: ' .. result.message, items, opts)
    say(result, result.message)
  end)
end

---@param opts oxide.TestOpts
function M.test(opts)
  local args = { test_name = opts.name, backtrace = opts.backtrace }
  call('test_project', args, 'testing', opts, function(result)
    local items = vim.list_extend(from_diagnostics(result), from_failures(result.failures))
    if #items == 0 and not result.success then
      items = from_output(result.output)
    end
    failed = vim.tbl_map(function(failure)
      return failure.name
    end, result.failures)
    show('test', 'Oxide test: ' .. result.summary, items, opts)
    say(result, result.summary)
  end)
end

--- Tests worth running alone, for completion.
---@return string[]
function M.failed()
  return failed
end

return M
