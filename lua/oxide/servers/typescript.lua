---@type oxide.Server
return {
  cmd = { 'typescript-language-server', '--stdio' },
  filetypes = { 'typescript', 'typescriptreact', 'javascript', 'javascriptreact' },
  root_markers = { 'tsconfig.json', 'jsconfig.json', 'package.json', '.git' },
  init_options = { hostInfo = 'neovim' },
  ready = 'diagnostics',
  install = 'npm install -g typescript-language-server typescript@5',
}
