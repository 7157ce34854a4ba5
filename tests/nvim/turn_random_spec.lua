-- `:Oxide turn undo` and `redo` against what a user has edited since, at random: each edit of the user
-- stays, what the model did is gone, and where both have changed the same lines nothing changes. A
-- model of the text, line by line, says what has to come out.
--
-- OXIDE_TURNS=500: so many turns instead of a few dozens; OXIDE_TURN_SEED=n: those of another run.
local helper = require('helper')
local model_server = require('model_server')

local TURNS = tonumber(vim.env.OXIDE_TURNS) or 40
local SEED = tonumber(vim.env.OXIDE_TURN_SEED) or os.time()
local EDITS = 4 -- of the user in one file, at most

local count = 0

--- No two lines are the same, so that whose is whose is beyond doubt.
---@param who string
local function new_line(who)
  count = count + 1
  return ('<%s %d>'):format(who, count)
end

-- A text as the turn has left it: a list of lines and regions. A region is what the model has changed:
-- its lines now, and those that it had before.
---@class test.Region
---@field now string[]
---@field was string[]
---@field made string[]   as the model left them
---@field near? boolean      the user has edited right beside it: either outcome is fine

---@alias test.Text (string|test.Region)[]

---@param text test.Text
---@param which 'now'|'was'
---@return string[]
local function lines_of(text, which)
  local lines = {}
  for _, one in ipairs(text) do
    vim.list_extend(lines, type(one) == 'string' and { one } or one[which])
  end
  return lines
end

local function random_text()
  local text = {}
  for i = 1, math.random(3, 14) do
    text[i] = new_line('old')
  end
  return text
end

