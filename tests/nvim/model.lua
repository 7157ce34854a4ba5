-- A model that follows a script, on loopback, behind whichever API it is asked by: what an agent such
-- as Claude Code talks to instead of a real one. The script is a coroutine, which calls tools and
-- returns the last words of each turn:
--
--   local m = model.start(function(call, tools)
--     local said = call('mcp__oxide__read_file', { file_path = 'a.txt' })
--     return said.text
--   end)
--   ... an agent whose base URL is m.url, and so are its proxies
--
-- model_server.lua is for the exact bytes of a conversation that Oxide itself has with a model.
local model_format = require('model_format')
local model_server = require('model_server')

local M = {}

---@class test.Model
---@field url string
---@field elsewhere string[]   what the client wanted of others, by way of us as its proxy
---@field server test.ModelServer
---@field script thread
---@field turns integer

---@class test.ToolResult
---@field text string
---@field failed boolean   where the API says it

---@alias test.Call fun(name: string, input: table|string): test.ToolResult
---@alias test.Script fun(call: test.Call, tools: table<string, table>): string

local models = {} ---@type test.Model[]

---@param content string|table[]
---@return string
local function text_of(content)
  if type(content) == 'string' then
    return content
  end
  local texts = vim.tbl_map(function(block)
    return block.text or block.tool_name or ''
  end, content)
  return table.concat(texts, '\n')
end

---@class test.ModelApi
---@field path string      a pattern
---@field format string    as model_format.lua calls it
---@field title? string    what to say to who offers no tools
---@field tools fun(body: table): table[]   each with its name
---@field unlisted? fun(name: string): table   a tool that the model may call without having been shown it
---@field results fun(body: table): test.ToolResult[]   all that is in the conversation

--- One result for each of the messages, or of their parts, that is one.
---@param messages table[]
---@param parts_of fun(message: table): table[]
---@param read fun(part: table): test.ToolResult?
local function results_in(messages, parts_of, read)
  local results = {}
  for _, message in ipairs(messages) do
    for _, part in ipairs(parts_of(message)) do
      table.insert(results, read(part))
    end
  end
  return results
end

local anthropic = {
  path = '^/v1/messages$',
  format = 'anthropic',
  tools = function(body)
    return body.tools or {}
  end,
  results = function(body)
    return results_in(body.messages, function(message)
      return type(message.content) == 'table' and message.content or {}
    end, function(block)
      return block.type == 'tool_result'
          and { text = text_of(block.content), failed = block.is_error == true }
        or nil
    end)
  end,
}

local openai = {
  path = '/chat/completions$',
  format = 'openai',
  tools = function(body)
    return vim.tbl_map(function(tool)
      return tool['function']
    end, body.tools or {})
  end,
  results = function(body)
    return results_in({ body }, function()
      return body.messages
    end, function(message)
      return message.role == 'tool' and { text = text_of(message.content) } or nil
    end)
  end,
}

local responses = {
  path = '/responses$',
  format = 'openai-responses',
  title = '{"title":"a title"}',
  tools = function(body)
    local tools = {}
    if body.text and body.text.format then
      return tools -- a title is asked for, in this format
    end
    for _, tool in ipairs(body.tools or {}) do
      for _, inner in ipairs(tool.tools or { tool }) do
        local name = (tool.tools and tool.name .. '__' or '') .. (inner.name or inner.type)
        table.insert(tools, { name = name, own = inner.name, namespace = tool.tools and tool.name })
        tools[#tools].custom = inner.type == 'custom'
      end
    end
    return tools
  end,
  unlisted = function(name)
    local namespace, own = name:match('^(mcp__%w+)__(.*)$')
    return { namespace = namespace, own = own }
  end,
  results = function(body)
    return results_in({ body }, function()
      return body.input
    end, function(item)
      return item.output and { text = text_of(item.output) } or nil
    end)
  end,
}

local gemini = {
  path = ':streamGenerateContent$',
  format = 'gemini',
  tools = function(body)
    local tools = {}
    for _, group in ipairs(body.tools or {}) do
      vim.list_extend(tools, group.functionDeclarations or {})
    end
    return tools
  end,
  results = function(body)
    return results_in(body.contents, function(content)
      return content.parts
    end, function(part)
      local response = (part.functionResponse or {}).response
      return response
        and { text = response.output or vim.json.encode(response), failed = response.error ~= nil }
    end)
  end,
}

local APIS = { anthropic, openai, responses, gemini } ---@type test.ModelApi[]

--- Which of its models Gemini CLI is to take.
local CHOICE = { complexity_reasoning = 'none', complexity_score = 50 }

--- What agents ask besides, and what they are told.
local ASIDE = {
  [':generateContent$'] = {
    candidates = {
      {
        content = { role = 'model', parts = { { text = vim.json.encode(CHOICE) } } },
        finishReason = 'STOP',
      },
    },
  },
  ['/models$'] = { object = 'list', data = { { id = 'scripted', object = 'model' } }, models = {} },
  ['/count_tokens$'] = { input_tokens = 10 },
  [':countTokens$'] = { totalTokens = 10 },
}

--- The next turn of the conversation. A script that fails says so with its last words.
---@param m test.Model
---@param api test.ModelApi
---@param body table
---@return test.ModelSaid
local function go_on(m, api, body)
  local tools = {}
  for _, tool in ipairs(api.tools(body)) do
    tools[tool.name] = tool
  end
  if vim.tbl_isempty(tools) then
    return { text = api.title or 'a title' }
  end
  m.turns = m.turns + 1
  local results = api.results(body)
  local ok, said = coroutine.resume(m.script, m.turns > 1 and results[#results] or tools)
  if not ok then
    said = 'the script failed: ' .. said
  end
  if type(said) == 'string' then
    return { text = said }
  end
  local tool = tools[said.name] or api.unlisted and api.unlisted(said.name) or {}
  return {
    calls = {
      {
        id = 'call_' .. m.turns,
        name = tool.own or said.name,
        namespace = tool.namespace,
        custom = tool.custom,
        args = said.input,
      },
    },
  }
end

---@param m test.Model
---@param request test.ModelRequest
---@return test.ModelAnswer
local function reply(m, request)
  local path = request.path:match('^[^?]*')
  if not vim.startswith(path, '/') then
    table.insert(m.elsewhere, request.path)
    return { status = 403, body = '' }
  end
  for pattern, said in pairs(ASIDE) do
    if path:find(pattern) then
      return { body = vim.json.encode(said), headers = { ['content-type'] = 'application/json' } }
    end
  end
  for _, api in ipairs(APIS) do
    if path:find(api.path) then
      local stream = model_format.stream(api.format, go_on(m, api, request.body))
      return { body = stream, headers = { ['content-type'] = 'text/event-stream' } }
    end
  end
  return { status = 404, body = '{}' }
end

---@param script test.Script
---@return test.Model
function M.start(script)
  local server = model_server.start('')
  local m = { server = server, elsewhere = {}, turns = 0, url = server.url:gsub('/v1$', '') }
  m.script = coroutine.create(function(tools)
    return script(function(name, input)
      return coroutine.yield { name = name, input = input }
    end, tools)
  end)
  server.reply = function(request)
    return reply(m, request)
  end
  table.insert(models, m)
  return m
end

--- Ends every model that a test has left.
function M.cleanup()
  for _, m in ipairs(models) do
    m.server:stop()
  end
  models = {}
end

return M
