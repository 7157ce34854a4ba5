-- The real llama-server, on a port of loopback that it chooses, with a model that says known words.
--
--   local server = llama.start { template = '...', says = {...} }   -- see gguf.lua
--   ... server.url .. '/v1'
--   llama.cleanup()
local fault = require('fault')
local gguf = require('gguf')
local helper = require('helper')

local M = {}

local PROGRAM = helper.root .. '/.deps/llama/llama-server'

---@class test.Llama
---@field url string
---@field log string   what it has printed so far
---@field dir string
---@field process vim.SystemObj
---@field done? vim.SystemCompleted

local running = {} ---@type test.Llama[]

--- Whether the set-up could bring it.
---@return boolean
function M.brought()
  return vim.uv.fs_stat(PROGRAM) ~= nil
end

---@param model { template: string, says: table<string, string[]> }
---@return test.Llama
function M.start(model)
  local server = { dir = helper.tempdir(), log = '' }
  local path = server.dir .. '/model.gguf'
  gguf.write(path, model)
  local argv = { PROGRAM, '--model', path, '--host', '127.0.0.1', '--port', '0' }
  vim.list_extend(argv, { '--parallel', '1', '--threads', '1', '--offline', '--no-ui' })
  server.process = vim.system(argv, {
    env = { HOME = server.dir, XDG_CACHE_HOME = server.dir },
    stderr = function(_, text)
      server.log = server.log .. (text or '')
    end,
  }, function(done)
    server.done = done
  end)
  table.insert(running, server)
  server.url = fault.wait('llama-server to be ready', function()
    assert(not server.done, server.log)
    return server.log:find('model loaded', 1, true) and server.log:match('listening on (%S+)\n')
  end)
  return server
end

--- Ends every one that a test has left.
function M.cleanup()
  for _, server in ipairs(running) do
    server.process:kill('sigkill')
    fault.wait('llama-server to end', function()
      return server.done
    end)
    vim.fn.delete(server.dir, 'rf')
  end
  running = {}
end

return M
