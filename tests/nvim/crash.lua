-- A project on the disk and one change of it that has a bit of everything, for the real core to be
-- killed in, or to fail in. Whatever happens, what must be true afterwards is M.Scene:whole().
--
--    OXIDE_CRASH_MORE=n    n times as many rounds, and every call of the system instead of some
--    OXIDE_CRASH_SEED=n    the same instants again; each run prints its seed
local fault = require('fault')
local helper = require('helper')

local M = {}

--- Without sanitizers: its timing is that of the real thing, and a preloaded library finds room.
M.plain = vim.env.OXIDE or helper.root .. '/build/oxide'
M.more = tonumber(vim.env.OXIDE_CRASH_MORE) or 0
M.seed = tonumber(vim.env.OXIDE_CRASH_SEED) or (vim.uv.hrtime() % 1000000)
math.randomseed(M.seed)

local FILES = {
  ['a.txt'] = 'old a\n',
  ['sub/b.txt'] = 'same\nold b\nsame\n',
  ['gone.txt'] = 'goes\n',
  ['from.txt'] = 'moves\nold\n',
  ['hard.txt'] = 'old, under two names\n',
  ['other.txt'] = 'untouched\n',
}

local PATCH = [[
*** Begin Patch
*** Update File: a.txt
@@
-old a
+new a, and longer than it was
*** Update File: sub/b.txt
@@
 same
-old b
+new b
 same
*** Update File: hard.txt
@@
-old, under two names
+new, under two names and longer
*** Add File: made/deep/n.txt
+made
*** Delete File: gone.txt
*** Update File: from.txt
*** Move to: to.txt
@@
 moves
-old
+new
*** End Patch
]]

local bases, mounts = {}, {}

---@class test.Scene
---@field base string
---@field dir string    the project
---@field state string
---@field old table     the tree before, and after the change
---@field new table
local Scene = {}
Scene.__index = Scene

--- The project as it was, byte for byte. The state directory stays: what it holds is used again.
function Scene:reset()
  vim.fn.delete(self.dir, 'rf')
  for name, text in pairs(FILES) do
    helper.write(self.dir .. '/' .. name, text)
  end
  assert(vim.uv.fs_link(self.dir .. '/hard.txt', self.dir .. '/second.txt'))
  assert(vim.uv.fs_chmod(self.dir .. '/a.txt', 493))
  assert(vim.uv.fs_chmod(self.dir .. '/from.txt', 489))
end

--- Ends with the state directory warm: its temporaries have been used once.
---@param dir? string   the directory to be in; without: a new one
---@return test.Scene
---@param state? string
function M.scene(dir, state)
  local base = dir or helper.tempdir()
  table.insert(bases, base)
  state = state or base .. '/state'
  local s = setmetatable({ base = base, dir = base .. '/project', state = state }, Scene)
  s:reset()
  s.old = s:tree()
  local out = s:change()
  assert(out.code == 0, out.stdout .. out.stderr)
  s.new = s:tree()
  s:reset()
  return s
end

function Scene:tree()
  return helper.tree(self.dir)
end

---@class test.Run
---@field core? string
---@field before? string[]   what is before the command
---@field env? table<string, string>

---@param argv string[]   of the core
---@param run? test.Run
function Scene:run(argv, run)
  run = run or {}
  local cmd = vim.list_extend(vim.deepcopy(run.before or {}), { run.core or helper.core })
  -- strace and the leak checker cannot both watch a process.
  local asan = 'detect_leaks=0:' .. (vim.env.ASAN_OPTIONS or '')
  local env = { XDG_STATE_HOME = self.state, XDG_CONFIG_HOME = self.base, ASAN_OPTIONS = asan }
  return vim.system(vim.list_extend(cmd, argv), {
    cwd = '/',
    env = vim.tbl_extend('force', env, run.env or {}),
  })
end

---@param tool string
---@param args table
---@param run? test.Run
---@return table running
function Scene:start(tool, args, run)
  local argv = { 'call', tool, '--root', self.dir, '--yes', vim.json.encode(args) }
  return self:run(argv, run)
end

---@param tool string
---@param args table
---@param run? test.Run
---@return test.Outcome
function Scene:call(tool, args, run)
  return fault.finish(self:start(tool, args, run))
end

---@return string[]
function Scene:change_argv()
  local args = vim.json.encode { patch = PATCH }
  return { 'call', 'apply_patch', '--root', self.dir, '--yes', args }
