-- Agents in Neovim's terminals, `:Oxide agent`: each runs under `oxide run`, which tells the core of
-- it. Those that run in other terminals beside the project are known as well.
local arguments = require('oxide.command.arguments')
local core = require('oxide.core')
local ui = require('oxide.ui')

local M = {}

---@class oxide.AgentTerminal   one of Neovim's own
---@field name string
---@field id string   of its session, as its record has it
---@field buf integer
---@field job integer
---@field code? integer   it has ended

---@class oxide.AgentInfo   what `oxide run` has told of one, here or elsewhere
---@field id string
---@field name string
---@field command string[]
---@field cwd string
---@field state 'running'|'ended'
---@field exit? { code?: integer, signal?: integer, core_dump?: string }

local terminals = {} ---@type oxide.AgentTerminal[]   the one that was used last comes last
local running = {} ---@type table<string, oxide.AgentInfo>

--- An event of the core.
---@param info oxide.AgentInfo
function M.event(info)
  running[info.id] = info.state == 'running' and info or nil
  ui.event('Agent', info)
end

--- What an agent has changed past Oxide, once its turn is over.
---@param info { id: string, name: string, state: 'began'|'ended', report?: table }
function M.turn(info)
  ui.event('AgentTurn', info)
  local report = info.report
  if not report then
    return
  end
  local text = ('%s has changed %s; :Oxide turn diff shows it, :Oxide turn undo takes it back.'):format(
    info.name,
    ui.count(report.files_changed, 'file')
  )
  local level = vim.log.levels.INFO
  for _, file in ipairs(report.unkept or {}) do
    level = vim.log.levels.WARN
    text = ('%s\n%s cannot be taken back: %s.'):format(text, file.file, file.reason)
  end
  for _, line in ipairs(report.git or {}) do
    text = ('%s\nMeanwhile git did: %s.'):format(text, line)
  end
  if report.unsure then
    text = ('%s\nIt is uncertain whose changes these are: %s.'):format(text, report.unsure)
  end
  ui.notify(text, level)
end

--- Ends the turns of all agents that run, so that what they have changed until now can be seen.
---@param fn fun()
function M.cut(fn)
  if next(running) or require('oxide.ide').connected() then
    core.request('agent', { what = 'turn' }, function()
      fn()
    end)
  else
    fn()
  end
end

--- The core has ended: the agents say who they are when there is one again.
function M.forget()
  running = {}
end

---@param name? string   without it, the one that was used last
---@return oxide.AgentTerminal?
local function find(name)
  for i = #terminals, 1, -1 do
    local t = terminals[i]
    if not vim.api.nvim_buf_is_valid(t.buf) then
      table.remove(terminals, i)
    elseif not name or t.name == name then
      return t
    end
  end
end

---@return oxide.AgentTerminal?
local function current()
  local buf = vim.api.nvim_get_current_buf()
  return vim.iter(terminals):find(function(t)
    return t.buf == buf
  end)
end

---@param t oxide.AgentTerminal
local function used(t)
  terminals = vim.tbl_filter(function(other)
    return other ~= t
  end, terminals)
  table.insert(terminals, t)
end

---@param t oxide.AgentTerminal
---@param mods? table
local function show(t, mods)
  require('oxide.chat.window').split(mods)
  require('oxide.scratch').show(0, t.buf)
  vim.cmd.startinsert()
end

--- Closes its windows on this tab page; the last window shows another buffer instead.
---@param t oxide.AgentTerminal
---@return boolean hidden   false: it has none
local function hide(t)
  local wins = vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage()
  end, vim.fn.win_findbuf(t.buf))
  for _, win in ipairs(wins) do
    if #vim.api.nvim_tabpage_list_wins(0) > 1 then
      vim.api.nvim_win_close(win, true)
    else
      vim.api.nvim_win_call(win, function()
        vim.cmd.enew()
      end)
    end
  end
  return #wins > 0
end

---@param argv string[]
---@param opts table
---@return integer job
local function start_job(argv, opts)
  if vim.fn.has('nvim-0.11') == 1 then
    opts.term = true
    return vim.fn.jobstart(argv, opts)
  end
  return vim.fn.termopen(argv, opts)
end

--- A name that people recognise, such as oxide://agent/claude; the next one ends in ":2". The window's
--- alternate file stays, and the name that the terminal had is nobody's: to edit that would start the
--- program again.
---@param buf integer
---@param agent string
local function name_buffer(buf, agent)
  local number, name = 1, 'oxide://agent/' .. agent
  while vim.fn.bufexists(name) == 1 do
    number = number + 1
    name = ('oxide://agent/%s:%d'):format(agent, number)
  end
  local before = vim.api.nvim_buf_get_name(buf)
  vim.api.nvim_buf_call(buf, function()
    vim.cmd.file { name, mods = { keepalt = true, silent = true }, magic = { file = false } }
  end)
  local left = vim.iter(vim.api.nvim_list_bufs()):find(function(other)
    return other ~= buf and vim.api.nvim_buf_get_name(other) == before
  end)
  if left then
    vim.api.nvim_buf_delete(left, { force = true })
  end
