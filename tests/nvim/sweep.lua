-- Projects of many small texts, for the specs of what servers say of a whole project.
local fault = require('fault')

local M = {}

--- A slow machine is not a silent server.
---@param script table    of the server; see tests/fake/lsp.lua
---@param options? table  of the core
---@return test.Project
function M.scripted(script, options)
  local patient = { ['lsp.diagnostics_wait_ms'] = 600000 }
  return fault.project(script, vim.tbl_extend('keep', options or {}, patient))
end

--- f01.txt and so on: every other one is bad.
---@param n integer
---@return table<string, string>
function M.texts(n)
  local files = {}
  for i = 1, n do
    files[('f%02d.txt'):format(i)] = i % 2 == 0 and 'bad\n' or 'fine\n'
  end
  return files
end

return M
