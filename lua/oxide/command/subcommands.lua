-- The sub-commands of :Oxide, a row each: what it takes and what it does.
local arguments = require('oxide.command.arguments')

---@param lead string
---@return string[]
local function files(lead)
  return vim.tbl_map(function(path)
    return vim.fn.escape(path, ' ')
  end, vim.fn.getcompletion((lead:gsub('\\ ', ' ')), 'file'))
end

local TARGETS = { 'to=chat', 'to=scratch', 'to=+', 'to="' }
local REVIEW = { 'apply', 'discard', 'next', 'prev', 'accept', 'reject' }
local TURN = { 'undo', 'redo', 'review', 'diff', 'accept', 'reject' }
local MCP = { 'config', 'status' }
local CORE = { 'status', 'restart', 'stop', 'log' }
local FORMAT = { 'changed', 'timeout=', 'client=' }
local FIX = { 'cursor', 'buffer', 'project', 'kind=', 'code=' }
local ACTIONS = { 'kind=' }
local PROJECTS = { 'add', 'remove', 'use' }
local DIAGNOSTICS = { 'buffer', 'project', 'loc', 'min=error', 'min=warn', 'min=info', 'min=hint' }

---@type table<string, oxide.Subcommand>
local own = {
  rename = {
    doc = 'rename what is at the cursor, everywhere',
    bang = true,
    max = 1,
    run = function(inv)
      require('oxide').rename(arguments.opts(inv, { name = inv.args[1] }))
    end,
  },
  format = {
    doc = 'format the buffer or the range',
    bang = true,
    range = true,
    complete = function()
      local clients = require('oxide.format').clients(vim.api.nvim_get_current_buf())
      return vim.list_extend(
        { 'changed', 'timeout=' },
        vim.tbl_map(function(name)
          return 'client=' .. name
        end, clients)
      )
    end,
    run = function(inv)
      local given = arguments.parse(inv.args, FORMAT)
      local timeout = given and given.timeout
      if timeout and not tonumber(timeout) then
        arguments.refuse('format: timeout must be a number of milliseconds, such as timeout=5000')
      elseif given and given.changed and inv.range then
        arguments.refuse('format changed does not take a range')
      elseif given then
        require('oxide').format(arguments.opts(inv, {
          changed = given.changed == true,
          timeout_ms = tonumber(timeout),
          client = given.client,
        }))
      end
    end,
  },
  diagnostics = {
    doc = 'list the diagnostics of the buffer or the project',
    words = DIAGNOSTICS,
    run = function(inv)
      local given = arguments.parse(inv.args, DIAGNOSTICS)
      if given then
        require('oxide').diagnostics {
          scope = given.project and 'project' or 'buffer',
          min = given.min --[[@as string]],
          loc = given.loc == true,
          mods = inv.mods,
        }
      end
    end,
  },
  places = {
    doc = 'list the places that the last change told of: left as text, new errors, refused',
    max = 0,
    run = function(inv)
      require('oxide').places { mods = inv.mods }
    end,
  },
  check = {
    doc = "run the project's own checkers, and list what they find",
    max = 0,
    run = function(inv)
      require('oxide').check { mods = inv.mods }
    end,
  },
  test = {
    doc = "run the project's tests, or some: nearest, file, last, failed, or by name",
    complete = function(_, before)
      if #before > 0 then
        return {}
      end
      local tests = require('oxide.tests')
      return vim.list_extend(tests.failed(), vim.list_extend({ 'output' }, tests.WHICH))
    end,
    run = function(inv)
      local word = #inv.args > 1 and inv.text or inv.args[1] -- a name may have spaces
      local tests = require('oxide.tests')
      local which = vim.list_contains(tests.WHICH, word) and word or nil
      if word == 'output' then
        return tests.output()
      end
      require('oxide').test { name = not which and word or nil, which = which, mods = inv.mods }
    end,
  },
  fix = {
    doc = 'apply the fixes on offer at the cursor, in the range or the buffer',
    bang = true,
    range = true,
    words = FIX,
    run = function(inv)
      local given = arguments.parse(inv.args, FIX)
      if given then
        require('oxide').fix(arguments.opts(inv, {
          scope = given.project and 'project' or given.buffer and 'buffer' or 'cursor',
          kind = given.kind,
          code = given.code,
        }))
      end
    end,
  },
  actions = {
    doc = 'choose among the code actions at the cursor or in the range, with a diff of each',
    bang = true,
    range = true,
    words = ACTIONS,
    run = function(inv)
      local given = arguments.parse(inv.args, ACTIONS)
      if given then
        require('oxide').actions(arguments.opts(inv, { kind = given.kind }))
      end
    end,
  },
  review = {
    doc = 'go to the change that needs confirmation',
    bang = true,
    max = 1,
    words = REVIEW,
    run = function(inv)
      if inv.args[1] and not vim.list_contains(REVIEW, inv.args[1]) then
        arguments.unknown(inv.args[1], REVIEW)
      else
        require('oxide').review { action = inv.args[1], force = inv.bang }
      end
    end,
  },
  patch = {
    doc = 'apply a patch from a file, a register or the range, after a review',
    bang = true,
    range = true,
    max = 1,
    complete = files,
    run = function(inv)
      local word = inv.args[1]
      local is_register = word and word:match(require('oxide.text_source').REGISTER)
      if word and inv.range then
        return arguments.refuse('patch takes a file, a register or a range, not two of these')
      end
      require('oxide').patch(arguments.opts(inv, {
        register = is_register and word or nil,
        file = not is_register and word or nil,
        review = inv.bang and not inv.mods.confirm and 'never' or 'always',
      }))
    end,
  },
  context = {
    doc = 'numbered lines of the buffer, the range or files, for a model',
    range = true,
    complete = function(lead)
      return vim.startswith(lead, 'to') and TARGETS or files(lead)
    end,
    run = function(inv)
      local names, to = {}, nil
      for _, arg in ipairs(inv.args) do
        if vim.startswith(arg, 'to=') then
          to = arg:sub(4)
        else
          table.insert(names, arg)
        end
      end
      require('oxide').context(arguments.opts(inv, { files = names, to = to }))
    end,
  },
  ask = {
    doc = 'ask a model about the buffer or the range',
    bang = true,
    range = true,
    complete = function(_, before)
      return #before == 0 and require('oxide.chat.command').named() or {}
    end,
    run = function(inv)
      local model, question = inv.text:match('^model=(%S+)%s*(.*)$')
      question = question or inv.text
      if question == '' then
        return arguments.refuse('ask needs a question')
      end
      require('oxide').ask {
        prompt = question,
        model = model,
        first = inv.range and inv.range[1],
        last = inv.range and inv.range[2],
        review = inv.bang and not inv.mods.confirm and 'never' or nil,
        mods = inv.mods,
      }
    end,
  },
  chat = {
    doc = 'a conversation with a model',
    max = 2,
    complete = function(lead, before)
      return require('oxide.chat.command').complete(lead, before)
    end,
    run = function(inv)
      require('oxide.chat.command').run(inv)
    end,
  },
  send = {
    doc = 'put the buffer, the range or a text to the message in the chat, or to the agent named',
    range = true,
    complete = function(_, before)
      return #before == 0 and require('oxide.agent_terminal').names() or {}
    end,
    run = function(inv)
      local agents = package.loaded['oxide.agent_terminal']
      local agent = agents and vim.list_contains(agents.names(), inv.args[1]) and inv.args[1] or nil
      local text = agent and inv.text:gsub('^%S+%s*', '', 1) or inv.text
      require('oxide').send(
        arguments.opts(inv, { agent = agent, text = text ~= '' and text or nil })
      )
    end,
  },
  agent = {
    doc = 'show or hide an agent in a terminal, and start it; with `!` stop it',
    bang = true,
    complete = function(_, before)
      if before[1] == 'export' then
        return require('oxide.records').sessions()
      end
      local names = #before == 0 and require('oxide.agent_terminal').complete() or {}
      return vim.list_extend(names, #before == 0 and { 'export' } or {})
    end,
    run = function(inv)
      if inv.args[1] == 'export' and not inv.bang then
        require('oxide').export_record { session = inv.args[2] }
      else
        require('oxide.agent_terminal').run(inv)
      end
    end,
  },
  ide = {
    doc = 'start or stop the server for Claude Code, tell who is connected, mention lines to them',
    max = 1,
    range = true,
    complete = function(_, before)
      return #before == 0 and require('oxide.ide').ACTIONS or {}
    end,
    run = function(inv)
      local first, last = unpack(inv.range or {})
      require('oxide').ide { action = inv.args[1], first = first, last = last }
    end,
  },
  records = {
    doc = 'what a model or an agent did in a session: calls, files, commands',
    max = 1,
    complete = function(_, before)
      return #before == 0 and require('oxide.records').sessions() or {}
    end,
    run = function(inv)
      require('oxide').records { session = inv.args[1], mods = inv.mods }
    end,
  },
  cancel = {
    doc = 'cancel what is still running, a turn of a conversation too; stop the agent of this window',
    max = 0,
    run = function()
      local agents = package.loaded['oxide.agent_terminal']
      if agents and agents.cancel() then
        return
      end
      local turns = package.loaded['oxide.chat'] and require('oxide.chat').cancel_all() or 0
      if require('oxide.core').cancel_all() + turns == 0 then
        require('oxide.ui').notify('nothing is running')
      end
    end,
  },
  demo = {
    doc = 'open a copy of a small C project, with a tour beside it',
    max = 0,
    run = function()
      require('oxide.demo').open()
    end,
  },
  history = {
    doc = 'list the changes of this project, to look at one, undo it or make it again',
    max = 0,
    run = function(inv)
      require('oxide').history { mods = inv.mods }
    end,
  },
  turn = {
    doc = 'undo, redo, review, show, accept or reject what a model changed in its last turn, or that one',
    max = 2,
    words = TURN,
    run = function(inv)
      if not inv.args[1] then
        return arguments.refuse('turn needs one of ' .. table.concat(TURN, ', '))
      elseif not vim.list_contains(TURN, inv.args[1]) then
        return arguments.unknown(inv.args[1], TURN)
      end
      require('oxide').turn { action = inv.args[1], turn = inv.args[2], mods = inv.mods }
    end,
  },
  undo = {
    doc = 'undo the last change, or that one, in all its files',
    max = 1,
    complete = function()
      return require('oxide.history').ids(false)
    end,
    run = function(inv)
      require('oxide').undo { transaction = inv.args[1] }
    end,
  },
  redo = {
    doc = 'make the change again that was undone, or that one, in all its files',
    max = 1,
    complete = function()
      return require('oxide.history').ids(true)
    end,
    run = function(inv)
      require('oxide').redo { transaction = inv.args[1] }
    end,
  },
  projects = {
    doc = 'list the projects that are loaded; add {dir}, remove {name}, use {name}',
    max = 2,
    complete = function(lead, before)
      local what = before[1]
      return not what and PROJECTS
        or what == 'add' and files(lead)
        or require('oxide.projects').names()
    end,
    run = function(inv)
      local what, word = inv.args[1], inv.args[2]
      if what and not vim.list_contains(PROJECTS, what) then
        arguments.unknown(what, PROJECTS)
      elseif what and not word then
        arguments.refuse(
          ('projects %s needs %s'):format(what, what == 'add' and 'a directory' or 'a name')
        )
      else
        require('oxide').projects(what and { [what] = word } or { mods = inv.mods })
      end
    end,
  },
  mcp = {
    doc = 'what to paste into an MCP client: config {client}; who is connected: status',
    max = 2,
    complete = function(_, before)
      local names = before[1] == 'config' and require('oxide.mcp').names()
      return names or #before == 0 and MCP or {}
    end,
    run = function(inv)
      local what = inv.args[1]
      local names = require('oxide.mcp').names()
      if what and not vim.list_contains(MCP, what) then
        arguments.unknown(what, MCP)
      elseif what == 'status' and #inv.args == 1 then
        require('oxide.mcp.status').run(inv.mods)
      elseif what == 'status' then
        arguments.refuse('mcp status takes no argument')
      elseif #inv.args < 2 then
        arguments.refuse('mcp needs status, or config and one of ' .. table.concat(names, ', '))
      elseif not vim.list_contains(names, inv.args[2]) then
        arguments.unknown(inv.args[2], names)
      else
        require('oxide.mcp').config(inv.args[2], inv.mods)
      end
    end,
  },
  messages = {
    doc = 'all that Oxide has said in this session',
    run = function(inv)
      require('oxide.messages').open(inv.mods)
    end,
  },
  core = {
    doc = 'the core: status, restart, stop, log; or restart one server',
    max = 2,
    complete = function(_, before)
      if #before > 0 then
        return before[1] == 'restart' and require('oxide.server_news').names() or {}
      end
      return CORE
    end,
    run = function(inv)
      local what, server = inv.args[1] or 'status', inv.args[2]
      if not vim.list_contains(CORE, what) then
        arguments.unknown(what, CORE)
      elseif server and what ~= 'restart' then
        arguments.refuse(('core %s takes no argument'):format(what))
      else
        require('oxide.core_command')[what](inv)
      end
    end,
  },
}

return vim.tbl_extend('error', own, require('oxide.command.subcommands_symbols'))
