-- Refactorings of a real project in C, the Lua interpreter: chosen by rule among all its functions.
-- After each the project is built and runs a program of its own language; taking it back gives the
-- tree back bit by bit. Its source comes with the set-up (scripts/source.sh).
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local SOURCE = helper.root .. '/.deps/source/lua5.4/src'
local FLAGS = '-std=gnu99 -O0 -w -Werror=implicit-function-declaration'

-- What the interpreter is asked to do: parsing, tables, strings, coroutines, closures, collecting.
local PROGRAM = [[
local t = {}
for i = 1, 500 do t[i] = ('%05d'):format((i * 7919) % 1000) end
table.sort(t, function(a, b) return a > b end)
local co = coroutine.wrap(function(...)
  for i = 1, select('#', ...) do coroutine.yield((select(i, ...))) end
end)
local weak = setmetatable({}, { __mode = 'k', __len = function() return 42 end })
weak[{}] = true
collectgarbage()
local ok, why = pcall(error, { code = 7 })
goto over
t = nil
::over::
print(t[1], t[500], co(1, 'x'), co(), next(weak), #weak, ok, why.code, 7 // 2, 2 ^ 10, 0x7fffffff | 1)
print(('a,b;c'):gsub('%p', '%%'), ('x'):rep(3, '-'), utf8.char(228, 0x1F600), #string.pack('<i4z', 7, 'z'))
print(load('return ' .. ('1 + '):rep(50) .. '1')(), math.type(3 // 1.0), tostring(nil))
print(os.time { year = 2020, month = 1, day = 1, hour = 12 } > 0)
]]

-- One mistake each, that the server knows how to mend.
local MISTAKES = {
  ['lstrlib.c'] = { 'luaL_Buffer b;', 'luaL_Bufer b;' },
  ['lmathlib.c'] = { 'return 1;', 'return 1' },
  ['lgc.c'] = { 'g%->gckind', 'g->gckin' },
  ['ltablib.c'] = { 'lua_Integer i;', 'lua_Intege i;' },
}

--- The functions that the project defines, in order of files and lines.
local function functions(dir)
  local all = {}
  for name, kind in vim.fs.dir(dir .. '/src') do
    if kind == 'file' and name:find('%.c$') then
      local args = { query = 'document_symbols', file_path = 'src/' .. name }
      for _, symbol in ipairs(project.call('lsp_symbol', args).answer.symbols) do
        if symbol.kind == 'function' then
          table.insert(all, symbol)
        end
      end
    end
  end
  table.sort(all, function(a, b)
    return a.file .. ('%06d'):format(a.line) < b.file .. ('%06d'):format(b.line)
  end)
  return all
end

describe('the Lua interpreter', function()
  local dir, before, said, all

  --- Builds it, and returns what it prints; fails where it does not build or run.
  local function build()
    local made = vim
      .system({ 'make', '-C', dir .. '/src', '-j2', 'generic', 'CFLAGS=' .. FLAGS .. ' -DLUA_USE_POSIX' })
      :wait()
    assert.equal(0, made.code, made.stderr)
    local run = vim.system({ dir .. '/src/lua', '-' }, { stdin = PROGRAM, cwd = dir }):wait()
    assert.equal(0, run.code, run.stderr)
    return run.stdout
  end

  --- The sources that are not what they were.
  local function changed()
    local names = {}
    for name, text in vim.spairs(before) do
      if helper.read(dir .. '/src/' .. name) ~= text then
        table.insert(names, name)
      end
    end
    return names
  end

  local function call(tool, arguments)
    return e2e.oxide(dir, { 'call', tool, '--yes', '-' }, { stdin = vim.json.encode(arguments) })
  end

  --- It was applied: what it is then works as before, and can be taken back.
  local function assert_kept(answer)
    assert.truthy(answer.transaction)
    assert.equal(answer.files_changed, #changed())
    assert.equal(said, build())
    local undone = call('undo', { transaction = answer.transaction })
    assert.equal(0, undone.code, undone.out)
    assert.same({}, changed())
  end

  local function symbols(every, from)
    local chosen = {}
    for i = from, #all, every do
      table.insert(chosen, all[i])
    end
    return chosen
  end

  local function fill()
    before = {}
    local sources = {}
    for name in vim.fs.dir(SOURCE) do
      before[name] = helper.read(SOURCE .. '/' .. name)
      project.put('src/' .. name, before[name])
      if name:find('%.c$') then
        table.insert(sources, name)
      end
    end
    local database =
      helper.compiled(project.dir .. '/src', sources, 'cc -std=gnu99 -DLUA_USE_POSIX')
    project.put('compile_commands.json', database)
  end

  setup(function()
    if not vim.uv.fs_stat(SOURCE) then
      return
    end
    -- for this alone one server: it would read all of these files again after each change
    project.reside()
    fill()
    all = functions(project.dir)
    project.finish()
    dir = project.begin()
    fill()
    said = build()
  end)

  teardown(function()
    if dir then
      project.finish()
    end
  end)

  local function needs_source()
    return dir or pending('the source of lua5.4 could not be had')
  end

  it('is the same after each of eight renames', function()
    if not needs_source() then
      return
    end
    local chosen = symbols(97, 11)
    for i = 1, 8 do
      local symbol = chosen[i]
      local done = call('lsp_rename', {
        file_path = symbol.file,
        line = symbol.line,
        column = symbol.column,
        new_name = symbol.name .. '_of_old',
      })
      assert.equal(0, done.code, symbol.name .. done.out)
      assert_kept(done.answer)
    end
  end)

  --- The list that a change of the signature asks for, by turns another order, a new parameter in
  --- front, or one behind; nil for those with too few parameters.
  local function parameters(symbol, turn)
    local shown = call('lsp_edit', {
      file_path = symbol.file,
      symbol = symbol.name,
      action = 'change_signature',
    })
    local count = shown.code == 0 and #shown.answer.parameters or 0
    local list = {}
    for i = count - 1, 0, -1 do
      table.insert(list, { from = i })
    end
    if turn % 3 ~= 0 then
      table.sort(list, function(a, b)
        return a.from < b.from
      end)
      local new = { new = 'int of_old', argument = '0' }
      table.insert(list, turn % 3 == 1 and 1 or #list + 1, new)
    end
    return count > 1 and list or nil
  end

  it('is the same after each of eight changed signatures', function()
    if not needs_source() then
      return
    end
    local applied = 0
    for _, symbol in ipairs(symbols(13, 5)) do
      local list = applied < 8 and parameters(symbol, applied)
      if list then
        local done = call('lsp_edit', {
          file_path = symbol.file,
          symbol = symbol.name,
          action = 'change_signature',
          parameters = list,
        })
        if done.code == 0 then
          applied = applied + 1
          assert_kept(done.answer)
        else
          assert.equal('conflict', done.answer.error.code) -- a use that is no plain call
          assert.same({}, changed())
        end
      end
    end
    assert.equal(8, applied)
  end)

  for name, mistake in vim.spairs(MISTAKES) do
    it('is the same after a mistake in ' .. name .. ' was mended', function()
      if not needs_source() then
        return
      end
      local path = dir .. '/src/' .. name
      local broken, times = before[name]:gsub(mistake[1], mistake[2], 1)
      assert.equal(1, times)
      helper.write(path, broken)
      local done = call('lsp_diagnostic', { file_path = 'src/' .. name, fix_errors = true })
      assert.equal(0, done.code, done.out)
      assert.equal(0, done.answer.remaining, done.out)
      assert.same({}, changed())
      assert.equal(said, build())
      assert.equal(0, call('undo', { transaction = done.answer.transactions[1] }).code)
      assert.equal(broken, helper.read(path))
      helper.write(path, before[name])
    end)
  end
end)
