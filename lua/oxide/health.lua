-- :checkhealth oxide
local M = {}

local health = vim.health

local LIMIT = 20000 -- for the core, and for a server to rename, in milliseconds
local AGENTS_LIMIT = 90000 -- for all agents to tell their versions: some take a minute offline

local function check_neovim()
  health.start('Neovim')
  local v = vim.version()
  local text = ('%d.%d.%d'):format(v.major, v.minor, v.patch)
  if vim.fn.has('nvim-0.10.4') == 1 then
    health.ok('Neovim ' .. text)
  else
    health.error(('Neovim %s; Oxide needs 0.10.4 or later'):format(text))
  end
end

local function check_config()
  health.start('Configuration')
  local problems = require('oxide.config').problems()
  for _, problem in ipairs(problems) do
    health.warn(problem)
  end
  if #problems == 0 then
    health.ok('all options are known')
  end
end

--- Servers of the core that are not at work.
---@param servers table[]
local function check_running(servers)
  for _, server in ipairs(servers) do
    if server.state == 'left alone' or server.state == 'hung' then
      health.warn(
        ('%s in %s: %s, %s'):format(server.name, server.root, server.state, server.reason or ''),
        { (':Oxide core restart %s'):format(server.name), ':Oxide core log' }
      )
    end
  end
end

---@return boolean
local function check_core()
  health.start('Core')
  local install_paths, process = require('oxide.install_paths'), require('oxide.process')
  for _, candidate in ipairs(install_paths.candidates()) do
    local there = vim.fn.executable(candidate.path) == 1
    health.info(
      ('%s (%s): %s'):format(candidate.path, candidate.from, there and 'found' or 'not found')
    )
  end
  local found = install_paths.find()
  if not found then
    health.error('No core', { 'Run `make` in ' .. install_paths.plugin_root() })
    return false
  end
  local answer, failure
  require('oxide.core').query('status', function(err, status)
    answer, failure = status or false, err
  end)
  vim.wait(LIMIT, function()
    return answer ~= nil
  end, 10)
  if not answer then
    local why = failure and failure.message or ('no answer within %d ms'):format(LIMIT)
    health.error(why, { ':Oxide core restart', 'Run `make` in ' .. install_paths.plugin_root() })
    return false
  end
  health.ok(
    ('%s runs: version %s, protocol %d'):format(process.path, answer.version, process.PROTOCOL)
  )
  health.info('Log: ' .. (answer.log or 'none'))
  for _, line in ipairs(require('oxide.core_command').listening(answer.listen)) do
    health.info(vim.trim(line[1][1]) .. ': ' .. line[2][1])
  end
  if (answer.unsettled or '') ~= '' then
    health.warn(
      answer.unsettled,
      { 'Check whether the disk is full or failing', ':Oxide core log' }
    )
  end
  check_running(answer.servers or {})
  return true
end

---@return table<string, oxide.Server> those that can be run
local function check_servers()
  health.start('Language servers')
  local share = require('oxide.config').get('lsp.share')
  for _, client in ipairs(vim.lsp.get_clients()) do
    local how = share and 'used by Oxide where it is attached' or "not used: 'lsp.share' is off"
    health.info(("%s: Neovim's own client %d, %s"):format(client.name, client.id, how))
  end
  local servers, usable = require('oxide.lsp_config').servers(), {}
  local names = vim.tbl_keys(servers)
  table.sort(names)
  for _, name in ipairs(names) do
    local server = servers[name]
    local program = (server.cmd or {})[1] or ''
    local types = table.concat(server.filetypes or {}, ', ')
    if vim.fn.executable(program) == 1 then
      usable[name] = server
      health.ok(('%s: %s, for %s'):format(name, vim.fn.exepath(program), types))
    else
      local how = server.install and '; to install: ' .. server.install or ''
      health.info(('%s: %s is not installed, for %s%s'):format(name, program, types, how))
    end
  end
  if next(usable) == nil then
    health.warn('None is installed. Install the one for your language as shown above.')
  end
  return usable
end

---@class oxide.Sample
---@field name string
---@field text string
---@field line integer
---@field column integer
---@field want string

---@type table<string, oxide.Sample>  by server
local SAMPLES = {
  clangd = {
    name = 'try.c',
    text = 'int before(void);\nint use(void) { return before(); }\n',
    line = 1,
    column = 5,
    want = 'int after(void);\nint use(void) { return after(); }\n',
  },
  pyright = {
    name = 'try.py',
    text = 'def before():\n    return 1\n\n\nbefore()\n',
    line = 1,
    column = 5,
    want = 'def after():\n    return 1\n\n\nafter()\n',
  },
}
SAMPLES.pylsp = SAMPLES.pyright

--- Renames in a file of a directory of its own, with a core of its own that has this configuration.
---@param name string
---@param sample oxide.Sample
local function rename_once(name, sample)
  local dir = assert(vim.uv.fs_mkdtemp(vim.fs.joinpath(vim.uv.os_tmpdir(), 'oxide-health-XXXXXX')))
  local config = { servers = require('oxide.config').get('servers') }
  local text = 'return ' .. vim.inspect(config)
  vim.fn.writefile(vim.split(text, '\n', { plain = true }), dir .. '/config.lua')
  vim.fn.writefile(vim.split(sample.text, '\n', { plain = true }), dir .. '/' .. sample.name, 'b')
  local args = {
    file_path = sample.name,
    line = sample.line,
    column = sample.column,
    new_name = 'after',
    dry_run = true,
  }
  local started = vim.uv.now()
  local command = { require('oxide.process').path, 'call', 'lsp_rename', '--root', dir }
  vim.list_extend(command, { '--data', require('oxide.install_paths').runtime() })
  vim.list_extend(command, { '--config', dir .. '/config.lua', vim.json.encode(args) })
  local done = vim.system(command, { text = true }):wait(LIMIT)
  local took = vim.uv.now() - started
  vim.fn.delete(dir, 'rf')
  local ok, result = pcall(vim.json.decode, done.stdout)
  if done.code == 124 then
    health.error(('%s: a rename took longer than %d ms'):format(name, LIMIT))
  elseif not ok or result.error then
    health.error(('%s: %s'):format(name, ok and result.error.message or done.stderr))
  else
    local old = vim.split(sample.text:gsub('\n$', ''), '\n', { plain = true })
    local new = require('oxide.review.hunks').patched(old, result.diff)
    if table.concat(new, '\n') .. '\n' == sample.want then
      health.ok(('%s renamed in %d ms, including its start'):format(result.server, took))
    else
      health.error(('%s: the rename is wrong:\n%s'):format(name, result.diff))
    end
  end
