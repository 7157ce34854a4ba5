-- `oxide run`: a program under it works as without it, ends as it does, and is recorded. The names of
-- scenarios are those of the requirement for external tools.
local crash = require('crash')
local fault = require('fault')
local helper = require('helper')
local pty = require('pty')
local record = require('record')

local base, env ---@type string, table<string, string>

local function configure(text)
  helper.write(base .. '/config/oxide/config.lua', 'return { options = { ' .. text .. ' } }')
end

--- Runs a program without a terminal.
---@param words string[]   what follows `oxide run`
---@param opts? table   of vim.system()
---@return vim.SystemCompleted
local function run(words, opts)
  return vim
    .system(
      vim.list_extend({ helper.core, 'run' }, words),
      vim.tbl_extend('force', { cwd = base, env = env, stdin = false }, opts or {})
    )
    :wait(helper.deadline)
end

---@param script string
---@param ... string   options of `oxide run`
---@return vim.SystemCompleted
local function sh(script, ...)
  return run(vim.list_extend({ ... }, { '--', 'sh', '-c', script }))
end

--- The record of a program that ends, held to its schema.
---@return table
local function recorded(script, ...)
  sh(script, '--json', 'r.json', ...)
  return record.read(helper.read(base .. '/r.json'))
end

local function raw()
  local files = vim.fn.glob(base .. '/state/oxide/records/*.raw', true, true)
  return helper.read(files[#files])
end

describe('oxide run', function()
  before_each(function()
    base = helper.tempdir()
    env = helper.env(base)
  end)

  after_each(function()
    vim.fn.delete(base, 'rf')
  end)

  it('Scenario "create a virtual terminal": reads, writes and a size that changes', function()
    local t = pty.start({
      'run',
      '--',
      'sh',
      '-c',
      'trap "stty size; exit 0" WINCH; stty size; read word; echo "<$word>"; while :; do read x; done',
    }, { cwd = base, env = env, width = 100, height = 30 })
    t:till('30 100')
    t:type('hello')
    t:till('<hello>')
    vim.fn.jobresize(t.job, 70, 20)
    t:till('20 70')
    assert.equal(0, t:ended())
  end)

  it('a size comes before the keys that are typed after it', function()
    local t = pty.start(
      { 'run', '--', 'sh', '-c', 'echo ready; while read x; do stty size; done' },
      { cwd = base, env = env, width = 100, height = 30 }
    )
    t:till('ready')
    for rows = 11, 30 do
      vim.fn.jobresize(t.job, 70, rows)
      t:type('x')
      t:till(('%d 70'):format(rows))
    end
    t:key('\4')
    assert.equal(0, t:ended())
  end)

  it('ends as its program did, with its code or of its signal', function()
    assert.equal(7, sh('exit 7').code)
    local done = sh('kill -USR1 $$')
    assert.equal(vim.uv.constants.SIGUSR1, done.signal)
    assert.equal(2, run({ '--timeout', 'soon', '--', 'true' }).code)
    assert.equal(2, run({}).code)
    assert.equal('--json\r\n', run({ '--', 'echo', '--json' }).stdout)
  end)

  it('leaves the terminal as it was, whatever happens', function()
    for _, script in ipairs { 'exit 3', 'stty raw; kill -KILL $$' } do
      local t = pty.start({ 'number' }, { cwd = base, env = env }) -- its job is replaced
      t:key('\4')
      t:ended()
      local text = ''
      local job = vim.fn.jobstart({
        'sh',
        '-c',
        'stty -g >before; "$0" run -- sh -c "$1"; stty -g >after; cmp before after && echo same',
        helper.core,
        script,
      }, {
        cwd = base,
        env = env,
        pty = true,
        on_stdout = function(_, lines)
          text = text .. table.concat(lines, '\n')
        end,
      })
      vim.fn.jobwait({ job }, helper.deadline)
      assert.matches('same', text)
    end
  end)

  it('ends its program when its terminal is closed, and when it is killed itself', function()
    for _, number in ipairs { 'sighup', 'sigkill' } do
      local t = pty.start(
        { 'run', '--', 'sh', '-c', 'echo "pid=$$."; exec tail -f /dev/null' },
        { cwd = base, env = env }
      )
      t:till('.')
      vim.uv.kill(vim.fn.jobpid(t.job), number)
      fault.wait_end(assert(tonumber(t.text:match('pid=(%d+)'))))
    end
  end)

  it('ends once, though its last bytes find that the terminal has gone', function()
    local script = [[printf '\033[?2004h'; echo "pid=$$."; exec tail -f /dev/null]]
    local t = pty.start(
      { 'run', '--json', 'r.json', '--', 'sh', '-c', script },
      { cwd = base, env = env }
    )
    t:till('.')
    local pid = vim.fn.jobpid(t.job)
    vim.fn.jobstop(t.job)
    fault.wait_end(assert(tonumber(t.text:match('pid=(%d+)'))))
    fault.wait_end(pid)
    local exit = record.read(helper.read(base .. '/r.json')).exit
    assert.equal(vim.uv.constants.SIGTERM, exit.signal)
  end)

  it('Scenario "send input to the process": lines, keys, and the end of its input', function()
    local done = run({ '--', 'sh', '-c', 'stty -echo; echo ready; cat' }, { stdin = 'one\ntwo' })
    assert.matches('one\r\ntwo', done.stdout)
    local t = pty.start({ 'run', '--', 'cat' }, { cwd = base, env = env })
    t:type('line')
    t:till('line\nline')
    t:key('\3')
    t:ended()
  end)

  it(
    'Scenario "read output": as it is, escape sequences and all, and no line has to end',
    function()
      local bytes = '\27[31mred\27[0m\27]0;title\7 half \27[3 broken \255\254\195 no end'
      helper.write(base .. '/bytes', bytes)
      local done = run { '--', 'cat', 'bytes' }
      assert.equal(bytes, done.stdout)
      assert.equal(bytes, raw())
    end
  )

  it('without a terminal answers what a program asks its terminal', function()
    local answers = '\27[?62;22c\27[1;1R\27]11;rgb:0000/0000/0000\7\27[?0u\27[?2004;2$y'
    local done = sh(
      [[stty raw -echo; printf '\033[c\033[6n\033]11;?\007\033[?u\033[?2004$p'; ]]
        .. ('echo; head -c %d | od -An -tx1 | tr -d " \\n"'):format(#answers)
    )
    local hex = answers:gsub('.', function(byte)
      return ('%02x'):format(byte:byte())
    end)
    assert.equal(hex, done.stdout:match('\n(.*)'))
  end)

  it('Scenario "monitor a process": the record says how it ended', function()
    local r = recorded('exit 5', '--name', 'claude')
    assert.equal('claude', r.agent.name)
    assert.equal('terminal', r.agent.engine)
    assert.same({ 'sh', '-c', 'exit 5' }, r.agent.command)
    assert.equal(base, r.cwd)
    assert.equal(5, r.exit.code)
    assert.equal(vim.NIL, r.exit.signal)
    assert.truthy(r.ended >= r.timestamp)
  end)

  it(
    'Scenario "terminate a process": TERM to its group, and KILL to what does not heed it',
    function()
      -- The grace is long where it must not run out, and short where it must.
      for _, case in ipairs {
        { 'exit 4', grace = 600000, status = 4 },
        { '', grace = 50, status = 128 + vim.uv.constants.SIGKILL },
      } do
        configure('["agent.grace_ms"] = ' .. case.grace)
        local script = ('trap "%s" TERM HUP; echo ready; while :; do read x; done'):format(case[1])
        local t = pty.start({ 'run', '--json', 'r.json', '--', 'sh', '-c', script }, {
          cwd = base,
          env = env,
        })
        t:till('ready')
        vim.uv.kill(vim.fn.jobpid(t.job), 'sigterm')
        t:ended()
        local exit = record.read(helper.read(base .. '/r.json')).exit
        assert.equal(case.status, exit.code ~= vim.NIL and exit.code or 128 + exit.signal)
      end
      local done = sh('exec tail -f /dev/null', '--timeout', '0.2')
      assert.equal(124, done.code)
      assert.matches('was stopped after 0.2 s', done.stderr)
    end
  )

  it('Scenario "process ends unexpectedly": at once, and by a crash with a core file', function()
    assert.equal(0, recorded('').exit.code)
    local r = recorded('ulimit -c unlimited; kill -SEGV $$')
    assert.equal(vim.uv.constants.SIGSEGV, r.exit.signal)
    local pattern = helper.read('/proc/sys/kernel/core_pattern')
    if pattern:sub(1, 1) ~= '|' and r.exit.core_dump ~= vim.NIL then
      assert.truthy(vim.uv.fs_stat(r.exit.core_dump))
    end
  end)

  it('Scenario "memory": a program that prints without end takes no more of it', function()
    local bytes = tonumber(vim.env.OXIDE_RUN_BYTES) or 30000000
    -- Half of it are lines, which a reader is given; half is one line without an end.
    local script = ('stty raw -echo; yes "a line of output" | head -c %d; head -c %d /dev/zero; '):format(
      bytes / 2,
      bytes / 2
    ) .. 'read x <go'
    vim.system({ 'mkfifo', base .. '/go' }):wait()
    local printed = 0
    local job = vim.system({ crash.plain, 'run', '--', 'sh', '-c', script }, {
      cwd = base,
      env = env,
      stdin = false,
      stdout = function(_, data)
        printed = printed + #(data or '')
      end,
    })
    fault.wait('all of the output', function()
      return printed == bytes
    end)
    local peak = helper.read(('/proc/%d/status'):format(job.pid)):match('VmHWM:%s+(%d+) kB')
    helper.write(base .. '/go', '\n')
    assert.equal(0, job:wait(helper.deadline).code)
    assert.truthy(tonumber(peak) <= 16384, peak)
    local files = vim.fn.glob(base .. '/state/oxide/records/*.raw', true, true)
    assert.equal(bytes, vim.uv.fs_stat(files[1]).size)
  end)

  it(
    'Scenario "cleanup": children that it leaves end with it, and a daemon delays nothing',
    function()
      local done = sh('sleep 987 & echo $!')
      local child = assert(tonumber(done.stdout:match('%d+')))
      fault.wait_end(child)
      done = sh(
        'stty -echo; mkfifo up; '
          .. 'setsid sh -c "echo \\$\\$; echo >up; exec sleep 987" & read up <up; exit 6'
      )
      assert.equal(6, done.code)
      assert.equal(0, vim.uv.kill(assert(tonumber(done.stdout:match('%d+'))), 'sigkill'))
    end
  )
end)
