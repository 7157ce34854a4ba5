-- A project that the scripted server (tests/fake/lsp.lua) serves, for the command line and for
-- Neovim. Files end in .txt: no other server wants those.
local helper = require('helper')

local M = {}

---@class test.Project
---@field base string     directory of everything else: log, sockets, state
---@field dir string?     the project's directory; a child Neovim brings its own
local Project = {}
Project.__index = Project

local projects = {} ---@type test.Project[]

--- Waits until `fn` returns something, and returns that.
---@generic T
---@param what string
---@param fn fun(): T
---@return T
function M.wait(what, fn)
  local value
  local ok = vim.wait(helper.deadline, function()
    value = fn()
    return value ~= nil and value ~= false
  end, 5)
  if not ok then
    error('waited in vain for ' .. what, 2)
  end
  return value
end

--- Waits until a process is no more; one that nobody has fetched yet counts as ended. Its first
--- thread may be seen as ended while others, which hold its files and locks, are not.
---@param pid integer
function M.wait_end(pid)
  local function proc(name)
    local f = io.open(('/proc/%d/%s'):format(pid, name))
    local text = f and f:read('*a')
    if f then
      f:close()
    end
    return text or ''
  end
  M.wait(('process %d to end: %s'):format(pid, (proc('cmdline'):gsub('%z', ' '))), function()
    local state = proc('stat'):match('^.*%) (%a)')
    local threads = #vim.fn.glob(('/proc/%d/task/*'):format(pid), true, true)
    return not state or state == 'Z' and threads <= 1
  end)
end

--- In one line, as LSP counts.
---@param line integer
---@param from integer
---@param to integer
function M.range(line, from, to)
  return { start = { line = line, character = from }, ['end'] = { line = line, character = to } }
end

--- A project of C in which the server renames `room`, the first thing in a.c, there alone.
---@param files table<string, string>
---@param capabilities table
---@param on table   what else it answers
---@return test.Project
function M.renaming(files, capabilities, on)
  local change = { range = M.range(0, 4, 8), newText = 'left' }
  local rename = { result = { changes = { ['file://{ROOT}/a.c'] = { change } } } }
  return M.project({
    capabilities = capabilities,
    on = vim.tbl_extend('error', on, { ['textDocument/rename'] = rename }),
  }, { ['reach.files'] = 10 }):files_of_c(files)
end

---@param script table    of the server; see tests/fake/lsp.lua
---@param options? table  of the core
---@return test.Project
function M.project(script, options)
  local base = helper.tempdir()
  local p = setmetatable({
    base = base,
    log_path = base .. '/lsp.log',
    control = base .. '/lsp.sock',
    -- A slow machine is not a fault: what is to run out of time is said by the test itself.
    options = vim.tbl_extend('keep', options or {}, {
      ['lsp.timeout_ms'] = 600000,
      ['lsp.start_timeout_ms'] = 600000,
      ['run.allow'] = 1,
      ['rename.verified_files'] = 0,
      ['reach.files'] = 0, -- scripts know of one question for each rename
    }),
  }, Project)
  script = vim.tbl_extend('force', { log = p.log_path, control = p.control }, script)
  p.script = base .. '/script.json'
  helper.write(p.script, vim.json.encode(script))
  helper.write(p.log_path, '')
  table.insert(projects, p)
  return p
end

---@return string[]
function Project:argv()
  local fake = helper.root .. '/tests/fake/lsp.lua'
  return { vim.v.progpath, '-u', 'NONE', '-i', 'NONE', '-n', '-l', fake, self.script }
end

---@return table
function Project:server()
  return { cmd = self:argv(), filetypes = { 'text' } }
end

--- Writes the project's files for the command line.
---@param files table<string, string>
function Project:files(files)
  self.dir = self.base .. '/project'
  for path, text in pairs(files) do
    helper.write(self.dir .. '/' .. path, text)
  end
  local config = { servers = { fake = self:server() }, options = self.options }
  self.config = self.base .. '/config.lua'
  helper.write(self.config, 'return ' .. vim.inspect(config))
  return self
end

--- Likewise, files of C, which it serves in place of clangd.
---@param files table<string, string>
function Project:files_of_c(files)
  self:files(files)
  local fake = self:server()
  fake.filetypes = { 'c' }
  local config =
    { servers = { fake = fake, clangd = { cmd = { '/nowhere' } } }, options = self.options }
  helper.write(self.config, 'return ' .. vim.inspect(config))
  return self
end

--- A child Neovim in a project of these files.
---@param files table<string, string>
---@param config? table
---@param env? table<string, string>
---@return test.Child
function Project:nvim(files, config, env)
  config = vim.tbl_deep_extend('force', {
    core = { path = helper.core, options = self.options },
    servers = { fake = self:server() },
  }, config or {})
  local child = helper.start(files, { config = vim.inspect(config), env = env })
  self.dir = child.dir
  return child
end

--- Options of the core, from here on.
---@param child test.Child
---@param options table
function M.options(child, options)
  child:lua(
    [[
      local config = vim.g.oxide
      config.core.options = vim.tbl_extend('force', config.core.options, ...)
      vim.g.oxide = config
      require('oxide').setup(config)
    ]],
    options
  )
end

--- Has the child's Neovim start a client of its own for the buffer before it.
---@param child test.Child
function Project:attach(child)
  child:lua(
    [[
      local dir, argv = ...
      vim.lsp.start({ name = 'fake', cmd = argv, root_dir = dir })
    ]],
    child.dir,
    self:argv()
  )
  child:wait(
    'the client',
    [[(function(client)
    return client and client.initialized and client.attached_buffers[vim.api.nvim_get_current_buf()]
  end)(vim.lsp.get_clients()[1])]]
  )
