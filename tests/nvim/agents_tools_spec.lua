-- What agents of other makers print and log of more of their tools than agents_print_spec.lua has:
-- files written over, moved and deleted, changes that do not fit, searches, commands that are killed or
-- go to the background.
local agents = require('agents')
local fault = require('fault')
local helper = require('helper')
local model = require('model')
local record = require('record')
local relay = require('relay')

local PATCH = [[*** Begin Patch
*** Update File: %s/a.txt
*** Move to: %s/moved.txt
@@
-one
+ONE
*** Delete File: %s/gone.txt
*** Add File: %s/new.txt
+new
*** End Patch
]]

-- The calls that the model makes; {dir} is the project.
local CALLS = {
  claude = {
    { 'Read', { file_path = '{dir}/a.txt' } },
    { 'Write', { file_path = '{dir}/a.txt', content = 'one\ntwo two\n' } },
    {
      'Edit',
      { file_path = '{dir}/a.txt', old_string = 'two', new_string = '2', replace_all = true },
    },
    { 'Edit', { file_path = '{dir}/a.txt', old_string = 'not there', new_string = 'x' } },
    { 'Grep', { pattern = 'one', path = '{dir}' } },
    { 'Glob', { pattern = '*.txt' } },
    { 'Bash', { command = 'echo behind', description = 'b', run_in_background = true } },
    { 'Bash', { command = 'kill -9 $$', description = 'k' } },
  },
  codex = {
    { 'apply_patch', PATCH },
    {
      'apply_patch',
      '*** Begin Patch\n*** Update File: {dir}/moved.txt\n@@\n-none\n+x\n*** End Patch\n',
    },
    { 'exec_command', { cmd = 'kill -9 $$' } },
    { 'update_plan', { plan = { { step = 'look', status = 'completed' } } } },
  },
  gemini = {
    { 'read_file', { file_path = '{dir}/a.txt' } },
    { 'write_file', { file_path = '{dir}/a.txt', content = 'one\ntwo two\n' } },
    {
      'replace',
      { file_path = '{dir}/a.txt', old_string = 'none', new_string = 'x', instruction = 'i' },
    },
    { 'glob', { pattern = '*.txt' } },
    { 'grep_search', { pattern = 'one' } },
    { 'run_shell_command', { command = 'kill -9 $$', description = 'k' } },
  },
  opencode = {
    { 'read', { filePath = '{dir}/a.txt' } },
    { 'write', { filePath = '{dir}/a.txt', content = 'one\ntwo two\n' } },
    { 'edit', { filePath = '{dir}/a.txt', oldString = 'two', newString = '2', replaceAll = true } },
    { 'edit', { filePath = '{dir}/a.txt', oldString = 'none', newString = 'x' } },
  },
}

-- What is to be found of them: in the stream, and in the log where that has more.
local RECORDS = {
  claude = {
    stream = [[
Read completed
Write denied
Edit completed
Edit failed
Grep failed
Glob failed
Bash completed
Bash failed
read a.txt
modify a.txt +1 -1
echo behind: ?
kill -9 $$: 1
]],
  },
  codex = {
    stream = [[
apply_patch completed
shell failed
modify a.txt
delete gone.txt
create new.txt
kill -9 $$: 137
]],
    log = [[
apply_patch completed
apply_patch failed
shell failed
update_plan failed
rename a.txt +1 -1
delete gone.txt +0 -2
create new.txt +1 -0
kill -9 $$: 137
]],
  },
  gemini = {
    stream = [[
read_file completed
write_file completed
replace failed
glob completed
grep_search completed
run_shell_command completed
read a.txt
write a.txt
kill -9 $$: ?
]],
    log = [[
read_file completed
write_file completed
replace failed
glob completed
grep_search completed
run_shell_command completed
read a.txt
modify a.txt +1 -1
kill -9 $$: ?
]],
  },
  opencode = {
    stream = [[
read completed
write completed
edit completed
edit failed
read a.txt
modify a.txt
modify a.txt +1 -1
]],
  },
}

local function with_dir(value, dir)
  if type(value) == 'table' then
    return vim.tbl_map(function(one)
      return with_dir(one, dir)
    end, value)
  end
  return type(value) == 'string' and value:gsub('{dir}', dir):gsub('%%s', dir) or value
end

for name, agent in vim.spairs(agents.all) do
  describe(agent.title .. ' with more of its tools', function()
    if not agents.brought(name) then
      pending('npm brings no ' .. agent.title .. ' here')
      return
    end

    local seat ---@type test.Seat
    local done ---@type table

    lazy_setup(function()
      seat = { home = helper.tempdir(), run = helper.tempdir(), dir = helper.tempdir() }
      helper.write(seat.dir .. '/a.txt', 'one\ntwo\n')
      helper.write(seat.dir .. '/gone.txt', 'one\ntwo\n')
      seat.model = model.start(function(call)
        for _, one in ipairs(CALLS[name]) do
          call(one[1], with_dir(one[2], seat.dir))
        end
        return 'the last words'
      end)
      agent.settle(seat)
      agents.ask(seat, name, 'go on', function(ended)
        done = ended
      end)
      fault.wait(agent.title .. ' to end', function()
        return done
      end)
    end)
    lazy_teardown(function()
      model.cleanup()
      for _, dir in ipairs { seat.home, seat.run, seat.dir } do
        vim.fn.delete(dir, 'rf')
      end
    end)

    local function summary(kind, file)
      local argv = { helper.core, 'records', '--reader', name, '--kind', kind, file }
      local read = vim.system(argv, { env = relay.env(seat.home, seat.run) }):wait()
      assert.equal(0, read.code, read.stderr)
      return record.summary(record.read(read.stdout), seat.dir)
    end

    it('is recorded by what it prints', function()
      local file = seat.home .. '/printed'
      helper.write(file, done.stdout)
      assert.equal(RECORDS[name].stream, summary('stream', file))
    end)

    if agent.log then
      it('is recorded by its session log', function()
        local file = vim.fn.glob(seat.home .. '/' .. agent.log)
        assert.equal(RECORDS[name].log or RECORDS[name].stream, summary('log', file))
      end)
    end
  end)
end
