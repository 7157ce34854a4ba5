-- Conversations in a child Neovim.
local M = {}

--- Waits until that many turns have ended.
---@param child test.Child
---@param count? integer   1 by default
---@return table data   of the last one's event
function M.ended(child, count)
  return child:wait(
    'the end of a turn',
    [[(function(count)
      local ends = vim.tbl_filter(function(e)
        return e.name == 'OxideChatTurn' and e.data.phase == 'end'
      end, _G.events)
      return #ends >= count and ends[count].data
    end)(...)]],
    count or 1
  )
end

return M
