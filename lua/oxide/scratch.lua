-- Windows for text that belongs to no file, and for what the current window cannot show.
local M = {}

---@param buf integer
---@param lines string[]
function M.fill(buf, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

--- Names a buffer of Oxide's own, which a session that is loaded has by its name alone (oxide.session).
---@param buf integer
---@param name string   behind oxide://
function M.name(buf, name)
  vim.api.nvim_buf_set_name(buf, 'oxide://' .. name)
  vim.b[buf].oxide_own = true
end

--- Takes away what a window has beside and in a text of a file, for as long as it shows this one.
---@param win integer
---@return vim.wo   the options of the window for this buffer
function M.plain(win)
  local wo = vim.wo[win][0]
  wo.number = false
  wo.relativenumber = false
  wo.signcolumn = 'no'
  wo.spell = false
  wo.list = false
  return wo
end

--- The border of a float: the user's own from 'winborder' (Neovim 0.11 and later), where it is set.
---@return string? border   nil: the user's
function M.border()
  local own = vim.fn.exists('+winborder') == 1 and vim.o.winborder ~= ''
  return not own and 'single' or nil
end

--- Puts a float into the middle of the screen, as high as its lines where they fit: beside the cursor
--- half of it may find no room. Where they do not fit, its border says how to see the rest.
---@param win integer
---@param more? string   how its window is entered, if the cursor is not in it
function M.centre(win, more)
  local width = vim.api.nvim_win_get_width(win)
  local lines = vim.api.nvim_win_text_height(win, {}).all -- on the screen
  local most = math.max(1, vim.o.lines - vim.o.cmdheight - 4)
  local config = {
    relative = 'editor',
    row = 1,
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    height = math.min(lines, most),
  }
  if more and lines > most and vim.api.nvim_win_get_config(win).border then
    config.border = vim.api.nvim_win_get_config(win).border
    config.footer = (' more: %s '):format(more)
  end
  vim.api.nvim_win_set_config(win, config)
end

local NARROW = 60 -- cells, in which the pages cannot be read
local ROOM = 8 -- lines of a window, that are enough for any float

--- A float at the cursor, as Neovim's own of language servers. Where the window has no room for one,
--- which Neovim refuses with an error, it is in the middle of the screen.
---@param lines string[]
---@param syntax string
---@param opts table   of vim.lsp.util.open_floating_preview(), which need no border
---@return integer win
function M.float(lines, syntax, opts)
  opts.border = M.border()
  local function open()
    local _, win = vim.lsp.util.open_floating_preview(lines, syntax, vim.deepcopy(opts))
    return win
  end
  local ok, win = pcall(open)
  if ok then
    return win
  end
  local sizes = vim.fn.winrestcmd()
  vim.api.nvim_win_set_height(0, ROOM)
  win = open()
  vim.cmd(sizes)
  M.centre(win)
  return win
end

--- Shows a buffer in a window, without the message on its name and size that a 'shortmess' without "F"
--- has for it: a long name would ask for <CR>.
---@param win integer
---@param buf integer
function M.show(win, buf)
  vim.cmd(('silent call nvim_win_set_buf(%d, %d)'):format(win, buf))
end

--- As :split, or another command that opens a window. Where there is no room for one at the side, it is
--- above or below; where there is none at all, in a tab page of its own.
---@param command vim.api.keyset.cmd
function M.split(command)
  command.cmd = command.cmd or 'split'
  local mods = command.mods or {}
  local ways = { command }
  if mods.vertical then
    local lying = { split = mods.split }
    table.insert(ways, { cmd = command.cmd, args = command.args, mods = lying })
  end
  local apart = { tab = vim.fn.tabpagenr() }
  table.insert(ways, { cmd = command.cmd, args = command.args, mods = apart })
  for i, way in ipairs(ways) do
    local ok, err = pcall(vim.api.nvim_cmd, way, {})
    if ok then
      return
    elseif i == #ways or not tostring(err):find('E36:', 1, true) then
      error(err, 0)
    end
  end
end

--- Shows a file in the current window; in another one where that keeps its buffer ('winfixbuf'), or may
--- not hide it (changed, without 'hidden'). Neovim may ask about its swap file (E325).
---@param path string
---@return integer? buf   nil: the answer was not to open it, which is said
function M.edit(path)
  local buf = require('oxide.buffers').add(path)
  vim.bo[buf].buflisted = true
  if vim.api.nvim_get_current_buf() == buf then
    return buf
  end
  local show = { cmd = 'buffer', args = { tostring(buf) } }
  local ok, err = pcall(vim.api.nvim_cmd, show, {})
  if not ok and (tostring(err):find('E1513:', 1, true) or tostring(err):find('E37:', 1, true)) then
    M.split {}
    vim.wo.winfixbuf = false
    ok, err = pcall(vim.api.nvim_cmd, show, {})
  end
  err = tostring(err)
  if not ok and not err:find('nterrupt') and not err:find('E325:', 1, true) then
    error(err, 0)
  elseif vim.api.nvim_get_current_buf() ~= buf then
    pcall(vim.fn.getpid) -- which an answer that aborts interrupts as well (0.10)
    require('oxide.ui').notify(vim.fn.fnamemodify(path, ':~:.') .. ' was not opened')
    return nil
  end
  return buf
end

--- Shows lines in the buffer of this name, in its window or in a new one. `q` closes it.
---@param name string       of the buffer, behind oxide://
---@param lines string[]
---@param mods? table       the modifiers of the command
---@return integer buf
function M.open(name, lines, mods)
  local buf = vim.fn.bufnr('^oxide://' .. name .. '$')
  local win = buf > 0 and vim.fn.win_findbuf(buf)[1]
  if win then
    vim.api.nvim_set_current_win(win)
  else
    mods = mods or {}
    local split = { vertical = mods.vertical, horizontal = mods.horizontal, split = mods.split }
    local cells = vim.api.nvim_win_get_width(0)
    if not mods.vertical and (mods.split or '') == '' and cells < NARROW then
      split.split = 'botright' -- not in a window such as the tree of symbols
    end
    if (mods.tab or -1) >= 0 then
      split.tab = mods.tab
    end
    M.split { mods = split }
    if buf <= 0 then
      buf = vim.api.nvim_create_buf(false, true)
      M.name(buf, name)
    end
    M.show(0, buf)
    vim.bo[buf].bufhidden = 'wipe'
    vim.bo[buf].swapfile = false
    M.plain(vim.api.nvim_get_current_win())
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true, desc = 'Close' })
  end
  M.fill(buf, lines)
  return buf
end

return M
