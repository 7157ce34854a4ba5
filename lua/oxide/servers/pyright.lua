---@type oxide.Server
return {
  cmd = { 'pyright-langserver', '--stdio' },
  filetypes = { 'python' },
  root_markers = { 'pyrightconfig.json', 'pyproject.toml', 'setup.py', 'setup.cfg', '.git' },
  settings = {
    python = {
      analysis = {
        autoSearchPaths = true,
        useLibraryCodeForTypes = true,
        diagnosticMode = 'openFilesOnly',
      },
    },
  },
  ready = 'refresh',
  names = 'utf-8',
  diagnostics = 'staged', -- an empty list first, whatever is in the file
  install = 'npm install -g pyright',
}
