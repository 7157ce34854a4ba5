-- 100 MB with line numbers: in memory against memcpy(), and `oxide number` against `cat -n`, process
-- against process, all with their output to /dev/null.
local bench = require('bench')
local process = require('process')

local PLAIN = { bench.out .. '/bin/plain_number' }

local BYTES = 100 * 1048576

local function make(path)
  local lines = {}
  for i = 1, 4096 do
    lines[i] = ('\tvalue_%06d = step(value_%06d, %d);%s'):format(
      i,
      i - 1,
      i % 97,
      ('x'):rep(i % 37)
    )
  end
  local part = table.concat(lines, '\n') .. '\n'
  bench.write(path, part:rep(math.ceil(BYTES / #part)))
end

---@return number[] ours
---@return number[] memcpy
local function in_memory(path, rounds)
  local ran = vim
    .system({ bench.out .. '/bin/number', path, tostring(rounds) }, { text = true })
    :wait()
  assert(ran.code == 0, 'number.c has failed')
  local ours, copy = {}, {}
  for a, b in ran.stdout:gmatch('(%S+) (%S+)\n') do
    table.insert(ours, tonumber(a))
    table.insert(copy, tonumber(b))
  end
  return ours, copy
end

local function output_of(cmd)
  local ran = vim.system(cmd):wait()
  assert(ran.code == 0, ran.stderr)
  return ran.stdout
end

-- `cat -n` has a width and a tab where a model is shown a colon and a blank.
local function must_agree(path)
  local part = path .. '.part'
  bench.write(part, bench.read(path):sub(1, 100000))
  local theirs = '\n' .. output_of { 'cat', '-n', part }
  theirs = theirs:gsub('\n *(%d+)\t', '\n%1: '):sub(2)
  assert(output_of { bench.core, 'number', part } == theirs, 'oxide number and cat -n differ')
  local plain = assert(vim.system(PLAIN, { stdin = bench.read(part) }):wait().stdout)
  assert(plain == theirs:match('^.*\n'), 'plain_number and cat -n differ')
  vim.fn.delete(part)
end

return function()
  local path = bench.work .. '/number.txt'
  make(path)
  must_agree(path)
  local rounds = bench.rounds or 15
  local ours, copy = in_memory(path, rounds)
  local took = { oxide = {}, ['cat -n'] = {}, cat = {}, plain = {} }
  for _ = 1, rounds do
    table.insert(took.cat, process.timed(bench.work, path, { 'cat' }).ms)
    table.insert(took['cat -n'], process.timed(bench.work, path, { 'cat', '-n' }).ms)
    table.insert(took.plain, process.timed(bench.work, path, PLAIN).ms)
    table.insert(took.oxide, process.timed(bench.work, path, { bench.core, 'number' }).ms)
  end
  vim.fn.delete(path)
  return {
    {
      what = '100 MB with line numbers, in memory',
      unit = 'ms',
      ours = ours,
      base = copy,
      against = 'memcpy()',
      relation = 'ratio',
      goal = 1.8,
    },
    {
      what = '100 MB with line numbers, oxide number to /dev/null',
      unit = 'ms',
      ours = took.oxide,
      base = took['cat -n'],
      against = 'cat -n to /dev/null',
      relation = 'faster',
      goal = 8,
    },
    {
      what = '100 MB with line numbers, oxide number to /dev/null',
      unit = 'ms',
      ours = took.oxide,
      base = took.cat,
      against = 'cat to /dev/null, which only reads',
      relation = 'ratio',
      goal = 1.4,
    },
    {
      what = '100 MB with line numbers, oxide number to /dev/null',
      unit = 'ms',
      ours = took.oxide,
      base = took.plain,
      against = 'memchr(), and each line copied behind its number, and nothing else',
      relation = 'ratio',
    },
  }
end
