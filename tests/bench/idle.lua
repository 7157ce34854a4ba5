-- Whether the machine had anything else to do. It is looked at between the parts, when nothing of
-- the bench runs, because what others do meanwhile falls on both sides of a relation unequally. A
-- virtual machine is not told what others do on the same processors, but its own steps take longer.
local M = {}

local LOOK_MS = 1000
local QUIET = 0.1 -- processors: what any system does beside
local STEPS = 4000000
local TIMES = 25
local STEADY = 1.25 -- times as long as where it was fastest

---@class bench.Look
---@field when string
---@field busy number    processors
---@field of integer
---@field pace number    ms, in the median, for the same steps each time

---@return number
function M.pace()
  local took = {}
  for i = 1, TIMES do
    local begun, sum = vim.uv.hrtime(), 0
    for step = 1, STEPS do
      sum = sum + step % 7
    end
    took[i] = (vim.uv.hrtime() - begun) / 1e6
    assert(sum > 0)
  end
  table.sort(took)
  return took[math.ceil(TIMES / 2)]
end

--- How many processors were at work between two readings of vim.uv.cpu_info().
---@param before table[]
---@param after table[]
---@return number
function M.busy(before, after)
  local busy = 0
  for i, cpu in ipairs(after) do
    local idle = cpu.times.idle - before[i].times.idle
    local all = 0
    for name, ms in pairs(cpu.times) do
      all = all + ms - before[i].times[name]
    end
    busy = busy + (all > 0 and 1 - idle / all or 0)
  end
  return busy
end

--- Takes a second.
---@param when string
---@return bench.Look
function M.look(when)
  local before = vim.uv.cpu_info()
  vim.uv.sleep(LOOK_MS)
  local after = vim.uv.cpu_info()
  local look = { when = when, busy = M.busy(before, after), of = #after, pace = M.pace() }
  if look.busy > QUIET then
    io.stderr:write(('  not idle: %.1f of %d processors are busy\n'):format(look.busy, look.of))
  end
  return look
end

--- Where the processors were slower than at their best.
---@param looks bench.Look[]
---@return string   empty: nowhere
function M.unsteady(looks)
  local best, slow = math.huge, {}
  for _, look in ipairs(looks) do
    best = math.min(best, look.pace)
  end
  for _, look in ipairs(looks) do
    if look.pace > STEADY * best then
      table.insert(slow, ('%.1f %s'):format(look.pace / best, look.when))
    end
  end
  local format = ' **Its processors were not equally fast**, as where other machines use them, too:'
    .. ' the same steps took, times the shortest: %s.'
  return #slow > 0 and format:format(table.concat(slow, ', ')) or ''
end

---@param looks bench.Look[]
---@return string
function M.words(looks)
  local most, busy = 0, {}
  for _, look in ipairs(looks) do
    most = math.max(most, look.busy)
    if look.busy > QUIET then
      table.insert(busy, ('%.1f %s'):format(look.busy, look.when))
    end
  end
  local format = '**The machine was not idle**, so these figures do not compare with others.'
    .. ' Of %d processors others kept busy: %s.'
  if #busy > 0 then
    return format:format(looks[1].of, table.concat(busy, ', ')) .. M.unsteady(looks)
  end
  format = 'The machine was idle: between the parts at most %.2f of %d processors were busy.'
  return format:format(most, looks[1].of) .. M.unsteady(looks)
end

return M
