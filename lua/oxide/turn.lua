-- All that a model has changed in one turn, as one change.
local ui = require('oxide.ui')

local M = {}

---@class oxide.TurnOpts
---@field action 'undo'|'redo'|'diff'|'accept'|'reject'
---@field turn? string   without it, the last one
---@field mods? table     the modifiers of the command
---@field on_done? fun(err?: oxide.Error, result?: table)

local DONE = { undo = 'Undid', redo = 'Redid', accept = 'Accepted' }

---@param result { diff?: string, title?: string, applied?: boolean }
---@param mods? table
local function show_diff(result, mods)
  local buf =
    require('oxide.scratch').open('turn', vim.split(vim.trim(result.diff or ''), '\n'), mods)
  vim.bo[buf].filetype = 'diff'
end

---@param opts oxide.TurnOpts
function M.run(opts)
  require('oxide.tool_command').call('turn', { action = opts.action, turn = opts.turn }, {
    buf = vim.api.nvim_get_current_buf(),
    status = opts.action .. ' the turn',
    context = { confirm = 'never', errors = 'ask', diff = opts.action == 'diff' },
    on_done = opts.on_done,
  }, function(result)
    local what = result.title or 'the turn'
    if opts.action == 'diff' then
      show_diff(result, opts.mods)
    elseif opts.action == 'reject' then
      ui.notify(('Rejected the changes of "%s".'):format(what))
    else
      local files = ui.count(result.files_changed or 0, 'file')
      ui.notify(('%s "%s" in %s.'):format(DONE[opts.action], what, files))
    end
  end)
end

return M
