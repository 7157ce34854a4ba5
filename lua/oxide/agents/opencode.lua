---@type oxide.Agent
return {
  title = 'opencode',
  executable = 'opencode',
  install = 'npm install -g opencode-ai',
  version = { args = { '--version' }, minimum = '1.0.0' },
  login = { files = { '.local/share/opencode/auth.json' } },
  env = { unset = { 'OPENCODE', 'OPENCODE_PID' } },
  terminal = { args = {} },
  acp = {
    args = { 'acp' },
    writes_itself = true,
    -- Else it changes files and runs commands without asking: Oxide has to know what it is about to do.
    env = {
      set = { OPENCODE_PERMISSION = '{"edit":"ask","bash":{"*":"ask"},"webfetch":"ask"}' },
      unset = { 'OPENCODE', 'OPENCODE_PID' },
    },
  },
  stream = { args = { 'run', '--format', 'json' } },
  reader = require('oxide.readers.opencode'),
}
