-- A model's server on loopback that streams at a pace, in a process of its own:
--
--     nvim -l model.lua      prints its port, then for each answer when its first byte was written
--
-- What comes is said by the name of the model that is asked: `4000@66000` is 4,000 bytes of words,
-- 66,000 of them a second; `4000@0` all of them at once.
local WORDS = { 'It', ' is', ' the', ' last', ' value', ',', ' which', ' `n`', ' has', '.' }
local LINE, PARAGRAPH = 20, 120 -- words
local PARAGRAPHS, CODE = 20, 120 -- and then so many lines of code
local TICK_MS = 5

local EVENT = 'data: {"choices":[{"index":0,"delta":{"content":%s}}]}\n\n'
local ENDS = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

local events = {}

---@param text string
local function add(text)
  table.insert(events, { bytes = #text, text = EVENT:format(vim.json.encode(text)) })
end

for i = 1, PARAGRAPH * PARAGRAPHS do
  local word = WORDS[i % #WORDS + 1] .. (i % LINE == 0 and '\n' or '')
  add(word .. (i % PARAGRAPH == 0 and '\n' or ''))
end
add('```c\n')
for i = 1, CODE do
  add(('static int f%d(int x) { return x + %d; }\n'):format(i, i))
end
add('```\n\n')

---@param number integer
local function tell(number)
  io.stdout:write(('%d\n'):format(number))
  io.stdout:flush()
end

---@param client uv.uv_tcp_t
---@param bytes integer
---@param pace integer   bytes a second; 0: all at once
local function stream(client, bytes, pace)
  local timer, begun = assert(vim.uv.new_timer()), vim.uv.hrtime()
  local said, at = 0, 0
  tell(begun)
  timer:start(0, TICK_MS, function()
    local due = pace == 0 and bytes or (vim.uv.hrtime() - begun) / 1e9 * pace + 1
    local out = {}
    while said < math.min(due, bytes) do
      at = at % #events + 1
      said = said + events[at].bytes
      table.insert(out, events[at].text)
    end
    if said >= bytes then
      table.insert(out, ENDS)
      timer:close()
    end
    client:write(table.concat(out))
    if said >= bytes then
      client:shutdown(function()
        client:close()
      end)
    end
  end)
end

local listener = assert(vim.uv.new_tcp())
listener:bind('127.0.0.1', 0)
listener:listen(16, function()
  local client = assert(vim.uv.new_tcp())
  listener:accept(client)
  local got, length = {}, 0
  client:read_start(function(err, bytes)
    if err or not bytes then
      return client:close()
    end
    table.insert(got, bytes)
    length = length + #bytes
    local head = got[1]:match('^.-\r\n\r\n')
    local wanted = head and tonumber(head:lower():match('content%-length: (%d+)'))
    if not wanted or length < #head + wanted then
      return
    end
    client:read_stop()
    local count, pace = table.concat(got):match('"model": *"(%d+)@(%d+)"')
    client:write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n')
    stream(client, tonumber(count), tonumber(pace))
  end)
end)
tell(listener:getsockname().port)
vim.wait(2 ^ 31 - 1, function()
  return false
end, 10000)
