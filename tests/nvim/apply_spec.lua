local helper = require('helper')

--- Runs apply() of the core's request in a child.
local function apply(child, request)
  return child:lua(
    [[
      local request = ...
      for _, file in ipairs(request.files or {}) do
        file.tick = file.tick or vim.api.nvim_buf_get_changedtick(file.buf)
      end
      return require('oxide.apply').apply(request)
    ]],
    request
  )
end

describe('a change of buffers', function()
  local child, a, b

  before_each(function()
    child = helper.start { ['a.txt'] = 'one\ntwo\nthree\nfour\nfive\n', ['b.txt'] = 'x é😀 y\n' }
    child:cmd('edit b.txt')
    b = child:lua('return vim.api.nvim_get_current_buf()')
    child:cmd('edit a.txt')
    a = child:lua('return vim.api.nvim_get_current_buf()')
  end)
  after_each(helper.cleanup)

  local function text(buf)
    return child:lua('return vim.api.nvim_buf_get_lines(..., 0, -1, false)', buf)
  end

  it('is made in order, in bytes, each edit where those before have left the text', function()
    local answer = apply(child, {
      title = 't',
      files = {
        {
          buf = a,
          path = 'a',
          edits = { at = { 0, 0, 0, 3, 3, 0, 4, 0 }, text = { 'ONE\nMORE', '' } },
        },
        { buf = b, path = 'b', edits = { at = { 0, 9, 0, 10 }, text = { 'z' } } },
      },
    })
    assert.is_true(answer.ok)
    assert.same({ 'ONE', 'MORE', 'two', 'four', 'five' }, text(a))
    assert.same({ 'x é😀 z' }, text(b))
    assert.equal(child:lua('return vim.b.changedtick'), answer.files[1].tick)
  end)

  it('is one step of undo, apart from what was typed before', function()
    child:type('Gohere<Esc>')
    child:wait('the typed line', "vim.fn.getline('$') == 'here' and vim.fn.mode() == 'n'")
    apply(child, {
      files = { { buf = a, edits = { at = { 0, 0, 0, 3, 1, 0, 1, 3 }, text = { '1', '2' } } } },
    })
    assert.same({ '1', '2', 'three', 'four', 'five', 'here' }, text(a))
    child:cmd('undo')
    assert.same({ 'one', 'two', 'three', 'four', 'five', 'here' }, text(a))
    child:cmd('undo')
    assert.same({ 'one', 'two', 'three', 'four', 'five' }, text(a))
  end)

  it('is refused as a whole when one buffer is not as it was', function()
    local tick = child:lua('return vim.b.changedtick')
    for reason, spoil in pairs {
      ['changed meanwhile'] = function() end,
      ['readonly'] = function()
        child:lua('vim.bo[...].readonly = true', b)
      end,
      ['modifiable'] = function()
        child:lua('vim.bo[...].modifiable = false', b)
      end,
      ['gone'] = function()
        child:lua('vim.api.nvim_buf_delete(..., { unload = true })', b)
      end,
    } do
      spoil()
      local answer = apply(child, {
        files = {
          { buf = a, path = '/a', edits = { at = { 0, 0, 0, 3 }, text = { '1' } } },
          {
            buf = b,
            path = '/b',
            tick = reason:find('meanwhile') and 1
              or child:lua('return vim.api.nvim_buf_get_changedtick(...)', b),
            edits = { at = { 0, 0, 0, 1 }, text = { '1' } },
          },
        },
      })
      assert.is_false(answer.ok)
      assert.equal('/b', answer.path)
      assert.matches(reason, answer.reason)
      assert.equal(tick, child:lua('return vim.b.changedtick'))
      assert.is_false(child:lua('return vim.bo.modified'))
      child:cmd('bwipeout! b.txt | edit b.txt')
      b = child:lua('return vim.api.nvim_get_current_buf()')
      child:cmd('buffer ' .. a)
    end
  end)

  it('that fails half-way is taken back, and leaves no trace', function()
    local answer = apply(child, {
      files = {
        { buf = a, path = '/a', edits = { at = { 0, 0, 0, 3, 1, 0, 1, 3 }, text = { '1', '2' } } },
        {
          buf = b,
          path = '/b',
          edits = { at = { 0, 0, 0, 1, 0, 90, 0, 95 }, text = { '1', '2' } },
        },
      },
    })
    assert.is_false(answer.ok)
    assert.equal('/b', answer.path)
    assert.same({ 'one', 'two', 'three', 'four', 'five' }, text(a))
    assert.same({ 'x é😀 y' }, text(b))
    assert.is_false(child:lua('return vim.bo[...].modified', a))
    assert.is_false(child:lua('return vim.bo[...].modified', b))
    assert.equal(0, child:lua('return vim.fn.undotree().seq_last - vim.fn.undotree().seq_cur'))
  end)

  it('keeps marks, folds, the cursor and what windows show', function()
    local lines = {}
    for i = 1, 200 do
      lines[i] = 'line ' .. i
    end
    child:lua('vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)', lines)
    child:cmd('split | setlocal foldmethod=manual | 100,110fold | normal! 120Gzt2lma')
    child:cmd('wincmd p | normal! 150Gzt')
    apply(child, {
      files = {
        {
          buf = a,
          edits = { at = { 10, 0, 10, 0, 121, 5, 121, 8 }, text = { 'new\nnew\n', '1200' } },
        },
      },
    })
    local function view()
      return child:lua('local v = vim.fn.winsaveview() return { v.topline, v.lnum, v.col }')
    end
    assert.same({ 152, 152, 0 }, view())
    child:cmd('wincmd p')
    assert.same({ 122, 122, 2 }, view())
    assert.equal(122, child:lua([[return vim.fn.line("'a")]]))
    assert.same(
      { 102, 112 },
      child:lua('return { vim.fn.foldclosed(105), vim.fn.foldclosedend(105) }')
    )
  end)

  it('renames a buffer with its file and leaves no buffer of the old name', function()
    vim.uv.fs_rename(child.dir .. '/a.txt', child.dir .. '/c.txt')
    local answer =
      apply(child, { files = { { buf = a, path = '/a', new_path = child.dir .. '/c.txt' } } })
    assert.is_true(answer.ok)
    assert.equal(child.dir .. '/c.txt', child:lua('return vim.api.nvim_buf_get_name(...)', a))
    assert.equal(-1, child:lua('return vim.fn.bufnr(...)', child.dir .. '/a.txt'))
  end)
end)

