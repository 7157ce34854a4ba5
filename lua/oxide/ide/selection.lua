-- What is selected, as Claude Code is told of it: the Visual selection, or where the cursor is. A
-- selection counts until the cursor moves in a file, so that one can go to the agent's window with
-- it. Lines and characters count from 0, characters in UTF-16.
local buffers = require('oxide.buffers')

local M = {}

local DELAY_MS = 50 -- of several moves in a row the last is told
local MOST = 65536 -- bytes of a selected text that are told

---@class oxide.IdeSelection
---@field success true
---@field text string
---@field filePath string
---@field fileUrl string
---@field selection { start: lsp.Position, end: lsp.Position, isEmpty: boolean }

local latest ---@type oxide.IdeSelection?
local group ---@type integer?
local timer ---@type uv.uv_timer_t?

---@param line string
---@param bytes integer
---@return integer characters
local function utf16(line, bytes)
  bytes = math.min(bytes, #line)
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_utfindex(line, 'utf-16', bytes, false)
  end
  return (select(2, vim.str_utfindex(line, bytes)))
end

---@param line integer    from 0
---@param column integer  bytes
---@return lsp.Position
local function position(line, column)
  local text = vim.api.nvim_buf_get_lines(0, line, line + 1, false)[1] or ''
  return { line = line, character = utf16(text, column) }
end

---@return boolean
local function is_visual()
  return vim.tbl_contains({ 'v', 'V', '\22' }, vim.fn.mode())
end

--- The ends of the Visual selection, the second exclusive.
---@return lsp.Position first
---@return lsp.Position last
---@return string text
local function visual()
  local mode = vim.fn.mode()
  local a, b = vim.fn.getpos('v'), vim.fn.getpos('.')
  local text = table.concat(vim.fn.getregion(a, b, { type = mode }), '\n')
  if b[2] < a[2] or (b[2] == a[2] and b[3] < a[3]) then
    a, b = b, a
  end
  if mode == 'V' then
    return position(a[2] - 1, 0), position(b[2] - 1, math.huge), text
  end
  local line = vim.fn.getline(b[2])
  local wide = vim.fn.byteidx(line:sub(b[3]), 1) -- of the character that is the last
  return position(a[2] - 1, a[3] - 1), position(b[2] - 1, b[3] - 1 + math.max(wide, 0)), text
end

--- Of the current buffer; nil where that is no file.
---@return oxide.IdeSelection?
function M.current()
  if not buffers.is_file(0) then
    return
  end
  local path = vim.api.nvim_buf_get_name(0)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local first = position(cursor[1] - 1, cursor[2])
  local last, text = first, ''
  if is_visual() then
    first, last, text = visual()
  end
  return {
    success = true,
    text = #text > MOST and text:sub(1, MOST + vim.str_utf_start(text, MOST + 1)) or text,
    filePath = path,
    fileUrl = vim.uri_from_fname(path),
    selection = { start = first, ['end'] = last, isEmpty = text == '' },
  }
end

---@return oxide.IdeSelection?
function M.latest()
  if is_visual() or not latest then
    latest = M.current() or latest
  end
  return latest
end

---@param tell fun(selection: oxide.IdeSelection)
local function changed(tell)
  local found = M.current()
  if found and not vim.deep_equal(found, latest) then
    latest = found
    tell(found)
  end
end

--- Begins to follow what is selected.
---@param tell fun(selection: oxide.IdeSelection)   called when it has changed
function M.watch(tell)
  if group then
    return
  end
  group = vim.api.nvim_create_augroup('oxide.ide', {})
  timer = assert(vim.uv.new_timer())
  local function soon()
    if timer and not timer:is_active() then
      timer:start(
        DELAY_MS,
        0,
        vim.schedule_wrap(function()
          if group then
            changed(tell)
          end
        end)
      )
    end
  end
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'BufEnter', 'WinEnter' }, {
    group = group,
    desc = 'Oxide: tell Claude Code what is selected',
    callback = soon,
  })
  vim.api.nvim_create_autocmd('ModeChanged', {
    group = group,
    pattern = '*:[vV\22]*',
    desc = 'Oxide: tell Claude Code what is selected',
    callback = soon,
  })
  soon()
end

function M.unwatch()
  if group then
    vim.api.nvim_del_augroup_by_id(group)
    assert(timer):close()
    group, timer, latest = nil, nil, nil
  end
end

return M
