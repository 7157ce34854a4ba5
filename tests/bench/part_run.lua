-- What `oxide run` costs: a program that prints much, against a bare reader of a pseudo-terminal and
-- against Neovim's terminal alone, and a key that comes back from `cat`.
local bench = require('bench')
local process = require('process')

local BYTES = 1000000000
local DRAWN = 50000000 -- in a terminal of Neovim, which draws them
local KEYS = 200

local PTY = bench.out .. '/bin/pty'
local ECHO = { 'sh', '-c', 'stty raw -echo; printf R; exec cat' }

local function under_run(cmd)
  return vim.list_extend({ bench.core, 'run', '--' }, cmd)
end

---@param cmd string[]
---@return number ms
local function in_terminal(cmd)
  local ended = false
  local opts = {
    env = { XDG_STATE_HOME = bench.work .. '/state' },
    on_exit = function()
      ended = true
    end,
  }
  vim.cmd.enew()
  local begun = vim.uv.hrtime()
  if vim.fn.has('nvim-0.11') == 1 then
    opts.term = true
    vim.fn.jobstart(cmd, opts)
  else
    vim.fn.termopen(cmd, opts)
  end
  assert(
    vim.wait(600000, function()
      return ended
    end, 1),
    'the program did not end'
  )
  local ms = (vim.uv.hrtime() - begun) / 1e6
  vim.cmd.bwipeout { bang = true }
  return ms
end

---@param cmd string[]
---@return number[]
local function keys(cmd)
  local ran = vim
    .system(vim.list_extend({ PTY, 'keys', tostring(KEYS) }, cmd), {
      text = true,
      env = { XDG_STATE_HOME = bench.work .. '/state' },
    })
    :wait()
  assert(ran.code == 0, ran.stderr)
  return vim.tbl_map(tonumber, vim.split(vim.trim(ran.stdout), '\n'))
end

local function forget_records()
  vim.fn.delete(bench.work .. '/state/oxide/records', 'rf')
end

return function()
  local rounds = bench.rounds or 7
  local out = bench.work .. '/run.raw'
  local print_all = { 'sh', '-c', ('stty raw; head -c %d /dev/zero'):format(BYTES) }
  local draw = { 'sh', '-c', ('yes "a line of a program" | head -c %d'):format(DRAWN) }
  local took = { ours = {}, bare = {}, drawn = {}, alone = {}, memory = {} }
  local pressed, bare_keys = {}, {}
  for _ = 1, rounds do
    local bare = vim.list_extend({ PTY, 'read', out }, print_all)
    table.insert(took.bare, process.timed(bench.work, '/dev/null', bare).ms)
    vim.fn.delete(out)
    local ours = process.timed(bench.work, '/dev/null', under_run(print_all))
    table.insert(took.ours, ours.ms)
    table.insert(took.memory, ours.mb)
    forget_records()
    table.insert(took.alone, in_terminal(draw))
    table.insert(took.drawn, in_terminal(under_run(draw)))
    forget_records()
    vim.list_extend(bare_keys, keys(ECHO))
    vim.list_extend(pressed, keys(under_run(ECHO)))
  end
  return {
    {
      what = 'a program prints 1 GB under oxide run, into the raw file',
      unit = 'ms',
      ours = took.ours,
      base = took.bare,
      against = 'a bare reader of a pseudo-terminal, into a file',
      relation = 'ratio',
      goal = 1.11, -- 0.9 times its throughput
    },
    {
      what = 'its memory meanwhile',
      unit = 'MB',
      ours = took.memory,
      base = took.memory,
      against = '',
      relation = 'size',
      goal = 16,
    },
    {
      what = "50 MB of lines under oxide run in Neovim's terminal",
      unit = 'ms',
      ours = took.drawn,
      base = took.alone,
      against = 'the program there alone',
      relation = 'ratio',
      goal = 1.05, -- 0.95 times its throughput
    },
    {
      what = 'a key comes back from cat under oxide run',
      unit = 'ms',
      ours = pressed,
      base = bare_keys,
      against = 'cat in a pseudo-terminal alone',
      relation = 'minus',
      goal = 0.2,
    },
  }
end
