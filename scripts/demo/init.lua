-- The configuration of `make demo`: Neovim as it comes and Oxide, nothing of the person's own.
local root = vim.env.OXIDE_DEMO_ROOT

-- Neovim's own directories: the runtime, and the one with the parsers.
local own = vim.tbl_filter(function(dir)
  return vim.startswith(dir, vim.env.VIMRUNTIME) or vim.endswith(dir, '/nvim') and dir:find('/lib')
end, vim.opt.runtimepath:get())
vim.o.runtimepath = table.concat(vim.list_extend({ root }, own), ',')
vim.o.packpath = vim.env.VIMRUNTIME
vim.o.number = true
vim.o.swapfile = false
vim.o.statusline = " %f %m%=%{v:lua.require'oxide'.status()}  %l:%c "
vim.g.oxide = { core = { path = root .. '/build/oxide' } }
vim.cmd('filetype plugin indent on | syntax on')
