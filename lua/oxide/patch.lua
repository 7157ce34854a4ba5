-- `:Oxide patch`: a patch out of a register, a file or the buffer, into a review.
local ui = require('oxide.ui')

local M = {}

---@class oxide.PatchOpts
---@field text? string       the patch itself; else one of the following
---@field file? string
---@field register? string   without any, the unnamed one, or the clipboard
---@field first? integer     lines of the current buffer, from 1
---@field last? integer
---@field review? 'auto'|'always'|'never'   always, as it comes
---@field mods? table
---@field on_done? fun(err?: oxide.Error, result?: table)

M.REGISTER = '^[%w"+*%-./:=]$'

---@param text string
---@return boolean
local function is_patch(text)
  text = '\n' .. text
  return text:find('\n%s*%*%*%* Begin Patch') ~= nil
    or text:find('\n@@') ~= nil
    or text:find('\ndiff %-%-git ') ~= nil
    or text:find('\n%-%-%- [^\n]*\n%+%+%+ ') ~= nil
end

---@param lines string[]   of Vim: a newline in one stands for NUL
---@param eol string
---@return string?
local function join(lines, eol)
  local text = table.concat(
    vim.tbl_map(function(line)
      return (line:gsub('\n', '\0'))
    end, lines),
    eol
  )
  return text ~= '' and text .. eol or nil
end

---@param name string
---@return string?
local function register(name)
  return join(vim.fn.getreg(name, 1, true) --[[@as string[] ]], '\n')
end

---@param buf integer
---@param first integer
---@param last integer
---@return string?
local function buffer(buf, first, last)
  local eol = vim.bo[buf].fileformat == 'dos' and '\r\n' or '\n'
  return join(vim.api.nvim_buf_get_lines(buf, first - 1, last, false), eol)
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
    return buffer(buf, 1, -1), name .. ' is empty'
  end
  local f, why = io.open(path, 'rb')
  local text = f and f:read('*a')
  if f then
    f:close()
  end
  if not text then
    return nil, ('%s cannot be read: %s'):format(name, why or 'it is a folder')
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
  for _, name in ipairs(names) do
    local text = register(name)
    if text and is_patch(text) then
      return text
    end
  end
  return nil,
    #names == 1 and 'the unnamed register holds no patch'
      or 'neither the unnamed register nor the clipboard holds a patch'
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
    if not opts.register:match(M.REGISTER) then
      return nil, ("'%s' is no register"):format(opts.register)
    end
    return register(opts.register), ('register %s is empty'):format(opts.register)
  elseif opts.first then
    return buffer(vim.api.nvim_get_current_buf(), opts.first, opts.last or opts.first),
      'the range is empty'
  end
  return find()
end

---@param path string   absolute, or from the project's root
---@return string
local function absolute(path)
  local root = require('oxide.process').root
  return vim.startswith(path, '/') and path or vim.fs.joinpath(root or vim.fn.getcwd(), path)
end

--- The places that are near to what one operation looks for; else what is wrong with it.
---@param failed table   an error of the core, or one of its details
---@param items table[]
---@return boolean near   whether there is such a place
local function collect(failed, items)
  if not failed.file then
    return false
  end
  local buf = vim.fn.bufadd(absolute(failed.file))
  local candidates = failed.candidates or {}
  for _, candidate in ipairs(candidates) do
    local why = (candidate.why or 'is near'):gsub('^line %d+: ', '')
    local text = vim.trim(candidate.text or '')
    if not why:find(text, 1, true) then
      why = ('%s: %s'):format(why, text)
    end
    table.insert(items, { bufnr = buf, lnum = candidate.line, col = 1, text = why })
  end
  if #candidates == 0 then
    local line = failed.line or 1
    table.insert(items, { bufnr = buf, lnum = line, col = 1, type = 'E', text = failed.message })
  end
  return #candidates > 0
end

--- Lists what the patch may have meant, for all that failed in it.
---@param err oxide.Error
---@param mods? table
local function list(err, mods)
  local items, near = {}, false
  for _, failed in ipairs(err.details or { err }) do
    if not failed.success then
      near = collect(failed, items) or near
    end
  end
  if near then
    local quickfix = require('oxide.quickfix')
    local made = quickfix.create {
      title = 'Oxide patch: ' .. err.message:match('[^\n]*'),
      items = items,
      kind = 'patch',
    }
    quickfix.open(made, mods)
  end
end

---@param result table
---@return string
function M.summary(result)
  if (result.files_changed or 0) == 0 then
    return 'The patch changes nothing.'
  end
  local text = ('Patched %s in %s.'):format(
    ui.count(result.edits or 0, 'place'),
    ui.count(result.files_changed, 'file')
  )
  if result.match and result.match ~= 'exact' then
    text = ('%s Not all of it stood there exactly: %s.'):format(text, result.match)
  end
  return text .. require('oxide.verb').changed(result)
end

---@param opts oxide.PatchOpts
function M.run(opts)
  local verb = require('oxide.verb')
  local text, why = read(opts)
  if text and text:find('%z') then
    text, why = nil, 'the patch holds a NUL byte; Oxide patches text'
  end
  if not text then
    return verb.refuse(assert(why), opts.on_done)
  end
  verb.call('apply_patch', { patch = text }, {
    buf = vim.api.nvim_get_current_buf(),
    status = 'patching',
    context = { confirm = opts.review or 'always' },
    fallback = ui.error,
    on_done = function(err, result)
      if err then
        list(err, opts.mods)
      end
      if opts.on_done then
        opts.on_done(err, result)
      end
    end,
  }, function(result)
    ui.notify(M.summary(result))
  end)
end

return M
