-- Runs the parts that are named, prints the table and, when asked, writes doc/benchmarks.md.
local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
package.path = here .. '/?.lua;' .. package.path

local bench = require('bench')
local idle = require('idle')
local table_of = require('report')

local PARTS = {
  'rename',
  'edits',
  'diagnostics',
  'empty',
  'startup',
  'own',
  'gate',
  'latency',
  'warm',
  'commit',
  'apply',
  'number',
  'watch',
  'run',
  'mcp',
  'ide',
  'seed',
  'events',
  'chat',
}

local function usage(word)
  io.stderr:write(
    ("run.sh: '%s' is unknown; parts are %s\n"):format(word, table.concat(PARTS, ', '))
  )
  os.exit(2)
end

local chosen, write = {}, false
local i = 1
while arg[i] do
  if arg[i] == '--write' then
    write = true
  elseif arg[i] == '--rounds' and tonumber(arg[i + 1]) then
    bench.rounds = tonumber(arg[i + 1])
    i = i + 1
  elseif vim.list_contains(PARTS, arg[i]) then
    table.insert(chosen, arg[i])
  else
    usage(arg[i])
  end
  i = i + 1
end
if #chosen == 0 then
  chosen = PARTS
end

local rows, looks = {}, {}
for _, part in ipairs(chosen) do
  io.stderr:write(part, ' ...\n')
  table.insert(looks, idle.look('before ' .. part))
  local ok, result = xpcall(require('part_' .. part), debug.traceback)
  bench.stop_all()
  if not ok then
    io.stderr:write(result, '\n')
    os.exit(1)
  end
  vim.list_extend(rows, result)
end

table.insert(looks, idle.look('at the end'))
local state = idle.words(looks)
print(table_of.lines(rows) .. '\n\n' .. state)
if write then
  table_of.write(bench.root .. '/doc/benchmarks.md', rows, state)
end
os.exit(0)
