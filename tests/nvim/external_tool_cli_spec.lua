-- External tools as the requirement for them has it, in scenarios by its names: how a tool is
-- started, what is known of it, and what is written of that. Its other scenarios are in run_cli_spec.lua
-- (terminal, input, output, state, end), run_faults_cli_spec.lua (faults), agents_cli_spec.lua (another
-- tool, its settings), records_spec.lua (export) and test_pty_end.c (resources).
local crash = require('crash')
local fault = require('fault')
local helper = require('helper')
local pty = require('pty')
local record = require('record')

local base, env ---@type string, table<string, string>

---@param words string[]
---@param opts? table   of vim.system()
---@return vim.SystemCompleted
local function oxide(words, opts)
  return vim
    .system(
      vim.list_extend({ helper.core }, words),
      vim.tbl_extend('force', { cwd = base, env = env, stdin = false }, opts or {})
    )
    :wait(helper.deadline)
end

-- A tool that prints rows as JSON, of which each says when it happened.
local TOOL = [[
return {
  executable = 'sh',
  terminal = {},
  env = { set = { COLOUR = 'red' }, unset = { 'SECRET_*' } },
  reader = function(report)
    return function(line)
      local v = report.decode(line) or {}
      if report[v.row] then
        report[v.row](v)
      end
    end
  end,
}]]

--- The latest first.
local ROWS = {
  {
    row = 'shell_command',
    command = 'make',
    exit_code = 2,
    output = 'no rule',
    tool_call_id = '2',
    timestamp = '2026-03-01T10:00:05Z',
  },
  {
    row = 'tool_call',
    id = '2',
    name = 'run',
    arguments = { command = 'make' },
    result = 'no rule',
    status = 'failed',
    timestamp = '2026-03-01T10:00:04Z',
  },
  {
    row = 'file_operation',
    operation = 'rename',
    path = 'a.c',
    change = { new_path = 'b.c' },
    timestamp = '2026-03-01T10:00:03Z',
  },
  {
    row = 'file_operation',
    operation = 'modify',
    path = 'a.c',
    change = { diff = '@@ -1 +1 @@\n-a\n+b\n', lines_added = 1, lines_removed = 1 },
    tool_call_id = '1',
    timestamp = '2026-03-01T10:00:02Z',
  },
  {
    row = 'tool_call',
    id = '1',
    name = 'edit',
    arguments = { path = 'a.c' },
    result = 'done',
    status = 'completed',
    timestamp = '2026-03-01T10:00:01Z',
    duration_ms = 7,
  },
}
local PRINTED = table.concat(vim.tbl_map(vim.json.encode, ROWS), '\n') .. '\n'

--- The record of the tool, held to its schema.
local function recorded()
  helper.write(base .. '/config/oxide/agents/tool.lua', TOOL)
  helper.write(base .. '/rows', PRINTED)
  oxide { 'run', '--name', 'tool', '--json', 'r.json', '--', 'sh', '-c', 'cat rows; exit 3' }
  return record.read(helper.read(base .. '/r.json'))
end

local function log()
  return helper.read(base .. '/state/oxide/oxide.log')
end

