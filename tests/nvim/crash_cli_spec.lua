-- The real core, killed at any instant: afterwards all is old or all is new.
local crash = require('crash')
local fault = require('fault')

local s

--- SIGKILL after so many seconds; waits for the end of the one killed.
local function after(seconds)
  return { 'timeout', '--foreground', '-s', 'KILL', ('%.6f'):format(seconds) }
end

--- How long one takes here and now: the longest of some.
local function seconds(fn)
  local most = 0
  for _ = 1, 5 do
    s:reset()
    local start = vim.uv.hrtime()
    fn()
    most = math.max(most, (vim.uv.hrtime() - start) / 1e9)
  end
  s:reset()
  return most
end

--- Dies before the n-th exchange of names.
local function cut(n)
  s:reset()
  s:struck(s:change_argv(), { call = 'renameat2', when = n }, 'signal=SIGKILL')
end

before_each(function()
  s = crash.scene()
end)
after_each(crash.cleanup)

describe('killed at a random instant,', function()
  it('a change is made or was never made', function()
    local run = { core = crash.plain }
    local long = seconds(function()
      s:change(run)
    end)
    local killed, recovered = 0, 0
    for round = 1, crash.rounds(300) do
      local at = math.random() * long * 1.1
      s:reset()
      local done = s:change { core = crash.plain, before = after(at) }
      local acted = s:judge(('round %d, after %.6f s'):format(round, at), done, run)
      killed = killed + (done.code == 0 and 0 or 1)
      recovered = recovered + (acted and 1 or 0)
    end
    crash.note('%d cut short, %d recovered', killed, recovered)
    assert.is_true(killed > 0)
  end)

  it('recovery goes on with it, twice', function()
    local run = { core = crash.plain }
    local long = seconds(function()
      cut(2)
      s:recover(run)
    end)
    for round = 1, crash.rounds(40) do
      local n = math.random(4)
      cut(n)
      local when = { ('round %d, change %d'):format(round, n) }
      for _ = 1, 2 do
        local at = math.random() * long / 4
        table.insert(when, ('recovery %.6f s'):format(at))
        s:recover { core = crash.plain, before = after(at) }
      end
      s:whole(table.concat(when, ', '), { old = true, new = true }, run)
    end
  end)
end)

describe('killed at a call of the system,', function()
  it('a change is made or was never made', function()
    local points = s:points(s:change_argv(), '/journal/')
    for _, point in ipairs(points) do
      if crash.chosen(40, #points) then
        s:reset()
        local done = s:struck(s:change_argv(), point, 'signal=SIGKILL')
        s:judge(('killed at %s %d'):format(point.call, point.when), done)
      end
    end
  end)

  it('recovery goes on with it', function()
    cut(3)
    local points = s:points(crash.RECOVER, '/journal/')
    for _, point in ipairs(points) do
      if crash.chosen(20, #points) then
        cut(3)
        s:struck(crash.RECOVER, point, 'signal=SIGKILL')
        s:whole(('recovery killed at %s %d'):format(point.call, point.when), { new = true })
      end
    end
  end)
end)

describe('a core that holds the files', function()
  local one

  before_each(function()
    one = s:held('renameat2', 1)
  end)

  after_each(function()
    one:kill('sigkill')
    one:wait()
  end)

  local function edit(name, from, to)
    return s:start('edit_file', { file_path = name, old_string = from, new_string = to })
  end

  it('holds up nobody who changes others', function()
    local done = fault.finish(edit('other.txt', 'untouched', 'changed'))
    one:kill('sigkill')
    one:wait()
    assert.equal(0, done.code, vim.inspect(done.result))
    s.old['other.txt'], s.new['other.txt'] = s:tree()['other.txt'], s:tree()['other.txt']
    s:whole('the one killed', { new = true })
  end)

  it('is waited for, and once it is killed its change is finished first', function()
    local two = edit('sub/b.txt', 'old b', 'second')
    fault.wait('the second to want the files', function()
      local dir = ('/proc/%d/fd'):format(two.pid)
      for fd in vim.fs.dir(dir) do
        if (vim.uv.fs_readlink(dir .. '/' .. fd) or ''):find('files%.lock$') then
          return true
        end
      end
    end)
    one:kill('sigkill')
    one:wait()
    local done = fault.finish(two)
    -- that was Oxide's own change: the second is looked at again, and finds no 'old b'
    assert.equal('not_found', done.result.error.code, vim.inspect(done.result))
    assert.equal(
      'another change was applied first: sub/b.txt: old_string was not found',
      done.result.error.message
    )
    s:whole('the one killed', { new = true })
  end)
end)
