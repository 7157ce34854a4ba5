-- A symbol with 10,000 references in 1,000 files gets a new name. Four ask the same clangd with the
-- same index, in turn; the files are put back before each. A fifth, floor.c, knows the answer and only
-- puts it on the disk: what that takes and what clangd takes nobody can spare.
local bench = require('bench')
local gen = require('gen')

local OLD, NEW = 'tally_add', 'tally_include'
-- clangd renames in 50 files at most unless told otherwise.
local SERVER = { bench.clangd, '--background-index', '--log=error', '--rename-file-limit=0' }

local function place(project)
  return {
    textDocument = { uri = vim.uri_from_fname(project.main) },
    position = { line = project.line, character = project.column },
  }
end

local function check(project, who)
  local files, places = gen.changed(project, NEW)
  assert(
    files == 1000 and places == 10000,
    ('%s changed %d places in %d files'):format(who, places, files)
  )
end

local function header(project)
  return project.dir .. '/src/tally.h'
end

--- Where a name is in a text.
local function places(text, name)
  local found = {}
  for line, content in ipairs(vim.split(text, '\n')) do
    local column = content:find('%f[%w_]' .. name .. '%f[^%w_]')
    if column then
      table.insert(found, { line = line - 1, character = column - 1 })
    end
  end
  return found
end

--- The least look at the change, as a function that gives the time: header and definition are shown
--- with the new name, and clangd is asked what each place means then, and for all uses. It reads
--- them with the old one again before it returns, which is not counted.
local function looking(project, bare)
  local version, list = 1, {}
  for _, path in ipairs { header(project), project.main } do
    table.insert(list, { uri = vim.uri_from_fname(path), at = places(project.texts[path], OLD) })
  end
  local function show(from, to)
    bare:say('now')
    version = version + 1
    for _, doc in ipairs(list) do
      local changes = {}
      for _, at in ipairs(doc.at) do
        local behind = { line = at.line, character = at.character + #from }
        table.insert(changes, { range = { start = at, ['end'] = behind }, text = to })
      end
      local now = { uri = doc.uri, version = version }
      bare:notify('textDocument/didChange', { textDocument = now, contentChanges = changes })
    end
    for _, doc in ipairs(list) do
      local start = { line = 0, character = 0 }
      bare:send('textDocument/hover', { textDocument = { uri = doc.uri }, position = start })
    end
    bare:say('replies') -- behind what is said of the texts
    return (bare:answer())
  end
  return function()
    local questions = {}
    for _, doc in ipairs(list) do
      for _, at in ipairs(doc.at) do
        local params = { textDocument = { uri = doc.uri }, position = at }
        table.insert(questions, { method = 'textDocument/definition', params = params })
      end
    end
    local uses = place(project)
    uses.context = { includeDeclaration = true }
    local ms = show(OLD, NEW)
      + bare:together(questions)
      + bare:request('textDocument/references', uses)
    show(NEW, OLD)
    return ms
  end
end

--- Asks clangd alone; the answer is read and thrown away.
local function raw(project)
  local bare = bench.bare('headers', project.dir, SERVER)
  bare:initialize(project.dir)
  bare:open(project.main, 'c')
  bare:await('"kind":"end"')
  bare:open(header(project), 'c')
  return {
    look = looking(project, bare),
    run = function()
      local params = place(project)
      params.newName = NEW
      local ms, head = bare:request('textDocument/rename', params)
      assert(head:find('hanges', 1, true), head)
      return ms
    end,
    settle = function()
      bare:request('textDocument/hover', place(project))
    end,
  }
end

--- The core without Neovim: no buffer is open.
local function direct(project)
  local core = bench.serve(project.dir, SERVER)
  local function call(tool, args)
    args.file_path = project.main
    args.line, args.column = project.line + 1, project.column + 1
    return core:call(tool, args)
  end
  return {
    run = function()
      local ms = call('lsp_rename', { new_name = NEW })
      check(project, 'the core')
      return ms
    end,
    settle = function()
      call('lsp_symbol', { query = 'hover' })
      -- clangd has had the header since the look of the round before, and it was put back, too
      core:call('lsp_diagnostic', { file_path = header(project) })
    end,
  }
end

-- The text that was put back on the disk goes into the buffer as a change of it. To load the file anew
-- would close it at the server and open it again, and clangd takes nearly twice as long for the
-- first rename behind that, whoever asks.
local PUT_BACK = [[
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.fn.readfile(vim.api.nvim_buf_get_name(0)))
  vim.cmd('silent write!')
]]

