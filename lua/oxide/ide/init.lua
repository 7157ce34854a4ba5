-- What agents call an IDE: the core's servers (native/nvim/ide.h) that Claude Code and Gemini CLI connect
-- to, what they ask of this Neovim there, and what they are told of it.
local core = require('oxide.core')
local errors = require('oxide.errors')
local ui = require('oxide.ui')

local M = {}

---@class oxide.IdeServer
---@field port integer
---@field lock string   the file by which the agent finds it

---@class oxide.IdeStatus
---@field servers table<string, oxide.IdeServer>   by agent; one that is off is not there
---@field clients { agent: string, who: string, calls: integer }[]

local status = { servers = {}, clients = {} } ---@type oxide.IdeStatus

-- Where each looks for that file.
local DIRECTORIES = {
  --- Claude Code: where it has its settings.
  claude = function()
    local own = vim.env.CLAUDE_CONFIG_DIR
    return own and own ~= '' and own or vim.fs.joinpath(vim.uv.os_homedir(), '.claude')
  end,
  --- Gemini CLI: in the directory for temporary files, as Node.js has it.
  gemini = function()
    local all = { vim.env.TMPDIR or '', vim.env.TMP or '', vim.env.TEMP or '', '/tmp' }
    return vim.iter(all):find(function(directory)
      return directory ~= ''
    end)
  end,
}

-- What stands for the port of each in the `ide` of an agent's entry.
local PORTS = { ['{port}'] = 'claude', ['{companion}'] = 'gemini' }

---@param request table
---@param fn? fun(err?: oxide.Error, result?: { told: integer, ide: oxide.IdeStatus })
local function ask(request, fn)
  request.what = 'ide'
  core.request('agent', request, function(err, result)
    status = result and result.ide or status
    if fn then
      fn(err, result)
    end
  end)
end

---@param agent string
---@return boolean
local function hears(agent)
  return vim.iter(status.clients):any(function(client)
    return client.agent == agent
  end)
end

---@param selection? oxide.IdeSelection
local function tell_selection(selection)
  if selection and hears('claude') then
    ask { action = 'tell', agent = 'claude', method = 'selection_changed', params = selection }
  end
  if hears('gemini') then
    local context = require('oxide.ide.context').now(selection)
    ask { action = 'tell', agent = 'gemini', method = 'ide/contextUpdate', params = context }
  end
end

--- Follows what is selected as long as somebody hears of it.
local function follow()
  local selection = require('oxide.ide.selection')
  if #status.clients > 0 then
    selection.watch(tell_selection)
  else
    selection.unwatch()
  end
end

--- An event of the core: who is connected has changed.
---@param info oxide.IdeStatus
function M.event(info)
  local more = #info.clients > #status.clients
  status = info
  follow()
  if more then
    tell_selection(require('oxide.ide.selection').latest())
  end
  ui.event('Ide', info)
end

--- The core has ended, and the servers with it.
function M.forget()
  status = { servers = {}, clients = {} }
  follow()
end

--- Whether an agent is connected, which may have begun to work in the project.
---@return boolean
function M.connected()
  return #status.clients > 0
end

--- Starts the server for an agent, where it does not run yet.
---@param agent string
---@param on_done fun(err?: oxide.Error, port?: integer)
local function start(agent, on_done)
  ask({ action = 'start', agent = agent, directory = DIRECTORIES[agent]() }, function(err, result)
    on_done(err, result and result.ide.servers[agent].port)
  end)
end

--- Starts one after the other.
---@param agents string[]
---@param on_done fun(err?: oxide.Error)   with the last error
local function start_all(agents, on_done)
  local agent = table.remove(agents)
  if not agent then
    return on_done()
  end
  start(agent, function(err)
    start_all(agents, function(other)
      on_done(other or err)
    end)
  end)
end

--- Starts the servers for all agents; an error is shown.
function M.start()
  start_all(vim.tbl_keys(DIRECTORIES), function(err)
    if err then
      ui.error(err)
    end
  end)
end

---@param env table<string, string>
---@return string[] agents   whose ports are in it
local function servers_of(env)
  local found = {}
  for _, value in pairs(env) do
    found[PORTS[value:match('{%w+}')] or ''] = true
  end
  found[''] = nil
  return vim.tbl_keys(found)
