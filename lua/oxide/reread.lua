-- Buffers whose files are changed on disk by an agent. Neovim reads the file, without its question;
-- a buffer that had changes has its text back then, and gets those of the disk merged into it by the
-- edits of the core. An undo is one step, to the text that was there before.
--
-- That holds for the buffers that the core follows. For any other, and once the core is gone, there
-- is no autocommand of Oxide's, and Neovim asks as ever.
local apply = require('oxide.apply')
local buffers = require('oxide.buffers')
local ui = require('oxide.ui')

local M = {}

local group = vim.api.nvim_create_augroup('oxide.reread', {})
local followed = {} ---@type table<integer, boolean>

-- What a buffer had while Neovim reads its file: where it was in its undo history, if it had
-- changes, and the option that keeps that history.
local reading = {} ---@type table<integer, { undo?: integer, undoreload: integer }>

---@param buf integer
---@return { undo?: integer }?
local function had(buf)
  local kept = reading[buf]
  reading[buf] = nil
  if kept then
    vim.o.undoreload = kept.undoreload
  end
  return kept
end

---@param buf integer
local function before(buf)
  if vim.v.fcs_reason == 'deleted' or vim.v.fcs_reason == 'time' then
    vim.v.fcs_choice = 'ask' -- it does not ask about these, but says that a file is gone
    return
  end
  reading[buf] = {
    undo = vim.bo[buf].modified and vim.fn.undotree(buf).seq_cur or nil,
    undoreload = vim.o.undoreload,
  }
  vim.o.undoreload = -1
  vim.v.fcs_choice = 'reload'
  vim.schedule(function()
    had(buf) -- it could not be read after all
  end)
end

---@param buf integer
local function after(buf)
  local kept = had(buf)
  if kept and kept.undo then
    vim.api.nvim_buf_call(buf, function()
      vim.cmd('silent noautocmd undo ' .. kept.undo)
    end)
    vim.bo[buf].modified = true
    buffers.put_back(buf)
  end
end

---@param buf integer
local function leave(buf)
  if followed[buf] then
    followed[buf] = nil
    vim.api.nvim_clear_autocmds { group = group, buffer = buf }
  end
end

---@param buf integer
local function begin(buf)
  if followed[buf] or not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  followed[buf] = true
  local function on(events, desc, fn)
    vim.api.nvim_create_autocmd(events, {
      group = group,
      buffer = buf,
      desc = 'Oxide: ' .. desc,
      nested = true,
      callback = function()
        fn(buf)
      end,
    })
  end
  on('FileChangedShell', 'read the file that an agent has changed', before)
  on('FileChangedShellPost', 'put back what was not saved', after)
  on({ 'BufUnload', 'BufFilePost' }, 'leave the file to Neovim', leave)
end

--- The core takes care of what others write to the file of this buffer, or no longer.
---@param buffer { buf: integer, on: boolean, why?: string }
function M.follow(buffer)
  local buf = buffer.buf
  if buffer.on then
    begin(buf)
    return
  end
  leave(buf)
  if buffer.why and vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified then
    ui.notify(
      ('%s was changed on disk, and that is not merged into its buffer: %s. :e! reads it, :w asks.'):format(
        vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ':~:.'),
        buffer.why
      ),
      vim.log.levels.WARN
    )
  end
end

---@param buf integer   0: the current one
---@return boolean
function M.follows(buf)
  return followed[buf == 0 and vim.api.nvim_get_current_buf() or buf] or false
end

--- The core has ended.
function M.forget()
  for buf in pairs(followed) do
    leave(buf)
  end
end

--- Neovim has read what an agent has written, and would not ask, but the buffer does not have it.
---@param buf integer
---@param name string   of what is written
---@return boolean
function M.may_write(buf, name)
  if not buffers.is_behind(buf) or name ~= vim.api.nvim_buf_get_name(buf) or vim.v.cmdbang == 1 then
    return true
  end
  local text = '%s was changed on disk, and that is not merged into its buffer. Write over it?'
  return vim.fn.confirm(text:format(vim.fn.fnamemodify(name, ':~:.')), '&Yes\n&No', 2) == 1
end

vim.api.nvim_create_autocmd('BufWritePre', {
  group = vim.api.nvim_create_augroup('oxide.reread.write', {}),
  desc = 'Oxide: ask before a file is written over that is not merged yet',
  command = "if !v:lua.require'oxide.reread'.may_write(str2nr(expand('<abuf>')), expand('<amatch>'))"
    .. " | throw 'Oxide: not written' | endif",
})

---@class oxide.Reread: oxide.BufferEdit
---@field plain boolean   the edits lead to what the file holds
---@field stamp string   of the file whose text is merged
---@field clash? integer[][]   first and last line of each conflict that they mark

--- Neovim's own way, so that it knows of the file what the buffer has of it.
---@param buf integer
local function read(buf)
  local autoread = vim.bo[buf].autoread
  vim.bo[buf].autoread = false -- it would not ask before() for a buffer without changes
  vim.cmd('silent! checktime ' .. buf)
  vim.bo[buf].autoread = autoread
end

---@param file oxide.Reread
---@return 'done'|'stale'|'left'
local function take(file)
  local buf = file.buf
  if not vim.api.nvim_buf_is_loaded(buf) or not vim.bo[buf].modifiable or vim.bo[buf].readonly then
    return 'left'
  end
  if vim.api.nvim_buf_get_changedtick(buf) ~= file.tick then
    return 'stale'
  end
  local modified = vim.bo[buf].modified
  local text = modified and vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  if not buffers.disk_is_same(buf) then
    read(buf)
  end
  if text and not vim.deep_equal(text, vim.api.nvim_buf_get_lines(buf, 0, -1, false)) then
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, text) -- its undo history did not lead back
  end
  if modified or vim.api.nvim_buf_get_changedtick(buf) == file.tick then
    apply.merge(file)
    if file.plain then
      vim.bo[buf].modified = false
    end
    buffers.is_merged(buf, file.stamp)
  end
  return 'done'
end

---@param files oxide.Reread[]
---@param who string
local function list_conflicts(files, who)
  local items = {}
  for _, file in ipairs(files) do
    for _, lines in ipairs(file.clash or {}) do
      table.insert(items, {
        bufnr = file.buf,
        lnum = lines[1],
        end_lnum = lines[2],
        col = 1,
        type = 'W',
        text = 'conflict with what ' .. who .. ' has written',
      })
    end
  end
  if #items > 0 then
    require('oxide.quickfix').create {
      title = 'Conflicts with ' .. who,
      items = items,
      kind = 'conflicts',
    }
    ui.notify(
      ('%s in unsaved buffers; see the quickfix list.'):format(ui.count(#items, 'conflict')),
      vim.log.levels.WARN
    )
  end
end

---@param request { files: oxide.Reread[], who: string }
---@return table
function M.reread(request)
  local fates, taken = {}, {}
  for i, file in ipairs(request.files) do
    fates[i] = take(file)
    if fates[i] == 'done' then
      table.insert(taken, file)
    end
  end
  list_conflicts(taken, request.who)
  return { fates = fates }
end

return M
