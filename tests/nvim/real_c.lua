-- Real projects in C, as copies that a compiler judges: whether a change of their text means the same
-- program as before. Their sources come with the set-up (scripts/source.sh).
--
--   local project = real_c.copy('jansson')
--   project:judge()   -- nil: it compiles, links, and is the same machine code; else what is wrong
local helper = require('helper')

local M = {}

local FLAGS = {
  '-O0',
  '-w',
  '-Werror=implicit-function-declaration',
  '-Werror=int-conversion',
  '-Werror=incompatible-pointer-types',
}

local JANSSON_CONFIG = [[
#ifndef JANSSON_CONFIG_H
#define JANSSON_CONFIG_H
#define JSON_INLINE inline
#define JSON_INTEGER_IS_LONG_LONG 1
#define JSON_HAVE_LOCALECONV 1
#define JSON_HAVE_ATOMIC_BUILTINS 1
#define JSON_HAVE_SYNC_BUILTINS 1
#define JSON_PARSER_MAX_DEPTH 2048
#endif
]]

local JANSSON_HAVE = '-DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_FCNTL_H -DHAVE_LOCALE_H -DHAVE_SETLOCALE'
  .. ' -DHAVE_SYS_TIME_H -DHAVE_SYS_TYPES_H -DHAVE_GETTIMEOFDAY -DHAVE_OPEN -DHAVE_READ -DHAVE_CLOSE'
  .. ' -DHAVE_SCHED_H -DHAVE_SCHED_YIELD -DHAVE_ATOMIC_BUILTINS -DHAVE_INT32_T -DHAVE_UINT32_T'
  .. ' -DHAVE_UINT16_T -DHAVE_UINT8_T -DHAVE_SSIZE_T -DHAVE_GETPID -DUSE_URANDOM'
  .. ' -DINITIAL_HASHTABLE_ORDER=3'

---@class test.RealC.Kind
---@field dirs string[]    what of the source is copied; '.' all of it
---@field flags string
---@field prepare? fun(dir: string)

---@type table<string, test.RealC.Kind>
M.kinds = {
  jansson = {
    dirs = { 'src', 'test', 'examples' },
    flags = '-Isrc ' .. JANSSON_HAVE,
    prepare = function(dir)
      helper.write(dir .. '/src/jansson_config.h', JANSSON_CONFIG)
      helper.write(dir .. '/src/jansson_private_config.h', '')
    end,
  },
  libyaml = {
    dirs = { 'src', 'include', 'tests' },
    flags = '-Iinclude -Isrc -DYAML_VERSION_STRING=\\"0.2.5\\" -DYAML_VERSION_MAJOR=0'
      .. ' -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5',
  },
  -- configures itself, and needs libevent and ncurses with their headers for that
  tmux = { dirs = { '.' }, flags = '' },
}

---@class test.RealC
---@field dir string
---@field name string
---@field before table<string, string>                          texts, by path in `dir`
---@field units { file: string, argv: string[], needs: table<string, boolean>, object: string }[]
local Project = {}
Project.__index = Project

---@param dir string
---@param argv string[]
---@return string out
local function must(dir, argv)
  local done = vim.system(argv, { cwd = dir, text = true }):wait()
  assert(done.code == 0, table.concat(argv, ' ') .. ': ' .. (done.stderr or ''))
  return done.stdout
end

--- The C files below a directory, in order.
local function sources(dir, extension)
  local all = {}
  for name, kind in vim.fs.dir(dir, { depth = 20 }) do
    if kind == 'file' and name:find(extension) then
      table.insert(all, name)
    end
  end
  table.sort(all)
  return all
end

