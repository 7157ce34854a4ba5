-- The journal of a change that was cut short, as the real core finds it: damaged, forged, of
-- somebody else, twice. It is carried out as it was meant, or let be and told.
local bitop = require('bit')
local crash = require('crash')
local helper = require('helper')

local s, home, journal, bytes, before

local function cut()
  s:reset()
  s:struck(s:change_argv(), { call = 'renameat2', when = 1 }, 'signal=SIGKILL')
  bytes = helper.read(journal)
  before = s:tree()
end

before_each(function()
  s = crash.scene()
  home = s.state .. '/oxide/journal'
  journal = home .. '/0.journal'
  cut()
end)
after_each(crash.cleanup)

--- Recovery with these bytes for a journal: all is let be.
local function untouched(when, text)
  helper.write(journal, text)
  local out = s:recover { core = crash.plain }
  assert(out.code <= 1, ('%s: %s%s'):format(when, out.stdout, out.stderr))
  assert(vim.deep_equal(s:tree(), before), when .. ': changed ' .. out.stdout)
  return out
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
  it('cut short at any byte changes nothing', function()
    for n = 0, #bytes - 1 do
      if n < 60 and n % 8 == 0 or crash.chosen(30, #bytes) then
        local out = untouched(('cut at %d'):format(n), bytes:sub(1, n))
        assert.equal(n < 48 and 0 or 1, out.code, ('cut at %d: %s'):format(n, out.stdout))
      end
    end
    helper.write(journal, bytes)
    s:whole('put right', { new = true })
  end)

  local MARK = 9 -- its two lowest bits make another mark of it

  it('with any bit changed changes nothing', function()
    for at = 1, #bytes do
      for bit = 0, 7 do
        if not (at == MARK and bit < 2) and crash.chosen(50, 8 * #bytes) then
          untouched(('bit %d of byte %d'):format(bit, at), flipped(at, bit))
        end
      end
    end
    helper.write(journal, bytes)
    s:whole('put right', { new = true })
  end)

  it('with another mark goes one of the two ways', function()
    for bit = 0, 1 do
      cut()
      helper.write(journal, flipped(MARK, bit))
      s:whole(('bit %d of the mark'):format(bit), { old = true, new = true })
    end
  end)

  it('that is no longer in the head stays, and others work beside it', function()
    helper.write(journal, bytes:sub(1, 100))
    left('cut short')
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
  it('which others may have written', function()
    assert(vim.uv.fs_chmod(journal, tonumber('666', 8)))
    left('you alone may write to')
  end)

  it('which is a link, or has a second name', function()
    assert(vim.uv.fs_link(journal, home .. '/second'))
    left('you alone may write to')
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
      left('you alone may write to')
    end)
  end

  it('which is of another version', function()
    helper.write(journal, bytes:sub(1, 7) .. '\99' .. bytes:sub(9))
    left('another version')
  end)

  it('whose project is not there, until it is', function()
    assert(vim.uv.fs_rename(s.dir, s.base .. '/moved'))
    local said = vim.json.decode(s:recover().stdout)
    assert.matches('is not there', said.left[1].reason)
    assert(vim.uv.fs_rename(s.base .. '/moved', s.dir))
    s:whole('back again', { new = true })
  end)
end)

it('what leads out of the project by now is let be', function()
  assert(vim.uv.fs_rename(s.dir .. '/sub', s.base .. '/outside'))
  assert(vim.uv.fs_symlink('../outside', s.dir .. '/sub'))
  local outside = helper.tree(s.base .. '/outside')
  local out = s:recover()
  local said = vim.json.decode(out.stdout)
  assert.equal(1, out.code)
  assert.equal(s.dir .. '/sub/b.txt', said.left[1].path)
  assert.matches('leads to another place', said.left[1].reason)
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
    local second = helper.read(s.state .. '/oxide/journal/0.journal')
    s.state = there
    helper.write(home .. '/1.journal', second)
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
