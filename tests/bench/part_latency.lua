-- What asking through Oxide costs: questions about a file of 1,500 lines, each against the same
-- request that a bare client puts to the same clangd, on a pipe of its own. Asked are the core on its
-- pipe, and the core as a Neovim that has the file open calls it. Each is asked anew every time: the
-- place changes from round to round, and nothing that the core knows is used, but for one row.
local bench = require('bench')
local process = require('process')

local FUNCTIONS = 150
local LINES = 10 -- of one function
local TOP = 4 -- lines before the first one
local ANEW = { ['lsp.kept_answers'] = 0 }
local BATCH = 20

local function text()
  local lines = { '#include <stdio.h>', '#include <stdlib.h>', '#include <string.h>', '' }
  for i = 1, FUNCTIONS do
    vim.list_extend(lines, {
      ('/* Adds up part %d of what it is given. */'):format(i),
      ('static int part_%03d(const int *v, int n)'):format(i),
      '{',
      '\tint total = (int)strlen("x");',
      '',
      '\tfor (int i = 0; i < n; i++)',
      '\t\ttotal += v[i] * atoi("1");',
      i > 1 and ('\treturn total + part_%03d(v, n - 1);'):format(i - 1) or '\treturn total;',
      '}',
      '',
    })
  end
  vim.list_extend(lines, {
    'int main(void)',
    '{',
    '\tint v[] = { 1, 2 }, n;',
    '\tif (n = 2)', -- a warning that clangd knows two ways out of
    ('\t\treturn printf("%%d", part_%03d(v, n)) < 0;'):format(FUNCTIONS),
    '\treturn 0;',
    '}',
    '',
  })
  return table.concat(lines, '\n')
end