end

--- The variables by which an agent that is started here finds us: none, where it is not to.
---@param env table<string, string>   of its entry
---@param fn fun(variables: string[])   "NAME=value"
function M.for_agent(env, fn)
  local agents = servers_of(env)
  local own = require('oxide.config').get('ide.start') ~= 'never'
  local wanted = vim.tbl_filter(function(agent)
    return own or status.servers[agent] ~= nil
  end, agents)
  start_all(vim.deepcopy(wanted), function(err)
    if err then
      ui.error(err)
    end
    local variables = {}
    local values = { pid = vim.uv.os_getpid(), root = require('oxide.process').root }
    for name, agent in pairs(PORTS) do
      local server = status.servers[agent]
      values[name:sub(2, -2)] = server and server.port
    end
    for name, value in pairs(#wanted == #agents and not err and env or {}) do
      table.insert(variables, name .. '=' .. value:gsub('{(%w+)}', values))
    end
    fn(variables)
  end)
end

---@param found oxide.IdeStatus
---@return string
local function describe(found)
  if not next(found.servers) then
    return 'the IDE server is off; :Oxide ide start starts it'
  end
  local lines = {}
  for agent, server in vim.spairs(found.servers) do
    local who = {}
    for _, client in ipairs(found.clients) do
      if client.agent == agent then
        table.insert(who, client.who)
      end
    end
    local text = 'the IDE server for %s listens on 127.0.0.1:%d (%s); connected: %s'
    local connected = #who > 0 and table.concat(who, ', ') or 'nobody'
    table.insert(lines, text:format(agent, server.port, server.lock, connected))
  end
  return table.concat(lines, '\n')
end

M.ACTIONS = { 'start', 'stop', 'status', 'mention' }

--- Puts a file, or lines of it, to the prompt of each Claude Code that is connected.
---@param opts oxide.IdeOpts
local function mention(opts)
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  local place, why = require('oxide.cursor').here(buf)
  if not place then
    return ui.error(assert(why))
  end
  local params = { filePath = place.file_path }
  if opts.first then
    params.lineStart, params.lineEnd = opts.first - 1, (opts.last or opts.first) - 1
  end
  local request = { action = 'tell', agent = 'claude', method = 'at_mentioned', params = params }
  ask(request, function(err, result)
    if not err and assert(result).told == 0 then
      err = errors.new('not_found', 'no Claude Code is connected; :Oxide agent claude starts one')
    end
    if opts.on_done then
      opts.on_done(err, result and result.ide)
    elseif err then
      ui.error(err)
    end
  end)
end

---@class oxide.IdeOpts
---@field action? 'start'|'stop'|'status'|'mention'   without it: status
---@field buf? integer     that is mentioned
---@field first? integer   line from 1; without it the whole file
---@field last? integer
---@field on_done? fun(err?: oxide.Error, status?: oxide.IdeStatus)

--- `:Oxide ide`.
---@param opts oxide.IdeOpts
function M.run(opts)
  local action = opts.action or 'status'
  if not vim.list_contains(M.ACTIONS, action) then
    return require('oxide.command.arguments').unknown(action, M.ACTIONS)
  end
  if action == 'mention' then
    return mention(opts)
  end
  local function done(err, found)
    if opts.on_done then
      return opts.on_done(err, found)
    elseif err then
      ui.error(err)
    end
    if found then
      ui.notify(describe(found))
    end
  end
  if action == 'start' then
    return start_all(vim.tbl_keys(DIRECTORIES), function(err)
      done(err, next(status.servers) and status or nil)
    end)
  end
  ask({ action = action }, function(err, result)
    done(err, result and result.ide)
  end)
end

--- What Claude Code asks by a tool, answered at once: { text } or { reason }.
---@param request { tool: string, arguments: table }
---@return { text?: string, reason?: string }
function M.ide(request)
  local ok, answer = pcall(require('oxide.ide.tools')[request.tool], request.arguments)
  if not ok then
    return { reason = tostring(answer):gsub('^.-:%d+: ', '') }
  end
  return { text = type(answer) == 'string' and answer or vim.json.encode(answer) }
end

return M
