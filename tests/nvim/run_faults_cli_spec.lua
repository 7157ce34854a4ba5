-- `oxide run` where it or its program meets what is broken: no program, no terminal, no disk, input
-- that nobody reads, output that is no text. The names of scenarios are those of the requirement for
-- external tools. How a program ends is in run_cli_spec.lua and, in C, in test_pty_end.c.
local crash = require('crash')
local fault = require('fault')
local helper = require('helper')
local pty = require('pty')
local record = require('record')
local relay = require('relay')

local base, env ---@type string, table<string, string>

--- Runs a program without a terminal.
---@param words string[]   what follows `oxide run`
---@return vim.SystemCompleted
local function run(words)
  return vim
    .system(vim.list_extend({ helper.core, 'run' }, words), { cwd = base, env = env, stdin = false })
    :wait(helper.deadline)
end

--- A program on a terminal.
---@param script string
---@param ... string   options of `oxide run`
---@return test.Pty
local function sh(script, ...)
  local words = vim.list_extend({ 'run', ... }, { '--', 'sh', '-c', script })
  return pty.start(words, { cwd = base, env = env })
end

local function json()
  return record.read(helper.read(base .. '/r.json'))
end

--- What a shell prints that marks its prompts, for `count` commands, and which each printed this.
local function marked(count, text)
  local one = '\27]133;A\7$ \27]133;B\7run\r\n\27]133;C\7%s\r\n\27]133;D;0\7'
  return one:format(text):rep(count)
end

