-- Commands as whole processes, measured by timed.c.
local bench = require('bench')

local M = {}

---@class bench.Timed
---@field ms number  until it ended
---@field mb number  the most that was resident

--- What it prints is thrown away. The core keeps its state on the disk that BENCH_DIR is on, and
--- git does not see the repository that the folder may be in.
---@param dir string    to run it in
---@param input string  the file it reads
---@param cmd string[]
---@return bench.Timed
function M.timed(dir, input, cmd)
  local argv = vim.list_extend({ bench.out .. '/bin/timed', dir, input }, cmd)
  local env = {
    XDG_STATE_HOME = bench.work .. '/state',
    GIT_CEILING_DIRECTORIES = vim.fs.dirname(dir),
  }
  local ran = vim.system(argv, { text = true, env = env }):wait()
  assert(ran.code == 0, table.concat(cmd, ' ') .. ': ' .. ran.stderr)
  local ms, kb = ran.stdout:match('^(%S+) (%S+)\n$')
  return { ms = tonumber(ms), mb = tonumber(kb) / 1024 }
end

--- What a process and all its children keep in memory, each page that they share counted once.
---@param pid integer
---@return number
function M.megabytes(pid)
  local proc = ('/proc/%d/'):format(pid)
  local kb =
    assert(bench.read(proc .. 'smaps_rollup'), 'a process has ended'):match('\nPss:%s+(%d+)')
  local sum = tonumber(kb) / 1024
  for child in bench.read(('%stask/%d/children'):format(proc, pid)):gmatch('%d+') do
    sum = sum + M.megabytes(tonumber(child))
  end
  return sum
end

--- How long the main thread of a process has had a processor.
---@param pid integer
---@return number ns
function M.worked(pid)
  local stat = assert(bench.read(('/proc/%d/schedstat'):format(pid)), 'a process has ended')
  return tonumber(stat:match('%d+'))
end

return M
