-- Patches of links and modes with the real core, and open buffers of the files.
local helper = require('helper')

local CORE = helper.core

local TO_LINK = [[
diff --git a/a.txt b/a.txt
deleted file mode 100644
--- a/a.txt
+++ /dev/null
@@ -1 +0,0 @@
-one
diff --git a/a.txt b/a.txt
new file mode 120000
--- /dev/null
+++ b/a.txt
@@ -0,0 +1 @@
+b.txt
\ No newline at end of file
]]

local TO_FOLDER = [[
diff --git a/a.txt b/a.txt/moved.txt
similarity index 100%
rename from a.txt
rename to a.txt/moved.txt
]]

local MODE = [[
diff --git a/a.txt b/a.txt
old mode 100644
new mode 100755
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two
]]

describe('an open buffer', function()
  local child

  before_each(function()
    child = helper.start(
      { ['a.txt'] = 'one\n', ['b.txt'] = 'b\n', ['.git/HEAD'] = 'ref: refs/heads/main\n' },
      { config = ('{ core = { path = %q } }'):format(CORE) }
    )
    child:cmd('edit b.txt')
    child:cmd('edit a.txt')
  end)
  after_each(helper.cleanup)

  local function patch(text)
    child:lua("vim.fn.setreg('q', ...)", text)
    child:cmd('Oxide patch! q')
  end

  local function mode()
    return bit.band(vim.uv.fs_stat(child.dir .. '/a.txt').mode, 511)
  end

  local function kind()
    return vim.uv.fs_lstat(child.dir .. '/a.txt').type
  end

  it('is shown with what its hunks do not tell', function()
    for text, want in pairs {
      [MODE] = '  mode 0644 %-> 0755  1 hunk  ',
      [TO_LINK] = '  becomes a symbolic link  ',
    } do
      child:lua('_G.events = {}; vim.fn.setreg("q", ...)', text)
      child:cmd('Oxide patch q')
      child:event('ReviewOpen')
      assert.matches('\n## %[x%] a%.txt' .. want, table.concat(child:lines(), '\n'))
      child:cmd('quit!')
    end
  end)

  it('goes with its file, where a link comes', function()
    patch(TO_LINK)
    child:message('Patched')
    assert.equal('b.txt', vim.uv.fs_readlink(child.dir .. '/a.txt'))
    local names =
      child:lua('return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())')
    assert.not_matches('/a%.txt', table.concat(names, ' '))
    child:cmd('Oxide undo')
    child:message('Undid')
    assert.equal('file', kind())
    assert.equal('one\n', child:file('a.txt'))
    assert.equal('b\n', child:file('b.txt'))
  end)

  it('that was not written keeps its file from becoming a link', function()
    child:type('Amine<Esc>')
    child:wait('the typed text', "vim.fn.getline(1) == 'onemine' and vim.fn.mode() == 'n'")
    patch((TO_LINK:gsub('%-one', '-onemine')))
    child:message('unsaved changes')
    assert.equal('file', kind())
    assert.same({ 'onemine' }, child:lines())
  end)

  it('follows its file into a folder of the old name', function()
    patch(TO_FOLDER)
    child:message('Renamed 1 file')
    assert.equal('one\n', child:file('a.txt/moved.txt'))
    assert.matches('/a.txt/moved.txt$', child:lua('return vim.api.nvim_buf_get_name(0)'))
    child:cmd('Oxide undo')
    child:message('Undid')
    assert.equal('one\n', child:file('a.txt'))
    assert.matches('/a.txt$', child:lua('return vim.api.nvim_buf_get_name(0)'))
  end)

  it('has its text written, and its file a new mode', function()
    patch(MODE)
    child:message('Patched')
    assert.equal(493, mode())
    assert.equal('two\n', child:file('a.txt'))
    assert.is_false(child:lua('return vim.bo.modified'))
    child:cmd('Oxide undo')
    child:message('Undid')
    assert.equal(420, mode())
    assert.equal('one\n', child:file('a.txt'))
  end)
end)
