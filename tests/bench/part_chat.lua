-- A conversation of 10,000 lines on the screen of a terminal: how soon it shows what a model says,
-- what a turn costs, and how long a key waits while words stream in. The model is model.lua; all
-- processes have the same clock.
local bench = require('bench')
local process = require('process')

local LINES = 10000
local PACE = 66000 -- bytes of words a second
local SECONDS = tonumber(vim.env.BENCH_CHAT_SECONDS) or 10
local KEY_MS = 90

-- Models by what they say: how many bytes, and how many a second.
local MODELS = {
  first = '40@400',
  turn = ('%d@%d'):format(PACE, PACE),
  long = ('%d@%d'):format(SECONDS * PACE, PACE),
}

-- What a Neovim needs to be measured: when a key was seen on the screen, how long it had worked until
-- then (process.lua), and when words were seen.
local WATCHED = [[
  _G.keys, _G.frames, _G.shown = {}, {}, nil
  local typed, took, begun = {}, nil, nil
  local function worked()
    local file = assert(io.open('/proc/self/schedstat'))
    local ns = file:read('*n')
    file:close()
    return ns
  end
  vim.api.nvim_create_autocmd('InsertCharPre', { callback = function()
    table.insert(typed, true)
  end })
  vim.api.nvim_set_decoration_provider(vim.api.nvim_create_namespace('bench'), {
    on_start = function() begun = vim.uv.hrtime() end,
    on_end = function()
      local now = vim.uv.hrtime()
      for _ in ipairs(typed) do
        table.insert(_G.keys, { at = now, worked = worked() })
      end
      typed = {}
      if took then
        _G.shown = _G.shown or now
        table.insert(_G.frames, (took + now - begun) / 1e6)
        took = nil
      end
    end,
  })
  if pcall(require, 'oxide.chat.events') then
    local events = require('oxide.chat.events')
    local take = events.take
    function events.take(talk, value)
      local before = vim.uv.hrtime()
      take(talk, value)
      if value.kind == 'text' then
        took = (took or 0) + vim.uv.hrtime() - before
      end
    end
  end
]]

-- A conversation as long as that, as it is taken up from a transcript: code, thoughts and calls too.
local LOADED = [[
  local lines = ...
  local chat = require('oxide.chat')
  local text = table.concat({
    'See *this* `value`, which is the last one.', '', '```c', 'int f(int x)', '{',
    '\treturn x + 1;', '}', '```', '', 'And then **that**.',
  }, '\n')
  local rows = {}
  local function row(role, parts, more)
    local message = vim.json.encode { role = role, parts = parts }
    table.insert(rows, vim.tbl_extend('error', { message = message }, more or {}))
  end
  local function words(said)
    return { kind = 'text', text = said }
  end
  for i = 1, lines / 100 do
    local id = 'c' .. i
    row('person', { words('And what is this?') }, { sent = { words = 'And what?', shown = {} } })
    row('model', {
      { kind = 'thought', text = ('I have to think.\n'):rep(5) },
      words(text .. ('\n\n' .. text):rep(3)),
      { kind = 'call', id = id, name = 'read_file', text = '{"file_path":"a.c"}' },
    })
    local result = { kind = 'result', id = id, name = 'read_file', text = ('1: int a;\n'):rep(20) }
    row('tools', { result }, { lines = { [id] = 'read_file a.c' } })
    row('model', { words(text .. ('\n\n' .. text):rep(1)) })
  end
  local talk = chat.new('first')
  talk:load(rows)
  chat.show(talk)
  return vim.api.nvim_buf_line_count(0)
]]

-- A buffer as long as that in Neovim alone.
local PLAIN = [[
  local lines = {}
  for i = 1, ... do
    lines[i] = i % 10 == 3 and '```c' or i % 10 == 8 and '```' or 'a line of text, ' .. i
  end
  vim.cmd.enew()
  vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
  vim.wo.wrap, vim.wo.linebreak, vim.wo.breakindent = true, true, true
  return vim.api.nvim_buf_line_count(0)
]]

-- Sends a message to the model of that name; says how long the turn took, in ms.
local SENT = [[
  local begun = vim.uv.hrtime()
  _G.shown = nil
  require('oxide.chat').current():send { words = 'Go on.', shown = {}, model = ..., on_done = function(err)
    say { ms = (vim.uv.hrtime() - begun) / 1e6, err = err and err.message, shown = _G.shown }
  end }
]]

---@param cmd string[]
---@param on_line fun(line: string)
local function start(cmd, on_line)
  local part = ''
  return vim.fn.jobstart(cmd, {
    on_stdout = function(_, data)
      data[1] = part .. data[1]
      part = table.remove(data)
      vim.tbl_map(on_line, data)
    end,
  })
end

---@return { url: string, told: integer[] }   when it began each answer
local function start_model()
  local server = { told = {} }
  local script = bench.root .. '/tests/bench/model.lua'
  bench.adopt(start({ bench.nvim, '-u', 'NONE', '-i', 'NONE', '-n', '-l', script }, function(line)
    table.insert(server.told, tonumber(line))
  end))
  bench.wait('the port of the model', function()
    return #server.told > 0
  end)
  server.url = ('http://127.0.0.1:%d/v1'):format(table.remove(server.told, 1))
  return server
end

local SCREEN = { width = 100, height = 40 }

