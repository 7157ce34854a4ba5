---@type oxide.Server
return {
  cmd = { 'typescript-language-server', '--stdio' },
  filetypes = { 'typescript', 'typescriptreact', 'javascript', 'javascriptreact' },
  -- One server for all packages of a workspace, which has one of these files.
  root_markers = {
    { 'package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lockb', 'bun.lock' },
    '.git',
    { 'tsconfig.json', 'jsconfig.json', 'package.json' },
  },
  -- Without it a rename of `width` takes the property in `{ width }` along, which others may read by
  -- that name. Aliases at imports and exports are resolved by the rename itself. The second server,
  -- which answers while the project is being loaded, knows one file alone: it takes an import for
  -- the definition.
  init_options = {
    hostInfo = 'neovim',
    preferences = { providePrefixAndSuffixTextForRename = true },
    tsserver = { useSyntaxServer = 'never' },
  },
  ready = 'diagnostics',
  -- What it publishes may be of an older text, and it does not say so.
  diagnostics_command = {
    'typescript.tsserverRequest',
    'syntacticDiagnosticsSync',
    'semanticDiagnosticsSync',
    'suggestionDiagnosticsSync',
  },
  unchecked = {
    filetypes = { 'javascript', 'javascriptreact' },
    configs = { 'jsconfig.json', 'tsconfig.json' },
    on = { '//@ts-check', '"checkJs":true', '"extends":' }, -- what is extended may have it
    what = 'names and types of plain JavaScript without checkJs or @ts-check',
  },
  names = 'utf-8',
  runs = 'the TypeScript server in node_modules, and the plugins that tsconfig.json names',
  install = 'npm install -g typescript-language-server typescript@5',
}
