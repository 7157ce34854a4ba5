-- What readers of agents do with values of any type: what comes from outside may be anything.
local M = {}

---@class oxide.AgentReport   native/record/reader.h tells more of it
---@field tool_call fun(row: table)
---@field file_operation fun(row: table)
---@field shell_command fun(row: table)
---@field message fun(row: table)
---@field turn fun(): integer
---@field next_turn fun(): integer
---@field now fun(): number?
---@field session fun(what: table)
---@field usage fun(usage: table)
---@field state fun(state: 'working'|'waiting'|'idle')
---@field decode fun(text: string): any
---@field encode fun(value: any): string
---@field diff fun(old: string?, new: string?): table

local EMPTY = {}

--- The member that a path of names leads to; nil where anything on the way is not a table.
---@param value any
---@return any
function M.get(value, ...)
  for i = 1, select('#', ...) do
    if type(value) ~= 'table' then
      return nil
    end
    value = value[(select(i, ...))]
  end
  return value
end

---@return table   empty where it is none
function M.table(value)
  return type(value) == 'table' and value or EMPTY
end

---@return string?   nil where it is none, or an empty one
function M.text(value)
  return type(value) == 'string' and value ~= '' and value or nil
end

---@return integer?
function M.integer(value)
  return type(value) == 'number' and value == math.floor(value) and value or nil
end

---@return number
function M.number(value)
  return type(value) == 'number' and value or 0
end

--- Of what models call content: a text, or a list of parts of which some have a text.
---@return string?
function M.content(value)
  if type(value) == 'string' then
    return value
  end
  local parts = {}
  for _, part in ipairs(M.table(value)) do
    local text = type(part) == 'string' and part or M.get(part, 'text')
    if type(text) == 'string' then
      parts[#parts + 1] = text
    end
  end
  return #parts > 0 and table.concat(parts, '\n') or nil
end

--- What a program printed on both of its outputs.
---@return string
function M.outputs(out, err)
  out, err = M.text(out) or '', M.text(err) or ''
  return out ~= '' and err ~= '' and (out:gsub('\n$', '') .. '\n' .. err) or out .. err
end

--- Lines that a unified diff adds and removes.
---@param diff string
---@return table   a change
function M.change_of_diff(diff)
  local added, removed = 0, 0
  local body = diff:match('\n(@@ .*)$') or diff
  for line in body:gmatch('[^\n]+') do
    local first = line:sub(1, 1)
    added = added + (first == '+' and 1 or 0)
    removed = removed + (first == '-' and 1 or 0)
  end
  return { diff = body, lines_added = added, lines_removed = removed }
end

--- Reports the session once, when its id is known.
---@param report oxide.AgentReport
---@return fun(what: table)
function M.session_once(report)
  local known = false
  return function(what)
    if not known and what.id then
      known = true
      report.session(what)
    end
  end
end

return M
