local helper = require('helper')

--- A core that asks about a patch of a.txt, unless the patch says what to fail with.
local CORE = [[
local call
return function(core, method, params)
  if method == 'configure' then
    core.ready()
  elseif method == 'call' then
    call = params[1]
    core.data.tool, core.data.args = params[2], vim.json.decode(params[3])
    local patch = core.data.args.patch
    local near = { line = 3, text = '  two', why = 'line 3: differs in indentation: `  two`' }
    if patch:find('several') then
      core.event('answer', { id = call, success = false,
        error = { code = 'not_found', message = 'two of 3 operations failed' }, details = {
          { file = 'a.txt', operation = 0, success = false, message = 'no', candidates = { near } },
          { file = 'b.txt', operation = 1, success = true, message = 'done' },
          { file = 'b.txt', operation = 2, success = false, message = 'is not there' },
        } })
    elseif patch:find('missing') then
      core.event('answer', { id = call, error = { code = 'not_found', file = 'a.txt', line = 2,
        message = 'a.txt: the lines are not there\nmore', candidates = { near,
          { line = 9, text = 'two', why = 'moved' } } } })
    elseif patch:find('broken') then
      core.event('answer', { id = call, error = { code = 'invalid', file = 'a.txt', message = 'no patch' } })
    elseif patch:find('nothing') then
      core.answer(call, { success = true, edits = 0, files_changed = 0, files = {} })
    else
      local context = vim.json.decode(params[4])
      core.event('confirm', { id = 7, call = call, title = 'apply a patch', tool = 'apply_patch',
        origin = 'nvim', server = '', places = 1, annotated = false, files = { { shown = 'a.txt',
          path = vim.uv.cwd() .. '/a.txt', kind = 'modify', hunks = 1, added = 1, removed = 1,
          where = 'disk', diff = '@@ -1 +1 @@\n-one\n+ONE\n' } } })
    end
  elseif method == 'reply' then
    local answer = { success = true, edits = 1, files_changed = 1,
      files = { { file = 'a.txt', edits = 1 } }, transaction = 't1',
      match = 'trailing whitespace', sent = core.data.args.patch, tool = core.data.tool }
    if vim.json.decode(params[1]).accept then core.answer(call, answer)
    else core.fail(call, 'cancelled', 'refused') end
  end
end
]]

local PATCH = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n'

