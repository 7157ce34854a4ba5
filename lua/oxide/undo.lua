local ui = require('oxide.ui')

local M = {}

---@class oxide.UndoOpts
---@field transaction? string   without it, the last one
---@field on_done? fun(err?: oxide.Error, result?: table)

---@param opts oxide.UndoOpts
function M.run(opts)
  local buf = vim.api.nvim_get_current_buf()
  require('oxide.tool_command').call('undo', { transaction = opts.transaction }, {
    buf = buf,
    status = 'undoing',
    context = { confirm = 'never' },
    on_done = opts.on_done,
    fallback = function(err)
      ui.error(err)
    end,
  }, function(result)
    local what = result.title or 'the change'
    ui.notify(('Undid %s in %s.'):format(what, ui.count(result.files_changed or 0, 'file')))
    ui.event('UndoPost', { transaction = result.transaction, files = result.files })
  end)
end

return M
