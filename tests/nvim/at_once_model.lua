-- A small project of C, and random calls that change it or ask about it, for a model that says what its
-- texts are by then. All that calls change is a value by its key: `name f1`, `body f1`, `more f1` (its
-- parameters), `note 1.2`, `const 1.2`; M.texts() has all files for such values.
--
-- A call: { tool, args, steps, about, beside, bad, query }. A step { key, from, to } is what it does where
-- it is accepted; `about` has the keys of all that it names, for a call may be refused because of what
-- another has made of those; `bad` has to be refused, unless another has; `query` changes nothing:
-- query(answer) says what is wrong with it, if anything.
local M = {}

local FUNCTIONS, USERS = 4, 2

---@alias test.AtOnceValues table<string, string>
---@class test.AtOnceStep
---@field key string
---@field from string
---@field to? string
---@field whatever? boolean         it puts `to` in the place of whatever there is
---@field undoes? test.AtOnceStep   in place of `to`: what that has found

---@class test.AtOnceCall
---@field tool string
---@field args table
---@field steps test.AtOnceStep[]
---@field about string[]
---@field beside? string[]   the keys of what else is on the line that it names
---@field bad? boolean
---@field query? fun(answer: table): string?

local count = 0

--- A name, or a number as text, that was nowhere before.
---@param stem string
local function new(stem)
  count = count + 1
  return stem .. count
end

