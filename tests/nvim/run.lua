-- Runs the specs inside the Neovim that runs this file, with busted:
--   nvim -l tests/nvim/run.lua [SPEC...]
-- Prints TAP; the exit code says whether all passed.
local here = vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(arg[0], ':p')))
local root = vim.fs.dirname(vim.fs.dirname(here))

local lua = '/usr/share/lua/5.1'
package.path = table.concat({
  here .. '/?.lua',
  lua .. '/?.lua',
  lua .. '/?/init.lua',
  '/usr/local/share/lua/5.1/?.lua',
  '/usr/local/share/lua/5.1/?/init.lua',
  package.path,
}, ';')
local arch = vim.uv.os_uname().machine
package.cpath = ('/usr/lib/%s-linux-gnu/lua/5.1/?.so;/usr/local/lib/lua/5.1/?.so;%s'):format(
  arch,
  package.cpath
)

vim.opt.runtimepath:prepend(root)
vim.g.loaded_oxide = nil

local specs = vim.list_slice(arg, 1)
if #specs == 0 then
  specs = vim.fn.glob(here .. '/*_spec.lua', true, true)
end
_G.arg = vim.list_extend({ '-o', here .. '/tap.lua', '--no-coverage' }, specs)
_G.arg[0] = 'run.lua'
-- busted ends a failed run with an error that says nothing.
local passed = pcall(require('busted.runner'), { standalone = false })
os.exit(passed and 0 or 1)
