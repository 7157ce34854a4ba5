-- A Neovim to look at from outside: a child that runs with Oxide on its 'runtimepath' and nothing
-- else, driven by keys and questions over RPC. Nothing sleeps; a wait ends when what it waits for
-- is there, or fails and says what that was.
local M = {}

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
M.root = vim.fs.dirname(vim.fs.dirname(vim.fn.fnamemodify(here, ':p'):gsub('/$', '')))

--- The program under test.
M.core = vim.env.OXIDE_TEST_CORE or M.root .. '/build/oxide'

--- How long a wait may take, in milliseconds: for what hangs, not for what is slow.
M.deadline = tonumber(vim.env.OXIDE_TEST_DEADLINE_MS) or 240000

---@class test.Child
---@field chan integer
---@field dir string
local Child = {}
Child.__index = Child

local children = {} ---@type test.Child[]

---@return string a new folder, removed by M.cleanup()
function M.tempdir()
  local dir = assert(vim.uv.fs_mkdtemp((vim.env.TMPDIR or '/tmp') .. '/oxide-nvim-XXXXXX'))
  return assert(vim.uv.fs_realpath(dir))
end

---@param path string
---@param text string
function M.write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local f = assert(io.open(path, 'wb'))
  f:write(text)
  f:close()
end

---@param path string
---@return string
function M.read(path)
  local f = assert(io.open(path, 'rb'))
  local text = f:read('*a')
  f:close()
  return text
end

--- The text of a compile_commands.json.
---@param dir string
---@param files string[]
---@param command string   without the file
---@return string
function M.compiled(dir, files, command)
  return vim.json.encode(vim.tbl_map(function(file)
    return { directory = dir, file = file, command = command .. ' -c ' .. file }
  end, files))
end

--- All that lies in a directory, names beginning with a dot too: modes and bytes by name.
---@param dir string
---@param into? fun(folder: string): boolean   false for a directory that is not gone into: one whose
---  files a program that runs makes and removes
---@return table<string, string>
function M.tree(dir, into)
  local tree = {}
  for name, kind in vim.fs.dir(dir, { depth = 20, skip = into }) do
    local path = dir .. '/' .. name
    local stat = assert(vim.uv.fs_lstat(path))
    tree[name] = ('%o %s'):format(stat.mode, kind == 'file' and M.read(path) or kind)
  end
  return tree
end

-- No window comes up by itself on a slow machine, unless a test is about that.
local QUIET = "local c = %s if type(c) == 'table' then c.wait = c.wait or { show = 'none' } end"
  .. ' vim.g.oxide = c'

---@param files? table<string, string>   path inside a new directory to text
---@param opts? { env?: table<string, string>, config?: string, args?: string[] }
---@return test.Child
function M.start(files, opts)
  opts = opts or {}
  local dir = M.tempdir()
  for path, text in pairs(files or {}) do
    M.write(dir .. '/' .. path, text)
  end
  local argv = { vim.v.progpath, '--embed', '--headless', '-u', 'NONE', '-i', 'NONE', '-n' }
  vim.list_extend(argv, { '--cmd', 'set rtp^=' .. M.root })
  if opts.config then
    vim.list_extend(argv, { '--cmd', ('lua ' .. QUIET):format(opts.config) })
  end
  vim.list_extend(argv, opts.args or {})
  vim.fn.mkdir(dir .. '/.state') -- Neovim fails where another makes it at the same moment
  local env = vim.tbl_extend('force', {
    XDG_STATE_HOME = dir .. '/.state',
    XDG_CONFIG_HOME = dir .. '/.config',
    XDG_DATA_HOME = dir .. '/.data',
    XDG_CACHE_HOME = dir .. '/.cache',
    NVIM_LOG_FILE = dir .. '/.nvim.log',
  }, opts.env or {})
  local chan = vim.fn.jobstart(argv, { rpc = true, cwd = dir, env = env })
  assert(chan > 0, 'Neovim did not start')
  local child = setmetatable({ chan = chan, dir = dir }, Child)
  table.insert(children, child)
  child:lua([[
    vim.o.columns, vim.o.lines, vim.o.more = 120, 40, false
    _G.messages, _G.events, _G.last_line = {}, {}, vim.notify
    vim.notify = function(text, level, opts)
      local title = opts and opts.title and opts.title .. ': ' or ''
      table.insert(_G.messages, { text = title .. text, level = level })
    end
    vim.api.nvim_create_autocmd('User', { pattern = 'Oxide*', callback = function(ev)
      table.insert(_G.events, { name = ev.match, data = ev.data })
    end })
    vim.cmd('filetype on | runtime plugin/oxide.lua')
  ]])
  return child
end

--- Ends every child that a test has left.
function M.cleanup()
  for _, child in ipairs(children) do
    pcall(vim.fn.jobstop, child.chan)
    vim.fn.jobwait({ child.chan }, M.deadline)
    vim.fn.delete(child.dir, 'rf')
  end
  children = {}
end

---@param code string
---@return any
function Child:lua(code, ...)
  return vim.rpcrequest(self.chan, 'nvim_exec_lua', code, { ... })
end

---@param command string
function Child:cmd(command)
  return vim.rpcrequest(self.chan, 'nvim_command', command)
end

