-- What is refused in Neovim: as a whole, with nothing changed on the disk, in a buffer, or in what
-- counts as modified. And what file operations and servers' own edits do to open buffers.
local fault = require('fault')
local helper = require('helper')

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n', ['c.txt'] = 'three old\n' }
local ALL = { rename = { files = { 'a.txt', 'b.txt', 'c.txt' } } }

local function edit(text)
  local range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } }
  return { { range = range, newText = text } }
end

local function uri(name)
  return 'file://{ROOT}/' .. name
end

local function document(name, text)
  return { textDocument = { uri = uri(name), version = vim.NIL }, edits = edit(text) }
end

--- A child with a.txt before it, b.txt hidden with changes of its own, and c.txt on the disk only.
local function start(step, files, options)
  local p = fault.project({ on = { ['textDocument/rename'] = step } }, options)
  local child = p:nvim(vim.tbl_extend('force', FILES, files or {}))
  child:cmd('set hidden')
  child:cmd('edit b.txt')
  child:cmd('normal! Gomine')
  child:cmd('edit a.txt')
  return p, child
end

local function state(p, child)
  return {
    disk = p:tree(),
    buffers = child:lua([[
      return vim.tbl_map(function(buf)
        local bo = vim.bo[buf]
        return { vim.api.nvim_buf_get_name(buf), bo.modified, bo.readonly,
          vim.api.nvim_buf_get_lines(buf, 0, -1, false) }
      end, vim.api.nvim_list_bufs())
    ]]),
  }
end

local function never()
  return { name = 'new', review = 'never' }
end

--- The rename is refused, and nothing is other than it was.
local function refused(p, child, code, patterns)
  local before = state(p, child)
  local done = fault.done(child, fault.ask(child, 'rename', never()))
  assert.equal(code, done.code, done.message)
  for _, pattern in ipairs(patterns) do
    assert.matches(pattern, done.message)
    child:message(pattern)
  end
  assert.same(before, state(p, child))
end

describe('refused as a whole in Neovim:', function()
  after_each(fault.cleanup)

  it('overlapping edits and stale versions', function()
    local p, child = start { rename = { files = ALL.rename.files, overlap = true } }
    refused(p, child, 'conflict', { 'a%.txt' })
    p, child = start { rename = { files = ALL.rename.files, version = -1 } }
    refused(p, child, 'stale', { 'a%.txt' })
  end)

  it("a server's error", function()
    local p, child = start { error = { code = -32803, message = 'cannot rename a keyword' } }
    refused(p, child, 'peer', { 'fake', 'cannot rename a keyword' })
  end)

  it("a buffer that is 'readonly' or not 'modifiable'", function()
    for _, option in ipairs { 'readonly', 'nomodifiable' } do
      local p, child = start(ALL)
      child:cmd('buffer b.txt | setlocal ' .. option .. ' | buffer a.txt')
      refused(p, child, 'denied', { 'b%.txt' })
    end
  end)

  it('a file that may not be written, open or not', function()
    for _, name in ipairs { 'b.txt', 'c.txt' } do
      local p, child = start(ALL)
      assert(vim.uv.fs_chmod(p.dir .. '/' .. name, 292))
      refused(p, child, 'denied', { vim.pesc(name), 'read%-only' })
    end
  end)

  it('a change that reaches out of the project', function()
    local path = helper.tempdir() .. '/x.txt'
    helper.write(path, 'mine\n')
    local out = document('x.txt', 'x')
    out.textDocument.uri = vim.uri_from_fname(path)
    local p, child = start { result = { documentChanges = { document('a.txt', 'x'), out } } }
    refused(p, child, 'denied', { 'x%.txt', 'outside' })
    assert.equal('mine\n', helper.read(path))
    vim.fn.delete(vim.fs.dirname(path), 'rf')
  end)

  it('a text that was typed into while the server was thinking', function()
    local p, child = start(vim.tbl_extend('force', { hold = 'answer' }, ALL))
    local n = fault.ask(child, 'rename', never())
    p:wait_log('the question', function(entry)
      return entry.holds
    end)
    child:type('Otyped<Esc>')
    child:wait('what was typed', "vim.fn.getline(1) == 'typed'")
    local before = state(p, child)
    p:act { release = 'answer' }
    local done = fault.done(child, n)
    assert.equal('stale', done.code)
    assert.matches('a%.txt', done.message)
    assert.same(before, state(p, child))
  end)

  it('a change that its journal has no room for: the buffers stay as they are', function()
    local p, child = start(ALL, { ['c.txt'] = 'old ' .. ('long '):rep(30000) .. '\n' })
    fault.done(child, fault.ask(child, 'hover'))
    local core = child:lua("return require('oxide.process').pid")
    local limit = { 'prlimit', '--pid', tostring(core), '--fsize=65536:' }
    assert.equal(0, vim.system(limit):wait().code)
    refused(p, child, 'limit', { 'no file was changed' })
    limit[4] = '--fsize=unlimited:'
    assert.equal(0, vim.system(limit):wait().code)
    local done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.is_true(done.result and done.result.success, done.message)
    assert.same({ 'two new', 'mine' }, child:lua("return vim.fn.getbufline('b.txt', 1, '$')"))
    assert.equal('two old\n', child:file('b.txt'))
    assert.equal('new one\n', child:file('a.txt'))
  end)

  it('the removal of a file whose buffer has changes', function()
    local p, child = start {
      result = {
        documentChanges = { document('a.txt', 'x'), { kind = 'delete', uri = uri('b.txt') } },
      },
    }
    refused(p, child, 'conflict', { 'b%.txt', 'unsaved' })
  end)
end)