--- The stream alone, read by nobody who does anything with it.
---@param url string
---@param model string
---@return number ms
local function bare(url, model)
  local body = ('{"model":"%s"}'):format(model)
  local begun = vim.uv.hrtime()
  local ran = vim
    .system({ 'curl', '--silent', '--no-buffer', '--data', body, '--output', '/dev/null', url })
    :wait()
  assert(ran.code == 0, 'curl failed')
  return (vim.uv.hrtime() - begun) / 1e6
end

---@param child bench.Child
---@param model string
---@return { ms: number, shown?: integer }
local function turn(child, model)
  local said = child:await(SENT, model)
  assert(not said.err, said.err)
  return said
end

--- Types until then, a key after the other: how long each was on its way to the screen, and how much of
--- that Neovim worked on it. The rest it waited for the machine, which others use as well.
---@param child bench.Child
---@param done fun(): boolean
---@return number[] ms
---@return number[] worked   ms
local function typed(child, done)
  local pressed = {}
  child:lua("_G.keys = {}; vim.cmd('normal! G'); vim.cmd.startinsert()")
  local pid = child:lua('return vim.fn.getpid()')
  repeat
    table.insert(pressed, { at = vim.uv.hrtime(), worked = process.worked(pid) })
    vim.fn.chansend(child.terminal, #pressed % 8 == 0 and ' ' or 'x')
  until vim.wait(KEY_MS, done)
  bench.wait('the last key', function()
    return child:lua('return #_G.keys') == #pressed
  end)
  local seen = child:lua('return _G.keys')
  local function between(what)
    return bench.each(seen, pressed, function(a, b)
      return (a[what] - b[what]) / 1e6
    end)
  end
  return between('at'), between('worked')
end

---@param child bench.Child
---@return number[] keys    in ms
---@return number[] worked  on each, in ms
---@return number[] frames  in ms: taking the words, and drawing
---@return number mb        that it took
local function typed_while_streaming(child)
  local pid = child:lua('collectgarbage(); return vim.fn.getpid()')
  local before, told = process.megabytes(pid), nil
  child:lua('_G.frames, _G.ended = {}, nil')
  child:lua([[
    require('oxide.chat').current():send {
      words = 'Go on.', shown = {}, model = 'long',
      on_done = function(err) _G.ended = err and err.message or 'well' end,
    }
  ]])
  local keys, worked = typed(child, function()
    told = child:lua('return _G.ended')
    return told ~= vim.NIL
  end)
  assert(told == 'well', told)
  child:lua('collectgarbage()')
  return keys, worked, child:lua('return _G.frames'), process.megabytes(pid) - before
end

---@param what string
---@param relation string
---@param goal number
---@param ours number[]
---@param base? number[]
---@param against? string
---@return bench.Row
local function row(what, relation, goal, ours, base, against)
  return {
    what = what,
    unit = relation == 'size' and 'MB' or 'ms',
    ours = ours,
    base = base or ours,
    against = against or '',
    relation = relation,
    goal = goal,
  }
end

--- How soon words are there, and what a turn takes, beside the stream alone.
---@param child bench.Child
---@param model { url: string, told: integer[] }
---@return bench.Row[]
local function measure_turns(child, model)
  local first, turns, alone = {}, {}, {}
  for round = 0, bench.rounds or 15 do
    local shown = turn(child, 'first').shown
    local began = model.told[#model.told]
    local ms = turn(child, 'turn').ms
    local raw = bare(model.url, MODELS.turn)
    if round > 0 then -- the first one warms up
      table.insert(first, (shown - began) / 1e6)
      table.insert(turns, ms)
      table.insert(alone, raw)
    end
  end
  return {
    row('first words of an answer, from the model to the screen', 'plain', 5, first),
    row('a turn that streams 66 KB in a second', 'ratio', 1.05, turns, alone, 'curl to /dev/null'),
  }
end

--- How long keys wait, beside a Neovim that has nothing else to do.
---@param child bench.Child
---@param plain bench.Child
---@return bench.Row[]
local function measure_typing(child, plain)
  local ends = vim.uv.now() + SECONDS * 1000
  local idle, worked_idle = typed(plain, function()
    return vim.uv.now() > ends
  end)
  local keys, worked, frames, mb = typed_while_streaming(child)
  local what = ('%d s of 66 KB/s into a chat of 10,000 lines: '):format(SECONDS)
  local function most(list)
    return { math.max(unpack(list)) }
  end
  local alone = 'Neovim alone, which is idle'
  return {
    row(what .. 'a frame', 'plain', 2, frames),
    row(what .. 'a key', 'plain', 16, keys, idle, alone),
    row(what .. 'the slowest key', 'plain', 16, most(keys), most(idle), alone),
    row(what .. 'the most work on a key', 'plain', 16, most(worked), most(worked_idle), alone),
    row(what .. 'memory', 'size', 64, { mb }),
  }
end

return function()
  local model, models = start_model(), {}
  for name, id in pairs(MODELS) do
    models[name] = { url = model.url, model = id, window = 100000000 }
  end
  local plain = bench.child(nil, nil, SCREEN)
  local child = bench.child(nil, { chat = { kept = 0 }, models = models }, SCREEN)
  for _, each in ipairs { plain, child } do
    each:lua(WATCHED)
  end
  child:lua(LOADED, LINES)
  plain:lua(PLAIN, LINES)
  return vim.list_extend(measure_turns(child, model), measure_typing(child, plain))
end
