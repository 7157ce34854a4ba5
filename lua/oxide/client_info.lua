-- What Oxide's core has to know of one of Neovim's language clients.
local buffers = require('oxide.buffers')

local M = {}

--- What the core is told of a client: front/nvim.c hands it to servers/client.h.
---@param client vim.lsp.Client
---@return table   id, name, program, argv, init_options, root, filetypes, paths: files shown to it
function M.describe(client)
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
  }
end

return M
