-- Batches of random calls, renames, edits, undos and questions, that several clients send at once: by
-- one core each, or by that of a Neovim with unsaved buffers, which calls too. The texts are what some
-- order of the calls that were accepted gives (at_once_model.lua), and compile; a call is refused only
-- where another one has changed what it names; and one undo takes back just one call.
--
-- OXIDE_AT_ONCE=100: so many projects of each kind; OXIDE_AT_ONCE_SEED=n: from that one on.
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')
local model = require('at_once_model')
local project = require('project')
local relay = require('relay')

local ROUNDS = tonumber(vim.env.OXIDE_AT_ONCE) or 1
local SEED = tonumber(vim.env.OXIDE_AT_ONCE_SEED) or 1
local BATCHES, CALLS = 3, 8

local FILES = { 'api.h', 'api.c', 'use1.c', 'use2.c' }

local dir, run, child ---@type string, string?, test.Child?
local callers ---@type { ask: fun(tool: string, args: table): fun(): table }[]
local values, made ---@type test.AtOnceValues, table[]

--- What is judged of an answer, which clients get as text.
local function read_answer(said)
  local function member(name)
    return said:match('%f[%a]' .. name .. ': ([^,\n]+)')
  end
  return {
    success = member('success') == 'true',
    transaction = member('transaction'),
    complete = member('complete') and member('complete') == 'true',
    total = tonumber(member('total')),
    summary = member('summary'),
  }
end

---@return fun(tool: string, args: table): fun(): { ok: boolean, said: string, answer: table }
local function of_client(client)
  return function(tool, args)
    local id = client:ask('tools/call', { name = tool, arguments = args })
    return function()
      local result = assert(client:reply(id).result)
      local said = result.content[1].text
      return { ok = not result.isError, said = said, answer = read_answer(said) }
    end
  end
end

local function of_neovim(tool, args)
  local n = child:lua(
    [[
      local tool, args = ...
      _G.answers = _G.answers or {}
      local n = #_G.answers + 1
      _G.answers[n] = false
      require('oxide.core').call(tool, args, { confirm = 'never' }, function(err, answer)
        _G.answers[n] = { ok = not err, said = err and err.message or vim.inspect(answer), answer = answer or {} }
      end)
      return n
    ]],
    tool,
    args
  )
  return function()
    return child:wait('the answer to ' .. tool, ('_G.answers[%d]'):format(n))
  end
end

--- The present texts: of a buffer, where there is one.
local function texts_now()
  local all = {}
  for _, name in ipairs(FILES) do
    all[name] = helper.read(dir .. '/' .. name)
  end
  local open = child
    and child:lua([[
    local all = vim.empty_dict()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) ~= '' then
        local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, true)
        all[vim.fs.basename(vim.api.nvim_buf_get_name(buf))] = table.concat(lines, '\n') .. '\n'
      end
    end
    return all
  ]])
  return vim.tbl_extend('force', all, open or {})
end

local function compiles(texts)
  local where = dir .. '.check'
  vim.fn.mkdir(where, 'p')
  for name, text in pairs(texts) do
    helper.write(where .. '/' .. name, text)
  end
  local command = { 'cc', '-Wall', '-Werror', '-fsyntax-only', 'api.c', 'use1.c', 'use2.c' }
  local done = vim.system(command, { cwd = where, text = true }):wait()
  assert.equal(0, done.code, done.stderr)
end

local function start_client(args, env)
  local client = mcp.start(dir, args, {
    ['elicitation/create'] = function()
      return { action = 'accept', content = vim.empty_dict() }
    end,
  }, env)
  client:initialize('2025-06-18', { elicitation = vim.empty_dict() })
  table.insert(callers, of_client(client))
end

--- A user has some of the files open, and has typed into a comment without writing it.
local function open_some()
  child:cmd('set hidden')
  for _, name in ipairs(FILES) do
    if math.random(2) == 1 then
      child:cmd('edit ' .. name)
    end
    local user = name:match('^use(%d)')
    if user and math.random(2) == 1 then
      local key = ('note %s.1'):format(user)
      local mine = values[key]:gsub('note', 'my note')
      child:cmd('edit ' .. name)
      child:lua(
        'local old, new = ... vim.fn.setline(vim.fn.search([[\\V\\^]] .. old), new)',
        values[key]:sub(1, -2),
        mine:sub(1, -2)
      )
      values[key] = mine
    end
  end
  fault.told(child)
end

local function begin(beside_neovim)
  values, made, callers, child, run = model.values(), {}, {}, nil, nil
  dir = project.begin()
  if beside_neovim then
    run = helper.tempdir()
    local config = 'core = { path = %q, options = %s }, review = { agent = "never" }'
    child = relay.start({}, run, config:format(helper.core, vim.inspect(e2e.PATIENT)))
    dir, project.dir = child.dir, child.dir
    callers = { of_neovim }
  end
  project.fill(model.texts(values))
  project.put('compile_flags.txt', '-Wall\n-Werror\n')
  local args = { '--root', dir }
  if child then
    open_some()
  else
    e2e.write_config(dir .. '/.oxide.lua')
    vim.list_extend(args, { '--config', dir .. '/.oxide.lua' })
  end
  for _ = 1, math.random(beside_neovim and 2 or 3) do
    start_client(args, child and relay.env(dir, run))
  end