describe('oxide run', function()
  before_each(function()
    base = helper.tempdir()
    env = helper.env(base)
  end)

  after_each(function()
    crash.cleanup()
    vim.fn.delete(base, 'rf')
  end)

  it('Scenario "PTY creation fails": says why, and nothing else is harmed', function()
    local refused = 0
    for limit = 8, 40 do
      local script = ('ulimit -n %d; exec "$0" run -- true'):format(limit)
      local done = vim.system({ 'sh', '-c', script, helper.core }, { cwd = base, env = env }):wait()
      if done.code == 125 then
        assert.matches('too many open files', done.stderr)
        refused = refused + 1
      end
    end
    assert.truthy(refused > 0)
    local done = vim
      .system({
        'unshare',
        '-m',
        'sh',
        '-c',
        'mount --bind /dev/null /dev/ptmx && exec "$0" run -- true',
        helper.core,
      }, { cwd = base, env = env })
      :wait()
    if done.stderr:find('unshare', 1, true) or done.stderr:find('mount', 1, true) then
      return pending('nothing can be mounted here: ' .. done.stderr)
    end
    assert.equal(125, done.code)
    assert.matches('cannot open a pseudo%-terminal', done.stderr)
  end)

  it('Scenario "process start fails": not installed, and not executable', function()
    local done = run { '--', 'oxide-no-such-program' }
    assert.equal(127, done.code)
    assert.matches('cannot start oxide%-no%-such%-program: no such file', done.stderr)
    assert.matches('/bin/oxide%-no%-such%-program: no such file or directory', done.stderr)
    helper.write(base .. '/script', 'true')
    done = run { '--', './script' }
    assert.equal(126, done.code)
    assert.matches('./script: permission denied', done.stderr)
  end)

  it('a program that stops reading holds nobody up, and what it prints is shown', function()
    helper.write(base .. '/much', ('x'):rep(5000000))
    local done = vim
      .system({
        'sh',
        '-c',
        '"$0" run -- sh -c "stty raw -echo; echo ready; echo more; exit 6" <much',
        helper.core,
      }, { cwd = base, env = env })
      :wait(helper.deadline)
    assert.equal(6, done.code)
    assert.matches('ready.*more', done.stdout)
  end)

  it('output that is no text is shown as it is, and leaves the record valid', function()
    local odd = '\195\27[3 \255\254 \27]0;half \240\159\146 \0\1 \27P+q \237\160\128 \27'
    local whole = marked(1, odd)
    for cut = 0, #whole, 7 do
      helper.write(base .. '/odd', whole:sub(1, cut) .. marked(1, odd) .. whole:sub(cut + 1))
      local done = run { '--json', 'r.json', '--', 'sh', '-c', 'stty raw; cat odd' }
      assert.equal(helper.read(base .. '/odd'), done.stdout)
      assert.equal(0, json().exit.code)
    end
  end)

  it(
    'a full disk under the record harms neither the agent nor its terminal, and is said',
    function()
      crash.mount(base .. '/state', 'size=200k')
      helper.write(base .. '/marked', marked(300, ('a line of output '):rep(20)))
      local script = 'cat marked; printf filled; read word; echo "<$word>"; cat marked; exit 9'
      local t = sh(script, '--json', 'r.json')
      t:till('filled')
      t:type('hello')
      t:till('<hello>')
      assert.equal(9, t:ended())
      local said = t.text:match('oxide: .*') or t.text:sub(-500)
      assert.matches('its output is recorded up to byte %d+: No space left', said)
      assert.matches('its record is incomplete: .*%.jsonl: No space left', said)
      local r = json()
      assert.equal(600, #r.shell_commands)
      assert.equal(9, r.exit.code)
      assert.is_nil(r.lost_rows)
    end
  )

  it('a state directory that nobody can write is said, and the program runs', function()
    helper.write(base .. '/state', 'a file')
    local done = run { '--json', 'r.json', '--', 'sh', '-c', 'echo works; exit 3' }
    assert.equal(3, done.code)
    assert.equal('works\r\n', done.stdout)
    assert.matches('its record is incomplete: ', done.stderr)
    assert.equal(3, json().exit.code)
  end)

  it('an agent that is killed from outside leaves its terminal usable, and its record', function()
    helper.write(base .. '/marked', marked(3, 'output'))
    local t = sh('cat marked; echo "pid $$."; read word', '--json', 'r.json')
    t:till('pid ')
    t:till('.')
    vim.uv.kill(assert(tonumber(t.text:match('pid (%d+)%.'))), 'sigkill')
    assert.equal(128 + 9, t:ended())
    local r = json()
    assert.same({ 9, vim.NIL }, { r.exit.signal, r.exit.code })
    assert.equal(3, #r.shell_commands)
    assert.truthy(r.ended)
  end)

  it('a core that is killed harms neither the agent nor its terminal', function()
    local child = relay.start({}, base)
    env.XDG_RUNTIME_DIR = base
    local t = pty.start({
      'run',
      '--json',
      base .. '/r.json',
      '--',
      'sh',
      '-c',
      'echo up; read word; echo "<$word>"; exit 5',
    }, { cwd = child.dir, env = env })
    child:event('Agent')
    t:till('up')
    child:lua("vim.uv.kill(require('oxide.process').pid, 'sigkill')")
    child:wait('the end of the core', "require('oxide.process').phase == 'stopped'")
    t:type('hello')
    t:till('<hello>')
    assert.equal(5, t:ended())
    assert.equal(5, json().exit.code)
    helper.cleanup()
  end)

  it('a terminal that is closed ends the agent, and its record says how', function()
    helper.write(base .. '/marked', marked(3, 'output'))
    for _, script in ipairs { 'read word', 'trap "" HUP; while :; do read word; done' } do
      local t = sh('cat marked; echo "pid $$."; ' .. script, '--json', 'r.json')
      t:till('pid ')
      t:till('.')
      local pid = assert(tonumber(t.text:match('pid (%d+)%.')))
      vim.fn.chanclose(t.job)
      t:ended()
      fault.wait_end(pid)
      assert.equal(3, #json().shell_commands)
      assert.truthy(json().exit.signal or json().exit.code)
      vim.fn.delete(base .. '/r.json')
    end
  end)

  it('killed itself it loses no row that was told, and leaves no agent', function()
    helper.write(base .. '/marked', marked(3, 'output'))
    local t = sh('cat marked; echo "pid $$."; read word')
    t:till('pid ')
    t:till('.')
    fault.wait('the rows', function()
      local files = vim.fn.glob(base .. '/state/oxide/records/*.jsonl', true, true)
      return files[1] and select(2, helper.read(files[1]):gsub('"command":"run"', '')) == 3
    end)
    vim.uv.kill(vim.fn.jobpid(t.job), 'sigkill')
    t:ended()
    fault.wait_end(assert(tonumber(t.text:match('pid (%d+)%.'))))
    local done = vim.system({ helper.core, 'records', '--json' }, { cwd = base, env = env }):wait()
    local r = record.read(done.stdout)
    assert.equal(3, #r.shell_commands)
    assert.is_nil(r.ended)
  end)

  it('a full disk where the record was wanted is said, and the record is kept', function()
    crash.mount(base .. '/small', 'size=16k')
    helper.write(base .. '/marked', marked(300, ('a line of output '):rep(20)))
    local done = run { '--json', 'small/r.json', '--', 'cat', 'marked' }
    assert.equal(125, done.code)
    assert.matches('small/r.json.*No space left', done.stderr)
    assert.same({}, vim.fn.readdir(base .. '/small'))
    done = vim.system({ helper.core, 'records', '--json' }, { cwd = base, env = env }):wait()
    assert.equal(300, #record.read(done.stdout).shell_commands)
  end)
end)
