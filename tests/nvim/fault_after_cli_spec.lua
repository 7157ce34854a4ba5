-- The real core, when a call of the system fails after the files of a change were made: what it
-- promises to the disk, the history, the answer, its log, what it clears away. It never dies of
-- that, a success is the new state, and what can be undone is what it says can be.
local crash = require('crash')

local s

before_each(function()
  s = crash.scene()
end)
after_each(crash.cleanup)

local function argv()
  local edits = {
    { edit_type = 'replace', file_path = 'a.txt', old_string = 'old a', new_string = 'new a' },
    { edit_type = 'replace', file_path = 'sub/b.txt', old_string = 'old b', new_string = 'new b' },
  }
  local args = vim.json.encode { operations = edits }
  return { 'call', 'multi_edit', '--root', s.dir, '--yes', args }
end

--- Undo takes back what a success has made, or says why it cannot.
local function undone(when, answer)
  local out = s:call('undo', vim.empty_dict(), { core = crash.plain })
  if out.code == 0 then
    assert.same(s.old, s:tree(), when)
    return
  end
  assert(#out.result.error.message > 0, when)
  assert(answer.warning or not answer.transaction, when .. ': ' .. vim.inspect(out.result))
  assert.same(s.new, s:tree(), when)
end

local function judged(when, done)
  assert(done.signal == 0 and done.code <= 1, ('%s: %s%s'):format(when, done.code, done.stderr))
  local ok, answer = pcall(vim.json.decode, done.stdout)
  s:judge(when, done, { core = crash.plain })
  if ok and done.code == 0 then
    undone(when, answer)
  end
end

describe('after the change', function()
  for errno, n in pairs { EIO = 20, ENOSPC = 12, EACCES = 8 } do
    it('a call fails with ' .. errno, function()
      local done = s:run(argv(), { core = crash.plain }):wait()
      assert.equal(0, done.code, done.stdout)
      s.new = s:tree()
      s:reset()
      -- The first name that changes places: from there on something is visible.
      local points = s:points(argv(), 'renameat2(')
      for _, point in ipairs(points) do
        if crash.chosen(n, #points) then
          s:reset()
          local when = ('%s at %s %d'):format(errno, point.call, point.when)
          judged(when, s:struck(argv(), point, 'error=' .. errno))
        end
      end
    end)
  end
end)
