-- Both sides of a dialogue in the Agent Client Protocol, version 1: any agent that speaks it.
local claude_tools = require('oxide.readers.claude_tools')
local values = require('oxide.readers.values')
local get, text, integer = values.get, values.text, values.integer

local ENDED = { completed = true, failed = true, cancelled = true }

---@param value any
---@return boolean
local function is_message(value)
  return type(value) == 'table'
    and (value.jsonrpc ~= nil or (value.method ~= nil and value.type == nil))
end

--- A text in a fence of Markdown, as agents give to be shown.
local function unfenced(shown)
  return shown and (shown:match('^`\96\96+[%w]*\n(.*)\n`\96\96+%s*$') or shown)
end

--- What can be said of a change without its diff.
local function operation_of(call, diff)
  local kind = get(diff, '_meta', 'kind')
  local exists = get(call.raw_output, 'metadata', 'exists')
  if kind == 'add' or exists == false then
    return 'create'
  elseif kind == 'delete' or (call.kind == 'delete' and not text(get(diff, 'newText'))) then
    return 'delete'
  elseif kind == 'modify' or exists == true then
    return 'modify'
  end
  return text(get(diff, 'oldText')) and 'modify' or 'create'
end

---@param report oxide.AgentReport
---@param calls oxide.Calls
return function(report, calls)
  local asked = {} ---@type table<string, table>   requests that are not answered, by side and id
  local terminals = {} ---@type table<string, table>
  local said ---@type { role: string, id: any, parts: string[] }?
  local ended = {} ---@type table<string, oxide.Call>   calls to be reported once nothing more comes of them
  local known, tokens = false, { input = 0, output = 0 }
  local cost ---@type number?

  local function flush_message()
    if said then
      local all = table.concat(said.parts)
      if all ~= '' then
        report.message { role = said.role, text = all, turn = said.turn }
      end
    end
    said = nil
  end

  local function say(role, update)
    local part = get(update, 'content', 'text')
    if type(part) ~= 'string' then
      return
    end
    if said and (said.role ~= role or said.id ~= update.messageId) then
      flush_message()
    end
    said = said or { role = role, id = update.messageId, parts = {}, turn = report.turn() }
    said.parts[#said.parts + 1] = part
  end

  --- The text that a person is shown of the call.
  local function shown_text(call)
    local parts = {}
    for _, item in ipairs(values.table(call.content)) do
      local part = get(item, 'type') == 'content' and text(get(item, 'content', 'text'))
      local terminal = get(item, 'type') == 'terminal'
        and terminals[tostring(get(item, 'terminalId'))]
      parts[#parts + 1] = part or (terminal and terminal.output) or nil
    end
    return #parts > 0 and table.concat(parts, '\n') or nil
  end

  local function command_of(call)
    local command = get(call.arguments, 'command') or get(call.arguments, 'cmd')
    if type(command) == 'string' or type(command) == 'table' then
      return command
    end
    local title = text(call.title) or ''
    return title:match('^`(.*)`$') or title
  end

  --- The exit code where the agent, its terminal or its text has it.
  local function exit_of(call, output)
    local raw = call.raw_output
    local code = integer(get(raw, 'exit_code')) or integer(get(raw, 'exitCode'))
    code = code or integer(get(raw, 'metadata', 'exit'))
    for _, item in ipairs(values.table(call.content)) do
      local terminal = terminals[tostring(get(item, 'terminalId'))]
      code = code or (terminal and terminal.exit)
    end
    if call.is_claude and not code then
      local told
      code, told = claude_tools.exit_of(output or '')
      output = code and told or output
      code = code or (call.status == 'completed' and 0 or nil)
    end
    return code, output
  end

  local function report_command(call, row)
    local raw = text(get(call.raw_output, 'stdout'))
      or text(get(call.raw_output, 'aggregated_output'))
    local output = raw or unfenced(shown_text(call))
    row.command = command_of(call)
    row.exit_code, row.output = exit_of(call, output)
    if call.status == 'completed' or row.exit_code then
      report.shell_command(row)
    end
  end

  local function diff_change(call, diff)
    local whole = text(get(call.raw_output, 'metadata', 'diff'))
    if whole then
      return values.change_of_diff(whole)
    end
    return report.diff(text(diff.oldText) or (diff.oldText and '' or nil), text(diff.newText) or '')
  end

  local function first_path(call)
    return text(get(call.locations, 1, 'path'))
      or text(get(call.arguments, 'file_path'))
      or text(get(call.arguments, 'filePath'))
      or text(get(call.arguments, 'absolute_path'))
      or text(get(call.arguments, 'path'))
      or text(get(call.arguments, 'abs_path'))
  end

  local function report_move(call, row)
    local to = text(get(call.locations, 2, 'path'))
      or text(get(call.arguments, 'destination'))
      or text(get(call.arguments, 'new_path'))
    local from = text(get(call.arguments, 'source')) or first_path(call)
    if from and to then
      row.operation, row.path, row.change = 'rename', from, { new_path = to }
      report.file_operation(row)
    end
  end

  local function report_files(call, row)
    local any = false
    for _, item in ipairs(values.table(call.content)) do
      if get(item, 'type') == 'diff' and text(get(item, 'path')) then
        any = true
        row.operation, row.path = operation_of(call, item), item.path
        row.change = diff_change(call, item)
        report.file_operation(row)
      end
    end
    local path = first_path(call)
    if any then
      return
    elseif call.kind == 'move' then
      report_move(call, row)
    elseif path and (call.kind == 'read' or call.kind == 'delete') then
      row.operation, row.path = call.kind, path
      report.file_operation(row)
    elseif path and call.kind == 'edit' then
      row.operation, row.path = 'write', path
      report.file_operation(row)
    end
  end

  local function report_call(call)
    local status = call.status == 'cancelled' and 'interrupted' or call.status
    if call.status ~= 'completed' and (call.denied or call.cancelled) then
      status = call.denied and 'denied' or 'interrupted'
    end
    local arguments = call.arguments
    if arguments == nil or next(arguments) == nil then
      arguments = text(call.title) and { title = call.title } or arguments
    end
    local row = { tool_call_id = call.shown_id, turn = call.turn }
    call.name, call.arguments = call.name or call.kind or 'other', arguments
    calls.finish(call, status, shown_text(call))
    if status == 'completed' and call.kind ~= 'execute' then
      report_files(call, row)
    elseif call.kind == 'execute' and (status == 'completed' or status == 'failed') then
      report_command(call, row)
    end
  end

  --- What is still under way is over, with the turn or with the session.
  local function interrupt_calls()
    calls.each_open(function(call)
      if call.is_acp then
        call.status = 'cancelled'
        report_call(call)
      end
    end)
  end

  --- What has ended is reported once the agent goes on: the last words on a call come behind its end.
  local function report_ended(but)
    for key, call in pairs(ended) do
      if key ~= but then
        ended[key] = nil
        report_call(call)
      end
    end
  end

  local function session_id(params)
    return tostring(get(params, 'sessionId') or '')
  end

  local function on_call(params, update, is_request)
    local id = update.toolCallId
    if id == nil then
      return
    end
    local key = session_id(params) .. '\0' .. tostring(id)
    flush_message()
    report_ended(key)
    local call = calls.start(key, { shown_id = tostring(id), is_acp = true })
    local input = update.rawInput
    if type(input) == 'table' and next(input) ~= nil and not (is_request and call.arguments) then
      call.arguments = input
    end
    local claude = values.table(get(update, '_meta', 'claudeCode'))
    call.is_claude = call.is_claude or next(claude) ~= nil
    call.name = text(update.name) or text(claude.toolName) or call.name
    call.denied = call.denied or claude.nonExecutionKind ~= nil
    call.kind = text(update.kind) or call.kind
    call.title = text(update.title) or call.title
    call.raw_output = update.rawOutput or call.raw_output
    if #values.table(update.content) > 0 then
      call.content = update.content
    end
    if #values.table(update.locations) > 0 then
      call.locations = update.locations
    end
    if text(update.status) and not is_request then
      call.status = update.status
    end
    ended[key] = ENDED[call.status] and call or nil
    return call
  end

  local updates = {
    agent_message_chunk = function(update)
      say('assistant', update)
    end,
    agent_thought_chunk = function(update)
      say('thought', update)
    end,
    user_message_chunk = function(update)
      say('user', update)
    end,
    usage_update = function(update)
      cost = get(update, 'cost', 'amount') or cost
    end,
  }

  local function on_update(params)
    local update = values.table(get(params, 'update'))
    local kind = update.sessionUpdate
    if kind == 'tool_call' or kind == 'tool_call_update' then
      on_call(params, update)
    elseif updates[kind] then
      if kind ~= 'usage_update' then
        report_ended()
      end
      updates[kind](update)
    end
  end

  local function on_prompt(params)
    report_ended()
    flush_message()
    interrupt_calls()
    report.next_turn()
    report.state('working')
    local parts = {}
    for _, block in ipairs(values.table(get(params, 'prompt'))) do
      parts[#parts + 1] = text(get(block, 'text'))
    end
    report.message { role = 'user', text = table.concat(parts, '\n') }
  end

  local function on_stop(result)
    report_ended()
    flush_message()
    local usage = values.table(result.usage)
    local quota = values.table(get(result, '_meta', 'quota', 'token_count'))
    tokens.input = tokens.input + values.number(usage.inputTokens or quota.input_tokens)
    tokens.output = tokens.output + values.number(usage.outputTokens or quota.output_tokens)
    report.usage { input_tokens = tokens.input, output_tokens = tokens.output, cost = cost }
    report.state('idle')
  end

  local function on_permission(answer, request)
    local outcome = values.table(get(answer, 'outcome'))
    local call = request.call
    report.state('working')
    if not call then
      return
    elseif outcome.outcome == 'cancelled' then
      call.cancelled = true
    end
    for _, option in ipairs(values.table(get(request.params, 'options'))) do
      if
        get(option, 'optionId') == outcome.optionId
        and tostring(get(option, 'kind')):match('^reject')
      then
        call.denied = true
      end
    end
  end

  local function on_terminal(params)
    local id = tostring(get(params, 'terminalId'))
    terminals[id] = terminals[id] or {}
    return terminals[id]
  end

  local function learn(what)
    what.engine = 'acp'
    report.session(what)
  end

  --- The answer to a request of the other side.
  local answers = {
    initialize = function(result)
      learn { version = text(get(result, 'agentInfo', 'version')) }
    end,
    ['session/new'] = function(result, request)
      if not known then
        known = true
        learn { id = text(result.sessionId), cwd = text(get(request.params, 'cwd')) }
      end
    end,
    ['session/prompt'] = on_stop,
    ['session/request_permission'] = on_permission,
    ['terminal/create'] = function(result, request)
      terminals[tostring(result.terminalId)] = { command = get(request.params, 'command') }
    end,
    ['terminal/output'] = function(result, request)
      local terminal = on_terminal(request.params)
      terminal.output = result.output
      terminal.exit = integer(get(result, 'exitStatus', 'exitCode')) or terminal.exit
    end,
    ['terminal/wait_for_exit'] = function(result, request)
      on_terminal(request.params).exit = integer(result.exitCode)
    end,
  }

  local requests = {
    ['session/prompt'] = on_prompt,
    ['session/load'] = function(params)
      if not known then
        known = true
        learn { id = text(get(params, 'sessionId')), cwd = text(get(params, 'cwd')) }
      end
    end,
    ['session/update'] = on_update,
  }
  requests['session/resume'] = requests['session/load']

  local function on_request(dir, message)
    local params = values.table(message.params)
    local request = { method = message.method, params = params }
    if not known and text(params.sessionId) then
      known = true
      learn { id = params.sessionId }
    end
    if message.method == 'session/request_permission' then
      request.call = on_call(params, values.table(params.toolCall), true)
      report.state('waiting')
    elseif requests[message.method] then
      requests[message.method](params)
    end
    if message.id ~= nil then
      asked[dir .. tostring(message.id)] = request
    end
  end

  local M = {}

  ---@param from any   who said it: 'client', or else the agent
  ---@param message table
  function M.message(from, message)
    local dir = from == 'client' and 'client' or 'agent'
    if message.method ~= nil then
      return on_request(dir, message)
    end
    local other = (dir == 'agent' and 'client' or 'agent') .. tostring(message.id)
    local request = asked[other]
    asked[other] = nil
    if request and message.error ~= nil and request.method == 'session/prompt' then
      on_stop {}
    elseif request and answers[request.method] and message.result ~= nil then
      answers[request.method](values.table(message.result), request)
    end
  end

  function M.finish()
    report_ended()
    flush_message()
    interrupt_calls()
  end

  M.is_message = is_message
  return M
end
