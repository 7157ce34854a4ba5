-- `:Oxide signature`: another list of parameters for the function at the cursor, in all of its
-- declarations and calls. The person changes the present one, as text; the core tells what became of
-- each parameter, and asks where it cannot know what callers shall pass.
local ui = require('oxide.ui')

local M = {}

---@class oxide.Parameter
---@field from? integer      an old parameter, counted from 0 without the receiver
---@field name? string       ... and its new name
---@field new? string        or the declaration of a new one
---@field argument? string   ... and what callers pass for it

---@class oxide.SignatureOpts
---@field signature? string  `name(int h, int flags := 0)`; without it, the person is asked
---@field parameters? oxide.Parameter[]   the same as data
---@field name? string       what the function is called then
---@field symbol? string     the function by its name, wherever it is; without it, the cursor's
---@field buf? integer
---@field line? integer      from 1; without it, the cursor's
---@field column? integer    from 1, in bytes
---@field review? 'auto'|'always'|'never'
---@field force? boolean   in spite of new errors
---@field mods? table
---@field on_done? fun(err?: oxide.Error, result?: table)

---@param result table
---@return string
function M.summary(result)
  if (result.files_changed or 0) == 0 then
    return 'Nothing to change.'
  end
  local name = result.new_signature:match('^[^(]*')
  local text = ('Changed %s in %s of %s.'):format(
    name == result.symbol and name or ('%s to %s'):format(result.symbol, name),
    (result.sites_changed and result.sites_changed .. ' of ' or '')
      .. ui.count(result.sites, 'place'),
    ui.count(result.files_changed, 'file')
  )
  for _, warning in ipairs(result.warnings or {}) do
    text = ('%s %s.'):format(text, warning.message)
  end
  local tool_command = require('oxide.tool_command')
  return text
    .. tool_command.changed(result)
    .. tool_command.mentions(result.symbol, result.mentions_total or 0)
end

---@param opts oxide.SignatureOpts
---@param why string
local function give_up(opts, why)
  if opts.on_done then
    opts.on_done(require('oxide.errors').new('cancelled', why))
  end
end

---@param opts oxide.SignatureOpts
---@param place oxide.Place
---@param more table   arguments
---@param on_done? fun(err?: oxide.Error, result?: table)
---@param quiet? fun(err: oxide.Error): boolean   has dealt with the failure itself
---@param done fun(result: table)
local function call(opts, place, more, on_done, quiet, done)
  local args = vim.tbl_extend('error', {
    file_path = place.file_path,
    action = 'change_signature',
    line = opts.line or place.line,
    column = opts.column or (opts.line and 1) or place.column,
    symbol = not place.column and place.word or nil,
  }, more)
  require('oxide.tool_command').call('lsp_edit', args, {
    buf = place.buf,
    status = 'changing the signature',
    context = { confirm = opts.review or 'auto' },
    force = opts.force,
    fallback = ui.error,
    candidates = 'signature',
    handled = quiet,
    mods = opts.mods,
    on_done = on_done,
  }, done)
end

local send

--- Behind a part of the list that is a parameter by itself, and not the beginning of another.
---@param text string
---@param part string
---@return integer?
local function behind(text, part)
  local at, to = text:find(part, 1, true)
  while at do
    local before, after = text:sub(1, at - 1), text:sub(to + 1)
    if ('(' .. before):find('[(,]%s*$') and (after .. ')'):find('^%s*[,)]') then
      return to
    end
    at, to = text:find(part, at + 1, true)
  end
end

--- A new parameter without an argument: the person says what callers pass.
---@param opts oxide.SignatureOpts
---@param place oxide.Place
---@param text string      the list as it was written
---@param missing string   a part of it
---@param late oxide.AskLate
local function ask_argument(opts, place, text, missing, late)
  local prompt = ('Callers pass for `%s`: '):format(missing)
  local function answered(argument)
    local to = behind(text, missing)
    if not argument or vim.trim(argument) == '' or not to then
      return give_up(opts, 'no argument given for the callers')
    end
    send(opts, place, {
      signature = ('%s := %s%s'):format(text:sub(1, to), argument, text:sub(to + 1)),
    })
  end
  late(prompt, function()
    ui.input({ prompt = prompt }, answered)
  end, answered)
end

---@param opts oxide.SignatureOpts
---@param place oxide.Place
---@param more table   arguments: the new list
function send(opts, place, more)
  local late = require('oxide.late_question').later()
  local function missing(err)
    if not (err.missing and more.signature) then
      return false
    end
    ask_argument(opts, place, more.signature, err.missing, late)
    return true
  end
  call(opts, place, more, opts.on_done, missing, function(result)
    require('oxide.tool_command').report(result, M.summary(result))
  end)
end

--- Shows the present signature, to be changed.
---@param opts oxide.SignatureOpts
---@param place oxide.Place
local function ask(opts, place)
  local function failed(err)
    if err and opts.on_done then
      opts.on_done(err)
    end
  end
  local late = require('oxide.late_question').later()
  call(opts, place, {}, failed, nil, function(present)
    local prompt = ('Signature (%s): '):format(ui.count(present.sites, 'place'))
    local function answered(text)
      if text and vim.trim(text) ~= '' and text ~= present.signature then
        send(opts, place, { signature = text })
      else
        give_up(opts, 'the signature was not changed')
      end
    end
    late(prompt .. present.signature, function()
      ui.input({ prompt = prompt, default = present.signature }, answered)
    end, answered)
  end)
end

---@param opts oxide.SignatureOpts
---@param place oxide.Place   of the function
local function begin(opts, place)
  if opts.signature or opts.parameters or opts.name then
    send(opts, place, {
      signature = opts.signature,
      parameters = opts.parameters,
      new_name = opts.name,
    })
  else
    ask(opts, place)
  end
end

---@param opts oxide.SignatureOpts
function M.run(opts)
  local place = require('oxide.tool_command').here(opts)
  if not place then
    return
  elseif not opts.symbol then
    return begin(opts, place)
  end
  local asked = { buf = place.buf, on_done = opts.on_done }
  require('oxide.symbols.find').find(opts.symbol, asked, function(found)
    begin(opts, {
      buf = place.buf,
      file_path = found.file_path,
      line = found.line,
      column = found.column,
      word = require('oxide.symbols.find').bare(found.symbol),
    })
  end)
end

return M
