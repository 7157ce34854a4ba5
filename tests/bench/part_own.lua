-- What Oxide adds to the server's own time for one open file: rename, format and diagnostics as a
-- person asks for them, minus the same request to the same clangd by a bare client.
local bench = require('bench')

local FUNCTIONS = 12

local function text()
  local lines = {}
  for i = 1, FUNCTIONS do
    vim.list_extend(lines, {
      ('static int part_%02d(int *v,int n)'):format(i),
      '{',
      '  int total=0;',
      '  for(int i=0;i<n;i++){',
      '      total+=v[i];',
      '  }',
      i > 1 and ('  return total + part_%02d(v, n - 1);'):format(i - 1) or '  return total;',
      '}',
      '',
    })
  end
  vim.list_extend(
    lines,
    { 'int all(int *v, int n)', '{', ('  return part_%02d(v, n);'):format(FUNCTIONS), '}', '' }
  )
  return table.concat(lines, '\n')
end

local RENAME = [[
  local begun = vim.uv.hrtime()
  require('oxide').rename { name = ..., review = 'never', on_done = function(err)
    say { ms = (vim.uv.hrtime() - begun) / 1e6, text = err and err.message }
  end }
]]

local FORMAT = [[
  local begun = vim.uv.hrtime()
  require('oxide').format { review = 'never', on_done = function(err, result)
    local none = not err and result.edits == 0 and 'nothing was formatted'
    say { ms = (vim.uv.hrtime() - begun) / 1e6, text = err and err.message or none or nil }
  end }
]]

local DIAGNOSTICS = [[
  local begun = vim.uv.hrtime()
  vim.api.nvim_buf_set_text(0, 0, 0, 0, 0, { ' ' })
  require('oxide').diagnostics { open = false, on_done = function(err)
    say { ms = (vim.uv.hrtime() - begun) / 1e6, text = err and err.message }
  end }
]]

-- The text as it was, in buffer and file, and the server done with it.
local BACK = [[
  local line, column = ...
  vim.api.nvim_buf_set_lines(0, 0, -1, true, BenchText)
  vim.cmd('silent write')
  vim.api.nvim_win_set_cursor(0, { line, column })
  require('oxide.core').call('lsp_symbol', {
    query = 'hover', file_path = vim.api.nvim_buf_get_name(0), line = line, column = column + 1,
  }, {}, function(err) say { text = err and err.message } end)
]]

return function()
  local dir = bench.out .. '/own'
  local path = dir .. '/own.c'
  local cmd = { bench.clangd, '--log=error' }
  bench.write(path, text())
  bench.write(dir .. '/compile_flags.txt', '-Wall\n')
  bench.write(dir .. '/.clang-format', 'BasedOnStyle: LLVM\n')
  local child = bench.child(
    path,
    { diagnostics = { auto_update = false }, servers = { clangd = { cmd = cmd } } }
  )
  child:lua('BenchText = vim.api.nvim_buf_get_lines(0, 0, -1, true)')
  local bare = bench.bare('headers', dir, cmd)
  local uri, version = vim.uri_from_fname(path), 1
  local doc = { uri = uri }
  bare:initialize(dir)
  bare:open(path, 'c')
  bare:await('"diagnostics"')
  local raw = {
    rename = function()
      return bare:request('textDocument/rename', {
        textDocument = doc,
        position = { line = 0, character = 12 },
        newName = 'first',
      })
    end,
    format = function()
      return bare:request(
        'textDocument/formatting',
        { textDocument = doc, options = { tabSize = 2, insertSpaces = true } }
      )
    end,
    diagnostics = function()
      version = version + 1
      bare:notify('textDocument/didChange', {
        textDocument = { uri = uri, version = version },
        contentChanges = {
          {
            range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } },
            text = ' ',
          },
        },
        wantDiagnostics = true,
      })
      return (bare:await(('"version":%d}'):format(version)))
    end,
  }
  --- The time in which clangd has looked at the text with another name, as it does for us before
  --- the rename is made; and the same again with the old one, which is not counted.
  local function looked_at(from, to)
    version = version + 1
    local changes = {}
    for _, place in ipairs { { 0, 11 }, { 15, 17 } } do
      table.insert(changes, {
        range = {
          start = { line = place[1], character = place[2] },
          ['end'] = { line = place[1], character = place[2] + #from },
        },
        text = to,
      })
    end
    bare:notify('textDocument/didChange', {
      textDocument = { uri = uri, version = version },
      contentChanges = changes,
    })
    bare:send('textDocument/hover', { textDocument = doc, position = { line = 0, character = 0 } })
    return (bare:await(('"version":%d}'):format(version)))
  end
  local ours = { rename = RENAME, format = FORMAT, diagnostics = DIAGNOSTICS }
  local rows = {}
  for _, name in ipairs { 'rename', 'format', 'diagnostics' } do
    local took = { ours = {}, raw = {}, looked = {} }
    for round = 0, bench.rounds or 50 do
      local back = child:await(BACK, 1, 12)
      assert(not back.text, back.text)
      local ms = raw[name]()
      local more = name == 'rename' and looked_at('part_01', 'first') or 0
      if more > 0 then
        looked_at('first', 'part_01')
      end
      local said = child:await(ours[name], 'first')
      assert(not said.text, said.text)
      if round > 0 then
        table.insert(took.raw, ms)
        table.insert(took.looked, ms + more)
        table.insert(took.ours, said.ms)
      end
    end
    table.insert(rows, {
      what = name .. ' of an open file, from the call to the answer',
      unit = 'ms',
      ours = took.ours,
      base = took.raw,
      against = 'the same request to clangd, bare',
      relation = 'minus',
      goal = 10,
    })
    if name == 'rename' then
      table.insert(rows, {
        what = 'rename of an open file, from the call to the answer',
        unit = 'ms',
        ours = took.ours,
        base = took.looked,
        against = 'that, and its look at the text with the new name, bare',
        relation = 'minus',
        goal = 6,
      })
    end
  end
  return rows
end
