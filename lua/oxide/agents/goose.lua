---@type oxide.Agent
return {
  title = 'Goose',
  executable = 'goose',
  install = 'brew install block-goose-cli',
  version = { args = { '--version' } },
  terminal = { args = { 'session' } },
  acp = { args = { 'acp' } },
  stream = { args = { 'run', '--output-format', 'stream-json', '-t' } },
}
