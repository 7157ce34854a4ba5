-- What plugin/oxide.lua costs each start of Neovim, against an empty file in its place.
local bench = require('bench')

local function source(file)
  local child = bench.child()
  return child:lua(
    [[
      local begun = vim.uv.hrtime()
      vim.cmd.source(...)
      return (vim.uv.hrtime() - begun) / 1e6
    ]],
    file
  )
end

return function()
  local empty = bench.out .. '/empty.lua'
  bench.write(empty, '')
  local ours, base = {}, {}
  for _ = 1, bench.rounds or 20 do
    table.insert(base, source(empty))
    table.insert(ours, source(bench.root .. '/plugin/oxide.lua'))
  end
  bench.stop_all()
  return {
    {
      what = 'start: plugin/oxide.lua',
      unit = 'ms',
      ours = ours,
      base = base,
      against = '',
      relation = 'plain',
      goal = 1,
    },
  }
end
