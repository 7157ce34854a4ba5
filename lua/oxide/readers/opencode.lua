-- opencode: `opencode run --format json`, what a plugin of it writes about its hooks and events, and
-- its dialogue by ACP.
local patch_text = require('oxide.readers.patch_text')
local values = require('oxide.readers.values')
local get, text, integer = values.get, values.text, values.integer

local DENIED = {
  'rejected permission to use',
  'prevents you from using this specific tool call',
  'permission denied',
}

local function is_denial(why)
  for _, words in ipairs(DENIED) do
    if why:lower():find(words, 1, true) then
      return true
    end
  end
  return false
end

---@param report oxide.AgentReport
return function(report)
  local calls = require('oxide.readers.calls')(report)
  local acp = require('oxide.readers.acp')(report, calls)
  local learn = values.session_once(report)
  local ended = {} ---@type table<string, boolean>
  local spent = { input_tokens = 0, output_tokens = 0, cost = 0 }

  local function change_of(metadata, input)
    local diff = text(get(metadata, 'diff')) or text(get(metadata, 'filediff', 'patch'))
    if diff then
      return values.change_of_diff(diff)
    elseif type(get(input, 'newString')) == 'string' then
      return report.diff(text(input.oldString) or '', input.newString)
    end
  end

  local function report_patch(call, input)
    local patch = text(get(input, 'patchText')) or text(get(input, 'patch')) or ''
    for _, file in ipairs(patch_text(patch)) do
      file.tool_call_id, file.timestamp, file.turn = call.id, call.timestamp, call.turn
      report.file_operation(file)
    end
  end

  --- The files and the command of a call that has succeeded.
  local function did(call, input, metadata, output)
    local row = { tool_call_id = call.id, timestamp = call.timestamp, turn = call.turn }
    local path = text(get(input, 'filePath')) or text(get(metadata, 'filepath'))
    if call.name == 'bash' then
      row.command = text(get(input, 'command')) or ''
      row.exit_code = integer(get(metadata, 'exit'))
      row.output = text(get(metadata, 'output')) or output
      report.shell_command(row)
    elseif call.name == 'patch' or call.name == 'apply_patch' then
      report_patch(call, input)
    elseif not path then
      return
    elseif call.name == 'read' then
      row.operation, row.path = 'read', path
      report.file_operation(row)
    elseif call.name == 'write' then
      local exists = get(metadata, 'exists')
      row.operation = exists == false and 'create' or exists and 'modify' or 'write'
      row.path = path
      row.change = change_of(metadata, input)
      if not row.change and exists == false then
        row.change = report.diff(nil, text(get(input, 'content')) or '')
      end
      report.file_operation(row)
    elseif call.name == 'edit' or call.name == 'multiedit' then
      row.operation = get(input, 'oldString') == '' and 'create' or 'modify'
      row.path, row.change = path, change_of(metadata, input)
      report.file_operation(row)
    end
  end

  local function finish(call, status, result, input, metadata)
    ended[call.id] = true
    calls.finish(call, status, result)
    if status == 'completed' then
      did(call, input, metadata, result)
    end
  end

  --- A part of a message that is a call; it comes once, when it has ended, or again and again.
  local function on_tool(part)
    local id, state = text(part.callID), values.table(part.state)
    if not id or ended[id] then
      return
    end
    local call = calls.start(id, {
      name = text(part.tool),
      arguments = type(state.input) == 'table' and state.input or nil,
      timestamp = get(state, 'time', 'start'),
    })
    if state.status == 'completed' then
      finish(call, 'completed', values.content(state.output), state.input, state.metadata)
    elseif state.status == 'error' then
      local why = text(state.error) or ''
      local aborted = why:lower():match('^tool execution aborted') or why:lower():match('^aborted')
      finish(call, is_denial(why) and 'denied' or aborted and 'interrupted' or 'failed', why)
    end
  end

  local function on_text(part, role, at)
    if text(part.text) and not part.synthetic then
      report.message { role = role, text = part.text, timestamp = get(part, 'time', 'start') or at }
    end
  end

  local stream = {
    step_start = function()
      report.state('working')
    end,
    text = function(part, at)
      on_text(part, 'assistant', at)
    end,
    reasoning = function(part, at)
      on_text(part, 'thought', at)
    end,
    tool_use = function(part)
      on_tool(part)
    end,
    step_finish = function(part)
      local tokens = values.table(part.tokens)
      spent.input_tokens = spent.input_tokens
        + values.number(tokens.input)
        + values.number(get(tokens, 'cache', 'read'))
        + values.number(get(tokens, 'cache', 'write'))
      spent.output_tokens = spent.output_tokens
        + values.number(tokens.output)
        + values.number(tokens.reasoning)
      spent.cost = spent.cost + values.number(part.cost)
      report.usage(spent)
      if part.reason ~= 'tool-calls' then
        report.state('idle')
      end
    end,
  }

  local function on_stream(v)
    learn { id = text(v.sessionID), timestamp = v.timestamp }
    if stream[v.type] then
      stream[v.type](values.table(v.part), v.timestamp)
    end
  end

  -- what a plugin sees

  local function before(v)
    local id = text(get(v, 'input', 'callID'))
    if id and not ended[id] then
      calls.start(
        id,
        { name = text(get(v, 'input', 'tool')), arguments = get(v, 'output', 'args') }
      )
      report.state('working')
    end
  end

  local function after(v)
    local id = text(get(v, 'input', 'callID'))
    if not id or ended[id] then
      return
    end
    local call = calls.get(id) or calls.start(id, { name = text(get(v, 'input', 'tool')) })
    local input = get(v, 'input', 'args') or call.arguments
    call.arguments = call.arguments or input
    finish(
      call,
      'completed',
      values.content(get(v, 'output', 'output')),
      input,
      get(v, 'output', 'metadata')
    )
  end

  local events = {
    ['permission.asked'] = function(properties)
      local call = calls.get(tostring(get(properties, 'tool', 'callID')))
      if call then
        call.permission = properties.id
      end
      report.state('waiting')
    end,
    ['permission.replied'] = function(properties)
      report.state('working')
      local call = calls.last(function(call)
        return call.permission ~= nil and call.permission == properties.requestID
      end)
      if call and properties.reply == 'reject' then
        call.denied = true
      end
    end,
    ['message.part.updated'] = function(properties)
      local part = values.table(properties.part)
      if part.type == 'tool' then
        on_tool(part)
      end
    end,
    -- A call that nothing came of was not allowed, where the turn went on to its end.
    ['session.idle'] = function()
      calls.finish_all('denied')
      report.state('idle')
    end,
  }

  local function on_event(event)
    local properties = values.table(get(event, 'properties'))
    learn { id = text(properties.sessionID) }
    local on = events[get(event, 'type')]
    if on then
      on(properties)
    end
  end

  local function on_hook(v)
    learn { id = text(get(v, 'input', 'sessionID')) }
    if v.hook == 'tool.execute.before' then
      before(v)
    elseif v.hook == 'tool.execute.after' then
      after(v)
    elseif v.hook == 'event' then
      on_event(v.event)
    end
  end

  local function line(words)
    local v = report.decode(words)
    local message = get(v, 'msg') or v
    if type(v) ~= 'table' then
      return
    elseif text(v.hook) then
      on_hook(v)
    elseif acp.is_message(message) then
      acp.message(v.dir, message)
    elseif text(v.type) then
      on_stream(v)
    end
  end

  return line, function()
    acp.finish()
    calls.finish_all('interrupted')
  end
end
