-- Neovim's own language clients, for the core: to it each is a server whose far end is this module.
-- What the core says to one is carried out by the client; answers, and what the server says by
-- itself, go back. Neovim keeps its buffers in step with the server, and Oxide opens only what is
-- no buffer of that client.
local about = require('oxide.client_info')
local documents = require('oxide.clients.documents')
local links = require('oxide.clients.link')
local trials = require('oxide.clients.trial')

local M = {}

local group = vim.api.nvim_create_augroup('oxide.clients', {})
local last_served = 0

-- What the server says by itself. Each is heard besides the handler that the person has for it.
---@type table<string, fun(link: oxide.ClientLink, params: table)>
local heard = {
  ['textDocument/publishDiagnostics'] = function(link, params)
    local path = vim.uri_to_fname(params.uri)
    link.last[path] = params
    links.tell_diagnostics(link, path)
  end,
}

for _, method in ipairs { '$/progress', 'textDocument/clangd.fileStatus' } do
  heard[method] = function(link, params)
    links.say(link, { method = method, params = params })
  end
end

for _, method in ipairs { 'client/registerCapability', 'client/unregisterCapability' } do
  heard[method] = function(link, params)
    links.say(link, { id = method, method = method, params = params })
  end
end

--- An edit that the server requests while it carries out a command of Oxide is Oxide's. The
--- client waits for what this returns, in a coroutine of its own.
---@param link oxide.ClientLink
---@param params table
local function apply_edit(link, params)
  last_served = last_served + 1
  local id, waiting = last_served, coroutine.running()
  links.renumber(link, params.edit)
  link.served[id] = waiting
  links.say(link, { id = id, method = 'workspace/applyEdit', params = params })
  return coroutine.yield()
end

local REFRESH = 'workspace/diagnostic/refresh'
local CONTENT_MODIFIED = -32801

--- What the server has said is out of date. So Neovim asks again what is wrong with its buffers, but not
--- while one is on trial. Before 0.11 it knows no such request.
---@param link oxide.ClientLink
---@return lsp.Handler?
local function wrap_refresh(link)
  local handler = link.client.handlers[REFRESH] or vim.lsp.handlers[REFRESH]
  return handler
    and function(...)
      if links.all[link.client.id] == link then
        links.say(link, { id = REFRESH, method = REFRESH })
      end
      local args = { n = select('#', ...), ... }
      trials.ask_again(link, function()
        handler(unpack(args, 1, args.n))
      end)
      return vim.NIL
    end
end

---@param link oxide.ClientLink
---@param method string
local function wrap(link, method)
  local own = link.client.handlers[method]
  return function(err, params, ...)
    if method == 'workspace/applyEdit' and link.commands > 0 then
      return apply_edit(link, params)
    end
    if heard[method] and params and links.all[link.client.id] == link then
      heard[method](link, params)
    end
    if method == 'textDocument/publishDiagnostics' and params then
      if trials.is_tried(link, vim.uri_to_fname(params.uri), params.version) then
        return -- Neovim shows what is wrong with a buffer, not with what it is not
      end
      if link.own[vim.uri_to_fname(params.uri)] then
        return -- nor with a file that is open for a moment
      end
    end
    local handler = own or vim.lsp.handlers[method]
    if handler then
      return handler(err, params, ...)
    end
  end
end

--- Begins to listen to a client. The table of handlers may be shared, so the client gets another.
---@param client vim.lsp.Client
local function listen(client)
  if links.all[client.id] then
    return
  end
  local link = {
    client = client,
    since = vim.uv.now(),
    last = {},
    shown = {},
    language = {},
    own = {},
    asked = {},
    served = {},
    commands = 0,
    trials = trials.new(),
  }
  local handlers = vim.tbl_extend('force', {}, client.handlers or {})
  for method in pairs(heard) do
    handlers[method] = wrap(link, method)
  end
  handlers['workspace/applyEdit'] = wrap(link, 'workspace/applyEdit')
  handlers[REFRESH] = wrap_refresh(link)
  client.handlers = handlers
  links.all[client.id] = link
end

--- The core begins: it is told what the server can do, has registered since, and is busy with.
---@param link oxide.ClientLink
---@param id integer
local function greet(link, id)
  local client = link.client
  local encoding = { positionEncoding = client.offset_encoding }
  local capabilities = vim.tbl_extend('force', client.server_capabilities, encoding)
  links.say(link, { id = id, result = { capabilities = capabilities } })
  local registrations = {}
  for _, list in pairs(vim.tbl_get(client, 'dynamic_capabilities', 'capabilities') or {}) do
    for _, registration in ipairs(list) do
      -- Neovim watches files itself.
      if registration.method ~= 'workspace/didChangeWatchedFiles' then
        table.insert(registrations, registration)
      end
    end
  end
  if #registrations > 0 then
    heard['client/registerCapability'](link, { registrations = registrations })
  end
  for token, title in pairs(client.progress.pending) do
    if type(title) == 'string' then
      heard['$/progress'](link, { token = token, value = { kind = 'begin', title = title } })
    end
  end
end

