-- `make demo` without a terminal: the steps that a person would take, through the same functions
-- that :Oxide calls. Prints what comes back; ends with status 1 when a step fails.
local oxide = require('oxide')

local DEADLINE = 180000 -- milliseconds a step may take; clangd starts within the first

local function say(...)
  io.stdout:write(string.format(...), '\n')
  io.stdout:flush()
end

local function fail(...)
  io.stderr:write('oxide: error: ', string.format(...), '\n')
  vim.cmd('cquit 1')
end

local said ---@type string  what Oxide told the person last
---@diagnostic disable-next-line: duplicate-set-field
-- luacheck: ignore 122
vim.notify = function(text)
  said = text:gsub('^Oxide: ', '')
end

local last_progress ---@type string?
---@diagnostic disable-next-line: duplicate-set-field
require('oxide.ui').progress = function(p)
  local how_far = p.done and 'done' or p.percent >= 0 and p.percent .. ' %' or 'working'
  local line = p.title .. ': ' .. how_far
  if line ~= last_progress then
    say('   %s', line)
  end
  last_progress = line
end

--- Runs one step, and `meanwhile` until it has ended.
---@param what string
---@param verb string
---@param opts table
---@param meanwhile? fun()
---@return table result
local function step(what, verb, opts, meanwhile)
  local ended, err, result = false, nil, nil
  opts.on_done = function(e, r)
    ended, err, result = true, e, r
  end
  oxide[verb](opts)
  local in_time = vim.wait(DEADLINE, function()
    if said and said:find('^a review is waiting') then
      said = nil
      vim.cmd('Oxide review') -- while this script runs nothing opens by itself
    end
    if meanwhile then
      meanwhile()
    end
    return ended
  end, 10)
  if not in_time then
    fail('%s: no answer within %d s. Last message: %s', what, DEADLINE / 1000, said or 'none')
  elseif err then
    fail('%s: %s', what, err.message)
  end
  return result
end

---@return table<string, string> the project's files by name
local function tree()
  local files = {}
  for _, path in ipairs(vim.fn.glob('**/*', true, true)) do
    if vim.fn.isdirectory(path) == 0 then
      files[path] = vim.fn.readblob(path)
    end
  end
  return files
end

---@param before table<string, string>
---@return string[] names of the files that differ now
local function changed(before)
  local now, names = tree(), {}
  for path in pairs(vim.tbl_extend('keep', before, now)) do
    if before[path] ~= now[path] then
      table.insert(names, path)
    end
  end
  return names
end

---@param text string
local function indented(text)
  say('  %s', (vim.trim(text):gsub('\n', '\n  ')))
end

local WORDS = { 'error', 'warning', 'info', 'hint' }

local function show_diagnostics()
  say('\n1. What clangd complains about (:Oxide diagnostics project)')
  local result = step('diagnostics', 'diagnostics', { scope = 'project', open = false })
  local flat, last = result.flat, nil
  say('')
  for i, file in ipairs(flat.file) do
    local path = flat.files[file + 1]
    if path ~= last then
      say('  %s', vim.fn.fnamemodify(path, ':.'))
      last = path
    end
    local place = ('%d:%d'):format(flat.line[i], flat.column[i])
    local severity = WORDS[flat.severity[i]]
    say('    %-6s %-8s %s [%s]', place, severity, flat.message[i], flat.code[i])
  end
  say('\n  %s in %s', result.summary, require('oxide.ui').count(result.files, 'file'))
  if #flat.file == 0 then
    fail('diagnostics: the project has deliberate warnings, and none came')
  end
end

--- Opens the review, shows it and applies it with :w, as a person would.
local function rename()
  say('\n2. Rename process_data (:Oxide rename handle_data), shown before it happens')
  local reviewed = false
  local before = tree()
  local result = step('rename', 'rename', { name = 'handle_data' }, function()
    if not reviewed and vim.bo.filetype == 'oxide-review' then
      reviewed = true
      say('')
      indented(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'))
      if #changed(before) > 0 then
        fail('rename: files were changed before the review was accepted')
      end
      say('\n   :w\n')
      vim.cmd.write()
    end
  end)
  say('  %s', said)
  local names = changed(before)
  if not reviewed then
    fail('rename: several files, and no review was opened')
  elseif #names ~= result.files_changed then
    fail('rename: %d files differ, %d were told', #names, result.files_changed)
  end
  for _, place in ipairs(result.mentions or {}) do
    say('  left as it is: %s:%d: %s', place.file, place.line, place.text)
  end
end

---@param before table<string, string>
local function undo(before)
  say('\n3. Take it back (:Oxide undo)')
  step('undo', 'undo', {})
  say('\n  %s', said)
  local names = changed(before)
  if #names > 0 then
    fail('undo: not as before: %s', table.concat(names, ', '))
  end
  say('  All %d files are as they were, byte for byte.', vim.tbl_count(before))
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n'
end

local function format()
  say('\n4. Format src/main.c (:Oxide format)')
  local before = text()
  local result = step('format', 'format', {})
  local diff = ((vim.text or {}).diff or vim.diff)(before, text(), { ctxlen = 3 })
  say('')
  indented(diff)
  say('\n  %s', said)
  if (result.edits or 0) == 0 or diff == '' then
    fail('format: the file is not formatted, and nothing was changed')
  end
end

local function main()
  local clangd = vim.fn.system({ 'clangd', '--version' }):match('clangd version [%d.]+')
  say('oxide: Neovim %s, %s', tostring(vim.version()), clangd or 'clangd')
  say('oxide: the project is a copy, in %s', vim.fn.getcwd())
  vim.cmd('args src/*.c | silent argdo edit')
  vim.cmd.buffer('src/main.c')
  local before = tree()
  show_diagnostics()
  vim.fn.cursor(1, 1)
  vim.fn.search([[\<process_data\>]])
  rename()
  undo(before)
  format()
  say('\noxide: done; what was made is kept in %s', vim.fn.getcwd())
end

local ok, problem = xpcall(main, debug.traceback)
if not ok then
  fail('%s', problem)
end
vim.cmd('qall!')
