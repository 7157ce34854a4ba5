-- `oxide ask` over TLS: whose certificate is trusted, and HTTP/2.
local helper = require('helper')
local project = require('project')
local tls_model = require('tls_model')

describe('oxide ask, over TLS', function()
  local dir, server ---@type string, test.TlsModel

  before_each(function()
    dir = project.begin { ['a.c'] = 'int a;\n' }
    server = tls_model.start(dir)
    helper.write(
      dir .. '.lua',
      ('return { models = { fast = { url = %q, model = "m1" } } }'):format(server.url)
    )
  end)
  after_each(function()
    server:stop()
    project.finish()
  end)

  ---@param env? table<string, string>
  local function ask(env)
    local argv = { helper.core, 'ask', '--config', dir .. '.lua' }
    vim.list_extend(argv, { '--data', helper.root .. '/lua/oxide', 'hello' })
    env = vim.tbl_extend('force', { XDG_STATE_HOME = dir .. '.state' }, env or {})
    return vim.system(argv, { cwd = dir, stdin = '', env = env }):wait(helper.deadline)
  end

  it('refuses a certificate that nobody trusts, and says what to do', function()
    local done = ask()
    assert.truthy(done.stderr:find('the certificate of https://127.0.0.1:', 1, true), done.stderr)
    assert.truthy(done.stderr:find('set SSL_CERT_FILE to a file', 1, true), done.stderr)
    assert.same({ '', 1 }, { done.stdout, done.code })
    assert.same({}, server.versions()) -- no request was made
  end)

  it('trusts those of SSL_CERT_FILE, and speaks HTTP/2', function()
    local done = ask { SSL_CERT_FILE = server.cert }
    assert.equal('Hello.\n', done.stdout, done.stderr)
    assert.same({ '2.0' }, server.versions())
  end)
end)
