-- The model of scripts/screenshot.sh, which says the same each time:
--
--     nvim -l scripts/screenshot_model.lua chat
--     nvim -l scripts/screenshot_model.lua agent DIR HOME ENV
--
-- Prints the URL of its API, and serves it. The model of `chat` sees a mistake in process_data() of
-- tests/projects/c, and mends it. That of `agent` stands behind a real Claude Code, which is started in
-- DIR: it takes an unused variable out of mean(). Settings of Claude Code go to HOME, and what its
-- environment needs to ENV, as NAME=VALUE lines.
local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
package.path = here .. '/../tests/nvim/?.lua;' .. package.path

local serve = {}

---@return string url
function serve.chat()
  local server = require('model_server').start('openai')
  server:says {
    text = table.concat({
      'It can: `i` is an `int`, and `count` a `size_t`. From `INT_MAX` values on, `i` overflows',
      'before it gets there. I make it a `size_t`, as in `series_highest()`.',
    }, '\n'),
    calls = {
      {
        id = 'c1',
        name = 'edit_file',
        args = {
          file_path = 'src/series.c',
          line_number = 6,
          content = '    for (size_t i = 0; i < s->count; i++) {',
        },
      },
    },
  }
  server:says { text = 'I have changed line 6; nothing else counts with an `int`.' }
  return server.url
end

---@param dir string
---@param home string
---@param env string   a file
---@return string url
function serve.agent(dir, home, env)
  local agents, helper = require('agents'), require('helper')
  local own = agents.all.claude.calls
  local seat = { dir = dir, home = home, run = home .. '/run', asks = true }
  seat.model = require('model').start(function(call)
    local path = dir .. '/src/report.c'
    call(own.read(path))
    call(own.edit(path, '    int digits = 2;\n\n', ''))
    return 'mean() no longer has the variable digits, which nothing read.'
  end)
  agents.all.claude.settle(seat)
  vim.fn.mkdir(seat.run, 'p', tonumber('700', 8))
  local lines = {}
  for name, value in vim.spairs(agents.env(seat, 'claude')) do
    table.insert(lines, ('%s=%s\n'):format(name, value))
  end
  helper.write(env, table.concat(lines))
  return seat.model.url
end

local url = serve[_G.arg[1]](unpack(_G.arg, 2))
io.stdout:write(url, '\n')
io.stdout:flush()
vim.wait(2 ^ 31 - 1, function()
  return false
end, 10000)
