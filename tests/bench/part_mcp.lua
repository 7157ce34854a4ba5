-- `oxide mcp` as a client meets it: from its start to its first answer, a call that asks no server,
-- by itself and in the Neovim that has the project open, and what it occupies while it waits.
local bench = require('bench')

local CALLS = 400

local function call(name, args)
  return { name = name, arguments = args }
end

---@param dir string
---@param where '--here'|'--editor'
---@return bench.Bare
---@return number ms  from the start of the bare client, too
local function start(dir, where)
  local begun = vim.uv.hrtime()
  local client = bench.bare('lines', dir, { bench.core, 'mcp', '--root', dir, where })
  client:request('initialize', {
    protocolVersion = '2025-11-25',
    capabilities = vim.empty_dict(),
    clientInfo = { name = 'bench', version = '1' },
  })
  local took = (vim.uv.hrtime() - begun) / 1e6
  client:notify('notifications/initialized', vim.empty_dict())
  return client, took
end

--- What is resident of the one child that a bare client has.
---@param client bench.Bare
local function resident(client)
  local pid = vim.fn.jobpid(client.job)
  local child = bench.read(('/proc/%d/task/%d/children'):format(pid, pid)):match('%d+')
  return tonumber(bench.read(('/proc/%s/status'):format(child)):match('VmRSS:%s*(%d+)')) / 1024
end

--- A Neovim that has the file open, and whose core listens.
---@param file string
local function open_editor(file)
  vim.fn.setenv('XDG_RUNTIME_DIR', bench.out .. '/run')
  vim.fn.mkdir(bench.out .. '/run', 'p')
  vim.fn.mkdir(vim.fs.dirname(file) .. '/.git', 'p')
  bench.child(file, {}):await([[
    local function look()
      require('oxide.core').query('status', function(_, status)
        if status and status.listen and status.listen.path then
          say(true)
        else
          vim.defer_fn(look, 5)
        end
      end)
    end
    look()
  ]])
end

--- Reads the small file again and again, a ping before each time.
---@param client bench.Bare
---@param from 'disk'|'buffer'
---@return number[] reads  ms
---@return number[] pings
local function read(client, from)
  local reads, pings = {}, {}
  for i = 1, (bench.rounds or CALLS) + 1 do
    local ping = client:request('ping', vim.empty_dict())
    local took, head = client:request('tools/call', call('read_file', { file_path = 'small.c' }))
    assert(head:find('total_lines: 60, where: ' .. from, 1, true), head)
    if i > 1 then -- the first reads the file from the disk, or looks for the editor
      table.insert(pings, ping)
      table.insert(reads, took)
    end
  end
  return reads, pings
end

return function()
  local dir = bench.out .. '/mcp'
  bench.write(dir .. '/small.c', ('int value = 1;\n'):rep(60))
  local starts, idle = {}, {}
  for _ = 1, bench.rounds or 20 do
    local client, took = start(dir, '--here')
    table.insert(starts, took)
    table.insert(idle, resident(client))
    bench.stop_all()
  end
  local reads, pings = read(start(dir, '--here'), 'disk')
  open_editor(dir .. '/small.c')
  local relayed, relayed_pings = read(start(dir, '--editor'), 'buffer')
  bench.stop_all()
  return {
    {
      what = 'oxide mcp: start to first answer',
      unit = 'ms',
      ours = starts,
      base = starts,
      against = '',
      relation = 'plain',
      goal = 50,
    },
    {
      what = 'oxide mcp: read_file of 60 lines',
      unit = 'ms',
      ours = reads,
      base = pings,
      against = 'its answer to ping',
      relation = 'plain',
      goal = 1,
    },
    {
      what = 'oxide mcp: the same in Neovim, by relay',
      unit = 'ms',
      ours = relayed,
      base = relayed_pings,
      against = 'its answer to ping',
      relation = 'plain',
      goal = 1,
    },
    {
      what = 'oxide mcp: memory while it waits',
      unit = 'MB',
      ours = idle,
      base = idle,
      against = '',
      relation = 'size',
      goal = 15,
    },
  }
end
