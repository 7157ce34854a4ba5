-- Tests that are called with a title: it('...') and test('...') within describe('...'), of busted, jest,
-- vitest, mocha and node. What belongs together is told by its indent.
local M = {}

local ANY = '…' -- text that is not known before the test runs

---@type table<string, 'group'|'test'>   how what calls it begins: also "it.only", "describe.each"
local HEADS = { describe = 'group', context = 'group', suite = 'group', it = 'test', test = 'test' }

--- The text between the quotes that `source` begins with; ANY where a template puts something in.
---@param source string
---@return string? text
---@return string? rest   behind it
function M.quoted(source)
  local quote, text, at = source:sub(1, 1), {}, 2
  while at <= #source do
    local sign = source:sub(at, at)
    local inserted = quote == '`' and source:match('^%${[^}]*}', at)
    if sign == quote then
      return table.concat(text), source:sub(at + 1)
    elseif inserted then
      text[#text + 1], at = ANY, at + #inserted
    else
      local escaped = sign == '\\' and 1 or 0
      text[#text + 1], at = source:sub(at + escaped, at + escaped), at + 1 + escaped
    end
  end
end

--- What a table of cases puts into a title: `%s` and `$name` of jest, `$name` of vitest.
---@param title string
---@return string
local function of_cases(title)
  return (title:gsub('%%[%a#$]', ANY):gsub('%$[%a_#][%w_.]*', ANY))
end

---@class oxide.Titled
---@field indent integer
---@field word string     that calls it: "describe", "test.each"
---@field line integer
---@field group boolean  it has tests in it
---@field title? string   nil: not seen yet
---@field table? boolean  a table of cases is before the title

---@param call oxide.Titled
---@param source string   from its quotes on
---@return oxide.Titled?
local function titled(call, source)
  local title, rest = M.quoted(source)
  if not title then
    return nil
  end
  title = call.word:find('%.each$') and of_cases(title) or title
  local more = assert(rest):match('^%s*%.%.') or rest:match('^%s*%+')
  call.title = more and title .. ANY or title
  return call
end

--- Where the title is looked for: behind the bracket, or that of the table's end.
---@param call oxide.Titled
---@param text string
---@return string? source
---@return boolean later   it may be in the next line
local function title_in(call, text)
  if not call.table then
    local source = text:match('^%(?%s*(["\'`].*)$')
    return source, not source and text:match('^%(?%s*$') ~= nil
  end
  local source = text:match('[%]%)`]%s*%(%s*(["\'`].*)$')
  call.table = not text:match('[%]%)`]%s*%($')
  return source, true
end

--- `describe(Name, ...)`: a group whose title is not told by the text.
---@param call oxide.Titled
---@param text string   behind its word
---@return oxide.Titled?
local function untold(call, text)
  if call.group and not call.table and text:match('^%(%s*[%a_]') then
    call.title = ANY
    return call
  end
end

--- The calls with a title. It may come lines later: behind a table of cases, or where a formatter has put
--- the arguments below one another.
---@param lines string[]
---@return oxide.Titled[]
local function calls(lines)
  local found, open = {}, nil ---@type oxide.Titled[], oxide.Titled?
  for i, line in ipairs(lines) do
    local indent, word, text = line:match('^(%s*)([%a_][%w_.]*)%s*(.*)$')
    if word and HEADS[word:match('^%a+')] then
      local group = HEADS[word:match('^%a+')] == 'group' or word:find('.describe', 1, true) ~= nil
      local cases = word:find('%.each$') ~= nil
      open = { indent = #indent, word = word, line = i, group = group, table = cases }
    else
      text = vim.trim(line)
    end
    if open then
      local source, later = title_in(open, text)
      found[#found + 1] = source and titled(open, source) or untold(open, text)
      open = not source and later and open or nil
    end
  end
  return found
end

--- The tests, each by the titles around it and its own, with `level` between them; and the groups, which
--- are named as any test in them.
---@param lines string[]
---@param level string
---@return oxide.NamedTest[]
function M.of(lines, level)
  local tests, open = {}, {} ---@type oxide.NamedTest[], oxide.Titled[]   groups
  for _, call in ipairs(calls(lines)) do
    while open[1] and call.indent <= open[#open].indent do
      table.remove(open)
    end
    local path = vim.tbl_map(function(group)
      return group.title
    end, open)
    table.insert(path, call.title)
    if call.group then
      table.insert(open, call)
      table.insert(path, ANY)
    end
    local name = table.concat(path, level)
    table.insert(tests, { name = name, line = call.line, group = call.group or nil })
  end
  return tests
end

return M
