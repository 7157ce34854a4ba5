---@type oxide.Server
return {
  cmd = { 'rust-analyzer' },
  filetypes = { 'rust' },
  root_markers = { 'Cargo.toml', 'rust-project.json', '.git' },
  ready = 'diagnostics',
  install = 'rustup component add rust-analyzer, apt install rust-analyzer, brew install rust-analyzer',
}
