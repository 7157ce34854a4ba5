-- A change of files on the disk and of open buffers, with the core or Neovim killed on the way: what
-- is on the disk and in the buffers is all old or all new afterwards, and undo knows of it.
local fault = require('fault')
local helper = require('helper')

local NAMES = { 'closed.txt', 'open.txt', 'second.txt' }

local base, dir, child, pids

local function text(name, word)
  return ('%s %s\n'):format(word, name)
end

local function start()
  child = helper.start({}, {
    config = ('{ core = { path = %q } }'):format(helper.core),
    env = { XDG_STATE_HOME = base .. '/state', ASAN_OPTIONS = 'detect_leaks=0' },
  })
  child:cmd('set hidden | cd ' .. dir .. ' | edit second.txt | edit open.txt')
  child:lua("require('oxide.core').query('status', function() _G.up = true end)")
  child:wait('the core', '_G.up')
  pids = child:lua("return { require('oxide.process').pid, vim.uv.os_getpid() }")
end

--- Begins the change, and does not wait for its end.
---@param names? string[]
local function change(names)
  local edits = {}
  names = names or NAMES
  for _, name in ipairs(names) do
    table.insert(
      edits,
      ('FILE: %s\nREPLACE:\n```\nold %s\n```\nWITH:\n```\nnew %s\n```\n'):format(name, name, name)
    )
  end
  child:lua(
    [[require('oxide.core').call('multi_edit_files', ..., { confirm = 'never' },
      function(err, result) _G.err, _G.result = err, result end)]],
    { file_paths = names, edit_instructions = table.concat(edits) }
  )
end

local function recover()
  local out = vim
    .system({ helper.core, 'recover', '--json' }, {
      env = { XDG_STATE_HOME = base .. '/state', ASAN_OPTIONS = 'detect_leaks=0' },
      text = true,
    })
    :wait()
  assert.equal(0, out.code, out.stdout .. out.stderr)
  return vim.json.decode(out.stdout)
end

local function on_disk()
  local words = {}
  for _, name in ipairs(NAMES) do
    words[helper.read(dir .. '/' .. name):match('^%a+')] = true
  end
  return vim.tbl_keys(words)
end

local function in_buffers()
  local words = {}
  for _, name in ipairs { 'open.txt', 'second.txt' } do
    local line = child:lua('return vim.fn.getbufline(..., 1)[1]', dir .. '/' .. name)
    words[line:match('^%a+')] = true
  end
  return vim.tbl_keys(words)
end

local function undo()
  local done = fault.done(child, fault.ask(child, 'undo', { review = 'never' }))
  assert.is_true(done.result and done.result.success, done.message)
  assert.same({ 'old' }, on_disk())
  assert.same({ 'old' }, in_buffers())
end

local function nothing_left()
  for name in vim.fs.dir(base .. '/state/oxide/journal') do
    assert(not name:find('^record') and not name:find('^kept'), name .. ' is left behind')
  end
end

--- Has Lua end a process when it comes to this point of its work.
local POINTS = {
  before = [[ local apply = require('oxide.apply'); local was = apply.apply
    apply.apply = function(request) KILL(request) return was(request) end ]],
  begun = [[ local was = vim.api.nvim_buf_set_text
    vim.api.nvim_buf_set_text = function(...) KILL() return was(...) end ]],
  edited = [[ local was = vim.api.nvim_buf_get_changedtick; local n = 0
    local apply = require('oxide.apply'); local whole = apply.apply
    apply.apply = function(request) local answer = whole(request) KILL(request) return answer end ]],
  saving = [[ local apply = require('oxide.apply'); local save = apply.save
    apply.save = function(request) KILL() return save(request) end ]],
  half_saved = [[ vim.api.nvim_create_autocmd('BufWritePost', { callback = function() KILL() end }) ]],
}

local function arm(point, pid)
  child:lua([[ local pid, dead = ..., false
      local function KILL()
        if not dead then
          dead = true
          vim.uv.kill(pid, 'sigkill')
        end
      end
    ]] .. POINTS[point], pid)
end

