-- What a sub-command does, beside the menu that completes it. A menu of the command line has no room for
-- it: 'wildmenu' shows what is returned to it and no more, in all versions of Neovim.
--
--   begin()   a first word of :Oxide is completed; the window comes with the entry that is chosen in
--             the menu, and goes with the menu
local corner = require('oxide.corner')

local M = {}

local SPACE = 3 -- cells between the menu and the window, and of its edges

local win ---@type integer?
local group ---@type integer?

--- The sub-command that the command line ends in, as long as the menu is there.
---@return oxide.Subcommand?
---@return string? name
local function chosen()
  local name = vim.fn.wildmenumode() == 1
    and vim.fn.getcmdtype() == ':'
    and vim.fn.getcmdline():match('Oxide!?%s+([%w_]+)$')
  local sub = name and require('oxide.command').subcommands[name]
  return sub or nil, name or nil
end

local function close()
  win = corner.close(win)
end

--- Breaks a text between its words.
---@param text string
---@param cells integer
---@return string[]
local function broken(text, cells)
  local lines = { '' }
  for word in text:gmatch('%S+') do
    local line = lines[#lines] == '' and word or lines[#lines] .. ' ' .. word
    if #line > cells and lines[#lines] ~= '' then
      table.insert(lines, word)
    else
      lines[#lines] = line
    end
  end
  return lines
end

--- Where the menu ends at most: it begins below the word that it completes, and has its entries.
---@return integer
local function menu_end()
  local widest = 0
  for _, name in ipairs(require('oxide.command').names()) do
    widest = math.max(widest, #name)
  end
  return (vim.fn.getcmdline():find('[%w_]*$') or 1) + widest + 2
end

---@param name string
---@param sub oxide.Subcommand
local function show(name, sub)
  local room = math.max(20, vim.o.columns - menu_end() - SPACE)
  local lines = broken(('%s: %s'):format(name, sub.doc), room)
  for i, line in ipairs(lines) do
    lines[i] = ' ' .. line .. ' '
  end
  win = corner.show(win, lines, 'OxideExplain', 60)
end

--- Shows what is chosen now, or nothing.
local function renew()
  local sub, name = chosen()
  if sub and name then
    show(name, sub)
  elseif win then
    close()
  else
    return
  end
  vim.cmd.redraw()
end

local function finish()
  if group then
    vim.api.nvim_del_augroup_by_id(group)
    group = nil
  end
  close()
end

function M.begin()
  if group or vim.fn.getcmdtype() ~= ':' then
    return
  end
  group = vim.api.nvim_create_augroup('oxide.explain', {})
  vim.api.nvim_create_autocmd('CmdlineChanged', {
    group = group,
    desc = 'Oxide: say what the chosen sub-command does',
    callback = vim.schedule_wrap(renew),
  })
  vim.api.nvim_create_autocmd('CmdlineLeave', {
    group = group,
    desc = 'Oxide: say it no more',
    callback = vim.schedule_wrap(finish),
  })
end

return M
