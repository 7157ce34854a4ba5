-- The durable commit of 1,000, 100 and one file against "temporary file, sync, rename" for each of
-- them, and taking it back against making it. The disk is the one that BENCH_DIR is on.
local bench = require('bench')

local GOALS = { [1000] = 0.12, [100] = 0.25, [1] = 0.6 }

-- commit.c needs the disk as well as the engine, which no other tool here does.
local BUILD = [[
set -e
make -s B="$1" "$1/libfull.a"
msgpack=$(pkg-config --exists msgpack-c && echo msgpack-c || echo msgpack)
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Inative -o "$2" tests/bench/commit.c \
  "$1/libfull.a" $(pkg-config --libs libuv "$msgpack" libcjson luajit libxxhash editorconfig) \
  -lm -lpthread
]]

local function build()
  local tool = bench.out .. '/bin/commit'
  local made = vim
    .system(
      { 'sh', '-c', BUILD, 'sh', vim.fs.dirname(bench.core), tool },
      { cwd = bench.root, text = true }
    )
    :wait()
  assert(made.code == 0, made.stderr)
  return tool
end

---@param tool string
---@param files integer
---@param rounds integer
---@return number[] ours
---@return number[] back
---@return number[] theirs
local function measure(tool, files, rounds)
  local dir = bench.work .. '/commit'
  vim.fn.delete(dir, 'rf')
  vim.fn.mkdir(bench.work, 'p')
  local ran = vim.system({ tool, dir, tostring(files), tostring(rounds) }, { text = true }):wait()
  vim.fn.delete(dir, 'rf')
  assert(ran.code == 0, ran.stderr)
  local ours, back, theirs = {}, {}, {}
  for a, b, c in ran.stdout:gmatch('(%S+) (%S+) (%S+)\n') do
    table.insert(ours, tonumber(a))
    table.insert(back, tonumber(b))
    table.insert(theirs, tonumber(c))
  end
  return ours, back, theirs
end

return function()
  local tool, rows = build(), {}
  for _, files in ipairs { 1000, 100, 1 } do
    local rounds = bench.rounds or (files == 1 and 61 or 15)
    local ours, back, theirs = measure(tool, files, rounds)
    local many = files == 1 and 'one file' or ('%d files'):format(files)
    table.insert(rows, {
      what = 'durable commit of ' .. many .. ' of 10 to 45 KB',
      unit = 'ms',
      ours = ours,
      base = theirs,
      against = 'temporary file, fsync and rename for each',
      relation = 'ratio',
      goal = GOALS[files],
    })
    table.insert(rows, {
      what = 'taking back a change of ' .. many,
      unit = 'ms',
      ours = back,
      base = ours,
      against = 'its own commit',
      relation = 'ratio',
      goal = 1.0,
    })
  end
  return rows
end
