-- Neovim's own language clients, for the core: to it each is a server whose far end is this module.
-- What the core says to one is carried out by the client; answers, and what the server says by
-- itself, go back. Neovim keeps its buffers in step with the server, and Oxide opens only what is
-- no buffer of that client.
--
-- Versions: the core counts the texts that it shows, Neovim uses its own numbers. The core hears of
-- a change to a buffer before it hears what a server said of it, so a number that is the buffer's
-- present one means the core's present text, and every other for an older one.
local about = require('oxide.client_info')
local buffers = require('oxide.buffers')
local process = require('oxide.process')
local trials = require('oxide.clients.trial')

local M = {}

---@class oxide.ClientLink
---@field client vim.lsp.Client
---@field since integer                 when it was first listened to, as vim.uv.now()
---@field last table<string, table>      path -> params of the last publishDiagnostics
---@field shown table<string, integer>   path -> the core's number of the text
---@field language table<string, string> path -> LSP's name, as the core has it
---@field own table<string, true>        paths that Oxide has opened at the server
---@field asked table<integer, integer>  the core's number of a request -> the client's
---@field served table<integer, thread>  what the server asked and the core has not answered yet
---@field commands integer               commands of Oxide that the server carries out now
---@field trials oxide.ClientTrials

local links = {} ---@type table<integer, oxide.ClientLink>
local group = vim.api.nvim_create_augroup('oxide.clients', {})
local last_served = 0
local colon = vim.fn.has('nvim-0.11') == 1 -- methods of a client take it as their first argument

---@param client vim.lsp.Client
---@param method string
local function invoke(client, method, ...)
  local link = links[client.id]
  local fn = link and link.trials.free[method] or client[method]
  if colon then
    return fn(client, ...)
  end
  return fn(...)
end

---@param link oxide.ClientLink
---@param message table
local function say(link, message)
  message.jsonrpc = '2.0'
  process.send('client_said', link.client.id, vim.json.encode(message) .. '\n')
end

---@param link oxide.ClientLink
---@param path string
---@return integer?   the buffer that Neovim itself shows to the server
local function attached(link, path)
  local buf = buffers.of(path)
  return buf and link.client.attached_buffers[buf] and buf or nil
end

--- The core's number for one that the server was given by Neovim.
---@param link oxide.ClientLink
---@param path string
---@param version? integer
---@return integer?
local function core_version(link, path, version)
  local buf = attached(link, path)
  local shown = link.shown[path]
  if not buf or not shown or type(version) ~= 'number' then
    return link.own[path] and version or nil
  end
  return trials.is_present(link, path, buf, version) and shown or shown - 1
end

---@param link oxide.ClientLink
---@param path string
local function tell_diagnostics(link, path)
  local params = link.last[path]
  if params and (params.version or not trials.is_broken(link, path)) then
    local version = core_version(link, path, params.version)
    params = vim.tbl_extend('force', params, { version = version or vim.NIL })
    say(link, { method = 'textDocument/publishDiagnostics', params = params })
  end
end

--- What Neovim has kept of a time when nobody listened here.
---@param link oxide.ClientLink
---@param path string
---@param buf integer
local function take_held(link, path, buf)
  local namespace = vim.lsp.diagnostic.get_namespace(link.client.id)
  local held = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(buf, { namespace = namespace })) do
    table.insert(held, vim.tbl_get(diagnostic, 'user_data', 'lsp'))
  end
  if not link.last[path] and #held > 0 then
    local version = vim.lsp.util.buf_versions[buf]
    link.last[path] = { uri = vim.uri_from_fname(path), version = version, diagnostics = held }
  end
end

---@param link oxide.ClientLink
---@param edit any   a WorkspaceEdit
local function renumber(link, edit)
  for _, change in ipairs(type(edit) == 'table' and edit.documentChanges or {}) do
    local document = change.textDocument
    if document and type(document.version) == 'number' then
      local path = vim.uri_to_fname(document.uri)
      document.version = core_version(link, path, document.version) or vim.NIL
    end
  end