--- What `make` would run for each file, of a project that configures itself. The shell splits it.
local function configured(dir)
  must(dir, { 'sh', './configure', '--disable-utf8proc' })
  local units = {}
  for line in must(dir, { 'make', '-n', 'V=1' }):gmatch('[^\n]+') do
    local command, file = line:match('^(gcc .*%s%-c .*%s([%w_./-]+%.c))[%s&\\]*$')
    if command then
      local words = must(dir, { 'sh', '-c', "printf '%s\n' " .. command })
      local flags = vim.tbl_filter(function(word)
        return word:find('^%-[DIUs]') or word == '-iquote.'
      end, vim.split(words, '\n', { trimempty = true }))
      table.insert(units, { file = file, flags = flags })
    end
  end
  assert(#units > 0, 'nothing of what make would run compiles a file')
  return units
end

local function listed(dir, kind)
  return vim.tbl_map(function(file)
    local flags = kind.flags:gsub('\\"', '"')
    return { file = file, flags = vim.split(flags, ' +', { trimempty = true }) }
  end, sources(dir, '%.c$'))
end

--- A copy of the project that builds, with a compilation database; nil where its source is missing.
---@param name string   in M.kinds
---@return test.RealC?
function M.copy(name)
  local source, kind = helper.root .. '/.deps/source/' .. name, M.kinds[name]
  if not vim.uv.fs_stat(source) then
    return nil
  end
  local self =
    setmetatable({ dir = helper.tempdir(), name = name, before = {}, units = {} }, Project)
  for _, part in ipairs(kind.dirs) do
    must('/', { 'cp', '-a', source .. '/' .. part, self.dir .. '/' })
  end
  if kind.prepare then
    kind.prepare(self.dir)
  end
  local commands, objects = {}, self.dir .. '.objects'
  vim.fn.mkdir(objects, 'p')
  for i, unit in ipairs(kind.flags == '' and configured(self.dir) or listed(self.dir, kind)) do
    unit.argv = vim.list_extend({ 'gcc' }, unit.flags)
    vim.list_extend(unit.argv, FLAGS)
    unit.object = ('%s/%d.o'):format(objects, i)
    table.insert(self.units, unit)
    table.insert(commands, {
      directory = self.dir,
      file = unit.file,
      arguments = vim.list_extend(vim.list_slice(unit.argv), { '-c', unit.file }),
    })
  end
  helper.write(self.dir .. '/compile_commands.json', vim.json.encode(commands))
  self:start()
  return self
end

--- Remembers what it is: texts, and what each unit reads and becomes.
function Project:start()
  for _, name in ipairs(sources(self.dir, '%.[chy]$')) do
    self.before[name] = helper.read(self.dir .. '/' .. name)
  end
  for _, unit in ipairs(self.units) do
    local rule = must(self.dir, vim.list_extend(vim.list_slice(unit.argv), { '-MM', unit.file }))
    unit.needs = {}
    for path in rule:gsub('^[^:]*:', ''):gsub('\\\n', ' '):gmatch('%S+') do
      unit.needs[vim.fs.normalize(path)] = true
    end
    assert(not self:compile { unit })
    unit.code = self:code(unit)
  end
  self.open = self:unresolved()
end

--- Compiles those, two at a time; what the compiler says where one fails.
---@return string? wrong
function Project:compile(units)
  local wrong
  for i = 1, #units, 2 do
    local running = {}
    for _, unit in ipairs { units[i], units[i + 1] } do
      local argv =
        vim.list_extend(vim.list_slice(unit.argv), { '-c', '-o', unit.object, unit.file })
      table.insert(running, vim.system(argv, { cwd = self.dir, text = true }))
    end
    for _, run in ipairs(running) do
      local done = run:wait()
      wrong = wrong or (done.code ~= 0 and done.stderr or nil)
    end
  end
  return wrong
end

--- The machine code of a unit. Names are not part of it; which variable is meant is.
function Project:code(unit)
  local out = unit.object .. '.text'
  must(self.dir, { 'objcopy', '-O', 'binary', '-j', '.text', unit.object, out })
  return helper.read(out)
end

--- How many names the objects ask for that none of them has.
function Project:unresolved()
  local wanted, defined, count = {}, {}, 0
  local argv = { 'nm' }
  for _, unit in ipairs(self.units) do
    table.insert(argv, unit.object)
  end
  for kind, name in must(self.dir, argv):gmatch('%f[%w](%a) ([^\n]+)') do
    if kind == 'U' then
      wanted[name] = true
    else
      defined[name] = true
    end
  end
  for name in pairs(wanted) do
    count = count + (defined[name] and 0 or 1)
  end
  return count
end

--- The files whose text is not what it was.
---@return string[]
function Project:changed()
  local names = {}
  for name, text in vim.spairs(self.before) do
    if helper.read(self.dir .. '/' .. name) ~= text then
      table.insert(names, name)
    end
  end
  return names
end

--- Whether it is still the same program. Only what reads a changed file is compiled, and what did so
--- the last time, as that may have been taken back.
---@return string? wrong
function Project:judge()
  local changed, affected = self:changed(), {}
  for _, unit in ipairs(self.units) do
    local reads = vim.iter(changed):any(function(name)
      return unit.needs[name]
    end)
    if reads or unit.compiled then
      table.insert(affected, unit)
    end
    unit.compiled = reads
  end
  local wrong = self:compile(affected)
  for _, unit in ipairs(wrong and {} or affected) do
    if self:code(unit) ~= unit.code then
      wrong = wrong or unit.file .. ' compiles to another program'
    end
  end
  if not wrong and self:unresolved() ~= self.open then
    wrong = 'names are left that nothing defines'
  end
  return wrong
end

--- What was changed is put back, for who goes on after a failure.
function Project:restore()
  for name, text in pairs(self.before) do
    if helper.read(self.dir .. '/' .. name) ~= text then
      helper.write(self.dir .. '/' .. name, text)
    end
  end
end

function Project:remove()
  vim.fn.delete(self.dir, 'rf')
  vim.fn.delete(self.dir .. '.objects', 'rf')
end

--- Code alone: comments, strings and directives become blanks, line by line as before.
local function code_of(text)
  local function blank(s)
    return (s:gsub('[^\n]', ' '))
  end
  text = text:gsub('/%*.-%*/', blank)
  text = text:gsub('"[^"\n]*"', blank):gsub("'\\?[^'\n]+'", blank):gsub('//[^\n]*', blank)
  return (('\n' .. text):gsub('\n[ \t]*#[^\n]*', blank):sub(2))
end

local KEYWORDS = {}
for word in
  ([[auto break case char const continue default do double else enum extern float for goto if inline int
  long register restrict return short signed sizeof static struct switch typedef union unsigned void
  volatile while defined NULL size_t]]):gmatch('%S+')
do
  KEYWORDS[word] = true
end

--- All places of names in the code: { file, line, column, name }, in order.
function Project:names()
  local all = {}
  for file, text in vim.spairs(self.before) do
    local line = 0
    for code in (code_of(text) .. '\n'):gmatch('([^\n]*)\n') do
      line = line + 1
      for column, name in code:gmatch('()%f[%w_]([%a_][%w_]*)') do
        if not KEYWORDS[name] and not file:find('%.y$') then
          table.insert(all, { file = file, line = line, column = column, name = name })
        end
      end
    end
  end
  return all
end

return M
