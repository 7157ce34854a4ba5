-- Renames that a server alone would do in part: files that it has not read, and very many files.
local helper = require('helper')
local project = require('project')

local put, get = project.put, project.get

local core = helper.core
local dir

local function rename(server, args)
  put(
    'config.lua',
    ("return { servers = { clangd = { cmd = { '%s', '--background-index', '--log=error' } } } }"):format(
      server
    )
  )
  local done = vim
    .system(
      { core, 'call', 'lsp_rename', '--yes', '--root', dir, '--config', dir .. '/config.lua', '-' },
      {
        stdin = vim.json.encode(args),
        env = { OXIDE_DATA = helper.root .. '/lua/oxide', XDG_STATE_HOME = dir .. '/.state' },
      }
    )
    :wait()
  assert.equal(0, done.code, done.stdout .. done.stderr)
  return vim.json.decode(done.stdout)
end

for _, server in ipairs { 'clangd', 'clangd-new' } do
  describe('rename with ' .. server, function()
    before_each(function()
      dir = project.begin()
    end)

    after_each(project.finish)

    it('reaches files that the server has not read, without a compilation database', function()
      put('a.c', 'int process_data(int x) { return x; }\n')
      put('b.c', 'int process_data(int x);\nint b(void) { return process_data(1); }\n')
      put('c.c', 'int c(void) { return 0; } /* not process_data */\n')
      local answer =
        rename(server, { file_path = 'a.c', symbol = 'process_data', new_name = 'handle' })
      assert.same({ 2, 3 }, { answer.files_changed, answer.edits })
      assert.equal('int handle(int x) { return x; }\n', get('a.c'))
      assert.equal('int handle(int x);\nint b(void) { return handle(1); }\n', get('b.c'))
      local left = answer.mentions[1]
      assert.same({ 'c.c', 1, 34, 1 }, { left.file, left.line, left.column, answer.mentions_total })
    end)
  end)
end

describe('rename in very many files', function()
  it('is not stopped by the limit that clangd has', function()
    dir = project.begin()
    put('a.h', 'int process_data(int x);\n')
    put('a.c', '#include "a.h"\nint process_data(int x) { return x; }\n')
    local files = { 'a.c' }
    for i = 1, 60 do
      local name = ('f%d.c'):format(i)
      put(name, ('#include "a.h"\nint f%d(void) { return process_data(%d); }\n'):format(i, i))
      table.insert(files, name)
    end
    put('compile_commands.json', helper.compiled(dir, files, 'cc'))
    local answer =
      rename('clangd-new', { file_path = 'a.h', symbol = 'process_data', new_name = 'handle' })
    assert.same({ 62, 62 }, { answer.files_changed, answer.edits })
    assert.equal('#include "a.h"\nint f60(void) { return handle(60); }\n', get('f60.c'))
    project.finish()
  end)
end)
