-- `oxide call` works in the Neovim that has the project open: on unsaved text, through the review.
local fault = require('fault')
local helper = require('helper')
local relay = require('relay')

local A = 'one\ntwo\nthree\n'
local EDITED = 'one\nTWO\nthree\n'

local function edit(path, more)
  local args = { 'edit_file', '--file', path, '--old-string', 'two', '--new-string', 'TWO' }
  return vim.list_extend(args, more or {})
end

local BOTH = vim.json.encode {
  operations = {
    { edit_type = 'replace', file_path = 'a.txt', old_string = 'two', new_string = 'TWO' },
    { edit_type = 'replace', file_path = 'b.txt', old_string = 'two', new_string = 'TWO' },
  },
}

describe('oxide call beside Neovim', function()
  local child, run

  local function start(config)
    run = helper.tempdir()
    child = relay.start({ ['a.txt'] = A, ['b.txt'] = A }, run, config)
    child:cmd('edit a.txt')
    return child
  end

  local function call(args, opts)
    return relay.call(child, run, args, opts)
  end

  local function done(args, opts)
    return relay.finish(call(args, opts))
  end

  local function type_a_line()
    child:type('ggOunsaved<Esc>')
    child:wait('the line', "vim.fn.getline(1) == 'unsaved' and vim.fn.mode() == 'n'")
  end

  after_each(function()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('sees what is not saved, and --here does not', function()
    start()
    type_a_line()
    local seen = done { 'read_file', '--file', 'a.txt' }
    assert.equal(0, seen.code)
    assert.equal('', seen.err)
    assert.matches('unsaved', seen.answer.content)
    local disk = done { 'read_file', '--file', 'a.txt', '--here' }
    assert.not_matches('unsaved', disk.answer.content)
    local text = call({ 'read_file', '--file', 'a.txt', '--text' }):wait()
    assert.equal(0, text.code)
  end)

  it('answers as it does by itself, errors too', function()
    start()
    for _, args in ipairs {
      { 'read_file', '--file', 'a.txt' },
      { 'read_file', '--file', 'none.txt' },
      edit('a.txt', { '--dry-run' }),
      { 'edit_file', '--file', 'a.txt', '--old-string', 'x', '--new-string', 'y' },
      { 'multi_edit', '{"operations": [{]}' },
    } do
      local there = call(args):wait()
      local here = call(vim.list_extend({ '--here' }, args)):wait()
      here.stdout = here.stdout:gsub('"where":"disk"', '"where":"buffer"')
      assert.same({ here.code, here.stdout }, { there.code, there.stdout })
    end
  end)

  it('waits for the review: accepted by :w, in one step of undo', function()
    start()
    local running = call(edit('a.txt'))
    child:event('ReviewOpen')
    assert.matches(
      '# asked for by oxide call %(%d+%), who is waiting',
      table.concat(child:lines(), '\n')
    )
    assert.equal(A, child:file('a.txt'))
    child:type(':w<CR>')
    local said = relay.finish(running)
    assert.equal(0, said.code)
    assert.is_true(said.answer.success)
    assert.equal('buffer', said.answer.files[1].where)
    assert.is_nil(said.answer.left_out)
    assert.equal(EDITED, child:file('a.txt'))
    child:message('oxide call %(%d+%): .*, in 1 file%. Wrote 1 file%. :Oxide undo takes it back')
    child:event('ApplyPre')
    assert.equal(said.answer.transaction, child:event('ApplyPost').transaction)
    child:cmd('silent undo')
    assert.same({ 'one', 'two', 'three' }, child:lines())
    child:cmd('silent redo | silent write')
    assert.equal(0, done({ 'undo', '{}', '--yes' }).code)
    assert.same({ 'one', 'two', 'three' }, child:lines())
  end)

  it('has made the change when Neovim has ended by :wqa', function()
    start()
    type_a_line()
    local running = call { 'multi_edit', BOTH }
    child:event('ReviewOpen')
    child:type(':wqa<CR>')
    assert.equal(0, child:ended())
    assert.is_true(relay.finish(running).answer.success)
    assert.equal('unsaved\n' .. EDITED, child:file('a.txt'))
    assert.equal(EDITED, child:file('b.txt'))
  end)

  it('does not end by :wqa before what the change has left modified is written', function()
    start("apply = { save = 'none' }")
    relay.finish(call { 'read_file', '--file', 'a.txt' })
    local running = call { 'multi_edit', BOTH }
    child:event('ReviewOpen')
    child:type(':wqa<CR>')
    child:wait('the refusal', "vim.v.errmsg:find('a.txt is not written yet')")
    assert.is_true(relay.finish(running).answer.success)
    assert.equal(A, child:file('a.txt'))
    child:wait('the review to be gone', "vim.fn.tabpagenr('$') == 1")
    child:type('<CR>:wqa<CR>')
    assert.equal(0, child:ended())
    assert.equal(EDITED, child:file('a.txt'))
  end)

  it('is told what the review left out', function()
    start()
    local running = call { 'multi_edit', BOTH }
    child:event('ReviewOpen')
    child:type('gg/## .*b.txt<CR>=:w<CR>')
    local said = relay.finish(running)
    assert.same({ { file = 'b.txt' } }, said.answer.left_out)
    assert.equal(1, said.answer.files_changed)
    local made, left = unpack(said.answer.details)
    assert.same({ true, 'done' }, { made.success, made.message })
    assert.same({ false, 'left out by the user' }, { left.success, left.message })
    assert.equal(EDITED, child:file('a.txt'))
    assert.equal(A, child:file('b.txt'))
  end)

  it('is told what the person made of it in the review', function()
    start()
    local running = call { 'multi_edit', BOTH }
    child:event('ReviewOpen')
    child:cmd([[call search('^## .*b.txt') | call search('^+')]])
    child:type('e')
    child:wait('the text', "vim.fn.bufname():find('b.txt after', 1, true)")
    child:type('Sother<Esc>:wq<CR>')
    child:wait(
      'the review',
      "vim.bo.filetype == 'oxide-review' and vim.fn.search('^+other', 'nw') > 0"
    )
    child:type(':w<CR>')
    local answer = relay.finish(running).answer
    assert.is_nil(answer.left_out)
    assert.matches('^%-%-%- a/b.txt\n%+%+%+ b/b.txt\n', answer.changed_by_user)
    assert.matches('\n%+other\n', answer.changed_by_user)
    assert.equal('done', answer.details[1].message)
    assert.matches('^done, but changed by the user: see changed_by_user', answer.details[2].message)
    assert.is_true(answer.details[2].success)
    assert.equal(EDITED, child:file('a.txt'))
    assert.matches('other\n', child:file('b.txt'))
  end)

  it('is told that the review left out a part of a file', function()
    start()
    helper.write(child.dir .. '/long.txt', ('line\n'):rep(20))
    local function insert(file, line)
      local content = 'at ' .. line
      return { edit_type = 'insert', file_path = file, line_number = line, content = content }
    end
    local operations = { insert('long.txt', 1), insert('long.txt', 20), insert('a.txt', 1) }
    local running = call { 'multi_edit', vim.json.encode { operations = operations } }
    child:event('ReviewOpen')
    child:type('gg/at 20<CR> :w<CR>')
    local answer = relay.finish(running).answer
    assert.same({ { file = 'long.txt', hunks = 1, lines = { 20 } } }, answer.left_out)
    for i = 1, 2 do
      assert.is_false(answer.details[i].success)
      assert.matches('^left out by the user, .*see left_out', answer.details[i].message)
    end
    assert.is_true(answer.details[3].success)
  end)

  it('is told that the review was closed', function()
    start()
    local running = call { 'multi_edit', BOTH }
    child:event('ReviewOpen')
    child:type(':q<CR>')
    local said = relay.finish(running)
    assert.equal(1, said.code)
    assert.equal('cancelled', said.answer.error.code)
    assert.equal(A, child:file('a.txt') == A and child:file('b.txt'))
  end)

  it('is told that its file was changed while it was reviewed', function()
    start()
    local running = call { 'multi_edit', BOTH }
    child:event('ReviewOpen')
    child:cmd('tabfirst')
    type_a_line()
    child:cmd('tabnext')
    child:wait(
      'the advice',
      "vim.fn.search('^# A file has changed: nothing can be applied', 'nw') > 0"
    )
    child:type(':w<CR>')
    child:message('a.txt was changed since this review was made')
    child:type(':q<CR>')
    local said = relay.finish(running)
    assert.equal(1, said.code)
    assert.equal('stale', said.answer.error.code)
    assert.matches('a.txt was changed while this was reviewed', said.answer.error.message)
    assert.same({ A, A }, { child:file('a.txt'), child:file('b.txt') })
  end)

  it('applies at once with --yes, says so, and keeps what is not saved unsaved', function()
    start()
    type_a_line()
    local said = done(edit('a.txt', { '--yes' }))
    assert.equal(0, said.code)
    child:message('oxide call %(%d+%): .*, in 1 file.*1 buffer is left modified')
    assert.same({ 'unsaved', 'one', 'TWO', 'three' }, child:lines())
    assert.equal(A, child:file('a.txt'))
    local entry = child:lua(
      [[
        local entries
        require('oxide.core').query('history', function(_, h) entries = h.entries end)
        vim.wait((...), function() return entries end, 5)
        return entries[1]
      ]],
      helper.deadline
    )
    assert.same({ 'cli', said.answer.transaction }, { entry.origin, entry.id })
  end)

  it('asks nobody where review.agent says never, or a function says no', function()
    start("review = { agent = 'never' }")
    assert.equal(0, done(edit('a.txt')).code)
    assert.equal(EDITED, child:file('a.txt'))
    child:lua([[
      require('oxide').setup {
        core = vim.g.oxide.core,
        review = { agent = function(q)
          _G.asked = { who = q.who, tool = q.tool, files = #q.files }
          return q.files[1].shown == 'a.txt'
        end },
      }
    ]])
    assert.equal(0, done(edit('b.txt')).code)
    assert.equal(EDITED, child:file('b.txt'))
    local asked = child:lua('return _G.asked')
    assert.matches('^oxide call %(%d+%)$', asked.who)
    assert.same({ 'edit_file', 1 }, { asked.tool, asked.files })
  end)

  --- On a terminal, where `answer` is typed once it is asked.
  local function at_terminal(answer)
    local said = ''
    local argv = vim.list_extend({ helper.core, 'call' }, edit('a.txt'))
    local env = { XDG_RUNTIME_DIR = run, XDG_STATE_HOME = child.dir .. '/.state', NVIM = '' }
    local job = vim.fn.jobstart(argv, {
      pty = true,
      cwd = child.dir,
      env = env,
      on_stdout = function(_, lines)
        said = said .. table.concat(lines, '\n')
      end,
    })
    fault.wait('the question', function()
      return said:find('Apply this?', 1, true)
    end)
    vim.fn.chansend(job, answer .. '\n')
    local code = vim.fn.jobwait({ job }, helper.deadline)[1]
    return code, said
  end

  it('asks the person at a terminal there, and not in Neovim', function()
    start()
    type_a_line()
    local code, said = at_terminal('n')
    assert.equal(1, code)
    assert.matches('%+TWO', said)
    assert.matches('was not confirmed', said)
    assert.same({ 'unsaved', 'one', 'two', 'three' }, child:lines())
    code, said = at_terminal('y')
    assert.equal(0, code, said)
    assert.same({ 'unsaved', 'one', 'TWO', 'three' }, child:lines())
    child:message('oxide call %(%d+%)')
    assert.same(
      {},
      child:lua([[return vim.tbl_filter(function(e)
        return e.name == 'OxideReviewOpen'
      end, _G.events)]])
    )
  end)

  it('takes its question back when it is interrupted', function()
    start()
    local running = call(edit('a.txt'))
    child:event('ReviewOpen')
    running:kill('sigint')
    local said = relay.finish(running)
    assert.equal('cancelled', said.answer.error.code)
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert.equal(A, child:file('a.txt'))
  end)

  it('takes its question back when it is killed', function()
    start()
    local running = call(edit('a.txt'))
    child:event('ReviewOpen')
    running:kill('sigkill')
    assert.equal('gone', child:event('ReviewClose').outcome)
    child:wait(
      'the caller to be forgotten',
      '(function() local l = listening(); return l and #l.clients == 0 end)()'
    )
    assert.equal(A, child:file('a.txt'))
  end)

  it('is shown in :Oxide and :checkhealth', function()
    start()
    local running = call(edit('a.txt'))
    child:event('ReviewOpen')
    child:cmd('quit | tabnew')
    running:wait()
    running = call(edit('a.txt'))
    child:wait(
      'the caller',
      '(function() local c = (listening() or {}).clients; return c and c[1] and c[1].calls == 1 end)()'
    )
    -- it does not wait for the core longer than a person would
    local text = child:wait(
      'the report',
      [[(function()
      vim.cmd('checkhealth oxide')
      local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
      return text:find('Socket') and text
    end)()]]
    )
    assert.matches('Socket: ' .. vim.pesc(run) .. '/oxide/%x+%-%d+\n', text)
    assert.matches('Caller: oxide call %(%d+%), 1 call\n', text)
    running:kill('sigkill')
  end)

  it('leaves the report of :checkhealth whole where its review opens meanwhile', function()
    start()
    child:lua([[
      local opened = false
      vim.api.nvim_create_autocmd('User', { pattern = 'OxideReviewOpen', callback = function()
        opened = true
      end })
      local core = require('oxide.core')
      local query = core.query
      function core.query(...)
        vim.wait(600000, function() return opened end, 5)
        query(...)
      end
      vim.schedule(function()
        vim.cmd('checkhealth oxide')
        _G.report = vim.api.nvim_buf_get_lines(0, 0, -1, false)
      end)
    ]])
    local running = call(edit('a.txt'))
    local report = table.concat(child:wait('the report', '_G.report'), '\n')
    assert.matches('Socket: ' .. vim.pesc(run), report)
    running:kill('sigkill')
  end)

  it('does not listen where core.listen is off', function()
    run = helper.tempdir()
    child = helper.start({ ['a.txt'] = A }, {
      env = { XDG_RUNTIME_DIR = run },
      config = ('{ core = { path = %q, listen = false } }'):format(helper.core),
    })
    child:cmd('Oxide')
    child:event('Ready')
    assert.is_nil(vim.uv.fs_stat(run .. '/oxide'))
    local said = done { 'read_file', '--file', 'a.txt', '--editor' }
    assert.equal(1, said.code)
    assert.equal('not_found', said.answer.error.code)
  end)

  it('has a core to go to in a terminal of Neovim', function()
    run = helper.tempdir()
    child = helper.start({ ['a.txt'] = A }, {
      env = { XDG_RUNTIME_DIR = run },
      config = ('{ core = { path = %q } }'):format(helper.core),
    })
    child:cmd('edit a.txt | terminal')
    child:event('Ready')
    relay.listen(child)
  end)
end)
