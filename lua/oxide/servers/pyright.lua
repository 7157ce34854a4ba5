---@type oxide.Server
return {
  cmd = { 'pyright-langserver', '--stdio' },
  filetypes = { 'python' },
  root_markers = { { 'pyrightconfig.json', 'pyproject.toml', 'setup.py', 'setup.cfg' }, '.git' },
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
  -- A warning where types are not checked ("off"): the program ends there all the same.
  errors = { 'reportUndefinedVariable' },
  unchecked = {
    filetypes = { 'python' },
    configs = { 'pyrightconfig.json', 'pyproject.toml' },
    on = { '#pyright:basic', '#pyright:standard', '#pyright:strict' },
    off = { '"typeCheckingMode":"off"', 'typeCheckingMode="off"' },
    what = 'types, nor at what imports bring, where typeCheckingMode is off',
  },
  diagnostics = 'staged', -- an empty list first, whatever is in the file
  install = 'npm install -g pyright',
}
