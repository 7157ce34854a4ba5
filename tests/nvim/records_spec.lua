-- `:Oxide records`: what a model or an agent did, in a window whose rows lead to files.
local helper = require('helper')
local record = require('record')
local screen = require('screen')

local PATCH = '@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n'

--- What `oxide run` and models write as it happens: a row a line.
local ROWS = {
  {
    row = 'session',
    version = 1,
    session_id = 'abc1',
    timestamp = '2026-03-01T10:00:00.000Z',
    agent = { name = 'claude', engine = 'terminal' },
  },
  { row = 'messages', role = 'user', text = 'Change it\nplease', turn = 1 },
  { row = 'tool_calls', id = '1', name = 'Edit', status = 'completed', turn = 1 },
  { row = 'file_operations', operation = 'modify', turn = 1 },
  { row = 'tool_calls', id = '2', name = 'Bash', status = 'denied', turn = 1 },
  { row = 'messages', role = 'user', text = 'Again', turn = 2 },
  {
    row = 'shell_commands',
    command = 'make test',
    exit_code = 2,
    output = 'so it\nfails',
    turn = 2,
  },
  { row = 'file_operations', operation = 'create', path = 'gone.c', turn = 2 },
}

describe(':Oxide records', function()
  local child

  local function write_record(name, rows)
    local lines = {}
    for i, row in ipairs(rows) do
      row = vim.deepcopy(row)
      row.timestamp = row.timestamp or ('2026-03-01T10:00:%02d.000Z'):format(i)
      row.cwd = row.row == 'session' and child.dir or nil
      if row.operation == 'modify' then
        row.path = child.dir .. '/a.c'
        row.change = { diff = PATCH, lines_added = 1, lines_removed = 1 }
      elseif row.id then
        row.arguments = row.id == '2' and { command = 'rm x' } or vim.empty_dict()
        row.result = 'told'
      end
      lines[i] = vim.json.encode(row)
    end
    helper.write(
      ('%s/.state/oxide/records/%s.jsonl'):format(child.dir, name),
      table.concat(lines, '\n') .. '\n'
    )
  end

  before_each(function()
    child = helper.start(
      { ['a.c'] = 'one\nTWO\nthree\n' },
      { config = ('{ core = { path = %q } }'):format(helper.core) }
    )
    child:cmd('edit a.c')
  end)
  after_each(helper.cleanup)

  local function open(args)
    child:cmd('Oxide records ' .. (args or ''))
    child:wait('the record', "vim.bo.filetype == 'oxide-records'")
  end

  local function lines()
    return child:lua('return vim.api.nvim_buf_get_lines(0, 2, -1, false)')
  end

  it('shows turns with what was said, called, changed and run', function()
    write_record('20260301T100000.000Z-abc1', ROWS)
    open()
    assert.same({
      '',
      'Turn 1',
      '  > Change it',
      '  Edit',
      '    modify a.c +1 -1',
      '  Bash rm x: denied',
      '',
      'Turn 2',
      '  > Again',
      '    $ make test  exit 2',
      '    create gone.c',
    }, lines())
    assert.matches('^# Oxide: claude, 2026', child:lua('return vim.fn.getline(1)'))
    assert.equal(
      3,
      child:lua('return vim.fn.foldlevel(4) + vim.fn.foldlevel(5) + vim.fn.foldlevel(11)')
    )
    child:cmd('4foldclose')
    assert.equal(8, child:lua('return vim.fn.foldclosedend(4)'))
  end)

  it('leads to the file and the line that was changed', function()
    write_record('20260301T100000.000Z-abc1', ROWS)
    open('abc')
    child:cmd('7')
    child:type('<CR>')
    child:wait('the file', "vim.fn.expand('%:t') == 'a.c'")
    assert.equal(2, child:lua("return vim.fn.line('.')"))
    assert.equal(1, child:lua("return #vim.fn.win_findbuf(vim.fn.bufnr('a.c'))"))
  end)

  it('shows all of a command, and says what is not there any more', function()
    write_record('20260301T100000.000Z-abc1', ROWS)
    open()
    child:cmd('12')
    child:type('<CR>')
    child:wait('the output', "vim.fn.expand('%:t') == 'row'")
    assert.same({ 'make test', '', 'so it', 'fails' }, child:lua('return vim.fn.getline(1, "$")'))
    child:type('q')
    child:cmd('13')
    child:type('<CR>')
    child:wait('the message', '#_G.messages > 0')
    assert.matches('gone%.c is not there any more', child:lua('return _G.messages[1].text'))
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(
      ('says its keys, and what may be the work of another, %d columns wide'):format(columns),
      function()
        local rows = vim.deepcopy(ROWS)
        rows[4].unsure =
          'codex worked in this project at the same time; some of this may be its work'
        write_record('20260301T100000.000Z-abc1', rows)
        screen.size(child, columns, 40)
        open()
        child:cmd('only')
        local seen = child:lua('return _G.screen_rows()')
        assert.matches('^# Oxide: claude, 2026%-03%-01 10:00:00 UTC, in /', seen[1])
        assert.same({
          '# <CR> opens   za folds   q closes',
          '',
          'Turn 1',
          '  > Change it',
          '  Edit',
          '    modify a.c +1 -1, perhaps not its own',
          '  Bash rm x: denied',
        }, vim.list_slice(seen, 2, 8))
        assert.is_false(child:lua('return vim.wo.wrap'))
      end
    )
  end

  it('says that nothing is kept', function()
    child:cmd('Oxide records')
    child:wait('the message', '#_G.messages > 0')
    assert.matches('no records found', child:lua('return _G.messages[1].text'))
    child:cmd('Oxide records nobody')
    child:wait('the message', '#_G.messages > 1')
    assert.matches('no record found of the session nobody', child:lua('return _G.messages[2].text'))
  end)

  it('completes sessions, the latest first', function()
    write_record('20260301T100000.000Z-abc1', ROWS)
    local second = vim.deepcopy(ROWS)
    second[1].session_id = 'def2'
    write_record('20260302T100000.000Z-def2', second)
    local complete = "return vim.fn.getcompletion('Oxide records ', 'cmdline')"
    assert.same({ 'def2', 'abc1' }, child:lua(complete))
    complete = "return vim.fn.getcompletion('Oxide agent export a', 'cmdline')"
    assert.same({ 'abc1' }, child:lua(complete))
  end)

  it('Scenario: save to a file: on export, into the directory of the configuration', function()
    helper.write(
      child.dir .. '/.config/oxide/config.lua',
      ("return { records = { directory = '%s/out/records' } }"):format(child.dir)
    )
    write_record('20260301T100000.000Z-abc1', ROWS)
    helper.write(child.dir .. '/.state/oxide/records/20260301T100000.000Z-abc1.raw', 'a\27[0m\n')
    child:cmd('Oxide agent export abc1')
    child:wait('the message', '#_G.messages > 0')
    local path = child.dir .. '/out/records/20260301T100000.000Z-abc1.json'
    assert.equal('Oxide: Exported to ' .. path, child:lua('return _G.messages[1].text'))
    local r = record.read(helper.read(path))
    assert.equal('abc1', r.session_id)
    assert.is_nil(r.raw_output)
    child:lua([[require('oxide').export_record { raw = true, on_done = function(_, where)
      _G.where = where
    end }]])
    child:wait('the path', '_G.where ~= nil')
    assert.equal('a\27[0m\n', vim.base64.decode(record.read(helper.read(path)).raw_output))
  end)
end)