describe('saving after a change', function()
  after_each(helper.cleanup)

  --- Both are asked for in one piece.
  ---@param tick? integer
  local function change(child, was_modified, tick)
    local buf = child:lua('return vim.api.nvim_get_current_buf()')
    local made = apply(child, {
      title = 't',
      files = {
        { buf = buf, path = 'a', tick = tick, edits = { at = { 0, 0, 0, 3 }, text = { 'ONE' } } },
      },
    })
    local files = { { buf = buf, was_modified = was_modified } }
    return child:lua("return require('oxide.apply').save { files = ... }", files), made
  end

  local function save(child, was_modified)
    child:cmd('edit a.txt')
    child:lua("require('oxide.core'); require('oxide.buffers').open_all()")
    return change(child, was_modified)
  end

  it('writes buffers that had no changes of their own', function()
    local child = helper.start { ['a.txt'] = 'one\r\ntwo' }
    child:cmd('autocmd BufWritePost * let g:written = 1')
    assert.equal(1, #save(child, false).saved)
    assert.equal('ONE\r\ntwo', child:file('a.txt'))
    assert.equal(1, child:lua('return vim.g.written'))
  end)

  it('writes nothing behind a change that is refused', function()
    local child = helper.start({ ['a.txt'] = 'one\n' }, { config = "{ apply = { save = 'all' } }" })
    child:cmd('edit a.txt')
    assert.equal(1, #change(child, false).saved)
    child:lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'mine' })")
    local answer, made = change(child, false, 1)
    assert.is_false(made.ok)
    assert.same({ saved = {}, failed = {} }, answer)
    assert.equal('ONE\n', child:file('a.txt'))
  end)

  it('leaves the others alone', function()
    local child = helper.start { ['a.txt'] = 'one\n' }
    assert.same({}, save(child, true).saved)
    assert.equal('one\n', child:file('a.txt'))
    assert.is_true(child:lua('return vim.bo.modified'))
  end)

  it('does as apply.save says', function()
    local child = helper.start({ ['a.txt'] = 'one\n' }, { config = "{ apply = { save = 'all' } }" })
    assert.equal(1, #save(child, true).saved)
    local other = helper.start(
      { ['a.txt'] = 'one\n' },
      { config = "{ apply = { save = 'none' } }" }
    )
    assert.same({}, save(other, false).saved)
  end)

  it('does not overwrite a file that somebody else has changed', function()
    local child = helper.start { ['a.txt'] = 'one\n' }
    child:cmd('edit a.txt')
    child:lua("require('oxide.core'); require('oxide.buffers').open_all()")
    helper.write(child.dir .. '/a.txt', 'theirs\n')
    local answer = change(child, false)
    assert.matches('changed on disk', answer.failed[1].reason)
    assert.equal('theirs\n', child:file('a.txt'))
  end)
end)