describe('external tools', function()
  before_each(function()
    base = helper.tempdir()
    env = helper.env(base)
  end)

  after_each(function()
    vim.fn.delete(base, 'rf')
  end)

  it('Scenario "several platforms": the system has its own terminals, in one place', function()
    assert.matches('^/dev/%a+', oxide({ 'run', '--', 'tty' }).stdout)
    local users = vim.fn.systemlist(
      ('grep -rlE "posix_openpt|TIOCSCTTY|forkpty" %s/native'):format(helper.root)
    )
    for i, path in ipairs(users) do
      users[i] = path:sub(#helper.root + 2)
    end
    table.sort(users)
    assert.same({ 'native/io/pty.c', 'native/io/spawn.c' }, users)
  end)

  it('Scenario "start a process": on a terminal, with its environment and directory', function()
    helper.write(base .. '/config/oxide/agents/tool.lua', TOOL)
    vim.fn.mkdir(base .. '/sub')
    env.SECRET_KEY = 'k'
    local script = 'for i in 0 1 2; do test -t $i || exit 9; done; echo in >/dev/tty; pwd; '
      .. 'echo "$COLOUR-$SHADE-$SECRET_KEY-"'
    local done = oxide(
      { 'run', '--name', 'tool', '--env', 'SHADE=dark', '--', 'sh', '-c', script },
      { cwd = base .. '/sub' }
    )
    assert.equal(('in\r\n%s/sub\r\nred-dark--\r\n'):format(base), done.stdout)
    assert.equal(0, done.code)
  end)

  it('Scenario "structure of a tool call": name, arguments, result, time', function()
    local call = recorded().tool_calls[1]
    assert.same({ '1', 'edit', { path = 'a.c' } }, { call.id, call.name, call.arguments })
    assert.same({ 'completed', 'done', 7 }, { call.status, call.result, call.duration_ms })
    assert.equal('2026-03-01T10:00:01Z', call.timestamp)
  end)

  it('Scenario "structure of a file operation": what, which file, what changed', function()
    local rename = recorded().file_operations[2]
    assert.same(
      { 'rename', 'a.c', 'b.c' },
      { rename.operation, rename.path, rename.change.new_path }
    )
    local modify = recorded().file_operations[1]
    assert.same({ 'modify', 'a.c', '1' }, { modify.operation, modify.path, modify.tool_call_id })
    assert.same(
      { diff = '@@ -1 +1 @@\n-a\n+b\n', lines_added = 1, lines_removed = 1 },
      modify.change
    )
  end)

  it('Scenario "structure of a shell command": its words, exit code and output', function()
    local command = recorded().shell_commands[1]
    assert.same({ 'make', 2, 'no rule' }, { command.command, command.exit_code, command.output })
  end)

  it(
    'Scenario "structure of the whole": version, time, session; raw output if asked for',
    function()
      local r = recorded()
      assert.equal(1, r.version)
      assert.matches('^%d+%-%d+%-%d+T%d+:%d+:%d+%.%d+Z$', r.timestamp)
      assert.truthy(#r.session_id > 0)
      assert.same({ 2, 2, 1 }, { #r.tool_calls, #r.file_operations, #r.shell_commands })
      assert.is_nil(r.raw_output)
      local exported = vim.trim(oxide({ 'records', '--export', '--raw' }).stdout)
      local raw = record.read(helper.read(base .. '/' .. exported)).raw_output
      assert.equal(PRINTED:gsub('\n', '\r\n'), vim.base64.decode(raw))
    end
  )

  it('Scenario "collect what readers find": in lists, in order of time', function()
    local function times(list)
      return vim.tbl_map(function(row)
        return row.timestamp:match(':(%d+)Z')
      end, list)
    end
    local r = recorded()
    assert.same({ '01', '04' }, times(r.tool_calls))
    assert.same({ '02', '03' }, times(r.file_operations))
    assert.same({ '05' }, times(r.shell_commands))
  end)

  it('Scenario "make JSON": with all that has to be there, by its schema', function()
    recorded()
    local one = record.read(oxide({ 'records', '--json' }).stdout)
    local schema = vim.json.decode(helper.read(helper.root .. '/doc/record.schema.json'))
    assert.truthy(#schema.required > 5)
    for _, member in ipairs(schema.required) do
      assert.truthy(one[member] ~= nil, member)
    end
    assert.equal(3, one.exit.code)
    assert.equal('tool', one.agent.name)
  end)

  it('Scenario "save to a file": at the end, into a directory that is made for it', function()
    helper.write(
      base .. '/config/oxide/config.lua',
      ("return { records = { directory = '%s/not/yet' } }"):format(base)
    )
    local r = recorded()
    local files = vim.fn.glob(base .. '/not/yet/*', true, true)
    assert.equal(1, #files)
    assert.truthy(files[1]:find(r.session_id, 1, true))
    assert.truthy(files[1]:find(r.timestamp:match('^[%d-]+'):gsub('-', ''), 1, true))
    assert.same(r.tool_calls, record.read(helper.read(files[1])).tool_calls)
  end)

  describe('Scenario "errors of reading output":', function()
    local library

    before_each(function()
      library = base .. '/failing_reads.so'
      local source = helper.root .. '/tests/fake/failing_reads.c'
      local words = { 'cc', '-D_GNU_SOURCE', '-shared', '-fPIC', '-o', library, source, '-ldl' }
      local cc = vim.system(words):wait()
      assert.equal(0, cc.code, cc.stderr)
    end)

    --- The program itself, without what its checks would preload.
    local function run(always)
      local script = 'stty raw; echo first; read x <go; head -c 300000 /dev/zero; exit 4'
      vim.system({ 'mkfifo', base .. '/go' }):wait()
      local words = { crash.plain, 'run', '--json', 'r.json', '--', 'sh', '-c', script }
      local out = ''
      local job = vim.system(words, {
        cwd = base,
        stdin = false,
        stdout = function(_, data)
          out = out .. (data or '')
        end,
        env = vim.tbl_extend('force', env, { LD_PRELOAD = library, FAIL_ALWAYS = always }),
      })
      fault.wait('the first line', function()
        return out:find('first', 1, true)
      end)
      helper.write(base .. '/go', '\n')
      return job:wait(helper.deadline), out
    end

    it('they are logged, and reading goes on', function()
      local done, out = run()
      assert.equal(4, done.code)
      assert.equal('first\n' .. ('\0'):rep(300000), out)
      assert.matches('sh: cannot read its output: no buffer space available', log())
    end)

    it('what was read is kept where it cannot go on, and the end is known', function()
      local done, out = run('1')
      assert.matches('^first\n', out)
      assert.truthy(done.code ~= 0 or done.signal ~= 0)
      local files = vim.fn.glob(base .. '/state/oxide/records/*.raw', true, true)
      assert.equal(out, helper.read(files[1]))
      assert.truthy(record.read(helper.read(base .. '/r.json')).ended)
      assert.matches('cannot read its output', log())
    end)
  end)

  it('Scenario "nothing waits": a tool that floods is heard, typed to and stopped', function()
    local t = pty.start({
      'run',
      '--',
      'sh',
      '-c',
      'stty -echo; trap "exit 4" INT; echo ready; while :; do echo a line of many; done',
    }, { cwd = base, env = env })
    t:till('ready')
    t:till('many')
    t:key('\3')
    assert.equal(4, t:ended())
  end)
end)
