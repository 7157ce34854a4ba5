-- Formatting what changed, and formatting what is written, in Neovim with the real clangd.
local e2e = require('e2e')
local helper = require('helper')

local UGLY = 'int  a;\nint  b;\nint  c;\nint  d;\n'

---@param format string   the option, as Lua
---@return test.Child
local function start(format)
  local sample = vim.tbl_extend('force', e2e.samples.clangd, { config = 'format = ' .. format })
  local child = e2e.start(sample)
  helper.write(child.dir .. '/.clang-format', 'BasedOnStyle: LLVM\n')
  helper.write(child.dir .. '/ugly.c', UGLY)
  return child
end

local function git(child, args)
  local identity = { '-c', 'user.name=t', '-c', 'user.email=t@example.org' }
  local argv = vim.list_extend({ 'git', '-C', child.dir }, vim.list_extend(identity, args))
  local done = vim.system(argv):wait()
  assert.equal(0, done.code, done.stderr)
end

describe('Oxide format changed', function()
  after_each(helper.cleanup)

  it('formats the lines that the last commit does not have', function()
    local child = start('{ timeout_ms = 600000 }')
    git(child, { 'init', '-q' })
    git(child, { 'add', 'ugly.c' })
    git(child, { 'commit', '-q', '-m', 'one' })
    child:cmd('edit ugly.c')
    child:cmd('Oxide format changed')
    child:message('No line differs from the last commit')
    -- not written: the buffer is what counts
    child:cmd("2s/b/bb/ | 4s/d/dd/ | 4put ='int   e;'")
    child:cmd('Oxide format changed')
    child:message('Formatted')
    assert.same({ 'int  a;', 'int bb;', 'int  c;', 'int dd;', 'int e;' }, child:lines())
    child:cmd('undo')
    assert.same({ 'int  a;', 'int  bb;', 'int  c;', 'int  dd;', 'int   e;' }, child:lines())
  end)

  it('takes a new file as changed, and says where there is no git', function()
    local child = start('{ timeout_ms = 600000 }')
    child:cmd('edit ugly.c')
    child:cmd('Oxide format changed')
    child:message('git does not know what changed in ugly.c')
    git(child, { 'init', '-q' })
    child:cmd('Oxide format changed')
    child:message('Formatted')
    assert.same({ 'int a;', 'int b;', 'int c;', 'int d;' }, child:lines())
    child:cmd('2Oxide format changed')
    child:message('does not take a range')
  end)
end)

describe('format.on_save', function()
  after_each(helper.cleanup)

  it('leaves the buffer unwritten, unless `apply.save` says otherwise', function()
    local child = start('{ timeout_ms = 600000 }')
    child:cmd('edit ugly.c')
    child:cmd('Oxide format')
    assert.matches('1 buffer is left modified', child:message('Formatted'))
    assert.equal('int a;', child:lines()[1])
    assert.is_true(child:lua('return vim.bo.modified'))
    assert.equal(UGLY, child:file('ugly.c'))
    child:cmd('undo')
    assert.is_false(child:lua('return vim.bo.modified'))
    child:lua([[_G.messages = {}; require('oxide').setup { apply = { save = 'all' } }]])
    child:cmd('Oxide format')
    assert.matches('Wrote 1 file', child:message('Formatted'))
    assert.is_false(child:lua('return vim.bo.modified'))
    assert.matches('^int a;', child:file('ugly.c'))
  end)

  it('formats before the buffer is written, in one undo step', function()
    local child = start('{ on_save = true, timeout_ms = 600000 }')
    child:cmd('edit ugly.c')
    child:cmd('1s/a/aa/')
    child:cmd('write')
    assert.equal('int aa;\nint b;\nint c;\nint d;\n', helper.read(child.dir .. '/ugly.c'))
    assert.is_false(child:lua('return vim.bo.modified'))
    child:cmd('undo')
    assert.same({ 'int  aa;', 'int  b;', 'int  c;', 'int  d;' }, child:lines())
    child:cmd('let b:oxide_format_on_save = v:false | write')
    assert.matches('^int  aa', helper.read(child.dir .. '/ugly.c'))
    -- without changes of one's own, too
    child:cmd('unlet b:oxide_format_on_save | write')
    assert.matches('^int aa', helper.read(child.dir .. '/ugly.c'))
  end)

  it('says nothing of a file that nobody formats', function()
    local child = start('{ on_save = true, timeout_ms = 600000 }')
    child:cmd('edit notes.zzz | call setline(1, "a   b") | write')
    assert.equal('a   b\n', helper.read(child.dir .. '/notes.zzz'))
    assert.same({}, child:lua('return _G.messages'))
  end)

  it('writes as it is what is not formatted in time', function()
    local child = start('{ on_save = true, timeout_ms = 100 }')
    child:lua(
      [[
      require('oxide').setup { core = { path = ... },
        servers = { clangd = { cmd = { 'sh', '-c', 'exec cat >/dev/null' } } },
        format = { on_save = true, timeout_ms = 100 } }
    ]],
      helper.core
    )
    child:cmd('edit ugly.c')
    child:cmd('1s/a/aa/')
    child:cmd('write')
    assert.equal((UGLY:gsub('a', 'aa')), helper.read(child.dir .. '/ugly.c'))
    child:message('unformatted')
    assert.is_false(child:lua('return vim.bo.modified'))
  end)

  it('is off until it is asked for', function()
    local child = start('{}')
    child:cmd('edit ugly.c')
    child:cmd('1s/a/aa/ | write')
    assert.matches('^int  aa', helper.read(child.dir .. '/ugly.c'))
    assert.is_false(child:lua("return require('oxide.core').running()"))
  end)
end)
