-- `:Oxide test`: which tests are run, and what becomes of what failed: a list, marks where it was, and
-- its own output.
local check = require('oxide.check')
local ui = require('oxide.ui')

local M = {}

---@class oxide.TestOpts: oxide.CheckOpts
---@field name? string       of one test, or what the runner selects by that; without it all are run
---@field which? 'nearest'|'last'|'file'|'failed'   instead: of this buffer, or of the runs before
---@field backtrace? boolean

---@class oxide.TestFailure
---@field name string
---@field id? string       by which its runner takes it, where that is not the name
---@field file? string
---@field line? integer
---@field column? integer
---@field message string
---@field output string

local ns = vim.api.nvim_create_namespace('oxide.tests')
local failures = {} ---@type oxide.TestFailure[]   of the last run
local last ---@type table?   what that was asked for

M.WHICH = { 'nearest', 'last', 'file', 'failed' }

--- Both sides of what did not hold, as Rust, jest and luassert print them.
local SIDES = {
  { 'left', '\n%s*left: ([^\n]+)', 'right', '\n%s*right: ([^\n]+)' },
  { 'expected', '\n%s*Expected: ([^\n]+)', 'received', '\n%s*Received: ([^\n]+)' },
  {
    'passed in',
    '\n%s*Passed in:%s*\n(.-)\n%s*Expected:',
    'expected',
    '\n%s*Expected:%s*\n(%([^\n]*%b{})',
  },
  {
    'passed in',
    '\n%s*Passed in:%s*\n(.-)\n%s*Expected:',
    'expected',
    '\n%s*Expected:%s*\n([^\n]+)',
  },
}
local SIDE = 60 -- columns of a side that are shown

--- On one line, without what is another in each run.
---@param text string
---@return string
local function one_line(text)
  local short = vim.trim(text:gsub('%(table: 0x%x+%)%s*', ''):gsub('%s+', ' '))
  return #short > SIDE and vim.fn.strcharpart(short, 0, SIDE) .. '...' or short
end

---@param failure oxide.TestFailure
---@return string   empty where the output does not have both
local function sides(failure)
  local output = '\n' .. (failure.output or '')
  for _, side in ipairs(SIDES) do
    local left, right = output:match(side[2]), output:match(side[4])
    if left and right then
      return (' (%s: %s, %s: %s)'):format(side[1], one_line(left), side[3], one_line(right))
    end
  end
  return ''
end

---@param failure oxide.TestFailure
---@return string
local function message_of(failure)
  local message = (failure.message or '') .. sides(failure)
  return message ~= '' and message or 'failed'
end

---@return table[]
local function items()
  return vim.tbl_map(function(failure)
    local message = (failure.message or '') .. sides(failure)
    return {
      bufnr = failure.file and vim.fn.bufadd(failure.file) or 0,
      lnum = failure.line or 0,
      col = failure.column or 0,
      type = 'E',
      text = message ~= '' and ('%s: %s'):format(failure.name, message) or failure.name,
      user_data = { output = failure.output },
    }
  end, failures)
end

--- Marks where tests failed, as diagnostics of their own, which Neovim shows as it shows others.
local function mark()
  vim.diagnostic.reset(ns)
  if not require('oxide.config').get('test.marks') then
    return
  end
  local found = {} ---@type table<integer, vim.Diagnostic[]>
  for _, failure in ipairs(failures) do
    if failure.file and failure.line then
      local buf = vim.fn.bufadd(failure.file)
      found[buf] = found[buf] or {}
      table.insert(found[buf], {
        lnum = failure.line - 1,
        col = math.max(0, (failure.column or 1) - 1),
        severity = vim.diagnostic.severity.ERROR,
        source = 'test',
        message = ('%s: %s'):format(failure.name, message_of(failure)),
      })
    end
  end
  for buf, list in pairs(found) do
    vim.diagnostic.set(ns, buf, list)
  end
end

