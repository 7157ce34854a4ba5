---@type oxide.Server
return {
  cmd = { 'gopls' },
  filetypes = { 'go', 'gomod', 'gowork', 'gotmpl' },
  root_markers = { 'go.work', 'go.mod', '.git' },
  language_ids = { gomod = 'go.mod', gowork = 'go.work' },
  -- Types first, and after this time, in which more may be typed, what analyzers say of them.
  init_options = { diagnosticsDelay = '50ms' },
  ready = 'diagnostics',
  diagnostics = 'staged',
  install = 'go install golang.org/x/tools/gopls@latest, apt install gopls, brew install gopls',
}
