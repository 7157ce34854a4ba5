-- What every option is: type, default, meaning; validation, defaults and the help's chapter come of it.

---@class (exact) oxide.Option
---@field type string        Lua's type of a value; several are joined with '|'
---@field default any
---@field help string
---@field values? string[]   the only strings allowed
---@field open? boolean      its members are the user's own names; not checked

---@class oxide.CoreOpts
---@field path? string
---@field options? table<string, integer>
---@field start_timeout_ms? integer
---@field hang_ms? integer
---@field listen? boolean

---@class oxide.ReviewWhen
---@field when? 'auto'|'always'|'never'
---@field agent? 'always'|'never'|fun(question: oxide.Question): any
---@field agent_focus? 'idle'|'always'|'never'
---@field word_diff? boolean
---@field around? integer

---@class oxide.Opts
---@field agents? table<string, oxide.Agent>
---@field core? oxide.CoreOpts
---@field review? oxide.ReviewWhen
---@field context? { to?: string }
---@field apply? { save?: 'unmodified'|'all'|'none' }
---@field ide? { start?: 'agent'|'always'|'never' }
---@field rename? { preview?: boolean }
---@field format? { client?: table<string, string>, timeout_ms?: integer, on_save?: boolean }
---@field diagnostics? { auto_update?: boolean, open?: boolean }
---@field lsp? { share?: boolean, timeout_ms?: integer }
---@field servers? table<string, oxide.Server>
---@field projects? table<string, oxide.Project>
---@field chat? { kept?: integer, permissions?: table }
---@field model? string
---@field models? table<string, oxide.Model>
---@field local_servers? table<string, string>
---@field test? { marks?: boolean }
---@field wait? { after_ms?: integer, show?: 'float'|'message'|'none' }
---@field log? { level?: 'error'|'warn'|'info'|'debug' }

local M = {}

