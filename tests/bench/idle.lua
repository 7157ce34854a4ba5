-- Whether the machine had anything else to do. It is looked at between the parts, when nothing of
-- the bench runs, because what others do meanwhile falls on both sides of a relation unequally.
local M = {}

local LOOK_MS = 1000
local QUIET = 0.1 -- processors: what any system does beside

---@class bench.Look
---@field when string
---@field busy number    processors
---@field of integer

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
  local look = { when = when, busy = M.busy(before, after), of = #after }
  if look.busy > QUIET then
    io.stderr:write(('  not idle: %.1f of %d processors are busy\n'):format(look.busy, look.of))
  end
  return look
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
    return format:format(looks[1].of, table.concat(busy, ', '))
  end
  format = 'The machine was idle: between the parts at most %.2f of %d processors were busy.'
  return format:format(most, looks[1].of)
end

return M
