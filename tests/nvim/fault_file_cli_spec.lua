-- The real core and what files can be besides a text under a name: replaced, linked, owned by
-- others, oddly named, far too large.
local crash = require('crash')
local ffi = require('ffi')
local helper = require('helper')

ffi.cdef([[
  int setxattr(const char *path, const char *name, const void *value, size_t n, int flags);
  ssize_t getxattr(const char *path, const char *name, void *value, size_t n);
  int mkfifo(const char *path, unsigned mode);
]])

local s
local root = vim.uv.getuid() == 0

before_each(function()
  s = crash.scene()
end)
after_each(crash.cleanup)

local function at(name)
  return s.dir .. '/' .. name
end

local function sh(...)
  local done = vim.system({ ... }, { cwd = s.dir }):wait()
  assert(done.code == 0, done.stderr)
end

--- A socket that lies there.
local function listen(path)
  local pipe = assert(vim.uv.new_pipe())
  assert(pipe:bind(path))
  return pipe
end

--- The error of a refusal, which has changed nothing.
local function refused(done, before)
  assert.equal(1, done.code, done.stdout)
  assert.same(before, s:tree())
  return vim.json.decode(done.stdout).error
end

describe('between the reading and the writing', function()
  --- What somebody else does to the files then is noticed, and stays.
  local function meddle(name, act)
    it(name, function()
      local one = s:held('fdatasync', 1)
      local open = act()
      local before = s:tree()
      local e = refused(crash.go_on(one), before)
      assert.is_true(e.code == 'stale' or e.code == 'conflict', vim.inspect(e))
      assert.matches('^[%w/]+%.txt: ', e.message)
      s.old = before
      s:whole(name, { old = true })
      if open then
        open:close()
      end
    end)
  end

  meddle('more is written behind it', function()
    sh('sh', '-c', 'echo more >>a.txt')
  end)

  meddle('it is written anew, as long as before and with the same time', function()
    sh('touch', '-r', 'a.txt', '../time')
    sh('sh', '-c', 'echo OLD a >a.txt')
    sh('touch', '-r', '../time', 'a.txt')
  end)

  meddle('another file takes its name', function()
    helper.write(at('mine'), 'old a\n')
    sh('mv', 'mine', 'a.txt')
  end)

  meddle('it is removed', function()
    os.remove(at('a.txt'))
  end)

  meddle('the one that is to be deleted is written', function()
    helper.write(at('gone.txt'), 'wanted after all\n')
  end)

  meddle('the one with two names is written', function()
    helper.write(at('second.txt'), 'by its second name\n')
  end)

  meddle('its folder is removed', function()
    vim.fn.delete(at('sub'), 'rf')
  end)

  meddle('the new file is there', function()
    helper.write(at('to.txt'), 'mine\n')
  end)

  meddle('a folder takes its place', function()
    os.remove(at('a.txt'))
    vim.fn.mkdir(at('a.txt'))
  end)

  meddle('a FIFO takes its place', function()
    os.remove(at('a.txt'))
    assert.equal(0, ffi.C.mkfifo(at('a.txt'), 384))
  end)

  meddle('a socket takes its place', function()
    os.remove(at('a.txt'))
    return listen(at('a.txt'))
  end)

  meddle('a link takes its place', function()
    helper.write(s.base .. '/outside.txt', 'old a\n')
    os.remove(at('a.txt'))
    assert(vim.uv.fs_symlink('../outside.txt', at('a.txt')))
  end)

  --- Puts a link that leads out in the place of a directory.
  local function lead_out(name, dir, up)
    it(name, function()
      helper.write(at('made/deep/other.txt'), 'there before\n')
      local one = s:held('fdatasync', 1)
      assert(vim.uv.fs_rename(at(dir), s.base .. '/outside'))
      assert(vim.uv.fs_symlink(up .. 'outside', at(dir)))
      local before, outside = s:tree(), helper.tree(s.base .. '/outside')
      local e = refused(crash.go_on(one), before)
      assert.matches('link', e.message)
      assert.same(outside, helper.tree(s.base .. '/outside'))
      s.old = before
      s:whole('a link', { old = true })
    end)
  end

  lead_out('its folder becomes a link that leads out', 'sub', '../')
  lead_out('the folder of a new file becomes one', 'made/deep', '../../')
end)

