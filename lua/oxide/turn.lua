-- All that a model has changed in one turn, as one change.
local ui = require('oxide.ui')

local M = {}

---@class oxide.TurnOpts
---@field action 'undo'|'redo'|'review'|'diff'|'accept'|'reject'
---@field turn? string   without it, the last one
---@field mods? table     the modifiers of the command
---@field on_done? fun(err?: oxide.Error, result?: table)

local DECIDES = { accept = true, reject = true } -- in place of a review that is open
local DONE = { undo = 'Undid', redo = 'Redid', review = 'Took back', accept = 'Accepted' }

---@param result { diff?: string, title?: string, applied?: boolean, messages?: string[] }
---@param mods? table
local function show_diff(result, mods)
  local buf =
    require('oxide.scratch').open('turn', vim.split(vim.trim(result.diff or ''), '\n'), mods)
  vim.bo[buf].filetype = 'diff'
  for _, message in ipairs(result.messages or {}) do -- why it cannot be accepted as it is
    ui.notify(message, vim.log.levels.WARN)
  end
end

---@param opts oxide.TurnOpts
local function call(opts)
  local decides = DECIDES[opts.action]
  if decides then
    require('oxide.review').decides(1)
  end
  require('oxide.tool_command').call('turn', { action = opts.action, turn = opts.turn }, {
    buf = vim.api.nvim_get_current_buf(),
    status = opts.action .. ' the turn',
    context = {
      confirm = opts.action == 'review' and 'always' or 'never',
      errors = 'ask',
      diff = opts.action == 'diff',
    },
    on_done = function(err, answer)
      if decides then
        require('oxide.review').decides(-1)
      end
      if opts.on_done then
        opts.on_done(err, answer)
      end
    end,
  }, function(result)
    local what = result.title or 'the turn'
    if opts.action == 'diff' then
      show_diff(result, opts.mods)
    elseif opts.action == 'reject' then
      ui.notify(('Rejected the changes of "%s".'):format(what))
    elseif result.files_changed == 0 and (opts.action == 'undo' or opts.action == 'redo') then
      require('oxide.history.undo').tell_done(('"%s"'):format(what), opts.action == 'redo')
    else
      local part = result.left_out and ' a part of' or ''
      local done = ('%s%s "%s"'):format(DONE[opts.action], part, what)
      require('oxide.tool_command').tell_done(result, done)
    end
  end)
end

---@param opts oxide.TurnOpts
function M.run(opts)
  local agents = package.loaded['oxide.agent_terminal']
  if agents and not opts.turn and opts.action ~= 'accept' and opts.action ~= 'reject' then
    agents.cut(function()
      call(opts)
    end)
  else
    call(opts)
  end
end

return M
