-- Codex: `codex exec --json`, its session log, its hooks, and the dialogue with `codex app-server`.
local hooks = require('oxide.readers.hooks')
local patch_text = require('oxide.readers.patch_text')
local values = require('oxide.readers.values')
local get, text, integer = values.get, values.text, values.integer

local OPERATIONS = { add = 'create', update = 'modify', delete = 'delete' }
local STATUS = {
  completed = 'completed',
  failed = 'failed',
  declined = 'denied',
  denied = 'denied',
  rejected = 'denied',
}

--- "commandExecution", "CommandExecution" and "command_execution" are one.
local function kind_of(item)
  return (tostring(item.type):gsub('_', ''):lower())
end

---@param report oxide.AgentReport
return function(report)
  local calls = require('oxide.readers.calls')(report)
  local acp = require('oxide.readers.acp')(report, calls)
  local on_hook = hooks.reader(report, calls)
  local known, has_items = false, false
  local told_calls = {} ---@type table<string, boolean>   those that are reported

  local function learn(what)
    if not known then
      known = true
      report.session(what)
    end
  end

  --- The changes of a patch as a list, whichever of three forms they have.
  local function changes_of(item)
    local list, rows = {}, {}
    for key, change in pairs(values.table(item.changes)) do
      if type(change) == 'table' then
        local kind = type(change.kind) == 'table' and change.kind.type or change.kind or change.type
        local path = text(change.path) or (type(key) == 'string' and key) or nil
        local to = text(get(change, 'kind', 'move_path')) or text(change.move_path)
        local body = change.diff or change.unified_diff or change.content
        if path and OPERATIONS[kind] then
          rows[#rows + 1] = { path = path, kind = kind, to = to, body = text(body) }
        end
      end
    end
    if type(next(values.table(item.changes))) == 'string' then
      table.sort(rows, function(a, b)
        return a.path < b.path
      end)
    end
    for i, row in ipairs(rows) do
      list[i] = { path = row.path, kind = row.kind }
    end
    return list, rows
  end

  local function change_of(row)
    local body = row.body
    if not body then
      return row.to and { new_path = row.to } or nil
    end
    local change
    if row.kind == 'update' then
      change = values.change_of_diff((body:gsub('\n\nMoved to: [^\n]*$', '')))
    else
      change = report.diff(row.kind == 'delete' and body or nil, row.kind == 'add' and body or nil)
    end
    change.new_path = row.to
    return change
  end

  local function report_changes(item, at)
    local _, rows = changes_of(item)
    for _, row in ipairs(rows) do
      report.file_operation {
        operation = row.to and 'rename' or OPERATIONS[row.kind],
        path = row.path,
        change = change_of(row),
        tool_call_id = tostring(item.id),
        timestamp = at,
      }
    end
  end

  local function result_of(item)
    local result = get(item, 'result', 'content') or item.contentItems or item.content_items
    return values.content(result)
      or text(get(item, 'error', 'message'))
      or text(item.error)
      or (type(item.result) == 'string' and item.result)
      or nil
  end

  local function joined_name(a, b)
    return text(a) and (a .. '.' .. tostring(b)) or tostring(b)
  end

  --- Name, arguments and result of the kinds of items that are calls.
  local kinds = {
    commandexecution = function(item)
      return 'shell', { command = item.command }, item.aggregated_output or item.aggregatedOutput
    end,
    filechange = function(item)
      return 'apply_patch', { changes = changes_of(item) }, nil
    end,
    mcptoolcall = function(item)
      local name = ('mcp__%s__%s'):format(tostring(item.server), tostring(item.tool))
      return name, item.arguments, result_of(item)
    end,
    dynamictoolcall = function(item)
      return joined_name(item.namespace, item.tool), item.arguments, result_of(item)
    end,
    websearch = function(item)
      return 'web_search', { query = item.query }, nil
    end,
    collabtoolcall = function(item)
      return tostring(item.tool or 'collab_tool_call'), { prompt = item.prompt }, nil
    end,
    imageview = function(item)
      return 'view_image', { path = item.path }, nil
    end,
  }

  --- Not allowed, which the stream calls failed. The app server asks, and its word for it is kept.
  local function is_refused(item)
    return item.type == 'mcp_tool_call'
      and tostring(get(item, 'error', 'message')):find('requires approval', 1, true)
  end

  local function status_of(item, ended)
    local status = STATUS[item.status]
    if status == 'failed' and is_refused(item) then
      return 'denied'
    end
    if status == 'completed' and (item.success == false or type(item.error) == 'table') then
      return 'failed'
    end
    return status or (ended and (item.status == nil and 'completed' or 'interrupted'))
  end

  local function report_command(item, status, at)
    local code = integer(item.exit_code) or integer(item.exitCode)
    if status == 'completed' or (status == 'failed' and code) then
      report.shell_command {
        command = item.command or '',
        exit_code = code,
        output = item.aggregated_output or item.aggregatedOutput,
        tool_call_id = tostring(item.id),
        timestamp = at,
        duration_ms = integer(item.durationMs),
      }
    end
  end

  local function on_call(item, ended, at)
    local kind = kind_of(item)
    local id = tostring(item.id)
    if told_calls[id] then
      return
    end
    local name, arguments, result = kinds[kind](item)
    local call = calls.start(id, { name = name, arguments = arguments })
    call.timestamp = call.timestamp or at
    call.result = result
    call.duration_ms = integer(item.durationMs)
    if not ended then
      return
    end
    local status = status_of(item, true)
    told_calls[id] = true
    calls.finish(call, status, result)
    if kind == 'commandexecution' then
      report_command(item, status, at)
    elseif kind == 'filechange' and status == 'completed' then
      report_changes(item, at)
    end
  end

  local function said(item)
    return text(item.text) or values.content(item.content)
  end

  --- `at`: when it began, as far as that is known.
  local function on_item(item, ended, at)
    if type(item) ~= 'table' or item.id == nil then
      return
    end
    local kind = kind_of(item)
    if kinds[kind] then
      return on_call(item, ended, at)
    elseif not ended then
      return
    end
    if kind == 'agentmessage' and said(item) then
      report.message { role = 'assistant', text = said(item), timestamp = at }
    elseif kind == 'usermessage' and said(item) then
      report.message { role = 'user', text = said(item), timestamp = at }
    elseif kind == 'reasoning' then
      local thought = text(item.text)
        or values.content(item.summary_text)
        or values.content(item.summary)
      if thought then
        report.message { role = 'thought', text = thought, timestamp = at }
      end
    end
  end

  local function begin_turn()
    report.next_turn()
    report.state('working')
  end

  local function end_turn()
    calls.finish_all('interrupted')
    report.state('idle')
  end

  local function tell_usage(usage)
    report.usage {
      input_tokens = values.number(usage.input_tokens or usage.inputTokens),
      output_tokens = values.number(usage.output_tokens or usage.outputTokens),
    }
  end

  -- codex exec --json

  local spent = { input_tokens = 0, output_tokens = 0 }

  local stream = {
    ['thread.started'] = function(v)
      learn { id = text(v.thread_id) }
    end,
    ['turn.started'] = begin_turn,
    ['turn.completed'] = function(v)
      local usage = values.table(v.usage)
      spent.input_tokens = spent.input_tokens + values.number(usage.input_tokens)
      spent.output_tokens = spent.output_tokens + values.number(usage.output_tokens)
      tell_usage(spent)
      end_turn()
    end,
    ['turn.failed'] = end_turn,
    ['item.started'] = function(v)
      on_item(v.item, false)
    end,
    ['item.updated'] = function(v)
      on_item(v.item, false)
    end,
    ['item.completed'] = function(v)
      on_item(v.item, true)
    end,
  }

  -- the session log

  --- A log of an older version has messages, calls and their results alone; in a newer one, whose lines
  --- are counted, they are there beside what they became.
  local function on_old_output(v, payload)
    local call = calls.get(tostring(payload.call_id))
    if not call then
      return
    end
    local told = values.content(payload.output) or ''
    local inner = told:match('^{') and report.decode(told)
    told = text(get(inner, 'output')) or told
    local code = integer(get(inner, 'metadata', 'exit_code'))
      or tonumber(told:match('Process exited with code (%-?%d+)'))
      or tonumber(told:match('^Exit code: (%-?%d+)'))
    call.result, call.exit_code, call.ended_at = told, code, v.timestamp
  end

  local function report_old(call)
    local told = call.result or ''
    local denied = told:match('rejected by user')
      or told:match('Rejected%(') -- by a rule of the user's
      or told:match('[Dd]enied')
      or told:match('blocked by')
    local is_patch = call.name == 'apply_patch'
    local is_unknown = told:match('^unsupported call')
    local status = call.ended_at == nil and 'interrupted'
      or (denied and not call.exit_code) and 'denied'
      or (call.exit_code or 0) ~= 0 and 'failed'
      or (is_patch and not call.exit_code) and 'failed'
      or is_unknown and 'failed'
      or 'completed'
    calls.finish(call, status, call.result)
    local row = { tool_call_id = call.id, timestamp = call.ended_at, turn = call.turn }
    if call.name == 'shell' and call.exit_code then
      row.command = get(call.arguments, 'command') or get(call.arguments, 'cmd') or ''
      row.exit_code, row.output = call.exit_code, told:match('\nOutput:\n(.*)$') or told
      report.shell_command(row)
    elseif is_patch and status == 'completed' then
      for _, file in ipairs(patch_text(call.patch or '')) do
        file.tool_call_id, file.timestamp, file.turn = row.tool_call_id, row.timestamp, row.turn
        report.file_operation(file)
      end
    end
  end

  local function on_old_call(v, payload, arguments)
    local id = tostring(payload.call_id)
    if told_calls[id] or calls.get(id) then
      return
    end
    local name = tostring(payload.name)
    if
      name == 'exec_command'
      or name == 'shell'
      or name == 'shell_command'
      or name == 'local_shell'
    then
      name = 'shell'
    elseif text(payload.namespace) then
      name = payload.namespace .. '__' .. name
    end
    local call =
      calls.start(id, { name = name, arguments = arguments, timestamp = v.timestamp, old = true })
    call.patch = text(payload.input) or text(get(arguments, 'input'))
  end

  local responses = {
    function_call = function(v, payload)
      on_old_call(v, payload, report.decode(tostring(payload.arguments)) or payload.arguments)
    end,
    custom_tool_call = function(v, payload)
      on_old_call(v, payload, { input = payload.input })
    end,
    function_call_output = on_old_output,
    custom_tool_call_output = on_old_output,
    message = function(v, payload)
      local words = values.content(payload.content)
      if not has_items and words and (payload.role == 'user' or payload.role == 'assistant') then
        report.message { role = payload.role, text = words, timestamp = v.timestamp }
      end
    end,
  }

  local events = {
    item_started = function(v, payload)
      has_items = true
      on_item(payload.item, false, v.timestamp)
    end,
    item_completed = function(v, payload)
      has_items = true
      local call = calls.get(tostring(get(payload, 'item', 'id')))
      if call then -- as the model asked for it; now as it was carried out
        call.timestamp, call.arguments = nil, nil
      end
      on_item(payload.item, true, v.timestamp)
    end,
    task_started = begin_turn,
    task_complete = function()
      report.state('idle')
    end,
    turn_aborted = function()
      report.state('idle')
    end,
    token_count = function(_, payload)
      local total = get(payload, 'info', 'total_token_usage')
      if type(total) == 'table' then
        tell_usage(total)
      end
    end,
  }

  local log = {
    session_meta = function(v)
      local meta = values.table(v.payload)
      learn {
        id = text(meta.id) or text(meta.session_id),
        timestamp = v.timestamp,
        cwd = text(meta.cwd),
        version = text(meta.cli_version),
      }
    end,
    event_msg = function(v)
      local payload = values.table(v.payload)
      if events[payload.type] then
        events[payload.type](v, payload)
      end
    end,
    response_item = function(v)
      local payload = values.table(v.payload)
      has_items = has_items or v.ordinal ~= nil
      if responses[payload.type] then
        responses[payload.type](v, payload)
      end
    end,
  }

  -- codex app-server

  local function learn_thread(params)
    local thread = values.table(params.thread)
    local cwd = text(thread.cwd) or text(get(thread, 'environments', 1, 'cwd'))
    learn { id = text(thread.id), cwd = cwd, version = text(thread.cliVersion) }
  end

  local server = {
    ['thread/started'] = learn_thread,
    ['turn/started'] = begin_turn,
    ['turn/completed'] = end_turn,
    ['item/started'] = function(params)
      on_item(params.item, false, params.startedAtMs or get(params, 'item', 'startedAtMs'))
    end,
    ['item/completed'] = function(params)
      on_item(params.item, true, get(params, 'item', 'startedAtMs') or params.startedAtMs)
    end,
    ['thread/tokenUsage/updated'] = function(params)
      tell_usage(values.table(get(params, 'tokenUsage', 'total')))
    end,
    ['item/fileChange/requestApproval'] = function()
      report.state('waiting')
    end,
    ['item/commandExecution/requestApproval'] = function()
      report.state('waiting')
    end,
    ['serverRequest/resolved'] = function()
      report.state('working')
    end,
  }

  local function on_message(dir, message)
    if message.jsonrpc ~= nil or tostring(message.method):match('^session/') then
      acp.message(dir, message)
    elseif dir == 'agent' and server[message.method] then
      server[message.method](values.table(message.params))
    end
  end

  local function line(words)
    local v = report.decode(words)
    if type(v) ~= 'table' then
      return
    end
    local hook = hooks.input_of(v)
    local message = type(v.msg) == 'table' and v.msg or v
    if hook then
      on_hook(hook)
    elseif message.method ~= nil or message.jsonrpc ~= nil then
      on_message(v.dir == 'client' and 'client' or 'agent', message)
    elseif stream[v.type] then
      stream[v.type](v)
    elseif log[v.type] then
      log[v.type](v)
    end
  end

  return line,
    function()
      acp.finish()
      calls.each_open(function(call)
        if call.old then
          report_old(call)
        end
      end)
      calls.finish_all('interrupted')
    end
end
