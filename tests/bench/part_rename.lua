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

--- Asks clangd alone; the answer is read and thrown away.
local function raw(project)
  local bare = bench.bare('headers', project.dir, SERVER)
  bare:initialize(project.dir)
  bare:open(project.main, 'c')
  bare:await('"kind":"end"')
  return {
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
    end,
  }
end

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
      local said = child:await(
        [[
        local line, column = ...
        vim.cmd('silent edit!')
        require('oxide.core').call('lsp_symbol', {
          query = 'hover', file_path = vim.api.nvim_buf_get_name(0), line = line + 1, column = column + 1,
        }, {}, function(err) say { text = err and err.message or false } end)
      ]],
        project.line,
        project.column
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
        local line, column = ...
        for _, buf in ipairs(vim.api.nvim_list_bufs()) do
          if buf ~= vim.api.nvim_get_current_buf() then
            vim.api.nvim_buf_delete(buf, { force = true })
          end
        end
        vim.cmd('silent edit!')
        vim.lsp.start(BenchServer) -- attaches the client that runs, if the reload lost it
        vim.lsp.buf_request_sync(0, 'textDocument/hover', {
          textDocument = { uri = vim.uri_from_bufnr(0) },
          position = { line = line, character = column },
        }, 60000)
      ]],
        project.line,
        project.column
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
  for round = 0, bench.rounds or 9 do
    for _, name in ipairs(order) do
      gen.restore(project)
      side[name].settle()
      local ms = side[name].run()
      if round > 0 then -- the first one warms up
        took[name] = took[name] or {}
        table.insert(took[name], ms)
      end
    end
  end
  gen.restore(project)
  took.least = bench.each(took.raw, took.floor, function(a, b)
    return a + b
  end)
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
    row(what .. ', :Oxide! rename', 'plugin', 'vim.lsp.buf.rename() and :wall', 'builtin', 0.75),
  }
end
