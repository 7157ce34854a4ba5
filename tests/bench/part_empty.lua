-- A request that asks nothing: to the core and back, against a message over two bare pipes between
-- two processes; both pairs on one processor, then both on all.
local bench = require('bench')

local ROUNDS = 2000

local STATUS = [[
  local left, took, begun = ..., {}, nil
  local core = require('oxide.core')
  local function step()
    begun = vim.uv.hrtime()
    core.status(function(err)
      table.insert(took, (vim.uv.hrtime() - begun) / 1e3)
      left = left - 1
      if left > 0 then return step() end
      table.sort(took)
      say { us = took[math.ceil(#took / 2)], text = err and err.message }
    end)
  end
  step()
]]

-- The least that any child of Neovim can take: one that sends nil back, asked by rpcrequest().
local FLOOR = [[
  local left, ping = ...
  local chan = vim.fn.jobstart({ ping, 'rpc' }, { rpc = true })
  local took = {}
  for i = 1, left do
    local begun = vim.uv.hrtime()
    vim.rpcrequest(chan, 'p')
    took[i] = (vim.uv.hrtime() - begun) / 1e3
  end
  vim.fn.jobstop(chan)
  table.sort(took)
  say { us = took[math.ceil(#took / 2)] }
]]

local function pids(child)
  return child:await([[
    require('oxide.core').query('status', function(_, status) say { vim.fn.getpid(), status.pid } end)
  ]])
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

local function measure(child, prefix)
  local ours, base, floor = {}, {}, {}
  for round = 0, bench.rounds or 15 do
    local out = vim.fn.system(
      vim.list_extend(vim.deepcopy(prefix), { bench.out .. '/bin/ping', tostring(ROUNDS), '64' })
    )
    local least = child:await(FLOOR, ROUNDS, bench.out .. '/bin/ping')
    local said = child:await(STATUS, ROUNDS)
    assert(not said.text, said.text)
    if round > 0 then
      table.insert(ours, said.us)
      table.insert(base, tonumber(out))
      table.insert(floor, least.us)
    end
  end
  return ours, base, floor
end

return function()
  local rows = {}
  local child = bench.child(nil, {})
  local list = pids(child)
  local function add(where, prefix)
    local ours, base, floor = measure(child, prefix)
    table.insert(rows, {
      what = 'an empty request (status) from Lua to the core and back, ' .. where,
      unit = 'us',
      ours = ours,
      base = base,
      against = 'a bare pipe there and back',
      relation = 'ratio',
      goal = 1.3,
    })
    table.insert(rows, {
      what = 'the same',
      unit = 'us',
      ours = ours,
      base = floor,
      against = 'rpcrequest() to a child that answers nil',
      relation = 'ratio',
    })
  end
  add('any processor', {})
  add('one processor', one_processor(list))
  return rows
end
