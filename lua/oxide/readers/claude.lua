-- Claude Code: its stream, its session log, its hooks, and the dialogue of a program that drives it;
-- by ACP its adapters are read as any agent.
local claude_tools = require('oxide.readers.claude_tools')
local hooks = require('oxide.readers.hooks')
local values = require('oxide.readers.values')
local get, text = values.get, values.text

---@param report oxide.AgentReport
return function(report)
  local calls = require('oxide.readers.calls')(report)
  local acp = require('oxide.readers.acp')(report, calls)
  local on_hook = hooks.reader(report, calls)
  local known = {} ---@type table<string, boolean>   members of the session
  local asked = {} ---@type table<string, string>   calls that a permission is asked for, by request
  local tokens = { input = 0, output = 0 } -- of what has a result, or of whole messages of a log
  local message_id, message_usage ---@type string?, table?   of a log, the last one
  local replied = {} ---@type table<string, boolean>

  local function learn(what)
    local new = {}
    for key, value in pairs(what) do
      if not known[key] then
        known[key], new[key] = true, value
      end
    end
    if next(new) then
      report.session(new)
    end
  end

  local function learn_line(v)
    learn {
      id = text(v.session_id) or text(v.sessionId),
      timestamp = text(v.timestamp),
      cwd = text(v.cwd),
      version = text(v.claude_code_version) or text(v.version),
      model = text(v.model) or (v.type == 'assistant' and text(get(v, 'message', 'model')) or nil),
    }
  end

  local function add_usage(usage)
    tokens.input = tokens.input
      + values.number(usage.input_tokens)
      + values.number(usage.cache_read_input_tokens)
      + values.number(usage.cache_creation_input_tokens)
    tokens.output = tokens.output + values.number(usage.output_tokens)
  end

  local function tell_usage(cost)
    report.usage { input_tokens = tokens.input, output_tokens = tokens.output, cost = cost }
  end

  --- A log has each message as often as it has parts, with the same usage.
  local function log_usage(v)
    if not v.sessionId or type(get(v, 'message', 'usage')) ~= 'table' then
      return
    end
    if message_usage and message_id ~= v.message.id then
      add_usage(message_usage)
    end
    message_id, message_usage = v.message.id, v.message.usage
  end

  local function on_assistant(v)
    report.state('working')
    log_usage(v)
    for _, block in ipairs(values.table(get(v, 'message', 'content'))) do
      local kind = get(block, 'type')
      if kind == 'text' and text(block.text) then
        report.message { role = 'assistant', text = block.text, timestamp = v.timestamp }
      elseif kind == 'thinking' and text(block.thinking) then
        report.message { role = 'thought', text = block.thinking, timestamp = v.timestamp }
      elseif kind == 'tool_use' and text(block.id) and not replied[block.id] then
        calls.start(
          block.id,
          { name = text(block.name), arguments = block.input, timestamp = v.timestamp }
        )
      end
    end
  end

  --- What is known of the result beside of what the model is told.
  local function meta_of(v, id)
    for _, meta in ipairs(values.table(v.tool_result_meta)) do
      if get(meta, 'id') == id then
        return meta
      end
    end
    return { permission_decision = v.permissionDecision, non_execution_kind = v.nonExecutionKind }
  end

  local function status_of(call, block, meta, told)
    if block.is_error ~= true then
      return 'completed'
    elseif
      call.denied
      or meta.non_execution_kind ~= nil
      or get(meta, 'permission_decision', 'decision') == 'reject'
      or told:match("^The user doesn't want to proceed with this tool use")
      or told:match('^Claude requested permissions to ')
    then
      return 'denied'
    end
    return told:match('^%[Request interrupted by user') and 'interrupted' or 'failed'
  end

  local function on_result(v, block)
    local id = text(block.tool_use_id)
    if not id or replied[id] then
      return
    end
    replied[id] = true
    local call = calls.get(id) or calls.start(id, {})
    local told = values.content(block.content) or ''
    local result = v.tool_use_result or v.toolUseResult
    local status = status_of(call, block, meta_of(v, id), told)
    calls.finish(call, status, told)
    if status == 'completed' or status == 'failed' then
      local failed = status == 'failed'
      claude_tools.done(report, call, call.arguments, result, told, failed, v.timestamp)
    end
  end

  local function interrupted()
    calls.finish_all('interrupted')
    report.state('idle')
  end

  --- An agent that another one has started is told by that one what to do, and not by the user.
  local function is_of_user(v)
    return not (v.isMeta or v.isSynthetic or v.isReplay or v.isCompactSummary)
      and v.isSidechain ~= true
      and not text(v.parent_tool_use_id)
  end

  local function on_user_text(v, words)
    if words:match('^%[Request interrupted by user') then
      interrupted()
    elseif is_of_user(v) then
      report.next_turn()
      report.state('working')
      report.message { role = 'user', text = words, timestamp = v.timestamp }
    end
  end

  local function on_user(v)
    local content = get(v, 'message', 'content')
    if text(content) then
      return on_user_text(v, content)
    end
    for _, block in ipairs(values.table(content)) do
      if get(block, 'type') == 'tool_result' then
        on_result(v, block)
      elseif get(block, 'type') == 'text' and text(block.text) then
        on_user_text(v, block.text)
      end
    end
  end

  local function on_system(v)
    if v.subtype == 'permission_denied' and text(v.tool_use_id) then
      calls.start(v.tool_use_id, { name = text(v.tool_name), denied = true })
    elseif v.subtype == 'init' then
      report.state('working')
    end
  end

  local function on_result_line(v)
    if type(v.usage) == 'table' then
      add_usage(v.usage)
    end
    if v.subtype and v.subtype ~= 'success' then
      interrupted()
    end
    tell_usage(v.total_cost_usd)
    report.state('idle')
  end

  local function on_agent_request(v)
    local request = values.table(v.request)
    if request.subtype == 'can_use_tool' then
      report.state('waiting')
      asked[tostring(v.request_id)] = text(request.tool_use_id)
    end
  end

  local lines = {
    assistant = on_assistant,
    user = on_user,
    system = on_system,
    result = on_result_line,
    control_request = on_agent_request,
    ['cost-state'] = function(v)
      if message_usage then
        add_usage(message_usage)
        message_usage = nil
      end
      tell_usage(v.totalCostUSD)
    end,
  }

  local function on_agent(v)
    if text(v.type) then
      learn_line(v)
    end
    if lines[v.type] then
      lines[v.type](v)
    end
  end

  --- The program that drives it: messages, and its answers about permissions.
  local function on_client(v)
    local answer = values.table(v.response)
    local id = asked[tostring(answer.request_id)]
    if v.type == 'user' then
      on_user(v)
    elseif v.type == 'control_response' and id then
      asked[tostring(answer.request_id)] = nil
      report.state('working')
      local call = calls.get(id)
      if call and get(answer, 'response', 'behavior') == 'deny' then
        call.denied = true
      end
    end
  end

  local function on_value(v)
    local hook = hooks.input_of(v)
    local message = get(v, 'msg') or v
    if hook then
      on_hook(hook)
    elseif acp.is_message(message) then
      acp.message(v.dir, message)
    elseif v.dir == 'client' then
      on_client(values.table(message))
    else
      on_agent(values.table(message))
    end
  end

  local function line(words)
    local v = report.decode(words)
    if type(v) ~= 'table' then
      return
    elseif v[1] ~= nil then
      for _, one in ipairs(v) do -- all in one list, as `--output-format json --verbose` has it
        if type(one) == 'table' then
          on_value(one)
        end
      end
    else
      on_value(v)
    end
  end

  return line,
    function()
      acp.finish()
      calls.finish_all('interrupted')
      if message_usage then
        add_usage(message_usage)
        tell_usage()
      end
    end
end
