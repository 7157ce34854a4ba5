-- The tests that a buffer has, by what their text looks like, and by which names their runners know
-- them. What is not sure to be a test is none.
local M = {}

---@class oxide.NamedTest
---@field name string   as its runner takes it
---@field line integer  where it begins, from 1
---@field group? boolean    it is all of a group
---@field in_part? boolean   its runner knows several by this beginning of their names

---@param list { name: string }[]
---@return string[]
local function names_of(list)
  return vim.tbl_map(function(one)
    return one.name
  end, list)
end

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
      local path = vim.list_extend({ file }, names_of(classes))
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
      or text:match('^func%s+(Fuzz[%w_\128-\255]*)%s*%(')
    if name then
      table.insert(tests, { name = name, line = i })
    end
  end
  return tests
end

--- The module that a file of Rust is: {} of src/lib.rs and tests/it.rs, { "a", "b" } of src/a/b.rs.
---@param file string
---@return string[]
function M.rust_module(file)
  local below = ('/' .. file):match('^.*/src/(.*)%.rs$')
  local path = below or ('/' .. file):match('/tests/[^/]+/(.*)%.rs$') or ''
  local parts = vim.split(path, '/', { plain = true, trimempty = true })
  if below and parts[1] == 'bin' then
    parts = vim.list_slice(parts, 3)
  end
  local last = parts[#parts]
  if last == 'mod' or #parts == 1 and (last == 'lib' or last == 'main') then
    table.remove(parts)
  end
  return parts
end

--- `#[test]`, `#[tokio::test]` and the like above a function, by its path: "module::tests::name". What
--- runs one for each of its cases (`#[rstest]`, `#[test_case(1)]`) is named in part.
---@param lines string[]
---@param file string
---@return oxide.NamedTest[]
local function rust(lines, file)
  local tests, marked, cases = {}, nil, false ---@type oxide.NamedTest[], integer?, boolean
  local open, outer = {}, M.rust_module(file) ---@type { indent: integer, name: string }[], string[]
  for i, text in ipairs(lines) do
    local indent = #text:match('^%s*')
    local attribute = text:match('^%s*#%[([%w_:]+)')
    local module = text:match('%f[%w]mod%s+([%w_]+)%s*{')
    local name = text:match('%f[%w]fn%s+([%w_]+)')
    while open[1] and indent <= open[#open].indent and text:match('^%s*}') do
      table.remove(open)
    end
    if module then
      table.insert(open, { indent = indent, name = module })
    elseif attribute and (attribute:match('test$') or attribute:match('test_case$')) then
      cases = cases or not (attribute == 'test' or attribute:match('::test$'))
      marked = marked or i
    elseif marked and name then
      local path = vim.list_extend(vim.list_slice(outer), names_of(open))
      table.insert(path, name)
      table.insert(tests, { name = table.concat(path, '::'), line = marked, in_part = cases })
      marked, cases = nil, false
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
    return require('oxide.tests.titles').of(lines, ' › ')
  end
end
for _, filetype in ipairs { 'c', 'cpp', 'cuda' } do
  readers[filetype] = function(lines)
    return require('oxide.tests.cpp').of(lines)
  end
end
function readers.lua(lines)
  return require('oxide.tests.titles').of(lines, ' ')
end

--- Whether a runner takes the name of such a file; else its tests are named one by one.
---@param filetype string
---@return boolean
function M.by_file(filetype)
  return readers[filetype] ~= nil and filetype ~= 'go' and filetype ~= 'rust'
end

--- The kind of project (lua/oxide/projects/) whose tests are in such a file.
---@type table<string, string>
M.KINDS = {
  c = 'cmake',
  cpp = 'cmake',
  cuda = 'cmake',
  go = 'go',
  javascript = 'javascript',
  javascriptreact = 'javascript',
  lua = 'busted',
  python = 'python',
  rust = 'rust',
  typescript = 'javascript',
  typescriptreact = 'javascript',
}

---@param lines string[]
---@param filetype string
---@param file string   its path from the project root
---@return oxide.NamedTest[]   by line
function M.in_lines(lines, filetype, file)
  local reader = readers[filetype]
  return reader and reader(lines, file) or {}
end

---@param buf integer
---@param file string   its path from the project root
---@return oxide.NamedTest[]   by line
function M.of(buf, file)
  return M.in_lines(vim.api.nvim_buf_get_lines(buf, 0, -1, false), vim.bo[buf].filetype, file)
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