describe('what is not a regular file is refused at once:', function()
  local function refuse(name, make)
    it(name, function()
      os.remove(at('a.txt'))
      local open = make(at('a.txt'))
      local before = s:tree()
      local e = refused(s:change(), before)
      assert.matches('a%.txt', e.message)
      if open then
        open:close()
      end
    end)
  end

  refuse('a FIFO', function(path)
    assert.equal(0, ffi.C.mkfifo(path, 384))
  end)
  refuse('a socket', listen)
  refuse('a device', function(path)
    assert(vim.uv.fs_symlink('/dev/zero', path))
  end)
  refuse('a folder', function(path)
    vim.fn.mkdir(path)
  end)
  refuse('a link that leads nowhere', function(path)
    assert(vim.uv.fs_symlink('nowhere', path))
  end)
  refuse('a link to itself', function(path)
    assert(vim.uv.fs_symlink('a.txt', path))
  end)
  refuse('a file below a file', function()
    helper.write(at('a.txt'), 'old a\n')
    os.remove(at('sub/b.txt'))
    vim.uv.fs_rmdir(at('sub'))
    helper.write(at('sub'), 'no folder: a.txt\n')
    os.remove(at('a.txt'))
  end)
end)

it('a link within the project stays one, and its target changes', function()
  assert(vim.uv.fs_rename(at('a.txt'), at('real.txt')))
  assert(vim.uv.fs_symlink('real.txt', at('a.txt')))
  local done = s:change()
  assert.equal(0, done.code, done.stdout)
  assert.equal('link', vim.uv.fs_lstat(at('a.txt')).type)
  assert.equal('new a, and longer than it was\n', helper.read(at('real.txt')))
end)

