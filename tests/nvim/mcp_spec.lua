-- :Oxide mcp config, as a person uses it.
local helper = require('helper')

local core = helper.core
local child

before_each(function()
  child = helper.start({}, { config = ('{ core = { path = %q } }'):format(core) })
end)

after_each(helper.cleanup)

describe(':Oxide mcp config', function()
  for _, client in ipairs { 'claude', 'gemini', 'cursor' } do
    it('shows JSON for ' .. client, function()
      child:cmd('Oxide mcp config ' .. client)
      local lines = child:lines()
      local v = vim.json.decode(table.concat(lines, '\n', 3))
      assert.same({ command = core, args = { 'mcp' } }, v.mcpServers.oxide)
      assert.equal('oxide://mcp/' .. client, child:lua('return vim.fn.bufname()'))
      assert.equal('json', child:lua('return vim.bo.filetype'))
      assert.equal(3, child:lua("return vim.fn.line('.')"))
    end)
  end

  it('has a core started, which the client then finds', function()
    child:cmd('Oxide mcp config claude')
    child:event('Ready')
  end)

  it('shows JSON for opencode', function()
    child:cmd('Oxide mcp config opencode')
    local v = vim.json.decode(table.concat(child:lines(), '\n', 3))
    assert.same({ type = 'local', command = { core, 'mcp' } }, v.mcp.oxide)
  end)

  it('shows TOML for codex, also of a path with a quotation mark', function()
    local odd = child.dir .. '/a "b/oxide'
    vim.fn.mkdir(vim.fs.dirname(odd), 'p')
    assert(vim.uv.fs_symlink(core, odd))
    child:lua("require('oxide').setup { core = { path = ... } }", odd)
    child:cmd('Oxide mcp config codex')
    local lines = child:lines()
    assert.equal('[mcp_servers.oxide]', lines[3])
    assert.equal(('command = "%s/a \\"b/oxide"'):format(child.dir), lines[4])
    assert.equal('args = ["mcp"]', lines[5])
    assert.matches('codex mcp add oxide %-%- ', lines[1])
  end)

  it('says which clients it knows', function()
    child:cmd('Oxide mcp config claud')
    child:message("unknown argument 'claud', did you mean 'claude'")
    child:cmd('Oxide mcp')
    child:message('mcp needs status, or config and one of claude, codex, cursor, gemini, opencode')
    local complete = "return vim.fn.getcompletion(..., 'cmdline')"
    assert.same({ 'config', 'status' }, child:lua(complete, 'Oxide mcp '))
    assert.same({}, child:lua(complete, 'Oxide mcp status '))
    assert.same(
      { 'claude', 'codex', 'cursor', 'gemini', 'opencode' },
      child:lua(complete, 'Oxide mcp config ')
    )
  end)

  it('says what to do when there is no core', function()
    child:lua("require('oxide').setup { core = { path = '/nowhere/oxide' } }")
    child:cmd('Oxide mcp config claude')
    child:message('core.path is /nowhere/oxide')
  end)
end)
