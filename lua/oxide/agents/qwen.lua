---@type oxide.Agent
return {
  title = 'Qwen Code',
  executable = 'qwen',
  install = 'npm install -g @qwen-code/qwen-code',
  version = { args = { '--version' } },
  login = { files = { '.qwen/oauth_creds.json' } },
  env = { unset = { 'QWEN_CODE', 'QWEN_CODE_IDE_*' } },
  terminal = { args = {} },
  acp = { args = { '--acp' }, empty_if_missing = true },
  stream = { args = { '-o', 'stream-json', '-p' } },
  log = {
    home = '.qwen',
    files = { 'tmp/*/chats/session-*.jsonl' },
    owner = { file = '{directory}/../.project_root', text = '{cwd}' },
  },
  reader = require('oxide.readers.gemini'),
}
