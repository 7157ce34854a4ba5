-- The real core on a disk that fails: full, broken, read-only, interrupted. It says so and all is
-- as it was, or it says that all is done and so it is.
local crash = require('crash')
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local s

before_each(function()
  s = crash.scene()
end)
after_each(function()
  mcp.cleanup()
  crash.cleanup()
end)

--- Makes about `n` of the calls fail, each in a run of its own.
local function sweep(errno, n)
  local points = s:points(s:change_argv(), '/journal/')
  local refused = 0
  for _, point in ipairs(points) do
    if crash.chosen(n, #points) then
      s:reset()
      local done = s:struck(s:change_argv(), point, 'error=' .. errno)
      s:judge(('%s at %s %d'):format(errno, point.call, point.when), done)
      refused = refused + (done.code == 1 and 1 or 0)
    end
  end
  return refused
end

--- The error of a refusal.
local function refused(done)
  assert.equal(1, done.code, done.stdout)
  return vim.json.decode(done.stdout).error
end

describe('a call of the system fails', function()
  for errno, n in pairs { ENOSPC = 20, EDQUOT = 8, EIO = 20, EINTR = 10 } do
    it('with ' .. errno, function()
      local many = sweep(errno, n)
      crash.note('%s: %d refused', errno, many)
    end)
  end

  for _, errno in ipairs { 'EXDEV', 'EACCES', 'EBUSY' } do
    it('which is a rename, with ' .. errno, function()
      for when = 1, 5 do
        s:reset()
        local point = { call = 'renameat2', when = when }
        local done = s:struck(s:change_argv(), point, 'error=' .. errno)
        s:judge(('%s at rename %d'):format(errno, when), done)
      end
    end)
  end

  it('again and again with EINTR', function()
    local calls = 'pwritev,fsync,fdatasync,ftruncate,fallocate,fchmod,'
      .. 'mkdirat,unlinkat,renameat2,linkat,openat2'
    local what = ('inject=%s:error=EINTR:when=1+3'):format(calls)
    local done = s:change { core = crash.plain, before = crash.strace('trace=' .. calls, what) }
    assert.equal(0, done.code, done.stdout)
    s:judge('EINTR', done)
  end)

  it('in recovery as well', function()
    local first = { call = 'renameat2', when = 2 }
    s:struck(s:change_argv(), first, 'signal=SIGKILL')
    local points = s:points(crash.RECOVER, '/journal/')
    for _, point in ipairs(points) do
      for _, errno in ipairs { 'EIO', 'ENOSPC' } do
        if crash.chosen(8, #points) then
          s:reset()
          s:struck(s:change_argv(), first, 'signal=SIGKILL')
          local done = s:struck(crash.RECOVER, point, 'error=' .. errno)
          local when = ('recovery, %s at %s %d'):format(errno, point.call, point.when)
          if done.code == 0 then
            assert.same(s.new, s:tree(), when)
          end
          s:whole(when, { new = true })
        end
      end
    end
  end)

  it('twice in a row: as it is done, and as it is taken back', function()
    for first = 1, 4 do
      for second = first + 1, 5 do
        s:reset()
        local list = ('inject=renameat2:error=EIO:when=%d..%d'):format(first, second)
        local done = s:change {
          core = crash.plain,
          before = crash.strace('trace=renameat2', list),
          env = crash.one_worker,
        }
        s:judge(('renames %d to %d fail'):format(first, second), done)
      end
    end
  end)
end)

describe('a failed sync', function()
  --- The n-th of those calls fails.
  local function unsynced(call, n)
    s:reset()
    return s:struck(s:change_argv(), { call = call, when = n }, 'error=EIO')
  end

  it('of the journal is a failure, and the change is not made', function()
    local e = refused(unsynced('fdatasync', 1))
    assert.equal('io', e.code)
    assert.matches('%.journal: Input/output error', e.message)
    assert.same(s.old, s:tree())
    s:whole('unsynced', { old = true })
  end)

  it('of a file keeps the journal, which writes it anew', function()
    local told = 0
    for n = 1, 8 do
      local done = unsynced('fsync', n)
      local recovered = s:judge(('fsync %d'):format(n), done)
      if done.code == 0 and recovered then
        told = told + 1
        assert.matches('not all of it is on the disk', helper.read(s.state .. '/oxide/oxide.log'))
      end
    end
    assert.is_true(told > 3)
  end)

  --- A core of which the n-th sync fails, and what became of its first change.
  local function failing(n)
    local strace = crash.strace('trace=fsync', ('inject=fsync:error=EIO:when=%d'):format(n))
    local env = vim.tbl_extend('error', crash.one_worker, { ASAN_OPTIONS = 'detect_leaks=0' })
    helper.write(s.dir .. '/a.txt', 'one\n')
    local client = mcp.start(s.dir, { '--root', s.dir }, nil, env, strace)
    client:initialize()
    local edit = { file_path = 'a.txt', old_string = 'one', new_string = 'two' }
    local text, failed = client:call('edit_file', edit)
    return client, not failed, text
  end

  it('after the answer is told at the next call, and the file can be changed again', function()
    local n, client, made, text = 0, nil, false, ''
    while not made do -- those of the journal refuse it
      n = n + 1
      client, made, text = failing(n)
    end
    assert.is_true(n > 1)
    assert.not_matches('warning', text)
    fault.wait('the word of it', function()
      text = client:call('read_file', { file_path = 'a.txt' })
      return text:find('warning: edit a.txt: .*not all of it is on the disk yet')
    end)
    assert.not_matches('warning', (client:call('read_file', { file_path = 'a.txt' })))
    local again = { file_path = 'a.txt', old_string = 'two', new_string = 'three' }
    local answer, failed = client:call('edit_file', again)
    assert.is_false(failed, answer)
    assert.equal('three\n', helper.read(s.dir .. '/a.txt'))
    assert.equal(0, client:close().code)
  end)
end)

--- How the core runs with calls that are preloaded.
---@param name string   of tests/fake/
local function preloading(name)
  local library = ('%s/%s.so'):format(s.base, name)
  local source = ('%s/tests/fake/%s.c'):format(helper.root, name)
  local cc =
    vim.system({ 'cc', '-D_GNU_SOURCE', '-shared', '-fPIC', '-o', library, source, '-ldl' }):wait()
  assert.equal(0, cc.code, cc.stderr)
  return { core = crash.plain, env = { LD_PRELOAD = library } }
end

it('a call that a sandbox refuses is done without', function()
  local done = s:change(preloading('no_statx'))
  assert.equal(0, done.code, done.stdout)
  s:judge('no statx', done)
end)

it('a call that takes only some of the bytes is made again for the others', function()
  local run = preloading('short_writes')
  s:judge('short writes', s:change(run))
  s:reset()
  s:struck(s:change_argv(), { call = 'renameat2', when = 2 }, 'signal=SIGKILL')
  s:whole('short writes', { new = true }, run)
end)

describe('a disk with too little room', function()
  --- The change with so much left: all of it, or none of it and the reason.
  local function with(room, when)
    s:reset()
    local take_away = room()
    local done = s:change { core = crash.plain }
    local full = done.code == 1
    if full then
      assert.equal('limit', refused(done).code, done.stdout)
      assert.matches('No space left on device', refused(done).message)
      assert.same(s.old, s:tree())
    end
    -- Nothing of it needs room to go away.
    s:clean(when)
    take_away()
    s:judge(when, done)
    return full
  end

  --- Fills the disk but for `pages`.
  local function fill(dir, pages)
    return function()
      local stat = assert(vim.uv.fs_statfs(dir))
      helper.write(dir .. '/filler', ('x'):rep((stat.bavail - pages) * stat.bsize))
      return function()
        os.remove(dir .. '/filler')
      end
    end
  end

  --- `cold`: a directory to do without what is kept there.
  local function sweep_pages(dir, cold)
    local full = 0
    for pages = 0, 16 do
      if cold then
        vim.fn.delete(cold, 'rf')
      end
      full = full + (with(fill(dir, pages), ('%d pages'):format(pages)) and 1 or 0)
    end
    assert.is_true(full > 0 and full < 17, ('%d of 17 refused'):format(full))
  end

  it('for the files', function()
    local disk = s.base .. '/disk'
    crash.mount(disk, 'size=1m')
    s = crash.scene(disk, s.state)
    sweep_pages(disk)
  end)

  it('for the journal', function()
    crash.mount(s.base .. '/disk', 'size=1m')
    s = crash.scene(s.base, s.base .. '/disk')
    sweep_pages(s.state, s.state .. '/oxide/journal')
  end)

  it('for both', function()
    local disk = s.base .. '/disk'
    crash.mount(disk, 'size=1m')
    s = crash.scene(disk)
    sweep_pages(disk)
  end)

  it('for another name', function()
    local disk = s.base .. '/disk'
    crash.mount(disk, 'size=1m,nr_inodes=100')
    s = crash.scene(disk, s.state)
    local full = 0
    for left = 0, 8 do
      local function room()
        local free = assert(vim.uv.fs_statfs(disk)).ffree
        for i = 1, free - left do
          helper.write(('%s/filler%d'):format(disk, i), '')
        end
        return function()
          for i = 1, free - left do
            os.remove(('%s/filler%d'):format(disk, i))
          end
        end
      end
      full = full + (with(room, ('%d names'):format(left)) and 1 or 0)
    end
    assert.is_true(full > 0 and full < 9, ('%d of 9 refused'):format(full))
  end)
end)

--- The change under each of some limits of the system, which are enough in the end.
local function limited(name, values, message, core)
  local counts = { 0, [0] = 0 }
  for _, most in ipairs(values) do
    s:reset()
    local limit = ('--%s=%d'):format(name, most)
    local done = s:change { core = core, before = { 'prlimit', limit } }
    if done.code == 1 then
      assert.matches(message, refused(done).message)
    end
    s:judge(limit, done)
    counts[done.code] = (counts[done.code] or 0) + 1
  end
  assert.is_true(counts[0] > 0 and counts[1] > 3, vim.inspect(counts))
end

it('a limit on the size of files leaves all as it was', function()
  limited('fsize', { 0, 1, 48, 400, 4096, 4160, 4300, 16384 }, 'File too large')
end)

it('too few file descriptors leave all as it was', function()
  limited('nofile', vim.fn.range(3, 26), '[Tt]oo many open files', crash.plain)
end)

describe('threads that cannot be made', function()
  for what, when in pairs { ['not one'] = '', ['the third'] = ':when=3' } do
    it(what .. ': the change is made all the same', function()
      local how = 'inject=clone,clone3:error=EAGAIN' .. when
      local done = s:change { before = crash.strace(how), core = crash.plain }
      assert.same({ 0, 0 }, { done.code, done.signal }, done.stdout .. done.stderr)
      s:whole(what, { new = true })
    end)
  end
end)

describe('a file system that is read-only', function()
  local disk

  before_each(function()
    disk = s.base .. '/disk'
    crash.mount(disk, 'size=1m')
    s = crash.scene(disk, s.state)
  end)

  it('from the beginning is told', function()
    crash.remount(disk, 'ro')
    local e = refused(s:change { core = crash.plain })
    assert.equal('denied', e.code)
    assert.matches('a%.txt is read%-only', e.message)
    assert.same(s.old, s:tree())
    crash.remount(disk, 'rw')
    s:whole('read-only', { old = true })
  end)

  it('from the middle on is told, and recovery takes the change back', function()
    local one = s:held('renameat2', 2)
    crash.remount(disk, 'ro')
    local e = refused(crash.go_on(one))
    assert.matches('Read%-only file system', e.message)
    assert.matches('rolling it back', e.message)
    crash.remount(disk, 'rw')
    s:whole('read-only from the middle on', { old = true })
  end)
end)

describe('a history that cannot be kept', function()
  local function unkept(options, fill)
    local dir = s.state .. '/oxide/history'
    crash.mount(dir, options)
    if fill then
      helper.write(dir .. '/filler', ('x'):rep(4096))
    end
    local done = s:change()
    assert.equal(0, done.code, done.stdout)
    local warning = vim.json.decode(done.stdout).warning
    assert.matches('this change cannot be undone', warning)
    s:whole('no history', { new = true })
    local out = s:call('undo', vim.empty_dict())
    assert.equal('not_found', out.result.error.code)
    assert.same(s.new, s:tree())
    return warning
  end

  it('for it is full: the change is made, and that is told', function()
    assert.matches('No space left', unkept('size=4k', true))
  end)

  it('for its folder cannot be made: the same, at whichever step', function()
    for when = 1, 6 do
      vim.fn.delete(s.state, 'rf')
      s:reset()
      local how = ('inject=mkdir,mkdirat:error=EIO:when=%d'):format(when)
      local done = s:change { before = crash.strace(how), core = crash.plain }
      assert.equal(0, done.signal, done.stderr)
      assert.is_true(done.code == 0 or done.code == 1, done.stderr)
      local answer = vim.json.decode(done.stdout)
      if done.code == 0 then
        assert.is_true(answer.transaction ~= nil or answer.warning ~= nil, done.stdout)
        assert.same(s.new, s:tree())
      else
        assert.same(s.old, s:tree())
      end
    end
  end)

  it('for it is read-only: the same', function()
    assert.matches('Read%-only', unkept('ro'))
  end)
end)
