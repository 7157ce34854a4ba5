-- Transcripts: a file for each conversation, a row of JSON for each message, written as soon as the
-- message is complete. Nobody else can read them.
--
--     {"chat": 1, "directory": "/home/me/project", "model": "fast"}
--     {"message": "{...}", "sent": {...}}   what was said: JSON of the core (llm/chat.h)
--     {"message": "{...}", "lines": {"c1": "edit_file a.c:2 +1 -1"}}
--     {"session": "..."}                    of an agent, from here on
--     {"keep": 1}                           the messages behind that many are forgotten
local chat_file = require('oxide.chat.file')
local ui = require('oxide.ui')

local M = {}

M.VERSION = 1

local decode = { luanil = { object = true, array = true } }

--- Where the core has its state: `oxide chat` keeps its conversations there too.
---@return string
function M.directory()
  local state = vim.env.XDG_STATE_HOME or ''
  state = vim.startswith(state, '/') and state or vim.fn.expand('~/.local/state')
  return state .. '/oxide/chats'
end

---@return string[] paths, the latest first
local function files()
  local found = vim.fn.glob(M.directory() .. '/*.jsonl', true, true)
  local before = vim.fn.stdpath('state') .. '/oxide/chats' -- where Neovim's were until 2026
  vim.list_extend(found, vim.fn.glob(before .. '/*.jsonl', true, true))
  table.sort(found, function(a, b)
    return vim.fs.basename(a) > vim.fs.basename(b)
  end)
  return found
end

--- The oldest go when there are too many.
local function prune()
  local most = require('oxide.config').get('chat.kept')
  for i, path in ipairs(files()) do
    if i > most then
      chat_file.delete(path)
    end
  end
end

---@param talk oxide.Talk
---@return string? path
---@return string? problem
local function new_path(talk)
  local name = ('%s-%d-%d'):format(os.date('%Y%m%d-%H%M%S'), vim.uv.os_getpid(), talk.number)
  local ok, why = pcall(vim.fn.mkdir, M.directory(), 'p', 448) -- 0700
  if not ok then
    return nil, tostring(why)
  end
  local path = ('%s/%s.jsonl'):format(M.directory(), name)
  return path == talk.file and path:gsub('%.jsonl$', '-again%0') or path
end

--- Writes all of it to a file of its own. One that it had, and that the disk had no room for, goes.
---@param talk oxide.Talk
---@return string? problem
local function create(talk)
  local path, why = new_path(talk)
  if not path then
    return why
  end
  local file, problem = chat_file.open(path, 'ax')
  if not file then
    return problem or path .. ' is in use'
  end
  local head =
    { chat = M.VERSION, directory = vim.fn.getcwd(), model = talk.model, session = talk.session }
  for _, row in ipairs(vim.list_extend({ head }, talk.rows)) do
    problem = problem or chat_file.write(file, row)
  end
  if problem then
    vim.uv.fs_unlink(path)
    vim.uv.fs_close(file)
    return ('%s: %s'):format(path, problem)
  end
  if talk.output then
    vim.uv.fs_close(talk.output)
    chat_file.delete(talk.file)
  end
  talk.file, talk.output = path, file
  prune()
end

--- Keeps a row that is the last one of `talk.rows`, or is about them. Where the disk has no room, it
--- tries again with all of them when the next one comes.
---@param talk oxide.Talk
---@param row oxide.ChatRow
function M.append(talk, row)
  if require('oxide.config').get('chat.kept') == 0 then
    return
  end
  local problem
  if talk.output and not talk.unkept then
    problem = chat_file.write(talk.output, row)
    problem = problem and ('%s: %s'):format(talk.file, problem)
  else
    problem = create(talk)
  end
  talk.unkept = problem ~= nil
  if problem then
    ui.notify_once(
      'chat.store',
      ('this conversation is not kept: %s; :w {file} writes what its window shows'):format(problem)
    )
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
---@field output? integer   to write to it; nil: another Neovim or a shell does
---@field model string
---@field directory string
---@field session? string   of an agent
---@field rows oxide.ChatRow[]

