-- Calls of tools under way, for readers of agents: what is told of one comes in pieces and in any
-- order, and is reported once, when it has ended.
local values = require('oxide.readers.values')

---@class oxide.Call
---@field id string
---@field shown_id? string   where ids are not unique by themselves
---@field name? string
---@field arguments? any
---@field timestamp? any
---@field turn? integer
---@field denied? boolean   the user, a hook or a rule has said no

---@class oxide.Calls
---@field start fun(id: string, what: table): oxide.Call   begins it, or adds what was not known
---@field get fun(id: string): oxide.Call?   where it is under way
---@field last fun(fits: fun(call: oxide.Call): any): oxide.Call?   of those, the one begun last
---@field finish fun(call: oxide.Call, status: string, result: any)
---@field each_open fun(fn: fun(call: oxide.Call))   in the order in which they began
---@field finish_all fun(status: string)

---@param report oxide.AgentReport
---@return oxide.Calls
return function(report)
  local open, begun = {}, 0 ---@type table<string, oxide.Call>, integer
  local waiting, first = {}, 1 ---@type table<integer, oxide.Call>, integer   by their numbers
  local M = {}

  function M.get(id)
    return open[id]
  end

  function M.start(id, what)
    local call = open[id]
    if not call then
      begun = begun + 1
      call = { id = id, turn = report.turn(), number = begun, timestamp = report.now() }
      open[id], waiting[begun] = call, call
    end
    for key, value in pairs(what) do
      call[key] = value
    end
    return call
  end

  function M.last(fits)
    local found ---@type oxide.Call?
    for _, call in pairs(open) do
      if (not found or call.number > found.number) and fits(call) then
        found = call
      end
    end
    return found
  end

  --- Calls without a time are told in the order in which they began.
  local function tell_in_order()
    while waiting[first] and (waiting[first].row or waiting[first].told) do
      if waiting[first].row then
        report.tool_call(waiting[first].row)
      end
      waiting[first] = nil
      first = first + 1
    end
  end

  function M.finish(call, status, result)
    open[call.id] = nil
    local row = {
      id = call.shown_id or call.id,
      name = values.text(call.name) or 'unknown',
      arguments = call.arguments,
      status = status,
      result = result,
      timestamp = call.timestamp,
      duration_ms = call.duration_ms,
      turn = call.turn,
    }
    if call.timestamp then
      call.told = true
      report.tool_call(row)
    else
      call.row = row
    end
    tell_in_order()
  end

  function M.each_open(fn)
    local rest = {}
    for _, call in pairs(open) do
      rest[#rest + 1] = call
    end
    table.sort(rest, function(a, b)
      return a.number < b.number
    end)
    for _, call in ipairs(rest) do
      fn(call)
    end
  end

  --- A denied one stays that.
  function M.finish_all(status)
    M.each_open(function(call)
      M.finish(call, call.denied and 'denied' or status, call.result)
    end)
  end

  return M
end
