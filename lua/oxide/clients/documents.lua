-- The documents that the core shows to a language client: Neovim keeps its buffers in step with the
-- server, and Oxide opens only what is no buffer of that client.
local buffers = require('oxide.buffers')
local links = require('oxide.clients.link')
local trials = require('oxide.clients.trial')

local M = {}

--- Past the client, whose listeners (|LspNotify|) would take it for one of a buffer of Neovim's, and ask
--- the server what is wrong with that.
---@param link oxide.ClientLink
---@param method string
---@param params table
local function tell(link, method, params)
  link.client.rpc.notify(method, params)
end

---@param link oxide.ClientLink
---@param path string
---@param document table   uri, languageId, version, text
local function open(link, path, document)
  link.own[path] = true
  tell(link, 'textDocument/didOpen', { textDocument = document })
end

---@param link oxide.ClientLink
---@param path string
function M.close(link, path)
  link.own[path] = nil
  local document = { uri = vim.uri_from_fname(path) }
  tell(link, 'textDocument/didClose', { textDocument = document })
end

--- Opens at the server what the core has shown and nobody has open there any more.
---@param link oxide.ClientLink
---@param path string
function M.keep_open(link, path)
  local buf = buffers.of(path)
  if not link.shown[path] or link.own[path] or links.attached(link, path) then
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
M.told = {
  ['textDocument/didOpen'] = function(link, path, params)
    local buf = links.attached(link, path)
    link.shown[path] = params.textDocument.version
    link.language[path] = params.textDocument.languageId
    if buf then
      links.take_held(link, path, buf)
      links.tell_diagnostics(link, path)
    else
      open(link, path, params.textDocument)
    end
  end,
  ['textDocument/didChange'] = function(link, path, params)
    link.shown[path] = params.textDocument.version
    trials.finish(link, path)
    if link.own[path] then
      tell(link, 'textDocument/didChange', params)
    elseif links.attached(link, path) then
      links.tell_diagnostics(link, path)
    else
      M.keep_open(link, path)
    end
  end,
  ['$/oxide/trial'] = function(link, path, params)
    local buf = links.attached(link, path)
    if not params.contentChanges then -- it is the buffer's own by now
      return trials.finish(link, path)
    end
    link.shown[path] = params.textDocument.version
    if buf then
      trials.begin(link, path, buf, params.contentChanges[1].text)
    else
      M.keep_open(link, path)
      tell(link, 'textDocument/didChange', params)
    end
  end,
  ['textDocument/didSave'] = function(link, path, params)
    if link.own[path] then
      tell(link, 'textDocument/didSave', params)
    end
  end,
  ['textDocument/didClose'] = function(link, path)
    link.shown[path] = nil
    trials.finish(link, path)
    if link.own[path] then
      M.close(link, path)
    end
  end,
}

return M
