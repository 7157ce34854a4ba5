-- The configuration of `make demo`: Neovim as it comes and Oxide, nothing of the person's own.
local root = vim.env.OXIDE_DEMO_ROOT

vim.o.runtimepath = root .. ',' .. vim.env.VIMRUNTIME
vim.o.packpath = vim.env.VIMRUNTIME
vim.o.number = true
vim.o.swapfile = false
vim.o.statusline = " %f %m%=%{v:lua.require'oxide'.status()}  %l:%c "
vim.g.oxide = { core = { path = root .. '/build/oxide' } }
vim.cmd('filetype plugin indent on | syntax on')
