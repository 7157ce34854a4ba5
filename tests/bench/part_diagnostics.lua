-- 10,000 diagnostics of one file, from an edit to the quickfix list. The server publishes them for
-- every text that it is shown.
local bench = require('bench')
local gen = require('gen')

local COUNT = 10000

local OXIDE = [[
  local begun = vim.uv.hrtime()
  vim.api.nvim_buf_set_text(0, 0, 0, 0, 0, { ' ' })
  require('oxide').diagnostics { open = false, on_done = function(err)
    say { ms = (vim.uv.hrtime() - begun) / 1e6, text = err and err.message, n = #vim.fn.getqflist() }
  end }
]]

local OWN = [[
  local begun = vim.uv.hrtime()
  vim.api.nvim_create_autocmd('DiagnosticChanged', { once = true, callback = function()
    vim.diagnostic.setqflist { open = false }
    say { ms = (vim.uv.hrtime() - begun) / 1e6, n = #vim.fn.getqflist() }
  end })
  vim.api.nvim_buf_set_text(0, 0, 0, 0, 0, { ' ' })
]]

return function()
  local dir = bench.out .. '/diagnostics'
  local path = dir .. '/long.c'
  local cmd = { bench.out .. '/bin/feed', dir }
  bench.write(path, gen.long_text(COUNT + 10))
  bench.write(dir .. '/compile_flags.txt', '')
  bench.write(dir .. '/diagnostics.json', gen.diagnostics(COUNT))
  local ours = bench.child(
    path,
    { diagnostics = { auto_update = false }, servers = { clangd = { cmd = cmd } } }
  )
  local own = bench.child(path)
  -- Neovim's client holds changes back for 150 ms unless told otherwise.
  own:await(
    [[
      local cmd, root = ...
      vim.api.nvim_create_autocmd('DiagnosticChanged', { once = true, callback = function() say { true } end })
      vim.lsp.start { name = 'feed', cmd = cmd, root_dir = root, flags = { debounce_text_changes = 0 } }
    ]],
    cmd,
    dir
  )
  local took = { ours = {}, own = {} }
  for round = 0, bench.rounds or 15 do
    local said = { ours = ours:await(OXIDE), own = own:await(OWN) }
    for name, value in pairs(said) do
      assert(not value.text, value.text)
      assert(value.n == COUNT, ('%s: %d entries in the list'):format(name, value.n))
      if round > 0 then
        table.insert(took[name], value.ms)
      end
    end
  end
  return {
    {
      what = '10,000 diagnostics, from an edit to the quickfix list',
      unit = 'ms',
      ours = took.ours,
      base = took.own,
      against = 'vim.lsp, vim.diagnostic.setqflist()',
      relation = 'ratio',
      goal = 0.25,
    },
  }
end
