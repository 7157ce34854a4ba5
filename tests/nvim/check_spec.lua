-- :Oxide check and :Oxide test: the quickfix list that they fill, and what is said.
local fault = require('fault')
local helper = require('helper')
local relay = require('relay')
local screen = require('screen')

--- A child in a project whose check and test are shell scripts.
---@param check? string
---@param test? string
---@param env? table<string, string>
---@return test.Child
local function start(check, test, env)
  local files = { ['mark.txt'] = '', ['a.c'] = 'int größe = y;\nint z;\n' }
  local child = helper.start(files, { env = env })
  local function way(name, script, output)
    helper.write(child.dir .. '/.' .. name, script or 'exit 0')
    local steps = { { 'sh', child.dir .. '/.' .. name, '{test}' } }
    return { { steps = steps, one = steps, output = output } }
  end
  local config = {
    core = { path = helper.core, options = { ['run.allow'] = 1 } },
    projects = {
      mine = {
        markers = { 'mark.txt' },
        check = way('check', check, 'compiler'),
        test = way('test', test, 'tap'),
      },
    },
  }
  child:lua('vim.g.oxide = ...', config)
  child:cmd('edit a.c')
  return child
end

local function list(child)
  return child:lua([[
    local qf = vim.fn.getqflist { items = 0, title = 0, winid = 0, nr = '$' }
    return {
      title = qf.title,
      open = qf.winid > 0,
      lists = qf.nr,
      rows = vim.tbl_map(function(i)
        local name = i.bufnr > 0 and vim.fn.fnamemodify(vim.api.nvim_buf_get_name(i.bufnr), ':t') or ''
        return ('%s:%d:%d %s %s'):format(name, i.lnum, i.col, i.type, i.text)
      end, qf.items),
      lines = qf.winid > 0
        and vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(qf.winid), 0, -1, false),
    }
  ]])
end

--- A checker that goes on until it is ended, and its process.
local function start_endless()
  local child = start('echo $$ >.pid; exec tail -f /dev/null')
  child:cmd('Oxide check')
  local pid = fault.wait('the checker', function()
    local ok, text = pcall(child.file, child, '.pid')
    return ok and tonumber(text:match('%d+\n'))
  end)
  return child, pid
end