--- Types, as a person would. A notification: the keys may end the child before it could answer.
---@param keys string
function Child:type(keys)
  vim.rpcnotify(self.chan, 'nvim_input', keys)
end

--- Waits until `code`, a Lua expression in the child, is true, and returns its value.
---@param what string   said when it never is
---@param code string
---@return any
function Child:wait(what, code, ...)
  local value
  local args = { ... }
  local ok = vim.wait(M.deadline, function()
    if vim.rpcrequest(self.chan, 'nvim_get_mode').blocking then
      return false
    end
    value = self:lua('return ' .. code, unpack(args))
    return value ~= nil and value ~= vim.NIL and value ~= false
  end, 5)
  if not ok then
    local seen = self:lua('return { messages = _G.messages, text = vim.fn.execute("messages") }')
    error(('waited in vain for %s\nmessages: %s'):format(what, vim.inspect(seen)), 2)
  end
  return value
end

--- Calls a tool without a question to anybody, and waits for its answer.
---@param tool string
---@param args table
---@return { err?: table, result?: table }
function Child:call(tool, args)
  self:lua(
    [[
      local tool, args = ...
      _G.answer = nil
      require('oxide.core').call(tool, args, { confirm = 'never' }, function(err, result)
        _G.answer = { err = err, result = result }
      end)
    ]],
    tool,
    args
  )
  return self:wait('the answer of ' .. tool, '_G.answer')
end

--- Waits until a command line is completed so: what is known may come late.
---@param line string
---@param want string[]
function Child:completes(line, want)
  local code = "vim.deep_equal(vim.fn.getcompletion((...), 'cmdline'), select(2, ...))"
  self:wait('the completion of ' .. line, code, line, want)
end

--- Waits for a message that matches `pattern` and returns its text.
---@param pattern string
---@return string
function Child:message(pattern)
  return self:wait(
    'the message ' .. pattern,
    [[(function(pattern)
      for _, m in ipairs(_G.messages) do
        if m.text:find(pattern) then return m.text end
      end
    end)(...)]],
    pattern
  )
end

--- Waits for a User event and returns its data.
---@param name string   without 'Oxide'
---@return table
function Child:event(name)
  return self:wait(
    'the event Oxide' .. name,
    [[(function(name)
      for _, e in ipairs(_G.events) do
        if e.name == name then return e.data end
      end
    end)(...)]],
    'Oxide' .. name
  )
end

--- In a review: opens the text of an added line, writes another in its place, and waits until the
--- review shows it.
---@param line string
---@param new string
function Child:edit_in_review(line, new)
  self:wait('the review', "vim.bo.filetype == 'oxide-review'")
  self:lua("vim.fn.search([[^\\V+]] .. ... .. [[\\$]], 'cw')", line)
  self:type('e')
  self:wait('the text', "vim.fn.getline('.') == ... and vim.bo.filetype ~= 'oxide-review'", line)
  self:type('0C' .. new .. '<Esc>:wq<CR>')
  self:wait(
    'the edited text in the review',
    "vim.bo.filetype == 'oxide-review' and vim.fn.search([[^\\V+]] .. ... .. [[\\$]], 'nw') > 0",
    new
  )
end

---@return string[]
function Child:lines()
  return self:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
end

---@param name string
---@return string text of a file in the child's folder
function Child:file(name)
  return M.read(self.dir .. '/' .. name)
end

--- Waits until the child has ended.
function Child:ended()
  local code = vim.fn.jobwait({ self.chan }, M.deadline)[1]
  assert(code ~= -1, 'waited in vain for Neovim to end')
  return code
end

--- A program that stands in for the core. `script` is a Lua chunk that returns a function, called
--- with the core and each message; see fakecore.lua.
---@param dir string
---@param script string
---@return string path
function M.fakecore(dir, script)
  local path = dir .. '/.fakecore'
  M.write(path .. '.lua', script)
  M.write(
    path,
    ('#!/bin/sh\nexec "%s" -u NONE -i NONE -n --headless -l "%s/tests/nvim/fakecore.lua" "%s.lua"\n'):format(
      vim.v.progpath,
      M.root,
      path
    )
  )
  assert(vim.uv.fs_chmod(path, 493))
  return path
end

--- Of a program that begins with nothing, in no terminal of a Neovim: all its own is below `base`.
---@param base string
---@return table<string, string>
function M.env(base)
  return {
    XDG_STATE_HOME = base .. '/state',
    XDG_CONFIG_HOME = base .. '/config',
    XDG_RUNTIME_DIR = base,
    NVIM = '',
  }
end

--- A Neovim with a core that does what `script` says; see M.fakecore().
---@param script string
---@param files table<string, string>
---@param opts? table   of M.start(); `config` is Lua, and comes besides the core
---@return test.Child
function M.start_fake(script, files, opts)
  opts = vim.deepcopy(opts or {})
  local core = M.fakecore(M.tempdir(), script)
  opts.config = ('{ core = { path = %q }, %s }'):format(core, opts.config or '')
  return M.start(files, opts)
end

--- Has the core started, and waits until it is ready.
---@param child test.Child
function M.wake(child)
  child:lua("require('oxide.core').call('wake', {}, {}, function() end)")
  child:event('Ready')
end

return M
