---@type oxide.Server
return {
  cmd = { 'pylsp' },
  filetypes = { 'python' },
  root_markers = { { 'pyproject.toml', 'setup.py', 'setup.cfg', 'tox.ini' }, '.git' },
  ready = 'diagnostics',
  last_resort = true,
  install = "pipx install 'python-lsp-server[all]', apt install python3-pylsp",
}
