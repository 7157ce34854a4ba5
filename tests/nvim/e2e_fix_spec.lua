-- Fixing in Neovim with the real clangd.
local e2e = require('e2e')
local helper = require('helper')

describe('Oxide fix', function()
  after_each(helper.cleanup)

  it('knows what it has resolved, though the server has seen the text before', function()
    local child = e2e.start(e2e.samples.clangd)
    local bad = 'int f(void)\n{\n\treturn 1\n}\n'
    helper.write(child.dir .. '/bad.c', bad)
    child:cmd('edit bad.c')
    child:cmd('Oxide fix buffer')
    assert.matches('Applied 1 fix: 1 resolved, 0 left', child:message('Applied'))
    assert.equal((bad:gsub('1', '1;')), helper.read(child.dir .. '/bad.c'))
    child:cmd('Oxide undo')
    child:message('Undid')
    assert.equal(bad, helper.read(child.dir .. '/bad.c'))
  end)
end)