describe('killed on the way,', function()
  before_each(function()
    base = helper.tempdir()
    dir = base .. '/project'
    vim.fn.mkdir(base .. '/state', 'p') -- the core and Neovim would both make it at the same time
    for _, name in ipairs(NAMES) do
      helper.write(dir .. '/' .. name, text(name, 'old'))
    end
    start()
  end)
  after_each(helper.cleanup)

  for point in vim.spairs(POINTS) do
    it('the core, at ' .. point .. ': the change is finished, and undone by :Oxide undo', function()
      arm(point, pids[1])
      change()
      child:wait('the end of the core', '_G.err')
      recover()
      assert.same({ 'new' }, on_disk())
      assert.same({ 'new' }, in_buffers())
      assert.is_false(child:lua('return vim.bo.modified'))
      nothing_left()
      undo()
    end)

    it('Neovim, at ' .. point .. ': the files are whole', function()
      arm(point, pids[2])
      change()
      child:ended()
      fault.wait_end(pids[1])
      recover()
      local is = on_disk()
      assert(#is == 1, point .. ': ' .. vim.inspect(is))
      nothing_left()
    end)

    it('both, at ' .. point .. ': the files are whole', function()
      arm(point, pids[1])
      child:lua(
        [[ local kill = vim.uv.kill
        vim.uv.kill = function(pid) kill(pid, 'sigkill') kill(vim.uv.os_getpid(), 'sigkill') end ]]
      )
      change()
      child:ended()
      fault.wait_end(pids[1])
      recover()
      local is = on_disk()
      assert(#is == 1, point .. ': ' .. vim.inspect(is))
      nothing_left()
    end)
  end

  for point in vim.spairs(POINTS) do
    it('the core, at ' .. point .. ' of one buffer: undone by :Oxide undo', function()
      arm(point, pids[1])
      change { 'open.txt' }
      child:wait('the end of the core', '_G.err')
      assert.equal(text('open.txt', 'new'), helper.read(dir .. '/open.txt'))
      assert.is_false(child:lua('return vim.bo.modified'))
      undo()
    end)
  end

  it('nothing, but typed at the last moment: it is refused, and the history has nothing', function()
    child:lua([[ local apply = require('oxide.apply'); local was = apply.apply
      apply.apply = function(request)
        vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'mine' })
        return was(request)
      end ]])
    change { 'open.txt' }
    child:wait('the refusal', '_G.err')
    assert.matches('changed', child:lua('return _G.err.message'))
    assert.same({ text('open.txt', 'old'):sub(1, -2), 'mine' }, child:lines())
    assert.equal(text('open.txt', 'old'), helper.read(dir .. '/open.txt'))
    local n = fault.ask(child, 'undo', { review = 'never' })
    assert.matches('nothing to undo', fault.done(child, n).message)
  end)

  it('the core, while Neovim is busy: what comes to it late is refused', function()
    local fifo = base .. '/fifo'
    assert(vim.system({ 'mkfifo', fifo }):wait().code == 0)
    -- Behind the call, so that Neovim is busy when it is asked to apply.
    change()
    vim.rpcnotify(child.chan, 'nvim_command', 'silent !cat ' .. fifo)
    fault.wait('the change to be on the disk', function()
      return helper.read(dir .. '/closed.txt') == text('closed.txt', 'new')
    end)
    fault.wait('the accept', function()
      for name in vim.fs.dir(base .. '/state/oxide/journal') do
        if name:find('^record') then
          return true
        end
      end
    end)
    assert(vim.uv.kill(pids[1], 'sigkill'))
    fault.wait_end(pids[1])
    assert.equal('taken_back', recover().recovered[1].result)
    assert.same({ 'old' }, on_disk())
    helper.write(fifo, '')
    child:wait('the end of the core', '_G.err')
    assert.same({ 'old' }, in_buffers())
  end)

  it('Neovim, with changes of a person: all goes back, and the swap file is named', function()
    child:cmd('call append(1, "mine")')
    fault.told(child)
    arm('half_saved', pids[2])
    change()
    child:ended()
    fault.wait_end(pids[1])
    recover()
    assert.same({ 'old' }, on_disk())
  end)
end)
