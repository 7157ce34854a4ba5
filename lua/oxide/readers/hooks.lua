-- What Claude Code and Codex tell their hooks, as it was put on the hooks' standard input: a line each,
-- alone or as the member `stdin` of one.
local claude_tools = require('oxide.readers.claude_tools')
local patch_text = require('oxide.readers.patch_text')
local values = require('oxide.readers.values')
local get, text = values.get, values.text

--- The hook's input in a line; nil: it is something else.
---@param value any
---@return table?
local function input_of(value)
  local hook = get(value, 'stdin') or value
  return type(hook) == 'table' and text(hook.hook_event_name) and hook or nil
end

---@param report oxide.AgentReport
---@param calls oxide.Calls
local function reader(report, calls)
  local learn = values.session_once(report)

  local function begin(hook)
    local id = text(hook.tool_use_id)
    if not id then
      return
    end
    report.state('working')
    calls.start(
      id,
      { name = text(hook.tool_name), arguments = hook.tool_input, timestamp = hook.timestamp }
    )
  end

  --- Codex tells what a command printed, and not how it ended.
  local function did_codex(call, hook)
    local row = { tool_call_id = call.id, timestamp = hook.timestamp, turn = call.turn }
    local told = values.content(hook.tool_response) or ''
    local command = text(get(hook.tool_input, 'command'))
    if call.name ~= 'apply_patch' then
      if command then
        row.command, row.output = get(hook.tool_input, 'command'), told
        report.shell_command(row)
      end
      return 'completed'
    end
    local code = tonumber(told:match('^Exit code: (%-?%d+)'))
    if code ~= 0 and not told:match('^Success') then
      return 'failed'
    end
    for _, file in ipairs(patch_text(command or '')) do
      for key, value in pairs(row) do
        file[key] = value
      end
      report.file_operation(file)
    end
    return 'completed'
  end

  local function is_codex(hook)
    return hook.tool_name == 'apply_patch'
      or (hook.tool_name == 'Bash' and type(hook.tool_response) == 'string')
  end

  local function done(hook, failed)
    local id = text(hook.tool_use_id)
    if not id then
      return
    end
    local call = calls.get(id)
      or calls.start(id, { name = text(hook.tool_name), arguments = hook.tool_input })
    local result = hook.tool_response
    if failed then
      result = hook.error
    end
    local told = claude_tools.told(report, result)
    call.duration_ms = hook.duration_ms
    if hook.is_interrupt == true then
      calls.finish(call, 'interrupted', told)
    elseif not failed and is_codex(hook) then
      calls.finish(call, did_codex(call, hook), told)
    else
      calls.finish(call, failed and 'failed' or 'completed', told)
      claude_tools.done(report, call, hook.tool_input, result, told, failed, hook.timestamp)
    end
  end

  local events = {
    PreToolUse = begin,
    PostToolUse = function(hook)
      done(hook, false)
    end,
    PostToolUseFailure = function(hook)
      done(hook, true)
    end,
    PermissionRequest = function()
      report.state('waiting')
    end,
    Notification = function(hook)
      report.state(hook.notification_type == 'permission_prompt' and 'waiting' or 'idle')
    end,
    UserPromptSubmit = function(hook)
      report.next_turn()
      report.state('working')
      report.message { role = 'user', text = text(hook.prompt) or '', timestamp = hook.timestamp }
    end,
    -- A call that nothing came of was not allowed, where the turn went on to its end.
    Stop = function(hook)
      calls.finish_all('denied')
      local said = text(hook.last_assistant_message)
      if said then
        report.message { role = 'assistant', text = said, timestamp = hook.timestamp }
      end
      report.state('idle')
    end,
    SessionEnd = function()
      calls.finish_all('interrupted')
      report.state('idle')
    end,
  }

  return function(hook)
    local event = events[hook.hook_event_name]
    learn { id = text(hook.session_id), cwd = hook.cwd, model = text(hook.model) }
    if event then
      event(hook)
    end
  end
end

return { input_of = input_of, reader = reader }
