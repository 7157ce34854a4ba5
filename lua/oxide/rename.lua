local ui = require('oxide.ui')

local M = {}

---@class oxide.RenameOpts
---@field name? string     without it, the person is asked
---@field buf? integer
---@field line? integer    from 1; without it, the cursor's
---@field column? integer  from 1, in bytes
---@field review? 'auto'|'always'|'never'
---@field force? boolean   in spite of new errors
---@field on_done? fun(err?: oxide.Error, result?: table)

--- Those of the files that were kept, and not left out in a review.
---@param result table
---@return integer
local function places(result)
  local sum = 0
  for _, file in ipairs(result.files or {}) do
    sum = sum + file.edits
  end
  return sum > 0 and sum or result.edits
end

---@param result table
---@return string
function M.summary(result)
  local text = ('Renamed %s in %s.'):format(
    ui.count(places(result), 'place'),
    ui.count(result.files_changed, 'file')
  )
  local left = result.mentions_total or #(result.mentions or {})
  local tool_command = require('oxide.tool_command')
  return text .. tool_command.changed(result) .. tool_command.mentions(result.old_name, left)
end

---@param opts oxide.RenameOpts
---@param place oxide.Place
---@param name string
local function send(opts, place, name)
  local args = {
    file_path = place.file_path,
    line = opts.line or place.line,
    column = opts.column or (opts.line and 1) or place.column,
    new_name = name,
  }
  require('oxide.tool_command').call('lsp_rename', args, {
    buf = place.buf,
    status = 'renaming',
    context = { confirm = opts.review or 'auto' },
    force = opts.force,
    on_done = opts.on_done,
    fallback = function(err)
      require('oxide.fallback').rename(name, err)
    end,
  }, function(result)
    require('oxide.tool_command').report(result, M.summary(result))
  end)
end

---@param opts oxide.RenameOpts
function M.run(opts)
  local tool_command = require('oxide.tool_command')
  local place = tool_command.here(opts)
  if not place then
    return
  end
  if opts.name and opts.name ~= '' then
    return send(opts, place, opts.name)
  end
  ui.input({ prompt = 'New name: ', default = place.word }, function(name)
    if name and name ~= '' and name ~= place.word then
      send(opts, place, name)
    elseif opts.on_done then
      opts.on_done(require('oxide.errors').new('cancelled', 'no new name given'))
    end
  end)
end

return M
