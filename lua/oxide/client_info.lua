-- What Oxide's core has to know of one of Neovim's language clients.
local buffers = require('oxide.buffers')

local M = {}

local YOUNG_MS = 5000 -- it may be about to publish its first diagnostics

--- Whether a client has published no diagnostics, though it had the time: one that only completes.
---@param link oxide.ClientLink
---@return boolean
local function is_silent(link)
  local namespace = vim.lsp.diagnostic.get_namespace(link.client.id)
  return next(link.last) == nil
    and #vim.diagnostic.get(nil, { namespace = namespace }) == 0
    and vim.uv.now() - link.since > YOUNG_MS
end

--- What the core is told of a client: nvim/nvim.c hands it to servers/client.h.
---@param client vim.lsp.Client
---@param link oxide.ClientLink
---@return table   id, name, program, argv, init_options, root, filetypes, paths: files shown to it
function M.describe(client, link)
  local cmd = client.config.cmd
  local options = client.config.init_options
  options = type(options) == 'table' and pcall(vim.json.encode, options) and options or nil
  local filetypes, paths = {}, {}
  for _, filetype in ipairs(client.config.filetypes or {}) do
    filetypes[filetype] = true
  end
  for buf in pairs(client.attached_buffers) do
    if buffers.is_file(buf) then
      filetypes[vim.bo[buf].filetype] = true
      table.insert(paths, vim.api.nvim_buf_get_name(buf))
    end
  end
  return {
    id = client.id,
    name = client.name,
    init_options = options,
    argv = type(cmd) == 'table' and cmd or {},
    program = type(cmd) == 'table' and cmd[1] or '',
    root = client.root_dir or client.config.root_dir or '',
    filetypes = vim.tbl_keys(filetypes),
    paths = paths,
    silent = is_silent(link),
  }
end

return M
