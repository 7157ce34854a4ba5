-- A turn of an agent in a project of 200,000 files: to begin it, and to find, keep and tell the 100
-- files that were changed, against what git does to look at the same and to keep it.
local bench = require('bench')

local FILES, CHANGED = 200000, 100

-- watch.c needs the whole core, which no other tool here does but commit.c.
local BUILD = [[
set -e
make -s B="$1" "$1/libfull.a"
msgpack=$(pkg-config --exists msgpack-c && echo msgpack-c || echo msgpack)
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Inative -o "$2" tests/bench/watch.c \
  "$1/libfull.a" $(pkg-config --libs libuv "$msgpack" libcjson luajit libxxhash editorconfig) \
  -lm -lpthread -lutil
]]

local function build()
  local tool = bench.out .. '/bin/watch'
  local command = { 'sh', '-c', BUILD, 'sh', vim.fs.dirname(bench.core), tool }
  local made = vim.system(command, { cwd = bench.root, text = true }):wait()
  assert(made.code == 0, made.stderr)
  return tool
end

---@return table<string, number[]>
local function measure(tool)
  local dir = bench.work .. '/watch'
  vim.fn.delete(dir, 'rf')
  vim.fn.mkdir(dir .. '/project', 'p')
  local ran = vim
    .system({
      tool,
      dir .. '/project',
      tostring(FILES),
      tostring(CHANGED),
      tostring(bench.rounds or 5),
    }, {
      text = true,
      env = { XDG_STATE_HOME = dir .. '/state', OXIDE_DATA = bench.root .. '/lua/oxide' },
    })
    :wait()
  vim.fn.delete(dir, 'rf')
  assert(ran.code == 0, ran.stderr)
  local took = { began = {}, ended = {}, status = {}, stash = {} }
  for began, ended, status, stash in ran.stdout:gmatch('(%S+) (%S+) (%S+) (%S+) %S+\n') do
    table.insert(took.began, tonumber(began))
    table.insert(took.ended, tonumber(ended))
    table.insert(took.status, tonumber(status))
    table.insert(took.stash, tonumber(stash))
  end
  return took
end

return function()
  local took = measure(build())
  return {
    {
      what = 'beginning a turn of an agent among 200,000 files',
      unit = 'ms',
      ours = took.began,
      base = took.status,
      against = 'git status --porcelain',
      relation = 'ratio',
    },
    {
      what = 'ending it, with 100 files changed',
      unit = 'ms',
      ours = took.ended,
      base = took.stash,
      against = 'git stash create',
      relation = 'ratio',
    },
  }
end
