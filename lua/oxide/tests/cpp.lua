-- Tests of C++: the macros of GoogleTest, Catch2 and doctest.
local titles = require('oxide.tests.titles')

local M = {}

--- `TEST(Suite, name)`, and whether it becomes several.
local SUITED = {
  TEST = false,
  TEST_F = false,
  TEST_P = true,
  TYPED_TEST = true,
  TYPED_TEST_P = true,
}

--- `TEST_CASE("title")`, also behind a class.
local TITLED = {
  TEST_CASE = false,
  TEST_CASE_METHOD = false,
  TEST_CASE_FIXTURE = false,
  TEMPLATE_TEST_CASE = true,
  TEMPLATE_TEST_CASE_METHOD = true,
  TEMPLATE_PRODUCT_TEST_CASE = true,
  TEMPLATE_LIST_TEST_CASE = true,
  TEST_CASE_TEMPLATE = true,
  SCENARIO = false,
  SCENARIO_METHOD = false,
}

--- The test that a macro makes, of its first arguments.
---@param macro string
---@param args string   what is behind its bracket
---@return string? name
local function name_of(macro, args)
  if SUITED[macro] ~= nil then
    local suite, name = args:match('^%s*([%w_]+)%s*,%s*([%w_]+)')
    return suite and suite .. '.' .. name
  end
  local title = titles.quoted(args:match('^[^"]*(".*)$') or '')
  return title and (macro:find('SCENARIO') and 'Scenario: ' or '') .. title
end

---@param lines string[]
---@return oxide.NamedTest[]
function M.of(lines)
  local tests = {}
  for i, text in ipairs(lines) do
    local macro, args = text:match('^%s*([A-Z_]+)%s*%((.*)$')
    local several = SUITED[macro or '']
    if several == nil then
      several = TITLED[macro or '']
    end
    -- a formatter may have put the arguments into the next lines
    local name = several ~= nil
      and name_of(macro, table.concat({ args, lines[i + 1] or '', lines[i + 2] or '' }, ' '))
    if name then
      table.insert(tests, { name = name, line = i, in_part = several or nil })
    end
  end
  return tests
end

return M
