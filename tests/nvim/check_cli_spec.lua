-- check_project from the command line, with programs that are shell scripts: what
-- they print, how they end, and what becomes of them when nobody wants them any more.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local checks = require('checks')

local base
local call, project, start = checks.call, checks.project, checks.start

---@param script string   one step
---@param options? table
local function check(script, options)
  project({ check = { { steps = { script } } } }, options)
  local out = call('check_project')
  assert.equal(0, out.code, vim.inspect(out.result))
  return out.result
end

--- A checker that leaves open what there is: an error, and nothing in it says that all is well.
---@param script string
---@param options? table
---@param output? string   the parser
local function unknown(script, options, output)
  project({ check = { { steps = { script }, output = output } } }, options)
  local out = call('check_project')
  assert.equal(1, out.code, vim.inspect(out.result))
  assert.same(
    { 'peer', false, false },
    { out.result.error.code, out.result.success, out.result.complete }
  )
  assert.matches(vim.pesc(out.result.error.message) .. '$', out.result.message)
  local text = start('check_project', nil, { '--text' }):wait()
  assert.is_nil((vim.json.encode(out.result) .. text.stdout):find('no problems', 1, true))
  assert.matches(vim.pesc(out.result.error.message:match('^[%g ]*')), text.stdout)
  return out.result
end

--- The process ids that a script has written, one a line, once there are `n`.
local function pids(n)
  return fault.wait('the script', function()
    local ok, text = pcall(helper.read, base .. '/pids')
    local list = {}
    for pid in (ok and text or ''):gmatch('(%d+)\n') do
      table.insert(list, tonumber(pid))
    end
    return #list == n and list
  end)
end

--- Waits for ever, with a child of its own that does not want to end and holds no pipe.
local function stubborn()
  return ([[
    (trap '' TERM; sh -c 'echo $PPID' >>%s/pids; exec tail -f /dev/null) >/dev/null 2>&1 &
    echo $$ >>%s/pids
    wait
  ]]):format(base, base)
end

before_each(function()
  checks.begin()
  base = checks.base
end)

after_each(function()
  mcp.cleanup()
  checks.finish()
end)

