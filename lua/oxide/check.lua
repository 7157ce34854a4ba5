-- What the project's own checkers say, as a list that :cnext walks; tests.lua does the same with tests.
local quickfix = require('oxide.quickfix')
local ui = require('oxide.ui')
local tool_command = require('oxide.tool_command')

local M = {}

---@class oxide.CheckOpts
---@field project? string   its name; without it the one last used
---@field open? boolean     false: do not open the window of the list
---@field mods? table       the modifiers of the command
---@field on_done? fun(err?: oxide.Error, result?: table)

local lists = {} ---@type table<'check'|'test', oxide.List>

--- Lines that belong to no place.
---@param output? string
---@return table[]
function M.from_output(output)
  local items = {}
  for line in vim.gsplit(vim.trim(output or ''), '\n', { plain = true }) do
    table.insert(items, { bufnr = 0, lnum = 0, col = 0, text = line })
  end
  return #items == 1 and items[1].text == '' and {} or items
end

---@param result table
---@return table[]
function M.from_diagnostics(result)
  return result.flat and quickfix.from_diagnostics(result.flat, result.fixes) or {}
end

--- The list of the last run takes the new one's place, where it is still the one that is walked.
---@param kind 'check'|'test'
---@param title string
---@param items table[]
---@param opts oxide.CheckOpts
function M.show(kind, title, items, opts)
  local list = lists[kind]
  if quickfix.is_current(list) then
    quickfix.renew(list, title, items)
    quickfix.made(list)
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
function M.say(result, text)
  ui.notify(text, not result.success and vim.log.levels.WARN or nil)
  local notes = vim.list_extend({}, result.warnings or {})
  if #(result.unsaved or {}) > 0 then
    table.insert(
      notes,
      'unsaved changes were not looked at: ' .. table.concat(result.unsaved, ', ')
    )
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
function M.call(tool, args, status, opts, done)
  args.project_name = opts.project
  tool_command.call(tool, next(args) and args or vim.empty_dict(), {
    buf = vim.api.nvim_get_current_buf(),
    status = status,
    runs = true,
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

--- Lists what checkers have found, and says how much it is.
---@param kind 'check'|'test'
---@param result table
---@param opts oxide.CheckOpts
function M.report(kind, result, opts)
  local items = vim.list_extend(M.from_diagnostics(result), M.from_output(result.output))
  M.show(kind, ('Oxide %s: %s'):format(kind, result.message), items, opts)
  M.say(result, result.message)
end

---@param opts oxide.CheckOpts
function M.check(opts)
  M.call('check_project', {}, 'checking', opts, function(result)
    M.report('check', result, opts)
  end)
end

return M
