-- A turn of an agent in a project of 200,000 files: to begin it, and to find, keep and tell the 100
-- files that were changed, against what git does to look at the same and to keep it. What it costs
-- while nothing happens, among 50,000; and to keep what 1,000 files hold that git does not have.
local bench = require('bench')

local FILES, CHANGED = 200000, 100
local STILL_FILES, STILL_MS = 50000, 5000
local KEPT_FILES, KEPT_BYTES = 1000, 8192

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

--- Columns of figures.
---@param tool string
---@param ... string|integer   what it is told: watch.c has it
---@return number[][]
local function measure(tool, ...)
  local dir = bench.work .. '/watch'
  vim.fn.delete(dir, 'rf')
  vim.fn.mkdir(dir .. '/project', 'p')
  local command = vim.list_extend({ tool, dir .. '/project' }, vim.tbl_map(tostring, { ... }))
  local ran = vim
    .system(vim.list_extend(command, { tostring(bench.rounds or 5) }), {
      text = true,
      env = {
        XDG_STATE_HOME = dir .. '/state',
        OXIDE_DATA = bench.root .. '/lua/oxide',
        GIT_CEILING_DIRECTORIES = dir, -- or it is ignored in ours
      },
    })
    :wait()
  vim.fn.delete(dir, 'rf')
  assert(ran.code == 0, ran.stderr)
  local columns = {}
  for line in vim.gsplit(vim.trim(ran.stdout), '\n') do
    for i, figure in ipairs(vim.split(line, ' ')) do
      columns[i] = columns[i] or {}
      table.insert(columns[i], tonumber(figure))
    end
  end
  return columns
end

return function()
  local tool = build()
  local began, ended, status, stash = unpack(measure(tool, 'turn', FILES, CHANGED))
  local share, memory = unpack(measure(tool, 'still', STILL_FILES, STILL_MS))
  local kept, copied = unpack(measure(tool, 'keep', KEPT_FILES, KEPT_BYTES))
  return {
    {
      what = 'beginning a turn of an agent among 200,000 files',
      unit = 'ms',
      ours = began,
      base = status,
      against = 'git status --porcelain',
      relation = 'ratio',
    },
    {
      what = 'ending it, with 100 files changed',
      unit = 'ms',
      ours = ended,
      base = stash,
      against = 'git stash create',
      relation = 'ratio',
    },
    {
      what = 'keeping what 1,000 files hold that git does not have, 8 KB each',
      unit = 'ms',
      ours = kept,
      base = copied,
      against = 'cp -r --reflink=auto',
      relation = 'ratio',
      goal = 1.5,
    },
    {
      what = 'watching 50,000 files while nothing happens',
      unit = '%',
      ours = share,
      base = share,
      against = '',
      relation = 'share',
      goal = 1,
    },
    {
      what = 'watching 50,000 files, memory',
      unit = 'MB',
      ours = memory,
      base = memory,
      against = '',
      relation = 'size',
      goal = 30,
    },
  }
end
