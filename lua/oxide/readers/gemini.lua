-- Gemini CLI, and what descends from it (Qwen Code): its stream, its session log, its hooks, and any
-- dialogue by ACP.
local values = require('oxide.readers.values')
local get, text = values.get, values.text

local MOST = 64 * 1048576 -- bytes of a log that is one JSON value over many lines

local DENIED = { policy_violation = true, execution_denied = true, permission_denied = true }

--- What a command printed, and how it ended, as the model is told. The code is left out when it is 0.
---@return integer? code, string? output
local function command_end(told)
  if not told then
    return nil, nil
  end
  local output = told:match('\nOutput: (.-)\n%u[%w ]+: ')
    or told:match('^Output: (.-)\n%u[%w ]+: ')
    or told:match('Output: (.*)')
  local code = tonumber(told:match('\nExit Code: (%-?%d+)'))
  if not code and output and not told:match('\nSignal: %d') and not told:match('\nError: [^(]') then
    code = not told:match('Exit Code: %(none%)') and 0 or nil
  end
  return code, output
end

--- A screen as it was drawn: lines of runs with their colours.
local function screen_text(display)
  if type(display) ~= 'table' then
    return text(display)
  end
  local lines = {}
  for _, line in ipairs(display) do
    local runs = {}
    for _, run in ipairs(values.table(line)) do
      runs[#runs + 1] = text(get(run, 'text'))
    end
    lines[#lines + 1] = (table.concat(runs):gsub('%s+$', ''))
  end
  return #lines > 0 and (table.concat(lines, '\n'):gsub('%s+$', '')) or nil
end

---@param report oxide.AgentReport
return function(report)
  local calls = require('oxide.readers.calls')(report)
  local acp = require('oxide.readers.acp')(report, calls)
  local learn, number = values.session_once(report), 0
  local said ---@type { role: string, parts: string[], timestamp: any, turn: integer }?
  local unread, unread_bytes, has_read = {}, 0, false -- what was no JSON by itself
  local last ---@type table?   of a log: the record that may be written again
  local told_of = {} ---@type table<string, { thoughts: integer, words?: boolean }>   of a log, by record
  local ended = {} ---@type table<string, boolean>   of a log
  local spent = { input_tokens = 0, output_tokens = 0 }

  local function flush()
    if said and table.concat(said.parts) ~= '' then
      report.message {
        role = said.role,
        text = table.concat(said.parts),
        timestamp = said.timestamp,
        turn = said.turn,
      }
    end
    said = nil
  end

  local function say(role, words, at, goes_on)
    if role == 'user' and words then
      flush()
      report.next_turn()
    end
    if said and (said.role ~= role or not goes_on) then
      flush()
    end
    said = said or { role = role, parts = {}, timestamp = at, turn = report.turn() }
    said.parts[#said.parts + 1] = words
  end

  --- The files and the command of a call that has succeeded. `told`: what the model was, which says
  --- how a command ended; where it is not known, what was printed is `display`.
  local function did(call, input, display, told, at)
    local row = { tool_call_id = call.id, timestamp = at, turn = call.turn }
    local path = text(get(display, 'filePath'))
      or text(get(input, 'file_path'))
      or text(get(input, 'absolute_path'))
      or text(get(input, 'path'))
    local old, new = get(display, 'originalContent'), get(display, 'newContent')
    if call.name == 'run_shell_command' then
      local code, output = command_end(told)
      row.command = text(get(input, 'command')) or ''
      row.exit_code, row.output = code, screen_text(display) or output or told or ''
      report.shell_command(row)
    elseif not path then
      return
    elseif call.name == 'read_file' then
      row.operation, row.path = 'read', path
      report.file_operation(row)
    elseif call.name == 'replace' or call.name == 'edit' or call.name == 'write_file' then
      local is_new = get(display, 'isNewFile')
      if type(new) == 'string' then
        is_new = is_new == true or (is_new == nil and (old == nil or old == ''))
        row.change = report.diff(not is_new and (text(old) or '') or nil, new)
      elseif text(get(display, 'fileDiff')) then
        row.change = values.change_of_diff(display.fileDiff)
      elseif type(get(input, 'new_string')) == 'string' then
        row.change = report.diff(text(get(input, 'old_string')) or '', input.new_string)
      elseif type(get(input, 'content')) == 'string' then
        row.change = { diff = report.diff(nil, input.content).diff }
      end
      if call.name == 'write_file' then
        row.operation = is_new and 'create' or type(new) == 'string' and 'modify' or 'write'
      else
        row.operation = (is_new or get(input, 'old_string') == '') and 'create' or 'modify'
      end
      row.path = path
      report.file_operation(row)
    end
  end

  -- the stream

  local stream = {
    init = function(v)
      learn { id = text(v.session_id), timestamp = v.timestamp, model = text(v.model) }
      report.state('working')
    end,
    message = function(v)
      if v.role == 'user' or v.role == 'assistant' then
        say(v.role, text(v.content) or values.content(v.content), v.timestamp, v.delta == true)
      end
    end,
    tool_use = function(v)
      flush()
      if v.tool_id ~= nil then
        local what = { name = text(v.tool_name), arguments = v.parameters, timestamp = v.timestamp }
        calls.start(tostring(v.tool_id), what)
      end
    end,
    tool_result = function(v)
      local call = v.tool_id ~= nil
        and (calls.get(tostring(v.tool_id)) or calls.start(tostring(v.tool_id), {}))
      if not call then
        return
      elseif v.status == 'success' then
        local output = values.content(v.output)
        calls.finish(call, 'completed', output)
        did(call, call.arguments, output, nil, v.timestamp)
        return
      end
      local kind = get(v, 'error', 'type')
      local status = (DENIED[kind] and 'denied')
        or (v.status == 'cancelled' and 'interrupted')
        or 'failed'
      calls.finish(call, status, text(get(v, 'error', 'message')) or values.content(v.output))
    end,
    result = function(v)
      flush()
      report.usage {
        input_tokens = values.number(get(v, 'stats', 'input_tokens')),
        output_tokens = values.number(get(v, 'stats', 'output_tokens')),
      }
      calls.finish_all('interrupted')
      report.state('idle')
    end,
  }

  -- hooks

  local function same(a, b)
    return a ~= nil and b ~= nil and report.encode(a) == report.encode(b)
  end

  local function find_call(hook)
    return calls.last(function(call)
      return call.name == hook.tool_name and same(call.arguments, hook.tool_input)
    end) or calls.last(function(call)
      return call.name == hook.tool_name
    end)
  end

  local function begin_hook_call(hook)
    local name = text(hook.tool_name) or 'unknown'
    local id = ('%s#%d'):format(name, number)
    number = number + 1
    return calls.start(id, { name = name, arguments = hook.tool_input, timestamp = hook.timestamp })
  end

  local function finish_hook_call(hook)
    local call = find_call(hook) or begin_hook_call(hook)
    local response = values.table(hook.tool_response)
    local told = values.content(response.llmContent)
    local failed = get(response, 'error')
    if failed then
      calls.finish(call, 'failed', text(get(failed, 'message')) or told)
      return
    end
    calls.finish(call, 'completed', told)
    did(call, hook.tool_input, response.returnDisplay, told, hook.timestamp)
  end

  local hooks = {
    BeforeTool = begin_hook_call,
    AfterTool = finish_hook_call,
    BeforeAgent = function(hook)
      say('user', text(hook.prompt) or '', hook.timestamp)
      flush()
      report.state('working')
    end,
    AfterAgent = function(hook)
      calls.finish_all('denied') -- nothing came of them, and the turn went on to its end
      say('assistant', text(hook.prompt_response), hook.timestamp)
      flush()
      report.state('idle')
    end,
    Notification = function(hook)
      report.state(hook.notification_type == 'ToolPermission' and 'waiting' or 'working')
    end,
    SessionEnd = function()
      calls.finish_all('interrupted')
      report.state('idle')
    end,
  }

  local function on_hook(hook)
    learn {
      id = text(hook.session_id),
      timestamp = hook.timestamp,
      cwd = text(hook.cwd),
    }
    if hooks[hook.hook_event_name] then
      hooks[hook.hook_event_name](hook)
    end
  end

  -- the session log

  local LOG_STATUS =
    { success = 'completed', error = 'failed', cancelled = 'denied', canceled = 'denied' }

  local function log_result(call)
    local response = get(call, 'result', 1, 'functionResponse', 'response')
    return text(get(response, 'output'))
      or text(get(response, 'error'))
      or values.content(call.result)
  end

  local function on_log_call(v, one)
    local id = one.id ~= nil and tostring(one.id)
    if not id or ended[id] then
      return
    end
    local at = one.timestamp or v.timestamp
    local call = calls.get(id)
      or calls.start(id, { name = text(one.name), arguments = one.args, timestamp = at })
    local status = LOG_STATUS[one.status]
    if not status then
      return
    end
    ended[id] = true
    local told = log_result(one)
    if status == 'failed' and told and told:match('^Tool execution denied by policy') then
      status = 'denied'
    end
    if status == 'denied' and one.resultDisplay == nil and told == nil then
      status = 'interrupted'
    end
    calls.finish(call, status, told)
    if status == 'completed' then
      did(call, one.args, one.resultDisplay, told, at)
    end
  end

  --- Once for each record.
  local function say_log(v)
    local id = tostring(v.id)
    local told = told_of[id] or { thoughts = 0 }
    told_of[id] = told
    for i, thought in ipairs(values.table(v.thoughts)) do
      local parts = { text(get(thought, 'subject')) }
      parts[#parts + 1] = text(get(thought, 'description'))
      if i > told.thoughts then
        told.thoughts = i
        report.message {
          role = 'thought',
          text = table.concat(parts, '\n'),
          timestamp = get(thought, 'timestamp') or v.timestamp,
        }
      end
    end
    local words = values.content(v.content)
    if text(words) and not told.words then
      told.words = true
      report.message { role = 'assistant', text = words, timestamp = v.timestamp }
    end
  end

  --- A record is whole when another one comes.
  local function flush_log()
    local v = last
    last = nil
    if not v then
      return
    end
    say_log(v)
    spent.input_tokens = spent.input_tokens + values.number(get(v, 'tokens', 'input'))
    spent.output_tokens = spent.output_tokens
      + values.number(get(v, 'tokens', 'output'))
      + values.number(get(v, 'tokens', 'thoughts'))
    report.usage(spent)
  end

  local function on_log(v)
    if v.type == 'gemini' or v.type == 'assistant' or v.type == 'model' then
      if last and last.id ~= v.id then
        flush_log()
      end
      last = v
      if report.now() then
        say_log(v) -- somebody watches: what it says is there before its calls have ended
      end
      for _, one in ipairs(values.table(v.toolCalls)) do
        if type(one) == 'table' then
          on_log_call(v, one)
        end
      end
    elseif v.type == 'user' then
      flush_log()
      local words = text(values.content(v.content)) -- none: the results of calls
      if words and not words:match('^<session_context>') then
        report.next_turn()
        report.message { role = 'user', text = words, timestamp = v.timestamp }
      end
    end
  end

  local function on_log_head(v)
    learn { id = text(v.sessionId), timestamp = text(v.startTime), cwd = text(v.cwd) }
    for _, message in ipairs(values.table(v.messages)) do
      if type(message) == 'table' then
        on_log(message)
      end
    end
  end

  local function on_value(v)
    local hook = get(v, 'stdin') or v
    local message = get(v, 'msg') or v
    if type(hook) == 'table' and text(hook.hook_event_name) then
      on_hook(hook)
    elseif acp.is_message(message) then
      acp.message(v.dir, message)
    elseif type(v['$set']) == 'table' then
      on_log_head(v['$set'])
    elseif stream[v.type] and (v.id == nil or v.tool_id ~= nil) then
      stream[v.type](v)
    elseif v.sessionId ~= nil and v.type == nil then
      on_log_head(v)
    else
      on_log(v)
    end
  end

  local function line(words)
    local v = report.decode(words)
    if type(v) == 'table' then
      has_read = true
      unread = {}
      on_value(v)
    elseif not has_read and unread_bytes < MOST then
      unread[#unread + 1] = words
      unread_bytes = unread_bytes + #words
    end
  end

  return line,
    function()
      local whole = not has_read and report.decode(table.concat(unread, '\n'))
      if type(whole) == 'table' then
        on_value(whole)
      end
      flush_log()
      flush()
      acp.finish()
      calls.finish_all('interrupted')
    end
end
