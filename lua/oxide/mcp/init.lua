-- :Oxide mcp config: what to paste, so that a client of MCP starts `oxide mcp`.
local M = {}

--- A string as JSON and TOML both write it.
---@param text string
---@return string
local function quoted(text)
  return '"' .. text:gsub('[\\"]', '\\%0') .. '"'
end

---@param core string   path of the core
---@return string[]
local function json(core)
  return {
    '{',
    '  "mcpServers": {',
    ('    "oxide": { "command": %s, "args": ["mcp"] }'):format(quoted(core)),
    '  }',
    '}',
  }
end

---@class oxide.McpClient
---@field name string
---@field where string                      the file that it reads, and another way
---@field filetype string
---@field lines fun(core: string): string[]

---@type table<string, oxide.McpClient>
M.clients = {
  claude = {
    name = 'Claude Code',
    where = '.mcp.json in the project, or: claude mcp add oxide -- %s mcp',
    filetype = 'json',
    lines = json,
  },
  codex = {
    name = 'Codex',
    where = '~/.codex/config.toml, or: codex mcp add oxide -- %s mcp',
    filetype = 'toml',
    lines = function(core)
      return {
        '[mcp_servers.oxide]',
        ('command = %s'):format(quoted(core)),
        'args = ["mcp"]',
        '# by these it finds this editor, and your settings: without them it is given neither',
        'env_vars = ["NVIM", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"]',
      }
    end,
  },
  gemini = {
    name = 'Gemini CLI',
    where = '~/.gemini/settings.json, or: gemini mcp add oxide %s mcp',
    filetype = 'json',
    lines = json,
  },
  opencode = {
    name = 'opencode',
    where = 'opencode.json in the project, or ~/.config/opencode/opencode.json',
    filetype = 'json',
    lines = function(core)
      return {
        '{',
        '  "mcp": {',
        ('    "oxide": { "type": "local", "command": [%s, "mcp"] }'):format(quoted(core)),
        '  }',
        '}',
      }
    end,
  },
  cursor = {
    name = 'Cursor',
    where = '~/.cursor/mcp.json, or .cursor/mcp.json in the project',
    filetype = 'json',
    lines = json,
  },
}

---@return string[]
function M.names()
  local names = vim.tbl_keys(M.clients)
  table.sort(names)
  return names
end

--- Shows what a client's configuration has to say, and puts the cursor where it begins.
---@param client string
---@param mods? table
function M.config(client, mods)
  local found = require('oxide.install_paths').find()
  if not found then
    local why = 'Oxide: ' .. require('oxide.install_paths').advice()
    return require('oxide.ui').notify(why, vim.log.levels.ERROR)
  end
  local c = M.clients[client]
  local where = c.where:gsub('%%s', function()
    return vim.fn.shellescape(found.path)
  end)
  local lines = { ('%s: %s'):format(c.name, where), '' }
  vim.list_extend(lines, c.lines(found.path))
  local buf = require('oxide.scratch').open('mcp/' .. client, lines, mods)
  vim.bo[buf].filetype = c.filetype
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  if require('oxide.config').get('core.listen') then
    require('oxide.process').ensure() -- or the client finds no Neovim, and works on the disk
  end
end

return M
