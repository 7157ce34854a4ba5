-- Where an old name still stands as text: shown in the review, and part of the change if wanted.
local e2e = require('e2e')
local helper = require('helper')
local screen = require('screen')

local FILES = {
  ['a.h'] = 'int area(int w); /* area of it */\n',
  ['a.c'] = '#include "a.h"\n#include "area.h"\n/* area */\nint area(int w) { return w; }\n',
  ['area.h'] = '',
  ['b.c'] = '#include "a.h"\n\nint s(void) { return area(2); }\n\n\n\n\n\n'
    .. '_Static_assert(sizeof("area") == 5, "");\n',
}

local OFFER = '# Still as text: 3 hunks in 3 files, 0 added. <Space> adds one, here all.'
local NARROW_OFFER = '# Still as text: 3 hunks in 3 files, 0 added: <Space>'

describe('a review offers', function()
  local child

  before_each(function()
    child = helper.start(FILES, { config = e2e.config() })
    helper.write(
      child.dir .. '/compile_commands.json',
      helper.compiled(child.dir, { 'a.c', 'b.c' }, 'cc')
    )
    child:cmd('edit a.c')
  end)
  after_each(helper.cleanup)

  local function ask(name)
    child:type((':Oxide rename %s<CR>'):format(name or 'size'))
    child:event('ReviewOpen')
  end

  --- Goes to the last line that begins so, and types.
  local function at(start, keys)
    child:cmd('normal! G$')
    child:cmd(([[call search('^%s', 'bc')]]):format(vim.fn.escape(start, [[\[]*]])))
    child:type(keys)
  end

  local function apply()
    child:lua('_G.messages = {}')
    child:type(':w<CR>')
    return child:message('Renamed')
  end

  before_each(function()
    child:cmd([[call search('int \zsarea')]])
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('what still is text, %d columns wide'):format(columns), function()
      screen.size(child, columns, 60)
      ask()
      child:lua('vim.o.showtabline = 0')
      screen.shows(
        child,
        screen.review_header(columns, {
          '# Oxide: rename area to size',
          '# 3 kept, 0 left out; 3 places in 3 files, 3 hunks, +3 -3; from clangd',
          '# 3 hunks have the old name as text, at the end; 0 added',
        })
      )
      local lines = child:lines()
      local offered = columns == 60 and NARROW_OFFER or OFFER
      local from = vim.fn.index(lines, offered)
      assert.same({
        offered,
        '## [ ] a.c  as text  1 hunk  +1 -1  open',
        '@@ -1,4 +1,4 @@ [ ]',
        ' #include "a.h"',
        ' #include "area.h"',
        '-/* area */',
        '+/* size */',
        ' int area(int w) { return w; }',
        '',
        '## [ ] a.h  as text  1 hunk  +1 -1',
        '@@ -1 +1 @@ [ ]',
        '-int area(int w); /* area of it */',
        '+int area(int w); /* size of it */',
        '',
        '## [ ] b.c  as text  1 hunk  +1 -1',
      }, vim.list_slice(lines, from + 1, from + 15))
    end)
  end

  it('nothing that is changed unless it is wanted', function()
    ask()
    child:type('XA')
    assert.matches('still occurs in 4 other places', apply())
    assert.equal('int size(int w); /* area of it */\n', child:file('a.h'))
    assert.matches('"area"', child:file('b.c'))
  end)

  it('places that are part of the one change, and of its undo', function()
    ask()
    at('## [ ] a.h', '<Space>')
    child:wait(
      'the mark',
      "vim.fn.search('^# Still as text: 3 hunks in 3 files, 1 added', 'n') > 0"
    )
    at('@@ -1,4 +1,4 @@ [ ]', '<Space>')
    child:wait('the count', "vim.fn.getline(3):find('; 2 added')")
    assert.matches('Renamed 5 places in 3 files', apply())
    assert.equal('int size(int w); /* size of it */\n', child:file('a.h'))
    assert.equal(
      '#include "a.h"\n#include "area.h"\n/* size */\nint size(int w) { return w; }\n',
      child:file('a.c')
    )
    assert.matches('"area"', child:file('b.c'))
    child:cmd('Oxide undo')
    child:message('Undid')
    for name, text in pairs(FILES) do
      assert.equal(text, child:file(name))
    end
  end)

  it('text alone, of which the language servers know no use', function()
    ask()
    child:type('X')
    at('## [ ] a.h', 'a')
    child:wait('the count', "vim.fn.getline(3):find('; 1 added')")
    apply()
    assert.equal('int area(int w); /* size of it */\n', child:file('a.h'))
    assert.equal(FILES['a.c'], child:file('a.c'))
  end)

  it('text that is verified with the rest', function()
    ask('size2')
    at('# Still as text', '<Space>')
    child:wait('the count', "vim.fn.getline(3):find('; 3 added')")
    child:lua('_G.events = {}')
    child:type(':w<CR>')
    child:event('ReviewOpen')
    assert.matches('1 new error', table.concat(child:lines(), '\n'))
    assert.equal(0, vim.fn.match(child:lines(), 'as text') + 1)
    child:type(':q<CR>')
    child:message('nothing was changed')
    assert.equal(FILES['b.c'], child:file('b.c'))
  end)

  it('nothing of a file that was changed meanwhile, and applies the rest', function()
    helper.write(child.dir .. '/c.c', '/* area */\n')
    ask()
    helper.write(child.dir .. '/c.c', '/* an area */\n')
    child:cmd('doautocmd CursorHold')
    child:wait(
      'the mark',
      "table.concat(vim.fn.getline(1, '$'), '\\n'):find('[~] c.c  as text', 1, true)"
    )
    at('# Still as text', '<Space>')
    child:wait('the count', "vim.fn.getline(3):find('; 3 added')")
    apply()
    assert.equal('/* an area */\n', child:file('c.c'))
    assert.equal('int size(int w); /* size of it */\n', child:file('a.h'))
  end)

  it('a file that is changed once it is wanted is refused with all the rest', function()
    helper.write(child.dir .. '/c.c', '/* area */\n')
    ask()
    at('## [ ] c.c', 'a')
    child:wait('the count', "vim.fn.getline(3):find('; 1 added')")
    helper.write(child.dir .. '/c.c', '/* an area */\n')
    child:type(':w<CR>')
    child:wait('the refusal', "vim.v.errmsg:find('c.c was changed since')")
    assert.equal(FILES['a.c'], child:file('a.c'))
  end)
end)