describe(':Oxide check', function()
  after_each(helper.cleanup)

  it('lists what is wrong, and shows the list', function()
    local child = start('echo "a.c:1:15: error: no y" >&2; echo a.c:2:5: warning: odd >&2; exit 1')
    child:cmd('Oxide check')
    child:message('sh: 1 error, 1 warning')
    local qf = list(child)
    assert.same({ 'a.c:1:15 E no y', 'a.c:2:5 W odd' }, qf.rows)
    assert.equal('Oxide check: sh: 1 error, 1 warning', qf.title)
    assert.same({ 'a.c:1:15  error    no y [sh]', 'a.c:2:5   warning  odd [sh]' }, qf.lines)
  end)

  it('takes the place of its last list, and empties it when all is well', function()
    local child = start('cat .said 2>/dev/null && exit 1; exit 0')
    helper.write(child.dir .. '/.said', 'a.c:1:1: error: one\n')
    child:cmd('Oxide check')
    child:message('1 error')
    helper.write(child.dir .. '/.said', 'a.c:2:1: error: two\na.c:2:2: error: three\n')
    child:cmd('Oxide check')
    child:message('2 errors')
    assert.same(
      { 1, { 'a.c:2:1 E two', 'a.c:2:2 E three' } },
      { list(child).lists, list(child).rows }
    )
    vim.fn.delete(child.dir .. '/.said')
    child:cmd('Oxide check')
    child:message('sh: no problems')
    assert.same({ 1, {} }, { list(child).lists, list(child).rows })
  end)

  it('marks what the checker can mend', function()
    local child = start()
    helper.write(
      child.dir .. '/.parser.lua',
      [[
      return function(report)
        return function()
          local at = { file = 'a.c', line = 2, column = 1, end_line = 2, end_column = 4, text = 'long' }
          report.diagnostic { file = 'a.c', line = 1, column = 1, severity = 'error', message = 'bad' }
          report.diagnostic {
            file = 'a.c', line = 2, column = 1, severity = 'warning', message = 'short',
            fixes = { { title = 'make it long', edits = { at } } },
          }
        end
      end
    ]]
    )
    child:lua(
      [[
        local path = ...
        local config = vim.g.oxide
        config.projects.mine.check[1].output = path
        vim.g.oxide = config
      ]],
      child.dir .. '/.parser.lua'
    )
    helper.write(child.dir .. '/.check', 'echo x; exit 1')
    child:cmd('Oxide check')
    child:message('1 error, 1 warning')
    assert.same(
      { 'a.c:1:1  error          bad [sh]', 'a.c:2:1  warning  [fix] short [sh]' },
      list(child).lines
    )
  end)

  it('names what is not saved, and lists the last words where nothing is understood', function()
    local child = start('echo first; echo "boom: it is broken"; exit 3')
    child:lua("vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'int x;' })")
    child:cmd('Oxide check')
    child:message('unsaved changes were not looked at: a.c')
    assert.same({ ':0:0  first', ':0:0  boom: it is broken' }, list(child).rows)
    assert.same({ '  first', '  boom: it is broken' }, list(child).lines)
  end)

  it('is given up by :Oxide cancel, with what it started', function()
    local child, pid = start_endless()
    assert.equal('checking', child:lua('return vim.b.oxide_status'))
    child:cmd('Oxide cancel')
    child:message('the check was cancelled')
    fault.wait_end(pid)
    assert.same({}, list(child).rows)
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('is a row of :Oxide beside a test run, %d columns wide'):format(columns), function()
      local endless = 'echo $$ >.pid; echo ok 1; exec tail -f /dev/null'
      local child = start(endless, endless)
      screen.size(child, columns, 24)
      for verb, row in vim.spairs { check = 'checking: check', test = 'testing: test' } do
        child:cmd('Oxide ' .. verb)
        local pid = fault.wait('the program', function()
          local ok, text = pcall(child.file, child, '.pid')
          return ok and tonumber(text:match('%d+\n'))
        end)
        child:cmd('Oxide')
        screen.shows_with_floats(child, {
          'Oxide    x cancels or declines, <CR> opens, q closes',
          'Running  ' .. row,
        })
        child:type('2Gx')
        child:message(verb == 'check' and 'the check was cancelled' or 'the test run was cancelled')
        screen.shows_with_floats(child, { 'Running  nothing' })
        fault.wait_end(pid)
        child:type('q')
        child:lua("vim.uv.fs_unlink('.pid')")
      end
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(
      ('is what a test waits for, on the page of :Oxide, %d columns wide'):format(columns),
      function()
        local child = start('exec tail -f /dev/null', 'exec tail -f /dev/null')
        screen.size(child, columns, 24)
        child:cmd('Oxide check')
        child:cmd('Oxide test')
        child:cmd('Oxide test other')
        child:cmd('Oxide')
        local name = vim.fs.basename(child.dir)
        local function rows(...)
          local want = vim.tbl_map(function(text)
            return ('Running  ' .. text):gsub('PROJECT', name):sub(1, columns)
          end, { ... })
          screen.shows_with_floats(child, want)
        end
        rows(
          'checking: check PROJECT, for',
          'testing: test PROJECT: waiting for check PROJECT, for',
          'testing: test PROJECT: waiting for check PROJECT, for'
        )
        child:type('2Gx')
        child:message('the check was cancelled')
        rows('testing: test PROJECT, for', 'testing: test PROJECT: waiting for test PROJECT, for')
        child:type('3Gx')
        child:message('the test run was cancelled')
        rows('testing: test PROJECT, for')
        child:type('2Gx')
        screen.shows_with_floats(child, { 'Running  nothing' })
      end
    )
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('is told apart from what somebody else runs, %d columns wide'):format(columns), function()
      local run = helper.tempdir()
      local child = start(nil, 'echo $$ >>.pids; exec tail -f /dev/null', { XDG_RUNTIME_DIR = run })
      relay.listen(child)
      screen.size(child, columns, 24)
      local others = relay.call(child, run, { 'test_project', '{}' })
      fault.wait('the test of somebody else', function()
        return vim.uv.fs_stat(child.dir .. '/.pids') ~= nil
      end)
      child:cmd('Oxide test')
      child:cmd('Oxide')
      local project = 'test ' .. vim.fs.basename(child.dir)
      local waiting = ('Running  testing: %s: waiting for %s, for'):format(project, project)
      screen.shows_with_floats(child, { waiting:sub(1, columns) })
      others:kill('sigterm')
      others:wait()
      screen.shows_with_floats(child, { ('Running  testing: %s, for'):format(project) })
      child:type('2Gx')
      child:message('the test run was cancelled')
      vim.fn.delete(run, 'rf')
    end)
  end

  it('ends with Neovim', function()
    local child, pid = start_endless()
    child:type(':qall!<CR>')
    child:ended()
    fault.wait_end(pid)
  end)

  it('shows how far it is', function()
    local child = start('echo a.c:1:1: error: one; echo go >.went; exec tail -f /dev/null')
    child:cmd('Oxide check')
    child:wait('progress', [[require('oxide').status():find('1 line', 1, true)]])
    assert.matches('^check .* 1 line', child:lua("return require('oxide').status()"))
    child:cmd('Oxide cancel')
    child:wait('the end', "require('oxide').status() == ''")
  end)
end)

describe(':Oxide test', function()
  after_each(helper.cleanup)

  local FAILS = 'echo ok 1 - fine; echo not ok 2 - broken; echo "# a.c:2: it broke"; '
    .. 'echo not ok 3 - silent; exit 1'

  it('lists what failed, where it did', function()
    local child = start(nil, FAILS)
    child:cmd('Oxide test')
    child:message('1 passed, 2 failed, 0 ignored')
    local qf = list(child)
    assert.same({ 'a.c:2:0 E broken: a.c:2: it broke', ':0:0 E silent' }, qf.rows)
    assert.equal('Oxide test: 1 passed, 2 failed, 0 ignored', qf.title)
    assert.is_true(qf.open)
    assert.same({ 'broken' }, child:lua("return vim.fn.getcompletion('Oxide test b', 'cmdline')"))
  end)

  it('runs one test by its name', function()
    local child = start(nil, 'echo "not ok 1 - <$1>"; exit 1')
    child:cmd('Oxide test a::b')
    child:message('0 passed, 1 failed')
    assert.same({ ':0:0 E <a::b>' }, list(child).rows)
    child:lua("require('oxide').test { name = 'c', on_done = function(_, r) _G.r = r end }")
    assert.equal('<c>', child:wait('the result', '_G.r').failures[1].name)
  end)

  it('says that all passed, and opens nothing', function()
    local child = start(nil, 'echo ok 1')
    child:cmd('Oxide test')
    child:message('1 passed, 0 failed, 0 ignored')
    assert.is_false(list(child).open)
  end)

  it('says that no test has that name', function()
    local child = start()
    child:cmd('Oxide test nonesuch')
    child:message('has no test that matches nonesuch')
  end)
end)
