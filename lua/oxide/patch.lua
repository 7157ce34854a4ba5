-- `:Oxide patch`: a patch out of a register, a file or the buffer, into a review.
local text_source = require('oxide.text_source')
local ui = require('oxide.ui')

local M = {}

---@class oxide.PatchOpts
---@field text? string       the patch itself; else one of the following
---@field file? string
---@field register? string   without any, the unnamed one, or the clipboard
---@field first? integer     lines of the current buffer, from 1
---@field last? integer
---@field review? 'auto'|'always'|'never'   always, as it comes
---@field force? boolean   in spite of new errors
---@field mods? table
---@field on_done? fun(err?: oxide.Error, result?: table)

---@param text string
---@return boolean
local function is_patch(text)
  text = '\n' .. text
  return text:find('\n%s*%*%*%* Begin Patch') ~= nil
    or text:find('\n@@') ~= nil
    or text:find('\ndiff %-%-git ') ~= nil
    or text:find('\n%-%-%- [^\n]*\n%+%+%+ ') ~= nil
end

--- The text of the buffer when the file is open, else of the file.
---@param name string
---@return string? text
---@return string? why
local function file(name)
  local path = name:match('^[%%#]') and vim.fn.expand(name) or vim.fs.normalize(name)
  path = vim.fn.fnamemodify(path, ':p')
  local buf = require('oxide.buffers').of(path)
  if buf then
    return text_source.lines(buf, 1, -1), name .. ' is empty'
  end
  local f, why = io.open(path, 'rb')
  local text = f and f:read('*a')
  if f then
    f:close()
  end
  if not text then
    return nil, ('%s cannot be read: %s'):format(name, why or 'it is a directory')
  end
  return text ~= '' and text or nil, name .. ' is empty'
end

--- Finds a patch without being told where: what was yanked last, then the clipboard.
---@return string? text
---@return string? why
local function find()
  local names = { '"' }
  if vim.fn.has('clipboard') == 1 then
    table.insert(names, '+')
  end
  local failure ---@type string?
  for _, name in ipairs(names) do
    local text, why = text_source.register(name)
    if text and is_patch(text) then
      return text
    end
    failure = failure or why
  end
  if failure then
    return nil, 'the unnamed register does not contain a patch; ' .. failure
  end
  return nil,
    #names == 1 and 'the unnamed register does not contain a patch'
      or 'neither the unnamed register nor the clipboard contains a patch'
end

---@param opts oxide.PatchOpts
---@return string? text
---@return string? why
local function read(opts)
  if opts.text then
    return opts.text
  elseif opts.file then
    return file(opts.file)
  elseif opts.register then
    if not opts.register:match(text_source.REGISTER) then
      return nil, ("'%s' is not a register"):format(opts.register)
    end
    local text, why = text_source.register(opts.register)
    return text, why or ('register %s is empty'):format(opts.register)
  elseif opts.first then
    return text_source.lines(vim.api.nvim_get_current_buf(), opts.first, opts.last or opts.first),
      'the range is empty'
  end
  return find()
end

--- "Patched 2 places in 1 file, added 1."
---@param files oxide.SumFile[]
---@return string
local function done(files)
  local sums = require('oxide.sums')
  local places, parts = sums.parts(sums.of(files))
  local said = { places and 'patched ' .. places }
  for _, part in ipairs(parts) do
    local what = part.what
    table.insert(
      said,
      what == 'more' and ('%s %s'):format(part.count, what)
        or ('%s %s'):format(what == '' and 'patched' or what, part.count)
    )
  end
  local text = table.concat(said, ', ')
  return text:sub(1, 1):upper() .. text:sub(2) .. '.'
end

---@param result table
---@return string
function M.summary(result)
  if (result.files_changed or 0) == 0 then
    return 'The patch changes nothing.'
  end
  local text = done(result.files or {})
  if result.match and result.match ~= 'exact' then
    text = ('%s Not all of it matched exactly: %s.'):format(text, result.match)
  end
  return text .. require('oxide.tool_command').changed(result)
end

---@param opts oxide.PatchOpts
function M.run(opts)
  local tool_command = require('oxide.tool_command')
  local text, why = read(opts)
  if text and text:find('%z') then
    text, why = nil, 'the patch contains a NUL byte; Oxide patches text'
  end
  if not text then
    return tool_command.refuse(assert(why), opts.on_done)
  end
  tool_command.call('apply_patch', { patch = text, verify = true }, {
    buf = vim.api.nvim_get_current_buf(),
    status = 'patching',
    context = { confirm = opts.review or 'always' },
    force = opts.force,
    fallback = ui.error,
    candidates = 'patch',
    mods = opts.mods,
    on_done = opts.on_done,
  }, function(result)
    require('oxide.tool_command').report(result, M.summary(result))
  end)
end

return M
