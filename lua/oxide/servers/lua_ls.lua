---@type oxide.Server
return {
  cmd = { 'lua-language-server' },
  filetypes = { 'lua' },
  root_markers = { { '.luarc.json', '.luarc.jsonc', '.luacheckrc', 'stylua.toml' }, '.git' },
  settings = { Lua = { telemetry = { enable = false } } },
  ready = 'diagnostics',
  install = 'brew install lua-language-server, pacman -S lua-language-server, or a release of '
    .. 'LuaLS/lua-language-server',
}
