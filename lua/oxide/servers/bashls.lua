---@type oxide.Server
return {
  cmd = { 'bash-language-server', 'start' },
  filetypes = { 'sh', 'bash' },
  root_markers = { '.shellcheckrc', '.git' },
  language_ids = { sh = 'shellscript', bash = 'shellscript' },
  ready = 'diagnostics',
  install = 'npm install -g bash-language-server',
}