end

---@param run? test.Run
---@return table done   of vim.system
function Scene:change(run)
  return self:run(self:change_argv(), run):wait()
end

M.RECOVER = { 'recover', '--json' }

---@param run? test.Run
---@return table done
function Scene:recover(run)
  return self:run(M.RECOVER, run):wait()
end

--- Nothing of the change lies in the state directory any more.
---@param when string
function Scene:clean(when)
  local home = self.state .. '/oxide/journal'
  for name, kind in vim.fs.dir(home, { depth = 2 }) do
    local text = kind == 'file' and helper.read(home .. '/' .. name) or ''
    assert(not name:match('kept%-'), when .. ': the state folder holds ' .. name)
    if name:match('%.pool/') then
      assert(not text:find('[^%z]'), when .. ': something is left in ' .. name)
    elseif name:match('%.journal$') then
      assert(not text:sub(1, 4160):find('[^%z]'), when .. ': a journal is in force')
    elseif name:match('%.head$') then
      assert(not text:find('[^%z]'), when .. ': the copy of a head is in force')
    end
  end
end

--- Recovers, and sees all old or all new, and nothing left over.
---@param when string
---@param may table   { old = true, new = true }
---@param run? test.Run
---@return boolean acted   whether there was something to recover
function Scene:whole(when, may, run)
  local out = self:recover(run)
  assert(out.code == 0, ('%s: recovery: %s%s'):format(when, out.stdout, out.stderr))
  local tree = self:tree()
  local is = vim.deep_equal(tree, self.old) and 'old' or vim.deep_equal(tree, self.new) and 'new'
  if not is or not may[is] then
    error(('%s: %s\n%s'):format(when, is or 'neither old nor new', vim.inspect(tree)), 2)
  end
  self:clean(when)
  return #vim.json.decode(out.stdout).recovered > 0
end

