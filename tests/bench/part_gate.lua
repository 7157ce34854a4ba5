-- A change of one line that is verified before it is made, from the call to the answer, against the
-- time in which the same clangd publishes for the new text when a bare client shows it.
local bench = require('bench')

local FUNCTIONS = 60
local LINE = 4 -- the line that changes, from 0; in the first function

local function text()
  local lines = { '#include <stdio.h>', '#include <stdlib.h>' }
  for i = 1, FUNCTIONS do
    vim.list_extend(lines, {
      ('static int part_%02d(int *v, int n)'):format(i),
      '{',
      '\tint total = 0;',
      '\tfor (int i = 0; i < n; i++)',
      '\t\ttotal += v[i] * atoi("1");',
      i > 1 and ('\treturn total + part_%02d(v, n - 1);'):format(i - 1) or '\treturn total;',
      '}',
    })
  end
  vim.list_extend(lines, {
    'int main(void)',
    '{',
    '\tint v[] = { 1, 2 };',
    ('\treturn printf("%%d", part_%02d(v, 2)) < 0;'):format(FUNCTIONS),
    '}',
    '',
  })
  return table.concat(lines, '\n')
end

local VERIFIED = [[
  local line, content = ...
  local file = vim.api.nvim_buf_get_name(0)
  local begun = vim.uv.hrtime()
  require('oxide.core').call('multi_edit', {
    verify = true,
    operations = {
      { edit_type = 'delete', file_path = file, line_number = line + 1 },
      { edit_type = 'insert', file_path = file, line_number = line + 2, content = content },
    },
  }, { confirm = 'never' }, function(err, result)
    local wrong = err and err.message or result.syntax_check ~= 'ok' and result.syntax_check
    say { ms = (vim.uv.hrtime() - begun) / 1e6, text = wrong or nil }
  end)
]]

return function()
  local dir = bench.out .. '/gate'
  local path = dir .. '/gate.c'
  local cmd = { bench.clangd, '--log=error' }
  bench.write(path, text())
  bench.write(dir .. '/compile_flags.txt', '-Wall\n')
  local child = bench.child(path, {
    diagnostics = { auto_update = false },
    servers = { clangd = { cmd = cmd } },
  })
  local bare = bench.bare('headers', dir, cmd)
  bare:initialize(dir)
  bare:open(path, 'c')
  bare:await('"diagnostics"')
  local doc, version = { uri = vim.uri_from_fname(path) }, 1
  --- The time until clangd has published for the new text. It lets a text rest before it looks at
  --- it, in case more is typed, unless it is asked something about it.
  local function publish(content, hurry)
    version = version + 1
    local change = {
      textDocument = { uri = doc.uri, version = version },
      contentChanges = {
        {
          range = {
            start = { line = LINE, character = 0 },
            ['end'] = { line = LINE + 1, character = 0 },
          },
          text = content .. '\n',
        },
      },
    }
    -- in one piece: the time begins with the change, and the question is right behind it
    local orders = { 'now', 'notify textDocument/didChange ' .. vim.json.encode(change) }
    if hurry then
      local question = { textDocument = doc, position = { line = LINE, character = 0 } }
      table.insert(orders, 'send textDocument/hover ' .. vim.json.encode(question))
    end
    bare:say(table.concat(orders, '\n'))
    return (bare:await(('"version":%d}'):format(version)))
  end
  local took = { ours = {}, raw = {}, hurried = {} }
  for round = 0, bench.rounds or 50 do
    local content = ('\tint total = %d;'):format(round + 1)
    -- in this order, so that what is compared follows upon the work of the other's server: one that
    -- has just worked has all of it in the processor's caches
    local hurried, raw = publish(content, true), publish(content .. ' ', false)
    local said = child:await(VERIFIED, LINE, content)
    assert(not said.text, said.text)
    if round > 0 then
      table.insert(took.raw, raw)
      table.insert(took.hurried, hurried)
      table.insert(took.ours, said.ms)
    end
  end
  local function row(base, against, goal)
    return {
      what = 'a change of one line, verified and made, from the call to the answer',
      unit = 'ms',
      ours = took.ours,
      base = took[base],
      against = against,
      relation = 'ratio',
      goal = goal,
    }
  end
  return {
    row('raw', 'didChange to its diagnostics by clangd, bare', 1.2),
    row('hurried', "the same, and a question behind it that ends clangd's rest", 1.5),
  }
end
