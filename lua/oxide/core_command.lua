-- `:Oxide core`: the state of the core, and what can be done with it.
local M = {}

--- Where others find this core, and who they are.
---@param listen oxide.Listen
---@return { [1]: string, [2]: string? }[][] lines of chunks
function M.listening(listen)
  local lines =
    { { { 'Socket   ' }, { listen.path or listen.why or "none: 'core.listen' is off" } } }
  for _, client in ipairs(listen.clients) do
    local calls = require('oxide.ui').count(client.calls, 'call')
    table.insert(lines, { { 'Caller   ' }, { ('%s, %s'):format(client.who, calls) } })
  end
  return lines
end

---@param server table
---@return string
local function server_line(server)
  local ui = require('oxide.ui')
  local busy = type(server.busy) == 'string' and server.busy ~= '' and ', ' .. server.busy
    or server.busy == true and ', busy'
    or ''
  local reason = server.reason and (' (%s)'):format(server.reason) or ''
  return ('%s%s: %s%s, %s, %s%s'):format(
    server.name,
    server.client and (", Neovim's own client %d"):format(server.client) or '',
    server.state,
    reason,
    ui.count(server.documents or 0, 'document'),
    server.root or '',
    busy
  )
end

--- What the core says of itself, for the page of `:Oxide`.
---@param status table
---@return oxide.OverviewRow[]
function M.describe(status)
  local rows = {} ---@type oxide.OverviewRow[]
  ---@param label string
  ---@param text string
  local function put(label, text)
    table.insert(rows, { label = label, text = text })
  end
  put('Core', ('version %s, process %d'):format(status.version, status.pid))
  put('Project', status.root or 'none')
  put('Buffers', tostring(status.buffers or 0))
  if #(status.projects or {}) > 1 then
    put('Projects', table.concat(status.projects, ', '))
  end
  for _, server in ipairs(status.servers or {}) do
    put('Server', server_line(server))
  end
  if #(status.servers or {}) == 0 then
    put('Servers', 'none yet; one starts when it is needed')
  end
  for _, line in ipairs(M.listening(status.listen)) do
    put(vim.trim(line[1][1]), line[2][1])
  end
  for _, agent in ipairs(status.agents or {}) do
    put('Agent', ('%s, process %d'):format(agent.name, agent.pid))
  end
  local last = status.last_transaction
  put('Undo', last and ('%s (%s)'):format(last.title, last.id) or 'nothing to undo')
  put('Log', (status.log or '') ~= '' and status.log or 'none')
  return rows
end

---@param inv oxide.Invocation
function M.status(inv)
  require('oxide.overview').open(inv.mods)
end

local group = vim.api.nvim_create_augroup('oxide.core_command', {})

---@param inv oxide.Invocation
function M.restart(inv)
  local server = inv.args[2]
  if server then
    return require('oxide.server_news').restart(server)
  end
  require('oxide.core').control('restart', function()
    vim.api.nvim_clear_autocmds { group = group }
    vim.api.nvim_create_autocmd('User', {
      group = group,
      pattern = 'OxideReady',
      once = true,
      callback = require('oxide.messages').later(function()
        require('oxide.ui').notify('the core is running again')
      end),
    })
  end)
end

function M.stop()
  local core = require('oxide.core')
  local says = core.running() and 'the core is stopped; the next command starts it'
    or 'the core does not run'
  core.control('stop', function()
    require('oxide.ui').notify(says)
  end)
end

---@param inv oxide.Invocation
function M.log(inv)
  require('oxide.core').query('status', function(err, status)
    -- That of the last core also where none runs, and most of all where none will.
    local path = status and status.log or require('oxide.process').log or ''
    if path == '' then
      require('oxide.ui').error(err or 'the core has no log')
      return
    end
    local mods = inv.mods
    require('oxide.scratch').split {
      args = { vim.fn.fnameescape(path) },
      mods = { vertical = mods.vertical, split = mods.split, tab = mods.tab },
    }
    vim.cmd('setlocal autoread nomodifiable | normal! G')
    if vim.fn.wordcount().bytes == 0 then
      require('oxide.ui').notify('the log is empty; the option `log.level` says what is written')
    end
  end)
end

return M
