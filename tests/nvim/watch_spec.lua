-- An agent in a terminal writes to files past Oxide: buffers follow, nothing that was typed is lost,
-- Neovim asks nothing, and what it did is undone as one.
local fault = require('fault')
local helper = require('helper')
local relay = require('relay')

local child, run ---@type test.Child, string

-- It does what it is told through a FIFO.
local AGENT = [[#!/bin/sh
exec 3<>"$ORDERS"
while [ -z "$stop" ] && read -r line <&3; do
  eval "$line"
done
]]

---@param files table<string, string>
---@param option? string   of the core
local function begin(files, option)
  files['.gitignore'] = '*\n!*.txt\n'
  run = helper.tempdir()
  local script = run .. '/scripted'
  helper.write(script, AGENT)
  vim.uv.fs_chmod(script, 493)
  assert.equal(
    0,
    vim.system({ 'mkfifo', run .. '/scripted.fifo', run .. '/other.fifo' }):wait().code
  )
  local options = option and ("['%s'] = %s"):format(option:match('(%S+) = (%S+)')) or ''
  local function agent(name)
    local fifo = ('ORDERS=%s/%s.fifo'):format(run, name)
    return ('{ terminal = { command = { "env", %q, %q } } }'):format(fifo, script)
  end
  child = relay.start(
    files,
    run,
    ('core = { path = %q, options = { %s } }, agents = { scripted = %s, other = %s }'):format(
      helper.core,
      options,
      agent('scripted'),
      agent('other')
    )
  )
  assert.equal(0, vim.system({ 'git', 'init', '-q', child.dir }):wait().code)
  child:lua('vim.env.XDG_RUNTIME_DIR = ...', run)
  child:cmd('Oxide agent scripted')
  child:wait(
    'the turn',
    "vim.iter(_G.events):any(function(e) return e.name == 'OxideAgentTurn' end)"
  )
  child:cmd('stopinsert | wincmd p')
end

local orders = 0

--- The agent does this, and has done it when this returns.
---@param line string
---@param name? string   of another agent
local function tell(line, name)
  orders = orders + 1
  local done = ('%s/done%d'):format(run, orders)
  local f = assert(io.open(('%s/%s.fifo'):format(run, name or 'scripted'), 'w'))
  f:write(('cd %s; %s; touch %s\n'):format(child.dir, line, done))
  f:close()
  fault.wait(line, function()
    return vim.uv.fs_stat(done)
  end)
end

--- Opens a file, and waits until what is written to it gets into the buffer.
local function open(name)
  child:cmd('edit ' .. name)
  child:wait(
    name .. ' to be followed',
    ("require('oxide.reread').follows(vim.fn.bufnr('%s'))"):format(name)
  )
end

local function messages()
  return child:lua("return vim.api.nvim_exec2('messages', { output = true }).output")
end

--- Neovim asks at this, as it does where there is somebody to ask, and gets the answer. There is room
--- for all that it says: where there is not, it waits for a key afterwards, and for no request.
local function asks(command, answer)
  if #child:lua('return vim.api.nvim_list_uis()') == 0 then
    vim.rpcrequest(child.chan, 'nvim_ui_attach', 120, 40, {})
    child:cmd('set cmdheight=12')
  end
  vim.rpcnotify(child.chan, 'nvim_command', command)
  local function is_asking()
    return vim.rpcrequest(child.chan, 'nvim_get_mode').mode == 'r?'
  end
  fault.wait('Neovim to ask at ' .. command, is_asking)
  child:type(answer)
  fault.wait('the answer', function()
    return not is_asking()
  end)
end

local function shows(name, lines)
  local seen
  local ok = pcall(fault.wait, name, function()
    seen = child:lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)', name)
    return vim.deep_equal(seen, lines)
  end)
  if not ok then
    assert.same(lines, seen)
  end
end

local function asked_nothing()
  assert.is_nil(messages():find('W1[12]'), messages())
end

local function modified(name)
  return child:lua('return vim.bo[vim.fn.bufnr(...)].modified', name)
end

