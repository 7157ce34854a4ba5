local hunks = require('oxide.review.hunks')
local header = require('oxide.review.header')
local render = require('oxide.review.render')

local DIFF = [[
--- a/src/a.c
+++ b/src/a.c
@@ -1,4 +1,4 @@ int f
 one
-two old
+two new
 three
 four
@@ -10,2 +10,3 @@
 ten
+ten and a half
 eleven
]]

local function question()
  return {
    id = 1,
    call = 1,
    title = 'rename old to new',
    tool = 'lsp_rename',
    server = 'clangd',
    places = 2,
    annotated = false,
    files = {
      {
        path = '/p/src/a.c',
        shown = 'src/a.c',
        kind = 'modify',
        hunks = 2,
        added = 2,
        removed = 1,
        where = 'disk',
        diff = DIFF,
      },
      {
        path = '/p/old.c',
        new_path = '/p/new.c',
        shown = 'old.c',
        kind = 'rename',
        hunks = 0,
        added = 0,
        removed = 0,
        where = 'disk',
        diff = '',
      },
    },
  }
end

describe('a review', function()
  it('names files that were not verified for one reason together', function()
    local asked = question()
    local reason = 'clangd published nothing, though it had been asked'
    asked.notes = 'new error: a.c:2: no such name\n'
    for _, name in ipairs { 'a.c', 'b.c', 'c.c', 'd.c', 'e.c' } do
      asked.notes = asked.notes .. ('not verified: %s: %s\n'):format(name, reason)
    end
    asked.notes = asked.notes
      .. 'not verified: f.c: clangd timed out\nnot verified: the servers did not finish\n'
    asked.cells = 60
    local lines = render.page(asked, { 'kept', 'off' }).lines
    assert.same({
      '# 1 kept, 1 left out',
      '# 2 places in 1 file, 1 renamed, 2 hunks, +2 -1; 1 new',
      '#   error, 7 not verified; from clangd',
      '# new error: a.c:2: no such name',
      '# not verified: a.c, b.c, c.c and 2 more: clangd published',
      '#   nothing, though it had been asked',
      '# not verified: f.c: clangd timed out',
      '# not verified: the servers did not finish',
      '# :w applies   :q discards   g? help',
      '#   <Space> switches a hunk, = a file',
    }, vim.list_slice(lines, 2, 11))
  end)

  for _, cells in ipairs { 40, 60, 80, 200 } do
    it(
      ('has as many lines above its files whatever is kept, %d columns wide'):format(cells),
      function()
        local asked = question()
        asked.cells = cells
        asked.notes = 'not verified: f.c: clangd timed out'
        local states = { 'kept', 'off' }
        local page = render.page(asked, states)
        local height = vim.fn.index(page.lines, '')
        for _, other in ipairs { 'kept', 'off', 'stale' } do
          for _, doing in ipairs { false, 'applying', 'checking' } do
            local lines = header.lines(asked, { other, 'off' }, page.hunks, doing or nil)
            assert.equal(height, #lines)
          end
        end
      end
    )
  end

  it('has a heading and the diff of each file', function()
    local page = render.page(question(), { 'kept', 'off' })
    assert.same({
      '# Oxide: rename old to new',
      '# 1 kept, 1 left out; 2 places in 1 file, 1 renamed, 2 hunks, +2 -1; from clangd',
      '# :w applies   :q discards   g? help   <Space> switches a hunk, = a file',
      '',
      '## [x] src/a.c         2 hunks  +2 -1',
      '@@ -1,4 +1,4 @@ [x] int f',
      ' one',
      '-two old',
      '+two new',
      ' three',
      ' four',
      '@@ -10,2 +10,3 @@ [x]',
      ' ten',
      '+ten and a half',
      ' eleven',
      '',
      '## [ ] old.c -> new.c  renamed',
    }, page.lines)
    assert.same({ 5, 17 }, page.headings)
    assert.same({ { 8, 9 } }, page.pairs)
  end)

  it('knows which line of the source each of its lines is', function()
    local page = render.page(question(), { 'kept', 'kept' })
    assert.same({ file = 1, kind = 'delete', old = 2, hunk = 1, block = 6 }, page.at[8])
    assert.same({ file = 1, kind = 'add', old = 3, hunk = 1, block = 6 }, page.at[9])
    assert.same({ file = 1, kind = 'context', old = 11, hunk = 2, block = 12 }, page.at[15])
    assert.same({ file = 2, kind = 'heading' }, page.at[17])
    assert.is_nil(page.at[1])
  end)

  it('says how much of a file is kept', function()
    local q = question()
    local page = render.page(q, { 'kept', 'kept' })
    page.hunks[1][1].kept = false
    assert.equal(
      '## [-] src/a.c  1 of 2 hunks  +1 -0',
      render.heading(q.files[1], 'part', page.hunks[1], 0)
    )
    assert.equal(
      '# 1 kept, 1 in part, 0 left out; 1 of 2 hunks; 2 places in 1 file, 1 renamed, 2 hunks, +2 -1; from clangd',
      header.lines(q, { 'part', 'kept' }, page.hunks)[2]
    )
    assert.equal('@@ -1,4 +1,4 @@ [ ] int f', (render.hunk_head(page.hunks[1][1])))
  end)

  it('has hunks to choose only in files that are changed in place', function()
    local q = question()
    q.files[1].kind = 'create'
    local page = render.page(q, { 'kept', 'kept' })
    assert.same({ {}, {} }, page.hunks)
    assert.equal('@@ -1,4 +1,4 @@ int f', page.lines[6])
    assert.is_nil(page.at[6].hunk)
  end)

  it('says that a file was changed meanwhile', function()
    local page = render.page(question(), { 'stale', 'kept' })
    assert.matches('1 changed meanwhile', page.lines[2])
    assert.matches('nothing can be applied', page.lines[3])
    assert.matches('^## %[~%] src/a.c .*changed meanwhile$', page.lines[5])
  end)

  it('shows what the server asks about', function()
    local q = question()
    q.annotated, q.labels = true, 'in comments\nin strings\n'
    local page = render.page(q, { 'kept', 'kept' })
    assert.equal('# The server asks to confirm: in comments', page.lines[3])
    assert.equal('# The server asks to confirm: in strings', page.lines[4])
  end)
end)

describe('a diff', function()
  it('makes the new text of the old one', function()
    local old = { 'one', 'two old', 'three', 'four', '5', '6', '7', '8', '9', 'ten', 'eleven' }
    local new = hunks.patched(old, DIFF)
    assert.same({
      'one',
      'two new',
      'three',
      'four',
      '5',
      '6',
      '7',
      '8',
      '9',
      'ten',
      'ten and a half',
      'eleven',
    }, new)
  end)

  it('inserts where nothing is removed', function()
    assert.same({ 'a', 'x', 'b' }, hunks.patched({ 'a', 'b' }, '@@ -1,0 +2 @@\n+x\n'))
    assert.same({ 'x' }, hunks.patched({}, '@@ -0,0 +1 @@\n+x\n'))
  end)
end)

describe('whether a review is wanted', function()
  local wanted = require('oxide.review').wanted
  local function yes()
    return true
  end
  local function no()
    return false
  end
  local file = { path = '/p/a.c', kind = 'modify' }

  it('follows the rule', function()
    assert.is_false(wanted({ files = { file } }, 'auto', yes))
    assert.is_true(wanted({ files = { file } }, 'auto', no))
    assert.is_true(wanted({ files = { file, file } }, 'auto', yes))
    assert.is_true(wanted({ files = { file }, annotated = true }, 'auto', yes))
    assert.is_true(wanted({ files = { { path = '/p/a.c', kind = 'create' } } }, 'auto', yes))
    assert.is_true(wanted({ files = { file } }, 'always', yes))
    assert.is_false(wanted({ files = { file, file } }, 'never', no))
  end)
end)