end

---@class oxide.AgentFound
---@field name string
---@field argv string[]
---@field ide? table<string, string>   what tells it of its server in oxide.ide
---@field env? string[]                "NAME=value"

---@param buf integer   empty
---@param found oxide.AgentFound
local function launch(buf, found)
  local t = { name = found.name, buf = buf } ---@type oxide.AgentTerminal
  t.id = ('%08x%08x'):format(vim.uv.os_getpid(), vim.uv.hrtime() % 2 ^ 32)
  local argv = { require('oxide.process').path, 'run', '--name', t.name, '--session', t.id }
  for _, variable in ipairs(found.env or {}) do
    vim.list_extend(argv, { '--env', variable })
  end
  table.insert(argv, '--')
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    require('oxide.scratch').plain(win) -- as Neovim does it from 0.11 on
  end
  t.job = vim.api.nvim_buf_call(buf, function()
    return start_job(vim.list_extend(argv, found.argv), {
      on_exit = function(_, code)
        t.code = code
        ui.event('AgentExit', { name = t.name, id = t.id, buf = buf, code = code })
      end,
    })
  end)
  if t.job <= 0 then
    return ui.notify('cannot start a terminal for ' .. t.name, vim.log.levels.ERROR)
  end
  name_buffer(buf, t.name)
  vim.b[buf].oxide_agent = { name = t.name, id = t.id }
  table.insert(terminals, t)
  vim.api.nvim_create_autocmd({ 'BufEnter', 'TermEnter' }, {
    buffer = buf,
    desc = 'Oxide: the agent that was used last',
    callback = function()
      used(t)
    end,
  })
end

--- Asks for an agent's command; an error is shown.
---@param name string
---@param args string[]
---@param fn fun(found: oxide.AgentFound)
local function look_up(name, args, fn)
  core.request('agent', { what = 'open', name = name, args = args }, function(err, found)
    if err then
      return ui.error(err)
    elseif not assert(found).ide then
      return fn(found)
    end
    require('oxide.ide').for_agent(found.ide, function(variables)
      found.env = variables
      fn(found)
    end)
  end)
end

--- A session that is loaded again has the name of a terminal: its agent is started.
---@param buf integer
function M.reopen(buf)
  local name = vim.api.nvim_buf_get_name(buf):match('^oxide://agent/([^:]+)')
  look_up(name or '', {}, function(found)
    if vim.api.nvim_buf_is_valid(buf) and vim.bo[buf].buftype == '' then
      launch(buf, found)
    end
  end)
end

--- The agents that Oxide knows by name, those whose program is here first.
---@return { name: string, title: string, here: boolean, install?: string }[]
function M.known()
  local rows = {} ---@type table<string, table>
  local directory = require('oxide.install_paths').runtime() .. '/agents'
  for file in vim.fs.dir(directory) do
    local name = file:match('^(.*)%.lua$')
    local ok, row = pcall(dofile, directory .. '/' .. file)
    rows[name or ''] = ok and name and row or nil
  end
  for name, row in pairs(require('oxide.config').get('agents')) do
    rows[name] = vim.tbl_deep_extend('force', rows[name] or {}, row)
  end
  local list = {}
  for name, row in vim.spairs(rows) do
    local command = vim.tbl_get(row, 'terminal', 'command')
    local programs = command and command[1] or row.executable or name
    local here = vim.iter({ programs }):flatten():any(function(program)
      return vim.fn.executable(program) == 1
    end)
    local title, install = row.title or name, row.install
    table.insert(list, { name = name, title = title, here = here, install = install })
  end
  table.sort(list, function(a, b)
    return a.here == b.here and a.name < b.name or a.here and not b.here
  end)
  return list
end

---@return string[] names of those that run
function M.names()
  local names = {}
  for _, info in pairs(running) do
    names[info.name] = true
  end
  names = vim.tbl_keys(names)
  table.sort(names)
  return names
end

---@return string[]
function M.complete()
  return vim.tbl_map(function(row)
    return row.name
  end, M.known())
end

--- Chooses one where several are here, and calls `fn` with its name.
---@param fn fun(name: string)
local function choose(fn)
  local known = M.known()
  local here = vim.tbl_filter(function(row)
    return row.here
  end, known)
  if #here == 1 then
    return fn(here[1].name)
  elseif #here == 0 then
    local ways = vim.tbl_map(function(row)
      return ('%s: %s'):format(row.name, row.install or 'not installed')
    end, known)
    local text = 'no agent is installed. Install one:\n' .. table.concat(ways, '\n')
    return ui.notify(text, vim.log.levels.ERROR)
  end
  ui.select(known, {
    prompt = 'Which agent?',
    kind = 'oxide',
    format_item = function(row)
      return row.here and row.title
        or ('%s (not installed: %s)'):format(row.title, row.install or row.name)
    end,
  }, function(row)
    if row then
      fn(row.name)
    end
  end)
