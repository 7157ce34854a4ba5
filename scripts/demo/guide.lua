-- `make demo` on a terminal: the file that uses process_data, and what to try, beside it.
local GUIDE = {
  'Oxide: what to try',
  '',
  'This is a copy of a small C project.',
  'Nothing you do here can do harm.',
  '',
  '1. The cursor is on process_data.',
  '     :Oxide rename handle_data',
  '   A tab shows what would change.',
  '     :w    applies it, all or nothing',
  '     :q    discards it',
  '     =     leaves a file out',
  '',
  '2. Take it back, in all files:',
  '     :Oxide undo',
  '',
  '3. What clangd complains about:',
  '     :Oxide diagnostics project',
  '     :cnext   :cclose',
  '',
  '4. Format this file:',
  '     :Oxide format',
  '',
  '5. Look around:',
  '     :Oxide references',
  '     :Oxide hover',
  '     :Oxide symbols',
  '',
  ':help oxide says more.  :qa! leaves.',
}
local WIDTH = 40

-- The help's tags are made on a copy, so that the clone stays as it is.
local help = vim.fn.stdpath('data') .. '/help'
vim.fn.mkdir(help .. '/doc', 'p')
vim.uv.fs_copyfile(vim.env.OXIDE_DEMO_ROOT .. '/doc/oxide.txt', help .. '/doc/oxide.txt')
vim.cmd.helptags(help .. '/doc')
vim.o.runtimepath = help .. ',' .. vim.o.runtimepath

vim.cmd('args src/*.c | silent argdo edit')
vim.cmd.buffer('src/main.c')
vim.fn.search([[\<process_data\>]])
local code = vim.api.nvim_get_current_win()

local buf = vim.api.nvim_create_buf(false, true)
vim.api.nvim_buf_set_lines(buf, 0, -1, false, GUIDE)
vim.bo[buf].modifiable = false
vim.api.nvim_buf_set_name(buf, 'guide')

if vim.o.columns >= 2 * WIDTH + 20 then
  vim.cmd(('botright vertical %dsplit'):format(WIDTH))
else
  vim.cmd('botright 9split')
end
vim.api.nvim_win_set_buf(0, buf)
for option, value in pairs {
  number = false,
  wrap = false,
  winfixwidth = true,
  winfixheight = true,
  statusline = ' guide',
} do
  vim.wo[0][0][option] = value
end
vim.fn.matchadd('Title', [[\%1l.*]])
vim.fn.matchadd('Statement', [[^     \zs:\?\S.\{-}\ze\(    .*\)\?$]])
vim.api.nvim_set_current_win(code)
