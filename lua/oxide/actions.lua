-- The code actions here: what all servers offer, chosen from vim.ui.select with a diff of each, and
-- made as any other change.
local ui = require('oxide.ui')

local M = {}

---@class oxide.ActionsOpts
---@field buf? integer
---@field first? integer   line from 1; with `last`, instead of the cursor
---@field last? integer
---@field column? integer       from 1, in bytes; without it, of a range, the whole lines
---@field end_column? integer   behind the end
---@field kind? string     actions of this kind alone, as "refactor"
---@field review? 'auto'|'always'|'never'
---@field force? boolean   in spite of new errors
---@field on_done? fun(err?: oxide.Error, result?: table)

---@class oxide.Action   as list_code_actions has it
---@field id string
---@field title string
---@field description string
---@field kind string
---@field server? string
---@field preferred boolean
---@field diff? string
---@field files_changed? integer
---@field edits? integer

---@param result table
---@return string
function M.summary(result)
  local text = ('%s: %s in %s.'):format(
    result.title,
    ui.count(result.edits, 'edit'),
    ui.count(result.files_changed, 'file')
  )
  return text .. require('oxide.tool_command').changed(result)
end

--- How the list shows each: its kind where that says more than "fix", and who offers it where that
--- is not always the same.
---@param actions oxide.Action[]
---@return fun(action: oxide.Action): string
function M.formatter(actions)
  local servers = {} ---@type table<string, boolean>
  for _, action in ipairs(actions) do
    servers[action.server or ''] = true
  end
  local many = vim.tbl_count(servers) > 1
  return function(action)
    local notes = {} ---@type string[]
    if action.preferred then
      table.insert(notes, 'preferred')
    end
    if action.kind ~= '' and action.kind ~= 'quickfix' then
      table.insert(notes, action.kind)
    end
    if (action.files_changed or 0) > 1 then
      table.insert(notes, ui.count(action.files_changed, 'file'))
    end
    if many then
      table.insert(notes, action.server)
    end
    local text = require('oxide.messages').one_line(action.title)
    return #notes > 0 and ('%s (%s)'):format(text, table.concat(notes, ', ')) or text
  end
end

---@param opts oxide.ActionsOpts
---@param place oxide.Place
---@param action oxide.Action
local function execute(opts, place, action)
  require('oxide.tool_command').call(
    'execute_code_action',
    { action_id = action.id, confirm = 'ask' },
    {
      buf = place.buf,
      status = 'changing',
      context = { confirm = opts.review or 'auto' },
      force = opts.force,
      on_done = opts.on_done,
    },
    function(result)
      require('oxide.tool_command').report(result, M.summary(result))
    end
  )
end

---@param opts oxide.ActionsOpts
---@param why string
local function nothing(opts, why)
  ui.notify(why)
  if opts.on_done then
    opts.on_done(require('oxide.errors').new('cancelled', why))
  end
end

--- What there is to say where nothing can be chosen.
---@param left_out { title: string, reason: string }[]
---@return string
local function none(left_out)
  local first = left_out[1]
  return first and ('No action here can be applied: %s: %s'):format(first.title, first.reason)
    or 'No code actions available here.'
end

---@param opts oxide.ActionsOpts
---@param place oxide.Place
---@param result table
---@param late oxide.AskLate
local function choose(opts, place, result, late)
  local actions = result.code_actions ---@type oxide.Action[]
  if #actions == 0 then
    return nothing(opts, none(result.left_out or {}))
  end
  local function chosen(action)
    if action then
      execute(opts, place, action)
    else
      nothing(opts, 'nothing was changed')
    end
  end
  late('which code action', function()
    require('oxide.choice').select(actions, {
      prompt = 'Code actions:',
      kind = 'oxide.action',
      format_item = M.formatter(actions),
    }, chosen)
  end, chosen)
end

--- What is selected, to the column where the selection is not of whole lines; it ends.
---@param opts oxide.ActionsOpts
---@return oxide.ActionsOpts
local function selected(opts)
  local from, to = vim.fn.getpos('v'), vim.fn.getpos('.')
  if from[2] > to[2] or (from[2] == to[2] and from[3] > to[3]) then
    from, to = to, from
  end
  local place = { first = from[2], last = to[2] }
  if vim.fn.mode() == 'v' then
    local rest = vim.fn.getline(to[2]):sub(to[3])
    place.column = from[3]
    place.end_column = to[3] + #vim.fn.strcharpart(rest, 0, 1, true)
  end
  vim.cmd.normal { vim.keycode('<Esc>'), bang = true }
  return vim.tbl_extend('force', opts, place)
end

---@param opts oxide.ActionsOpts
function M.run(opts)
  if not opts.first and vim.fn.mode():find('^[vV\22]') then
    opts = selected(opts)
  end
  local tool_command = require('oxide.tool_command')
  local place = tool_command.here(opts)
  if not place then
    return
  end
  local late = require('oxide.late_question').later()
  tool_command.call('list_code_actions', {
    file_path = place.file_path,
    line = opts.first or place.line,
    column = opts.column or (not opts.first and place.column) or nil,
    end_line = opts.last,
    end_column = opts.end_column,
    kind = opts.kind,
  }, {
    buf = place.buf,
    status = 'looking for actions',
    looks = 'the search for actions',
    on_done = function(err)
      if err and opts.on_done then
        opts.on_done(err)
      end
    end,
    fallback = function(err)
      require('oxide.fallback').actions(opts, err)
    end,
  }, function(result)
    choose(opts, place, result, late)
  end)
end

return M
