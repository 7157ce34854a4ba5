-- TypeScript 7 is a language server itself. Its name sorts after `typescript`, so that an older
-- `tsc`, which knows no --lsp, is asked only where nothing else serves the file.
---@type oxide.Server
return {
  cmd = { 'tsc', '--lsp', '--stdio' },
  filetypes = { 'typescript', 'typescriptreact', 'javascript', 'javascriptreact' },
  -- One server for all packages of a workspace, which has one of these files.
  root_markers = {
    { 'package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lockb', 'bun.lock' },
    '.git',
    { 'tsconfig.json', 'jsconfig.json', 'package.json' },
  },
  ready = 'diagnostics',
  unchecked = {
    filetypes = { 'javascript', 'javascriptreact' },
    configs = { 'jsconfig.json', 'tsconfig.json' },
    on = { '//@ts-check', '"checkJs":true', '"extends":' },
    what = 'names and types of plain JavaScript without checkJs or @ts-check',
  },
  last_resort = true,
  install = 'npm install -g typescript (version 7 or later)',
}