describe('check_project', function()
  it('lists what the checker says, by file and severity, with the columns of bytes', function()
    helper.write(base .. '/project/src/a.c', '\tint größe = y;\n')
    local r = check([[
      cat >&2 <<'END'
src/a.c:1:13: warning: unused variable 'größe' [-Wunused-variable]
    1 |         int größe = y;
      |             ^~~~~
src/a.c:1:21: error: 'y' undeclared
    1 |         int größe = y;
      |                     ^
src/a.c:1:21: note: each undeclared identifier is reported only once
END
      exit 1
    ]])
    assert.same({ false, '1 error, 1 warning', 1 }, { r.success, r.summary, r.files })
    local rows = vim.tbl_map(function(d)
      return { d.file, d.line, d.column, d.severity, d.code, d.source }
    end, r.diagnostics)
    assert.same({
      { 'src/a.c', 1, 16, 'error', '', 'sh' },
      { 'src/a.c', 1, 6, 'warning', '-Wunused-variable', 'sh' },
    }, rows)
    assert.matches('note: src/a.c:1: each undeclared', r.diagnostics[1].message)
    assert.equal('sh: 1 error, 1 warning', r.message)
    assert.is_nil(r.output)
  end)

  it('says so when there is nothing wrong', function()
    local r = check('echo all is well')
    assert.same({ true, {}, 'sh: no problems' }, { r.success, r.diagnostics, r.message })
    assert.same({ { kind = 'mine', source = 'sh', success = true } }, r.runs)
  end)

  it('is an error when the checker failed without a word that is understood', function()
    local r = unknown([[printf '\033[31msegm\303\266ntation\377\033[0m fault\r\n'; exit 3]])
    assert.matches('segmöntation\244\143\187\191 fault\n', r.output)
    assert.matches('^sh failed %(exit status 3%), and none of its output could', r.message)
    assert.matches('; its last line: segmöntation\244\143\187\191 fault$', r.message)
    assert.equal(3, r.runs[1].exit_status)
    assert.matches("^sh .*script1 '{test}'$", r.runs[1].failed)
  end)

  it('is an error when the checker was killed, whatever it found before', function()
    local r = unknown('kill -9 $$')
    assert.equal(9, r.runs[1].signal)
    assert.equal('sh was killed by signal 9 (Killed)', r.error.message)
    r = unknown('echo a.c:1:1: warning: first; exit 139')
    assert.equal('first', r.diagnostics[1].message)
    assert.matches('^1 warning; sh was killed by signal 11', r.summary)
  end)

  it('is an error when the report is missing that the checker should have printed', function()
    local missing = 'the report that it should have printed is missing'
    for _, output in ipairs { 'pyright', 'ruff', 'eslint' } do
      assert.matches(missing, unknown('echo Traceback', nil, output).message)
    end
    local cargo = unknown('echo warning: something', nil, 'cargo').message
    assert.matches('it does not say that the build is finished', cargo)
    assert.matches('exit status 7', unknown('exit 7', nil, 'tsc').message)
  end)

  it('is no success when it failed beside what it found', function()
    local r = check('echo a.c:1:1: warning: first; echo boom; exit 2')
    assert.is_false(r.success)
    assert.equal('sh: 1 warning; sh failed (exit status 2); its last line: boom', r.message)
    assert.matches('boom\n', r.output)
    r = check('echo a.c:1:1: warning: first; exit 1') -- as linters do that have found something
    assert.same({ 'sh: 1 warning', false }, { r.message, r.success })
  end)

  it('goes on to the next step while the last succeeds, and reads what each prints', function()
    project {
      check = {
        {
          steps = {
            'echo a.c:1:1: warning: first >&2',
            'echo a.c:2:1: error: second; exit 3',
            'echo third',
          },
          errors = 'compiler',
        },
      },
    }
    local r = call('check_project').result
    assert.same({ 'second', 'first' }, {
      r.diagnostics[1].message,
      r.diagnostics[2].message,
    })
    assert.equal(3, r.runs[1].exit_status)
    assert.is_nil(r.output)
  end)

  it('lists a thing once, however often it is said', function()
    local r = check('for i in 1 2 3; do echo ./a.c:1:1: error: same; done; exit 1')
    assert.equal(1, #r.diagnostics)
    assert.equal('a.c', r.diagnostics[1].file)
  end)

  it('finds files from the folders that make speaks of', function()
    helper.write(base .. '/project/deep/er/b.c', 'x\n')
    local r = check(
      ('echo "make[1]: Entering directory \'%s/project/deep/er\'"; echo b.c:1:1: error: x; exit 2'):format(
        base
      )
    )
    assert.equal('deep/er/b.c', r.diagnostics[1].file)
  end)

  it('names what would have to be installed', function()
    project { check = { { steps = { { 'no-such-checker', 'x' } } }, { steps = { { 'nor-this' } } } } }
    local out = call('check_project')
    assert.equal(1, out.code)
    assert.equal('not_found', out.result.error.code)
    assert.matches('install no%-such%-checker, or nor%-this', out.result.error.message)
  end)

  it('says so where no command is known to check the project', function()
    project {}
    assert.equal('unsupported', call('check_project').result.error.code)
  end)

  it('takes no command from the project', function()
    local dir = project {}
    local own = (
      "return { projects = { mine = { markers = { 'mark.txt' }, check = { { steps = "
      .. "{ { 'touch', '%s/ran' } }, output = 'compiler' } } } } }"
    ):format(base)
    for _, name in ipairs { '.oxide.lua', 'oxide.lua', 'config.lua', '.config/oxide/config.lua' } do
      helper.write(dir .. '/' .. name, own)
    end
    helper.write(dir .. '/lua/oxide/projects/mine.lua', own)
    vim
      .system({ helper.core, 'call', 'check_project', '--allow-run', '{}' }, {
        cwd = dir,
        env = { XDG_STATE_HOME = base .. '/state', XDG_CONFIG_HOME = base .. '/none' },
      })
      :wait()
    assert.is_nil(vim.uv.fs_stat(base .. '/ran'))
  end)

  it('has bounds for what is printed, and the program never waits for us', function()
    local r = unknown(
      "head -c 3000000 /dev/zero | tr '\\0' x; yes a.c:1:1: warning: more | head -n 100000; echo end",
      { ['run.output_bytes'] = 1000000, ['run.line_bytes'] = 5000, ['run.text_bytes'] = 2000 }
    )
    assert.matches('^sh printed more than run.output_bytes', r.message)
    assert.matches('run.output_bytes', r.warnings[1])
    assert.matches('run.line_bytes', r.warnings[2])
    assert.same({}, r.diagnostics)
  end)

  it('reads what goes to standard output apart from the other', function()
    project {
      check = {
        {
          steps = {
            [[
              echo '[' >&2
              echo '[{"filename": "a.py", "message": "no", "code": "F401", "location": {"row": 2}}]'
              echo '{' >&2
              exit 1
            ]],
          },
          output = 'ruff',
        },
      },
    }
    local r = call('check_project').result
    assert.same({ 'a.py', 2, 'no' }, {
      r.diagnostics[1].file,
      r.diagnostics[1].line,
      r.diagnostics[1].message,
    })
  end)

  it('reads a line as a terminal would show it, and names as they are', function()
    helper.write(base .. '/project/a b/c:d.c', 'x\n')
    local r = check([[
      printf '10%%\r\033[K50%%\ra b/c:d.c:1:1: error: over\r\r\n'
      echo "ld: a.c:2:1: error: no name"
      exit 1
    ]])
    assert.same({ 'a b/c:d.c', 'over', 1 }, {
      r.diagnostics[1].file,
      r.diagnostics[1].message,
      #r.diagnostics,
    })
  end)

  it('asks programs to speak English, which is what is understood', function()
    local r = check('echo "a.c:1:1: error: $LANGUAGE"; exit 1')
    assert.equal('en', r.diagnostics[1].message)
  end)

  -- For how long is in tests/unit/test_job.c.
  it('lets a program end its output and go on', function()
    local r = check('exec >/dev/null; echo a.c:1:1: error: late >&2; exit 1')
    assert.equal('late', r.diagnostics[1].message)
    assert.equal(1, r.runs[1].exit_status)
  end)

  it('keeps so many rows, and tells of the rest', function()
    local r =
      check('for i in 1 2 3 4 5; do echo a.c:$i:1: error: x$i; done; exit 1', { ['run.rows'] = 2 })
    assert.equal(2, #r.diagnostics)
    assert.matches('^3 more than run.rows', r.warnings[1])
  end)

  it('is no success with a parser that fails, and its words are there', function()
    local parser = base .. '/parser.lua'
    helper.write(parser, 'return function()\n return function(line) return line.x.y end\nend\n')
    local r = unknown('echo hello', nil, parser)
    assert.equal('hello\n', r.output)
    assert.matches('parser.lua:2: attempt to index', r.warnings[1])
  end)

  it('lists what the checker suggests, as edits and as actions', function()
    local parser = base .. '/parser.lua'
    helper.write(
      parser,
      [[
      local function edit(file, column, text)
        return {
          file = file, line = 1, column = column, end_line = 1, end_column = column + 1,
          columns = 'characters', text = text,
        }
      end
      return function(report)
        return function()
          report.diagnostic {
            file = 'a.txt', line = 1, column = 6, columns = 'characters',
            severity = 'warning', message = 'mend it', code = 'x1',
            fixes = {
              { title = 'say b', preferred = true, edits = { edit('a.txt', 6, 'b') } },
              { title = 'say b again', edits = { edit('a.txt', 6, 'b') } },
              { title = 'both', edits = { edit('a.txt', 6, 'c'), edit('b.txt', 1, 'y') } },
              { title = 'no change', edits = { edit('a.txt', 6, 'a') } },
              { title = 'elsewhere', edits = { edit('/etc/hosts', 1, 'x') } },
              { title = 'nowhere', edits = { edit('none.txt', 1, 'x') } },
            },
          }
        end
      end
    ]]
    )
    local dir = project { check = { { steps = { 'echo x' }, output = parser } } }
    helper.write(dir .. '/a.txt', '/*😀*/a\n')
    helper.write(dir .. '/b.txt', 'x\n')
    local r = call('check_project', { include_fixes = true }).result
    local row = r.diagnostics[1]
    assert.same({ 'a.txt', 6, 9 }, { row.file_path, row.character, row.column })
    local titles = vim.tbl_map(function(fix)
      assert.matches('^fix%-a%.txt:1%-%x+$', fix.action_id)
      assert.equal('quickfix', fix.kind)
      return fix.title
    end, row.available_fixes)
    assert.same({ 'say b', 'both' }, titles)
    assert.same({
      {
        textDocument = { uri = 'file://' .. dir .. '/a.txt' },
        edits = {
          {
            range = { start = { line = 0, character = 6 }, ['end'] = { line = 0, character = 7 } },
            newText = 'b',
          },
        },
      },
    }, row.available_fixes[1].edit_to_apply.documentChanges)
    assert.equal(2, #row.available_fixes[2].edit_to_apply.documentChanges)
    local again = call('check_project', { include_fixes = true }).result.diagnostics[1]
    assert.equal(row.available_fixes[1].action_id, again.available_fixes[1].action_id)
  end)

  it('refuses a parser that is not there', function()
    project { check = { { steps = { 'echo' }, output = 'nonesuch' } } }
    assert.matches('the parser nonesuch', call('check_project').result.error.message)
  end)

  it('is over in time, with all that it started', function()
    project({ check = { { steps = { stubborn() } } } }, { ['check.timeout_ms'] = 300 })
    local out = call('check_project')
    assert.same({ 1, 'timeout' }, { out.code, out.result.error.code })
    vim.iter(pids(2)):each(fault.wait_end)
  end)

  it('is given up when the caller is, with all that it started', function()
    project { check = { { steps = { stubborn() } } } }
    local running = start('check_project')
    local all = pids(2)
    running:kill('sigint')
    local out = fault.finish(running)
    assert.equal('cancelled', out.result.error.code)
    vim.iter(all):each(fault.wait_end)
  end)

  it('tells a client of MCP what goes on, which can end it', function()
    local dir = project { check = { { steps = { 'echo begun\n' .. stubborn() } } } }
    local c = mcp.start(dir, { '--root', dir, '--config', base .. '/config.lua' })
    c:initialize()
    c:send {
      jsonrpc = '2.0',
      id = 50,
      method = 'tools/call',
      params = {
        name = 'check_project',
        arguments = vim.empty_dict(),
        _meta = { progressToken = 7 },
      },
    }
    c:heard('notifications/progress', function(params)
      return params.message:find('check project: 1 line', 1, true)
    end)
    local all = pids(2)
    c:notify('notifications/cancelled', { requestId = 50 })
    vim.iter(all):each(fault.wait_end)
    assert.equal(0, c:close().code)
  end)

  it('ends with the core, when the client goes away', function()
    local dir = project({ check = { { steps = { stubborn() } } } }, { ['mcp.linger_ms'] = 10 })
    local c = mcp.start(dir, { '--root', dir, '--config', base .. '/config.lua' })
    c:initialize()
    c:send {
      jsonrpc = '2.0',
      id = 50,
      method = 'tools/call',
      params = { name = 'check_project', arguments = vim.empty_dict() },
    }
    local all = pids(2)
    assert.equal(0, c:close().code)
    vim.iter(all):each(fault.wait_end)
  end)

  it('runs once at a time in a project: the second waits, and may be given up', function()
    -- each run says that it has begun, and goes on when it is told to
    local step = ('echo $$ >>%s/pids; read line <%s/go; echo a.c:1:1: error: $line; exit 1'):format(
      base,
      base
    )
    local dir = project { check = { { steps = { step } } } }
    assert.equal(0, vim.system({ 'mkfifo', base .. '/go' }):wait().code)
    local c = mcp.start(dir, { '--root', dir, '--config', base .. '/config.lua' })
    c:initialize()
    for id = 50, 52 do
      c:send {
        jsonrpc = '2.0',
        id = id,
        method = 'tools/call',
        params = { name = 'check_project', arguments = vim.empty_dict() },
      }
    end
    c:notify('notifications/cancelled', { requestId = 51 })
    for n, id in ipairs { 50, 52 } do
      assert.equal(n, #pids(n))
      helper.write(base .. '/go', 'word' .. n .. '\n')
      local reply = fault.wait('the answer', function()
        return c.replies[id]
      end)
      assert.matches('word' .. n, reply.result.content[1].text)
    end
    assert.equal(2, #pids(2))
    c:close()
  end)
end)
