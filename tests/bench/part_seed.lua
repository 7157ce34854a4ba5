-- 10,000 replacements in 100 files: `oxide call multi_edit --yes` as a whole process, its durable
-- commit included, against the algorithm of seed.py without the start of its interpreter.
local bench = require('bench')
local process = require('process')
local tree = require('tree')

local FILES, LINES, EDITS = 100, 100000, 10000

---@param t bench.Tree
---@return table[] operations of multi_edit
local function operations(t)
  local list = {}
  for path, text in pairs(t.before) do
    local after = vim.gsplit(t.after[path], '\n', { plain = true })
    for line in vim.gsplit(text, '\n', { plain = true }) do
      local now = after()
      if line ~= now then
        table.insert(
          list,
          { edit_type = 'replace', file_path = path, old_string = line, new_string = now }
        )
      end
    end
  end
  return list
end

local function seed(t, input)
  local ran = vim
    .system({ 'python3', bench.root .. '/tests/bench/seed.py', t.dir, input }, { text = true })
    :wait()
  assert(ran.code == 0, ran.stderr)
  return assert(tonumber(vim.trim(ran.stdout)))
end

return function()
  if vim.fn.executable('python3') == 0 then
    io.stderr:write('  left out: there is no python3\n')
    return {}
  end
  local t = tree.new('seed', FILES, LINES, EDITS)
  local input = t.dir .. '.json'
  bench.write(input, vim.json.encode { operations = operations(t) })
  local ours, theirs = {}, {}
  for round = 0, bench.rounds or 5 do
    t:restore()
    local ms = seed(t, input)
    t:must_be_changed('seed.py')
    t:restore()
    local cmd = { bench.core, 'call', 'multi_edit', '--root', t.dir, '--yes', '-' }
    local this = process.timed(t.dir, input, cmd)
    t:must_be_changed('oxide')
    if round > 0 then
      table.insert(theirs, ms)
      table.insert(ours, this.ms)
    end
  end
  vim.fn.delete(t.dir, 'rf')
  vim.fn.delete(input)
  return {
    {
      what = '10,000 replacements in 100 files',
      unit = 'ms',
      ours = ours,
      base = theirs,
      against = 'the plain algorithm of seed.py',
      relation = 'faster',
      goal = 120,
    },
  }
end
