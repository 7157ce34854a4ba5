-- Transcripts: a file for each conversation, a row of JSON for each message, written as soon as the
-- message is complete. Nobody else can read them.
--
--     {"chat": 1, "directory": "/home/me/project", "model": "fast"}
--     {"message": "{...}", "sent": {...}}   what was said: JSON of the core (llm/chat.h)
--     {"message": "{...}", "lines": {"c1": "edit_file a.c:2 +1 -1"}}
--     {"keep": 1}                           the messages behind that many are forgotten
local ui = require('oxide.ui')

local M = {}

M.VERSION = 1

local decode = { luanil = { object = true, array = true } }

---@return string
function M.directory()
  return vim.fn.stdpath('state') .. '/oxide/chats'
end

---@return string[] paths, the latest first
local function files()
  local found = vim.fn.glob(M.directory() .. '/*.jsonl', true, true)
  table.sort(found, function(a, b)
    return a > b
  end)
  return found
end

--- The oldest go when there are too many.
local function prune()
  local most = require('oxide.config').get('chat.kept')
  for i, path in ipairs(files()) do
    if i > most then
      vim.uv.fs_unlink(path)
    end
  end
end

---@param path string
---@param row table
---@return string? problem
local function write(path, row)
  local file, why = vim.uv.fs_open(path, 'a', 384) -- 0600
  if not file then
    return why
  end
  local _, problem = vim.uv.fs_write(file, vim.json.encode(row) .. '\n')
  vim.uv.fs_close(file)
  return problem
end

---@param talk oxide.Talk
---@return string? problem
local function create(talk)
  local name = ('%s-%d-%d.jsonl'):format(os.date('%Y%m%d-%H%M%S'), vim.uv.os_getpid(), talk.number)
  local ok, why = pcall(vim.fn.mkdir, M.directory(), 'p', 448) -- 0700
  if not ok then
    return tostring(why)
  end
  talk.file = M.directory() .. '/' .. name
  prune()
  local head = { chat = M.VERSION, directory = vim.fn.getcwd(), model = talk.model }
  return write(talk.file, head)
end

---@param talk oxide.Talk
---@param row oxide.ChatRow
function M.append(talk, row)
  if require('oxide.config').get('chat.kept') == 0 then
    return
  end
  local problem = not talk.file and create(talk) or write(talk.file, row)
  if problem then
    ui.notify_once('chat.store', 'the conversation is not kept: ' .. problem)
  end
end

---@param path string
---@return string? text
---@return string? why not
local function read_text(path)
  local file, why = io.open(path, 'rb')
  if not file then
    return nil, why
  end
  local text = file:read('*a')
  file:close()
  return text
end

---@class oxide.Transcript
---@field path string
---@field model string
---@field directory string
---@field rows oxide.ChatRow[]

--- Reads one; what a kill has left of its last row is passed over.
---@param path string
---@return oxide.Transcript? transcript
---@return string? why not
function M.read(path)
  local text, why = read_text(path)
  if not text then
    return nil, why
  end
  local transcript = { path = path, rows = {} } ---@type oxide.Transcript
  for line in text:gmatch('([^\n]+)\n') do
    local ok, row = pcall(vim.json.decode, line, decode)
    if ok and row.chat then
      transcript.model, transcript.directory = row.model, row.directory
      if row.chat ~= M.VERSION then
        return nil, path .. ' is of another version of Oxide'
      end
    elseif ok and row.keep then
      transcript.rows = vim.list_slice(transcript.rows, 1, row.keep)
    elseif ok and row.message then
      table.insert(transcript.rows, row)
    end
  end
  if not transcript.model then
    return nil, path .. ' is not a transcript'
  end
  if text:sub(-1) ~= '\n' then
    local file = io.open(path, 'ab')
    if file then
      file:write('\n')
      file:close()
    end
  end
  return transcript
end

---@class oxide.KeptChat
---@field path string
---@field title string   when, with which model, the first words

--- Those that can be taken up again, the latest first.
---@return oxide.KeptChat[]
function M.list()
  local kept = {} ---@type oxide.KeptChat[]
  for _, path in ipairs(files()) do
    local file = io.open(path, 'rb')
    local head, first = file and file:read('*l'), file and file:read('*l')
    local ok, about = pcall(vim.json.decode, head or '', decode)
    local said, row = pcall(vim.json.decode, first or '', decode)
    if file then
      file:close()
    end
    if ok and said and about.chat and row.sent then
      local y, m, d, h, min = vim.fs.basename(path):match('^(%d%d%d%d)(%d%d)(%d%d)%-(%d%d)(%d%d)')
      local elsewhere = about.directory ~= vim.fn.getcwd()
          and '  ' .. vim.fn.fnamemodify(about.directory, ':~')
        or ''
      table.insert(kept, {
        path = path,
        title = ('%s-%s-%s %s:%s  %s  %s%s'):format(
          y,
          m,
          d,
          h,
          min,
          about.model,
          row.sent.words:match('^[^\n]*'):sub(1, 60),
          elsewhere
        ),
      })
    end
  end
  return kept
end

return M