end

---@param link oxide.ClientLink
---@param method string
---@param result any
local function renumber_all(link, method, result)
  if method == 'textDocument/codeAction' and type(result) == 'table' then
    for _, action in ipairs(result) do
      renumber(link, action.edit)
    end
  elseif type(result) == 'table' then
    renumber(link, method == 'codeAction/resolve' and result.edit or result)
  end
end

-- What the server says by itself. Each is heard besides the handler that the person has for it.
---@type table<string, fun(link: oxide.ClientLink, params: table)>
local heard = {
  ['textDocument/publishDiagnostics'] = function(link, params)
    local path = vim.uri_to_fname(params.uri)
    link.last[path] = params
    tell_diagnostics(link, path)
  end,
}

for _, method in ipairs { '$/progress', 'textDocument/clangd.fileStatus' } do
  heard[method] = function(link, params)
    say(link, { method = method, params = params })
  end
end

for _, method in ipairs { 'client/registerCapability', 'client/unregisterCapability' } do
  heard[method] = function(link, params)
    say(link, { id = method, method = method, params = params })
  end
end

--- An edit that the server requests while it carries out a command of Oxide is Oxide's. The
--- client waits for what this returns, in a coroutine of its own.
---@param link oxide.ClientLink
---@param params table
local function apply_edit(link, params)
  last_served = last_served + 1
  local id, waiting = last_served, coroutine.running()
  renumber(link, params.edit)
  link.served[id] = waiting
  say(link, { id = id, method = 'workspace/applyEdit', params = params })
  return coroutine.yield()
end

---@param link oxide.ClientLink
---@param method string
local function wrap(link, method)
  local own = link.client.handlers[method]
  return function(err, params, ...)
    if method == 'workspace/applyEdit' and link.commands > 0 then
      return apply_edit(link, params)
    end
    if heard[method] and params and links[link.client.id] == link then
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
  if links[client.id] then
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
  client.handlers = handlers
  links[client.id] = link
end

---@param link oxide.ClientLink
---@param path string
---@param document table   uri, languageId, version, text
local function open(link, path, document)
  link.own[path] = true
  invoke(link.client, 'notify', 'textDocument/didOpen', { textDocument = document })
end

---@param link oxide.ClientLink
---@param path string
local function close(link, path)
  link.own[path] = nil
  local document = { uri = vim.uri_from_fname(path) }
  invoke(link.client, 'notify', 'textDocument/didClose', { textDocument = document })
end

--- Opens at the server what the core has shown and nobody has open there any more.
---@param link oxide.ClientLink
---@param path string
local function keep_open(link, path)
  local buf = buffers.of(path)
  if not link.shown[path] or link.own[path] or attached(link, path) then
    return
  end
  local text ---@type string
  if buf then
    text = trials.text(buf)
  else
    local file = io.open(path, 'rb')
    text = file and file:read('*a') or ''
    if file then
      file:close()
    end
  end
  open(link, path, {
    uri = vim.uri_from_fname(path),
    languageId = link.language[path],
    version = link.shown[path],
    text = text,
  })
end

-- What the core tells of its documents.
---@type table<string, fun(link: oxide.ClientLink, path: string, params: table)>
local documents = {
  ['textDocument/didOpen'] = function(link, path, params)
    local buf = attached(link, path)
    link.shown[path] = params.textDocument.version
    link.language[path] = params.textDocument.languageId
    if buf then
      take_held(link, path, buf)
      tell_diagnostics(link, path)
    else
      open(link, path, params.textDocument)
    end
  end,
  ['textDocument/didChange'] = function(link, path, params)
    link.shown[path] = params.textDocument.version
    trials.finish(link, path)
    if link.own[path] then
      invoke(link.client, 'notify', 'textDocument/didChange', params)
    elseif attached(link, path) then
      tell_diagnostics(link, path)
    else
      keep_open(link, path)
    end
  end,
  ['$/oxide/trial'] = function(link, path, params)
    local buf = attached(link, path)
    if not params.contentChanges then -- it is the buffer's own by now
      return trials.finish(link, path)
    end
    link.shown[path] = params.textDocument.version
    if buf then
      trials.begin(link, path, buf, params.contentChanges[1].text)
    else
      keep_open(link, path)
      invoke(link.client, 'notify', 'textDocument/didChange', params)
    end
  end,
  ['textDocument/didSave'] = function(link, path, params)
    if link.own[path] then
      invoke(link.client, 'notify', 'textDocument/didSave', params)
    end
  end,
  ['textDocument/didClose'] = function(link, path)
    link.shown[path] = nil
    trials.finish(link, path)
    if link.own[path] then
      close(link, path)
    end
  end,
}

