-- The tests that a buffer has, by what their text looks like, and by which names their runners know
-- them. What is not sure to be a test is none.
local M = {}

---@class oxide.NamedTest
---@field name string   as its runner takes it
---@field line integer  where it begins, from 1

--- Functions `test...`, in classes that are open at their indent: "a.py::Class::test_a".
---@param lines string[]
---@param file string   from the project root
---@return oxide.NamedTest[]
local function python(lines, file)
  local tests, classes = {}, {} ---@type oxide.NamedTest[], { indent: integer, name: string }[]
  for i, text in ipairs(lines) do
    local indent, word = text:match('^(%s*)(%S+)')
    while word and word:sub(1, 1) ~= '#' and classes[1] and #indent <= classes[#classes].indent do
      table.remove(classes)
    end
    local class = text:match('^%s*class%s+([%w_]+)')
    local name = text:match('^%s*def%s+(test[%w_]*)')
      or text:match('^%s*async%s+def%s+(test[%w_]*)')
    if class then
      table.insert(classes, { indent = #indent, name = class })
    elseif name then
      local path = vim.tbl_map(function(one)
        return one.name
      end, classes)
      table.insert(path, 1, file)
      table.insert(path, name)
      table.insert(tests, { name = table.concat(path, '::'), line = i })
    end
  end
  return tests
end

---@param lines string[]
---@return oxide.NamedTest[]
local function go(lines)
  local tests = {}
  for i, text in ipairs(lines) do
    local name = text:match('^func%s+(Test[%w_\128-\255]*)%s*%(')
      or text:match('^func%s+(Example[%w_\128-\255]*)%s*%(')
    if name then
      table.insert(tests, { name = name, line = i })
    end
  end
  return tests
end

--- `#[test]`, `#[tokio::test]` and the like above a function.
---@param lines string[]
---@return oxide.NamedTest[]
local function rust(lines)
  local tests, marked = {}, nil ---@type oxide.NamedTest[], integer?
  for i, text in ipairs(lines) do
    local attribute = text:match('^%s*#%[([%w_:]+)')
    local name = text:match('%f[%w]fn%s+([%w_]+)')
    if attribute and attribute:match('test$') then
      marked = i
    elseif marked and name then
      table.insert(tests, { name = name, line = marked })
      marked = nil
    end
  end
  return tests
end

---@param quoted string   what begins at a quote
---@return string?
local function string_of(quoted)
  local quote = quoted:sub(1, 1)
  local text = quoted:sub(2):match('^([^' .. quote .. '\\]*)' .. quote)
  return text and not (quote == '`' and text:find('${', 1, true)) and text or nil
end

--- it('...') and test('...') within describe('...'), by their indents: "describe it" to busted. To
--- others the title alone, which all of them take.
---@param lines string[]
---@param whole boolean
---@return oxide.NamedTest[]
local function specs(lines, whole)
  local tests, groups = {}, {} ---@type oxide.NamedTest[], { indent: integer, name: string }[]
  for i, text in ipairs(lines) do
    local indent, word, quoted = text:match([[^(%s*)([%a_.]+)%s*%(?%s*(["'`].*)$]])
    local title = quoted and string_of(quoted)
    local first = word and word:match('^%a+')
    if title and (first == 'describe' or first == 'context' or first == 'suite') then
      while groups[1] and #indent <= groups[#groups].indent do
        table.remove(groups)
      end
      table.insert(groups, { indent = #indent, name = title })
    elseif title and (first == 'it' or first == 'test') then
      local path = {}
      for _, group in ipairs(groups) do
        table.insert(path, whole and #indent > group.indent and group.name or nil)
      end
      table.insert(path, title)
      table.insert(tests, { name = table.concat(path, ' '), line = i })
    end
  end
  return tests
end

---@type table<string, fun(lines: string[], file: string): oxide.NamedTest[]>
local readers = { python = python, go = go, rust = rust }
for _, filetype in ipairs {
  'javascript',
  'javascriptreact',
  'typescript',
  'typescriptreact',
} do
  readers[filetype] = function(lines)
    return specs(lines, false)
  end
end
function readers.lua(lines)
  return specs(lines, true)
end

--- Whether a runner takes the name of such a file; else its tests are named one by one.
---@param filetype string
---@return boolean
function M.by_file(filetype)
  return readers[filetype] ~= nil and filetype ~= 'go' and filetype ~= 'rust'
end

---@param buf integer
---@param file string   its path from the project root
---@return oxide.NamedTest[]   by line
function M.of(buf, file)
  local reader = readers[vim.bo[buf].filetype]
  return reader and reader(vim.api.nvim_buf_get_lines(buf, 0, -1, false), file) or {}
end

--- The one that the line is in, or the last one above it.
---@param buf integer
---@param file string
---@param line integer   from 1
---@return oxide.NamedTest?
function M.nearest(buf, file, line)
  local found ---@type oxide.NamedTest?
  for _, test in ipairs(M.of(buf, file)) do
    found = test.line <= line and test or found
  end
  return found
end

return M
