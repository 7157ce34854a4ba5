-- What a sub-command does, and what its own words do, beside the menu that completes them. A menu of the
-- command line has no room for it: 'wildmenu' shows what is returned to it and no more, in all versions of
-- Neovim.
--
--   begin(choices)   a word of :Oxide is completed; the window comes with the entry that is chosen in
--                    the menu, and goes with the menu
local corner = require('oxide.corner')

local M = {}

local SPACE = 3 -- cells between the menu and the window, and of its edges

local win ---@type integer?
local group ---@type integer?
local widest = 0 -- cells of the menu's entries

--- What the last word of a command does.
---@param words string[]   from the sub-command on
---@return string?
function M.of(words)
  local name, last = words[1]:gsub('!$', ''), words[#words]
  if #words == 1 then
    local sub = require('oxide.command').subcommands[name]
    return sub and sub.doc
  end
  local row = require('oxide.command.words')[name]
  local at = row and (row.at or 1)
  if not row or at ~= 0 and at ~= #words - 1 then
    return nil
  end
  local text = row.words[last] or row.words[last:match('^[^=]+=') or '']
  return text or row.others and last ~= '' and row.others(last) or nil
end

--- What the command line ends in, as long as the menu is there.
---@return string? text
---@return string? word
local function chosen()
  local words = vim.fn.wildmenumode() == 1
    and vim.fn.getcmdtype() == ':'
    and vim.fn.getcmdline():match('Oxide!?%s+(.*)$')
  if words then
    local list = vim.split(words, '%s+')
    return M.of(list), list[#list]
  end
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
  return (vim.fn.getcmdline():find('%S*$') or 1) + widest + 2
end

---@param word string
---@param text string
local function show(word, text)
  local room = math.max(20, vim.o.columns - menu_end() - SPACE)
  local lines = broken(('%s: %s'):format((word:gsub('=$', '')), text), room)
  for i, line in ipairs(lines) do
    lines[i] = ' ' .. line .. ' '
  end
  win = corner.show(win, lines, 'OxideExplain', 60)
end

--- Shows what is chosen now, or nothing.
local function renew()
  local text, word = chosen()
  if text and word then
    show(word, text)
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

---@param choices string[]   of the menu
function M.begin(choices)
  widest = vim.o.pumwidth -- or its entries, if they are wider
  for _, choice in ipairs(choices) do
    widest = math.max(widest, vim.fn.strdisplaywidth(choice))
  end
  if group or vim.fn.getcmdtype() ~= ':' then
    return
  end
  group = vim.api.nvim_create_augroup('oxide.explain', {})
  vim.api.nvim_create_autocmd('CmdlineChanged', {
    group = group,
    desc = 'Oxide: say what the chosen word does',
    callback = vim.schedule_wrap(renew),
  })
  vim.api.nvim_create_autocmd('CmdlineLeave', {
    group = group,
    desc = 'Oxide: say it no more',
    callback = vim.schedule_wrap(finish),
  })
end

return M
