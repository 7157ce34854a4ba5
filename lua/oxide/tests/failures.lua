-- What failed in the last run of tests: as entries of a list, and as marks where it was.
local M = {}

---@class oxide.TestFailure
---@field name string
---@field id? string       by which its runner takes it, where that is not the name
---@field file? string
---@field line? integer
---@field column? integer
---@field message string
---@field output string
---@field kind string      of the project, whose runner has it

M.list = {} ---@type oxide.TestFailure[]

local ns = vim.api.nvim_create_namespace('oxide.tests')

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
local function text_of(failure)
  local message = (failure.message or '') .. sides(failure)
  return message ~= '' and ('%s: %s'):format(failure.name, message) or failure.name
end

--- Them as entries of a list.
---@return table[]
function M.items()
  return vim.tbl_map(function(failure)
    return {
      bufnr = failure.file and vim.fn.bufadd(failure.file) or 0,
      lnum = failure.line or 0,
      col = failure.column or 0,
      type = 'E',
      text = text_of(failure),
      user_data = { name = failure.name, message = failure.message, output = failure.output },
    }
  end, M.list)
end

--- Marks where tests failed, as diagnostics of their own, which Neovim shows as it shows others.
function M.mark()
  vim.diagnostic.reset(ns)
  if not require('oxide.config').get('test.marks') then
    return
  end
  local found = {} ---@type table<integer, vim.Diagnostic[]>
  for _, failure in ipairs(M.list) do
    if failure.file and failure.line then
      local buf = vim.fn.bufadd(failure.file)
      found[buf] = found[buf] or {}
      table.insert(found[buf], {
        lnum = failure.line - 1,
        col = math.max(0, (failure.column or 1) - 1),
        severity = vim.diagnostic.severity.ERROR,
        source = 'test',
        message = text_of(failure),
      })
    end
  end
  for buf, list in pairs(found) do
    vim.diagnostic.set(ns, buf, list)
  end
end

--- That of the list's entry that the cursor is on, also in an older list.
---@return { name: string, message: string, output: string }?
function M.listed()
  local entry = vim.bo.buftype == 'quickfix' and vim.fn.getqflist()[vim.fn.line('.')]
  local failure = entry and entry.user_data
  return type(failure) == 'table' and failure.name and failure or nil
end

--- The nearest one in the file, or the only one.
---@return oxide.TestFailure?
function M.nearest()
  local file, line = vim.api.nvim_buf_get_name(0), vim.fn.line('.')
  local best, least ---@type oxide.TestFailure?, integer?
  for _, failure in ipairs(M.list) do
    local far = math.abs((failure.line or 0) - line)
    if failure.file == file and (not least or far < least) then
      best, least = failure, far
    end
  end
  return best or #M.list == 1 and M.list[1] or nil
end

return M