---@param link oxide.ClientLink
---@param id integer
---@param method string
---@param err any
---@param result any
local function answer(link, id, method, err, result)
  link.asked[id] = nil
  if links.all[link.client.id] ~= link then
    return
  end
  if not err and trials.is_broken(link) then
    err = { code = CONTENT_MODIFIED, message = 'Neovim has asked the server about its buffers' }
  end
  if err then
    if type(err) ~= 'table' then
      err = { code = -32603, message = tostring(err) }
    end
    links.say(
      link,
      { id = id, error = { code = err.code, message = err.message, data = err.data } }
    )
    return
  end
  links.renumber_all(link, method, result)
  links.say(link, { id = id, result = result == nil and vim.NIL or result })
end

--- Counts a command that the server is to carry out for the core.
---@param link oxide.ClientLink
---@return fun()   it is over, which may be said again
local function count_command(link)
  link.commands = link.commands + 1
  local left = 1
  return function()
    link.commands = link.commands - left
    left = 0
  end
end

---@param link oxide.ClientLink
---@param message { id: integer, method: string, params: any }
local function request(link, message)
  local id, method, params = message.id, message.method, message.params
  if method == 'initialize' then
    return greet(link, id)
  elseif method == 'shutdown' then
    return links.say(link, { id = id, result = vim.NIL }) -- it is not Oxide's to end
  end
  local uri = vim.tbl_get(params or {}, 'textDocument', 'uri')
  if uri then
    documents.keep_open(link, vim.uri_to_fname(uri))
  end
  local over = method == 'workspace/executeCommand' and count_command(link) or function() end
  local sent, asked = links.ask(link, method, params, function(err, result)
    over()
    answer(link, id, method, err, result)
  end, over)
  if sent then
    link.asked[id] = asked
  else
    over()
    answer(link, id, method, link.client.name .. ' is no longer running')
  end
end

-- What Neovim has said itself, or will say.
local SILENT = { initialized = true, exit = true, ['workspace/didChangeConfiguration'] = true }

---@param link oxide.ClientLink
---@param message table
local function handle(link, message)
  local method, params = message.method, message.params
  local waiting = not method and link.served[message.id]
  if method and message.id then
    request(link, message)
  elseif waiting then
    link.served[message.id] = nil
    coroutine.resume(waiting, message.result or { applied = false }, nil)
  elseif documents.told[method] then
    documents.told[method](link, vim.uri_to_fname(params.textDocument.uri), params)
  elseif method == '$/cancelRequest' then
    if link.asked[params.id] then
      link.client.rpc.notify(method, { id = link.asked[params.id] })
    end
  elseif method and not SILENT[method] then
    links.invoke(link.client, 'notify', method, params)
  end
end

--- Messages of the core to a client, one a line. Called over RPC.
---@param id integer
---@param lines string
function M.take(id, lines)
  local link = links.all[id]
  for line in vim.gsplit(lines, '\n', { plain = true, trimempty = true }) do
    if link and not links.invoke(link.client, 'is_stopped') then
      handle(link, vim.json.decode(line))
    end
  end
end

--- Tells the core which clients there are.
local function tell()
  local list, live = {}, {}
  for _, client in ipairs(vim.lsp.get_clients()) do
    if client.initialized and not links.invoke(client, 'is_stopped') then
      listen(client)
      live[client.id] = true
      table.insert(list, about.describe(client, links.all[client.id]))
    end
  end
  for id in pairs(links.all) do
    if not live[id] then
      links.all[id] = nil
    end
  end
  require('oxide.core').tell('clients', { clients = list })
end

--- A client shows a buffer to its server: what it says of it is kept for the core.
---@param id integer
function M.attached(id)
  local client = vim.lsp.get_client_by_id(id)
  if client and require('oxide.config').get('lsp.share') then
    listen(client)
  end
end

--- After the core has started: tells it of every client, and from now on of every change.
function M.begin()
  if not require('oxide.config').get('lsp.share') then
    return
  end
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    desc = 'Oxide: send that a client has another buffer',
    callback = tell,
  })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    desc = 'Oxide: send that a client has one buffer less, or has ended',
    callback = vim.schedule_wrap(tell),
  })
  vim.api.nvim_create_autocmd('BufReadPre', {
    group = group,
    desc = 'Oxide: close a file at the server when Neovim opens it',
    callback = function(ev)
      local path = vim.api.nvim_buf_get_name(ev.buf)
      for _, link in pairs(links.all) do
        if link.own[path] then
          documents.close(link, path)
        end
      end
    end,
  })
  tell()
end

--- After the core has ended: what it had open is closed, and nobody waits for its answers.
function M.forget()
  vim.api.nvim_clear_autocmds { group = group }
  for _, link in pairs(links.all) do
    for path in pairs(link.own) do
      documents.close(link, path)
    end
    trials.finish_all(link)
    local served = link.served
    link.shown, link.own, link.asked, link.served = {}, {}, {}, {}
    for _, waiting in pairs(served) do
      coroutine.resume(waiting, { applied = false, failureReason = 'Oxide has ended' }, nil)
    end
  end
end

return M
