---@type oxide.Server
return {
  cmd = { 'rust-analyzer' },
  filetypes = { 'rust' },
  -- The lock file is the workspace's, whose crates have one server.
  root_markers = { 'Cargo.lock', { 'Cargo.toml', 'rust-project.json' }, '.git' },
  -- Names that are not there it counts as experimental; a compiler tells of them when it is too late.
  init_options = { diagnostics = { experimental = { enable = true } } },
  ready = 'status',
  names = 'utf-8',
  check = 'rust-analyzer/flycheck/', -- cargo check, of what is saved alone
  runs = 'the toolchain of rust-toolchain.toml, wrappers of .cargo/config.toml, build scripts, macros',
  install = 'rustup component add rust-analyzer, apt install rust-analyzer, brew install rust-analyzer',
}