--- The shell keeps what was shown with a message in the message alone.
---@param row oxide.ChatRow
local function complete(row)
  if not row.sent or row.sent.shown then
    return
  end
  row.sent.shown = {}
  for _, part in ipairs(vim.json.decode(row.message, decode).parts) do
    if part.kind == 'shown' then
      table.insert(row.sent.shown, { heading = part.name, text = part.text })
    end
  end
end

local ROLES = { person = true, model = true, tools = true }

---@param text string   JSON of the core
---@return boolean
local function is_message(text)
  local ok, message = pcall(vim.json.decode, text, decode)
  return ok and type(message) == 'table' and ROLES[message.role] and type(message.parts) == 'table'
end

---@param transcript oxide.Transcript
---@param row table
---@return string? problem
local function take_row(transcript, row)
  if row.chat then
    transcript.model, transcript.directory = row.model, row.directory
    transcript.session = row.session
    return row.chat ~= M.VERSION and transcript.path .. ' is of another version of Oxide' or nil
  elseif row.session then
    transcript.session = row.session
  elseif row.keep then
    transcript.rows = vim.list_slice(transcript.rows, 1, row.keep)
  elseif row.message then
    if not is_message(row.message) then
      local said = '%s: its message %d cannot be read; :Oxide chat new begins another conversation'
      return said:format(transcript.path, #transcript.rows + 1)
    end
    complete(row)
    table.insert(transcript.rows, row)
  end
end

--- The row of JSON that a line is, if it is one.
---@param line? string
---@return table?
local function decoded(line)
  local ok, row = pcall(vim.json.decode, line or '', decode)
  return ok and type(row) == 'table' and row or nil
end

---@param path string
---@param output? integer
---@return oxide.Transcript? transcript
---@return string? why not
local function read(path, output)
  local text, why = read_text(path)
  if not text then
    return nil, why
  end
  local transcript = { path = path, output = output, rows = {} } ---@type oxide.Transcript
  for line in text:gmatch('([^\n]+)\n') do
    local row = decoded(line)
    local problem = row and take_row(transcript, row)
    if problem then
      return nil, problem
    end
  end
  if not transcript.model then
    return nil, path .. ' is not a transcript'
  end
  if output and text:sub(-1) ~= '\n' then
    vim.uv.fs_write(output, '\n')
  end
  return transcript
end

--- Reads one, to go on with it; what a kill has left of its last row is passed over.
---@param path string
---@return oxide.Transcript? transcript
---@return string? why not
function M.resume(path)
  local output, problem = chat_file.open(path, 'a')
  if problem then
    return nil, problem
  end
  local transcript, why = read(path, output)
  if output and not transcript then
    vim.uv.fs_close(output)
  end
  return transcript, why
end

---@class oxide.KeptChat
---@field path string
---@field title string   when, with which model, the first words

--- "2026-11-20 10:10  fast  why is this slow?  ~/project", without the directory where it is this one.
---@param path string
---@param head table
---@param words string
---@return string
local function title_of(path, head, words)
  local name = vim.fs.basename(path)
  local when, times = name:gsub('^(%d%d%d%d)(%d%d)(%d%d)%-(%d%d)(%d%d).*', '%1-%2-%3 %4:%5')
  local parts = { times > 0 and when or name, head.model, words:match('^[^\n]*'):sub(1, 60) }
  if head.directory ~= vim.fn.getcwd() then
    table.insert(parts, vim.fn.fnamemodify(head.directory, ':~'))
  end
  return table.concat(parts, '  ')
end

--- Those that can be resumed, the latest first. A file that is no transcript, or has no message, is
--- passed over.
---@return oxide.KeptChat[]
function M.list()
  local kept = {} ---@type oxide.KeptChat[]
  for _, path in ipairs(files()) do
    local file = io.open(path, 'rb')
    if file then
      local head, first = decoded(file:read('*l')), decoded(file:read('*l'))
      file:close()
      local sent = first and first.sent
      if head and head.chat and head.model and head.directory and sent and sent.words then
        table.insert(kept, { path = path, title = title_of(path, head, sent.words) })
      end
    end
  end
  return kept
end

return M
