-- The tools of the IDE protocol that are about windows, buffers and what is selected, each by its
-- name: it takes the arguments, and returns a text, or what is sent as JSON. What it cannot do is an
-- error. Lines and characters count from 0, characters in UTF-16, as LSP has them.
local buffers = require('oxide.buffers')
local selection = require('oxide.ide.selection')

local M = {}

---@param args table
---@return string path
local function path_of(args)
  local path = args.filePath
  if type(path) ~= 'string' or path == '' then
    error('filePath must be a path', 0)
  end
  return vim.fs.normalize(path, { expand_env = false })
end

---@param args table
---@return integer? buf
---@return string path
local function buffer_of(args)
  local path = path_of(args)
  return buffers.of(path), path
end

--- A window for a file: the one that shows it, the one that was last in use, or any; never that of a
--- terminal or another special buffer.
---@param buf integer
---@return integer? win
local function window_for(buf)
  local shown = vim.fn.bufwinid(buf)
  if shown ~= -1 then
    return shown
  end
  local wins = vim.api.nvim_tabpage_list_wins(0)
  table.insert(wins, 1, vim.fn.win_getid(vim.fn.winnr('#')))
  table.insert(wins, 1, vim.api.nvim_get_current_win())
  return vim.iter(wins):find(function(win)
    return win ~= 0
      and vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ''
      and vim.api.nvim_win_get_config(win).relative == ''
      and not vim.wo[win].winfixbuf
  end)
end

--- A new window above all others, or in a tab page of its own where there is no room for it. The user
--- stays where they are.
---@param buf integer
---@return integer win
local function open_window(buf)
  local ok, win = pcall(vim.api.nvim_open_win, buf, false, { split = 'above', win = -1 })
  if ok then
    return win
  end
  local here, mode = vim.api.nvim_get_current_win(), vim.fn.mode()
  require('oxide.scratch').split { mods = { split = 'topleft' } }
  win = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(win, buf)
  vim.api.nvim_set_current_win(here)
  if mode == 't' then
    vim.cmd.startinsert() -- that was left with the window
  end
  return win
end

--- Where a text is in a buffer, line and column from 0.
---@param buf integer
---@param text any
---@param from integer   line
---@return integer? line
---@return integer? column
local function find_text(buf, text, from)
  if type(text) ~= 'string' or text == '' then
    return
  end
  local first = vim.split(text, '\n', { plain = true })[1]
  for i, line in ipairs(vim.api.nvim_buf_get_lines(buf, from, -1, false)) do
    local at = line:find(first, 1, true)
    if at then
      return from + i - 1, at - 1
    end
  end
end

--- Opens a file; the window that the user types in stays as it is unless that is asked for.
---@param args { filePath: string, startText?: string, makeFrontmost?: boolean }
function M.openFile(args)
  local path = path_of(args)
  if not vim.uv.fs_stat(path) and not buffers.of(path) then
    error(path .. ' does not exist', 0)
  end
  local buf = vim.fn.bufadd(path)
  vim.bo[buf].buflisted = true
  vim.fn.bufload(buf)
  local win = window_for(buf) or open_window(buf)
  vim.api.nvim_win_set_buf(win, buf)
  local line, column = find_text(buf, args.startText, 0)
  if line then
    vim.api.nvim_win_set_cursor(win, { line + 1, column })
  end
  local blocked = vim.api.nvim_get_mode().blocking or vim.fn.mode() ~= 'n'
  if args.makeFrontmost ~= false and not blocked then
    vim.api.nvim_set_current_win(win)
  end
  return 'Opened file: ' .. path
end

function M.getCurrentSelection()
  local found = selection.current()
  return found or { success = false, message = 'no file is shown in the current window' }
end

function M.getLatestSelection()
  local found = selection.latest()
  return found or { success = false, message = 'nothing was selected yet' }
end

function M.getOpenEditors()
  local tabs = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buf].buflisted and buffers.is_file(buf) then
      local name = vim.api.nvim_buf_get_name(buf)
      table.insert(tabs, {
        uri = vim.uri_from_fname(name),
        isActive = buf == vim.api.nvim_get_current_buf(),
        label = vim.fs.basename(name),
        languageId = vim.bo[buf].filetype,
        isDirty = vim.bo[buf].modified,
      })
    end
  end
  return { tabs = #tabs > 0 and tabs or vim.empty_dict() }
end

function M.getWorkspaceFolders()
  local root = require('oxide.process').root or vim.uv.cwd()
  local folder = { name = vim.fs.basename(root), uri = vim.uri_from_fname(root), path = root }
  return { success = true, folders = { folder }, rootPath = root }
end

function M.checkDocumentDirty(args)
  local buf, path = buffer_of(args)
  if not buf then
    return { success = false, message = 'the editor does not have it open: ' .. path }
  end
  return { success = true, filePath = path, isDirty = vim.bo[buf].modified, isUntitled = false }
end

function M.saveDocument(args)
  local buf, path = buffer_of(args)
  if not buf then
    return { success = false, message = 'the editor does not have it open: ' .. path }
  end
  local ok, err = pcall(vim.api.nvim_buf_call, buf, function()
    vim.cmd('silent update')
  end)
  if not ok then
    local why = require('oxide.errors').of_command(err)
    error(('%s could not be written: %s'):format(path, why), 0)
  end
  return { success = true, filePath = path, saved = true, message = 'written' }
end

return M
