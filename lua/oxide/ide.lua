-- What Claude Code calls an IDE: the core's server (native/nvim/ide.h) that it connects to, what it
-- asks of this Neovim there, and what it is told of it.
local core = require('oxide.core')
local errors = require('oxide.errors')
local ui = require('oxide.ui')

local M = {}

---@class oxide.IdeStatus
---@field port? integer   nil: it is off
---@field lock? string    the file by which Claude Code finds it
---@field clients { who: string, calls: integer }[]

local status = { clients = {} } ---@type oxide.IdeStatus

--- Where Claude Code has its settings.
---@return string
local function directory()
  local own = vim.env.CLAUDE_CONFIG_DIR
  return own and own ~= '' and own or vim.fs.joinpath(vim.uv.os_homedir(), '.claude')
end

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

---@param selection? oxide.IdeSelection
local function tell_selection(selection)
  if selection then
    ask { action = 'tell', method = 'selection_changed', params = selection }
  end
end

--- Follows what is selected as long as somebody hears of it.
local function follow()
  local selection = require('oxide.ide_selection')
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
    tell_selection(require('oxide.ide_selection').latest())
  end
  ui.event('Ide', info)
end

--- The core has ended, and the server with it.
function M.forget()
  status = { clients = {} }
  follow()
end

--- Whether a Claude Code is connected, which may have begun to work in the project.
---@return boolean
function M.connected()
  return #status.clients > 0
end

--- Starts the server, where it does not run yet.
---@param on_done? fun(port?: integer)   without one: it cannot be had, which is shown
function M.start(on_done)
  ask({ action = 'start', directory = directory() }, function(err, result)
    if err then
      ui.error(err)
    end
    if on_done then
      on_done(result and result.ide.port)
    end
  end)
end

--- The port for an agent that is started here, or none where it is not to have one.
---@param fn fun(port?: integer)
function M.for_agent(fn)
  if require('oxide.config').get('ide.start') == 'never' and not status.port then
    fn()
  else
    M.start(fn)
  end
end

---@param found oxide.IdeStatus
---@return string
local function describe(found)
  if not found.port then
    return 'the IDE server is off; :Oxide ide start starts it'
  end
  local who = vim.tbl_map(function(client)
    return client.who
  end, found.clients)
  return ('the IDE server listens on 127.0.0.1:%d (%s); connected: %s'):format(
    found.port,
    found.lock,
    #who > 0 and table.concat(who, ', ') or 'nobody'
  )
end

M.ACTIONS = { 'start', 'stop', 'status', 'mention' }

--- Puts a file, or lines of it, to the prompt of each Claude Code that is connected.
---@param opts oxide.IdeOpts
local function mention(opts)
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  if not require('oxide.buffers').is_file(buf) then
    return ui.error('this buffer is not a file')
  end
  local params = { filePath = vim.api.nvim_buf_get_name(buf) }
  if opts.first then
    params.lineStart, params.lineEnd = opts.first - 1, (opts.last or opts.first) - 1
  end
  ask({ action = 'tell', method = 'at_mentioned', params = params }, function(err, result)
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
    return require('oxide.arguments').unknown(action, M.ACTIONS)
  end
  if action == 'mention' then
    return mention(opts)
  end
  ask({ action = action, directory = directory() }, function(err, result)
    if opts.on_done then
      return opts.on_done(err, result and result.ide)
    elseif err then
      return ui.error(err)
    end
    ui.notify(describe(assert(result).ide))
  end)
end

--- What Claude Code asks by a tool, answered at once: { text } or { reason }.
---@param request { tool: string, arguments: table }
---@return { text?: string, reason?: string }
function M.ide(request)
  local ok, answer = pcall(require('oxide.ide_tools')[request.tool], request.arguments)
  if not ok then
    return { reason = tostring(answer):gsub('^.-:%d+: ', '') }
  end
  return { text = type(answer) == 'string' and answer or vim.json.encode(answer) }
end

return M
