---@type oxide.Agent
return {
  title = 'Codex',
  executable = 'codex',
  install = 'npm install -g @openai/codex',
  version = { args = { '--version' }, minimum = '0.100.0' },
  login = { env = { 'CODEX_API_KEY' }, files = { '.codex/auth.json' } },
  env = { unset = { 'CODEX_SANDBOX*', 'CODEX_THREAD_ID' } },
  route = { '{mcp}', '{hooks}' },
  -- Else a process of all sessions does the work, which goes on when this one is stopped.
  terminal = { args = { '-c', 'features.daemon_auto_start=false' } },
  acp = {
    executable = 'codex-acp',
    install = 'npm install -g @zed-industries/codex-acp',
    mode = 'read-only', -- which asks before it changes a file
    app_server = { args = { 'app-server' } },
  },
  stream = { args = { 'exec', '--json', '--skip-git-repo-check' } },
  log = {
    env = 'CODEX_HOME',
    home = '.codex',
    files = { 'sessions/*/*/*/rollout-*.jsonl' },
    owner = { file = '{log}', text = '"cwd":"{cwd}"' },
  },
  reader = require('oxide.readers.codex'),
}
