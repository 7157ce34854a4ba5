-- Agents that others made, as scripts/agents.sh brings them, each with a scripted model behind it
-- (model.lua). Nothing of the user's own reaches them, and what one would send elsewhere than to the
-- model the model gets as its proxy, and refuses.
local helper = require('helper')

local M = {}

local BIN = helper.root .. '/.deps/agents/bin'

---@class test.Seat           where an agent is started
---@field dir string          its working directory
---@field home string         of its own
---@field run string          instead of XDG_RUNTIME_DIR
---@field model test.Model
---@field asks? boolean      it has a user who can be asked

---@class test.Agent
---@field title string
---@field called string       pattern: what a review says of it
---@field tool string         how it names a tool of the server `oxide`
---@field env? fun(seat: test.Seat): table<string, string>
---@field settle fun(seat: test.Seat, oxide?: string)   writes its settings, which forbid it to run `rm`,
---  with what :Oxide mcp config shows for it
---@field calls table<'read'|'edit'|'run', fun(...: string): string, table|string>   its own tools, as its
---  model calls them: read(path), edit(path, old lines, new lines), run(command)
---@field log? string         pattern: where its session log is, below its home; opencode has a database
---@field ask string[]        its command line for one prompt, which comes next; prints a stream of JSON
---@field ready string         pattern: its screen shows this once it takes input
---@field dialog? string       pattern: its screen shows this while it asks for leave; Return is a yes

M.all = {} ---@type table<string, test.Agent>

--- Writes settings in JSON, with more of them that are JSON already.
---@param path string
---@param settings table
---@param more? string
local function settle(path, settings, more)
  settings = vim.tbl_deep_extend('force', settings, vim.json.decode(more or '{}'))
  helper.write(path, vim.json.encode(settings))
end

M.all.claude = {
  title = 'Claude Code',
  ready = 'for shortcuts',
  dialog = 'Do you want to',
  called = 'asked for by claude%-code %d[%d.]* %(%d+%), ',
  tool = 'mcp__oxide__%s',
  calls = {
    read = function(path)
      return 'Read', { file_path = path }
    end,
    edit = function(path, old, new)
      return 'Edit', { file_path = path, old_string = old, new_string = new }
    end,
    run = function(command)
      return 'Bash', { command = command, description = 'a command' }
    end,
  },
  log = '.claude/projects/*/*.jsonl',
  ask = { 'claude', '--output-format', 'stream-json', '--verbose', '-p' },
  env = function(seat)
    return {
      ANTHROPIC_BASE_URL = seat.model.url,
      ANTHROPIC_API_KEY = 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC = '1',
      CLAUDE_CODE_EXECUTABLE = BIN .. '/claude', -- for claude-agent-acp
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION = 'false', -- asks the model besides
      DISABLE_AUTOUPDATER = '1',
      DISABLE_TELEMETRY = '1',
      IS_SANDBOX = '1', -- or its adapter fails to start it for root
      -- a slow machine is not a fault
      API_TIMEOUT_MS = '600000',
      MCP_TIMEOUT = '600000',
      MCP_CONNECT_TIMEOUT_MS = '600000',
    }
  end,
  settle = function(seat, oxide)
    settle(seat.home .. '/.claude/settings.json', {
      enableAllProjectMcpServers = true,
      -- tools of any server are in the prompt, not to be sought first
      env = { ENABLE_TOOL_SEARCH = 'false' },
      permissions = {
        allow = seat.asks and {} or { 'mcp__oxide', 'Edit', 'Bash' },
        deny = { 'Bash(rm:*)' },
      },
    })
    -- what its first start in a terminal would ask
    settle(seat.home .. '/.claude.json', {
      hasCompletedOnboarding = true,
      theme = 'dark',
      customApiKeyResponses = { approved = { 'none' } },
      projects = { [seat.dir] = { hasTrustDialogAccepted = true } },
    })
    if oxide then
      helper.write(seat.dir .. '/.mcp.json', oxide)
    end
  end,
}

