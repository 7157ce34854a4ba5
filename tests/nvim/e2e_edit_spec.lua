-- The text-editing tools inside Neovim, with the real core: buffers with and without unsaved
-- changes, and files that are not open, in one change.
local helper = require('helper')

local CORE = helper.core

local function lines(name)
  local list = {}
  for i = 1, 40 do
    list[i] = ('%s %d'):format(name, i)
  end
  return list
end

local function text(list)
  return table.concat(list, '\n') .. '\n'
end

local NAMES = { 'dirty', 'clean', 'one', 'two' }
local FILES = { ['.git/HEAD'] = 'ref: refs/heads/main\n' }
for _, name in ipairs(NAMES) do
  FILES[name .. '.txt'] = text(lines(name))
end

-- Of each sort one, and a patch; lines are those of before, those of dirty.txt with 'mine' on top.
local OPERATIONS = {
  { edit_type = 'insert', file_path = 'dirty.txt', line_number = 3, content = 'new\nnew' },
  { edit_type = 'replace', file_path = 'dirty.txt', old_string = 'dirty 30', new_string = 'D30' },
  { edit_type = 'delete', file_path = 'clean.txt', line_number = 2, line_count = 3 },
  {
    edit_type = 'insert',
    file_path = 'one.txt',
    line_number = 1,
    content = 'ONE',
    expect = 'one 1',
  },
  {
    edit_type = 'patch',
    file_path = 'two.txt',
    patch_content = '--- a/two.txt\n+++ b/two.txt\n@@ -40 +40,2 @@\n-two 40\n+TWO\n+the end\n',
  },
}

local function changed()
  local want =
    { dirty = lines('dirty'), clean = lines('clean'), one = lines('one'), two = lines('two') }
  want.dirty[30] = 'D30'
  for _, line in ipairs { 'new', 'new' } do
    table.insert(want.dirty, 2, line)
  end
  table.insert(want.dirty, 1, 'mine')
  for _ = 1, 3 do
    table.remove(want.clean, 2)
  end
  table.insert(want.one, 1, 'ONE')
  want.two[40] = 'TWO'
  table.insert(want.two, 'the end')
  return want
end

