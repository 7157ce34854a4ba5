-- What gets into the log: `log.level` as Neovim sets it, and `log.wire`.
local helper = require('helper')

describe('the log', function()
  after_each(helper.cleanup)

  --- Asks about a name in a C file, and returns what the log holds then.
  local function log_after_hover(config)
    local child = helper.start(
      { ['main.c'] = 'int hidden_name(void) { return 1; }\n' },
      { config = ('{ core = { path = %q }, %s }'):format(helper.core, config) }
    )
    child:cmd('edit main.c')
    child:type('w')
    child:lua(
      "require('oxide').hover { on_done = function(e, r) _G.answer = vim.inspect(r or e) end }"
    )
    assert.matches('hidden_name', child:wait('an answer', '_G.answer'))
    return helper.read(child.dir .. '/.state/oxide/oxide.log')
  end

  it('holds what log.level says', function()
    local quiet = log_after_hover('')
    assert.is_nil(quiet:find(' info ', 1, true), quiet)
    assert.is_nil(quiet:find(' wire ', 1, true), quiet)
    assert.matches(' info ', log_after_hover("['log.level'] = 'info'"))
  end)

  it('lists the messages on each wire, without their text, where log.wire is set', function()
    local log = log_after_hover("['core.options'] = { ['log.wire'] = 1 }")
    assert.matches(' wire clangd %-> request %d+ initialize, %d+ bytes\n', log)
    assert.matches(' wire clangd <%- result %d+, %d+ bytes\n', log)
    assert.matches(' wire clangd %-> request %d+ textDocument/hover, %d+ bytes\n', log)
    assert.matches(' wire neovim <%- notification', log)
    assert.is_nil(log:find('hidden_name', 1, true), log)
  end)
end)
