-- The real core, killed in the middle of a change: what runs next finishes it.
local crash = require('crash')
local helper = require('helper')

local NAMES = { 'a.txt', 'b.txt', 'sub/c.txt' }

local base, dir

local function sh(cmd, env)
  env = env or { XDG_STATE_HOME = base .. '/state' }
  env.ASAN_OPTIONS = 'detect_leaks=0'
  return vim.system(cmd, { cwd = dir, env = env, text = true }):wait()
end

local function texts()
  return vim.tbl_map(function(name)
    return helper.read(dir .. '/' .. name)
  end, NAMES)
end

local function arguments(from, to)
  local text = {}
  for _, name in ipairs(NAMES) do
    table.insert(
      text,
      ('FILE: %s\nREPLACE:\n```\n%s\n```\nWITH:\n```\n%s\n```\n'):format(name, from, to)
    )
  end
  return { file_paths = NAMES, edit_instructions = table.concat(text) }
end

local function change(from, to, strace, env)
  local cmd = { helper.core, 'call', 'multi_edit_files', '--root', dir, '--yes' }
  table.insert(cmd, vim.json.encode(arguments(from, to)))
  return sh(vim.list_extend(strace or {}, cmd), env)
end

--- What kills a command before its n-th exchange of names.
local function killer(n)
  local inject = ('inject=renameat2:signal=SIGKILL:when=%d'):format(n)
  return crash.strace('trace=renameat2', inject)
end

local function killed(n)
  local out = change('old', 'new', killer(n))
  assert.are_not.equal(0, out.code + out.signal)
end

local function recover()
  local out = sh { helper.core, 'recover', '--json' }
  assert.equal(0, out.code, out.stdout .. out.stderr)
  return vim.json.decode(out.stdout)
end

describe('after a kill in the middle', function()
  before_each(function()
    base = helper.tempdir()
    dir = vim.uv.fs_realpath(base) .. '/project'
    for _, name in ipairs(NAMES) do
      helper.write(dir .. '/' .. name, 'old ' .. name .. '\n')
    end
    local try = sh { 'strace', '-qq', '-o', '/dev/null', 'true' }
    if try.code ~= 0 then
      pending('strace cannot be used here')
    end
  end)

  after_each(helper.cleanup)

  it('oxide recover finishes the change, and says so once', function()
    killed(3)
    local half = texts()
    assert.equal('new a.txt\n', half[1])
    assert.equal('old sub/c.txt\n', half[3])
    local said = recover()
    assert.same({ { result = 'completed', root = dir, files = 3 } }, said.recovered)
    assert.same({ 'new a.txt\n', 'new b.txt\n', 'new sub/c.txt\n' }, texts())
    assert.same({ recovered = {}, left = {} }, recover())
    assert.matches('nothing to recover', sh({ helper.core, 'recover' }).stdout)
  end)

  it('so does the next call, before it reads anything', function()
    killed(2)
    local out = change('new', 'newer')
    assert.equal(0, out.code, out.stdout)
    assert.matches('completed an interrupted change of 3 files in ' .. vim.pesc(dir), out.stderr)
    assert.same({ 'newer a.txt\n', 'newer b.txt\n', 'newer sub/c.txt\n' }, texts())
  end)

  it('so does the core of a Neovim, which tells the person', function()
    killed(2)
    local child = helper.start({}, {
      config = ('{ core = { path = %q } }'):format(helper.core),
      env = { XDG_STATE_HOME = base .. '/state' },
    })
    child:lua("require('oxide.core').query('status', function() end)")
    child:message('completed an interrupted change of 3 files in ' .. vim.pesc(dir))
    assert.same({ 'new a.txt\n', 'new b.txt\n', 'new sub/c.txt\n' }, texts())
  end)

  it('files go back where the buffers of the same change were not asked yet', function()
    local core = base .. '/core'
    helper.write(
      core,
      ('#!/bin/sh\nexec %s %s "$@"\n'):format(table.concat(killer(2), ' '), helper.core)
    )
    assert(vim.uv.fs_chmod(core, 493)) -- 0755
    local child = helper.start({}, {
      config = ('{ core = { path = %q } }'):format(core),
      env = { XDG_STATE_HOME = base .. '/state', ASAN_OPTIONS = 'detect_leaks=0' },
    })
    child:cmd('cd ' .. dir .. ' | edit b.txt')
    child:lua('vim.api.nvim_buf_set_lines(0, 0, -1, true, { "old, unsaved" })')
    child:lua(
      [[require('oxide.core').call('multi_edit_files', ..., { confirm = 'never' },
        function(err) _G.err = err end)]],
      arguments('old', 'new')
    )
    child:wait('the end of the core', '_G.err')
    assert.matches('ended', child:lua('return _G.err.message'))
    assert.equal('new a.txt\n', texts()[1])
    assert.same({ { result = 'taken_back', root = dir, files = 2 } }, recover().recovered)
    assert.same({ 'old a.txt\n', 'old b.txt\n', 'old sub/c.txt\n' }, texts())
    assert.same({ 'old, unsaved' }, child:lines())
  end)

  it('what somebody else has written stays, and is told', function()
    killed(2)
    helper.write(dir .. '/b.txt', 'by hand\n')
    local out = sh { helper.core, 'recover', '--json' }
    local said = vim.json.decode(out.stdout)
    assert.equal(1, out.code)
    assert.equal(dir .. '/b.txt', said.left[1].path)
    assert.matches('changed by another program', said.left[1].reason)
    assert.same({ 'new a.txt\n', 'by hand\n', 'new sub/c.txt\n' }, texts())
  end)

  it('nothing is changed without a place for the journal', function()
    local none = '/proc/none'
    local out = change('old', 'new', {}, { XDG_STATE_HOME = none, HOME = none })
    assert.equal(1, out.code)
    assert.matches('XDG_STATE_HOME', out.stdout)
    assert.equal('old a.txt\n', texts()[1])
  end)
end)