--- The core begins: it is told what the server can do, has registered since, and is busy with.
---@param link oxide.ClientLink
---@param id integer
local function greet(link, id)
  local client = link.client
  local encoding = { positionEncoding = client.offset_encoding }
  local capabilities = vim.tbl_extend('force', client.server_capabilities, encoding)
  say(link, { id = id, result = { capabilities = capabilities } })
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
  if method == 'workspace/executeCommand' then
    link.commands = link.commands - 1
  end
  if links[link.client.id] ~= link then
    return
  end
  if err then
    if type(err) ~= 'table' then
      err = { code = -32603, message = tostring(err) }
    end
    say(link, { id = id, error = { code = err.code, message = err.message, data = err.data } })
    return
  end
  renumber_all(link, method, result)
  say(link, { id = id, result = result == nil and vim.NIL or result })
end

---@param link oxide.ClientLink
---@param message { id: integer, method: string, params: any }
local function request(link, message)
  local id, method, params = message.id, message.method, message.params
  if method == 'initialize' then
    return greet(link, id)
  elseif method == 'shutdown' then
    return say(link, { id = id, result = vim.NIL }) -- it is not Oxide's to end
  end
  local uri = vim.tbl_get(params or {}, 'textDocument', 'uri')
  if uri then
    keep_open(link, vim.uri_to_fname(uri))
  end
  link.commands = link.commands + (method == 'workspace/executeCommand' and 1 or 0)
  -- Without a buffer, what was typed into any of them goes out first.
  local sent, asked = invoke(link.client, 'request', method, params, function(err, result)
    answer(link, id, method, err, result)
  end)
  if sent then
    link.asked[id] = asked
  else
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
  elseif documents[method] then
    documents[method](link, vim.uri_to_fname(params.textDocument.uri), params)
  elseif method == '$/cancelRequest' then
    if link.asked[params.id] then
      invoke(link.client, 'cancel_request', link.asked[params.id])
    end
  elseif method and not SILENT[method] then
    invoke(link.client, 'notify', method, params)
  end
end

--- Messages of the core to a client, one a line. Called over RPC.
---@param id integer
---@param lines string
function M.take(id, lines)
  local link = links[id]
  for line in vim.gsplit(lines, '\n', { plain = true, trimempty = true }) do
    if link and not invoke(link.client, 'is_stopped') then
      handle(link, vim.json.decode(line))
    end
  end
end

--- Tells the core which clients there are.
local function tell()
  local list, live = {}, {}
  for _, client in ipairs(vim.lsp.get_clients()) do
    if client.initialized and not invoke(client, 'is_stopped') then
      listen(client)
      live[client.id] = true
      table.insert(list, about.describe(client, links[client.id]))
    end
  end
  for id in pairs(links) do
    if not live[id] then
      links[id] = nil
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
      for _, link in pairs(links) do
        if link.own[path] then
          close(link, path)
        end
      end
    end,
  })
  tell()
end

--- After the core has ended: what it had open is closed, and nobody waits for its answers.
function M.forget()
  vim.api.nvim_clear_autocmds { group = group }
  for _, link in pairs(links) do
    for path in pairs(link.own) do
      close(link, path)
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
