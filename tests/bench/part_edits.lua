-- 10,000 edits in an open buffer of 100,000 lines. A server that knows them by heart sends them.
local bench = require('bench')
local gen = require('gen')

local EDITS, LINES = 10000, 100000

-- What Neovim's own client does with the answer once it has it: decoding and applying.
local APPLY = [[
  local json = BenchJson
  local begun = vim.uv.hrtime()
  local edits = vim.json.decode(json, { luanil = { object = true } })
  vim.lsp.util.apply_text_edits(edits, vim.api.nvim_get_current_buf(), 'utf-16')
  say { ms = (vim.uv.hrtime() - begun) / 1e6 }
]]

-- The whole way there and back in Neovim's own client.
local FORMAT = [[
  local begun = vim.uv.hrtime()
  vim.lsp.buf.format { timeout_ms = 60000 }
  say { ms = (vim.uv.hrtime() - begun) / 1e6 }
]]

local OXIDE = [[
  local begun = vim.uv.hrtime()
  require('oxide').format { review = 'never', timeout_ms = 60000, on_done = function(err)
    say { ms = (vim.uv.hrtime() - begun) / 1e6, text = err and err.message }
  end }
]]

local BACK = 'vim.cmd("silent edit!")'

return function()
  local dir = bench.out .. '/edits'
  local path = dir .. '/long.c'
  local cmd = { bench.out .. '/bin/feed', dir }
  local text = gen.long_text(LINES)
  local json = gen.edits(EDITS, LINES / EDITS)
  bench.write(path, text)
  bench.write(dir .. '/compile_flags.txt', '')
  bench.write(dir .. '/formatting.json', json)
  bench.write(dir .. '/diagnostics.json', '[]')
  local ours = bench.child(path, {
    apply = { save = 'none' },
    servers = { clangd = { cmd = cmd } },
  })
  local bare = bench.child(path) -- no server follows its changes
  bare:lua('BenchJson = ...', json)
  local own = bench.child(path)
  own:await(
    [[
      local cmd, root = ...
      BenchServer = { name = 'feed', cmd = cmd, root_dir = root }
      BenchServer.on_init = function() say { true } end
      vim.lsp.start(BenchServer)
    ]],
    cmd,
    dir
  )
  local took = { ours = {}, apply = {}, format = {} }
  local function run(name, child, code)
    -- The answer to a request comes after all that the reload has brought about.
    child:lua(BACK)
    if child == own then
      own:lua(
        'vim.lsp.start(BenchServer); vim.lsp.get_clients()[1]:request_sync("textDocument/hover", {}, 60000)'
      )
    elseif child == ours then
      ours:await(
        [[require('oxide.core').call('lsp_diagnostic', { file_path = ... }, {}, function()
            say { true }
          end)]],
        path
      )
    end
    local said = child:await(code)
    assert(said.ms and not said.text, said.text)
    local sum = 0
    for _, line in ipairs(child:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, true)')) do
      sum = sum + (line:find('\trenamed_', 1, true) == 1 and 1 or 0)
    end
    assert(sum == EDITS, ('%s: %d edits are in the buffer'):format(name, sum))
    return said.ms
  end
  for round = 0, bench.rounds or 15 do
    local ms = { apply = run('apply', bare, APPLY), ours = run('ours', ours, OXIDE) }
    -- Its client compares the whole buffer after each of the edits: a few times are enough.
    if round <= 3 then
      ms.format = run('format', own, FORMAT)
    end
    for name, list in pairs(round > 0 and took or {}) do
      table.insert(list, ms[name])
    end
  end
  local what = '10,000 edits in a buffer of 100,000 lines, asked for, applied and recorded'
  return {
    {
      what = what,
      unit = 'ms',
      ours = took.ours,
      base = took.apply,
      against = 'vim.json.decode() and apply_text_edits()',
      relation = 'faster',
      goal = 3.5,
    },
    {
      what = what,
      unit = 'ms',
      ours = took.ours,
      base = took.format,
      against = 'vim.lsp.buf.format()',
      relation = 'faster',
    },
  }
end