--- The buffer's file, as the project's runners name it.
---@return string? path
---@return string? why
local function file_here()
  local place, why = require('oxide.cursor').here()
  local root = require('oxide.process').root or vim.fn.getcwd()
  if not place then
    return nil, why
  elseif not vim.startswith(place.file_path, root .. '/') then
    return nil, ('%s is not in the project %s'):format(place.file_path, root)
  end
  return place.file_path:sub(#root + 2)
end

---@type table<string, fun(): (table?, string?)>   arguments, or why there are none
local choose = {}

function choose.nearest()
  local file, why = file_here()
  if not file then
    return nil, why
  end
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local test = require('oxide.tests.names').nearest(0, file, line)
  if not test then
    return nil, 'no test is known at the cursor or above it'
  end
  return test.in_part and { test_name = test.name }
    or { test_names = { test.name }, test_file = file }
end

--- What holds the names of all of these: "a::tests::", or nothing.
---@param tests oxide.NamedTest[]
---@return string
local function common(tests)
  local module = tests[1].name:match('^(.*::)') or ''
  for _, test in ipairs(tests) do
    while not vim.startswith(test.name, module) do
      module = module:match('^(.*::)[^:]+::$') or ''
    end
  end
  return module
end

---@param test oxide.NamedTest
---@return boolean?
local function in_part(test)
  return test.in_part
end

function choose.file()
  local file, why = file_here()
  local names = require('oxide.tests.names')
  if not file then
    return nil, why
  elseif names.by_file(vim.bo.filetype) then
    return { test_file = file }
  end
  local tests = names.of(0, file)
  if #tests == 0 then
    return nil, 'no test is known in this file'
  elseif #vim.tbl_filter(in_part, tests) > 0 then
    local module = common(tests)
    return { test_name = module ~= '' and module or nil }
  end
  return {
    test_file = file,
    test_names = vim.tbl_map(function(test)
      return test.name
    end, tests),
  }
end

function choose.last()
  return last, 'no test was run yet'
end

--- Why no failure is known.
---@return string
local function no_failure()
  return last and 'no test failed in the last run' or 'no test was run yet'
end

function choose.failed()
  local names = vim.tbl_map(function(failure)
    return failure.id or failure.name
  end, failures)
  return #names > 0 and { test_names = names } or nil, no_failure()
end

--- By its name: exactly that one where it has failed, as completion gives it; else what the runner makes
--- of it.
---@param name? string
---@return table
local function by_name(name)
  for _, failure in ipairs(failures) do
    if failure.name == name then
      return { test_names = { failure.id or failure.name } }
    end
  end
  return { test_name = name }
end

---@param result table
---@param opts oxide.TestOpts
local function take(result, opts)
  failures = result.failures
  local list = vim.list_extend(check.from_diagnostics(result), items())
  local summary, referred = result.summary:gsub('see `output`', 'see the list')
  if #list == 0 and (referred > 0 or not result.success) then
    list = check.from_output(result.output)
  end
  mark()
  check.show('test', 'Oxide test: ' .. summary, list, opts)
  check.say(result, summary)
end

---@param opts oxide.TestOpts
function M.run(opts)
  local args, why ---@type table?, string?
  if opts.which then
    args, why = choose[opts.which]()
  else
    args = by_name(opts.name)
  end
  if not args then
    return require('oxide.tool_command').refuse(assert(why), opts.on_done)
  end
  last = vim.deepcopy(args)
  args.backtrace = opts.backtrace
  check.call('test_project', vim.deepcopy(args), 'testing', opts, function(result)
    take(result, opts)
  end)
end

---@return oxide.TestFailure?   of the list's entry that the cursor is on, or the nearest in the file
local function failure_here()
  local entry = vim.bo.buftype == 'quickfix' and vim.fn.getqflist()[vim.fn.line('.')]
  local buf = entry and entry.bufnr or vim.api.nvim_get_current_buf()
  local line = entry and entry.lnum or vim.fn.line('.')
  local file = buf > 0 and vim.api.nvim_buf_get_name(buf) or nil
  local best ---@type oxide.TestFailure?
  for _, failure in ipairs(failures) do
    local named = entry and vim.startswith(entry.text, failure.name)
    if named and (failure.line or 0) == line then
      return failure
    elseif not entry and failure.file == file then
      local far = math.abs((failure.line or 0) - line)
      best = (not best or far < math.abs((best.line or 0) - line)) and failure or best
    end
  end
  return best or #failures == 1 and failures[1] or nil
end

--- Shows what the failure at the cursor has printed.
function M.output()
  local failure = failure_here()
  if not failure then
    local why = #failures == 0 and no_failure() or 'no test failed here; go to an entry of the list'
    return ui.notify(why)
  end
  local lines = vim.split(vim.trim(failure.output or '', '\n'), '\n', { plain = true })
  if #lines == 1 and lines[1] == '' then
    lines = { failure.message ~= '' and failure.message or 'it printed nothing' }
  end
  local win = require('oxide.scratch').float(lines, 'text', {
    focus_id = 'oxide-test-output',
    title = (' %s '):format(failure.name),
    max_width = math.max(20, vim.o.columns - 4),
  })
  require('oxide.scratch').centre(win)
end

--- Tests worth running alone, for completion.
---@return string[]
function M.failed()
  return vim.tbl_map(function(failure)
    return (failure.name:gsub('[ \\]', '\\%0')) -- as one word
  end, failures)
end

return M