describe('a patch', function()
  local child

  before_each(function()
    child = helper.start_fake(CORE, {
      ['a.txt'] = 'one\n',
      ['x.patch'] = PATCH,
      ['dos.patch'] = PATCH:gsub('\n', '\r\n'),
      ['empty.patch'] = '',
    })
    child:cmd('edit a.txt')
    child:lua([[
      local patch = require('oxide').patch
      require('oxide').patch = function(opts)
        opts.on_done = function(err, result)
          _G.err, _G.result = err and err.code, result
        end
        patch(opts)
      end
    ]])
  end)
  after_each(helper.cleanup)

  --- Lets the review be applied, and returns what the core got.
  local function sent()
    child:event('ReviewOpen')
    child:type(':w<CR>')
    return child:wait('the result', '_G.result and _G.result.sent')
  end

  it('is read from a file, and reviewed', function()
    child:cmd('Oxide patch x.patch')
    assert.equal(PATCH, sent())
    assert.equal('apply_patch', child:lua('return _G.result.tool'))
    assert.equal(
      'Oxide: Patched 1 place in 1 file. Not all of it matched exactly: trailing whitespace.'
        .. ' Wrote 1 file. :Oxide undo takes it back.',
      child:message('Patched')
    )
  end)

  it('tells what it does to files as wholes', function()
    local files = {
      { { file = 'a.txt', edits = 2 }, { file = 'b.txt', edits = 1, kind = 'rename' } },
      { { file = 'a.txt', edits = 2 }, { file = 'n.txt', edits = 0, kind = 'create' } },
      { { file = 'n.txt', edits = 0, kind = 'create' } },
      {
        { file = 'n.txt', edits = 0, kind = 'create' },
        { file = 'd', edits = 0, kind = 'delete' },
      },
      { { file = 'a.txt', edits = 0 } },
    }
    local said = {}
    for i, list in ipairs(files) do
      said[i] = require('oxide.patch').summary { files_changed = #list, edits = 9, files = list }
    end
    assert.same({
      'Patched 3 places in 2 files, renamed 1. Wrote 2 files.',
      'Patched 2 places in 1 file, added 1. Wrote 2 files.',
      'Added 1 file.',
      'Added 1 file, deleted 1.',
      'Patched 1 file. Wrote 1 file.',
    }, said)
  end)

  it('is read from the buffer of an open file, with its line ends', function()
    child:cmd('split dos.patch | $put =\\"x\\"')
    child:cmd('Oxide patch dos.patch')
    assert.equal((PATCH .. 'x\n'):gsub('\n', '\r\n'), sent())
  end)

  it('is read from a register', function()
    child:lua("vim.fn.setreg('q', ...)", PATCH)
    child:cmd('Oxide patch q')
    assert.equal(PATCH, sent())
  end)

  it('is what was yanked last, when nothing is said', function()
    child:cmd('split x.patch | %yank | close')
    child:cmd('Oxide patch')
    assert.equal(PATCH, sent())
  end)

  it('is taken from the clipboard, when the unnamed register holds none', function()
    child:lua(
      [[
        local text = ...
        vim.g.clipboard = { name = 'test', cache_enabled = 0,
          copy = { ['+'] = function() end, ['*'] = function() end },
          paste = { ['+'] = function() return { vim.split(text, '\n'), 'v' } end,
            ['*'] = function() return { {}, 'v' } end } }
        vim.fn.setreg('"', 'words')
      ]],
      '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch'
    )
    child:cmd('Oxide patch')
    assert.equal('*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n', sent())
  end)

  it('is read from a range', function()
    child:cmd('edit x.patch')
    child:cmd('3,5Oxide patch')
    assert.equal('@@ -1 +1 @@\n-one\n+ONE\n', sent())
  end)

  it('is read from a range after a register', function()
    child:cmd('Oxide patch z')
    child:message('register z is empty')
    child:cmd('edit x.patch')
    child:cmd('3,5Oxide patch')
    assert.equal('@@ -1 +1 @@\n-one\n+ONE\n', sent())
  end)

  it('is not looked for in a clipboard that cannot be read', function()
    child:lua([[
      local function broken() error('the clipboard is broken') end
      local fn = { ['+'] = broken, ['*'] = broken }
      vim.g.clipboard = { name = 'test', cache_enabled = 0, copy = fn, paste = fn }
      vim.fn.setreg('"', 'words')
    ]])
    child:cmd('Oxide patch +')
    child:message('register %+ cannot be read: .*clipboard')
    child:cmd('Oxide patch')
    child:message(
      'the unnamed register does not contain a patch; register %+ cannot be read: .*clipboard'
    )
  end)

  it('is applied without a review by a bang only', function()
    child:cmd('Oxide patch! x.patch')
    child:wait('the result', '_G.result')
    assert.equal(1, child:lua("return vim.fn.tabpagenr('$')"))
    child:cmd('confirm Oxide patch! x.patch')
    child:event('ReviewOpen')
  end)

  it('can be discarded', function()
    child:cmd('Oxide patch x.patch')
    child:event('ReviewOpen')
    child:type(':q<CR>')
    assert.equal('cancelled', child:wait('the refusal', '_G.err'))
  end)

  it('that is none is refused before the core is asked', function()
    child:lua("vim.fn.setreg('\"', 'words')")
    child:cmd('Oxide patch')
    child:message('contains? .*patch')
    child:cmd('Oxide patch z')
    child:message('register z is empty')
    child:cmd('Oxide patch no/such.patch')
    child:message('no/such.patch cannot be read')
    child:cmd('Oxide patch empty.patch')
    child:message('empty.patch is empty')
    child:cmd('1Oxide patch x.patch')
    child:message(':Oxide patch takes a file, a register or a range, not two of these')
    assert.equal('invalid', child:lua('return _G.err'))
    assert.is_false(child:lua("return require('oxide.core').running()"))
  end)

  it('that fits nowhere lists where it may belong', function()
    child:lua("require('oxide').patch { text = 'missing' }")
    child:wait('the error', "_G.err == 'not_found'")
    child:message('the lines are not there')
    local list = child:lua('return vim.fn.getqflist({ items = 0, title = 0 })')
    assert.equal('Oxide patch: a.txt: the lines are not there', list.title)
    assert.same(
      { { 3, 'differs in indentation: `  two`' }, { 9, 'moved: two' } },
      vim.tbl_map(function(item)
        return { item.lnum, item.text }
      end, list.items)
    )
    assert.equal(
      child.dir .. '/a.txt',
      child:lua('return vim.api.nvim_buf_get_name(vim.fn.getqflist()[1].bufnr)')
    )
  end)

  it('lists all that failed in it', function()
    child:lua("require('oxide').patch { text = 'several' }")
    child:wait('the error', "_G.err == 'not_found'")
    assert.same(
      { 'a.txt 3  differs in indentation: `  two`', 'b.txt 1 E is not there' },
      child:lua([[
        return vim.tbl_map(function(item)
          local name = vim.fs.basename(vim.api.nvim_buf_get_name(item.bufnr))
          return ('%s %d %s %s'):format(name, item.lnum, item.type, item.text)
        end, vim.fn.getqflist())
      ]])
    )
  end)

  it('opens no list when there is nothing near, and says when it changes nothing', function()
    child:lua("require('oxide').patch { text = 'broken' }")
    child:message('no patch')
    assert.same({}, child:lua('return vim.fn.getqflist()'))
    child:lua("require('oxide').patch { text = 'nothing' }")
    child:message('The patch changes nothing.')
    child:lua("require('oxide').patch { text = 'a\\0b' }")
    child:message('NUL')
  end)
end)
