-- `oxide mcp` as a client meets it: from its start to its first answer, a call that asks no server,
-- and what it occupies while it waits.
local bench = require('bench')

local CALLS = 400

local function call(name, args)
  return { name = name, arguments = args }
end

---@param dir string
---@return bench.Bare
---@return number ms  from the start of the bare client, too
local function start(dir)
  local begun = vim.uv.hrtime()
  local client = bench.bare('lines', dir, { bench.core, 'mcp', '--root', dir })
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

return function()
  local dir = bench.out .. '/mcp'
  bench.write(dir .. '/small.c', ('int value = 1;\n'):rep(60))
  local starts, idle, reads, pings = {}, {}, {}, {}
  for _ = 1, bench.rounds or 20 do
    local client, took = start(dir)
    table.insert(starts, took)
    table.insert(idle, resident(client))
    bench.stop_all()
  end
  local client = start(dir)
  for i = 1, (bench.rounds or CALLS) + 1 do
    local ping = client:request('ping', vim.empty_dict())
    local read, head = client:request('tools/call', call('read_file', { file_path = 'small.c' }))
    assert(head:find('total_lines: 60', 1, true), head)
    if i > 1 then -- the first reads the file from the disk
      table.insert(pings, ping)
      table.insert(reads, read)
    end
  end
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
