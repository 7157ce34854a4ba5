-- `:Oxide test` on a project of Lua, with busted itself.
local helper = require('helper')

local SPEC = [[
local sum = require('sum')

describe('sum', function()
  it('adds', function()
    assert.equal(3, sum(1, 2))
  end)
  it('adds (100%) more', function()
    assert.equal(4, sum(1, 2))
  end)
  it('compares tables', function()
    assert.same({ a = 1, b = { 2 } }, { a = 1, b = { sum(1, 2) } })
  end)
  it('raises', function()
    error('boom')
  end)
  pending('is not done')
end)
]]

describe(':Oxide test, of busted', function()
  after_each(helper.cleanup)

  it('runs all, the nearest one alone, those that failed and those of a file', function()
    if vim.fn.executable('busted') == 0 then
      pending('busted is not there as a program')
      return
    end
    local child = helper.start(
      {
        ['.busted'] = 'return { default = { verbose = true } }\n',
        ['sum.lua'] = 'return function(a, b)\n  return a + b\nend\n',
        ['spec/sum_spec.lua'] = SPEC,
        ['spec/other_spec.lua'] = "it('is another', function() end)\n",
      },
      { config = ("{ core = { path = %q, options = { ['run.allow'] = 1 } } }"):format(helper.core) }
    )
    child:cmd('edit spec/sum_spec.lua')

    ---@param which string
    ---@param summary string
    local function runs(which, summary)
      child:lua('_G.messages = {}')
      child:cmd('Oxide test ' .. which)
      child:message(summary)
    end
    runs('', '2 passed, 3 failed, 1 ignored')
    local listed = child:lua([[
      return vim.tbl_map(function(item)
        return ('%s:%d: %s'):format(vim.fn.bufname(item.bufnr), item.lnum, item.text)
      end, vim.fn.getqflist())
    ]])
    assert.same({
      'spec/sum_spec.lua:8: sum adds (100%) more: Expected objects to be equal. '
        .. '(passed in: (number) 3, expected: (number) 4)',
      'spec/sum_spec.lua:11: sum compares tables: Expected objects to be the same. '
        .. '(passed in: { [a] = 1 *[b] = { *[1] = 3 } }, expected: { [a] = 1 *[b] = { *[1] = 2 } })',
      'spec/sum_spec.lua:14: sum raises: boom',
    }, listed)
    runs('failed', '0 passed, 3 failed')
    child:cmd('5')
    runs('nearest', '1 passed')
    child:cmd('8')
    runs('nearest', '0 passed, 1 failed')
    child:cmd('3')
    runs('nearest', '1 passed, 3 failed, 1 ignored')
    runs('file', '1 passed, 3 failed, 1 ignored')
    runs('sum adds', '1 passed, 1 failed')
    local names = child:lua("return vim.fn.getcompletion('Oxide test sum', 'cmdline')")
    assert.same({ [[sum\ adds\ (100%)\ more]] }, names)
    runs(names[1], '0 passed, 1 failed')
  end)
end)
