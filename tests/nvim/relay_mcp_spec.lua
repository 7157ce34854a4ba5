-- `oxide mcp` works in the Neovim that has the project open: on unsaved text, through the review.
local helper = require('helper')
local mcp = require('mcp')
local relay = require('relay')

local A = 'one\ntwo\nthree\n'
local EDITED = 'one\nTWO\nthree\n'

local EDIT = { file_path = 'a.txt', old_string = 'two', new_string = 'TWO' }
local BOTH = {
  operations = {
    { edit_type = 'replace', file_path = 'a.txt', old_string = 'two', new_string = 'TWO' },
    { edit_type = 'replace', file_path = 'b.txt', old_string = 'two', new_string = 'TWO' },
  },
}

describe('oxide mcp beside Neovim', function()
  local child, run

  local function open_editor(config)
    child = relay.start({ ['a.txt'] = A, ['b.txt'] = A }, run, config)
    child:cmd('edit a.txt')
  end

  local function connect(dir, args, capabilities)
    local c = mcp.start(dir, args, nil, relay.env(dir, run))
    c:initialize(nil, capabilities)
    return c
  end

  local function type_a_line()
    child:type('ggOunsaved<Esc>')
    child:wait('the line', "vim.fn.getline(1) == 'unsaved' and vim.fn.mode() == 'n'")
  end

  --- Asks for a change, and waits until it is in the review.
  local function propose(c, tool, args)
    local id = c:ask('tools/call', {
      name = tool,
      arguments = args,
      _meta = { progressToken = 7 },
    })
    child:event('ReviewOpen')
    return id
  end

  local function answer(c, id)
    local result = c:reply(id).result
    return result.content[1].text, result.isError
  end

  --- How often the client was told that it goes on alone.
  local function told(c)
    return #vim.tbl_filter(function(m)
      return m.method == 'notifications/message'
        and vim.json.encode(m.params):find('continuing without it', 1, true)
    end, c.messages)
  end

  local function kill_editor()
    local pid = child:lua('return vim.uv.os_getpid()')
    vim.uv.kill(pid, 'sigkill')
  end

  before_each(function()
    run = helper.tempdir()
  end)

  after_each(function()
    mcp.cleanup()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('sees what is not saved, and --here does not', function()
    open_editor()
    type_a_line()
    local text, failed = connect(child.dir):call('read_file', { file_path = 'a.txt' })
    assert.is_not_true(failed)
    assert.matches('unsaved', text)
    text = connect(child.dir, { '--here' }):call('read_file', { file_path = 'a.txt' })
    assert.not_matches('unsaved', text)
    assert.matches('two', text)
  end)

  it('means by a line number what it was shown, while the user types', function()
    open_editor()
    local c = connect(child.dir)
    c:call('read_file', { file_path = 'a.txt' })
    type_a_line()
    local id = propose(c, 'edit_file', { file_path = 'a.txt', line_number = 2, content = 'TWO' })
    child:type(':w<CR>')
    local text, failed = answer(c, id)
    assert.is_not_true(failed, text)
    assert.matches('relocated: {"from":2,"to":3}', text, nil, true)
    local buffer = 'vim.api.nvim_buf_get_lines(vim.fn.bufnr("a.txt"), 0, -1, false)'
    assert.same({ 'unsaved', 'one', 'TWO', 'three' }, child:lua('return ' .. buffer))
    child:cmd('buffer a.txt')
    child:type('4GA!<Esc>')
    child:wait('the line', "vim.fn.getline(4) == 'three!' and vim.fn.mode() == 'n'")
    text, failed = c:call('edit_file', { file_path = 'a.txt', line_number = 3, content = 'THREE' })
    assert.is_true(failed)
    assert.matches('\n4: three!\n', text)
    assert.same({ 'unsaved', 'one', 'TWO', 'three!' }, child:lua('return ' .. buffer))
  end)

  it('passes on what a tool that failed says', function()
    open_editor()
    local none = { file_path = 'none.txt' }
    local there, failed = connect(child.dir):call('read_file', none)
    assert.is_true(failed)
    assert.equal(connect(child.dir, { '--here' }):call('read_file', none), there)
  end)

  it('waits for the review, with progress: accepted by :w', function()
    open_editor()
    local c = connect(child.dir)
    local id = propose(c, 'edit_file', EDIT)
    assert.matches(
      '# asked for by test 1 %(%d+%), who is waiting',
      table.concat(child:lines(), '\n')
    )
    local progress = c:heard('notifications/progress', function(params)
      return params.message:find('waiting for the review in Neovim', 1, true)
    end)
    assert.equal(7, progress.progressToken)
    assert.equal(A, child:file('a.txt'))
    child:type(':w<CR>')
    local text, failed = answer(c, id)
    assert.is_not_true(failed, text)
    assert.matches('a.txt .*where: buffer', text)
    assert.equal(EDITED, child:file('a.txt'))
  end)

  it('has its change listed while it waits, which only the person can make', function()
    open_editor()
    local c, other = connect(child.dir), connect(child.dir)
    other:request('resources/subscribe', { uri = 'oxide://actions' })
    other:call('read_file', { file_path = 'a.txt' })
    local id = propose(c, 'edit_file', EDIT)
    other:heard('notifications/resources/updated')
    local list = other:call('list_code_actions', vim.empty_dict())
    assert.matches('count: 1', list)
    assert.matches('state: waiting, asked_by: test 1 %(%d+%)', list)
    local action = list:match('id: ([^,]+)')
    assert.matches('^edit%-a%.txt', action)
    local text, failed = other:call('execute_code_action', { action_id = action })
    assert.is_true(failed)
    assert.matches('is waiting for the user to confirm it on behalf of test 1', text)
    assert.equal(A, child:file('a.txt'))
    child:type(':w<CR>')
    answer(c, id)
    assert.equal(EDITED, child:file('a.txt'))
    assert.matches('count: 0', (other:call('list_code_actions', vim.empty_dict())))
  end)

  it('is told what the review left out', function()
    open_editor()
    local c = connect(child.dir)
    local id = propose(c, 'multi_edit', BOTH)
    child:type('gg/## .*b.txt<CR>=:w<CR>')
    assert.matches('left_out:?%s+.*b.txt', (answer(c, id)))
    assert.equal(EDITED, child:file('a.txt'))
    assert.equal(A, child:file('b.txt'))
  end)

  it('is told that the review was refused', function()
    open_editor()
    local c = connect(child.dir)
    local id = propose(c, 'multi_edit', BOTH)
    child:type(':q<CR>')
    local text, failed = answer(c, id)
    assert.is_true(failed)
    assert.matches('was not confirmed', text)
    assert.equal(A, child:file('a.txt'))
    assert.equal(A, child:file('b.txt'))
  end)

  it('takes its question back when the client cancels', function()
    open_editor()
    local c = connect(child.dir)
    local id = propose(c, 'edit_file', EDIT)
    c:notify('notifications/cancelled', { requestId = id })
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert.same({}, c:request('ping'))
    assert.is_nil(c.replies[id])
    assert.equal(A, child:file('a.txt'))
  end)

  it('takes its question back, and ends, when the client goes', function()
    open_editor()
    local c = connect(child.dir)
    propose(c, 'edit_file', EDIT)
    assert.equal(0, c:close().code)
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert.equal(A, child:file('a.txt'))
  end)

  --- A shell that pipes an edit of a file with a line that is not saved.
  ---@return table replies
  local function pipe_edit()
    type_a_line()
    return mcp.piped(mcp.pipe(child.dir, {}, {
      { name = 'read_file', arguments = { file_path = 'a.txt' } },
      { name = 'edit_file', arguments = EDIT },
    }, relay.env(child.dir, run)))
  end

  it('answers what a shell pipes into it, a change that nobody reviews too', function()
    open_editor("review = { agent = 'never' }")
    local replies = pipe_edit()
    assert.matches('unsaved', replies[1].result.content[1].text)
    assert.is_not_true(replies[2].result.isError)
    assert.same({ 'unsaved', 'one', 'TWO', 'three' }, child:lines())
  end)

  it('refuses what a shell pipes into it where a review would have to be waited for', function()
    open_editor()
    local replies = pipe_edit()
    assert.matches('unsaved', replies[1].result.content[1].text)
    assert.is_true(replies[2].result.isError)
    assert.matches('was not confirmed; nothing was changed', replies[2].result.content[1].text)
    assert.same({ 'unsaved', 'one', 'two', 'three' }, child:lines())
  end)

  it('does nothing without an editor where --editor says so', function()
    open_editor("review = { agent = 'never' }")
    local c = connect(child.dir, { '--editor' })
    assert.matches('1: one', (c:call('read_file', { file_path = 'a.txt' })))
    local elsewhere = helper.tempdir()
    local other = connect(elsewhere, { '--editor', '--root', elsewhere })
    local text, failed = other:call('write_file', { file_path = 'b.txt', content = 'x' })
    assert.is_true(failed)
    assert.matches('no editor has this project open', text)
    assert.is_nil(vim.uv.fs_stat(elsewhere .. '/b.txt'))
    vim.fn.delete(elsewhere, 'rf')
    kill_editor()
    text, failed = c:call('edit_file', EDIT)
    assert.is_true(failed)
    assert.matches('no editor has this project open', text)
    assert.equal(A, child:file('a.txt'))
  end)

  it('goes on alone when the editor is killed in the middle, and says so once', function()
    open_editor()
    local c = connect(child.dir)
    local id = propose(c, 'edit_file', EDIT)
    local other = c:ask('tools/call', { name = 'multi_edit', arguments = BOTH })
    kill_editor()
    local text, failed = answer(c, id)
    assert.is_not_true(failed, text)
    assert.matches('needs_confirmation: true', text)
    assert.matches('needs_confirmation: true', (answer(c, other)))
    assert.equal(A, child:file('a.txt'))
    assert.matches('1: one', (c:call('read_file', { file_path = 'a.txt' })))
    assert.equal(1, told(c))
    assert.equal('oxide: the editor has disconnected; continuing without it\n', c:close().stderr)
  end)

  it('does not make a change twice when the core is killed while it writes', function()
    open_editor("review = { agent = 'never' }")
    local c = connect(child.dir)
    child:lua([[
      local apply = require('oxide.apply')
      local save = apply.save
      apply.save = function(request)
        vim.uv.kill(require('oxide.process').pid, 'sigkill')
        return save(request)
      end
    ]])
    local text, failed = c:call('edit_file', EDIT)
    assert.is_true(failed)
    assert.matches('the change was made: .*, transaction %d', text)
    child:lua('') -- answered once the write that killed the core has ended
    assert.equal(EDITED, child:file('a.txt'))
    assert.equal(1, told(c))
  end)

  it('finds an editor that comes later, and the next one when that has gone', function()
    child = helper.start({ ['a.txt'] = A }, {
      env = { XDG_RUNTIME_DIR = run },
      config = ('{ core = { path = %q } }'):format(helper.core),
    })
    vim.fn.mkdir(child.dir .. '/.git')
    child:cmd('edit a.txt')
    type_a_line()
    local c = connect(child.dir)
    local function read()
      return (c:call('read_file', { file_path = 'a.txt' }))
    end
    assert.not_matches('unsaved', read())
    local first = relay.listen(child).path
    assert.matches('unsaved', read())
    vim.uv.kill(tonumber(first:match('%d+$')), 'sigkill')
    child:wait(
      'another core',
      '(function(first) local l = listening(); return l and l.path and l.path ~= first end)(...)',
      first
    )
    assert.matches('unsaved', read())
    assert.equal('', c:close().stderr)
  end)
end)
