-- What a model or an agent did in a session: `:Oxide records`, a window whose rows lead to files.
local ui = require('oxide.ui')

local M = {}

---@class oxide.RecordsOpts
---@field session? string   the beginning of its name; without it, the latest
---@field open? boolean     false: do not show it
---@field mods? table       the modifiers of the command
---@field on_done? fun(err?: oxide.Error, record?: table)

---@class oxide.ExportOpts
---@field session? string   the beginning of its name; without it, the latest
---@field raw? boolean      with all that was printed, in base64
---@field on_done? fun(err?: oxide.Error, path?: string)

---@class oxide.RecordPlace
---@field path? string
---@field line? integer
---@field text? string[]   more of the row, to be shown

local LISTS = { 'messages', 'tool_calls', 'file_operations', 'shell_commands' }
local MARKS =
  { completed = '', failed = ': failed', denied = ': denied', interrupted = ': interrupted' }
local COMPLETE_MS = 1000 -- how long completion waits

local shown = {} ---@type table<integer, table<integer, oxide.RecordPlace>>   by buffer and line

---@param words string[]
---@return string[]
local function command(words)
  local paths = require('oxide.install_paths')
  local program = paths.find() or paths.candidates()[1]
  return vim.list_extend({ program.path, 'records', '--data', paths.runtime() }, words)
end

---@param words string[]
---@param cb fun(failure?: string, output?: string)
local function ask(words, cb)
  cb = require('oxide.messages').later(cb)
  vim.system(command(words), { text = true }, function(done)
    vim.schedule(function()
      if done.code == 0 then
        cb(nil, done.stdout)
      else
        cb(vim.trim((done.stderr:gsub('^oxide: ', ''))), nil)
      end
    end)
  end)
end

---@param text any
---@return string
local function first_line(text)
  return type(text) == 'string' and (text:match('^%s*([^\r\n]*)')) or ''
end

---@param cwd string
---@param path string
---@return string
local function short(cwd, path)
  local below = vim.startswith(path, cwd .. '/') and cwd ~= ''
  return below and path:sub(#cwd + 2) or path
end

--- The line that the change of a file begins at.
---@param row table
---@return integer?
local function line_of(row)
  local diff = type(row.change) == 'table' and row.change.diff
  local new, rest = (type(diff) == 'string' and diff or ''):match('@@ %-[%d,]+ %+(%d+)[^\n]*\n(.*)')
  if not new then
    return nil
  end
  local line = tonumber(new)
  for text in vim.gsplit(rest, '\n', { plain = true }) do
    if text:sub(1, 1) ~= ' ' then
      break
    end
    line = line + 1
  end
  return math.max(line, 1)
end

---@type table<string, fun(row: table, cwd: string): string, oxide.RecordPlace?>
local texts = {
  messages = function(row)
    local mark = row.role == 'user' and '> ' or row.role == 'thought' and '~ ' or ''
    return mark .. first_line(row.text), { text = vim.split(row.text, '\n') }
  end,
  tool_calls = function(row)
    local input = type(row.arguments) == 'table' and row.arguments or {}
    local what = first_line(input.file_path or input.filePath or input.path or input.command or '')
    local text = row.name .. (what ~= '' and ' ' .. what or '') .. (MARKS[row.status] or '')
    return text,
      { text = vim.split(vim.inspect(row.arguments) .. '\n\n' .. tostring(row.result), '\n') }
  end,
  file_operations = function(row, cwd)
    local path = row.path
    local text = ('  %s %s'):format(row.operation, short(cwd, path))
    local change = type(row.change) == 'table' and row.change or {}
    if change.new_path then
      path = change.new_path
      text = ('%s -> %s'):format(text, short(cwd, path))
    end
    if change.lines_added then
      text = ('%s +%d -%d'):format(text, change.lines_added, change.lines_removed or 0)
    end
    if row.unsure then
      text = text .. ', perhaps not its own'
    end
    return text, { path = path, line = line_of(row) }
  end,
  shell_commands = function(row)
    local ended = row.exit_code ~= vim.NIL and ('  exit %d'):format(row.exit_code) or ''
    local output = type(row.output) == 'string' and row.output or ''
    return '  $ ' .. first_line(row.command) .. ended,
      { text = vim.split(row.command .. '\n\n' .. output, '\n') }
  end,
}

--- All rows in the order of turns, then of time.
---@param record table
---@return { list: string, row: table }[]
local function rows_of(record)
  local rows = {}
  for place, list in ipairs(LISTS) do
    for i, row in ipairs(record[list]) do
      table.insert(rows, { list = list, row = row, place = place, i = i })
    end
  end
  local function time(one)
    return type(one.row.timestamp) == 'string' and one.row.timestamp or ''
  end
  table.sort(rows, function(a, b)
    local x, y = a.row.turn or 1, b.row.turn or 1
    if x ~= y then
      return x < y
    elseif time(a) ~= time(b) then
      return time(a) < time(b)
    elseif a.place ~= b.place then
      return a.place < b.place
    end
    return a.i < b.i
  end)
  return rows
end

---@param record table
---@return string[]
local function heading(record)
  local agent = record.agent
  local time = type(record.timestamp) == 'string'
    and record.timestamp:gsub('T', ' '):gsub('%.%d+Z$', ' UTC')
  return {
    ('# Oxide: %s, %s, in %s'):format(agent.name, time or record.session_id, record.cwd),
    '# <CR> opens   za folds   q closes',
  }
end

--- The record as text, and where its lines lead.
---@param record table
---@return string[] lines
---@return table<integer, oxide.RecordPlace> at
function M.lines(record)
  local lines, at = heading(record), {}
  local turn ---@type integer?
  for _, one in ipairs(rows_of(record)) do
    if (one.row.turn or 1) ~= turn then
      turn = one.row.turn or 1
      vim.list_extend(lines, { '', ('Turn %d'):format(turn) })
    end
    local text, place = texts[one.list](one.row, record.cwd)
    if vim.trim(text) ~= '' then
      table.insert(lines, '  ' .. text)
      at[#lines] = place
    end
  end
  if turn == nil then
    table.insert(lines, 'nothing was recorded')
  end
  return lines, at
end

--- Of 'foldexpr': a turn is a fold.
---@param line integer
---@return string
function M.fold(line)
  local text = vim.fn.getline(line)
  return text:match('^Turn %d') and '>1' or (text == '' or line <= 2) and '0' or '='
end

--- A window for a file: not that of the list.
---@param path string
---@param line? integer
local function open_file(path, line)
  local list = vim.api.nvim_get_current_win()
  vim.cmd.wincmd('p')
  local win = vim.api.nvim_get_current_win()
  if win == list or vim.bo[vim.api.nvim_win_get_buf(win)].buftype ~= '' then
    require('oxide.scratch').split { mods = { split = 'topleft' } }
  end
  if require('oxide.scratch').edit(path) and line then
    vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(0)), 0 })
  end
