-- :Oxide mcp status: who works in this editor, and what became of what they changed.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')
local relay = require('relay')

local A = 'one\ntwo\nthree\n'
local EDIT = { file_path = 'a.txt', old_string = 'two', new_string = 'TWO' }

-- the user has typed just now
local AT_ONCE = "review = { agent_focus = 'always' }"

describe(':Oxide mcp status', function()
  local child, run

  --- The lines that it shows.
  local function status()
    child:type(':Oxide mcp status<CR>')
    child:wait('the status', "vim.fn.bufname() == 'oxide://mcp/status'")
    local lines = child:lines()
    child:cmd('close')
    return lines
  end

  local function start()
    return mcp.start(child.dir, {}, nil, { XDG_RUNTIME_DIR = run, NVIM = '' })
  end

  local function connect()
    local c = start()
    c:initialize()
    return c
  end

  local function alone()
    child:wait(
      'their end',
      '(function() local l = listening(); return l and #l.clients == 0 end)()'
    )
  end

  --- Asks for the edit, answers its review with keys, and waits for the end.
  local function review(c, keys)
    child:lua('_G.events = {}')
    local id = c:ask('tools/call', { name = 'edit_file', arguments = EDIT })
    child:event('ReviewOpen')
    child:type(keys)
    c:reply(id)
  end

  local function history()
    child:cmd('Oxide history')
    child:wait('the history', "vim.fn.bufname() == 'oxide://history'")
    local lines = child:lines()
    child:cmd('close')
    return table.concat(lines, '\n')
  end

  before_each(function()
    run = helper.tempdir()
    child = relay.start({ ['a.txt'] = A, ['b.txt'] = A }, run, AT_ONCE)
    child:cmd('edit a.txt')
  end)

  after_each(function()
    mcp.cleanup()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('says that nobody is there', function()
    assert.equal('no client is connected', status()[3])
    assert.equal(3, #status())
  end)

  it('says that nobody can be', function()
    child:lua("require('oxide').setup { core = { path = ..., listen = false } }", helper.core)
    child:cmd('Oxide core restart')
    child:wait('no socket', "not (listening() or { path = '' }).path")
    assert.equal("'core.listen' is off", status()[3])
  end)

  it('shows an agent, by its own name, and what it called', function()
    local c = connect()
    c:call('read_file', { file_path = 'a.txt' })
    c:call('read_file', { file_path = 'none.txt' })
    c:ask('tools/call', { name = 'edit_file', arguments = EDIT })
    child:event('ReviewOpen')
    local lines = status()
    local since = 'since %d+%-%d+%-%d+ %d+:%d+:%d+'
    assert.matches('^test 1 %(%d+%), ' .. since .. ', in ' .. vim.pesc(child.dir) .. '$', lines[3])
    assert.equal('    read_file 2 (1 failed), 1 call under way', lines[4])
    assert.equal(4, #lines)
  end)

  it('shows an agent that says with each request who it is', function()
    local c = start()
    c:request('tools/call', {
      name = 'read_file',
      arguments = { file_path = 'a.txt' },
      _meta = {
        ['io.modelcontextprotocol/protocolVersion'] = '2026-07-28',
        ['io.modelcontextprotocol/clientCapabilities'] = vim.empty_dict(),
        ['io.modelcontextprotocol/clientInfo'] = { name = 'modern', version = '2' },
      },
    })
    assert.matches('^modern 2 %(%d+%), since', status()[3])
  end)

  it('tells what became of the changes, also of one who has gone', function()
    local c = connect()
    review(c, ':q<CR>')
    review(c, ':w<CR>')
    c:close()
    alone()
    local lines = status()
    assert.same({ 'no client is connected', '', '# Their changes, the latest first', '' }, {
      unpack(lines, 3, 6),
    })
    local id = lines[7]:match('^%S+ %S+  .*: made, (%d+%-%d+%-%d+)$')
    assert.matches('    edit_file by test 1 %(%d+%)', lines[8])
    assert.matches(': refused$', lines[10])
    assert.matches(', by mcp  ' .. vim.pesc(id), history())
  end)

  it('tells that a change was undone since, until it is made again', function()
    review(connect(), ':w<CR>')
    for _, step in ipairs {
      { 'undo', 'Undid', ': made, then undone, %d+%-%d+%-%d+$' },
      { 'redo', 'Redid', ': made, %d+%-%d+%-%d+$' },
    } do
      child:cmd('Oxide ' .. step[1])
      child:message(step[2])
      assert.matches(step[3], status()[8])
    end
  end)

  it('tells of a change made in part, and of one taken back', function()
    local c = connect()
    local both = vim.tbl_map(function(file)
      return vim.tbl_extend('force', EDIT, { edit_type = 'replace', file_path = file })
    end, { 'a.txt', 'b.txt' })
    local id = c:ask('tools/call', { name = 'multi_edit', arguments = { operations = both } })
    child:event('ReviewOpen')
    child:type('gg/## .*b.txt<CR>=:w<CR>')
    c:reply(id)
    child:lua('_G.events = {}')
    local new = { name = 'write_file', arguments = { file_path = 'c.txt', content = '' } }
    id = c:ask('tools/call', new)
    child:event('ReviewOpen')
    c:notify('notifications/cancelled', { requestId = id })
    local lines
    fault.wait('what became of it', function()
      lines = status()
      return lines[8]:match(': taken back$')
    end)
    assert.matches(': made in part, %d+%-%d+%-%d+$', lines[11])
  end)

  it('shows a shell while it is there, and what it changed', function()
    local edit = { 'edit_file', '--file', 'a.txt', '--old-string', 'two', '--new-string', 'TWO' }
    local running = relay.call(child, run, edit)
    child:event('ReviewOpen')
    local lines = status()
    assert.matches('^oxide call %(%d+%), since', lines[3])
    assert.equal('    1 call under way', lines[4])
    child:type(':w<CR>')
    local answer = relay.finish(running).answer
    alone()
    lines = status()
    assert.equal('no client is connected', lines[3])
    assert.matches(': made, ' .. vim.pesc(answer.transaction) .. '$', lines[7])
    assert.matches('    edit_file by oxide call %(%d+%)', lines[8])
    assert.matches(', by cli  ' .. vim.pesc(answer.transaction), history())
  end)

  it('remembers as many as relay.changes says', function()
    local options = "core = { path = %q, options = { ['relay.changes'] = 2 } }, " .. AT_ONCE
    child = relay.start({ ['a.txt'] = A }, run, options:format(helper.core))
    child:cmd('edit a.txt')
    local c = connect()
    for _ = 1, 3 do
      review(c, ':q<CR>')
    end
    local refused = vim.tbl_filter(function(line)
      return line:match(': refused$')
    end, status())
    assert.equal(2, #refused)
  end)
end)
