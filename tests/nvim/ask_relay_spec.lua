-- `oxide ask` beside a Neovim that has the project open: its tools run there.
local fault = require('fault')
local helper = require('helper')
local model_server = require('model_server')
local record = require('record')
local relay = require('relay')

local server, child, run ---@type test.ModelServer, test.Child, string

---@param command string
local function start(command, ...)
  return vim.system({ helper.core, command, ... }, {
    cwd = child.dir,
    stdin = false,
    env = relay.env(child.dir, run),
  })
end

local function ask(...)
  local done = start('ask', ...):wait()
  return done
end

--- The model calls this tool, and says that it is done.
local function calls(name, args)
  server:says { calls = { { id = 'c1', name = name, args = args } } }
  server:says { text = 'Done.' }
end

local function begin(review)
  server = model_server.start('openai')
  run = helper.tempdir()
  child = relay.start(
    { ['a.c'] = 'int f(void) {\n  return 1;\n}\n' },
    run,
    ("review = { agent = '%s', agent_focus = 'always' }"):format(review)
  )
  helper.write(
    child.dir .. '/.config/oxide/config.lua',
    ('return { models = { fast = { url = %q, model = "m1" } } }'):format(server.url)
  )
  child:cmd('edit a.c')
  child:cmd('call setline(2, "  return unsaved;")')
  relay.listen(child)
end

describe('oxide ask beside Neovim', function()
  after_each(function()
    server:stop()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('shows and reads what is not saved', function()
    begin('never')
    calls('read_file', { file_path = 'a.c' })
    local done = ask('--file', 'a.c:2-3', 'what?')
    assert.equal('Done.\n', done.stdout, done.stderr)
    assert.truthy(server.asked[1].raw:find('a.c, lines 2 to 3', 1, true), server.asked[1].raw)
    assert.truthy(server.asked[1].raw:find('2:   return unsaved;', 1, true))
    assert.truthy(server.asked[2].raw:find('where: buffer', 1, true), server.asked[2].raw)
    assert.falsy(done.stderr:find('continuing', 1, true))
  end)

  it('changes the buffer, and records it', function()
    begin('never')
    calls('edit_file', { file_path = 'a.c', line_number = 2, content = '  return 2;' })
    local done = ask('--json', '--yes', 'two')
    local r = record.read(done.stdout)
    assert.equal('modify', r.file_operations[1].operation)
    assert.equal(vim.uv.fs_realpath(child.dir) .. '/a.c', r.file_operations[1].path)
    child:wait('the change', "vim.fn.getline(2) == '  return 2;'")
  end)

  it('has a change reviewed in Neovim', function()
    begin('always')
    calls('edit_file', { file_path = 'a.c', line_number = 2, content = '  return 2;' })
    local running = start('ask', 'two')
    child:wait('the review', "vim.api.nvim_buf_get_name(0):find('oxide://review/', 1, true)")
    child:cmd('Oxide review discard')
    assert.equal(0, running:wait().code)
    assert.truthy(server.asked[2].raw:find('was not confirmed', 1, true), server.asked[2].raw)
    assert.equal('  return unsaved;', child:lua('return vim.fn.getbufline("a.c", 2)[1]'))
  end)

  it("runs the project's commands only where they are allowed", function()
    begin('never')
    helper.write(child.dir .. '/Makefile', 'all:\n\t@printf x >>ran\n')
    calls('check_project', vim.empty_dict())
    ask('--yes', 'go')
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/ran'))
    assert.truthy(server.asked[2].raw:find('no user can be asked', 1, true), server.asked[2].raw)
    calls('check_project', vim.empty_dict())
    ask('--yes', '--allow-run', 'go')
    assert.equal('x', helper.read(child.dir .. '/ran'))
  end)

  it('goes on by itself when Neovim goes', function()
    begin('never')
    local held = server:waits()
    calls('read_file', { file_path = 'a.c' })
    local running = start('ask', 'what?')
    fault.wait('the request', function()
      return server.asked[1]
    end)
    vim.uv.kill(child:lua('return vim.uv.os_getpid()'), 'sigkill')
    child:ended()
    held.go()
    local done = running:wait()
    assert.equal('Done.\n', done.stdout, done.stderr)
    assert.truthy(server.asked[2].raw:find('2:   return 1;', 1, true), server.asked[2].raw)
  end)

  it('says with --editor that there is none', function()
    begin('never')
    child:type(':qall!<CR>')
    child:ended()
    local done = ask('--editor', 'what?')
    assert.truthy(done.stderr:find('no editor has this project open', 1, true), done.stderr)
    assert.same({ 1, 0 }, { done.code, #server.asked })
  end)

  it('leaves Neovim alone with --here', function()
    begin('never')
    calls('read_file', { file_path = 'a.c' })
    assert.equal(0, ask('--here', 'what?').code)
    assert.truthy(server.asked[2].raw:find('where: disk', 1, true))
  end)
end)
