-- Two real cores that write at the same time: as if one had come after the other.
local crash = require('crash')
local fault = require('fault')
local helper = require('helper')

local s

local function lines(name)
  return #vim.split(helper.read(s.dir .. '/' .. name), '\n') - 1
end

--- Starts a core that puts a line before all others in each of these files.
local function insert(names, core)
  local list = vim.tbl_map(function(name)
    return { edit_type = 'insert', file_path = name, line_number = 1, content = 'one more' }
  end, names)
  return s:start('multi_edit', { operations = list }, { core = core })
end

--- Both at once, `rounds` times. Returns how often each of them came through; who did not has lost
--- to the other, which has come through.
local function race(rounds, sets, may_lose)
  local won = { 0, 0 }
  for round = 1, rounds do
    local running, through = {}, 0
    for i, set in ipairs(sets) do
      running[i] = insert(set, crash.plain)
    end
    for i, one in ipairs(running) do
      local done = fault.finish(one)
      if done.code == 0 then
        won[i], through = won[i] + 1, through + 1
      else
        local e = done.result.error
        assert(may_lose, vim.inspect(e))
        assert(e.code == 'stale' or e.code == 'conflict', vim.inspect(e))
        assert.matches('%.txt', e.message)
      end
    end
    assert(through > 0, ('round %d: nobody came through'):format(round))
  end
  crash.note('%d and %d of %d rounds', won[1], won[2], rounds)
  s:clean('two at once')
  assert.same({ recovered = {}, left = {} }, vim.json.decode(s:recover().stdout))
  return won
end

describe('two cores at once', function()
  before_each(function()
    s = crash.scene()
    for _, name in ipairs { 'x.txt', 'y.txt', 'z.txt', 'w.txt' } do
      helper.write(s.dir .. '/' .. name, '')
    end
  end)
  after_each(crash.cleanup)

  it('on the same files, in either order: one line for each that came through', function()
    local won = race(crash.rounds(60), { { 'x.txt', 'y.txt' }, { 'y.txt', 'x.txt' } }, true)
    assert.equal(won[1] + won[2], lines('x.txt'))
    assert.equal(won[1] + won[2], lines('y.txt'))
  end)

  it('on sets that overlap', function()
    local won = race(crash.rounds(60), { { 'x.txt', 'y.txt' }, { 'y.txt', 'z.txt' } }, true)
    assert.same(
      { won[1], won[1] + won[2], won[2] },
      { lines('x.txt'), lines('y.txt'), lines('z.txt') }
    )
  end)

  it('on different files: both come through each time', function()
    local rounds = crash.rounds(60)
    local won = race(rounds, { { 'x.txt', 'y.txt' }, { 'z.txt', 'w.txt' } }, false)
    assert.same({ rounds, rounds }, won)
    for _, name in ipairs { 'x.txt', 'y.txt', 'z.txt', 'w.txt' } do
      assert.equal(rounds, lines(name))
    end
  end)
end)
