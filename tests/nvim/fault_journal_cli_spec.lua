-- The journal of a change that was cut short, as the real core finds it: damaged, forged, of
-- somebody else, twice. It is carried out as it was meant, or let be and told.
local bitop = require('bit')
local crash = require('crash')
local helper = require('helper')

-- As far as one program can tell: it has the start of the machine from there.
local BOOT = '/proc/sys/kernel/random/boot_id'
local RESTARTED = {
  core = crash.plain,
  before = crash.strace('trace=openat', 'inject=openat:error=ENOENT', { '-P', BOOT }),
}

-- Between the head and its copy nothing lies.
local HEAD, COPY = 48, 4096
local GAP = COPY - HEAD

---@param at integer
local function in_gap(at)
  return at > HEAD and at <= COPY
end

local s, home, journal, bytes, second, before

--- Kills a change before its n-th file changes.
local function cut(n)
  s:reset()
  s:struck(s:change_argv(), { call = 'renameat2', when = n or 1 }, 'signal=SIGKILL')
  bytes = helper.read(journal)
  second = vim.uv.fs_stat(home .. '/0.head') and helper.read(home .. '/0.head')
  before = s:tree()
end

before_each(function()
  s = crash.scene()
  home = s.state .. '/oxide/journal'
  journal = home .. '/0.journal'
  cut()
end)
after_each(crash.cleanup)

