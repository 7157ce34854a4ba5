-- :Oxide mcp status: who else works in this editor, and what they did.
local ui = require('oxide.ui')

local M = {}

---@class oxide.RemoteClient
---@field who string        "claude-code 2.1.330 (4711)"
---@field calls integer     running
---@field since_ms integer  since 1970
---@field folder string
---@field called table<string, integer>   by tool
---@field failed table<string, integer>

---@class oxide.RemoteChange
---@field time_ms integer
---@field who string
---@field tool string
---@field title string
---@field outcome 'made'|'made in part'|'refused'|'taken back'|'failed'
---@field transaction? string
---@field undone? boolean   since

---@class oxide.Listen
---@field path? string
---@field why? string
---@field clients oxide.RemoteClient[]
---@field changes? oxide.RemoteChange[]   the latest first

---@param client oxide.RemoteClient
---@return string
local function calls_line(client)
  local words = {}
  for tool, times in vim.spairs(client.called) do
    local failed = client.failed[tool]
    table.insert(
      words,
      ('%s %d%s'):format(tool, times, failed and (' (%d failed)'):format(failed) or '')
    )
  end
  if client.calls > 0 then
    table.insert(words, ui.count(client.calls, 'call') .. ' under way')
  end
  return '    ' .. (#words > 0 and table.concat(words, ', ') or 'no call yet')
end

---@param ms integer
---@return string
local function at(ms)
  return tostring(os.date('%Y-%m-%d %H:%M:%S', math.floor(ms / 1000)))
end

---@param listen oxide.Listen
---@return string[]
function M.lines(listen)
  local lines = { '# Oxide: clients of this editor   q closes', '' }
  for _, client in ipairs(listen.clients) do
    local since = client.since_ms > 0 and ', since ' .. at(client.since_ms) or ''
    table.insert(lines, ('%s%s, in %s'):format(client.who, since, client.folder))
    table.insert(lines, calls_line(client))
  end
  if #listen.clients == 0 then
    table.insert(
      lines,
      listen.path and 'no client is connected' or listen.why or "'core.listen' is off"
    )
  end
  for i, change in ipairs(listen.changes or {}) do
    if i == 1 then
      vim.list_extend(lines, { '', '# Their changes, the latest first' })
    end
    local outcome = change.outcome .. (change.undone and ', then undone' or '')
    local id = change.transaction and ', ' .. change.transaction or ''
    local done = ('%s  %s: %s%s'):format(at(change.time_ms), change.title, outcome, id)
    vim.list_extend(lines, { '', done, ('    %s by %s'):format(change.tool, change.who) })
  end
  return lines
end

---@param mods? table   the modifiers of the command
function M.run(mods)
  require('oxide.core').query('status', function(err, status)
    if err then
      ui.error(err)
    else
      require('oxide.scratch').open('mcp/status', M.lines(assert(status).listen), mods)
    end
  end)
end

return M
