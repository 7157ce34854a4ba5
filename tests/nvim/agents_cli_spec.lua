-- Agents as data: one that a user adds, as the help has it; what `oxide agents` and `oxide records
-- --reader` say; and readers under `oxide run`. The names of scenarios are those of the requirement
-- for external tools.
local helper = require('helper')
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

---@param name string
---@param text string
local function program(name, text)
  local path = base .. '/bin/' .. name
  helper.write(path, '#!/bin/sh\n' .. text)
  vim.uv.fs_chmod(path, 493) -- rwxr-xr-x
end

local function own_agent(name, text)
  helper.write(('%s/config/oxide/agents/%s.lua'):format(base, name), text)
end

--- The first block of Lua behind a tag of the help, without its indent.
---@param tag string
---@return string
local function example_of(tag)
  local help = helper.read(helper.root .. '/doc/oxide.txt')
  local block = help:match('%*' .. vim.pesc(tag) .. '%*.->lua\n(.-)\n<')
  return (block:gsub('\n    ', '\n'):gsub('^    ', ''))
end

---@return table<string, table>   rows of `oxide agents`, by name
local function agents()
  local rows = {}
  for _, row in ipairs(vim.json.decode(oxide({ 'agents', '--json' }).stdout)) do
    rows[row.name] = row
  end
  return rows
end

local function read_record(words, stdin)
  local done = oxide(vim.list_extend({ 'records' }, words), { stdin = stdin })
  assert.equal('', done.stderr)
  return record.read(done.stdout)
end