--- What an end like this promises: success is the new state, a refusal the old one, at once.
---@param when string
---@param done table   of change()
---@param run? test.Run   for recovery
---@return boolean acted
function Scene:judge(when, done, run)
  local ok, said = pcall(vim.json.decode, done.stdout)
  if not ok or done.code > 1 then
    -- Killed; it may have come to say so before.
    return self:whole(when, { old = done.stdout == '', new = true }, run)
  elseif done.code == 0 then
    assert(said.success == true, when .. ': ' .. done.stdout)
    return self:whole(when, { new = true }, run)
  end
  assert(#said.error.message > 0, when .. ': says nothing')
  if
    not vim.deep_equal(self:tree(), self.old) and not said.error.message:find('rolling it back')
  then
    error(('%s: %s%s'):format(when, done.stdout, vim.inspect(self:tree())))
  end
  return self:whole(when, { old = true }, run)
end

--- The calls of the system that change something, or tell that something went wrong.
local CALLS = {
  'openat',
  'openat2',
  'write',
  'pwrite64',
  'pwritev',
  'pwritev2',
  'close',
  'fsync',
  'fdatasync',
  'renameat2',
  'rename',
  'renameat',
  'unlink',
  'unlinkat',
  'mkdir',
  'mkdirat',
  'rmdir',
  'fchmod',
  'fchown',
  'ftruncate',
  'fallocate',
  'link',
  'linkat',
  'fcntl',
  'fsetxattr',
}

--- Strace of a command that has one processor: what threads could do beside each other one of them
--- does, and calls come in the same order each time.
---@return string[]
function M.tracer()
  local one = helper.read('/proc/self/status'):match('Cpus_allowed_list:%s*(%d+)')
  return { 'taskset', '-c', one, 'strace', '-f', '-qq' }
end

--- What to put before a command so that strace does something to it.
---@param ... string|string[]   of -e, or options as they are
function M.strace(...)
  local argv = vim.list_extend(M.tracer(), { '-o', '/dev/null' })
  for _, what in ipairs { ... } do
    vim.list_extend(argv, type(what) == 'table' and what or { '-e', what })
  end
  return argv
end

--- One worker, so that calls have the same numbers each time: strace counts for each thread.
M.one_worker = { UV_THREADPOOL_SIZE = '1' }

---@class test.Point
---@field call string
---@field when integer

--- Where `argv` can be struck, from where it first touches `mark` on.
---@param argv string[]
---@param mark string
---@return test.Point[]
function Scene:points(argv, mark)
  local trace = self.base .. '/trace'
  local list = 'trace=' .. table.concat(CALLS, ',')
  local done = self:run(argv, {
    core = M.plain,
    before = vim.list_extend(M.tracer(), { '-y', '-o', trace, '-e', list }),
    env = M.one_worker,
  })
  assert(done:wait().code == 0)
  local points, counts, known, wakes, on = {}, {}, {}, {}, false
  for line in io.lines(trace) do
    local thread, call = line:match('^(%d+) +([%w_]+)%(')
    on = on or line:find(mark, 1, true) ~= nil
    -- strace keeps a failed close() from closing, which no disk does: a lock would stay for ever.
    local lock = call == 'close' and (line:find('%.lock>') or line:find('%.journal>'))
    if call then
      local id = thread .. call
      counts[id] = (counts[id] or 0) + 1
      -- A number that another thread has used before the mark would strike there.
      local key = call .. counts[id]
      if on and not lock and not known[key] then
        table.insert(points, { call = call, when = counts[id] })
      end
      known[key] = true
      -- libuv wakes its own threads so, and ends the process if that cannot be.
      wakes[key] = wakes[key] or line:find('%(%d+<pipe:') or line:find('eventfd%]>')
    end
  end
  points = vim.tbl_filter(function(point)
    return not wakes[point.call .. point.when]
  end, points)
  assert(#points > 5, 'strace saw nothing')
  return points
end

---@param argv string[]
---@param point test.Point
---@param what string   as strace has it: "error=EIO", "signal=SIGKILL"
---@return table done
function Scene:struck(argv, point, what)
  local call = point.call
  return self
    :run(argv, {
      core = M.plain,
      before = M.strace('trace=' .. call, ('inject=%s:%s:when=%d'):format(call, what, point.when)),
      env = M.one_worker,
    })
    :wait()
end

--- Begins the change, and holds it for good behind the n-th call of this name.
---@param call string
---@param n integer
---@return table running   for M.go_on(), or to be killed
function Scene:held(call, n)
  local trace = self.state .. '/trace'
  local before = vim.list_extend(M.tracer(), { '-D', '-o', trace, '-e', 'trace=' .. call })
  vim.list_extend(before, { '-e', ('inject=%s:signal=SIGSTOP:when=%d'):format(call, n) })
  os.remove(trace)
  local running = self:run(self:change_argv(), { core = M.plain, before = before })
  fault.wait('the change to stop at ' .. call, function()
    local ok, text = pcall(helper.read, trace)
    return ok and text:find('stopped by SIGSTOP')
  end)
  return running
end

--- Lets one that is held go on, to its end. Said once, it may come to the tracer amiss.
---@param held table
---@return table done
function M.go_on(held)
  fault.wait('the change to go on to its end', function()
    held:kill('sigcont')
    return held:is_closing()
  end)
  return held:wait()
end

--- Makes `dir` a file system of its own, until M.cleanup(). Where this user may not, tests/run.sh
--- has made a place where he may; failing that, the test is skipped.
---@param dir string
---@param options string
function M.mount(dir, options)
  vim.fn.mkdir(dir, 'p')
  local done = vim.system({ 'mount', '-t', 'tmpfs', '-o', options, 'none', dir }):wait()
  if done.code ~= 0 then
    pending('no file system can be mounted here: ' .. done.stderr)
  end
  table.insert(mounts, dir)
end

---@param dir string
---@param options string
function M.remount(dir, options)
  local done = vim.system({ 'mount', '-o', 'remount,' .. options, dir }):wait()
  assert(done.code == 0, done.stderr)
end

function M.cleanup()
  for i = #mounts, 1, -1 do
    local done = vim.system({ 'umount', mounts[i] }):wait()
    assert(done.code == 0, done.stderr)
  end
  for _, base in ipairs(bases) do
    vim.fn.delete(base, 'rf')
  end
  bases, mounts = {}, {}
end

--- One of many: every one with OXIDE_CRASH_MORE, else about `n` of `all`, by the seed.
---@param n integer
---@param all integer
function M.chosen(n, all)
  return M.more > 0 or math.random(all) <= n
end

---@param n integer   rounds
function M.rounds(n)
  return n * math.max(M.more, 1)
end

--- A line for the log.
---@param fmt string
function M.note(fmt, ...)
  io.stderr:write('# ', fmt:format(...), '\n')
end

M.note('OXIDE_CRASH_SEED=%d', M.seed)

return M
