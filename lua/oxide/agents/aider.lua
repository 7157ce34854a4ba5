---@type oxide.Agent
return {
  title = 'aider',
  executable = 'aider',
  install = 'pipx install aider-chat',
  version = { args = { '--version' } },
  login = { env = { 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY' } },
  terminal = { args = {} },
  stream = { args = { '--yes-always', '--no-pretty', '--no-stream', '--no-auto-commits', '-m' } },
}