describe('agents', function()
  before_each(function()
    base = helper.tempdir()
    vim.fn.mkdir(base .. '/bin', 'p')
    env = helper.env(base)
    env.PATH = base .. '/bin:/usr/bin:/bin'
  end)

  after_each(function()
    vim.fn.delete(base, 'rf')
  end)

  it('Scenario: add a new tool: the example of the help, and nothing else', function()
    local example = example_of('oxide-readers')
    assert.is_true(select(2, example:gsub('\n', '\n')) <= 20)
    own_agent('tinker', example)
    program(
      'tinker',
      [[
echo '{"said":"Hello."}'
echo 'no JSON'
echo '{"id":"1","ran":"make","code":2}'
echo '{"id":"2","wrote":"a.c"}'
exit 3
]]
    )
    assert.equal('Tinker', agents().tinker.title)
    local done = oxide { 'run', '--name', 'tinker', '--json', 'r.json', '--', 'tinker' }
    assert.equal(3, done.code)
    local r = record.read(helper.read(base .. '/r.json'))
    assert.equal('tinker', r.agent.name)
    assert.equal(3, r.exit.code)
    assert.equal('Hello.', r.messages[1].text)
    assert.same({ 'run', 'write' }, { r.tool_calls[1].name, r.tool_calls[2].name })
    assert.same({ 'make', 2 }, { r.shell_commands[1].command, r.shell_commands[1].exit_code })
    assert.same({ 'write', 'a.c' }, { r.file_operations[1].operation, r.file_operations[1].path })
    local printed = vim.system({ base .. '/bin/tinker' }):wait().stdout
    local read = read_record({ '--reader', 'tinker', '-' }, printed)
    assert.same(vim.NIL, read.timestamp)
    assert.equal(2, #read.tool_calls)
    assert.same(vim.NIL, read.tool_calls[1].timestamp)
  end)

  it('Scenario: settings of a tool: a row of the configuration changes a preset', function()
    helper.write(
      base .. '/config/oxide/config.lua',
      "return { agents = { claude = { executable = 'my-claude', install = 'get mine' } } }"
    )
    program('my-claude', 'echo "2.1.330 (Claude Code)"')
    local claude = agents().claude
    assert.equal(base .. '/bin/my-claude', claude.path)
    assert.equal('2.1.330', claude.version)
    assert.same({ 'terminal', 'acp', 'stream' }, claude.ways)
    -- a variable changes it for one run
    program('claude-today', 'echo "2.1.331 (Claude Code)"; echo "$@"')
    env.OXIDE_AGENT_CLAUDE = base .. '/bin/claude-today'
    assert.equal(base .. '/bin/claude-today', agents().claude.path)
    assert.equal('2.1.331', agents().claude.version)
    local done = oxide { 'run', '--name', 'claude', '--', 'claude', '--help' }
    assert.equal(127, done.code) -- a command of its own is what it says
    done = oxide { 'run', '--name', 'claude' }
    assert.matches('2%.1%.331 .*%-%-permission%-mode default', done.stdout)
  end)

  it('are listed with their versions, or how to install them', function()
    program('gemini', 'echo 0.61.0')
    program('codex', 'echo codex-cli 0.1.0')
    local rows = agents()
    assert.equal('0.61.0', rows.gemini.version)
    assert.is_nil(rows.gemini.error)
    assert.matches(
      'Codex 0%.1%.0 is too old; 0%.100%.0 or later is needed: npm install',
      rows.codex.error
    )
    assert.matches('^goose is not installed; to install: brew install', rows.goose.error)
    assert.matches(vim.pesc(base .. '/bin/goose'), rows.goose.error)
    local text = oxide({ 'agents' }).stdout
    assert.matches('\ngemini +0%.61%.0  ' .. vim.pesc(base), text)
    assert.not_matches('tried', text)
  end)

  it('are listed with the key or file by which they are logged in, and not what it says', function()
    env.ANTHROPIC_API_KEY, env.GEMINI_API_KEY, env.HOME = 'sk-secret', '', base
    helper.write(base .. '/.codex/auth.json', 'sk-secret')
    local rows = agents()
    assert.equal('$ANTHROPIC_API_KEY', rows.claude.login)
    assert.equal('~/.codex/auth.json', rows.codex.login)
    assert.is_nil(rows.gemini.login)
    assert.falsy(vim.json.encode(rows):find('sk-secret', 1, true))
  end)

  it('whose reader fails run on, and what was told before is kept', function()
    own_agent(
      'frail',
      [[
return { executable = 'sh', terminal = {}, reader = function(report)
  return function(line)
    report.message { role = 'assistant', text = line }
    error('it is too much')
  end
end }]]
    )
    local done = oxide {
      'run',
      '--name',
      'frail',
      '--json',
      'r.json',
      '--',
      'sh',
      '-c',
      'echo one; echo two; exit 4',
    }
    assert.equal(4, done.code)
    assert.equal('one\r\ntwo\r\n', done.stdout)
    local r = record.read(helper.read(base .. '/r.json'))
    assert.equal(1, #r.messages)
    assert.matches(
      'its reader has failed: .*it is too much',
      helper.read(base .. '/state/oxide/oxide.log')
    )
    local read = oxide { 'records', '--reader', 'frail', base .. '/r.json' }
    assert.equal(1, read.code)
    assert.matches('the reader has failed', read.stderr)
  end)

  it('that are no agents are read by the marks of their shell', function()
    local script =
      [[printf '\033]133;A\007$ \033]133;B\007ls x\r\n\033]133;C\007no x\r\n\033]133;D;2\007']]
    oxide { 'run', '--json', 'r.json', '--', 'sh', '-c', script }
    local r = record.read(helper.read(base .. '/r.json'))
    assert.equal('ls x', r.shell_commands[1].command)
    assert.equal(2, r.shell_commands[1].exit_code)
    assert.equal('no x\n', r.shell_commands[1].output)
  end)

  it('are read on after a flood that says nothing', function()
    local script = [[echo '{"id":"1","ran":"a","code":0}'; yes no | head -c 3000000;
      echo '{"id":"2","ran":"b","code":1}']]
    own_agent('tinker', example_of('oxide-readers'))
    oxide { 'run', '--name', 'tinker', '--json', 'r.json', '--', 'sh', '-c', script }
    local r = record.read(helper.read(base .. '/r.json'))
    assert.same({ 'a', 'b' }, { r.shell_commands[1].command, r.shell_commands[2].command })
  end)
end)

describe('oxide records --reader', function()
  before_each(function()
    base = helper.tempdir()
    env = {
      XDG_STATE_HOME = base .. '/state',
      XDG_CONFIG_HOME = base,
      XDG_RUNTIME_DIR = base,
      NVIM = '',
    }
  end)

  after_each(function()
    vim.fn.delete(base, 'rf')
  end)

  it('conforms to the schema for each recording, and keeps nothing', function()
    local cases = helper.root .. '/tests/cases/'
    for _, path in ipairs(vim.fn.glob(cases .. 'a[cg]*/**/*.expected.json', true, true)) do
      local want = vim.json.decode(helper.read(path))
      local file = path:gsub('%.expected%.json$', '.jsonl')
      local r = read_record { '--reader', want.agent, file }
      assert.equal(want.session_id, r.session_id, file)
      assert.equal(#want.tool_calls, #r.tool_calls, file)
      assert.equal(#want.file_operations, #r.file_operations, file)
      assert.equal(#want.shell_commands, #r.shell_commands, file)
    end
    assert.same({}, record.files(base .. '/state'))
  end)

  it('reads nothing, half a line and what is no text at all', function()
    for _, text in ipairs { '', '\n', '{"type":"assist', '\0\255\254{"a":\n[[[[', '"' } do
      for _, reader in ipairs { 'claude', 'codex', 'gemini', 'opencode', 'goose', 'plain' } do
        local r = read_record({ '--reader', reader, '-' }, text)
        assert.same({ {}, {}, {} }, { r.tool_calls, r.file_operations, r.shell_commands })
      end
    end
  end)

  it('masks what looks like a key', function()
    local line = '{"type":"tool_use","tool_id":"1","tool_name":"n",'
      .. '"parameters":{"api_key":"sk-ant-0123456789abcdef0123456789"}}\n'
    local r = read_record({ '--reader', 'gemini', '-' }, line)
    assert.equal('***', r.tool_calls[1].arguments.api_key)
  end)

  it('says what is wrong with what it was given', function()
    local function refused(...)
      local done = oxide { 'records', ... }
      assert.not_equal(0, done.code)
      return done.stderr
    end
    assert.matches(
      'unknown agent "nobody"; agents: aider, claude',
      refused('--reader', 'nobody', '-')
    )
    assert.matches('no/such: No such file', refused('--reader', 'claude', 'no/such'))
    assert.matches(
      '%-%-kind must be stream, log, hooks, dialogue or terminal, not novel',
      refused('--reader', 'claude', '--kind', 'novel', '-')
    )
    assert.matches('%-%-kind needs %-%-reader', refused('--kind', 'log', '-'))
    assert.matches('%-%-reader takes one file', refused('--reader', 'claude', 'a', 'b'))
    assert.matches('%-%-reader needs a file', refused('--reader', 'claude'))
  end)
end)