---@param items any[]
local function any(items)
  return items[math.random(#items)]
end

---@return test.AtOnceValues
function M.values()
  local v = { ['name var'] = new('var'), ['name member'] = new('member') }
  for i = 1, FUNCTIONS do
    v['name f' .. i], v['body f' .. i], v['more f' .. i] = new('work'), 'return n + 1;', ''
    for k = 1, USERS do
      v[('note %d.%d'):format(k, i)] = ('\t/* %s */\n'):format(new('note '))
      v[('const %d.%d'):format(k, i)] = new('1000')
    end
  end
  for k = 1, USERS do
    v['name local' .. k] = new('sum')
  end
  return v
end

--- "7 9": two parameters more, which every call gives 7 and 9.
---@param form string
local function more(list, form)
  return (list:gsub('%s*(%d+)', form))
end

local function prototype(v, i)
  local name, list = v['name f' .. i], more(v['more f' .. i], ', int more%1')
  return ('int %s(int n%s)'):format(name, list)
end

local function use_line(v, k, i)
  local sum, name, list = v['name local' .. k], v['name f' .. i], more(v['more f' .. i], ', %1')
  return ('\t%s += %s(%s%s) + %s;\n'):format(sum, name, sum, list, v[('const %d.%d'):format(k, i)])
end

---@param v test.AtOnceValues
---@return table<string, string>   by the name of the file
function M.texts(v)
  local member, var = v['name member'], v['name var']
  local header = ('#pragma once\n\nstruct thing {\n\tint %s;\n};\n\nextern int %s;\n'):format(
    member,
    var
  )
  local source = ('#include "api.h"\n\nint %s = 3;\n'):format(var)
  local texts = {}
  for k = 1, USERS do
    local sum = v['name local' .. k]
    local text = ('#include "api.h"\n\nint use%d(struct thing *t)\n{\n\tint %s = t->%s;\n\n'):format(
      k,
      sum,
      member
    )
    for i = 1, FUNCTIONS do
      text = text .. v[('note %d.%d'):format(k, i)] .. use_line(v, k, i)
    end
    texts[('use%d.c'):format(k)] = text .. ('\treturn %s + %s;\n}\n'):format(sum, var)
    header = header .. ('int use%d(struct thing *t);\n'):format(k)
  end
  for i = 1, FUNCTIONS do
    header = header .. prototype(v, i) .. ';\n'
    source = source
      .. ('\n%s\n{\n\t%s\n}\n'):format(prototype(v, i), (v['body f' .. i]:gsub('\n', '\n\t')))
  end
  texts['api.h'], texts['api.c'] = header, source
  return texts
end

local function step(v, key, to, whatever)
  return { key = key, from = v[key], to = to, whatever = whatever }
end

--- The numbers of the lines that have the name.
local function lines_with(text, name)
  local found, number = {}, 0
  for line in text:gmatch('([^\n]*)\n') do
    number = number + 1
    local at = line:find('%f[%w_]' .. name .. '%f[^%w_]')
    if at then
      table.insert(found, { line = number, column = at, text = line })
    end
  end
  return found
end

--- The keys of all that is on a line.
local function keys_on(v, line)
  local keys = {}
  for key, value in pairs(v) do
    local is_word = key:find('^name') or key:find('^const')
    if is_word and line:find('%f[%w_]' .. value .. '%f[^%w_]') then
      keys[key] = true
    end
  end
  for i = 1, FUNCTIONS do
    keys['more f' .. i] = keys['name f' .. i]
  end
  return vim.tbl_keys(keys)
end

local function random_function()
  return math.random(FUNCTIONS)
end

local make = {} ---@type table<string, fun(v: test.AtOnceValues, texts: table<string, string>): test.AtOnceCall?>

local HOMES = { var = 'api.c', member = 'api.h', local1 = 'use1.c', local2 = 'use2.c' }

function make.rename(v, texts)
  local what = any { 'f1', 'f2', 'f3', 'f4', 'var', 'member', 'local1', 'local2' }
  local key, home = 'name ' .. what, HOMES[what] or any { 'api.c', 'api.h', 'use1.c', 'use2.c' }
  local old, args = v[key], { new_name = new('item') }
  local call =
    { tool = 'lsp_rename', args = args, steps = { step(v, key, args.new_name) }, about = { key } }
  local how = what:find('^local') and math.random(2) or math.random(4)
  if how == 4 and what ~= 'member' then
    call.tool, args.symbol_name, args.execute_immediately = 'rename_symbol', old, true
    return call
  end
  args.file_path, args.confirm = home, 'apply'
  if how == 3 and (what == 'var' or home == 'api.c') then
    args.symbol = old
    return call
  end
  local place = any(lines_with(texts[home], old))
  args.line, call.beside = place.line, keys_on(v, place.text)
  if how == 1 then
    args.column = place.column
  else
    args.symbol = old
  end
  return call
end

local function const_step(v, k, i)
  return step(v, ('const %d.%d'):format(k, i), new('1000'))
end

local function keys_of(steps)
  return vim.tbl_map(function(s)
    return s.key
  end, steps)
end

function make.const(v)
  local k = math.random(USERS)
  local s = const_step(v, k, random_function())
  return {
    tool = 'edit_file',
    args = {
      file_path = ('use%d.c'):format(k),
      old_string = '+ ' .. s.from,
      new_string = '+ ' .. s.to,
    },
    steps = { s },
    about = { s.key },
  }
end

function make.consts(v)
  local steps, operations = {}, {}
  for k = 1, USERS do
    local s = const_step(v, k, random_function())
    table.insert(steps, s)
    table.insert(operations, {
      edit_type = 'replace',
      file_path = ('use%d.c'):format(k),
      old_string = '+ ' .. s.from,
      new_string = '+ ' .. s.to,
    })
  end
  return {
    tool = 'multi_edit',
    args = { operations = operations },
    steps = steps,
    about = keys_of(steps),
  }
end

--- One or two lines become one or two others.
function make.note(v, texts)
  local k = math.random(USERS)
  local key = ('note %d.%d'):format(k, random_function())
  local file, from = ('use%d.c'):format(k), v[key]
  local lines, second = '\t/* ' .. new('note ') .. ' */\n', math.random(2) == 1
  local to = lines .. (second and ('\t/* ' .. new('more ') .. ' */\n') or '')
  local before = texts[file]:sub(1, assert(texts[file]:find(from, 1, true)) - 1)
  local first = select(2, before:gsub('\n', '\n')) + 1
  local last = first + select(2, from:gsub('\n', '\n')) - 1
  return {
    tool = 'edit_file',
    args = {
      file_path = file,
      line_range = { first, last },
      content = to:sub(1, -2),
      expect = from:sub(1, -2),
    },
    steps = { step(v, key, to) },
    about = { key },
  }
end

function make.body(v)
  local i = random_function()
  local key, name = 'body f' .. i, 'name f' .. i
  local last = ('return n + %s;'):format(new('2000'))
  local to = any { last, 'n++;\n' .. last }
  return {
    tool = 'lsp_edit',
    args = { file_path = 'api.c', symbol = v[name], action = 'replace_body', content = to },
    steps = { step(v, key, to, true) },
    about = { key, name, 'more f' .. i },
  }
end

function make.signature(v)
  local i = random_function()
  local key, name = 'more f' .. i, 'name f' .. i
  local _, n = v[key]:gsub('%d+', '')
  local number = new('')
  local parameters = { { from = 0 } }
  for p = 1, n do
    table.insert(parameters, { from = p })
  end
  table.insert(parameters, { new = 'int more' .. number, argument = number })
  return n < 3
      and {
        tool = 'lsp_edit',
        args = {
          file_path = 'api.c',
          symbol = v[name],
          action = 'change_signature',
          parameters = parameters,
        },
        steps = { step(v, key, vim.trim(v[key] .. ' ' .. number), true) },
        about = { key, name, 'body f' .. i },
      }
    or nil
end

function make.wrong_body(v)
  local i = random_function()
  local args = { file_path = 'api.c', symbol = v['name f' .. i], action = 'replace_body' }
  args.content = 'return nowhere;'
  return { tool = 'lsp_edit', args = args, steps = {}, about = {}, bad = true }
end

function make.taken_name(v)
  local i = random_function()
  local key, other = 'name f' .. i, 'name f' .. (i % FUNCTIONS + 1)
  return {
    tool = 'lsp_rename',
    args = { file_path = 'api.c', symbol = v[key], new_name = v[other], confirm = 'apply' },
    steps = { step(v, key, v[other]) },
    about = { key, other },
    bad = true,
  }
end

function make.references(v)
  local i = random_function()
  return {
    tool = 'lsp_symbol',
    args = { query = 'references', file_path = 'api.c', symbol = v['name f' .. i] },
    steps = {},
    about = { 'name f' .. i },
    query = function(answer)
      local all = 2 + USERS
      if answer.complete ~= true or answer.total ~= all then
        return ('%s of %d places, complete: %s'):format(answer.total, all, answer.complete)
      end
    end,
  }
end

--- Not judged by what it finds: of a header that was just written clangd 14 may know the one before.
function make.diagnostics()
  local file = any { 'all', 'api.h', 'api.c', 'use1.c', 'use2.c' }
  return {
    tool = 'lsp_diagnostic',
    args = { file_path = file ~= 'all' and file or nil, severity = 'error' },
    steps = {},
    about = {},
    query = function() end,
  }
end

local KINDS = {
  'rename',
  'rename',
  'rename',
  'rename',
  'const',
  'consts',
  'note',
  'note',
  'body',
  'body',
  'signature',
  'wrong_body',
  'taken_name',
  'references',
  'references',
  'diagnostics',
}

--- One of them, for these values.
---@param v test.AtOnceValues
---@return test.AtOnceCall
function M.call(v)
  local call
  repeat
    call = make[any(KINDS)](v, M.texts(v))
  until call
  return call
end

--- What a key may be once all these steps are made, in whatever order is possible, and what each step
--- has found.
---@param value string
---@param steps test.AtOnceStep[]
---@param found? table<test.AtOnceStep, string>
---@return { value: string, found: table<test.AtOnceStep, string> }[]
local function ends(value, steps, found)
  found = found or {}
  if #steps == 0 then
    return { { value = value, found = found } }
  end
  local all = {}
  for i, s in ipairs(steps) do
    local undone = s.undoes
    if s.from == value or s.whatever then
      local rest, more_found =
        vim.list_slice(steps), vim.tbl_extend('error', found, { [s] = value })
      table.remove(rest, i)
      local to = undone and (found[undone] or undone.from) or s.to
      vim.list_extend(all, ends(to, rest, more_found))
    end
  end
  return all
end

--- What takes them back.
---@param steps test.AtOnceStep[]
---@return test.AtOnceStep[]
function M.backwards(steps)
  return vim.tbl_map(function(s)
    return { key = s.key, from = s.to, undoes = s }
  end, steps)
end

--- The first line that is another one.
local function difference(wanted, found)
  for name, text in vim.spairs(wanted) do
    if text ~= found[name] then
      return name .. ':\n' .. vim.diff(text, found[name])
    end
  end
end

--- The values once all these steps are made, if the texts are those of them: in an order that is
--- possible, and that of the texts where there are several.
---@param v test.AtOnceValues
---@param steps test.AtOnceStep[]
---@param texts table<string, string>
---@return test.AtOnceValues? after
---@return string? why not
function M.after(v, steps, texts)
  local by_key, all, why = {}, { { values = v, found = {} } }, nil
  for _, s in ipairs(steps) do
    by_key[s.key] = vim.list_extend(by_key[s.key] or {}, { s })
  end
  for key, list in pairs(by_key) do
    local longer = {}
    for _, one in ipairs(all) do
      for _, last in ipairs(ends(v[key], list)) do
        table.insert(longer, {
          values = vim.tbl_extend('force', one.values, { [key] = last.value }),
          found = vim.tbl_extend('error', one.found, last.found),
        })
      end
    end
    if #longer == 0 then
      return nil, ('%s: %s: %s'):format(key, v[key], vim.inspect(list))
    end
    all = longer
  end
  for _, one in ipairs(all) do
    why = difference(M.texts(one.values), texts)
    if not why then
      for s, value in pairs(one.found) do
        s.from = value
      end
      return one.values
    end
  end
  return nil, why
end

return M
