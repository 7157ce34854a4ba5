---@type oxide.Server
return {
  cmd = { 'typescript-language-server', '--stdio' },
  filetypes = { 'typescript', 'typescriptreact', 'javascript', 'javascriptreact' },
  root_markers = { 'tsconfig.json', 'jsconfig.json', 'package.json', '.git' },
  -- A rename means every place, not an alias at each import.
  init_options = {
    hostInfo = 'neovim',
    preferences = { providePrefixAndSuffixTextForRename = false },
  },
  ready = 'diagnostics',
  install = 'npm install -g typescript-language-server typescript@5',
}
