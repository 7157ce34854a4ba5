---@type oxide.Server
return {
  cmd = { 'gopls' },
  filetypes = { 'go', 'gomod', 'gowork', 'gotmpl' },
  root_markers = { 'go.work', 'go.mod', '.git' },
  language_ids = { gomod = 'go.mod', gowork = 'go.work' },
  ready = 'diagnostics',
  install = 'go install golang.org/x/tools/gopls@latest, apt install gopls, brew install gopls',
}
