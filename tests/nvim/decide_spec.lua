-- A person decides about a change that would bring new errors: it comes up for review, and `:w!` or
-- the command's `!` makes it all the same. What was not verified is said every time.
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')

local LINT = {
  { word = 'bad', fixes = { { title = 'say good', new = 'good' } } },
  { word = 'evil' },
  { word = 'ill', fixes = { { title = 'worse', new = 'evil' } } },
}
local PATCH = '*** Begin Patch\n*** Update File: a.txt\n-ok\n+evil\n*** End Patch\n'

local function page(child)
  child:wait('the review', "vim.bo.filetype == 'oxide-review'")
  return child:lines()
end

local function refused(child)
  child:type(':w<CR>')
  child:wait(
    'the refusal',
    "vim.v.errmsg:find('it would bring 1 new error; nothing was applied. :w! applies', 1, true)"
  )
  child:wait('the review', "vim.bo.filetype == 'oxide-review'")
end

describe('the person decides about new errors of', function()
  local p, child

  before_each(function()
    p = fault.project { lint = LINT, on = { ['textDocument/documentSymbol'] = { result = {} } } }
    child = p:nvim { ['a.txt'] = 'ok\nill\n', ['b.txt'] = 'ok\n' }
    child:cmd('edit a.txt')
  end)
  after_each(fault.cleanup)

  it('a fix, in the review', function()
    child:cmd('2')
    child:cmd('Oxide fix')
    local lines = page(child)
    assert.equal('# It would bring 1 new error: :w! applies it anyway', lines[2])
    assert.matches('^# new error: a.txt:2: ', lines[3])
    refused(child)
    child:type(':w!<CR>')
    child:message('Applied 1 fix: 1 resolved, 1 left. It brings 1 new error: a.txt:2: ')
    assert.equal('ok\nevil\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('a fix, which is not applied when they discard it', function()
    child:cmd('2')
    child:cmd('Oxide fix')
    page(child)
    child:cmd('quit')
    child:message('nothing was changed')
    assert.equal('ok\nill\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('a fix, by !', function()
    child:cmd('2')
    child:cmd('Oxide fix!')
    local text = child:message('It brings 1 new error')
    assert.is_nil(text:find('verify', 1, true))
    assert.equal('ok\nevil\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('an action, in the review and by !', function()
    child:lua([[vim.ui.select = function(items, _, fn)
      fn(items[1])
    end]])
    child:cmd('2')
    child:cmd('Oxide actions')
    assert.equal('# It would bring 1 new error: :w! applies it anyway', page(child)[2])
    child:cmd('quit')
    child:message('nothing was changed')
    child:cmd('Oxide! actions')
    child:message('worse: 1 edit in 1 file. It brings 1 new error: a.txt:2: ')
    assert.equal('ok\nevil\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('a patch, in the review and by !', function()
    child:lua("vim.fn.setreg('\"', ...)", PATCH)
    child:cmd('Oxide patch')
    assert.equal('# It would bring 1 new error: :w! applies it anyway', page(child)[2])
    refused(child)
    child:cmd('Oxide review! apply')
    child:message('Patched 1 place in 1 file. It brings 1 new error: a.txt:1: ')
    assert.equal('evil\nill\n', helper.read(p.dir .. '/a.txt'))
    child:cmd('Oxide undo')
    child:message('Undid')
    child:lua('_G.messages = {}')
    child:cmd('Oxide patch!')
    child:message('Patched 1 place in 1 file. It brings 1 new error: a.txt:1: ')
  end)

  it('a change of which the part with the error is left out, which is made by :w', function()
    helper.write(p.dir .. '/b.txt', 'ok\n')
    child:lua(
      "vim.fn.setreg('\"', ...)",
      (PATCH:gsub('%*%*%* End Patch\n', ''))
        .. '*** Update File: b.txt\n-ok\n+fine\n*** End Patch\n'
    )
    child:cmd('Oxide patch')
    page(child)
    child:type('gg/## .*a.txt<CR>=:w<CR>')
    local text = child:message('Patched')
    assert.is_nil(text:find('new error', 1, true))
    assert.equal('ok\nill\n', helper.read(p.dir .. '/a.txt'))
    assert.equal('fine\n', helper.read(p.dir .. '/b.txt'))
  end)

  it('a script, which is refused without a word of arguments', function()
    child:lua(
      [[require('oxide').patch { text = ..., review = 'never', on_done = function(err)
        _G.err = err.message
      end }]],
      PATCH
    )
    local text = child:wait('the refusal', '_G.err')
    assert.matches('would bring 1 new error, and was not applied: a.txt:1: ', text)
    assert.is_nil(text:find('verify', 1, true))
  end)
end)

describe('what was not verified is said', function()
  after_each(helper.cleanup)

  it('in the review and after it, where there is no server', function()
    local core = { path = helper.core }
    local child = helper.start(
      { ['a.txt'] = 'ok\n' },
      { config = ('{ core = { path = %q } }'):format(core.path) }
    )
    child:cmd('edit a.txt')
    child:lua("vim.fn.setreg('\"', ...)", PATCH)
    child:cmd('Oxide patch')
    assert.matches('\n# not verified: a.txt: ', table.concat(page(child), '\n'))
    child:type(':w<CR>')
    child:message('Patched 1 place in 1 file. Not verified: a.txt: .*%. :Oxide undo')
    assert.equal(vim.log.levels.WARN, child:lua('return _G.messages[#_G.messages].level'))
  end)
end)

local function listed(lines, pattern)
  return #vim.tbl_filter(function(line)
    return line:find(pattern) ~= nil
  end, lines)
end

local function count(n, what)
  return ('%d %s%s'):format(n, what, n == 1 and '' or 's')
end

describe('the person decides about a rename', function()
  local child
  local sample = e2e.samples.clangd
  local before = e2e.before(sample)

  before_each(function()
    child = e2e.start(sample)
    child:cmd('edit shape.c')
  end)
  after_each(helper.cleanup)

  it('that would bring errors, in the review', function()
    child:cmd('call cursor(3, 5)')
    child:cmd('Oxide rename main')
    local lines = page(child)
    local errors = listed(lines, '^# new error: ')
    local meanings = listed(lines, '^# another meaning: ')
    assert.is_true(errors > 0)
    -- two functions have one name then, and which of them clangd takes a place for is not the same
    -- each time: so it is as many as are listed
    assert.equal(
      ('# It would bring %s%s: :w! applies it anyway'):format(
        count(errors, 'new error'),
        meanings == 0 and ''
          or ('; it would change the meaning of %s'):format(count(meanings, 'place'))
      ),
      lines[2]
    )
    child:type(':w<CR>')
    child:wait('the refusal', "vim.v.errmsg:find(':w! applies it anyway', 1, true)")
    assert.same(before, e2e.disk(sample, child.dir))
    child:type(':w!<CR>')
    child:message('Renamed 5 places in 4 files. It brings %d+ new errors?: ')
    assert.matches('int main%(int w', child:file('shape.c'))
  end)

  it('that would bring errors, by !', function()
    child:cmd('call cursor(3, 5)')
    child:cmd('Oxide rename! main')
    child:message('Renamed 5 places in 4 files. It brings %d+ new errors?: ')
    assert.matches('int main%(int w', child:file('shape.c'))
  end)

  it('that changes the meaning of a place, and brings no error', function()
    helper.write(child.dir .. '/g.c', 'int g;\nint f(void) { int a = 1; return a + g; }\n')
    child:cmd('edit g.c')
    child:cmd('call cursor(2, 19)')
    child:cmd('Oxide rename g')
    local lines = page(child)
    assert.equal('# It would change the meaning of 1 place: :w! applies it anyway', lines[2])
    assert.equal('# another meaning: g.c:2: int f(void) { int g = 1; return g + g; }', lines[3])
    child:type(':w<CR>')
    child:wait('the refusal', "vim.v.errmsg:find(':w! applies it anyway', 1, true)")
    child:type(':w!<CR>')
    child:message('Renamed 2 places in 1 file. It changes the meaning of 1 place: g.c:2')
    assert.equal('int g;\nint f(void) { int g = 1; return g + g; }\n', child:file('g.c'))
  end)
end)

local INCOMPLETE = '# Incomplete: large.c (it is larger than file.bytes): '
  .. ':w! applies it anyway'

describe('the person decides about a change that is not complete:', function()
  local child

  before_each(function()
    local options = vim.tbl_extend('force', e2e.PATIENT, { ['file.bytes'] = 1024 })
    child = e2e.start(vim.tbl_extend('force', e2e.samples.clangd, {
      config = ('core = { path = %q, options = %s }'):format(helper.core, vim.inspect(options)),
    }))
    helper.write(
      child.dir .. '/large.c',
      '#include "shape.h"\nint large(void) { return area(1, 2); }\n' .. ('\n'):rep(2000)
    )
    child:cmd('edit shape.c')
    child:cmd('call cursor(3, 5)')
  end)
  after_each(helper.cleanup)

  it('a rename, in the review', function()
    child:cmd('Oxide rename size')
    assert.equal(INCOMPLETE, page(child)[2])
    child:type(':w!<CR>')
    child:message('Renamed 5 places in 4 files. .*large%.c')
    assert.matches('int size%(int w', child:file('shape.c'))
  end)

  it('a rename that is not verified, of which a file is left out', function()
    local function made()
      return child:lua(
        [[return vim.tbl_filter(function(e) return e.name:find('Apply') end, _G.events)]]
      )
    end
    child:cmd('Oxide lsp_rename file_path=shape.c line=3 symbol=area new_name=size verify=false')
    assert.equal(INCOMPLETE, page(child)[2])
    child:cmd('normal gg]c')
    child:cmd('Oxide review reject')
    child:cmd('Oxide review apply')
    child:wait(
      'the second review',
      [[#vim.tbl_filter(function(e) return e.name == 'OxideReviewOpen' end, _G.events) == 2]]
    )
    assert.equal(INCOMPLETE, page(child)[2])
    assert.same({}, made())
    child:type(':w!<CR>')
    assert.is_true(child:event('ApplyPost').files_changed > 0)
  end)

  it('a rename, by !', function()
    child:cmd('Oxide rename! size')
    child:message('Renamed 5 places in 4 files. .*large%.c')
  end)

  it('a signature, in the review', function()
    child:cmd('Oxide signature area(int h, int w)')
    assert.equal(INCOMPLETE, page(child)[2])
    child:type(':w!<CR>')
    child:message('Changed area in ')
    assert.matches('int area%(int h, int w%)', child:file('shape.c'))
  end)
end)
