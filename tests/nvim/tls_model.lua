-- A model's server with TLS on loopback, tests/fake/tls_model.js, with a certificate of its own that
-- nobody trusts. It says "Hello." to whatever it is asked.
--
--   local server = tls_model.start(dir)
--   ... server.url, server.cert
--   server.versions()     of HTTP, of each request: {'2.0'}
--   server:stop()
local helper = require('helper')

local M = {}

---@class test.TlsModel
---@field url string
---@field cert string    the file of its certificate
---@field versions fun(): string[]
---@field process vim.SystemObj
local Server = {}
Server.__index = Server

---@param key string
---@param cert string
local function make_certificate(key, cert)
  local argv = { 'openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2' }
  vim.list_extend(argv, { '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1' })
  vim.list_extend(argv, { '-keyout', key, '-out', cert })
  local made = vim.system(argv):wait(helper.deadline)
  assert(made.code == 0, made.stderr)
end

---@param base string   what its files begin with
---@return test.TlsModel
function M.start(base)
  local key, cert = base .. '.key', base .. '.cert'
  make_certificate(key, cert)
  local printed = ''
  local process = vim.system({ 'node', helper.root .. '/tests/fake/tls_model.js', key, cert }, {
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
  return setmetatable({
    url = ('https://127.0.0.1:%d/v1'):format(tonumber(printed:match('%d+'))),
    cert = cert,
    process = process,
    versions = function()
      return vim.list_slice(vim.split(vim.trim(printed), '\n'), 2)
    end,
  }, Server)
end

function Server:stop()
  self.process:kill('sigkill')
  self.process:wait()
end

return M