M.all.codex = {
  title = 'Codex',
  ready = 'for shortcuts',
  called = 'asked for by codex%-mcp%-client %d[%d.]* %(%d+%), ',
  tool = 'mcp__oxide__%s',
  -- its own sandbox is not what is tried here, and may not be had in a container
  calls = {
    read = function(path)
      return 'exec_command', { cmd = 'cat ' .. path }
    end,
    edit = function(path, old, new)
      local patch = '*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n'
      return 'apply_patch', patch:format(path, (old:gsub('\n', '\n-')), (new:gsub('\n', '\n+')))
    end,
    run = function(command)
      return 'exec_command', { cmd = command }
    end,
  },
  log = '.codex/sessions/*/*/*/*.jsonl',
  ask = {
    'codex',
    'exec',
    '--json',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
  },
  env = function(seat)
    return { CODEX_HOME = seat.home .. '/.codex', OPENAI_API_KEY = 'none' }
  end,
  settle = function(seat, oxide)
    local lines = {
      'model = "gpt-5.5"',
      'model_provider = "scripted"',
      'check_for_update_on_startup = false',
      '[notice.model_migrations]', -- or it begins with praise of another model
      '"gpt-5.5" = "gpt-6-sol"',
      '[analytics]',
      'enabled = false',
      '[model_providers.scripted]',
      'name = "scripted"',
      ('base_url = "%s/v1"'):format(seat.model.url),
      'wire_api = "responses"',
      'env_key = "OPENAI_API_KEY"',
      'supports_websockets = false',
      ('[projects."%s"]'):format(seat.dir),
      'trust_level = "trusted"',
      oxide or '',
    }
    helper.write(seat.home .. '/.codex/config.toml', table.concat(lines, '\n') .. '\n')
    local rule = 'prefix_rule(pattern = ["rm"], decision = "forbidden")\n'
    helper.write(seat.home .. '/.codex/rules/default.rules', rule)
  end,
}

M.all.gemini = {
  title = 'Gemini CLI',
  -- Below its prompt, which has more than "Type your message" in it where Neovim's terminal is so late to
  -- answer what it is that the answer is taken for typed text.
  ready = 'workspace %(/directory%)',
  dialog = 'suggest changes %(esc%)',
  called = 'asked for by gemini%-cli%-mcp%-client %d[%d.]* %(%d+%), ',
  tool = 'mcp_oxide_%s',
  calls = {
    read = function(path)
      return 'read_file', { file_path = path }
    end,
    edit = function(path, old, new)
      local what = { file_path = path, old_string = old, new_string = new, instruction = 'change' }
      return 'replace', what
    end,
    run = function(command)
      return 'run_shell_command', { command = command, description = 'a command' }
    end,
  },
  log = '.gemini/tmp/*/chats/*.jsonl',
  ask = { 'gemini', '--approval-mode', 'yolo', '-o', 'stream-json', '-p' },
  env = function(seat)
    return {
      GEMINI_API_KEY = 'none',
      GOOGLE_GEMINI_BASE_URL = seat.model.url,
      GEMINI_CLI_TRUST_WORKSPACE = 'true',
      GEMINI_CLI_NO_RELAUNCH = 'true', -- once is enough
      NO_UPDATE_NOTIFIER = '1',
    }
  end,
  settle = function(seat, oxide)
    settle(seat.home .. '/.gemini/settings.json', {
      security = { auth = { selectedType = 'gemini-api-key' }, folderTrust = { enabled = false } },
      general = { disableAutoUpdate = true, enableAutoUpdate = false, disableUpdateNag = true },
      privacy = { usageStatisticsEnabled = false },
      telemetry = { enabled = false },
      ide = { hasSeenNudge = true }, -- a question that takes the keys when the connection is lost
    }, oxide)
    helper.write(
      seat.home .. '/.gemini/policies/rm.toml',
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "rm"\n'
        .. 'decision = "deny"\npriority = 999\n'
    )
  end,
}

