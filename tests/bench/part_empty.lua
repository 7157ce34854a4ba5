-- A request that asks nothing: to the core and back, against a message over two bare pipes between
-- two processes; both pairs on one processor, then both on all.
local bench = require('bench')

local ROUNDS = 2000

-- rpcrequest(): to the core, and to the least that any child of Neovim can be, one that sends nil
-- back.
local ASK = [[
  local left, chan, method = ...
  local took = {}
  for i = 1, left do
    local begun = vim.uv.hrtime()
    vim.rpcrequest(chan, method)
    took[i] = (vim.uv.hrtime() - begun) / 1e3
  end
  table.sort(took)
  return took[math.ceil(#took / 2)]
]]

local CORE = [[
  for _, chan in ipairs(vim.api.nvim_list_chans()) do
    if chan.client and chan.client.name == 'oxide' then return chan.id end
  end
]]

local function pids(child, least)
  local said = child:await([[
    require('oxide.core').query('status', function(_, status) say { vim.fn.getpid(), status.pid } end)
  ]])
  table.insert(said, child:lua('return vim.fn.jobpid(...)', least))
  return said
end

local function one_processor(list)
  if vim.fn.executable('taskset') == 1 then
    for _, pid in ipairs(list) do
      vim.fn.system { 'taskset', '-a', '-p', '-c', '0', tostring(pid) }
    end
    return { 'taskset', '-c', '0' }
  end
  return {}
end

local function measure(child, core, least, prefix)
  local ours, base, floor = {}, {}, {}
  for round = 0, bench.rounds or 15 do
    local out = vim.fn.system(
      vim.list_extend(vim.deepcopy(prefix), { bench.out .. '/bin/ping', tostring(ROUNDS), '64' })
    )
    local there = child:lua(ASK, ROUNDS, least, 'p')
    local back = child:lua(ASK, ROUNDS, core, 'ping')
    if round > 0 then
      table.insert(ours, back)
      table.insert(base, tonumber(out))
      table.insert(floor, there)
    end
  end
  return ours, base, floor
end

return function()
  local rows = {}
  local child = bench.child(nil, {})
  local least =
    child:lua('return vim.fn.jobstart({ ..., "rpc" }, { rpc = true })', bench.out .. '/bin/ping')
  local list = pids(child, least)
  local core = child:lua(CORE)
  local function add(what, ours, base, against, goal)
    table.insert(rows, {
      what = what,
      unit = 'us',
      ours = ours,
      base = base,
      against = against,
      relation = 'ratio',
      goal = goal,
    })
  end
  local function compare(where, prefix)
    local ours, base, floor = measure(child, core, least, prefix)
    local pipe = 'a bare pipe there and back'
    local nothing = 'rpcrequest() to a child that answers nil'
    add('an empty request (ping) from Lua to the core and back, ' .. where, ours, base, pipe, 1.3)
    add('the same', ours, floor, nothing, 1.3)
    add(nothing .. ', ' .. where, floor, base, pipe)
  end
  compare('any processor', {})
  compare('one processor', one_processor(list))
  return rows
end
