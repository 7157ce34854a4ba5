-- The page of `:Oxide`: what runs is listed, and cancelled from there.
local fault = require('fault')
local helper = require('helper')
local screen = require('screen')

local HELD = {
  capabilities = { hoverProvider = true },
  on = { ['textDocument/hover'] = { hold = 'it', result = { contents = 'what it is' } } },
}

describe('a look-up on the page of :Oxide', function()
  local p, child

  local function begin()
    p = fault.project(HELD)
    child = p:nvim({ ['a.txt'] = 'one\n' }, { wait = { after_ms = 1 } })
    child:cmd('edit a.txt')
  end

  after_each(fault.cleanup)

  it('is listed, and cancelled from there', function()
    begin()
    local n = p:held_hover(child)
    child:cmd('Oxide')
    child:wait('the page', "vim.fn.getline(2):find('^Running  looking up, for %d+ s$')")
    assert.equal(2, child:lua("return vim.fn.line('.')"))
    child:type('jx')
    child:message('nothing here can be cancelled')
    child:type('kx')
    assert.equal('cancelled', fault.done(child, n).code)
    child:message('the look%-up was cancelled') -- not: "nothing was changed"
    child:wait('the renewed page', "vim.fn.getline(2) == 'Running  nothing'")
    child:type('q')
    child:wait('no page', '#vim.api.nvim_list_wins() == 1')
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('is below a line that says the keys, %d columns wide'):format(columns), function()
      begin()
      child:lua('vim.o.columns, vim.o.lines = ..., 24', columns)
      local n = p:held_hover(child)
      child:cmd('vsplit | vertical resize 24') -- which it is not to be in
      child:cmd('Oxide')
      child:wait('the page', "vim.fn.getline(2):find('^Running  looking up')")
      screen.shows_with_floats(child, {
        'Oxide    x cancels or declines, <CR> opens, q closes ',
        'Running  looking up, for ',
        'Core     version ',
      })
      p:act { release = 'it' }
      fault.done(child, n)
    end)
  end

  it('ends there when it is answered', function()
    begin()
    local n = p:held_hover(child)
    child:cmd('Oxide')
    child:wait('the page', "vim.fn.getline(2):find('^Running  looking up')")
    p:act { release = 'it' }
    fault.done(child, n)
    child:wait('the renewed page', "vim.fn.getline(2) == 'Running  nothing'")
  end)

  it('is there also while the core does not answer', function()
    begin()
    helper.wake(child)
    child:lua("require('oxide.process').send = function() end")
    fault.ask(child, 'hover', {})
    child:cmd('Oxide')
    child:wait('the page', "vim.fn.getline(2):find('^Running  looking up')")
    child:wait('the core', "vim.fn.getline('$') == 'Core     has not answered yet'")
  end)
end)
