-- `oxide ask` over TLS: whose certificate is trusted, and HTTP/2.
local helper = require('helper')
local project = require('project')

describe('oxide ask, over TLS', function()
  local dir, server, printed ---@type string, vim.SystemObj, string

  before_each(function()
    dir = project.begin { ['a.c'] = 'int a;\n' }
    local key, cert = dir .. '.key', dir .. '.cert'
    local made = vim
      .system({
        'openssl',
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
        '-keyout',
        key,
        '-out',
        cert,
      })
      :wait(helper.deadline)
    assert.equal(0, made.code, made.stderr)
    printed = ''
    server = vim.system({ 'node', helper.root .. '/tests/fake/tls_model.js', key, cert }, {
      stdout = function(_, bytes)
        printed = printed .. (bytes or '')
      end,
    })
    assert(
      vim.wait(helper.deadline, function()
        return printed:find('\n') ~= nil
      end),
      'the server did not start'
    )
    helper.write(
      dir .. '.lua',
      ('return { models = { fast = { url = "https://127.0.0.1:%d/v1", model = "m1" } } }'):format(
        tonumber(printed:match('%d+'))
      )
    )
  end)
  after_each(function()
    server:kill('sigkill')
    server:wait()
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
    assert.truthy(printed:match('^%d+\n$'), printed) -- no request was made
  end)

  it('trusts those of SSL_CERT_FILE, and speaks HTTP/2', function()
    local done = ask { SSL_CERT_FILE = dir .. '.cert' }
    assert.equal('Hello.\n', done.stdout, done.stderr)
    assert.truthy(printed:match('^%d+\n2%.0\n$'), printed)
  end)
end)
