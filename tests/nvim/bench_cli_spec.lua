-- What `make bench` says of the machine; the figures themselves are no test.
local helper = require('helper')

package.path = helper.root .. '/tests/bench/?.lua;' .. package.path
local idle = require('idle')

local function reading(user, free)
  return { times = { user = user, nice = 0, sys = 0, idle = free, irq = 0 } }
end

describe('a bench', function()
  it('sees what others keep busy', function()
    local before = { reading(100, 500), reading(0, 0) }
    assert.equal(0, idle.busy(before, { reading(100, 1500), reading(0, 1000) }))
    assert.equal(1, idle.busy(before, { reading(1100, 500), reading(0, 1000) }))
    assert.equal(1.5, idle.busy(before, { reading(1100, 500), reading(500, 500) }))
  end)

  it('says when the machine was not idle', function()
    local quiet = { when = 'before rename', busy = 0.02, of = 2, pace = 10 }
    local loud = { when = 'at the end', busy = 1.94, of = 2, pace = 12 }
    local said = idle.words { quiet, quiet }
    assert.truthy(said:find('was idle: between the parts at most 0.02 of 2', 1, true), said)
    said = idle.words { quiet, loud }
    assert.truthy(said:find('was not idle', 1, true), said)
    assert.truthy(said:find('Of 2 processors others kept busy: 1.9 at the end.', 1, true), said)
    assert.is_nil(said:find('equally fast', 1, true), said)
  end)

  it('says when its processors were slower for a while, though nothing ran', function()
    assert.is_true(idle.pace() > 0)
    local function look(when, pace)
      return { when = when, busy = 0, of = 2, pace = pace }
    end
    local said =
      idle.words { look('before rename', 10), look('before own', 17), look('at the end', 11) }
    assert.truthy(said:find('not equally fast', 1, true), said)
    assert.truthy(said:find('times the shortest: 1.7 before own.', 1, true), said)
  end)

  it('says what it needs and this machine has not', function()
    local bin = helper.tempdir()
    local function check()
      local script = helper.root .. '/scripts/system.sh'
      return vim
        .system({ script, 'check', 'bench' }, { env = { PATH = bin } })
        :wait(helper.deadline)
    end
    for dir in vim.gsplit(vim.env.PATH, ':') do
      for name in vim.fs.dir(dir) do
        if name ~= 'curl' then
          vim.uv.fs_symlink(dir .. '/' .. name, bin .. '/' .. name)
        end
      end
    end
    local done = check()
    assert.equal(1, done.code, done.stderr)
    assert.matches('curl', done.stdout .. done.stderr)
    assert(vim.uv.fs_symlink('/bin/sh', bin .. '/curl')) -- that it is there is enough
    done = check()
    assert.is_nil((done.stdout .. done.stderr):find('curl'), done.stderr)
    vim.fn.delete(bin, 'rf')
  end)
end)
