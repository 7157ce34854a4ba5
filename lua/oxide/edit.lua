-- `:Oxide edit`: a symbol of the buffer, replaced, deleted, or with new code beside it.
local ui = require('oxide.ui')

local M = {}

---@class oxide.EditOpts
---@field symbol string        a name, or a path such as Class/method
---@field action 'replace'|'replace_body'|'insert_before'|'insert_after'|'delete'
---@field content? string      the new code; else that of
---@field register? string     without any, the unnamed one
---@field allow_signature_change? boolean
---@field buf? integer
---@field review? 'auto'|'always'|'never'
---@field force? boolean   in spite of new errors
---@field mods? table
---@field on_done? fun(err?: oxide.Error, result?: table)

M.ACTIONS = { 'replace', 'replace_body', 'insert_before', 'insert_after', 'delete' }

local DONE = {
  replace = 'Replaced %s.',
  replace_body = 'Replaced the body of %s.',
  insert_before = 'Inserted before %s.',
  insert_after = 'Inserted after %s.',
  delete = 'Deleted %s.',
}

---@param result table
---@return string
function M.summary(result)
  if (result.files_changed or 0) == 0 then
    return 'Nothing to change.'
  end
  local text = DONE[result.action]:format(result.symbol)
  if result.shifted then
    text = text .. ' Its lines were indented to fit.'
  end
  if result.fallback then
    text = ('%s It was found in the text alone, and not verified: %s.'):format(
      text,
      result.fallback.reason
    )
  end
  return text .. require('oxide.tool_command').changed(result)
end

---@param opts oxide.EditOpts
---@return string? content   nil also where none is wanted
---@return string? why
local function content_of(opts)
  if opts.action == 'delete' then
    return nil
  end
  local name = opts.register or '"'
  local content, why = opts.content, nil ---@type string?, string?
  if not content then
    content, why = require('oxide.text_source').register(name)
  end
  return content, why or not content and ('register %s is empty'):format(name) or nil
end

--- One that the buffer does not have is looked for in the project; a name that may be meant is not.
---@param opts oxide.EditOpts
---@param place oxide.Place
---@param args table
---@param found? boolean   it was looked for
local function send(opts, place, args, found)
  local late = require('oxide.late_question').later()
  local tool_command = require('oxide.tool_command')
  tool_command.call('lsp_edit', args, {
    buf = place.buf,
    status = 'editing',
    context = { confirm = opts.review or 'auto', style = tool_command.style(place.buf) },
    force = opts.force,
    fallback = ui.error,
    candidates = 'edit',
    mods = opts.mods,
    on_done = opts.on_done,
    handled = function(err)
      if found or err.code ~= 'not_found' or #(err.candidates or {}) > 0 then
        return false
      end
      local asked = { buf = place.buf, late = late, missed = err, on_done = opts.on_done }
      require('oxide.symbols.find').find(opts.symbol, asked, function(symbol)
        args.file_path, args.symbol = symbol.file_path, symbol.symbol
        send(opts, place, args, true)
      end)
      return true
    end,
  }, function(result)
    tool_command.report(result, M.summary(result), result.fallback and vim.log.levels.WARN or nil)
  end)
end

---@param opts oxide.EditOpts
function M.run(opts)
  local tool_command = require('oxide.tool_command')
  local place = tool_command.here(opts)
  if not place then
    return
  end
  local content, why = content_of(opts)
  if why then
    return tool_command.refuse(why, opts.on_done)
  end
  send(opts, place, {
    file_path = place.file_path,
    symbol = opts.symbol,
    action = opts.action,
    content = content,
    allow_signature_change = opts.allow_signature_change,
  })
end

return M