---@type table<string, oxide.Option>
M.schema = {
  ['agents'] = {
    type = 'table',
    default = {},
    open = true,
    help = 'Agents by name, with the members `executable`, `terminal`, `acp` and others: '
      .. '|oxide-agents|. An entry with the name of a preset changes it, another name adds an agent. '
      .. 'They come before those of config.lua, which the shell has too.',
  },
  ['apply.save'] = {
    type = 'string',
    default = 'unmodified',
    values = { 'unmodified', 'all', 'none' },
    help = 'Which open files are written after a change is applied: those without unsaved changes '
      .. 'of your own, all, or none. Files that are not open are always written.',
  },
  ['chat.kept'] = {
    type = 'number',
    default = 200,
    help = 'How many conversations are kept, to be taken up again with `:Oxide chat resume`; the '
      .. 'oldest are deleted first. 0: none is kept.',
  },
  ['chat.permissions'] = {
    type = 'table',
    default = {},
    open = true,
    help = 'What a model may do without asking, and what it may not, see |oxide-permissions|, such '
      .. "as `{ command = 'deny' }`.",
  },
  ['context.to'] = {
    type = 'string|nil',
    help = 'Where `:Oxide context` puts its lines: a register, `scratch` or `chat`. Without it: register '
      .. '`+` if there is a clipboard, else the unnamed one.',
  },
  ['core.hang_ms'] = {
    type = 'number',
    default = 5000,
    help = 'How long the core may stay silent while requests are pending. Then it is stopped, they '
      .. 'fail with a time-out, and the next command starts it again.',
  },
  ['core.listen'] = {
    type = 'boolean',
    default = true,
    help = 'Let `oxide call` and your agents work in this Neovim, see |oxide-relay|. The core then '
      .. 'also starts when a terminal is opened.',
  },
  ['core.options'] = {
    type = 'table',
    default = {},
    open = true,
    help = 'Limits of the core by name, such as `["lsp.index_wait_ms"] = 60000`; they are listed '
      .. 'in |oxide-core-options|.',
  },
  ['core.path'] = {
    type = 'string|nil',
    help = 'The program `oxide`. Without it: `build/oxide` of the plugin, then the directory that '
      .. 'luarocks installs programs into, then $PATH.',
  },
  ['core.start_timeout_ms'] = {
    type = 'number',
    default = 10000,
    help = 'How long the core may take to start.',
  },
  ['diagnostics.auto_update'] = {
    type = 'boolean',
    default = true,
    help = 'Update the list of diagnostics when a server publishes new ones.',
  },
  ['diagnostics.open'] = {
    type = 'boolean',
    default = true,
    help = 'Open the window of the list unless the list is empty.',
  },
  ['format.client'] = {
    type = 'table',
    default = {},
    open = true,
    help = 'Which language server formats, by filetype, where there are several, such as '
      .. "`{ python = 'ruff' }`. Without it: the first that can.",
  },
  ['format.on_save'] = {
    type = 'boolean',
    default = false,
    help = 'Format a buffer when it is written. Neovim waits for that, `format.timeout_ms` at most; '
      .. 'then the buffer is written as it is. `vim.b.oxide_format_on_save = false` excludes a '
      .. 'buffer.',
  },
  ['format.timeout_ms'] = {
    type = 'number',
    default = 5000,
    help = 'How long `:Oxide format` waits for the server.',
  },
  ['ide.start'] = {
    type = 'string',
    default = 'agent',
    values = { 'agent', 'always', 'never' },
    help = 'Start the server for Claude Code: with `:Oxide agent claude`, the core, or by hand.',
  },
  ['log.level'] = {
    type = 'string',
    default = 'warn',
    values = { 'error', 'warn', 'info', 'debug' },
    help = 'What the core writes to its log; `:Oxide core log` opens it.',
  },
  ['lsp.share'] = {
    type = 'boolean',
    default = true,
    help = "Use Neovim's own language clients where one is attached, instead of another server, and "
      .. '`vim.lsp.config` for the servers that Oxide starts itself.',
  },
  ['lsp.timeout_ms'] = {
    type = 'number',
    default = 10000,
    help = 'How long a language server may take to answer.',
  },
  ['model'] = {
    type = 'string|nil',
    help = 'Which model `:Oxide ask` and `:Oxide chat` ask: a name of `models`, or `api/model`, see '
      .. '|oxide-models|. `b:oxide_model` overrides it for a buffer. Without it: what config.lua '
      .. 'names, else the only one there is, else you are asked.',
  },
  ['models'] = {
    type = 'table',
    default = {},
    open = true,
    help = 'Models by name, with the members `provider`, `url`, `model`, `key_env` and others: '
      .. '|oxide-models|. They come before those of config.lua, which the shell has too.',
  },
  ['local_servers'] = {
    type = 'table',
    default = {},
    open = true,
    help = 'URLs of model servers by name, such as `{ ollama = "http://127.0.0.1:11434/v1" }`. They '
      .. 'are asked for their models where no other model is configured; without any entry: '
      .. 'llama.cpp, Ollama, LM Studio and vLLM on their usual ports of this machine.',
  },
  ['projects'] = {
    type = 'table',
    default = {},
    open = true,
    help = 'Kinds of projects by name, with the members `markers`, `instead_of`, `check` and '
      .. '`test`: |oxide-projects|. An entry with the name of a preset changes it, another name '
      .. 'adds a kind.',
  },
  ['rename.preview'] = {
    type = 'boolean',
    default = true,
    help = "Show the rename while you type the new name, if 'inccommand' is set.",
  },
  ['review.agent'] = {
    type = 'string|function',
    default = 'always',
    values = { 'always', 'never' },
    help = 'Whether a change that an agent asks for is shown before it is applied. A function gets '
      .. 'the question, with `who`, `title`, `tool` and `files`, and returns `true` to show it.',
  },
  ['review.agent_focus'] = {
    type = 'string',
    default = 'idle',
    values = { 'idle', 'always', 'never' },
    help = 'When the review of a change that an agent asks for opens by itself. `idle`: in Normal '
      .. "mode, when no key was typed for a second, or for 'updatetime' if that is longer. "
      .. '`always`: in Normal mode, at once. `never`: not at all. Until it does, it is announced, '
      .. "`require('oxide').status()` reports that a review is waiting, and `:Oxide review` opens "
      .. 'it. Several open one after the other.',
  },
  ['review.around'] = {
    type = 'number',
    default = 10,
    help = 'How many lines before and after a hunk `K` shows.',
  },
  ['review.when'] = {
    type = 'string',
    default = 'auto',
    values = { 'auto', 'always', 'never' },
    help = 'When a change is shown before it is applied. `auto`: when it touches more than one '
      .. 'file or a file that is not in a window, creates, renames or deletes a file, or when the '
      .. 'server asks for it.',
  },
  ['review.syntax'] = {
    type = 'boolean',
    default = true,
    help = 'Colour the hunks of a review as their languages are: by treesitter where there is a '
      .. "parser, else by 'syntax' if that is on.",
  },
  ['review.word_diff'] = {
    type = 'boolean',
    default = true,
    help = 'Mark the words that differ inside changed lines.',
  },
  ['servers'] = {
    type = 'table',
    default = {},
    open = true,
    help = 'Language servers by name, with the members `cmd`, `filetypes`, `root_markers`, '
      .. '`settings`, `init_options`, `last_resort`. An entry with the name of a preset changes '
      .. 'it, another name adds a server (|oxide-several-servers|).',
  },
  ['test.marks'] = {
    type = 'boolean',
    default = true,
    help = 'Mark the lines where tests failed, as diagnostics of the source `test`, until the next run.',
  },
  ['wait.after_ms'] = {
    type = 'number',
    default = 300,
    help = 'How long you wait for something before it is shown, in milliseconds.',
  },
  ['wait.show'] = {
    type = 'string',
    default = 'float',
    values = { 'float', 'message', 'none' },
    help = 'Where it is shown what you wait for: in a small window at the right, as a message in the '
      .. "last line (Neovim's own progress message from 0.12 on), or only in the status that "
      .. '|oxide.status()| and `b:oxide_status` have.',
  },
}

