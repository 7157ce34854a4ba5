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

---@param review string
---@param shell? string    options of the core of the shell, as Lua
---@param neovim? string   of that in Neovim
local function begin(review, shell, neovim)
  server = model_server.start('openai')
  run = helper.tempdir()
  local config = "review = { agent = '%s', agent_focus = 'always' },"
    .. ' core = { path = %q, options = { %s } }'
  child = relay.start(
    { ['a.c'] = 'int f(void) {\n  return 1;\n}\n', ['b.c'] = 'int g;\n' },
    run,
    config:format(review, helper.core, neovim or '')
  )
  helper.write(
    child.dir .. '/.config/oxide/config.lua',
    ('return { models = { fast = { url = %q, model = "m1" } }, options = { %s } }'):format(
      server.url,
      shell or ''
    )
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
    assert.equal(2, #server.asked) -- the model is done
    child:cmd('Oxide review discard')
    local done = running:wait()
    assert.same({ 1, true }, { done.code, done.stderr:find('rejected; nothing', 1, true) ~= nil })
    assert.equal('  return unsaved;', child:lua('return vim.fn.getbufline("a.c", 2)[1]'))
  end)

  local function lines()
    return child:lua([[return {
      vim.fn.getbufline('a.c', 1, '$'),
      vim.fn.bufloaded('b.c') == 1 and vim.fn.getbufline('b.c', 1, '$') or vim.fn.readfile('b.c'),
    }]])
  end

  --- Three edits in two files, one of which builds on another.
  local function says_three()
    for i, args in ipairs {
      { file_path = 'a.c', line_number = 2, content = '  int two = 2;\n  return one;' },
      { file_path = 'a.c', old_string = 'return one;', new_string = 'return two;' },
      { file_path = 'b.c', old_string = 'int g;', new_string = 'int h;' },
    } do
      server:says { calls = { { id = 'c' .. i, name = 'edit_file', args = args } } }
    end
    server:says { text = 'Done.' }
  end

  local BEFORE = { { 'int f(void) {', '  return unsaved;', '}' }, { 'int g;' } }
  local AFTER = { { 'int f(void) {', '  int two = 2;', '  return two;', '}' }, { 'int h;' } }
  local REVIEW = "vim.api.nvim_buf_get_name(0):find('oxide://review/', 1, true)"

  --- How many reviews there are, from here on.
  local function count_reviews()
    child:lua([[
      _G.reviews = 0
      vim.api.nvim_create_autocmd('BufFilePost', {
        pattern = 'oxide://review/*',
        callback = function() _G.reviews = _G.reviews + 1 end,
      })
    ]])
  end

  ---@param title? string
  local function undo_and_redo(title)
    title = title or 'two'
    child:cmd('Oxide turn undo')
    child:message(('Undid "%s" in 2 files'):format(title))
    assert.same(BEFORE, lines())
    child:cmd('Oxide turn redo')
    child:message(('Redid "%s" in 2 files'):format(title))
    assert.same(AFTER, lines())
  end

  it('has a turn reviewed as one change, which is undone and done again as one', function()
    begin('always')
    says_three()
    count_reviews()
    local running = start('ask', '--file', 'a.c', '--json', 'two')
    child:wait('the review', REVIEW)
    assert.equal(4, #server.asked)
    assert.same(BEFORE, lines())
    child:type('ZZ')
    local done = running:wait()
    assert.same({ 0, false }, { done.code, done.stderr:find('nothing was') ~= nil }, done.stderr)
    assert.same(AFTER, lines())
    assert.equal(1, child:lua('return _G.reviews'))
    local r = record.read(done.stdout)
    local changed = vim.tbl_map(function(row)
      return vim.fs.basename(row.path)
    end, r.file_operations)
    assert.same({ 'a.c', 'b.c' }, changed)
    undo_and_redo()
  end)

  for _, where in ipairs { 'shell', 'Neovim' } do
    it("reviews each change by itself with chat.apply = 'each' in " .. where, function()
      local each = "['chat.apply'] = 'each'"
      begin('always', where == 'shell' and each or nil, where == 'Neovim' and each or nil)
      says_three()
      local running = start('ask', 'two')
      for i = 1, 3 do
        child:wait('review ' .. i, REVIEW)
        assert.equal(i, #server.asked)
        child:type('ZZ')
        fault.wait('the next request', function()
          return server.asked[i + 1]
        end)
      end
      assert.equal(0, running:wait().code)
      assert.same(AFTER, lines())
      undo_and_redo('edit a.c') -- the first of its changes
    end)
  end

  it('makes a turn without a review with --yes, and it is undone as one', function()
    begin('always')
    says_three()
    count_reviews()
    assert.equal(0, start('ask', '--yes', 'two'):wait().code)
    assert.same({ AFTER, 0 }, { lines(), child:lua('return _G.reviews') })
    undo_and_redo()
  end)

  it('leaves what waits to :Oxide turn, where the shell goes', function()
    begin('always')
    says_three()
    local running = start('ask', 'two')
    child:wait('the review', REVIEW)
    running:kill('sigkill')
    running:wait()
    child:message('has disconnected; its changes wait for your review')
    assert.same(BEFORE, lines())
    child:cmd('Oxide turn accept')
    child:message('Accepted "two" in 2 files')
    assert.same(AFTER, lines())
    undo_and_redo()
  end)

  it('takes what :Oxide turn accept says while the review is open', function()
    begin('always')
    says_three()
    local running = start('ask', 'two')
    child:wait('the review', REVIEW)
    child:cmd('Oxide turn accept')
    local done = running:wait()
    assert.equal(0, done.code, done.stderr)
    assert.same(AFTER, lines())
  end)

  it('takes the turn back with Ctrl-C in the shell', function()
    begin('always')
    says_three()
    local running = start('ask', 'two')
    child:wait('the review', REVIEW)
    running:kill('sigint')
    local done = running:wait()
    assert.equal(1, done.code)
    assert.truthy(done.stderr:find('nothing was changed', 1, true), done.stderr)
    child:wait('the end of the review', 'not ' .. REVIEW)
    child:cmd('Oxide turn reject')
    child:message('Rejected the changes of "two"')
    assert.same(BEFORE, lines())
  end)

  it('does not go on as if the changes were made, where Neovim goes', function()
    begin('always')
    server:says {
      calls = {
        {
          id = 'c1',
          name = 'edit_file',
          args = { file_path = 'a.c', line_number = 1, content = 'x\ny' },
        },
      },
    }
    local held = server:waits()
    server:says {
      calls = {
        {
          id = 'c2',
          name = 'edit_file',
          args = { file_path = 'a.c', line_number = 3, content = 'z' },
        },
      },
    }
    server:says {
      calls = {
        {
          id = 'c3',
          name = 'edit_file',
          args = { file_path = 'b.c', line_number = 1, content = 'int h;' },
        },
      },
    }
    server:says { text = 'Done.' }
    local running = start('ask', '--yes', 'two')
    fault.wait('a request', function()
      return server.asked[1]
    end)
    held.go()
    held = server:waits()
    fault.wait('the second request', function()
      return server.asked[2]
    end)
    vim.uv.kill(child:lua('return vim.uv.os_getpid()'), 'sigkill')
    child:ended()
    held.go()
    local done = running:wait()
    assert.truthy(server.asked[3].raw:find('Neovim has exited', 1, true), server.asked[3].raw)
    assert.equal('int f(void) {\n  return 1;\n}\n', helper.read(child.dir .. '/a.c'))
    assert.equal('int h;\n', helper.read(child.dir .. '/b.c'))
    assert.equal(0, done.code, done.stderr)
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
