-- Projects of which every use of a name is known, a session of `oxide mcp` in one, and the compiler's
-- word on it.
local e2e = require('e2e')
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')

local M = {}

---@param dir string
---@param args string[]
---@return table done  of vim.system
local function run(dir, args)
  return vim.system(args, { cwd = dir }):wait()
end

--- A header, what it declares, and callers, in src/.
---@param dir string
---@param callers integer
---@param database? 'flags'|'commands'
function M.c_project(dir, callers, database)
  local function put(name, text)
    helper.write(dir .. '/' .. name, text)
  end
  vim.fn.mkdir(dir .. '/src', 'p')
  vim.fn.mkdir(dir .. '/.git', 'p')
  put(
    'src/api.h',
    '#ifndef API_H\n#define API_H\nstruct thing { int width; };\n'
      .. 'int compute(int a, int b);\n#endif\n'
  )
  put('src/api.c', '#include "api.h"\nint compute(int a, int b)\n{\n\treturn a + b;\n}\n')
  local list = { 'api.c' }
  for i = 1, callers do
    list[i + 1] = ('c%02d.c'):format(i)
    put(
      'src/' .. list[i + 1],
      ('#include "api.h"\nint use%d(struct thing *t)\n{\n'):format(i)
        .. ('\treturn compute(t->width, %d);\n}\n'):format(i)
    )
  end
  if database == 'flags' then
    put('compile_flags.txt', '-Isrc\n')
  elseif database then
    put('compile_commands.json', helper.compiled(dir .. '/src', list, 'cc'))
  end
end

--- Another program writes over all of src/.
function M.sed(dir, old, new)
  local done = run(dir, { 'sh', '-c', ("sed -i 's/\\<%s\\>/%s/g' src/*"):format(old, new) })
  assert(done.code == 0, done.stderr)
end

--- Fails with what the compiler says.
function M.compiles(dir)
  local done = run(dir, {
    'sh',
    '-c',
    'gcc -std=c99 -fsyntax-only -Werror=implicit-function-declaration src/*.c',
  })
  assert(done.code == 0, done.stderr)
end

--- The same of the whole program.
---@param include string   where its headers are
function M.links(dir, include)
  local done = run(dir, {
    'sh',
    '-c',
    'gcc -w -I' .. include .. ' -Werror=implicit-function-declaration -o x src/*.c',
  })
  assert(done.code == 0, done.stderr)
end

---@param subs? string[]   the directories to look into; default: src
---@return table<string, string>   name -> text
function M.tree(dir, subs)
  local all = {}
  for _, sub in ipairs(subs or { 'src' }) do
    for name in vim.fs.dir(dir .. '/' .. sub) do
      all[name] = helper.read(dir .. '/' .. sub .. '/' .. name)
    end
  end
  return all
end

--- Arguments of lsp_rename for a change that is made at once.
---@param file string
---@param more? table
function M.rename(file, symbol, new, more)
  return vim.tbl_extend('force', {
    file_path = file,
    symbol = symbol,
    new_name = new,
    confirm = 'apply',
  }, more or {})
end

---@class test.Session
---@field client test.Client
local Session = {}
Session.__index = Session

---@param dir string
---@param clangd? string
---@param options? table   of the core
---@return test.Session
function M.start(dir, clangd, options)
  local cmd = clangd
    and ("servers = { clangd = { cmd = { '%s', '--background-index', '--log=error' } } }"):format(
      clangd
    )
  e2e.write_config(dir .. '.lua', cmd, options)
  local client = mcp.start(dir, {}, {
    ['elicitation/create'] = function()
      return { action = 'accept', content = { apply = true } }
    end,
  }, { OXIDE_CONFIG = dir .. '.lua' })
  client:initialize('2025-06-18', { elicitation = vim.empty_dict() })
  return setmetatable({ client = client, dir = dir }, Session)
end

--- Begins a project with these files, and a session in it for several tests, in setup(): servers are
--- started once. Each test begins with project.reset(); project.finish(), in teardown(), ends both.
---@param files table<string, string>
---@return test.Session core
---@return string dir
function M.begin(files)
  local dir = project.begin(files)
  return M.start(dir), dir
end

---@return string text   of the answer, which has to be a success
function Session:ok(tool, args)
  local text, failed = self.client:call(tool, args)
  assert(not failed, text)
  return text
end

---@return string text   of the answer, which has to be a failure
function Session:fails(tool, args)
  local text, failed = self.client:call(tool, args)
  assert(failed, text)
  return text
end

function Session:stop()
  self.client:close()
  os.remove(self.dir .. '.lua')
end

return M