describe('what a file has besides its text stays:', function()
  --- Done, undone, and carried out by recovery: `look` sees the same each time.
  local function stays(look)
    local before = look()
    s:change()
    assert.same(s.new['a.txt'], s:tree()['a.txt'])
    assert.same(before, look())
    assert.equal(0, s:call('undo', vim.empty_dict()).code)
    assert.same(s.old['a.txt'], s:tree()['a.txt'])
    assert.same(before, look())
    local point = { call = 'renameat2', when = 1 }
    s:struck(s:change_argv(), point, 'signal=SIGKILL')
    assert.equal(0, s:recover().code)
    assert.same(s.new['a.txt'], s:tree()['a.txt'])
    assert.same(before, look())
  end

  local function attribute(name, bytes)
    if ffi.C.setxattr(at('a.txt'), name, bytes, #bytes, 0) ~= 0 then
      return pending('this file system keeps no ' .. name)
    end
    s.old, s.new = s:tree(), vim.deepcopy(s.new)
    s.new['a.txt'] = s.new['a.txt']:gsub('^%d+', s.old['a.txt']:match('^%d+'))
    stays(function()
      local value = ffi.new('char[256]')
      local n = ffi.C.getxattr(at('a.txt'), name, value, 256)
      return ffi.string(value, math.max(tonumber(n), 0))
    end)
  end

  it('an attribute of the person', function()
    attribute('user.oxide', 'a value\0with a NUL')
  end)

  it('an access list', function()
    -- Version 2; the owner, user 12, the group, the mask, others: tag, rights, id.
    local list = '\2\0\0\0'
    for _, entry in ipairs { { 1, 7 }, { 2, 6, 12 }, { 4, 5 }, { 16, 7 }, { 32, 4 } } do
      local id = entry[3] and '\12\0\0\0' or '\255\255\255\255'
      list = list .. ('%c\0%c\0'):format(entry[1], entry[2]) .. id
    end
    attribute('system.posix_acl_access', list)
  end)

  it('owner and group, but not the right to run as the owner', function()
    if root then
      assert(vim.uv.fs_chown(at('a.txt'), 12, 34))
    end
    assert(vim.uv.fs_chmod(at('a.txt'), tonumber('755', 8)))
    stays(function()
      local st = vim.uv.fs_stat(at('a.txt'))
      return { st.uid, st.gid, st.mode }
    end)
    s:reset()
    assert(vim.uv.fs_chmod(at('a.txt'), tonumber('6755', 8)))
    s:change()
    assert.equal(s.new['a.txt'], s:tree()['a.txt'])
  end)
end)

--- As a user who may not do everything. Root takes the rights of nobody, and the core to where he
--- can reach it.
describe('without the right to', function()
  local run

  before_each(function()
    if root then -- nobody has no way into the directory of this run
      s = crash.scene(assert(vim.uv.fs_mkdtemp('/tmp/oxide-nobody-XXXXXX')))
    end
    run = { env = { XDG_STATE_HOME = s.base .. '/theirs' } }
    vim.fn.mkdir(s.base .. '/theirs')
    if root then
      run.core = s.base .. '/oxide'
      run.before = { 'setpriv', '--reuid=65534', '--regid=65534', '--clear-groups' }
      assert(vim.uv.fs_chmod(s.base, 493))
      assert(vim.uv.fs_copyfile(crash.plain, run.core))
      sh('cp', '-R', helper.root .. '/lua/oxide', s.base .. '/data')
      sh('chmod', '-R', 'a+rX', s.base .. '/data')
      run.env.OXIDE_DATA = s.base .. '/data'
      sh('chown', '-R', '65534:65534', s.dir, s.base .. '/theirs')
    end
    s.old = s:tree()
  end)

  it('write in one of the folders, all stays as it was', function()
    assert(vim.uv.fs_chmod(at('sub'), 365))
    local before = s:tree()
    local e = refused(s:change(run), before)
    assert.equal('denied', e.code)
    assert.matches('sub/b%.txt.*Permission denied', e.message)
    assert(vim.uv.fs_chmod(at('sub'), 493))
  end)

  it('write one of the files, all stays as it was', function()
    if root then
      sh('chown', '0:0', 'sub/b.txt')
    else
      assert(vim.uv.fs_chmod(at('sub/b.txt'), 292))
    end
    local e = refused(s:change(run), s:tree())
    assert.equal('denied', e.code)
    assert.matches('sub/b%.txt is read%-only', e.message)
  end)

  it('read one of the files, all stays as it was', function()
    if root then
      sh('chown', '0:0', 'sub/b.txt')
    end
    assert(vim.uv.fs_chmod(at('sub/b.txt'), 0))
    local done = s:change(run)
    assert(vim.uv.fs_chmod(at('sub/b.txt'), 420))
    local e = refused(done, s.old)
    assert.equal('denied', e.code)
    assert.matches('sub/b%.txt: Permission denied', e.message)
  end)
end)

describe('a name', function()
  local function write(name)
    return s:start('write_file', { file_path = name, content = 'by this name\n' }):wait()
  end

  local long = ('n'):rep(255)
  for what, name in pairs {
    ['with a line end in it'] = 'two\nlines',
    ['of 255 bytes'] = long,
    ['that is no UTF-8'] = 'caf\233 \255\254',
    ['that begins with a dash'] = '-rf',
    ['that ends in a blank'] = 'blank ',
    ['of control characters'] = '\27[31m\1\127',
    ['of quotes'] = [["'\]],
    ['of the temporaries'] = '.oxide-0000000000000000',
  } do
    it(what .. ' is taken as it is', function()
      local done = write(name)
      assert.equal(0, done.code, done.stdout)
      s.old[name] = '100644 by this name\n'
      assert.same(s.old, s:tree())
      -- Also when it is changed, with what lies beside it, and that is cut short.
      local list = {
        { edit_type = 'replace', file_path = name, old_string = 'by this', new_string = 'new' },
        { edit_type = 'replace', file_path = 'a.txt', old_string = 'old', new_string = 'new' },
      }
      local args = vim.json.encode { operations = list }
      local argv = { 'call', 'multi_edit', '--root', s.dir, '--yes', args }
      s:struck(argv, { call = 'renameat2', when = 2 }, 'signal=SIGKILL')
      assert.equal(0, s:recover().code)
      s.old[name], s.old['a.txt'] = '100644 new name\n', '100755 new a\n'
      assert.same(s.old, s:tree())
      s:clean(what)
    end)
  end

  local deep = ('d/'):rep(5000)
  for what, refusal in pairs {
    ['of 256 bytes'] = { long .. 'n', 'File name too long' },
    ['longer than any path'] = { deep .. 'f', 'File name too long' },
    ['that leads out'] = { '../outside.txt', 'outside of the project' },
    ['that leads out of the root'] = { ('../'):rep(50) .. 'etc/outside', 'outside of the project' },
    ['that is empty'] = { '', 'empty' },
    ['of the project itself'] = { '.', 'is a directory' },
  } do
    it(what .. ' is refused', function()
      local e = refused(write(refusal[1]), s.old)
      assert.matches(refusal[2], e.message)
    end)
  end

  it('that is no UTF-8 is the same in a flag', function()
    local flags = { '--root', s.dir, '--yes', '--content=x', '--file-path=caf\233' }
    local done = s:run(vim.list_extend({ 'call', 'write_file' }, flags)):wait()
    assert.equal(0, done.code, done.stdout)
    s.old['caf\233'] = '100644 x'
    assert.same(s.old, s:tree())
  end)

  it('with a NUL in it is refused', function()
    local e = refused(write('a\0b'), s.old)
    assert.matches('NUL', e.message)
  end)
end)

describe('what is too large', function()
  it('for any editor is refused, unread', function()
    local f = assert(io.open(at('a.txt'), 'r+b'))
    f:seek('set', 3 * 2 ^ 30)
    f:write('x')
    f:close()
    local run = { core = crash.plain, before = { 'prlimit', '--as=' .. 256 * 2 ^ 20 } }
    local done = s:change(run)
    assert.equal(1, done.code, done.stderr)
    local e = vim.json.decode(done.stdout).error
    assert.equal('limit', e.code)
    assert.matches('a%.txt is larger than', e.message)
    os.remove(at('a.txt'))
    local old = vim.deepcopy(s.old)
    old['a.txt'] = nil
    assert.same(old, s:tree())
  end)

  it('for the memory leaves all as it was', function()
    local most = 2 ^ 24
    local line = 'old a\n' .. ('x'):rep(most)
    local counts = { 0, 0 }
    for _, mb in ipairs { 16, 24, 32, 48, 64, 96, 128, 1024 } do
      s:reset()
      helper.write(at('a.txt'), line)
      assert(vim.uv.fs_chmod(at('a.txt'), 493))
      s.old['a.txt'] = '100755 ' .. line
      s.new['a.txt'] = '100755 new a, and longer than it was\n' .. ('x'):rep(most)
      local before = { 'prlimit', ('--as=%d'):format(mb * 2 ^ 20) }
      local done = s:change { core = crash.plain, before = before }
      s:judge(('%d MiB'):format(mb), done)
      local i = done.code == 0 and done.signal == 0 and 1 or 2
      counts[i] = counts[i] + 1
    end
    assert.is_true(counts[1] > 0 and counts[2] > 0, vim.inspect(counts))
  end)
end)

it('a folder that keeps changing places with a link never leads a change out', function()
  local outside = s.base .. '/outside'
  for _, dir in ipairs { at('in'), outside } do
    helper.write(dir .. '/b.txt', 'old b\n')
  end
  assert(vim.uv.fs_symlink('../outside', at('swap')))
  -- Exchanges the two names as often as it can.
  local swapper = vim.system {
    'python3',
    '-c',
    [[
import ctypes, sys
c = ctypes.CDLL(None)
a, b = (x.encode() for x in sys.argv[1:])
while True:
    c.renameat2(-100, a, -100, b, 2)
]],
    at('in'),
    at('swap'),
  }
  local made = 0
  for round = 1, crash.rounds(100) do
    local patch = '*** Begin Patch\n*** Update File: in/b.txt\n@@\n+x\n*** Add File: in/n%d.txt\n'
    local args = vim.json.encode { patch = patch:format(round) .. '+made\n*** End Patch\n' }
    local argv = { 'call', 'apply_patch', '--root', s.dir, '--yes', args }
    made = made + (s:run(argv, { core = crash.plain }):wait().code == 0 and 1 or 0)
  end
  swapper:kill('sigkill')
  swapper:wait()
  crash.note('%d of the changes were made', made)
  assert.same({ ['b.txt'] = '100644 old b\n' }, helper.tree(outside))
end)