describe('what an agent writes past Oxide', function()
  after_each(function()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('gets into open buffers, with what the user has typed', function()
    begin { ['a.txt'] = 'one\ntwo\nthree\n', ['b.txt'] = '1\n2\n' }
    open('b.txt')
    open('a.txt')
    child:cmd('call setline(1, "mine")')
    tell("sed -i 's/three/its/' a.txt; echo 3 >>b.txt")
    shows('a.txt', { 'mine', 'two', 'its' })
    shows('b.txt', { '1', '2', '3' })
    assert.is_true(modified('a.txt'))
    assert.is_false(modified('b.txt'))
    assert.equal('one\ntwo\nits\n', helper.read(child.dir .. '/a.txt'))
    child:cmd('checktime')
    child:cmd('write')
    assert.equal('mine\ntwo\nits\n', helper.read(child.dir .. '/a.txt'))
    asked_nothing()
    tell("sed -i 's/two/zwei/' a.txt")
    shows('a.txt', { 'mine', 'zwei', 'its' })
    assert.is_false(modified('a.txt'))
    child:cmd('undo')
    shows('a.txt', { 'mine', 'two', 'its' })
    child:cmd('redo')
    child:cmd('Oxide turn undo')
    shows('a.txt', { 'mine', 'two', 'three' })
    shows('b.txt', { '1', '2' })
    child:wait('the file', "vim.fn.readfile('b.txt')[3] == nil")
    asked_nothing()
  end)

  it('is one step of undo, and Neovim is not asked when it looks first', function()
    begin { ['a.txt'] = 'one\ntwo\nthree\n' }
    open('a.txt')
    child:cmd('call setline(1, "mine")')
    tell("sed -i 's/three/its/' a.txt")
    child:cmd('checktime')
    shows('a.txt', { 'mine', 'two', 'its' })
    child:cmd('undo')
    shows('a.txt', { 'mine', 'two', 'three' })
    child:cmd('undo')
    shows('a.txt', { 'one', 'two', 'three' })
    asked_nothing()
  end)

  it('is marked where both have changed the same lines, and listed', function()
    begin { ['a.txt'] = 'one\ntwo\nthree\n' }
    open('a.txt')
    child:cmd('call setline(2, "mine")')
    tell("sed -i 's/two/its/' a.txt")
    shows('a.txt', {
      'one',
      '<<<<<<< yours',
      'mine',
      '=======',
      'its',
      '>>>>>>> scripted',
      'three',
    })
    child:wait('the list', '#vim.fn.getqflist() == 1')
    local item = child:lua('return vim.fn.getqflist()[1]')
    assert.same({ 2, 6 }, { item.lnum, item.end_lnum })
    asked_nothing()
  end)

  it('is merged as the file is in the end, where it was seen half written', function()
    begin { ['a.txt'] = 'one\ntwo\nthree\n' }
    open('a.txt')
    child:cmd('call setline(1, "mine")')
    tell("printf 'one\\n' >a.txt")
    shows('a.txt', { 'mine' })
    tell("printf 'two\\nits\\n' >>a.txt")
    shows('a.txt', { 'mine', 'two', 'its' })
    assert.is_true(modified('a.txt'))
    assert.same({}, child:lua('return vim.fn.getqflist()'))
    asked_nothing()
  end)

  it('is one step of undo where the file was empty first', function()
    local files = { ['a.txt'] = 'one\ntwo\nthree\n', ['b.txt'] = '1\n' }
    begin(files, 'agent.watch_empty_ms = 600000')
    open('b.txt')
    open('a.txt')
    child:cmd('call setline(1, "mine")')
    tell(': >a.txt; echo 2 >>b.txt')
    shows('b.txt', { '1', '2' }) -- which is looked at together with the other one
    shows('a.txt', { 'mine', 'two', 'three' })
    tell("printf 'one\\ntwo\\nits\\n' >>a.txt")
    shows('a.txt', { 'mine', 'two', 'its' })
    child:cmd('undo')
    shows('a.txt', { 'mine', 'two', 'three' })
    asked_nothing()
  end)

  it('is marked once where the file goes on changing', function()
    begin({ ['a.txt'] = 'one\ntwo\nthree\n' }, 'agent.watch_empty_ms = 0')
    open('a.txt')
    child:cmd('call setline(2, "mine")')
    local function marked(theirs)
      tell("printf 'one\\n" .. theirs .. "\\nthree\\n' >a.txt")
      shows('a.txt', {
        'one',
        '<<<<<<< yours',
        'mine',
        '=======',
        theirs,
        '>>>>>>> scripted',
        'three',
      })
    end
    marked('its')
    marked('no, its')
    tell("printf 'one\\nmine\\nthree\\n' >a.txt")
    shows('a.txt', { 'one', 'mine', 'three' })
    assert.is_false(modified('a.txt'))
    asked_nothing()
  end)

  it('is told once where another one writes the same line, and is uncertain whose it is', function()
    begin { ['a.txt'] = 'one\ntwo\nthree\n' }
    open('a.txt')
    child:cmd('call setline(2, "mine")')
    child:lua('_G.events = {}')
    child:cmd('Oxide agent other')
    child:wait(
      'the turn',
      "vim.iter(_G.events):any(function(e) return e.name == 'OxideAgentTurn' end)"
    )
    child:cmd('stopinsert | wincmd p')
    tell("sed -i 's/two/its/' a.txt; sed -i 's/its/whose/' a.txt; stop=1")
    child:message('It is uncertain whose changes these are: %a+ worked in this project')
    shows('a.txt', {
      'one',
      '<<<<<<< yours',
      'mine',
      '=======',
      'whose',
      '>>>>>>> an agent',
      'three',
    })
    tell('stop=1', 'other')
    child:wait(
      'the ends',
      "#vim.tbl_filter(function(e) return e.name == 'OxideAgentTurn' and e.data.state == 'ended' end, _G.events) == 2"
    )
    local reports = child:lua([[
      return #vim.tbl_filter(function(e)
        return e.name == 'OxideAgentTurn' and e.data.report
      end, _G.events)
    ]])
    assert.equal(1, reports)
    asked_nothing()
  end)

  --- Such a one is not followed: whoever writes it is asked.
  local function is_left_to_neovim(text, lines, theirs, option)
    begin({ ['a.txt'] = text }, option)
    child:cmd('edit a.txt')
    child:cmd('call setline(1, "mine")')
    tell(theirs)
    local disk = helper.read(child.dir .. '/a.txt')
    asks('checktime', 'o')
    asks('write', 'n')
    assert.equal(disk, helper.read(child.dir .. '/a.txt'))
    assert.same(lines, child:lines())
    assert.is_false(child:lua("return require('oxide.reread').follows(0)"))
  end

  it('is asked about where the file holds NULs', function()
    is_left_to_neovim('one\ntwo\0\n', { 'mine', 'two\0' }, 'echo three >>a.txt')
  end)

  it('is asked about where the file is in another encoding', function()
    is_left_to_neovim('one\n\xe9\n', { 'mine', 'é' }, 'echo three >>a.txt')
  end)

  it('is asked about where the file is too large', function()
    is_left_to_neovim(
      'one\ntwo\n',
      { 'mine', 'two' },
      'echo three >>a.txt',
      'agent.watch_file_bytes = 5'
    )
  end)

  it('is asked about where the file was changed before the core had the buffer', function()
    begin { ['a.txt'] = 'one\ntwo\n' }
    child:lua([[
      vim.cmd.edit('a.txt')
      vim.fn.setline(1, 'mine')
      vim.fn.writefile({ 'one', 'its' }, 'a.txt')
    ]])
    asks('checktime', 'o')
    asks('write', 'n')
    assert.equal('one\nits\n', helper.read(child.dir .. '/a.txt'))
    assert.same({ 'mine', 'two' }, child:lines())
  end)

  it('is asked about where it can be merged no longer', function()
    begin { ['a.txt'] = 'one\ntwo\n' }
    open('a.txt')
    child:cmd('call setline(1, "mine")')
    tell("printf 'three\\0' >>a.txt")
    local disk = helper.read(child.dir .. '/a.txt')
    child:message('a.txt was changed on disk')
    assert.is_false(child:lua("return require('oxide.reread').follows(0)"))
    asks('checktime', 'o')
    asks('write', 'n')
    assert.equal(disk, helper.read(child.dir .. '/a.txt'))
    assert.same({ 'mine', 'two' }, child:lines())
  end)

  it('is asked about at a write that comes before the merge', function()
    begin({ ['a.txt'] = 'one\ntwo\n' }, 'agent.watch_settle_ms = 60000')
    open('a.txt')
    child:cmd('call setline(1, "mine")')
    tell('echo three >>a.txt')
    child:cmd('checktime')
    asks('write', 'n')
    assert.equal('one\ntwo\nthree\n', helper.read(child.dir .. '/a.txt'))
    assert.same({ 'mine', 'two' }, child:lines())
    asks('write', 'y')
    assert.equal('mine\ntwo\n', helper.read(child.dir .. '/a.txt'))
    child:cmd('write') -- it is the buffer's now
  end)

  it('is asked about when the core is gone', function()
    begin { ['a.txt'] = 'one\ntwo\n' }
    open('a.txt')
    child:cmd('call setline(1, "mine")')
    child:cmd('Oxide core stop')
    child:wait('its end', "not require('oxide.core').running()")
    tell('echo three >>a.txt')
    asks('checktime', 'o')
    asks('write', 'n')
    assert.equal('one\ntwo\nthree\n', helper.read(child.dir .. '/a.txt'))
  end)

  it('is reviewed afterwards, and undone in part', function()
    local numbers = vim.fn.join(vim.fn.range(1, 20), '\n') .. '\n'
    begin { ['a.txt'] = numbers, ['b.txt'] = 'gone\n' }
    open('a.txt')
    tell("sed -i 's/^2$/two/; s/^18$/eighteen/' a.txt; rm b.txt; echo new >new.txt")
    child:cmd('Oxide turn review')
    child:event('ReviewOpen')
    local lines = child:lines()
    assert.truthy(table.concat(lines, '\n'):find('take back', 1, true))
    for i, line in ipairs(lines) do
      if line:find('+18', 1, true) or line:find('new.txt', 1, true) then
        child:cmd(tostring(i))
        child:type('x')
      end
    end
    child:cmd('write')
    child:message('Took back a part of')
    assert.equal((numbers:gsub('18', 'eighteen')), helper.read(child.dir .. '/a.txt'))
    assert.equal('gone\n', helper.read(child.dir .. '/b.txt'))
    assert.equal('new\n', helper.read(child.dir .. '/new.txt'))
    child:cmd('Oxide undo')
    child:wait('the undo', "vim.uv.fs_stat('b.txt') == nil")
    child:wait('the file', "vim.fn.readfile('a.txt')[2] == 'two'")
    child:cmd('Oxide turn undo')
    child:wait('the undo of it all', "vim.uv.fs_stat('new.txt') == nil")
    child:wait('the file', "vim.fn.readfile('a.txt')[18] == '18'")
    assert.equal('gone\n', helper.read(child.dir .. '/b.txt'))
    asked_nothing()
  end)

  it('is in the record of its turn, which leads to the files', function()
    begin { ['a.txt'] = 'one\n', ['b.txt'] = 'gone\n', ['c.txt'] = 'moved\n' }
    tell('echo two >>a.txt; rm b.txt; mv c.txt d.txt; echo new >new.txt')
    child:cmd('Oxide turn diff')
    child:wait('the diff', "vim.bo.filetype == 'diff'")
    child:cmd('close')
    tell('echo three >>a.txt; stop=1')
    child:wait(
      'the end',
      "vim.iter(_G.messages):any(function(m) return m.text:find('has changed 1 file;') end)"
    )
    child:cmd('Oxide records')
    child:wait('the record', "vim.bo.filetype == 'oxide-records'")
    local lines = child:lua('return vim.api.nvim_buf_get_lines(0, 2, -1, false)')
    assert.same({
      '',
      'Turn 1',
      '    modify a.txt +1 -0',
      '    delete b.txt +0 -1',
      '    rename c.txt -> d.txt +0 -0',
      '    create new.txt +1 -0',
      '    modify a.txt +1 -0',
    }, lines)
    child:cmd('9')
    child:type('<CR>')
    child:wait('the file', "vim.fn.expand('%:t') == 'a.txt'")
    assert.equal(3, child:lua("return vim.fn.line('.')"))
  end)

  it('is told when the agent ends', function()
    begin { ['a.txt'] = 'one\n' }
    tell('echo two >>a.txt; echo new >new.txt; stop=1')
    child:wait(
      'the end',
      "vim.iter(_G.messages):any(function(m) return m.text:find('has changed 2 files') end)"
    )
    child:cmd('Oxide turn undo')
    child:wait('the undo', "vim.uv.fs_stat('new.txt') == nil")
    assert.equal('one\n', helper.read(child.dir .. '/a.txt'))
  end)
end)