M.all.opencode = {
  title = 'opencode',
  ready = 'ctrl%+p commands',
  called = 'asked for by opencode %d[%d.]* %(%d+%), ',
  tool = 'oxide_%s',
  calls = {
    read = function(path)
      return 'read', { filePath = path }
    end,
    edit = function(path, old, new)
      return 'edit', { filePath = path, oldString = old, newString = new }
    end,
    run = function(command)
      return 'bash', { command = command, description = 'a command' }
    end,
  },
  ask = { 'opencode', 'run', '--format', 'json' },
  env = function()
    return {
      OPENCODE_DISABLE_AUTOUPDATE = '1',
      OPENCODE_DISABLE_MODELS_FETCH = '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS = '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD = '1',
    }
  end,
  settle = function(seat, oxide)
    local model =
      { name = 'scripted', tool_call = true, limit = { context = 100000, output = 8000 } }
    settle(seat.home .. '/.config/opencode/opencode.json', {
      model = 'scripted/scripted',
      small_model = 'scripted/scripted',
      autoupdate = false,
      share = 'disabled',
      provider = {
        scripted = {
          npm = '@ai-sdk/openai-compatible',
          name = 'scripted',
          options = { baseURL = seat.model.url .. '/v1', apiKey = 'none' },
          models = { scripted = model },
        },
      },
      permission = { bash = { ['rm *'] = 'deny' } },
    }, oxide)
  end,
}

-- One of them alone: OXIDE_AGENT=codex tests/run.sh agents
if vim.env.OXIDE_AGENT then
  M.all = { [vim.env.OXIDE_AGENT] = M.all[vim.env.OXIDE_AGENT] }
end

--- Whether the set-up could bring it.
---@param program string
---@return boolean
function M.brought(program)
  return vim.uv.fs_stat(BIN .. '/' .. program) ~= nil
end

--- Codex reads files in a sandbox of its own.
---@return boolean
local function has_sandbox()
  local bwrap = helper.root .. '/.deps/agents/bin/bwrap'
  local try = { bwrap, '--unshare-user', '--unshare-net', '--ro-bind', '/', '/', 'true' }
  return M.brought('bwrap') and vim.system(try):wait().code == 0
end

--- Why an agent cannot be tried where it reads files itself.
---@param name string
---@param program string   that speaks the protocol for it
---@return string?
function M.hindered(name, program)
  for _, one in ipairs { name, program } do
    if not M.brought(one) then
      return 'the set-up brings no ' .. one .. ' here'
    end
  end
  return name == 'codex' and not has_sandbox() and 'Codex may make no sandbox here' or nil
end

--- The environment that an agent is started in.
---@param seat test.Seat
---@param name string
---@return table<string, string>
function M.env(seat, name)
  return vim.tbl_extend('error', {
    PATH = BIN .. ':' .. vim.env.PATH,
    LC_ALL = 'C.UTF-8',
    ASAN_OPTIONS = vim.env.ASAN_OPTIONS,
    UBSAN_OPTIONS = vim.env.UBSAN_OPTIONS,
    HOME = seat.home,
    TMPDIR = seat.home,
    XDG_CONFIG_HOME = seat.home .. '/.config',
    XDG_DATA_HOME = seat.home .. '/.local/share',
    XDG_STATE_HOME = seat.home .. '/.local/state',
    XDG_CACHE_HOME = seat.home .. '/.cache',
    XDG_RUNTIME_DIR = seat.run,
    HTTP_PROXY = seat.model.url,
    HTTPS_PROXY = seat.model.url,
    NO_PROXY = '127.0.0.1',
    BUN_JSC_useDFGJIT = '0', -- they live for seconds; to optimize what they run takes longer
  }, M.all[name].env(seat))
end

--- The program in that environment and no other: vim.system()'s `clear_env` does it from 0.11 on.
---@param seat test.Seat
---@param name string
---@param argv string[]
---@return string[]
function M.secluded(seat, name, argv)
  local all = { 'env', '-i' }
  for variable, value in pairs(M.env(seat, name)) do
    table.insert(all, variable .. '=' .. value)
  end
  return vim.list_extend(all, argv)
end

---@param seat test.Seat
---@param name string
---@param prompt string
---@param on_exit fun(done: table)   of vim.system
function M.ask(seat, name, prompt, on_exit)
  local argv = vim.list_extend(vim.deepcopy(M.all[name].ask), { prompt })
  vim.system(M.secluded(seat, name, argv), { cwd = seat.dir, stdin = false }, on_exit)
end

return M