end

local function finish()
  project.finish()
  vim.fn.delete(dir .. '.check', 'rf')
  if run then
    vim.fn.delete(run, 'rf')
  end
end

--- Which call an undo has taken back; it is no longer one that is made.
local function taken_back(transaction)
  for i, call in ipairs(made) do
    if call.transaction == transaction then
      return table.remove(made, i)
    end
  end
  error('an undo of ' .. tostring(transaction))
end

local function send()
  local calls, reading = {}, {}
  for _, ask in ipairs(callers) do
    for _, name in ipairs(FILES) do
      table.insert(reading, ask('read_file', { file_path = name }))
    end
  end
  for _, read in ipairs(reading) do
    read()
  end
  for i = 1, CALLS do
    local call = i > 1 and math.random(12) == 1 and { tool = 'undo', args = {}, about = {} }
      or model.call(values)
    -- a user of Neovim means the lines that are there by then; a client, those that it has read
    call.ask = callers[math.random(child and call.beside and 2 or 1, #callers)]
    calls[i] = call
  end
  for _, call in ipairs(calls) do
    call.outcome = call.ask(call.tool, next(call.args) and call.args or vim.empty_dict())
  end
  for _, call in ipairs(calls) do
    local o = call.outcome()
    call.ok, call.said, call.answer, call.outcome = o.ok, o.said, o.answer, nil
  end
  return calls
end

local function told(call)
  return ('%s %s: %s: %s'):format(
    call.tool,
    vim.inspect(call.args):gsub('%s+', ' '),
    call.ok and 'done' or 'refused',
    call.said
  )
end

--- Whether another call that was accepted has changed one of these.
local function is_changed(keys, call, calls)
  for _, other in ipairs(calls) do
    for _, s in ipairs(other ~= call and other.ok and other.steps or {}) do
      if vim.tbl_contains(keys, s.key) then
        return true
      end
    end
  end
  return false
end

local function any_undone(calls)
  return vim.iter(calls):any(function(call)
    return call.tool == 'undo' and call.ok
  end)
end

--- Lines are followed through changes of the same core; but not from what a client has read before
--- them. What another core has taken back looks as if another program had.
local function may_be_refused(call, calls)
  return call.tool == 'undo'
    or is_changed(call.about, call, calls)
    or (call.beside and call.said:find('you read'))
    or (not child and is_changed(call.beside or {}, call, calls))
    or (not child and call.said:find('%(stale%)') and any_undone(calls))
end

local function judge(call, calls)
  if not call.ok then
    assert(call.bad or may_be_refused(call, calls), 'refused')
  elseif call.query then
    local wrong = call.query(call.answer)
    assert(not wrong, wrong)
  else
    assert(not call.bad or is_changed(call.about, call, calls), 'it is wrong, and made')
    assert(call.answer.success and call.answer.transaction, 'not made')
    assert(call.answer.complete ~= false, 'not complete')
  end
end

local function judge_all(calls, steps)
  for _, call in ipairs(calls) do
    local ok, why = pcall(judge, call, calls)
    assert(ok, ('%s: %s'):format(why, told(call)))
  end
  local now = texts_now()
  local after, why = model.after(values, steps, now)
  assert(after, 'no order of them leads to what is there: ' .. (why or ''))
  values = after
  compiles(now)
end

local function batch()
  local calls, steps = send(), {}
  for _, call in ipairs(calls) do
    if call.ok and #(call.steps or {}) > 0 then
      call.transaction = call.answer.transaction
      table.insert(made, call)
    end
  end
  for _, call in ipairs(calls) do
    if call.tool == 'undo' then
      call.steps = call.ok and model.backwards(taken_back(call.answer.transaction).steps) or {}
    end
    vim.list_extend(steps, call.ok and call.steps or {})
  end
  local ok, why = pcall(judge_all, calls, steps)
  assert(ok, ('%s\nof\n%s'):format(why, table.concat(vim.tbl_map(told, calls), '\n')))
end

--- One after the other, the last one first.
local function undo_all()
  while #made > 0 do
    local undone = callers[1]('undo', vim.empty_dict())()
    assert(undone.ok, undone.said)
    local steps = model.backwards(taken_back(undone.answer.transaction).steps)
    local after, why = model.after(values, steps, texts_now())
    assert(after, ('an undo did not take back just one call: %s\n%s'):format(why, undone.said))
    values = after
  end
end

local function session(seed, beside_neovim)
  math.randomseed(seed)
  begin(beside_neovim)
  local first = texts_now()
  local ok, why = xpcall(function()
    for _ = 1, BATCHES do
      batch()
    end
    undo_all()
    assert.same(first, texts_now())
  end, debug.traceback)
  finish()
  assert(ok, ('OXIDE_AT_ONCE_SEED=%d: %s'):format(seed, why))
end

describe('calls at once, at random,', function()
  for what, beside_neovim in
    vim.spairs { ['by cores of their own'] = false, ['beside a Neovim'] = true }
  do
    it(what, function()
      for seed = SEED, SEED + ROUNDS - 1 do
        session(seed, beside_neovim)
      end
    end)
  end
end)