end

---@class oxide.AgentOpts
---@field name? string   without it, the one that was used last, else one that is chosen
---@field args? string[]   a new one is started with these
---@field mods? table

--- Shows the terminal of an agent, or hides it; starts the agent where it does not run yet.
---@param opts oxide.AgentOpts
function M.open(opts)
  local args = opts.args or {}
  local t = #args == 0 and find(opts.name) or nil
  if t and not t.code then
    if not hide(t) then
      show(t, opts.mods)
    end
    return
  elseif not opts.name then
    return choose(function(name)
      M.open(vim.tbl_extend('force', opts, { name = name }))
    end)
  end
  look_up(opts.name, args, function(found)
    local buf = vim.api.nvim_create_buf(true, false)
    require('oxide.chat.window').split(opts.mods)
    require('oxide.scratch').show(0, buf)
    launch(buf, found)
    vim.cmd.startinsert()
  end)
end

--- Tells an agent, in whatever terminal it runs.
---@param name? string   of the agent, or its id
---@param order { text?: string, submit?: boolean, keys?: string[], stop?: boolean }
---@param on_done? fun(err?: oxide.Error, result?: table)
local function tell(name, order, on_done)
  core.request('agent', { what = 'order', agent = name or '', order = order }, function(err, result)
    if on_done then
      on_done(err, result)
    elseif err then
      ui.error(err)
    end
  end)
end

--- Ends an agent: TERM to all that it has started, and KILL to what does not heed it.
---@param name? string   without it, the one of this buffer, else the one that was used last
function M.stop(name)
  local t = not name and (current() or find()) or nil
  tell(name or t and t.id, { stop = true })
end

--- Those that run, in terminals of Neovim and elsewhere, by name.
---@return { name: string, text: string, stop: fun(), show?: fun() }[]
function M.list()
  local list = {}
  for id, info in pairs(running) do
    local own = vim.iter(terminals):find(function(t)
      return t.id == id and vim.api.nvim_buf_is_valid(t.buf)
    end)
    table.insert(list, {
      name = info.name,
      text = ('%s, %s'):format(info.name, own and 'in a terminal here' or 'in another terminal'),
      stop = function()
        tell(id, { stop = true })
      end,
      show = own and function()
        local win = vim.fn.win_findbuf(own.buf)[1]
        if win then
          vim.api.nvim_set_current_win(win)
        else
          show(own)
        end
      end,
    })
  end
  table.sort(list, function(a, b)
    return a.text < b.text
  end)
  return list
end

--- Stops the agent of this buffer.
---@return boolean there   false: it is none
function M.cancel()
  local t = current()
  if t and not t.code then
    M.stop()
  end
  return t ~= nil and not t.code
end

---@param buf integer
---@param first integer
---@param last integer
---@return string   "src/a.c, lines 3 to 5:" and the lines with their numbers
local function numbered(buf, first, last)
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ':.')
  local lines = vim.api.nvim_buf_get_lines(buf, first - 1, last, false)
  local where = first == last and ('line %d'):format(first)
    or ('lines %d to %d'):format(first, last)
  local state = vim.bo[buf].modified and ', unsaved changes' or ''
  local heading = ('%s, %s%s:'):format(name == '' and 'a buffer' or name, where, state)
  return heading .. '\n' .. table.concat(require('oxide.numbers').lines(lines, first), '\n') .. '\n'
end

---@class oxide.AgentSendOpts: oxide.SendOpts
---@field agent string
---@field keys? string[]      such as { '<Esc>' }, instead of a text
---@field submit? boolean     presses Return behind the text
---@field on_done? fun(err?: oxide.Error, result?: table)

--- Puts lines of the buffer, with their numbers, or a text to an agent's prompt, as if pasted there.
---@param opts oxide.AgentSendOpts
function M.send(opts)
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  local text = opts.text or ''
  if opts.first then
    text = numbered(buf, opts.first, opts.last or opts.first) .. text
  elseif text == '' and not opts.keys then
    text = numbered(buf, 1, vim.api.nvim_buf_line_count(buf))
  end
  local what = opts.keys and { keys = opts.keys } or { text = text, submit = opts.submit == true }
  tell(opts.agent, what, opts.on_done)
end

--- `:Oxide agent`.
---@param inv oxide.Invocation
function M.run(inv)
  local name = inv.args[1]
  if inv.bang and inv.args[2] then
    arguments.refuse('agent! takes the name of an agent')
  elseif inv.bang then
    M.stop(name)
  else
    local args = vim.list_slice(inv.args, 2)
    require('oxide').agent { name = name, args = args, mods = inv.mods }
  end
end

return M