end

---@param buf integer
---@param cwd string
local function follow(buf, cwd)
  local place = (shown[buf] or {})[vim.fn.line('.')]
  if place and place.path then
    local path = place.path:sub(1, 1) == '/' and place.path or vim.fs.joinpath(cwd, place.path)
    if vim.uv.fs_stat(path) then
      open_file(path, place.line)
    else
      ui.notify(path .. ' is not there any more')
    end
  elseif place and place.text then
    require('oxide.scratch').open('record/row', place.text)
  end
end

---@param record table
---@param mods? table
local function show(record, mods)
  local lines, at = M.lines(record)
  local buf = require('oxide.scratch').open('records', lines, mods)
  shown = { [buf] = at }
  vim.bo[buf].filetype = 'oxide-records'
  vim.wo[0][0].wrap = false
  vim.wo[0][0].foldmethod = 'expr'
  vim.wo[0][0].foldexpr = "v:lua.require'oxide.records'.fold(v:lnum)"
  vim.wo[0][0].foldlevel = 99
  vim.keymap.set('n', '<CR>', function()
    follow(buf, record.cwd)
  end, { buffer = buf, nowait = true, desc = 'Oxide: open what this row is about' })
  vim.api.nvim_win_set_cursor(0, { math.min(4, #lines), 0 })
end

---@param opts oxide.RecordsOpts
function M.run(opts)
  ask(opts.session and { opts.session } or { '--json' }, function(failure, output)
    local err = failure and { code = 'not_found', message = failure } or nil
    local record = output and vim.json.decode(output)
    if err then
      ui.error(err)
    elseif opts.open ~= false then
      show(record, opts.mods)
    end
    if opts.on_done then
      opts.on_done(err, record)
    end
  end)
end

--- Writes a record as one JSON file, and says where.
---@param opts oxide.ExportOpts
function M.export(opts)
  local words = { '--export' }
  vim.list_extend(words, opts.raw and { '--raw' } or {})
  vim.list_extend(words, opts.session and { opts.session } or {})
  ask(words, function(failure, output)
    local err = failure and { code = 'io', message = failure } or nil
    local path = output and vim.trim(output)
    if err then
      ui.error(err)
    else
      ui.notify('Exported to ' .. path)
    end
    if opts.on_done then
      opts.on_done(err, path)
    end
  end)
end

--- Of those that are kept, the latest first; for completion, which has to wait for it.
---@return string[]
function M.sessions()
  local done = vim.system(command {}, { text = true }):wait(COMPLETE_MS)
  local names = {}
  for line in (done.stdout or ''):gmatch('[^\n]+') do
    table.insert(names, line:match('^%S+  (%S+)'))
  end
  return names
end

return M