--- Recovery with these bytes for a journal, nil: without it. Either all is whole, or all is let be
--- and told. Puts everything back as it was.
---@param run? test.Run   of recovery
---@return boolean whole
local function judged(when, text, n, run)
  if text then
    helper.write(journal, text)
  else
    os.remove(journal)
  end
  local out = s:recover(run or { core = crash.plain })
  local tree, told = s:tree(), vim.json.decode(out.stdout)
  if out.code == 0 then
    if not vim.deep_equal(tree, s.new) and not vim.deep_equal(tree, s.old) then
      error(('%s: mixed, and not told: %s%s'):format(when, out.stdout, vim.inspect(tree)))
    end
    s:clean(when)
    cut(n)
    return true
  end
  assert(out.code == 1 and #told.left > 0, ('%s: %s%s'):format(when, out.stdout, out.stderr))
  assert(vim.deep_equal(tree, before), when .. ': changed ' .. out.stdout)
  helper.write(journal, bytes)
  assert(vim.uv.fs_chmod(journal, 384)) -- 0600
  if second then
    helper.write(home .. '/0.head', second)
  end
  return false
end

local function zeroed(at, n)
  return bytes:sub(1, at) .. ('\0'):rep(math.min(n, #bytes - at)) .. bytes:sub(at + n + 1)
end

local function flipped(at, bit)
  local byte = string.char(bitop.bxor(bytes:byte(at), 2 ^ bit))
  return bytes:sub(1, at - 1) .. byte .. bytes:sub(at + 1)
end

--- It is let be, and told with this reason; put right, it is carried out.
local function left(reason)
  local out = s:recover()
  assert.equal(1, out.code)
  assert.same(before, s:tree())
  local said = vim.json.decode(out.stdout)
  assert.equal(journal, said.left[1].path)
  assert.matches(reason, said.left[1].reason)
  assert.same({}, said.recovered)
end

describe('a damaged journal', function()
  it('cut short at any byte, or gone, changes nothing and is told', function()
    for n = 0, #bytes - 1 do
      if n < 60 and n % 8 == 0 or not in_gap(n) and crash.chosen(30, #bytes - GAP) then
        assert.is_false(judged(('cut at %d'):format(n), bytes:sub(1, n)))
      end
    end
    assert.is_false(judged('removed', nil))
    s:whole('put right', { new = true })
  end)

  it('with any bit changed changes nothing, or all', function()
    for at = 1, #bytes do
      for bit = 0, 7 do
        if not in_gap(at) and crash.chosen(50, 8 * (#bytes - GAP)) then
          judged(('bit %d of byte %d'):format(bit, at), flipped(at, bit))
        end
      end
    end
    s:whole('put right', { new = true })
  end)

  -- The tree is neither old nor new by then.
  it('after the change has begun is never taken for one that had not', function()
    cut(3)
    assert(not vim.deep_equal(before, s.old) and not vim.deep_equal(before, s.new))
    for n = 0, #bytes - 1 do
      if n <= 48 and n % 12 == 0 or not in_gap(n) and crash.chosen(10, #bytes - GAP) then
        assert.is_false(judged(('begun, cut at %d'):format(n), bytes:sub(1, n), 3))
      end
    end
    assert.is_false(judged('begun, removed', nil, 3))
    assert.is_true(judged('begun, without a head', zeroed(0, 48), 3))
    for _, size in ipairs { 8, 16, 48, 64, 512 } do
      for at = 0, #bytes - 1, 8 do
        if
          at == 0
          or at + size >= #bytes and at + size < #bytes + 8
          or not in_gap(at) and crash.chosen(4, (#bytes - GAP) / 8)
        then
          judged(('begun, %d zeros at %d'):format(size, at), zeroed(at, size), 3)
        end
      end
    end
    assert.is_false(judged('begun, all zeros', ('\0'):rep(#bytes), 3))
    s:whole('begun, put right', { new = true })
  end)

  --- What takes its head from a journal in which all else is whole.
  local function beheaded(way)
    local function judge(when, text)
      if way.lost then -- with what was not synced
        os.remove(home .. '/0.head')
      end
      return judged(('%s, %s'):format(way.name, when), text, 3, RESTARTED)
    end
    for _, n in ipairs { 8, 48, 512, 4096 } do
      assert.is_true(judge(n .. ' zeros', zeroed(0, n)))
      assert.is_true(judge(n .. ' bytes', ('\255'):rep(n) .. bytes:sub(n + 1)))
    end
    for at = 1, 48 do
      for bit = 0, 7 do
        if crash.chosen(10, 48 * 8) then
          judge(('bit %d of byte %d'):format(bit, at), flipped(at, bit))
        end
      end
    end
    for n = way.lost and 48 or 0, #bytes - 1 do
      if n % 16 == 0 and n <= 48 or not in_gap(n) and crash.chosen(4, #bytes - GAP) then
        assert.is_false(judge('cut at ' .. n, bytes:sub(1, n)))
      end
    end
    if not way.lost then
      assert.is_false(judge('removed', nil))
      assert.is_false(judge('all zeros', ('\0'):rep(#bytes)))
    end
  end

  for _, way in ipairs {
    { name = 'restarted' },
    { name = 'restarted, and what was not synced is lost', lost = true },
  } do
    it(way.name .. ', is carried out by the copy of its head, or told', function()
      cut(3)
      assert(not vim.deep_equal(before, s.old) and not vim.deep_equal(before, s.new))
      beheaded(way)
      s:whole('put right', { new = true })
    end)
  end

  it('with another mark goes one of the two ways', function()
    local MARK = 9 -- its two lowest bits make another mark of it
    for bit = 0, 1 do
      cut()
      helper.write(journal, flipped(MARK, bit))
      s:whole(('bit %d of the mark'):format(bit), { old = true, new = true })
    end
  end)

  it('that is no longer in the head stays, and others work beside it', function()
    helper.write(journal, bytes:sub(1, 100))
    left('truncated')
    local out = s:call('edit_file', {
      file_path = 'other.txt',
      old_string = 'untouched',
      new_string = 'changed',
    })
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.equal(bytes:sub(1, 100), helper.read(journal))
  end)
end)

describe('a journal is let be', function()
  -- Killed, its threads may hold it a moment longer than it is seen to live.
  it('that somebody holds, until he is gone', function()
    s:recover()
    s:reset()
    local held = s:held('renameat2', 3)
    before = s:tree()
    local out = s:recover()
    assert.equal(1, out.code, out.stdout)
    assert.matches('another Oxide process is working', vim.json.decode(out.stdout).left[1].reason)
    assert.same(before, s:tree())
    local running = s:run(crash.RECOVER)
    crash.go_on(held)
    assert.equal(0, running:wait().code)
    assert.same(s.new, s:tree())
  end)

  it('which others may have written', function()
    assert(vim.uv.fs_chmod(journal, tonumber('666', 8)))
    left('only you may write')
  end)

  it('which is a link, or has a second name', function()
    assert(vim.uv.fs_link(journal, home .. '/second'))
    left('only you may write')
    os.remove(home .. '/second')
    assert(vim.uv.fs_rename(journal, s.base .. '/elsewhere'))
    assert(vim.uv.fs_symlink(s.base .. '/elsewhere', journal))
    local out = s:recover()
    assert.equal(1, out.code)
    assert.same(before, s:tree())
  end)

  if vim.uv.getuid() == 0 then
    it('which is of another user', function()
      assert(vim.uv.fs_chown(journal, 12, 12))
      left('only you may write')
    end)
  end

  it('which is of another version', function()
    helper.write(journal, bytes:sub(1, 7) .. '\99' .. bytes:sub(9))
    left('another version')
  end)

  it('whose project is not there, until it is', function()
    local elsewhere = helper.tempdir()
    assert(vim.uv.fs_rename(s.dir, s.base .. '/moved'))
    local out = s:run({ 'call', 'manage_projects', '--root', elsewhere, '{}' }):wait()
    vim.fn.delete(elsewhere, 'rf')
    assert.matches('is missing; `oxide recover` drops', out.stderr)
    assert(vim.uv.fs_rename(s.base .. '/moved', s.dir))
    s:whole('back again', { new = true })
  end)
end)

it('oxide recover forgets a project that is gone', function()
  assert(vim.uv.fs_rename(s.dir, s.base .. '/moved'))
  local out = s:recover()
  assert.equal(0, out.code, out.stdout)
  local said = vim.json.decode(out.stdout)
  assert.equal('dropped', said.recovered[1].result)
  assert.matches('which no longer exists', said.recovered[1].reason)
  assert.same({ recovered = {}, left = {} }, vim.json.decode(s:recover().stdout))
  s:clean('forgotten')
end)

it('what leads out of the project by now is let be', function()
  assert(vim.uv.fs_rename(s.dir .. '/sub', s.base .. '/outside'))
  assert(vim.uv.fs_symlink('../outside', s.dir .. '/sub'))
  local outside = helper.tree(s.base .. '/outside')
  local out = s:recover()
  local said = vim.json.decode(out.stdout)
  assert.equal(1, out.code)
  assert.equal(s.dir .. '/sub/b.txt', said.left[1].path)
  assert.matches('points elsewhere', said.left[1].reason)
  assert.same(outside, helper.tree(s.base .. '/outside'))
  assert.equal('new a, and longer than it was\n', helper.read(s.dir .. '/a.txt'))
end)

describe('two journals of one file', function()
  it('that say the same are carried out as one', function()
    helper.write(home .. '/1.journal', bytes)
    assert(vim.uv.fs_chmod(home .. '/1.journal', 384))
    s:whole('twice', { new = true })
  end)

  it('that do not: the first counts, and that is told', function()
    local there = s.state
    s.state = s.base .. '/another'
    local patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-old a\n+another a\n*** End Patch\n'
    local args = vim.json.encode { patch = patch }
    local argv = { 'call', 'apply_patch', '--root', s.dir, '--yes', args }
    s:struck(argv, { call = 'renameat2', when = 1 }, 'signal=SIGKILL')
    local other = helper.read(s.state .. '/oxide/journal/0.journal')
    s.state = there
    helper.write(home .. '/1.journal', other)
    assert(vim.uv.fs_chmod(home .. '/1.journal', 384))
    local out = s:recover()
    local said = vim.json.decode(out.stdout)
    assert.equal(1, out.code)
    assert.equal('completed', said.recovered[1].result)
    assert.same({ s.dir .. '/a.txt' }, { said.left[1].path })
    assert.matches('changed by another program', said.left[1].reason)
    assert.equal(s.new['a.txt'], s:tree()['a.txt'])
    assert.same({ recovered = {}, left = {} }, vim.json.decode(s:recover().stdout))
  end)
end)

it('lock files that lie about, whatever they hold, hold up nobody', function()
  for _, name in ipairs { 'files.lock', 'scan.lock' } do
    helper.write(home .. '/' .. name, '1\n')
  end
  s:whole('locks', { new = true })
end)
