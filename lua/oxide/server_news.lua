-- What becomes of the language servers that the core runs, for the person: a death costs a message
-- and not their work; a server that is left alone says how it is started again.
local M = {}

local by_hand = {} ---@type table<string, true>  restarted, and not heard of yet

---@class oxide.ServerNews
---@field name string
---@field root string
---@field state 'starting'|'ready'|'restarting'|'hung'|'dead'|'stopped'
---@field reason? string

---@param text string
local function warn(text)
  require('oxide.ui').notify(text, vim.log.levels.WARN)
end

---@param server oxide.ServerNews
---@return string
local function why(server)
  local reason = server.reason or ''
  return reason ~= '' and reason or 'unknown reason'
end

---@type table<string, fun(server: oxide.ServerNews)>
local tell = {
  ready = function(server)
    if by_hand[server.name] then
      require('oxide.ui').notify(server.name .. ' is running again')
    end
    by_hand[server.name] = nil
  end,
  restarting = function(server)
    if not by_hand[server.name] then
      warn(('%s ended: %s; it is being restarted'):format(server.name, why(server)))
    end
  end,
  dead = function(server)
    warn(
      ('%s is not restarted: %s. `:Oxide core restart %s` restarts it, `:Oxide core log` has details'):format(
        server.name,
        why(server),
        server.name
      )
    )
  end,
}

--- News of the core.
---@param server oxide.ServerNews
function M.changed(server)
  if tell[server.state] then
    tell[server.state](server)
  end
end

--- Starts a server of the core's again, also one that is left alone or hangs.
---@param name string
function M.restart(name)
  local core = require('oxide.core')
  if core.running() then
    by_hand[name] = true
    core.tell('server', { name = name, action = 'restart' })
  else
    require('oxide.ui').error('no server ' .. name .. ' is running')
  end
end

---@class oxide.ShownDocument
---@field server string
---@field path string
---@field range? lsp.Range
---@field encoding 'utf-8'|'utf-16'|'utf-32'

--- Opens the document that a server asks to show; while the user types or answers, it is only named.
---@param document oxide.ShownDocument
function M.show(document)
  local mode = vim.api.nvim_get_mode()
  if mode.blocking or mode.mode ~= 'n' then
    return require('oxide.ui').notify(('%s: see %s'):format(document.server, document.path))
  end
  local start = { line = 0, character = 0 }
  vim.lsp.util.show_document({
    uri = vim.uri_from_fname(document.path),
    range = document.range or { start = start, ['end'] = start },
  }, document.encoding, { focus = true })
end

--- Names that can be restarted, for completion.
---@return string[]
function M.names()
  local names = vim.tbl_keys(require('oxide.lsp_config').servers())
  table.sort(names)
  return names
end

return M
