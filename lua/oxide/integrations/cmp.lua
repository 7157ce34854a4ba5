-- A source for nvim-cmp: mentions and slash commands, in chat buffers.
--
--   require('cmp').register_source('oxide', require('oxide.integrations.cmp').new())
--   require('cmp').setup.filetype('oxide-chat', { sources = { { name = 'oxide' } } })
local M = {}

function M.new()
  return setmetatable({}, { __index = M })
end

function M.is_available()
  return vim.bo.filetype == 'oxide-chat'
end

function M.get_debug_name()
  return 'oxide'
end

function M.get_position_encoding_kind()
  return 'utf-8'
end

function M.get_trigger_characters()
  return { '@', ':', '/', '"' }
end

function M.get_keyword_pattern()
  return [[^/\S*\|@\%([a-z_]*:"[^"]*\|\S*\)]]
end

---@param params table   cmp.SourceCompletionApiParams
---@param callback fun(response?: table)
function M.complete(_, params, callback)
  local at = params.context
  require('oxide.mentions.complete').lsp_items(
    at.cursor_before_line,
    at.cursor.line,
    function(items)
      callback { items = items, isIncomplete = true }
    end
  )
end

return M