--- :Oxide! rename, from the command to "applied and on disk".
local function plugin(project)
  local child = bench.child(project.main, { servers = { clangd = { cmd = SERVER } } })
  return {
    run = function()
      local said = child:await(
        [[
        local line, column, name = ...
        vim.api.nvim_win_set_cursor(0, { line + 1, column })
        local begun = vim.uv.hrtime()
        vim.api.nvim_create_autocmd('User', { pattern = 'OxideApplyPost', once = true, callback = function()
          say { ms = (vim.uv.hrtime() - begun) / 1e6 }
        end })
        vim.notify = function(text, level)
          if level == vim.log.levels.ERROR then say { text = text } end
        end
        vim.cmd('Oxide! rename ' .. name)
      ]],
        project.line,
        project.column,
        NEW
      )
      assert(said.ms, said.text)
      check(project, 'Oxide')
      return said.ms
    end,
    settle = function()
      child:lua(PUT_BACK)
      local said = child:await(
        [[
        local line, column, header = ...
        local core = require('oxide.core')
        core.call('lsp_symbol', {
          query = 'hover', file_path = vim.api.nvim_buf_get_name(0), line = line + 1, column = column + 1,
        }, {}, function(err)
          if err then
            return say { text = err.message }
          end
          core.call('lsp_diagnostic', { file_path = header }, {}, function(why)
            say { text = why and why.message or false }
          end)
        end)
      ]],
        project.line,
        project.column,
        header(project)
      )
      assert(not said.text, said.text)
    end,
  }
end

--- vim.lsp.buf.rename() and :wall. No filetype is detected in what it loads, so that its client
--- does not show a thousand files to the server: the best case for it.
local function builtin(project)
  local child = bench.child(project.main)
  child:await(
    [[
      local cmd, root = ...
      BenchServer = { name = 'clangd', cmd = cmd, root_dir = root }
      BenchServer.on_init = function() say { true } end
      vim.lsp.start(BenchServer)
    ]],
    SERVER,
    project.dir
  )
  return {
    run = function()
      local said = child:await(
        [[
        local line, column, name = ...
        vim.api.nvim_win_set_cursor(0, { line + 1, column })
        local begun
        local own = BenchOwn or vim.lsp.handlers['textDocument/rename']
        BenchOwn = own
        vim.lsp.handlers['textDocument/rename'] = function(...)
          own(...)
          vim.cmd('silent wall')
          say { ms = (vim.uv.hrtime() - begun) / 1e6 }
        end
        begun = vim.uv.hrtime()
        vim.lsp.buf.rename(name)
      ]],
        project.line,
        project.column,
        NEW
      )
      check(project, 'vim.lsp')
      return said.ms
    end,
    settle = function()
      child:lua(
        [[
        local line, column, put_back = ...
        for _, buf in ipairs(vim.api.nvim_list_bufs()) do
          if buf ~= vim.api.nvim_get_current_buf() then
            vim.api.nvim_buf_delete(buf, { force = true })
          end
        end
        assert(loadstring(put_back))()
        vim.lsp.buf_request_sync(0, 'textDocument/hover', {
          textDocument = { uri = vim.uri_from_bufnr(0) },
          position = { line = line, character = column },
        }, 60000)
      ]],
        project.line,
        project.column,
        PUT_BACK
      )
    end,
  }
end

--- The texts on the disk, without a server and without a check.
local function floor(project)
  local argv =
    { bench.out .. '/bin/floor', project.dir .. '/src', project.dir .. '/.floor', OLD, NEW }
  return {
    run = function()
      local ran = vim.system(argv, { text = true }):wait()
      assert(ran.code == 0, ran.stderr)
      check(project, 'the floor')
      return assert(tonumber(ran.stdout))
    end,
    settle = function() end,
  }
end

return function()
  local project = gen.project(bench.work .. '/big', 1000, 10000)
  local order = { 'raw', 'plugin', 'direct', 'floor', 'builtin' }
  local side, took = { raw = raw(project), floor = floor(project) }, {}
  side.plugin, side.direct, side.builtin = plugin(project), direct(project), builtin(project)
  local function keep(name, round, ms)
    if round > 0 then -- the first one warms up
      took[name] = took[name] or {}
      table.insert(took[name], ms)
    end
  end
  for round = 0, bench.rounds or 9 do
    for _, name in ipairs(order) do
      gen.restore(project)
      side[name].settle()
      keep(name, round, side[name].run())
      if side[name].look then
        keep('look', round, side[name].look())
      end
    end
  end
  gen.restore(project)
  local function sum(a, b)
    return a + b
  end
  took.least = bench.each(took.raw, took.floor, sum)
  took.looked = bench.each(took.least, took.look, sum)
  local function row(what, ours, against, base, goal)
    return {
      what = what,
      unit = 'ms',
      ours = took[ours],
      base = took[base],
      against = against,
      relation = 'ratio',
      goal = goal,
    }
  end
  local what = 'rename, 10,000 places in 1,000 files'
  return {
    row(what .. ', :Oxide! rename', 'plugin', 'the core alone', 'direct', 1.25),
    row(what .. ', the core alone', 'direct', 'the same request to clangd, bare', 'raw', 1.12),
    row(
      what .. ', the core alone',
      'direct',
      'that, and the least that keeps it (floor.c)',
      'least',
      1.12
    ),
    row(
      what .. ', the core alone',
      'direct',
      "that, and clangd's look at the change, bare",
      'looked'
    ),
    row(what .. ', :Oxide! rename', 'plugin', 'vim.lsp.buf.rename() and :wall', 'builtin', 0.75),
  }
end