end

--- A value that a file can have: without functions.
local function plain(value)
  if type(value) ~= 'table' then
    return type(value) ~= 'function' and value or nil
  end
  local copy = {}
  for key, member in pairs(value) do
    copy[key] = plain(member)
  end
  return copy
end

--- Runs `oxide {word} --json`. `own`: members of a configuration in place of the shell's, for what
--- Neovim's own configuration says.
---@param word string
---@param own? table<string, any>
---@return fun(limit: integer): vim.SystemCompleted   waits for it
local function list(word, own)
  local command = { require('oxide.process').path, word, '--json' }
  vim.list_extend(command, { '--data', require('oxide.install_paths').runtime() })
  local config = own and vim.fn.tempname() .. '.lua'
  if config then
    vim.fn.writefile(vim.split('return ' .. vim.inspect(plain(own)), '\n'), config)
    vim.list_extend(command, { '--config', config })
  end
  local running = vim.system(command, { text = true })
  return function(limit)
    local done = running:wait(limit)
    if config then
      vim.fn.delete(config)
    end
    return done
  end
end

--- Which models can be asked, and whether their keys are there; never a key.
local function check_models()
  health.start('Models')
  local rows = require('oxide.config').get('models')
  local names = vim.tbl_keys(rows)
  table.sort(names)
  for _, name in ipairs(names) do
    local row = rows[name]
    local key = row.key_env
    local text = ('%s: %s at %s'):format(name, row.model or 'a model to be named', row.url or '?')
    if key and (vim.env[key] or '') == '' then
      health.warn(('%s, but %s is not set'):format(text, key))
    else
      health.ok(key and ('%s, with the key in %s'):format(text, key) or text)
    end
  end
  local own = { local_servers = require('oxide.config').get('local_servers') }
  local ok, found = pcall(vim.json.decode, list('models', own)(LIMIT).stdout)
  for _, name in ipairs(ok and found or {}) do
    if not rows[name] then
      local of = name:match('/MODEL$') and ', whose key is in the environment' or ''
      health.ok(name .. of)
    end
  end
  if #names == 0 and (not ok or #found == 0) then
    health.info('none: set a key, such as ANTHROPIC_API_KEY, or see :help oxide-models')
  end
end

--- Whether it is logged in is its own affair; a key or a login that it would use can be seen.
---@param row table   of `oxide agents --json`
---@return string
local function login(row)
  return row.login and ', with a login: ' .. row.login or ', not known whether logged in'
end

---@param row table
local function check_agent(row)
  local name = row.title and ('%s (%s)'):format(row.title, row.name) or row.name
  if row.path and not row.error then
    local acp = row.acp_path and row.acp_path ~= row.path and ', by ACP ' .. row.acp_path or ''
    health.ok(('%s: version %s, %s%s%s'):format(name, row.version, row.path, acp, login(row)))
    if row.acp_error then
      health.info(('%s by ACP: %s'):format(name, row.acp_error))
    end
  elseif row.acp_path and not row.path then
    health.ok(('%s: by ACP %s%s'):format(name, row.acp_path, login(row)))
  elseif row.path then
    health.warn(('%s: %s'):format(row.name, row.error))
  else
    local why = row.error:gsub('; tried .*', '') -- each directory of the PATH
    health.info(('%s: %s'):format(row.name, why))
  end
end

--- Which agents can be started, in which version, and how to get the others.
local function check_agents()
  health.start('Agents')
  local own = require('oxide.config').get('agents')
  local asked = { list('agents'), next(own) and list('agents', { agents = own }) or nil }
  local rows = {} ---@type table<string, table>
  for i, wait in ipairs(asked) do
    local done = wait(AGENTS_LIMIT)
    local ok, found = pcall(vim.json.decode, done.stdout)
    if not ok then
      local late = ('no answer within %d ms'):format(AGENTS_LIMIT)
      return health.error(done.code == 124 and late or done.stderr)
    end
    for _, row in ipairs(found) do
      rows[row.name] = (i == 1 or own[row.name]) and row or rows[row.name]
    end
  end
  for _, row in vim.spairs(rows) do
    check_agent(row)
  end
end

---@param usable table<string, oxide.Server>
local function check_rename(usable)
  health.start('A rename')
  for _, name in ipairs { 'clangd', 'pyright', 'pylsp' } do
    if usable[name] then
      return rename_once(name, SAMPLES[name])
    end
  end
  health.info('not tried: no clangd, pyright or pylsp is installed')
end

--- Neovim puts the report where the cursor is in the end; a review may open while this waits.
function M.check()
  local report = vim.api.nvim_get_current_win()
  check_neovim()
  check_config()
  local running = check_core()
  local usable = check_servers()
  if running then
    check_models()
    check_agents()
    check_rename(usable)
  end
  if vim.api.nvim_win_is_valid(report) then
    vim.api.nvim_set_current_win(report)
  end
end

return M
