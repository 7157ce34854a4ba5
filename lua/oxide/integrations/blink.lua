-- A source for blink.cmp, versions 1 and 2: mentions and slash commands, in chat buffers.
--
--   sources = {
--     per_filetype = { ['oxide-chat'] = { 'oxide' } },
--     providers = { oxide = { name = 'Oxide', module = 'oxide.integrations.blink' } },
--   }
local M = {}

function M.new()
  return setmetatable({}, { __index = M })
end

function M.enabled()
  return vim.bo.filetype == 'oxide-chat'
end

function M.get_trigger_characters()
  return { '@', ':', '/', '"' }
end

--- Version 2 has a `vim.Pos`, of which rows are counted from 0, and keeps `cursor` only for a while.
---@param context table   blink.cmp.Context
---@return integer row    from 0
---@return integer col    in bytes
local function position(context)
  local pos = context.pos
  if pos then
    return pos.row, pos.col
  end
  return context.cursor[1] - 1, context.cursor[2]
end

---@param context table   blink.cmp.Context
---@param callback fun(response: table)
---@return fun() cancel
function M.get_completions(_, context, callback)
  local row, col = position(context)
  local cancelled = false
  require('oxide.mentions.complete').lsp_items(context.line:sub(1, col), row, function(items)
    if not cancelled then
      callback { items = items, is_incomplete_forward = true, is_incomplete_backward = true }
    end
  end)
  return function()
    cancelled = true
  end
end

return M
