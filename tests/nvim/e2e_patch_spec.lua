-- Patches, hunks, context and history with the real core, and no language server.
local helper = require('helper')

local CORE = helper.core

local LINES = {}
for i = 1, 30 do
  LINES[i] = 'line ' .. i
end
local A = table.concat(LINES, '\n') .. '\n'
local B = 'b one\nb two\n'

--- Changes two places of a.txt, one of b.txt, and makes c.txt.
local PATCH = [[
*** Begin Patch
*** Update File: a.txt
@@
 line 1
-line 2
+LINE 2
@@
 line 24
-line 25
+LINE 25
 line 26
*** Update File: b.txt
@@
-b one
+B ONE
 b two
*** Add File: c.txt
+c
*** End Patch
]]

local RENAME = [[
diff --git a/b.txt b/moved.txt
similarity index 50%
rename from b.txt
rename to moved.txt
--- a/b.txt
+++ b/moved.txt
@@ -1,2 +1,2 @@
-b one
+B ONE
 b two
]]

describe('with the real core', function()
  local child

  before_each(function()
    child = helper.start(
      { ['a.txt'] = A, ['b.txt'] = B, ['.git/HEAD'] = 'ref: refs/heads/main\n' },
      { config = ('{ core = { path = %q } }'):format(CORE) }
    )
    child:cmd('edit a.txt')
  end)
  after_each(helper.cleanup)

  local function patch(text)
    child:lua("vim.fn.setreg('q', ...)", text)
    child:cmd('Oxide patch q')
    child:event('ReviewOpen')
  end

  local function with(edits)
    local lines = vim.deepcopy(LINES)
    for row, text in pairs(edits) do
      lines[row] = text
    end
    return table.concat(lines, '\n') .. '\n'
  end

  it('a patch is reviewed, applied to buffers and files, and taken back', function()
    patch(PATCH)
    assert.matches('^# 3 kept, 0 left out; ', child:lines()[2])
    child:type('ZZ')
    child:message('Patched %d+ places in 2 files, added 1')
    assert.equal(with { [2] = 'LINE 2', [25] = 'LINE 25' }, child:file('a.txt'))
    assert.equal('B ONE\nb two\n', child:file('b.txt'))
    assert.equal('c\n', child:file('c.txt'))
    assert.is_false(child:lua('return vim.bo.modified'))
    child:cmd('Oxide undo')
    child:message('Undid .* in 3 files')
    assert.equal(A, child:file('a.txt'))
    assert.equal(B, child:file('b.txt'))
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/c.txt'))
  end)

  it('hunks that are left out stay as they are', function()
    patch(PATCH)
    child:type(']cx/## .*c.txt<CR>x')
    child:wait(
      'the marks',
      "vim.fn.getline(2):find('^# 1 kept, 1 in part, 1 left out; 2 of 3 hunks; ')"
    )
    child:type(':w<CR>')
    child:message('Patched %d+ places in 2 files')
    assert.equal(with { [25] = 'LINE 25' }, child:file('a.txt'))
    assert.equal('B ONE\nb two\n', child:file('b.txt'))
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/c.txt'))
    child:cmd('Oxide undo')
    child:message('Undid .* in 2 files')
    assert.equal(A, child:file('a.txt'))
  end)

  it('hunks of an unwritten buffer go into that buffer', function()
    child:type('Gomine<Esc>')
    child:wait('the typed line', "vim.fn.getline('$') == 'mine' and vim.fn.mode() == 'n'")
    patch(PATCH)
    child:type('Xgg]c]ca:w<CR>')
    child:message('1 buffer is left modified')
    assert.equal(A, child:file('a.txt'))
    assert.equal(with { [25] = 'LINE 25' } .. 'mine\n', table.concat(child:lines(), '\n') .. '\n')
  end)

  it('a file is renamed without its hunks', function()
    patch(RENAME)
    child:type(']cx')
    child:wait('the mark', [[vim.fn.search('^## \\[-\\] b.txt', 'nw') > 0]])
    child:type(':w<CR>')
    child:message('Renamed 1 file')
    assert.equal(B, child:file('moved.txt'))
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/b.txt'))
  end)

  it('what is yanked of a review is a patch', function()
    patch('--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-line 2\n+LINE 2\n')
    child:type(']cVG"ry:q<CR>')
    child:wait('the end', "vim.fn.tabpagenr('$') == 1")
    child:lua([[
      _G.messages = {}
      vim.fn.setreg('r', '--- a/a.txt\n+++ b/a.txt\n' .. vim.fn.getreg('r'))
    ]])
    child:cmd('Oxide patch! r')
    child:message('Patched 1 place in 1 file')
    assert.equal(with { [2] = 'LINE 2' }, child:file('a.txt'))
  end)

  it('a patch that fits nowhere lists what is near', function()
    child:lua("vim.fn.setreg('q', ...)", (PATCH:gsub('%-line 25', '-  line 25')))
    child:cmd('Oxide patch q')
    child:wait('the list', '#vim.fn.getqflist() > 0')
    assert.same(
      { 'a.txt', 24 },
      child:lua([[
        local item = vim.fn.getqflist()[1]
        return { vim.fs.basename(vim.api.nvim_buf_get_name(item.bufnr)), item.lnum }
      ]])
    )
    assert.equal(A, child:file('a.txt'))
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/c.txt'))
  end)

  it('context has the text that was not written yet', function()
    child:type('ggOmine<Esc>')
    child:wait('the typed line', "vim.fn.getline(1) == 'mine' and vim.fn.mode() == 'n'")
    child:cmd('Oxide context a.txt b.txt to=q')
    child:message('35 lines of 2 files')
    assert.matches('^FILE: a.txt\n1: mine\n2: line 1\n', child:lua([[return vim.fn.getreg('q')]]))
  end)

  it('the history lists changes and takes one back', function()
    patch(PATCH)
    child:type('ZZ')
    child:message('Patched')
    child:cmd('Oxide history')
    child:wait('the list', "vim.bo.filetype == 'oxide-history'")
    local text = table.concat(child:lines(), '\n')
    assert.matches('  apply a patch, by nvim  ', text)
    assert.matches('\n      a.txt  %+2 %-2\n', text)
    child:type('<CR>1<CR>') -- the question's first choice
    child:wait('the mark', "vim.fn.getline(3):find('undone')")
    assert.equal(B, child:file('b.txt'))
  end)
end)
