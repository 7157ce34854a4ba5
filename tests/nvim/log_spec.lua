-- What gets into the log: `log.level`, at the start of the core and later, and `log.wire`.
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

  --- Replaces one text in a file, which writes a line of level `info`, and returns the log.
  local function log_after_edit(child, from, to)
    child:lua(
      [[
        local from, to = ...
        _G.edited = nil
        require('oxide.core').call('edit_file', {
          file_path = 'a.txt',
          old_string = from,
          new_string = to,
        }, { confirm = 'never' }, function(err)
          _G.edited = err and err.message or 'done'
        end)
      ]],
      from,
      to
    )
    assert.equal('done', child:wait('the edit', '_G.edited'))
    local path = child.dir .. '/.state/oxide/oxide.log'
    return vim.uv.fs_stat(path) and helper.read(path) or ''
  end

  local function start(config)
    return helper.start(
      { ['a.txt'] = 'one\n', ['.config/oxide/config.lua'] = config },
      { config = ('{ core = { path = %q } }'):format(helper.core) }
    )
  end

  local function count(log, what)
    return select(2, log:gsub(what, ''))
  end

  it('holds what config.lua says where Neovim says nothing', function()
    local child = start("return { options = { ['log.level'] = 2 } }")
    assert.equal(1, count(log_after_edit(child, 'one', 'two'), ' info apply '))
    child:lua("require('oxide').setup { log = { level = 'error' } }")
    assert.equal(1, count(log_after_edit(child, 'two', 'three'), ' info apply '))
    child:lua("require('oxide').setup {}")
    assert.equal(2, count(log_after_edit(child, 'three', 'four'), ' info apply '))
  end)

  it('follows options that are set while the core runs', function()
    local child = start('return {}')
    assert.equal(0, count(log_after_edit(child, 'one', 'two'), ' info '))
    child:lua("require('oxide').setup { log = { level = 'info' } }")
    assert.equal(1, count(log_after_edit(child, 'two', 'three'), ' info apply '))
    child:lua("require('oxide').setup { core = { options = { ['log.wire'] = 1 } } }")
    local log = log_after_edit(child, 'three', 'four')
    assert.equal(1, count(log, ' info apply '))
    assert.matches(' wire neovim <%- notification', log)
    child:lua("require('oxide').setup {}")
    child:lua("vim.g.oxide = vim.tbl_extend('force', vim.g.oxide, { log = { level = 'info' } })")
    assert.equal(2, count(log_after_edit(child, 'four', 'five'), ' info apply '))
    assert.same({}, child:lua('return _G.messages'))
  end)

  it('lists the messages on each wire, without their text, where log.wire is set', function()
    local log = log_after_hover("['core.options'] = { ['log.wire'] = 1 }")
    assert.matches(' wire clangd %-> request %d+ initialize, %d+ bytes\n', log)
    assert.matches(' wire clangd <%- result %d+, %d+ bytes\n', log)
    assert.matches(' wire clangd %-> request %d+ textDocument/hover, %d+ bytes\n', log)
    assert.matches(' wire neovim <%- notification', log)
    assert.is_nil(log:find('hidden_name', 1, true), log)
  end)

  it('is opened by :Oxide core log, also of a core that keeps ending', function()
    local child = start("return { options = { ['log.level'] = 2 } }")
    child:cmd('edit a.txt')
    for i = 1, 3 do
      child:lua([[
        _G.up = nil
        require('oxide.core').query('status', function(err) _G.up = not err end)
      ]])
      child:wait('core ' .. i, '_G.up')
      vim.uv.kill(child:lua("return require('oxide.process').pid"), 'sigkill')
      child:wait('its end', "not require('oxide.core').running()")
    end
    child:message('third time within a minute')
    child:cmd('Oxide core log')
    child:wait('the log', "vim.fn.expand('%:t') == 'oxide.log'")
  end)

  it('is not opened where there is none', function()
    local child = helper.start(
      { ['a.txt'] = 'one\n' },
      { config = ('{ core = { path = %q } }'):format(helper.core) }
    )
    vim.fn.mkdir(child.dir .. '/.state/oxide/oxide.log', 'p') -- in its place
    child:cmd('edit a.txt')
    child:cmd('Oxide core log')
    child:message('the core has no log')
    assert.equal(1, child:lua('return #vim.api.nvim_list_wins()'))
    assert.is_true(child:lua('return vim.bo.modifiable'))
  end)
end)