--- Where a function's name stands in its definition, from 0; another one for each number.
local function place(number)
  local line = TOP + (7 * number % (FUNCTIONS - 1)) * LINES + 1
  return { line = line, character = #'static int ' }
end

--- The ways of asking: for each the request, and the tool with its arguments.
---@param doc table   TextDocumentIdentifier
---@param warning table
local function questions(doc, warning)
  local function at(number, more)
    return vim.tbl_extend('error', { textDocument = doc, position = place(number) }, more or {})
  end
  local function symbol(query)
    return function(round)
      local p = place(round)
      local args = { query = query, line = p.line + 1, column = p.character + 1 }
      return { tool = 'lsp_symbol', args = args }
    end
  end
  return {
    definition = { method = 'textDocument/definition', params = at, tool = symbol('definition') },
    references = {
      method = 'textDocument/references',
      params = function(number)
        return at(number, { context = { includeDeclaration = true } })
      end,
      tool = symbol('references'),
    },
    hover = { method = 'textDocument/hover', params = at, tool = symbol('hover') },
    symbols = {
      method = 'textDocument/documentSymbol',
      params = function()
        return { textDocument = doc }
      end,
      tool = function()
        return { tool = 'lsp_symbol', args = { query = 'document_symbols' } }
      end,
    },
    rename = {
      method = 'textDocument/rename',
      params = function(number)
        return at(number, { newName = 'renamed' })
      end,
      tool = function(number)
        local args = symbol()(number).args
        args.new_name, args.dry_run = 'renamed', true
        return { tool = 'lsp_rename', args = args }
      end,
    },
    format = {
      method = 'textDocument/formatting',
      params = function()
        return { textDocument = doc, options = { tabSize = 8, insertSpaces = false } }
      end,
      tool = function()
        return { tool = 'lsp_format', args = { dry_run = true } }
      end,
    },
    ['code action'] = {
      method = 'textDocument/codeAction',
      params = function()
        local context = { diagnostics = { warning }, only = { 'quickfix' } }
        return { textDocument = doc, range = warning.range, context = context }
      end,
      tool = function()
        return { tool = 'lsp_diagnostic', args = {} }
      end,
    },
  }
end

-- The same through Neovim's own client: a list of { method, params }.
local REQUESTS = [[
  local list, waiting, failed = ..., nil, nil
  local client = vim.lsp.get_clients()[1]
  local begun = vim.uv.hrtime()
  waiting = #list
  for _, one in ipairs(list) do
    client:request(one.method, one.params, function(err)
      waiting, failed = waiting - 1, failed or err and err.message
      if waiting == 0 then
        say { ms = (vim.uv.hrtime() - begun) / 1e6, text = failed }
      end
    end)
  end
]]

local ORDER = { 'definition', 'references', 'hover', 'symbols', 'rename', 'format', 'code action' }

-- Calls all at once: a list of { tool, args }; the time to the last answer.
local CALLS = [[
  local list, waiting, failed = ..., nil, nil
  local begun = vim.uv.hrtime()
  waiting = #list
  for _, one in ipairs(list) do
    require('oxide.core').call(one.tool, one.args, { confirm = 'never', diff = false }, function(err)
      waiting, failed = waiting - 1, failed or err and err.message
      if waiting == 0 then
        say { ms = (vim.uv.hrtime() - begun) / 1e6, text = failed }
      end
    end)
  end
]]

-- As the core has them: they decide what the server works out, and how long its answer is.
local CAPABILITIES = {
  hover = { contentFormat = { 'markdown', 'plaintext' } },
  documentSymbol = { hierarchicalDocumentSymbolSupport = true },
  codeAction = {
    codeActionLiteralSupport = { codeActionKind = { valueSet = { 'quickfix' } } },
  },
}

local function bare_client(dir, path, cmd)
  local bare = bench.bare('headers', dir, cmd)
  bare:initialize(dir, CAPABILITIES)
  bare:open(path, 'c')
  local _, head = bare:await('"diagnostics":[{')
  local list = assert(head:match('"diagnostics":(%b[])'), 'no diagnostics in ' .. head)
  return bare, vim.json.decode(list)[1]
end

--- No two of a list ask about the same place.
local function each(list, fn)
  local out = {}
  for i, name in ipairs(list) do
    out[i] = fn(name, i)
  end
  return out
end

--- A Neovim whose own client has opened the file, and has heard what is wrong with it.
local function plain_neovim(path, cmd)
  local plain = bench.child(path)
  plain:await(
    [[
      local cmd, root = ...
      vim.api.nvim_create_autocmd('DiagnosticChanged', { once = true, callback = function()
        say { true }
      end })
      vim.lsp.start { name = 'clangd', cmd = cmd, root_dir = root }
    ]],
    cmd,
    vim.fs.dirname(path)
  )
  return plain
end

--- The text as the server formats it for Neovim's own client.
local function formatted(path, cmd)
  local plain = plain_neovim(path, cmd)
  local lines = plain:lua([[
    vim.lsp.buf.format { timeout_ms = 60000 }
    return vim.api.nvim_buf_get_lines(0, 0, -1, true)
  ]])
  vim.fn.jobstop(plain.chan)
  return table.concat(lines, '\n') .. '\n'
end

--- Shows a text to a bare client's server: the time until that has said what is wrong with it.
local function looking(bare, doc)
  local version = 1
  return function(new_text)
    version = version + 1
    bare:notify('textDocument/didChange', {
      textDocument = { uri = doc.uri, version = version },
      contentChanges = { { text = new_text } },
    })
    bare:send('textDocument/hover', { textDocument = doc, position = { line = 0, character = 0 } })
    return (bare:await(('"version":%d}'):format(version)))
  end
end

--- Everybody who asks: of a list of questions, the time to the last answer.
local function clients(dir, path, cmd)
  local bare, warning = bare_client(dir, path, cmd)
  local doc = { uri = vim.uri_from_fname(path) }
  local all, show = questions(doc, warning), looking(bare, doc)
  local tidy = formatted(path, cmd)
  local function through(core)
    return function(list, round)
      return core:together(each(list, function(name, i)
        local one = all[name].tool(BATCH * round + i)
        one.args.file_path = path
        return one
      end))
    end
  end
  local core, knowing = bench.serve(dir, cmd, ANEW), bench.serve(dir, cmd)
  local child = bench.child(path, {
    diagnostics = { auto_update = false },
    core = { options = ANEW },
    servers = { clangd = { cmd = cmd } },
  })
  local function neovim(of, code)
    return {
      together = function(_, list)
        local said = of:await(code, list)
        assert(not said.text, said.text)
        return said.ms
      end,
    }
  end
  local relayed = bare_client(dir, path, vim.list_extend({ bench.out .. '/bin/relay' }, cmd))
  local plain = plain_neovim(path, cmd)
  local by = {
    core = through(core),
    knowing = through(knowing),
    neovim = through(neovim(child, CALLS)),
  }
  local function straight(of)
    return function(list, round)
      return of:together(each(list, function(name, i)
        return { method = all[name].method, params = all[name].params(BATCH * round + i) }
      end))
    end
  end
  by.raw, by.relayed = straight(bare), straight(relayed)
  by.own = straight(neovim(plain, REQUESTS))
  --- Ends those that nothing more is asked of: processes of one program share what memory they can.
  function by.less()
    vim.fn.jobstop(relayed.job)
    vim.fn.jobstop(plain.chan)
    vim.fn.jobwait { relayed.job, plain.chan }
  end
  --- Formatting, and the look at the text that comes of it; then the old one again, not counted.
  function by.looked(list, round)
    local ms = by.raw(list, round) + show(tidy)
    show(text())
    return ms
  end
  return by, child
end

--- Times by who asked, in turn; the first round warms up.
local function measure(by, who, list)
  local took = {}
  for round = 0, bench.rounds or 50 do
    for _, name in ipairs(who) do
      local ms = by[name](list, round)
      if round > 0 then
        took[name] = took[name] or {}
        table.insert(took[name], ms)
      end
    end
  end
  return took
end

local function row(what, took, who, base, against, goal, plus)
  return {
    what = what,
    unit = 'ms',
    ours = took[who],
    base = took[base],
    against = against,
    relation = 'ratio',
    goal = goal,
    plus = plus,
  }
end

--- What a Neovim, and all that it has started, keep in memory.
local function memory(by, child, path, cmd)
  by.less()
  by.neovim(ORDER, 0)
  local plain = plain_neovim(path, cmd)
  local function megabytes(of)
    return process.megabytes(of:lua('return vim.fn.getpid()'))
  end
  return {
    what = 'memory: Neovim, Oxide and clangd, a file of 1,500 lines open',
    unit = 'MB',
    ours = { megabytes(child) },
    base = { megabytes(plain) },
    against = 'Neovim with its own client, and clangd',
    relation = 'ratio',
  }
end

return function()
  local dir = bench.out .. '/latency'
  local path = dir .. '/latency.c'
  local cmd = { bench.clangd, '--log=error', '--background-index=false' }
  bench.write(path, text())
  local command = { directory = dir, file = path, command = 'cc -Wall -c latency.c' }
  bench.write(dir .. '/compile_commands.json', vim.json.encode { command })
  bench.write(dir .. '/.clang-format', 'BasedOnStyle: LLVM\n')
  vim.fn.mkdir(dir .. '/.git', 'p') -- the project ends here
  local by, child = clients(dir, path, cmd)
  local rows, same = {}, 'the same request to clangd, bare'
  for _, name in ipairs(ORDER) do
    local took = measure(by, { 'raw', 'core', 'neovim' }, { name })
    table.insert(rows, row(name .. ', the core alone', took, 'core', 'raw', same, 1.15, 2))
    table.insert(rows, row(name .. ', from Neovim', took, 'neovim', 'raw', same, 1.15, 2))
  end
  local took = measure(by, { 'looked', 'core', 'neovim' }, { 'format' })
  local both = 'that, and its look at the formatted text, bare'
  table.insert(rows, row('format, the core alone', took, 'core', 'looked', both, 1.15, 2))
  table.insert(rows, row('format, from Neovim', took, 'neovim', 'looked', both, 1.15, 2))
  took = measure(by, { 'raw', 'knowing' }, { 'symbols' })
  local again = 'symbols, asked again while nothing has changed, the core alone'
  table.insert(rows, row(again, took, 'knowing', 'raw', same))
  local list = {}
  for i = 1, BATCH do
    list[i] = ORDER[i % 3 + 1]
  end
  took = measure(by, { 'raw', 'relayed', 'core', 'own', 'neovim' }, list)
  local what, at_once = '20 questions about one file at once', 'the same requests at once, bare'
  local passed = 'those through a process that only passes them on'
  local client = "the same requests by Neovim's own client"
  table.insert(rows, row(what .. ', the core alone', took, 'core', 'raw', at_once, 1.15))
  table.insert(rows, row(what .. ', the core alone', took, 'core', 'relayed', passed))
  table.insert(rows, row(what .. ', from Neovim', took, 'neovim', 'raw', at_once, 1.15))
  table.insert(rows, row(what .. ', from Neovim', took, 'neovim', 'own', client))
  table.insert(rows, memory(by, child, path, cmd))
  return rows
end
