-- An event stream of 1 MB, as each kind of API sends it, read into the answer (events.c), against
-- vim.json.decode() of its events alone.
local bench = require('bench')

local BYTES = 1048576
local TIMES = 5 -- a round
local WORDS = { 'It', ' is', ' the', ' last', ' value', ',', ' which', ' `process', '_data', '`' }

-- One event with a piece of text, as recorded: %s is a string of JSON.
local FORMS = {
  openai = {
    piece = 'data: {"id":"chatcmpl-B9Mx","object":"chat.completion.chunk","created":1732400000,'
      .. '"model":"m","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":%s},'
      .. '"logprobs":null,"finish_reason":null}]}\n\n',
    ends = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  },
  anthropic = {
    piece = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
      .. '"delta":{"type":"text_delta","text":%s}}\n\n',
    begins = 'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
      .. '"content_block":{"type":"text","text":""}}\n\n',
    ends = 'event: message_delta\ndata: {"type":"message_delta","delta":'
      .. '{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}\n\n'
      .. 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  },
  ['openai-responses'] = {
    piece = 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta",'
      .. '"sequence_number":7,"item_id":"msg_1","output_index":0,"content_index":0,"delta":%s,'
      .. '"logprobs":[]}\n\n',
    begins = 'event: response.output_item.added\ndata: {"type":"response.output_item.added",'
      .. '"output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant",'
      .. '"content":[]}}\n\n',
    ends = 'event: response.completed\ndata: {"type":"response.completed",'
      .. '"response":{"status":"completed"}}\n\n',
  },
  gemini = {
    piece = 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":%s}]},"index":0}],'
      .. '"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":6,"totalTokenCount":16},'
      .. '"modelVersion":"m","responseId":"r1"}\n\n',
    ends = 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"."}]},'
      .. '"finishReason":"STOP"}]}\n\n',
  },
}

---@return string
local function stream_of(form)
  local out, bytes, i = { form.begins or '' }, 0, 0
  while bytes < BYTES do
    i = i + 1
    local event =
      form.piece:gsub('%%s', (vim.json.encode(WORDS[i % #WORDS + 1]):gsub('%%', '%%%%')))
    bytes = bytes + #event
    table.insert(out, event)
  end
  table.insert(out, form.ends)
  return table.concat(out)
end

--- The least of some times: what else runs on the machine only adds to them.
---@param provider string
---@param path string
---@return number ms
local function read_all(provider, path)
  local ran = vim
    .system({ bench.out .. '/bin/events', provider, path, tostring(TIMES) }, { text = true })
    :wait()
  assert(ran.code == 0, ran.stderr)
  local times = vim.tbl_map(tonumber, vim.split(vim.trim(ran.stdout), '\n'))
  return math.min(unpack(times))
end

---@param stream string
---@return number ms   likewise
local function decode_all(stream)
  local events, least = {}, math.huge
  for data in stream:gmatch('data: ({[^\n]*})\n') do
    table.insert(events, data)
  end
  for _ = 1, TIMES do
    collectgarbage() -- what the round before has left
    local begun = vim.uv.hrtime()
    for _, data in ipairs(events) do
      vim.json.decode(data)
    end
    least = math.min(least, (vim.uv.hrtime() - begun) / 1e6)
  end
  return least
end

return function()
  local rows = {}
  local path = bench.out .. '/events.txt'
  for _, provider in ipairs { 'openai', 'anthropic', 'openai-responses', 'gemini' } do
    local stream = stream_of(FORMS[provider])
    bench.write(path, stream)
    local ours, base = {}, {}
    for _ = 1, bench.rounds or 15 do
      table.insert(ours, read_all(provider, path))
      table.insert(base, decode_all(stream))
    end
    table.insert(rows, {
      what = ('an event stream of 1 MB read, %s'):format(provider),
      unit = 'ms',
      ours = ours,
      base = base,
      against = 'vim.json.decode() of its events',
      relation = 'ratio',
      goal = 0.5,
    })
  end
  return rows
end
