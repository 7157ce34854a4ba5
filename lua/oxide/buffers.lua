-- Which buffers the core knows: every loaded, named buffer of a normal file. The core attaches to
-- each and follows its text by itself; this module only says that a buffer is there, and what it
-- is called.
local M = {}

local group = vim.api.nvim_create_augroup('oxide.buffers', {})
local known = {} ---@type table<integer, boolean>
local behind = {} ---@type table<integer, boolean>  its text has not come of the file as Neovim read it
local seen = {} ---@type table<integer, string>  the file's stamp when buffer and file were last the same
local told = {} ---@type table<integer, boolean>  what the core was told last of 'modified'
local before = {} ---@type table<integer, string>  the file's stamp when Neovim began to read it

---@param path string
---@return string  changes when the file does
function M.stamp(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ('%d.%09d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or 'none'
end

---@param buf integer
---@return boolean
function M.is_file(buf)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= '' then
    return false
  end
  local name = vim.api.nvim_buf_get_name(buf)
  return name ~= '' and not name:match('^%a[%w+.-]+://')
end

--- The buffer of a file, whose name Neovim shows as short as if it had been typed.
---@param path string   absolute
---@return integer
function M.add(path)
  return vim.fn.bufadd(vim.fn.fnamemodify(path, ':.'))
end

---@param path string   absolute
---@return integer?     a loaded buffer of this file
function M.of(path)
  local buf = vim.fn.bufnr('^' .. vim.fn.escape(path, '\\*?[]{},') .. '$')
  if buf > 0 and vim.api.nvim_buf_is_loaded(buf) then
    return buf
  end
end

--- Whether its text and the bytes of its file are the same thing to the core.
---@param buf integer
---@return boolean
local function is_plain(buf)
  local encoding = vim.bo[buf].fileencoding
  return (encoding == '' or encoding == 'utf-8') and vim.bo[buf].fileformat ~= 'mac'
end

---@param buf integer
---@return table
local function describe(buf)
  local bo = vim.bo[buf]
  told[buf] = bo.modified
  return {
    buf = buf,
    path = vim.api.nvim_buf_get_name(buf),
    filetype = bo.filetype,
    eol = bo.endofline,
    crlf = bo.fileformat == 'dos',
    modified = bo.modified,
    readonly = bo.readonly or not bo.modifiable,
    stamp = not behind[buf] and is_plain(buf) and seen[buf] or nil,
  }
end

---@param buf integer
---@return boolean whether the file on disk is still what was read or written last
function M.disk_is_same(buf)
  return seen[buf] == nil or seen[buf] == M.stamp(vim.api.nvim_buf_get_name(buf))
end

---@param buf integer
---@return boolean whether there is no file of its name
function M.is_gone(buf)
  return M.stamp(vim.api.nvim_buf_get_name(buf)) == 'none'
end

---@param buf integer
---@param stamp? string   of the file that has its text: the present one
local function remember(buf, stamp)
  behind[buf] = nil
  seen[buf] = stamp or M.stamp(vim.api.nvim_buf_get_name(buf))
end

--- Neovim knows what it has read, and tells it in no other way than this one: a file that others have
--- written since is read again, as 'autoread' has it, or is one that the buffer does not have.
---@param buf integer
---@return string stamp of what it has
local function look(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  local stamp, changed = M.stamp(name), false
  local id = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    desc = 'Oxide: whether a file has changed since Neovim has read it',
    callback = function()
      changed = vim.v.fcs_reason ~= 'time' and vim.v.fcs_reason ~= 'mode'
      vim.v.fcs_choice = ''
    end,
  })
  vim.cmd('silent! checktime ' .. buf)
  vim.api.nvim_del_autocmd(id)
  if changed and stamp ~= 'none' then
    require('oxide.ui').notify(
      ('%s was changed on disk since it was read. :e! reads it, :w asks.'):format(
        vim.fn.fnamemodify(name, ':~:.')
      ),
      vim.log.levels.WARN
    )
  end
  return changed and 'changed' or stamp
end

---@param buf integer
local function close(buf)
  seen[buf], behind[buf], told[buf], before[buf] = nil, nil, nil, nil
  if known[buf] then
    known[buf] = nil
    require('oxide.core').tell('buf_close', { buf = buf })
  end
end

---@param buf integer
---@param stamp? string   of the file that has its text: the present one
local function open(buf, stamp)
  if M.is_file(buf) then
    known[buf] = true
    remember(buf, stamp)
    require('oxide.core').tell('buf_open', describe(buf))
  else
    close(buf)
  end
end

---@param buf integer
local function info(buf)
  if not M.is_file(buf) then
    close(buf)
  elseif known[buf] then
    require('oxide.core').tell('buf_info', describe(buf))
  else
    open(buf)
  end
end

--- Looks at a file that others may have written, once what goes on is over. Where an agent works the core
--- does.
---@param buf integer
local function look_soon(buf)
  local stamp = seen[buf]
  vim.schedule(function()
    if known[buf] and seen[buf] == stamp and not require('oxide.reread').follows(buf) then
      seen[buf] = look(buf)
      info(buf)
    end
  end)
end

--- Others may have written the file since Neovim began to read it, most of all while it looked for its
--- type and the like.
---@param buf integer
local function read(buf)
  local stamp = before[buf]
  before[buf] = nil
  open(buf, stamp)
  if stamp and not M.disk_is_same(buf) then
    look_soon(buf)
  end
end

--- Whether a file that was written a moment ago has the size of its text: autocommands that have it
--- formatted come before ours.
---@param buf integer
---@return boolean
local function has_its_size(buf)
  local bo, lines = vim.bo[buf], vim.api.nvim_buf_line_count(buf)
  local dos = bo.fileformat == 'dos'
  local size = vim.api.nvim_buf_get_offset(buf, lines) + (dos and lines or 0)
  return not is_plain(buf)
    or tonumber(seen[buf]:match('%d+$')) == size + (bo.bomb and 3 or 0)
    or not (bo.endofline or bo.fixendofline)
end

--- The event comes a moment late, when that it was written may have told the same.
---@param buf integer
local function modified(buf)
  if told[buf] ~= vim.bo[buf].modified then
    info(buf)
  end
end

--- Writing moves changedtick, and no event says so. In one piece, for each wakes the core.
---@param buf integer
local function saved(buf)
  remember(buf)
  local is_file = M.is_file(buf)
  local what = is_file and describe(buf) or { buf = buf }
  what.tick = vim.api.nvim_buf_get_changedtick(buf)
  require('oxide.core').tell('buf_saved', what)
  if not is_file then
    close(buf)
  elseif not has_its_size(buf) then
    look_soon(buf)
  end
end

--- Neovim has read the file, and the buffer has a text of its own again.
---@param buf integer
function M.put_back(buf)
  behind[buf] = true
  info(buf)
  require('oxide.core').tell('buf_behind', { buf = buf })
end

---@param buf integer
---@return boolean whether what its file holds is not in its text, though Neovim has read it
function M.is_behind(buf)
  return behind[buf] or false
end

--- What the file holds is in the buffer's text. Told at once, for events of Neovim come a moment
--- late.
---@param buf integer
---@param stamp string   of the file that had it
function M.is_merged(buf, stamp)
  if stamp == seen[buf] then
    behind[buf] = nil
  end
  info(buf)
end

---@param events string[]
---@param pattern? string[]
---@param desc string
---@param fn fun(buf: integer)
local function on(events, pattern, desc, fn)
  vim.api.nvim_create_autocmd(events, {
    group = group,
    pattern = pattern,
    desc = 'Oxide: ' .. desc,
    callback = function(ev)
      -- OptionSet says of no buffer that it is the current one.
      fn(ev.buf ~= 0 and ev.buf or vim.api.nvim_get_current_buf())
    end,
  })
end

local function watch()
  vim.api.nvim_clear_autocmds { group = group }
  on({ 'BufReadPre' }, nil, 'remember what is read', function(buf)
    before[buf] = M.stamp(vim.api.nvim_buf_get_name(buf))
  end)
  on({ 'BufReadPost' }, nil, 'open in the core', read)
  on({ 'BufNewFile' }, nil, 'open in the core', function(buf)
    open(buf, 'none')
  end)
  on({ 'FileChangedShellPost' }, nil, 'open in the core', open)
  on({ 'BufFilePost' }, nil, 'send the name of a buffer', function(buf)
    remember(buf)
    info(buf)
  end)
  on({ 'FileType' }, nil, 'send the type of a buffer', info)
  on(
    { 'OptionSet' },
    { 'endofline', 'fileformat', 'readonly', 'modifiable', 'buftype' },
    'send options of a buffer',
    info
  )
  -- 0.13 has OptionSet for 'modified' instead of the event.
  if vim.fn.exists('##BufModifiedSet') == 1 then
    on({ 'BufModifiedSet' }, nil, 'send that a buffer is modified', modified)
  else
    on({ 'OptionSet' }, { 'modified' }, 'send that a buffer is modified', modified)
  end
  on({ 'BufWritePost' }, nil, 'send that a buffer was written', function(buf)
    if known[buf] then
      saved(buf)
    else
      open(buf)
    end
  end)
  on({ 'BufUnload', 'BufWipeout' }, nil, 'close in the core', close)
end

--- After the core has started: tells it of every buffer, and from now on of every change.
function M.open_all()
  known = {}
  watch()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if M.is_file(buf) then
      open(buf, look(buf))
    end
  end
end

--- After the core has ended.
function M.forget()
  known = {}
  vim.api.nvim_clear_autocmds { group = group }
end

return M