describe('the editing tools in Neovim', function()
  local child

  --- dirty.txt, with 'mine' typed on top, is in the window; clean.txt is open behind it.
  local function start(config)
    child = helper.start(FILES, {
      config = ('vim.tbl_extend("error", { core = { path = %q } }, %s)'):format(
        CORE,
        config or '{}'
      ),
    })
    child:cmd('edit clean.txt | edit dirty.txt')
    child:type('ggOmine<Esc>')
    child:wait('the typed line', "vim.fn.getline(1) == 'mine' and vim.fn.mode() == 'n'")
  end

  before_each(function()
    start()
  end)
  after_each(helper.cleanup)

  local function begin(tool, args, context)
    child:lua(
      [[
        local tool, args, context = ...
        _G.done = nil
        require('oxide.core').call(tool, args, context, function(err, result)
          _G.done = err and { code = err.code, message = err.message } or result
        end)
      ]],
      tool,
      args,
      context or { confirm = 'never' }
    )
  end

  local function finish()
    return child:wait('the answer', '_G.done')
  end

  local function call(tool, args)
    begin(tool, args)
    return finish()
  end

  local function buffer(name)
    local list =
      child:lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true)', name)
    return text(list)
  end

  --- Nothing has happened to any of them.
  local function assert_untouched()
    for _, name in ipairs(NAMES) do
      assert.equal(FILES[name .. '.txt'], child:file(name .. '.txt'))
    end
    assert.equal('mine\n' .. FILES['dirty.txt'], buffer('dirty.txt'))
    assert.equal(FILES['clean.txt'], buffer('clean.txt'))
    assert.is_true(child:lua("return vim.bo[vim.fn.bufnr('dirty.txt')].modified"))
    assert.is_false(child:lua("return vim.bo[vim.fn.bufnr('clean.txt')].modified"))
  end

  it('change unsaved and saved buffers and closed files together, and take it back', function()
    child:cmd('setlocal foldmethod=manual | 10,15fold | 20mark a | normal! 38G')
    child:lua([[
      _G.ns = vim.api.nvim_create_namespace('test')
      _G.mark = vim.api.nvim_buf_set_extmark(0, _G.ns, 30, 3, {}) -- in 'dirty 30', before the number
    ]])
    local done = call('multi_edit', { operations = OPERATIONS })
    assert.is_true(done.success, done.message)
    assert.equal(4, done.files_changed)
    local want = changed()
    assert.equal(text(want.dirty), buffer('dirty.txt'))
    assert.equal(FILES['dirty.txt'], child:file('dirty.txt'))
    assert.equal(text(want.clean), buffer('clean.txt'))
    for _, name in ipairs { 'clean', 'one', 'two' } do
      assert.equal(text(want[name]), child:file(name .. '.txt'))
    end
    assert.equal(-1, child:lua("return vim.fn.bufnr('one.txt')"))
    assert.same(
      { 22, 12, 40 },
      child:lua([[return { vim.fn.line("'a"), vim.fn.foldclosed(14), vim.fn.line('.') }]])
    )
    assert.equal(
      32,
      child:lua('return vim.api.nvim_buf_get_extmark_by_id(0, _G.ns, _G.mark, {})[1]')
    )
    child:cmd('Oxide undo')
    child:message('Undid .* in 4 files')
    assert_untouched()
    assert.same(
      { 20, 10, 38 },
      child:lua([[return { vim.fn.line("'a"), vim.fn.foldclosed(12), vim.fn.line('.') }]])
    )
  end)

  it('are one step of undo in each buffer', function()
    assert.is_true(call('multi_edit', { operations = OPERATIONS }).success)
    child:cmd('undo')
    assert.equal('mine\n' .. FILES['dirty.txt'], buffer('dirty.txt'))
    child:cmd('undo | buffer clean.txt | undo')
    assert.equal(FILES['dirty.txt'], buffer('dirty.txt'))
    assert.equal(FILES['clean.txt'], buffer('clean.txt'))
  end)

  it('change nothing when a buffer has moved on since it was shown', function()
    begin('multi_edit', { operations = OPERATIONS }, { confirm = 'always' })
    child:event('ReviewOpen')
    child:lua([[
      local buf = vim.fn.bufnr('clean.txt')
      vim.api.nvim_buf_set_lines(buf, 0, 1, true, { 'typed meanwhile' })
    ]])
    child:wait('the mark', "vim.fn.getline(2):find('1 changed meanwhile')")
    local ok, why = pcall(child.cmd, child, 'write')
    assert.is_false(ok)
    assert.matches('clean%.txt was changed since this review was made', why)
    child:cmd('quit!')
    assert.equal('cancelled', finish().code)
    child:cmd('buffer clean.txt | undo')
    assert_untouched()
  end)

  it('are applied where files and buffers have the text again that they had', function()
    begin('multi_edit', { operations = OPERATIONS }, { confirm = 'always' })
    child:event('ReviewOpen')
    helper.write(child.dir .. '/one.txt.new', FILES['one.txt'])
    assert(vim.uv.fs_rename(child.dir .. '/one.txt.new', child.dir .. '/one.txt'))
    for _, name in ipairs { 'two.txt', 'clean.txt' } do
      assert(vim.uv.fs_utime(child.dir .. '/' .. name, 1, 1))
    end
    child:lua([[
      vim.cmd('checktime')
      vim.api.nvim_buf_call(vim.fn.bufnr('clean.txt'), function() vim.cmd('edit!') end)
      local buf = vim.fn.bufnr('dirty.txt')
      vim.api.nvim_buf_set_lines(buf, 0, 1, true, { 'typed meanwhile' })
      vim.api.nvim_buf_set_lines(buf, 0, 1, true, { 'mine' })
    ]])
    child:cmd('doautocmd BufEnter') -- looks at the files
    assert.not_matches('changed meanwhile', child:lua('return vim.fn.getline(2)'))
    child:cmd('write')
    assert.is_true(finish().success)
    local want = changed()
    assert.equal(text(want.one), child:file('one.txt'))
    assert.equal(text(want.two), child:file('two.txt'))
    assert.equal(text(want.clean), buffer('clean.txt'))
    assert.equal(text(want.dirty), buffer('dirty.txt'))
  end)

  it('change nothing when one of the operations does not fit', function()
    local operations = vim.deepcopy(OPERATIONS)
    operations[4].expect = 'ONE'
    local done = call('multi_edit', { operations = operations })
    assert.equal('stale', done.code, vim.inspect(done))
    assert.matches('operation 4 of %d+ %(', done.message)
    assert_untouched()
  end)

  it('each see what was not saved', function()
    local seen = call('read_file', { file_path = 'dirty.txt', start_line = 1, end_line = 2 })
    assert.equal('1: mine\n2: dirty 1\n', seen.content)
    local edits = {
      { 'edit_file', { file_path = 'dirty.txt', old_string = 'mine', new_string = 'yours' } },
      {
        'multi_edit_files',
        {
          file_paths = { 'dirty.txt' },
          edit_instructions = 'FILE: dirty.txt\nREPLACE:\n```\nyours\n```\nWITH:\n```\ntheirs\n```\n',
        },
      },
      {
        'apply_patch',
        {
          patch = '*** Begin Patch\n*** Update File: dirty.txt\n@@\n-theirs\n+ours\n dirty 1\n*** End Patch\n',
        },
      },
      { 'write_file', { file_path = 'dirty.txt', content = 'all new\n', overwrite = true } },
    }
    local first = { 'yours', 'theirs', 'ours', 'all new' }
    for i, edit in ipairs(edits) do
      local done = call(edit[1], edit[2])
      assert.is_true(done.success, vim.inspect(done))
      assert.equal(first[i], vim.split(buffer('dirty.txt'), '\n')[1])
      assert.equal(FILES['dirty.txt'], child:file('dirty.txt'))
    end
    for i = #edits - 1, 1, -1 do
      child:cmd('undo')
      assert.equal(first[i], vim.split(buffer('dirty.txt'), '\n')[1])
    end
  end)

  it('write what apply.save says', function()
    for save, written in pairs { all = { true, true }, none = { false, false } } do
      helper.cleanup()
      start(('{ apply = { save = %q } }'):format(save))
      assert.is_true(call('multi_edit', { operations = OPERATIONS }).success)
      local want = changed()
      assert.equal(written[1] and text(want.dirty) or FILES['dirty.txt'], child:file('dirty.txt'))
      assert.equal(written[2] and text(want.clean) or FILES['clean.txt'], child:file('clean.txt'))
      assert.equal(text(want.one), child:file('one.txt'))
      assert.equal(text(want.dirty), buffer('dirty.txt'))
    end
  end)
end)