end

---@param tool string
---@param args table
---@param flags? string[]
---@return table running  of vim.system
function Project:start(tool, args, flags)
  local argv = { helper.core, 'call', tool, '--root', self.dir, '--config', self.config }
  vim.list_extend(argv, flags or {})
  table.insert(argv, next(args) and vim.json.encode(args) or '{}')
  return vim.system(argv, {
    env = { XDG_STATE_HOME = self.base .. '/state', XDG_CONFIG_HOME = self.base .. '/none' },
  })
end

--- Waits until the core has heard all that a child has told it, as of changed buffers.
---@param child test.Child
function M.told(child)
  child:lua([[
    for _, chan in ipairs(vim.api.nvim_list_chans()) do
      if chan.client and chan.client.name == 'oxide' then
        vim.rpcrequest(chan.id, 'ping')
      end
    end
  ]])
end

--- Begins require('oxide')[verb](opts) in a child; wait for it with M.done().
---@param child test.Child
---@param verb string
---@param opts? table
---@return integer n
function M.ask(child, verb, opts)
  return child:lua(
    [[
      local verb, opts = ...
      _G.asked, _G.done = (_G.asked or 0) + 1, _G.done or {}
      local n = _G.asked
      opts.on_done = function(err, result)
        _G.done[n] = { code = err and err.code, message = err and err.message, result = result }
      end
      require('oxide')[verb](opts)
      return n
    ]],
    verb,
    opts or vim.empty_dict()
  )
end

--- A hover that the server has, and holds: its call.
---@param child test.Child
---@return integer n
function Project:held_hover(child)
  local n = M.ask(child, 'hover')
  self:wait_received('textDocument/hover')
  return n
end

---@param child test.Child
---@param n integer
---@return { code?: string, message?: string, result?: table }
function M.done(child, n)
  return child:wait('the end of call ' .. n, '(_G.done or {})[...]', n)
end

---@class test.Outcome
---@field code integer
---@field result table    the one JSON object on standard output
---@field stderr string

---@param running table
---@return test.Outcome
function M.finish(running)
  local done = running:wait(helper.deadline)
  local ok, result = pcall(vim.json.decode, done.stdout, { luanil = { object = true } })
  assert(ok, 'no JSON: ' .. done.stdout .. done.stderr)
  return { code = done.code, result = result, stderr = done.stderr }
end

---@return test.Outcome
function Project:call(tool, args, flags)
  return M.finish(self:start(tool, args, flags))
end

--- Renames `symbol` on line 1 of a.txt unless told otherwise, without asking.
---@param args? table
---@param flags? string[]
---@return test.Outcome
function Project:rename(args, flags)
  local all = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' }
  return self:call('lsp_rename', vim.tbl_extend('force', all, args or {}), flags or { '--yes' })
end

--- What the server wrote down so far.
---@return table[]
function Project:log()
  local lines = vim.split(helper.read(self.log_path), '\n', { plain = true })
  local entries = {}
  for i = 1, #lines - 1 do -- the last may be half a line
    entries[i] = vim.json.decode(lines[i], { luanil = { object = true } })
  end
  return entries
end

---@param matches fun(entry: table): any
---@return table[]
function Project:logged(matches)
  return vim.tbl_filter(matches, self:log())
end

---@param method string
---@return table[]
function Project:received(method)
  return self:logged(function(entry)
    return entry.method == method
  end)
end

--- Waits for an entry of the server's log.
---@param what string
---@param matches fun(entry: table): any
---@return table
function Project:wait_log(what, matches)
  return M.wait(what, function()
    return self:logged(matches)[1]
  end)
end

---@param method string
---@return table
function Project:wait_received(method)
  return self:wait_log(method .. ' to arrive', function(entry)
    return entry.method == method
  end)
end

---@param life? integer
---@return integer
function Project:pid(life)
  return self:wait_log('the server', function(entry)
    return entry.pid and (not life or entry.life == life)
  end).pid
end

--- The server's own copy of a document, as it last was.
---@param name string
---@return string?
function Project:server_text(name)
  local uri, text = vim.uri_from_fname(self.dir .. '/' .. name), nil
  for _, entry in ipairs(self:log()) do
    assert(not entry.fault, entry.fault)
    if entry.uri == uri and entry.text then
      text = entry.text
    end
  end
  return text
end

--- Tells the running server to do something; see tests/fake/actions.lua.
---@param action table
function Project:act(action)
  local pipe, said = assert(vim.uv.new_pipe()), nil
  pipe:connect(self.control, function(err)
    assert(not err, err)
    pipe:write(vim.json.encode(action) .. '\n')
    pipe:read_start(function(_, bytes)
      said = said or bytes
    end)
  end)
  M.wait('the server to take an action', function()
    return said
  end)
  pipe:close()
end

--- What Neovim, the core and a server keep for themselves in the project of a test.
local THEIRS = { ['.state'] = true, ['.cache'] = true, ['.nvim.log'] = true }

--- All files of the project with their bytes and modes, and what else lies there.
---@return table<string, string>
function Project:tree()
  local tree = helper.tree(self.dir, function(folder)
    return not THEIRS[folder]
  end)
  for name in pairs(THEIRS) do
    tree[name] = nil
  end
  return tree
end

--- Ends every server that a test has left, and removes its directories.
function M.cleanup()
  helper.cleanup()
  for _, p in ipairs(projects) do
    for _, entry in ipairs(p:log()) do
      if entry.pid then
        pcall(vim.uv.kill, entry.pid, 'sigkill')
      end
    end
    vim.fn.delete(p.base, 'rf')
  end
  projects = {}
end

return M
