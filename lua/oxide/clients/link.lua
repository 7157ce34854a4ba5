-- A language client of Neovim that the core speaks with: what the core was told of its texts, and how
-- their numbers go together.
--
-- Versions: the core counts the texts that it shows, Neovim uses its own numbers. The core hears of
-- a change to a buffer before it hears what a server said of it, so a number that is the buffer's
-- present one means the core's present text, and every other for an older one.
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

M.all = {} ---@type table<integer, oxide.ClientLink>   by the id of the client

local colon = vim.fn.has('nvim-0.11') == 1 -- methods of a client take it as their first argument

---@param client vim.lsp.Client
---@param method string
function M.invoke(client, method, ...)
  local link = M.all[client.id]
  local fn = link and link.trials.free[method] or client[method]
  if colon then
    return fn(client, ...)
  end
  return fn(...)
end

--- Asks past the client, which would take it for a request about the current buffer, and cancel it with
--- its own. What was typed into any buffer goes out first.
---@param link oxide.ClientLink
---@param method string
---@param params any
---@param answered fun(err: any, result: any)
---@param over fun()   called before that; alone for the answer that it was cancelled, which Neovim drops
---@return boolean sent, integer? id
function M.ask(link, method, params, answered, over)
  require('vim.lsp._changetracking').flush(link.client)
  return link.client.rpc.request(method, params, answered, over)
end

---@param link oxide.ClientLink
---@param message table
function M.say(link, message)
  message.jsonrpc = '2.0'
  process.send('client_said', link.client.id, vim.json.encode(message) .. '\n')
end

---@param link oxide.ClientLink
---@param path string
---@return integer?   the buffer that Neovim itself shows to the server
function M.attached(link, path)
  local buf = buffers.of(path)
  return buf and link.client.attached_buffers[buf] and buf or nil
end

--- The core's number for one that the server was given by Neovim.
---@param link oxide.ClientLink
---@param path string
---@param version? integer
---@return integer?
local function core_version(link, path, version)
  local buf = M.attached(link, path)
  local shown = link.shown[path]
  if not buf or not shown or type(version) ~= 'number' then
    return link.own[path] and version or nil
  end
  return trials.is_present(link, path, buf, version) and shown or shown - 1
end

--- What the server says of a file that Oxide shows it, while a trial is broken, it says again once it
--- is shown that again.
---@param link oxide.ClientLink
---@param path string
function M.tell_diagnostics(link, path)
  local params = link.last[path]
  if trials.is_broken(link) then
    if M.attached(link, path) then
      trials.hold(link, path, function()
        M.tell_diagnostics(link, path)
      end)
    end
  elseif params then
    local version = core_version(link, path, params.version)
    params = vim.tbl_extend('force', params, { version = version or vim.NIL })
    M.say(link, { method = 'textDocument/publishDiagnostics', params = params })
  end
end

--- What Neovim has kept of a time when nobody listened here.
---@param link oxide.ClientLink
---@param path string
---@param buf integer
function M.take_held(link, path, buf)
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
function M.renumber(link, edit)
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
function M.renumber_all(link, method, result)
  if method == 'textDocument/codeAction' and type(result) == 'table' then
    for _, action in ipairs(result) do
      M.renumber(link, action.edit)
    end
  elseif type(result) == 'table' then
    M.renumber(link, method == 'codeAction/resolve' and result.edit or result)
  end
end

return M
