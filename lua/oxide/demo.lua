-- The example project that the tour of the help is about: `:Oxide demo`, and `make demo`.
local ui = require('oxide.ui')

local M = {}

local SCRIPT = 'tests/projects/copy.sh'
local HELP_COLUMNS = 80
local CODE_COLUMNS = 76 -- what the code needs to have the help at its side

--- Opens the file that the tour begins in, and the tour. The project is the current directory.
function M.show()
  vim.cmd.edit('src/main.c')
  vim.fn.cursor(1, 1)
  vim.fn.search([[\<process_data\>]])
  local code = vim.api.nvim_get_current_win()
  local beside = vim.o.columns >= HELP_COLUMNS + CODE_COLUMNS
  require('oxide.scratch').split {
    cmd = 'help',
    args = { 'oxide-tour' },
    mods = { vertical = beside, split = 'botright' },
  }
  if beside then
    vim.api.nvim_win_set_width(0, HELP_COLUMNS)
  else
    vim.api.nvim_win_set_height(0, math.max(8, math.floor(vim.o.lines / 3)))
  end
  if vim.bo.filetype == '' then -- of root, who reads no modeline
    vim.bo.filetype = 'help'
  end
  vim.cmd('normal! zt')
  vim.api.nvim_set_current_win(code)
end

--- The same in a new tab, on a new copy of the project, which Neovim removes when it ends.
function M.open()
  local script = vim.api.nvim_get_runtime_file(SCRIPT, false)[1]
  if not script then
    local why = 'the example project comes only with a clone of Oxide: %s is missing'
    return ui.error(why:format(SCRIPT))
  end
  local dir = vim.fn.tempname() .. '/stations'
  local copied = vim.system({ 'bash', script, 'c', dir }, { text = true }):wait()
  if copied.code ~= 0 then
    return ui.error('the example project cannot be copied: ' .. vim.trim(copied.stderr))
  end
  vim.cmd.tabnew()
  vim.cmd.tcd { vim.fn.fnameescape(dir), mods = { silent = true } } -- typed, it would print the directory
  M.show()
end

return M
