---@type oxide.Agent
return {
  title = 'Gemini CLI',
  executable = 'gemini',
  install = 'npm install -g @google/gemini-cli',
  version = { args = { '--version' }, minimum = '0.20.0' },
  login = { env = { 'GEMINI_API_KEY', 'GOOGLE_API_KEY' }, files = { '.gemini/oauth_creds.json' } },
  -- It tells its children of itself, and of the companion of the editor that it was started in.
  env = { unset = { 'GEMINI_CLI', 'GEMINI_CLI_IDE_*', 'GEMINI_CLI_NO_RELAUNCH' } },
  ide = {
    GEMINI_CLI_IDE_SERVER_PORT = '{companion}',
    GEMINI_CLI_IDE_WORKSPACE_PATH = '{root}',
    GEMINI_CLI_IDE_PID = '{pid}',
    -- In a container it would look for the editor outside of that.
    VSCODE_REMOTE_CONTAINERS_SESSION = 'neovim',
  },
  terminal = { args = {} },
  acp = { args = { '--acp' }, empty_if_missing = true },
  stream = { args = { '-o', 'stream-json', '-p' } },
  log = {
    home = '.gemini',
    files = { 'tmp/*/chats/session-*.jsonl' },
    owner = { file = '{directory}/../.project_root', text = '{cwd}' },
  },
  reader = require('oxide.readers.gemini'),
}
