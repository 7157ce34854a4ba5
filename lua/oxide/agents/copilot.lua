---@type oxide.Agent
return {
  title = 'GitHub Copilot CLI',
  executable = 'copilot',
  install = 'npm install -g @github/copilot',
  version = { args = { '--version' } },
  login = { env = { 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN' } },
  terminal = { args = {} },
  acp = { args = { '--acp' } },
  stream = { args = { '-p' } },
}
