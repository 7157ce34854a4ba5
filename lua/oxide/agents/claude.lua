---@type oxide.Agent
return {
  title = 'Claude Code',
  executable = 'claude',
  install = 'npm install -g @anthropic-ai/claude-code',
  version = { args = { '--version' }, minimum = '2.0.0' },
  login = {
    env = { 'ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN' },
    files = { '.claude/.credentials.json' },
  },
  -- What it gives its own children: a Claude Code that finds them takes itself for one of these.
  env = {
    unset = {
      'CLAUDECODE',
      'CLAUDE_PID',
      'CLAUDE_EFFORT',
      'CLAUDE_ENV_FILE',
      'CLAUDE_PROJECT_DIR',
      'CLAUDE_CODE_CHILD_*',
      'CLAUDE_CODE_ENTRYPOINT',
      'CLAUDE_CODE_MESSAGING_SOCKET',
      'CLAUDE_CODE_SESSION_*',
      'CLAUDE_CODE_SSE_PORT',
    },
  },
  -- What Oxide's tools do is asked about by Oxide.
  route = { '--allowedTools', 'mcp__oxide', '--mcp-config', '{mcp}', '--settings', '{hooks}' },
  ide = { CLAUDE_CODE_SSE_PORT = '{port}', ENABLE_IDE_INTEGRATION = 'true' },
  -- Its own default asks nobody about changes.
  terminal = { args = { '--permission-mode', 'default' } },
  acp = {
    executable = { 'claude-agent-acp', 'claude-code-acp' },
    install = 'npm install -g @agentclientprotocol/claude-agent-acp',
    mode = 'default',
  },
  stream = { args = { '--output-format', 'stream-json', '--verbose', '-p' } },
  log = {
    env = 'CLAUDE_CONFIG_DIR',
    home = '.claude',
    files = { 'projects/{dashed}*/*.jsonl' },
    owner = { file = 'sessions/{pid}.json', text = '{name}' },
  },
  reader = require('oxide.readers.claude'),
}
