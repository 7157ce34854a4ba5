std = 'luajit'
cache = false
max_line_length = 120
read_globals = { 'vim' }
globals = { 'vim.g', 'vim.b', 'vim.bo', 'vim.wo', 'vim.o', 'vim.opt_local', 'vim.v' }
files['tests'] = { std = '+busted' }
