-- How the four kinds of API stream what a model says, as their own clients want it too: with the ids
-- and counts that those insist on.
--
--   model_format.stream('anthropic', { text = 'Let me look.', calls = { { id = 'c1', name = 'f', args = {} } } })
local M = {}

---@class test.ModelCall
---@field id string
---@field name string
---@field args table|string   a string is sent as it is
---@field namespace? string   of a tool in a list of tools (Responses)
---@field custom? boolean     a tool that takes text instead of JSON (Responses)

---@class test.ModelSaid
---@field text? string
---@field calls? test.ModelCall[]
---@field before? fun()

---@param call test.ModelCall
---@return string
local function arguments(call)
  return type(call.args) == 'string' and call.args --[[@as string]] or vim.json.encode(call.args)
end

--- In two pieces, as models send them.
local function halves(text)
  local middle = math.floor(#text / 2)
  return { text:sub(1, middle), text:sub(middle + 1) }
end

local formats = {} ---@type table<string, fun(said: test.ModelSaid): table[]>

function formats.openai(said)
  local events = {}
  local function add(delta, finish)
    table.insert(events, {
      id = 'chatcmpl-1',
      object = 'chat.completion.chunk',
      choices = { { index = 0, delta = delta, finish_reason = finish or vim.NIL } },
    })
  end
  if said.text then
    add { content = said.text }
  end
  for i, call in ipairs(said.calls or {}) do
    add {
      tool_calls = {
        {
          index = i - 1,
          id = call.id,
          type = 'function',
          ['function'] = { name = call.name, arguments = '' },
        },
      },
    }
    for _, half in ipairs(halves(arguments(call))) do
      add { tool_calls = { { index = i - 1, ['function'] = { arguments = half } } } }
    end
  end
  add(vim.empty_dict(), said.calls and 'tool_calls' or 'stop')
  return events
end

function formats.anthropic(said)
  local message = {
    id = 'msg_1',
    type = 'message',
    role = 'assistant',
    content = {},
    stop_reason = vim.NIL,
    usage = { input_tokens = 1, output_tokens = 1 },
  }
  local events = { { type = 'message_start', message = message } }
  local at = 0
  local function block(start, deltas)
    table.insert(events, { type = 'content_block_start', index = at, content_block = start })
    for _, delta in ipairs(deltas) do
      table.insert(events, { type = 'content_block_delta', index = at, delta = delta })
    end
    table.insert(events, { type = 'content_block_stop', index = at })
    at = at + 1
  end
  if said.text then
    block({ type = 'text', text = '' }, { { type = 'text_delta', text = said.text } })
  end
  for _, call in ipairs(said.calls or {}) do
    local deltas = {}
    for _, half in ipairs(halves(arguments(call))) do
      table.insert(deltas, { type = 'input_json_delta', partial_json = half })
    end
    block({ type = 'tool_use', id = call.id, name = call.name, input = vim.empty_dict() }, deltas)
  end
  table.insert(events, {
    type = 'message_delta',
    delta = { stop_reason = said.calls and 'tool_use' or 'end_turn' },
    usage = { output_tokens = 2 },
  })
  table.insert(events, { type = 'message_stop' })
  return events
end

---@param call test.ModelCall
---@return table item, string deltas   the type of its pieces
local function response_item(call)
  local kind = call.custom and 'custom_tool_call' or 'function_call'
  local item = {
    type = kind,
    id = 'f' .. call.id,
    call_id = call.id,
    name = call.name,
    namespace = call.namespace,
  }
  item[call.custom and 'input' or 'arguments'] = arguments(call)
  return item,
    ('response.%s.delta'):format(call.custom and kind .. '_input' or kind .. '_arguments')
end

formats['openai-responses'] = function(said)
  local events = {
    { type = 'response.created', response = { id = 'resp_1', status = 'in_progress' } },
  }
  local function item(added, deltas, done)
    local at = #events
    table.insert(events, { type = 'response.output_item.added', output_index = at, item = added })
    for _, delta in ipairs(deltas) do
      delta.output_index = at
      table.insert(events, delta)
    end
    table.insert(events, { type = 'response.output_item.done', output_index = at, item = done })
  end
  if said.text then
    item({ type = 'message', id = 'm1', role = 'assistant', content = {} }, {
      { type = 'response.output_text.delta', content_index = 0, delta = said.text },
    }, {
      type = 'message',
      id = 'm1',
      role = 'assistant',
      content = { { type = 'output_text', text = said.text } },
    })
  end
  for _, call in ipairs(said.calls or {}) do
    local whole, kind = response_item(call)
    local deltas = {}
    for _, half in ipairs(halves(arguments(call))) do
      table.insert(deltas, { type = kind, delta = half, item_id = whole.id })
    end
    local begun = call.custom and { input = '' } or { arguments = '' }
    item(vim.tbl_extend('force', whole, begun), deltas, whole)
  end
  local response = { id = 'resp_1', status = 'completed' }
  table.insert(events, { type = 'response.completed', response = response })
  return events
end

function formats.gemini(said)
  local parts = {}
  if said.text then
    table.insert(parts, { text = said.text })
  end
  for _, call in ipairs(said.calls or {}) do
    table.insert(parts, { functionCall = { id = call.id, name = call.name, args = call.args } })
  end
  local content = { role = 'model', parts = parts }
  return { { candidates = { { content = content, finishReason = 'STOP' } } } }
end

---@param format string
---@param said test.ModelSaid
---@return string   the event stream
function M.stream(format, said)
  local out = {}
  for _, event in ipairs(formats[format](said)) do
    if event.type then
      table.insert(out, 'event: ' .. event.type .. '\n')
    end
    table.insert(out, 'data: ' .. vim.json.encode(event) .. '\n\n')
  end
  if format == 'openai' then
    table.insert(out, 'data: [DONE]\n\n')
  end
  return table.concat(out)
end

return M
