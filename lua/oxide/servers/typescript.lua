---@type oxide.Server
return {
  cmd = { 'typescript-language-server', '--stdio' },
  filetypes = { 'typescript', 'typescriptreact', 'javascript', 'javascriptreact' },
  root_markers = { 'tsconfig.json', 'jsconfig.json', 'package.json', '.git' },
  -- A rename means every place, not an alias at each import. The second server, which answers while
  -- the project is being loaded, knows one file alone: it takes an import for the definition.
  init_options = {
    hostInfo = 'neovim',
    preferences = { providePrefixAndSuffixTextForRename = false },
    tsserver = { useSyntaxServer = 'never' },
  },
  ready = 'diagnostics',
  names = 'utf-8',
  runs = 'the TypeScript server in node_modules, and the plugins that tsconfig.json names',
  install = 'npm install -g typescript-language-server typescript@5',
}