describe('a file operation', function()
  after_each(fault.cleanup)

  it('gives the buffer of a renamed file its new name, and undo the old one', function()
    local p, child = start {
      result = {
        documentChanges = {
          { kind = 'rename', oldUri = uri('a.txt'), newUri = uri('sub/d.txt') },
          document('sub/d.txt', 'moved, '),
        },
      },
    }
    local done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.is_true(done.result and done.result.success, done.message)
    assert.equal(p.dir .. '/sub/d.txt', child:lua('return vim.api.nvim_buf_get_name(0)'))
    assert.same({ 'moved, old one' }, child:lines())
    assert.is_nil(p:tree()['a.txt'])
    assert.equal('moved, old one\n', child:file('sub/d.txt'))
    assert.is_false(child:lua('return vim.bo.modified'))
    child:type('Aend<Esc>')
    child:wait('what was typed', "vim.fn.getline(1) == 'moved, old oneend'")
    fault.done(child, fault.ask(child, 'hover'))
    fault.wait('the server to know the new text under the new name', function()
      return p:server_text('sub/d.txt') == 'moved, old oneend\n'
    end)
    child:cmd('undo')
    child:wait('the old text', "vim.fn.getline(1) == 'moved, old one'")
    done = fault.done(child, fault.ask(child, 'undo'))
    assert.is_true(done.result and done.result.success, done.message)
    assert.equal(p.dir .. '/a.txt', child:lua('return vim.api.nvim_buf_get_name(0)'))
    assert.equal('old one\n', child:file('a.txt'))
  end)

  it('removes the buffer of a deleted file', function()
    local p, child = start {
      result = { documentChanges = { { kind = 'delete', uri = uri('c.txt') } } },
    }
    child:cmd('edit c.txt | buffer a.txt')
    local done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.is_true(done.result and done.result.success, done.message)
    assert.is_nil(p:tree()['c.txt'])
    assert.equal(0, child:lua("return vim.fn.bufloaded('c.txt')"))
  end)

  it('or an annotation opens the review, also for one file in sight', function()
    local _, child = start {
      result = {
        changeAnnotations = { n = { label = 'look here', needsConfirmation = true } },
        documentChanges = {
          {
            textDocument = { uri = uri('a.txt'), version = vim.NIL },
            edits = { vim.tbl_extend('force', edit('x ')[1], { annotationId = 'n' }) },
          },
        },
      },
    }
    local n = fault.ask(child, 'rename', { name = 'new' })
    child:event('ReviewOpen')
    assert.equal('old one\n', child:file('a.txt'))
    child:cmd('write')
    assert.is_true(fault.done(child, n).result.success)
    assert.equal('x old one\n', child:file('a.txt'))
  end)
end)

describe("a server's own edit", function()
  after_each(fault.cleanup)

  local function asked(changes)
    local p, child = start(ALL)
    fault.done(child, fault.ask(child, 'hover'))
    p:act { request = 'workspace/applyEdit', params = { edit = { documentChanges = changes } } }
    return p, child
  end

  local function answer(p)
    return p:wait_log('the answer to its edit', function(entry)
      return entry.result and entry.result.applied ~= nil
    end).result
  end

  it('of one file in sight is applied, and can be taken back', function()
    local p, child = asked { document('a.txt', 'its ') }
    assert.is_true(answer(p).applied)
    assert.equal('its old one\n', child:file('a.txt'))
    local done = fault.done(child, fault.ask(child, 'undo'))
    assert.is_true(done.result and done.result.success, done.message)
    assert.equal('old one\n', child:file('a.txt'))
  end)

  it('of other files is shown first, and its text may be changed', function()
    local p, child = asked { document('a.txt', 'x'), document('c.txt', 'x') }
    child:event('ReviewOpen')
    child:cmd([[call search('^## .*c.txt') | call search('^+')]])
    child:type('e')
    child:wait('the text', "vim.fn.bufname():find('c.txt after', 1, true)")
    child:type('Sother<Esc>:wq<CR>')
    child:wait(
      'the review',
      "vim.bo.filetype == 'oxide-review' and vim.fn.search('^+other', 'nw') > 0"
    )
    child:cmd('write')
    assert.is_true(answer(p).applied)
    assert.equal('xold one\n', child:file('a.txt'))
    assert.matches('^other\n', child:file('c.txt'))
  end)

  it('of other files is shown first, and may be refused', function()
    local p, child = asked { document('a.txt', 'x'), document('c.txt', 'x') }
    child:event('ReviewOpen')
    local before = p:tree()
    child:cmd('quit!')
    assert.is_false(answer(p).applied)
    assert.same(before, p:tree())
    assert.same({ 'old one' }, child:lua("return vim.fn.getbufline('a.txt', 1, '$')"))
  end)

  it('that cannot be done is refused with the reason', function()
    local p, child = asked { document('a.txt', 'x'), document('gone.txt', 'x') }
    local said = answer(p)
    assert.is_false(said.applied)
    assert.matches('gone%.txt', said.failureReason)
    assert.same({ 'old one' }, child:lines())
  end)
end)
