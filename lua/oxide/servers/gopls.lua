---@type oxide.Server
return {
  cmd = { 'gopls' },
  filetypes = { 'go', 'gomod', 'gowork', 'gotmpl' },
  root_markers = { 'go.work', 'go.mod', '.git' },
  language_ids = { gomod = 'go.mod', gowork = 'go.work' },
  -- Types first, and after this time, in which more may be typed, what analyzers say of them.
  init_options = { diagnosticsDelay = '50ms' },
  ready = 'diagnostics',
  names = 'utf-8',
  diagnostics = 'staged',
  runs = 'the toolchain that go.mod names, and the C compiler for cgo',
  runs_not_env = { 'GOTOOLCHAIN=local', 'CGO_ENABLED=0', 'GOFLAGS=-mod=readonly' },
  install = 'go install golang.org/x/tools/gopls@latest, apt install gopls, brew install gopls',
}
