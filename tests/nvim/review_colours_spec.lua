-- The colours of a review: those of the languages that it shows.
local helper = require('helper')
local review_child = require('review_child')
local screen = require('screen')

describe('a review', function()
  local child

  before_each(function()
    child = review_child.start()
  end)
  after_each(helper.cleanup)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('has the colours of its languages, %d columns wide'):format(columns), function()
      screen.size(child, columns, 40)
      review_child.ask(child)
      child:lua('vim.o.showtabline = 0')
      local rows = vim.list_extend(
        screen.review_header(columns, {
          '# Oxide: rename old to new',
          '# 3 kept, 0 left out; 3 places in 2 files, 1 added, 4 hunks, +4 -3; from clangd',
        }),
        {
          '',
          '## [x] a.c   2 hunks  +2 -2',
          '@@ -1,3 +1,3 @@ [x]',
          ' int f(void)',
          '-  return old(1, "x"); // was',
          '+  return new(1, "x"); // was',
          ' }',
          '@@ -9 +9 @@ [x]',
          '-int old;',
          '+int new;',
          '',
          '## [x] m.py  1 hunk  +1 -1',
          '@@ -1,2 +1,2 @@ [x]',
          ' def f(x):',
          '-    return old(x)',
          '+    return new(x)',
        }
      )
      screen.shows(child, rows)
      child:wait(
        'the colours',
        [[(function()
        local ns = vim.api.nvim_get_namespaces()['oxide.review.syntax']
        local row = vim.fn.search('^+int n;', 'nw') - 1
        return #vim.api.nvim_buf_get_extmarks(0, ns, { row, 0 }, { row, -1 }, {}) > 0
      end)()]]
      )
      local function look(part)
        return screen.look(child, part)
      end
      assert.equal(look('# Oxide') ~= nil, true)
      assert.equal(look('int f'), look('int n;'))
      assert.is_true(screen.differ(child, 'int f', 'f(void)'))
      assert.is_true(screen.differ(child, 'return old(1', 'old(1'))
      assert.is_true(screen.differ(child, 'return new(1', 'new(1'))
      assert.is_true(screen.differ(child, 'old(1', 'new(1'))
      assert.equal(look('// was'), look('// a comment'))
      assert.is_true(screen.differ(child, '// was', '"x"'))
      assert.is_true(screen.differ(child, 'def f', 'f(x)'))
      assert.is_true(screen.differ(child, '-    return', 'return old(x'))
      assert.equal(look('old(1'), look('old(x'))
      assert.equal(look('new(1'), look('new(x'))
    end)
  end

  for _, c in ipairs { 0, 1 } do
    it('has those of a header that no buffer has, c_syntax_for_h ' .. c, function()
      screen.size(child, 80, 40)
      child:lua('if ... == 1 then vim.g.c_syntax_for_h = 1 end', c)
      helper.write(child.dir .. '/h.h', 'int old(void); // was\n')
      review_child.ask(child, 'header')
      child:wait(
        'the colours',
        [[(function()
          local ns = vim.api.nvim_get_namespaces()['oxide.review.syntax']
          return #vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {}) > 0
        end)()]]
      )
      child:cmd('redraw')
      assert.is_true(screen.differ(child, 'int new', 'new(void)'))
      assert.is_true(screen.differ(child, '(void); // was', '// was'))
      child:type('Go')
      child:wait('both texts', "vim.fn.bufname():find(' after$') ~= nil")
      assert.equal(c == 1 and 'c' or 'cpp', child:lua('return vim.bo.filetype'))
    end)
  end

  it('has those of the diff alone where that is wanted', function()
    child:lua("require('oxide').setup { review = { syntax = false } }")
    screen.size(child, 80, 40)
    review_child.ask(child)
    assert.is_false(screen.differ(child, 'int f', 'f(void)'))
    assert.is_false(screen.differ(child, '-  return', 'return old(1'))
  end)
end)
