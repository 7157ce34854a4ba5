-- What the tools of Claude Code did, from their arguments and results: in its stream, its session
-- log, its hooks, and where another program runs it.
local values = require('oxide.readers.values')
local get, text = values.get, values.text

local M = {}

---@param hunks table   structuredPatch
local function change_of_hunks(hunks)
  local lines = {}
  for _, hunk in ipairs(hunks) do
    lines[#lines + 1] = ('@@ -%d,%d +%d,%d @@'):format(
      values.number(get(hunk, 'oldStart')),
      values.number(get(hunk, 'oldLines')),
      values.number(get(hunk, 'newStart')),
      values.number(get(hunk, 'newLines'))
    )
    for _, line in ipairs(values.table(get(hunk, 'lines'))) do
      lines[#lines + 1] = tostring(line)
    end
  end
  return values.change_of_diff(table.concat(lines, '\n') .. '\n')
end

---@param report oxide.AgentReport
local function edited(report, input, result)
  local hunks = values.table(get(result, 'structuredPatch'))
  local old, new = get(result, 'oldString'), get(result, 'newString')
  if #hunks > 0 then
    return change_of_hunks(hunks)
  end
  old, new = old or get(input, 'old_string'), new or get(input, 'new_string')
  if type(old) == 'string' or type(new) == 'string' then
    return report.diff(text(old) or '', text(new) or '')
  end
  local all = { diff = '', lines_added = 0, lines_removed = 0 }
  for _, edit in ipairs(values.table(get(input, 'edits'))) do
    local change =
      report.diff(text(get(edit, 'old_string')) or '', text(get(edit, 'new_string')) or '')
    all.diff = all.diff .. (change.diff or '')
    all.lines_added = all.lines_added + change.lines_added
    all.lines_removed = all.lines_removed + change.lines_removed
  end
  return all
end

---@param report oxide.AgentReport
local function written(report, input, result)
  local content = text(get(result, 'content')) or text(get(input, 'content')) or ''
  local hunks = values.table(get(result, 'structuredPatch'))
  local kind = get(result, 'type')
  if #hunks > 0 then
    return 'modify', change_of_hunks(hunks)
  elseif kind == 'create' then
    return 'create', report.diff(nil, content)
  elseif kind == 'update' then
    return 'modify', report.diff(text(get(result, 'originalFile')) or '', content)
  end
  return 'write', nil
end

--- How a command ended, where its result says so. A failed one begins with it.
---@param result string   as the model is told
---@return integer? code, string output
function M.exit_of(result)
  local code, output = result:match('^Exit code (%d+)\n?(.*)$')
  if not code then
    code, output = result:match('^Error: Exit code (%d+)\n?(.*)$')
  end
  return tonumber(code), output or result
end

---@param report oxide.AgentReport
local function ran(report, call, result, told, failed, row)
  local code, output = M.exit_of(told or '')
  if failed and not code and not get(result, 'stdout') then
    return -- it was never started
  end
  local odd = get(result, 'interrupted')
    or get(result, 'backgroundTaskId')
    or get(result, 'returnCodeInterpretation')
  if not failed then
    code = not odd and 0 or nil
    output = type(get(result, 'stdout')) == 'string'
        and values.outputs(result.stdout, get(result, 'stderr'))
      or told
  end
  row.command = text(get(call.arguments, 'command')) or ''
  row.exit_code, row.output = code, output
  report.shell_command(row)
end

--- Reports the files and commands of a call that was carried out.
---@param report oxide.AgentReport
---@param call oxide.Call
---@param input any      what it was carried out with
---@param result any     what the program knows of it
---@param told? string   what the model is told of it
---@param failed boolean
---@param timestamp any
function M.done(report, call, input, result, told, failed, timestamp)
  local name = tostring(call.name):gsub('^mcp__acp__', '')
  local row = { tool_call_id = call.id, timestamp = timestamp, turn = call.turn }
  local path = text(get(result, 'filePath'))
    or text(get(result, 'file', 'filePath'))
    or text(get(input, 'file_path'))
    or text(get(input, 'notebook_path'))
  if name == 'Bash' or name == 'PowerShell' then
    ran(report, call, result, told, failed, row)
  elseif failed or not path then
    return
  elseif name == 'Read' or name == 'NotebookRead' then
    row.operation, row.path = 'read', path
    report.file_operation(row)
  elseif name == 'Write' then
    row.path = path
    row.operation, row.change = written(report, input, result)
    report.file_operation(row)
  elseif name == 'Edit' or name == 'MultiEdit' or name == 'NotebookEdit' or name == 'Update' then
    local is_new = get(input, 'old_string') == '' and not text(get(result, 'originalFile'))
    row.operation, row.path = is_new and 'create' or 'modify', path
    row.change = edited(report, input, result)
    report.file_operation(row)
  end
end

--- A result as text.
---@return string?
function M.told(report, result)
  if type(result) ~= 'table' then
    return result and tostring(result) or nil
  elseif type(result.stdout) == 'string' then
    return values.outputs(result.stdout, result.stderr)
  end
  return text(get(result, 'file', 'content')) or values.content(result) or report.encode(result)
end

return M