---@class oxide.Config
---@field values table<string, any>   by the schema's names
---@field problems string[]           what is wrong with what the user gave

local given ---@type oxide.Opts?
local current ---@type oxide.Config?

---@return string[] of options and of their groups
local function names()
  local set = {} ---@type table<string, boolean>
  for name in pairs(M.schema) do
    set[name] = true
    set[name:match('^[^.]+')] = true
  end
  local list = vim.tbl_keys(set)
  table.sort(list)
  return list
end

---@param prefix string
---@return boolean whether an option lies below this name
local function is_group(prefix)
  for name in pairs(M.schema) do
    if vim.startswith(name, prefix .. '.') then
      return true
    end
  end
  return false
end

---@param config oxide.Config
---@param path string
---@param value any
local function take(config, path, value)
  local option = M.schema[path]
  if option then
    local problem = require('oxide.config_check').problem(option, value)
    if problem then
      table.insert(config.problems, ('%s %s; its default is used'):format(path, problem))
    else
      config.values[path] = value
    end
  elseif type(value) == 'table' and is_group(path) then
    for key, member in pairs(value) do
      take(config, path .. '.' .. tostring(key), member)
    end
  else
    local near = require('oxide.nearest').find(path, names())
    table.insert(
      config.problems,
      ("unknown option '%s'%s"):format(path, near and (", did you mean '" .. near .. "'?") or '')
    )
  end
end

--- The options in effect. Pure: nothing is shown and nothing is kept.
---@param opts? oxide.Opts
---@return oxide.Config
function M.resolve(opts)
  local config = { values = {}, problems = {} } ---@type oxide.Config
  for name, option in pairs(M.schema) do
    config.values[name] = vim.deepcopy(option.default)
  end
  if opts ~= nil and type(opts) ~= 'table' then
    table.insert(config.problems, ('the options are a %s, expected a table'):format(type(opts)))
    return config
  end
  for key, value in pairs(opts or {}) do
    take(config, tostring(key), value)
  end
  table.sort(config.problems)
  return config
end

---@return oxide.Opts?
local function from_global()
  local opts = vim.g.oxide
  if type(opts) == 'function' then
    return opts()
  end
  return opts
end

local watched = false

---@return oxide.Config
local function load()
  if not watched then
    watched = true
    vim.cmd([[call dictwatcheradd(g:, 'oxide', {-> v:lua.require'oxide.config'.changed()})]])
  end
  local ok, global = pcall(from_global)
  local opts = global
  if ok and type(global) == 'table' and given then
    opts = vim.tbl_deep_extend('force', global, given)
  elseif not ok or global == nil then
    opts = given
  end
  local config = M.resolve(opts)
  if not ok then
    table.insert(config.problems, 'vim.g.oxide cannot be read: ' .. tostring(global))
  end
  if #config.problems > 0 then
    require('oxide.ui').notify(table.concat(config.problems, '\n'), vim.log.levels.WARN)
  end
  return config
end

--- The options were changed: they are read again when one is needed, and a core that runs is told.
function M.changed()
  current = nil
  local process = package.loaded['oxide.process']
  if process and process.pid then
    process.send('options', vim.json.encode(M.core_options()))
    process.send('models', vim.json.encode(M.models()))
  end
end

--- Keeps what the user gave; it is looked at when the first option is needed.
---@param opts? oxide.Opts
function M.set(opts)
  given = opts
  M.changed()
end

---@param name string   a name of the schema
---@return any
function M.get(name)
  assert(M.schema[name], name)
  current = current or load()
  return current.values[name]
end

---@return string[]
function M.problems()
  current = current or load()
  return current.problems
end

local log_levels = { error = 0, warn = 1, info = 2, debug = 3 } -- native/base/log.h

--- The models that can be asked, which one is, what they may do, and the agents.
---@return { models: table<string, oxide.Model>, model?: string, permissions: table, agents: table }
function M.models()
  return {
    agents = vim.tbl_extend('force', vim.empty_dict(), M.get('agents')),
    models = vim.tbl_extend('force', vim.empty_dict(), M.get('models')),
    model = M.get('model'),
    local_servers = vim.tbl_extend('force', vim.empty_dict(), M.get('local_servers')),
    permissions = vim.tbl_extend('force', vim.empty_dict(), M.get('chat.permissions')),
  }
end

--- The options of the core, by the core's own names.
---@return table<string, integer|string>
function M.core_options()
  local options = vim.tbl_extend('force', vim.empty_dict(), M.get('core.options'))
  options['lsp.timeout_ms'] = options['lsp.timeout_ms'] or M.get('lsp.timeout_ms')
  local level = M.get('log.level')
  if level ~= M.schema['log.level'].default then -- else what config.lua says holds
    options['log.level'] = options['log.level'] or log_levels[level]
  end
  return options
end

return M
