-- The options: type, default and meaning of each, a row; the help's chapter is printed from them
-- (`make doc`), and config.lua has the values in effect.

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

---@type table<string, oxide.Option>
return {
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
      .. 'of your own, all, or none. Files that are not open are always written. What you have set to '
      .. 'happen before a file is written (|BufWritePre|), such as that it is formatted, is left for '
      .. 'when you write it: the change is as it was shown, and can be undone.',
  },
  ['chat.kept'] = {
    type = 'number',
    default = 200,
    help = 'How many conversations are kept, to be resumed with `:Oxide chat resume`; the oldest are '
      .. 'deleted first. 0: none is kept.',
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
    help = 'Start the servers for Claude Code and Gemini CLI, see |oxide-ide|: with `:Oxide agent`, '
      .. 'the core, or by hand.',
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
      .. 'it, another name adds a server (|oxide-several-servers|). A file belongs to the nearest '
      .. 'directory that has the first of the `root_markers`, else the second, and so on; names in a '
      .. 'list of their own count alike, as for |vim.lsp.config()|.',
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
