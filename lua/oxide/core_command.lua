-- `:Oxide` alone and `:Oxide core`: what is going on, in one screen.
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

---@param status table
---@return { [1]: string, [2]: string? }[][] lines of chunks
local function describe(status)
  local ui = require('oxide.ui')
  local lines = {
    { { 'Oxide ', 'Title' }, { ('%s, core %d'):format(status.version, status.pid) } },
    { { 'Project  ' }, { status.root or 'none' } },
    { { 'Buffers  ' }, { tostring(status.buffers or 0) } },
  }
  if #(status.projects or {}) > 1 then
    table.insert(lines, { { 'Projects ' }, { table.concat(status.projects, ', ') } })
  end
  for _, server in ipairs(status.servers or {}) do
    local busy = type(server.busy) == 'string' and server.busy ~= '' and ', ' .. server.busy
      or server.busy == true and ', busy'
      or ''
    local reason = server.reason and (' (%s)'):format(server.reason) or ''
    table.insert(lines, {
      { 'Server   ' },
      {
        ('%s%s: %s%s, %s, %s%s'):format(
          server.name,
          server.client and (", Neovim's own client %d"):format(server.client) or '',
          server.state,
          reason,
          ui.count(server.documents or 0, 'document'),
          server.root or '',
          busy
        ),
      },
    })
  end
  if #(status.servers or {}) == 0 then
    table.insert(lines, { { 'Servers  ' }, { 'none yet; one starts when it is needed' } })
  end
  vim.list_extend(lines, M.listening(status.listen))
  local review = require('oxide.review').current()
  table.insert(
    lines,
    { { 'Review   ' }, { review and review.question.title or 'none is pending' } }
  )
  local last = status.last_transaction
  table.insert(lines, {
    { 'Undo     ' },
    { last and ('%s (%s)'):format(last.title, last.id) or 'nothing to undo' },
  })
  table.insert(lines, { { 'Log      ' }, { status.log or 'none' } })
  return lines
end

function M.status()
  require('oxide.core').query('status', function(err, status)
    if err then
      require('oxide.ui').error(err)
      return
    end
    local chunks = {}
    for i, line in ipairs(describe(assert(status))) do
      if i > 1 then
        table.insert(chunks, { '\n' })
      end
      vim.list_extend(chunks, line)
    end
    vim.api.nvim_echo(chunks, true, {})
  end)
end

---@param inv oxide.Invocation
function M.restart(inv)
  local server = inv.args[2]
  if server then
    require('oxide.server_news').restart(server)
  else
    require('oxide.core').control('restart')
  end
end

function M.stop()
  require('oxide.core').control('stop')
end

---@param inv oxide.Invocation
function M.log(inv)
  require('oxide.core').query('status', function(err, status)
    local path = status and status.log or require('oxide.process').log
    if not path then
      require('oxide.ui').error(err or 'the core has no log')
      return
    end
    local mods = inv.mods
    vim.cmd {
      cmd = 'split',
      args = { vim.fn.fnameescape(path) },
      mods = { vertical = mods.vertical, split = mods.split, tab = mods.tab },
    }
    vim.cmd('setlocal autoread nomodifiable | normal! G')
  end)
end

return M
