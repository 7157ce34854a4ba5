-- How the servers that Oxide starts itself are configured: by `servers` of the options, over
-- Neovim's own vim.lsp.config (0.11 and later), over the presets in servers/.
local M = {}

-- What vim.lsp.config and nvim-lspconfig call a server that has another name here.
local ALSO = { typescript = 'ts_ls', typescript_native = 'tsgo' }

--- The members that both know, as far as they are data. What the user sets of `settings` and
--- `init_options` is set in those of the preset: the rest of these a server needs to be asked by Oxide.
---@param config table   of vim.lsp.config
---@param preset oxide.Server
---@return table
local function common(config, preset)
  local server = {}
  for _, member in ipairs { 'cmd', 'filetypes', 'root_markers', 'settings', 'init_options' } do
    local value = config[member]
    if type(value) == 'table' and next(value) ~= nil and pcall(vim.json.encode, value) then
      server[member] = value
    end
  end
  for _, member in ipairs { 'settings', 'init_options' } do
    if server[member] then
      server[member] = vim.tbl_deep_extend('force', preset[member] or {}, server[member])
    end
  end
  return server
end

---@return table<string, oxide.Server> the presets
function M.presets()
  local servers = {} ---@type table<string, oxide.Server>
  local pattern = require('oxide.install_paths').runtime() .. '/servers/*.lua'
  for _, path in ipairs(vim.fn.glob(pattern, true, true)) do
    servers[vim.fn.fnamemodify(path, ':t:r')] = dofile(path)
  end
  return servers
end

--- What the person has configured for a preset, or of their own.
---@return table<string, table>
function M.own()
  local options = require('oxide.config').get('servers')
  local servers = vim.tbl_extend('force', vim.empty_dict(), options)
  local presets = vim.lsp.config and require('oxide.config').get('lsp.share') and M.presets() or {}
  for name, preset in pairs(presets) do
    local ok, config = pcall(function()
      return vim.lsp.config[name] or ALSO[name] and vim.lsp.config[ALSO[name]]
    end)
    local server = ok and config and common(config, preset) or {}
    if next(server) ~= nil then
      servers[name] = vim.tbl_extend('force', server, options[name] or {})
    end
  end
  return servers
end

--- All of them, by name.
---@return table<string, oxide.Server>
function M.servers()
  local servers = M.presets()
  for name, server in pairs(M.own()) do
    servers[name] = vim.tbl_extend('force', servers[name] or {}, server)
  end
  return servers
end

return M
