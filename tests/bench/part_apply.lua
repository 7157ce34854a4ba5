-- One patch of 10,000 hunks, as whole processes: `oxide call apply_patch --yes` with its durable
-- commit against `git apply` and GNU patch, which sync nothing. With the most memory it took, and
-- how it grows with the number of edits.
local bench = require('bench')
local process = require('process')
local tree = require('tree')

---@param t bench.Tree
---@param peers string[]
---@return table<string, fun(): bench.Timed>
local function runners(t, peers)
  local patch, after = t.dir .. '.patch', t.dir .. '.after'
  bench.write(patch, t.patch)
  for path, text in pairs(t.after) do
    bench.write(after .. '/' .. path, text)
  end
  local all = {
    oxide = { bench.core, 'call', 'apply_patch', '--root', t.dir, '--yes', '--patch-from', '-' },
    ['git apply'] = { 'git', 'apply', '-' },
    patch = { 'patch', '-s', '-p1' },
    floor = { bench.out .. '/bin/apply_floor', t.dir .. '.journal', t.dir, after },
    least = { bench.out .. '/bin/apply_least', t.dir .. '.least' },
  }
  local chosen = {}
  for _, name in ipairs(vim.list_extend({ 'oxide' }, peers)) do
    chosen[name] = function()
      return process.timed(t.dir, patch, all[name])
    end
  end
  return chosen
end

--- Each of them on the tree as it was, in turn; the first time of each is not counted.
---@param t bench.Tree
---@param peers string[]
---@param rounds integer
---@return table<string, table<string, number[]>> by name: ms, mb
local function measure(t, peers, rounds)
  local took = {}
  local runner = runners(t, peers)
  for round = 0, rounds do
    for name, run in pairs(runner) do
      took[name] = took[name] or { ms = {}, mb = {} }
      t:restore()
      if name == 'oxide' then
        vim.uv.sleep(3000) -- what was written just now is read once more
      end
      local this = run()
      if round == 0 then
        t:must_be_changed(name)
      else
        for key, value in pairs(this) do
          table.insert(took[name][key], value)
        end
      end
    end
  end
  return took
end

local function remove(t)
  for _, what in ipairs { '', '.patch', '.after', '.journal', '.least' } do
    vim.fn.delete(t.dir .. what, 'rf')
  end
end

---@param t bench.Tree
---@return bench.Row
local function memory(t, what, mb)
  local most = (1.3 * (#t.patch + t.largest)) / 1048576 + 16
  local allowed = {}
  for i in ipairs(mb) do
    allowed[i] = most
  end
  return {
    what = what .. ', the most memory',
    unit = 'MB',
    ours = mb,
    base = allowed,
    against = '1.3 times (the patch and the largest file) and 16 MB',
    relation = 'ratio',
    goal = 1,
  }
end

---@param case { files: integer, lines: integer, faster: number, floor: number, rounds: integer }
---@return bench.Row[]
---@return number[] ours
local function case_rows(case)
  local many = case.files == 1 and 'one file' or ('%d files'):format(case.files)
  local what = ('a patch of 10,000 hunks in %s'):format(many)
  local t = tree.new('apply', case.files, case.lines, 10000)
  local took = measure(t, { 'git apply', 'patch', 'floor', 'least' }, bench.rounds or case.rounds)
  local peer = bench.each(took['git apply'].ms, took.patch.ms, math.min)
  local rows = {
    {
      what = what,
      unit = 'ms',
      ours = took.oxide.ms,
      base = peer,
      against = 'the faster one of git apply and GNU patch',
      relation = 'faster',
      goal = case.faster,
    },
    {
      what = what,
      unit = 'ms',
      ours = took.oxide.ms,
      base = took.floor.ms,
      against = 'reading, one journal with one sync, and writing in place, and nothing else',
      relation = 'ratio',
      goal = case.floor,
    },
    {
      what = what,
      unit = 'ms',
      ours = took.oxide.ms,
      base = took.least.ms,
      against = 'a bare program that proves, journals, syncs, swaps and answers, and no more',
      relation = 'ratio',
    },
    memory(t, what, took.oxide.mb),
  }
  remove(t)
  return rows, took.oxide.ms
end

---@param ours number[]  of 10,000
---@return bench.Row[]
local function ten_times(ours)
  local what = 'a patch of 100,000 hunks in one file'
  local t = tree.new('apply', 1, 1000000, 100000)
  local took = measure(t, {}, #ours)
  remove(t)
  return {
    {
      what = what,
      unit = 'ms',
      ours = took.oxide.ms,
      base = ours,
      against = 'a tenth of them in a tenth of the file',
      relation = 'ratio',
      goal = 11,
    },
    memory(t, what, took.oxide.mb),
  }
end

return function()
  local rows, one = case_rows { files = 1, lines = 100000, faster = 3, floor = 1.4, rounds = 7 }
  vim.list_extend(rows, ten_times(one))
  for files, floor in vim.spairs { [100] = 1.5, [1000] = 1.15 } do
    local case = { files = files, lines = files * 1000, faster = 6, floor = floor, rounds = 11 }
    vim.list_extend(rows, (case_rows(case)))
  end
  return rows
end