--- The model replaces, deletes or adds lines in up to three places that lie apart.
---@param lines string[]
---@return test.Text
---@return table[] operations   of multi_edit
local function model_edits(lines, file)
  local text, operations, i = {}, {}, 1
  while i <= #lines do
    local is_last = operations[#operations] and type(text[#text]) ~= 'string'
    if not is_last and #operations < 3 and math.random(4) == 1 then
      local was = vim.list_slice(lines, i, math.min(#lines, i + math.random(0, 2)))
      local now = {}
      for k = 1, math.random(0, 3) do
        now[k] = new_line('model')
      end
      table.insert(text, { was = was, now = now, made = vim.deepcopy(now) })
      table.insert(operations, {
        edit_type = 'replace',
        file_path = file,
        old_string = table.concat(was, '\n') .. '\n',
        new_string = #now > 0 and table.concat(now, '\n') .. '\n' or '',
      })
      i = i + #was
    else
      table.insert(text, lines[i])
      i = i + 1
    end
  end
  return text, operations
end

--- Where a line is: its place in the text, and in its region.
---@param text test.Text
---@param line integer
---@return integer at
---@return integer? within
local function place(text, line)
  for at, one in ipairs(text) do
    local n = type(one) == 'string' and 1 or #one.now
    if line <= n then
      return at, type(one) ~= 'string' and line or nil
    end
    line = line - n
  end
  return #text + 1
end

---@param one? string|test.Region
local function is_near(one)
  if type(one) == 'table' then
    one.near = true
  end
end

---@param one? string|test.Region
local function is_gone(one)
  return type(one) == 'table' and #one.now == 0
end

--- The user deletes a line, or puts one before it; not where lines are gone, for nobody can tell
--- whether those come back before it or behind it.
---@param text test.Text
---@param line integer   from 1
---@param new? string    nil: deletes it
---@return boolean done
local function user_edit(text, line, new)
  local at, within = place(text, line)
  local one = text[at]
  if new and (is_gone(one) or is_gone(text[at - 1])) then
    return false
  end
  if within and (not new or within > 1) then
    if new then
      table.insert(one.now, within, new)
    else
      table.remove(one.now, within)
    end
    return true
  end
  is_near(text[at - 1])
  if new then
    is_near(one)
    table.insert(text, at, new)
  else
    is_near(text[at + 1])
    table.remove(text, at)
  end
  return true
end

---@param files table<string, test.Text>
---@param is fun(region: test.Region): boolean?
local function any(files, is)
  return vim.iter(files):any(function(_, text)
    return vim.iter(text):any(function(one)
      return type(one) == 'table' and is(one)
    end)
  end)
end

describe('undo of a turn, at random', function()
  local server, child ---@type test.ModelServer, test.Child

  before_each(function()
    server = model_server.start('openai')
    child = helper.start({ ['a.txt'] = '', ['b.txt'] = '' }, {
      config = ("{ core = { path = %q }, models = { fast = { url = %q, model = 'm1' } }, chat = { kept = 0 } }"):format(
        helper.core,
        server.url
      ),
    })
    child:cmd('edit a.txt')
  end)
  after_each(function()
    helper.cleanup()
    server:stop()
  end)

  -- a.txt is open, and what the user edits there is not saved; b.txt is edited on the disk.
  local function set(file, lines)
    if file == 'b.txt' then
      local text = table.concat(lines, '\n') .. (#lines > 0 and '\n' or '')
      return helper.write(child.dir .. '/b.txt', text)
    end
    child:lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.txt'), 0, -1, true, ...)", lines)
  end

  local function get(file)
    if file == 'b.txt' then
      return vim.fn.readfile(child.dir .. '/b.txt')
    end
    local lines = child:lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, true)")
    return #lines == 1 and lines[1] == '' and {} or lines
  end

  local function ask(operations)
    local call = { id = 'c1', name = 'multi_edit', args = { operations = operations } }
    server:says { calls = { call } }
    server:says { text = 'Done.' }
    child:lua([[
      _G.ended = nil
      require('oxide.chat').new('fast'):send { words = 'go', shown = {}, confirm = 'never',
        on_done = function(err) _G.ended = err and err.message or 'well' end }
    ]])
    assert.equal('well', child:wait('the end of the turn', '_G.ended'))
  end

  ---@param action string
  ---@return string   empty, or the code of an error
  local function turn(action)
    child:lua(
      [[
        _G.code = nil
        require('oxide.turn').run { action = ..., on_done = function(err)
          _G.code = err and err.code or 'done'
        end }
      ]],
      action
    )
    return child:wait('the end of ' .. action, '_G.code')
  end

  --- The user edits one after the other, as the model of the text does.
  local function edit(file, text)
    for _ = 1, math.random(0, EDITS) do
      local lines = #lines_of(text, 'now')
      local deletes = lines > 0 and math.random(2) == 1
      local line = math.random(lines + (deletes and 0 or 1))
      local new = not deletes and new_line('user') or nil
      local done = user_edit(text, line, new)
      if done and file == 'b.txt' then
        set(file, lines_of(text, 'now'))
      elseif done then
        child:lua(
          [[local line, new = ...
            local empty = vim.api.nvim_buf_line_count(0) == 1 and vim.fn.getline(1) == ''
            vim.api.nvim_buf_set_lines(0, line - 1, (new and not empty) and line - 1 or line,
              true, { new })]],
          line,
          new
        )
      end
    end
    assert.same(lines_of(text, 'now'), get(file))
  end

  local function check(round)
    local files, operations = {}, {}
    for _, file in ipairs { 'a.txt', 'b.txt' } do
      local lines = random_text()
      set(file, lines)
      local text, more = model_edits(lines, file)
      files[file] = text
      vim.list_extend(operations, more)
    end
    if #operations == 0 then
      return
    end
    child:cmd('silent write')
    ask(operations)
    for _, file in ipairs { 'a.txt', 'b.txt' } do
      assert.same(lines_of(files[file], 'now'), get(file))
      edit(file, files[file])
    end
    local touched = any(files, function(region)
      return not vim.deep_equal(region.now, region.made)
    end)
    local near = any(files, function(region)
      return region.near
    end)
    local said = turn('undo')
    local about = ('round %d of OXIDE_TURN_SEED=%d: %s'):format(round, SEED, vim.inspect(files))
    if touched or not near then
      assert.equal(touched and 'stale' or 'done', said, about)
    end
    for _, way in ipairs { said == 'done' and 'was' or 'now', 'now' } do
      for file, text in pairs(files) do
        assert.same(lines_of(text, way), get(file), about)
      end
      if way == 'was' and turn('redo') ~= 'done' then
        assert.is_true(near, about)
        break
      end
    end
  end

  it('takes back what the model did, and nothing else', function()
    math.randomseed(SEED)
    for round = 1, TURNS do
      check(round)
    end
  end)
end)
