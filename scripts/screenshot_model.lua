-- The model of scripts/screenshot.sh, which says the same each time:
--
--     nvim -l scripts/screenshot_model.lua      prints the URL of its API, and serves it
--
-- It sees a mistake in process_data() of tests/projects/c, and mends it.
local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
package.path = here .. '/../tests/nvim/?.lua;' .. package.path

local server = require('model_server').start('openai')

server:says {
  text = table.concat({
    'It can: `i` is an `int`, and `count` a `size_t`. From `INT_MAX` values on, `i` overflows',
    'before it gets there. A counter of the same type is safe, as in `series_highest()`:',
    '',
    '```c',
    'for (size_t i = 0; i < s->count; i++) {',
    '```',
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

io.stdout:write(server.url, '\n')
io.stdout:flush()
vim.wait(2 ^ 31 - 1, function()
  return false
end, 10000)
