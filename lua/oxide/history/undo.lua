-- `:Oxide undo` and `redo`: the last change, or one of the history, taken back or made again in all of its
-- files.
local ui = require('oxide.ui')

local M = {}

---@class oxide.UndoOpts
---@field transaction? string   without it, the last one
---@field on_done? fun(err?: oxide.Error, result?: table)

--- Says that nothing was left to do, as where `u` has undone it in its buffers.
---@param what string
---@param redo boolean
function M.tell_done(what, redo)
  local done, is = redo and 'redone' or 'undone', redo and 'with' or 'before'
  ui.notify(('%s was %s already: its files are as %s it'):format(what, done, is))
end

---@param opts oxide.UndoOpts
---@param redo boolean
local function call(opts, redo)
  require('oxide.tool_command').call('undo', {
    transaction = opts.transaction,
    redo = redo or nil,
  }, {
    buf = vim.api.nvim_get_current_buf(),
    status = redo and 'redoing' or 'undoing',
    context = { confirm = 'never' },
    on_done = opts.on_done,
    fallback = ui.error,
  }, function(result)
    local what = result.title or 'the change'
    if result.files_changed == 0 then
      return M.tell_done(what, redo)
    end
    local done = (redo and 'Redid ' or 'Undid ') .. what
    require('oxide.tool_command').tell_done(result, done)
  end)
end

---@param opts oxide.UndoOpts
function M.run(opts)
  call(opts, false)
end

---@param opts oxide.UndoOpts   transaction: without it, the last one that was undone
function M.redo(opts)
  call(opts, true)
end

return M
