-- The real Claude Code, whose model follows a script, with `oxide mcp` as :Oxide mcp config has it:
-- beside a Neovim whose person looks at the changes, and where there is none.
local agents = require('agents')
local claude = require('claude')
local e2e = require('e2e')
local helper = require('helper')
local model = require('model')
local relay = require('relay')

local SAMPLE = e2e.samples.clangd
local NEW = 'surface'
local BEFORE, AFTER = e2e.before(SAMPLE), e2e.after(SAMPLE, NEW)
-- As the model sees it, in the buffer: one line further down than in the file.
local RENAME = { file_path = 'shape.c', symbol = 'area', line = 4, new_name = NEW }
local PATIENT =
  "lsp = { timeout_ms = 600000 }, core = { path = %q, options = { ['gate.wait_ms'] = 600000 } }"

local seat ---@type test.Seat

if not agents.brought('claude') then
  pending('the set-up brings no Claude Code here')
  return
end

--- A model that calls a tool of Oxide's, and says what it was told.
---@param tool string
---@param args table
---@return test.Script
local function caller(tool, args)
  return function(call, tools)
    local name = 'mcp__oxide__' .. tool
    assert(tools[name], 'it is not among the tools')
    local said = call(name, args)
    return (said.failed and 'failed: ' or 'done: ') .. said.text
  end
end

---@param script test.Script
---@param args? string[]
---@param answers? table<string, fun(request: table): table>
---@return test.Claude
local function start(script, args, answers)
  seat.model = model.start(script)
  return claude.start(seat, 'rename it', args or { '--allowedTools', 'mcp__oxide' }, answers)
end

--- A person's answer to what Claude Code passes on, and the question.
---@param action 'accept'|'decline'
local function person(action)
  local asked = {}
  return {
    elicitation = function(request)
      table.insert(asked, request.message)
      return { action = action, content = vim.empty_dict() }
    end,
  },
    asked
end

--- The person's own settings: tools of any server are in the prompt, not to be sought first.
local function settle(dir)
  local settings = { enableAllProjectMcpServers = true, env = { ENABLE_TOOL_SEARCH = 'false' } }
  helper.write(seat.home .. '/.claude/settings.json', vim.json.encode(settings))
  seat.dir = dir
  seat.model = model.start(function()
    error('there is nothing to ask a model')
  end)
end

--- What :Oxide mcp config shows, in the file that it names.
---@param child test.Child
---@return string   the command that it names instead
local function configure(child)
  child:cmd('Oxide mcp config claude')
  local lines = child:lines()
  local file, command = lines[1]:match('^Claude Code: (%S+) in the project, or: (.*)$')
  helper.write(seat.dir .. '/' .. file, table.concat(lines, '\n', 3))
  child:cmd('close')
  return command
end

local function before_each_test()
  seat = { home = helper.tempdir(), run = helper.tempdir() }
end

local function after_each_test()
  local elsewhere = seat.model.elsewhere
  claude.cleanup()
  model.cleanup()
  helper.cleanup()
  vim.fn.delete(seat.home, 'rf')
  vim.fn.delete(seat.run, 'rf')
  assert.same({}, elsewhere)
end

describe('Claude Code beside Neovim', function()
  local child ---@type test.Child
  local command

  local function assert_untouched()
    assert.same(BEFORE, e2e.disk(SAMPLE, child.dir))
    assert.equal(BEFORE['main.c'], e2e.text(child, 'main.c'))
    assert.equal('// mine\n' .. BEFORE['shape.c'], e2e.text(child, 'shape.c'))
  end

  --- Starts a rename, and waits until it is in the review.
  local function propose()
    local c = start(caller('lsp_rename', RENAME))
    child:event('ReviewOpen')
    assert_untouched()
    return c
  end

  before_each(function()
    before_each_test()
    child = relay.start({}, seat.run, PATIENT:format(helper.core))
    e2e.fill(SAMPLE, child.dir)
    settle(child.dir)
    child:cmd('edit shape.c')
    child:type('ggO// mine<Esc>')
    child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline(1) == '// mine'")
    child:cmd('edit main.c')
    command = configure(child)
  end)
  after_each(after_each_test)

  local CONNECTED = vim.pesc(('oxide: %s mcp - ✔ Connected'):format(helper.core))

  it('connects, as the file says that :Oxide mcp config shows', function()
    assert.matches(CONNECTED, claude.run(seat, { 'claude', 'mcp', 'list' }).stdout)
  end)

  it('connects, after the command that :Oxide mcp config shows', function()
    vim.fn.delete(seat.dir .. '/.mcp.json')
    assert.equal(0, claude.run(seat, { 'sh', '-c', command }).code)
    assert.matches(CONNECTED, claude.run(seat, { 'claude', 'mcp', 'list' }).stdout)
  end)

  it('sees what is not saved', function()
    local args = { file_path = 'shape.c', start_line = 1, end_line = 2 }
    assert.matches('done: .*1: // mine\n2: #include', start(caller('read_file', args)):finish())
  end)

  it('is shown by its own name to who has to decide', function()
    propose()
    assert.matches(
      '\n# asked for by claude%-code %d[%d.]* %(%d+%), ',
      table.concat(child:lines(), '\n')
    )
  end)

  it('renames once the review is accepted, in buffers and files', function()
    local c = propose()
    child:type(':w<CR>')
    local said = c:finish()
    assert.matches('^done: .*edits: 5', said)
    assert.matches('left_modified', said)
    local disk = vim.tbl_extend('force', AFTER, { ['shape.c'] = BEFORE['shape.c'] })
    assert.same(disk, e2e.disk(SAMPLE, child.dir))
    assert.equal(AFTER['main.c'], e2e.text(child, 'main.c'))
    assert.equal('// mine\n' .. AFTER['shape.c'], e2e.text(child, 'shape.c'))
  end)

  it('is told that the review was refused, and nothing is changed', function()
    local c = propose()
    child:type(':q<CR>')
    assert.matches('^failed: .*was not confirmed; nothing was changed', c:finish())
    assert_untouched()
  end)

  it('is told which part the review left out', function()
    local lines = vim.tbl_map(tostring, vim.fn.range(1, 20))
    helper.write(seat.dir .. '/list.txt', table.concat(lines, '\n') .. '\n')
    local function edit(line)
      local text = { old_string = line .. '\n', new_string = line .. ' or so\n' }
      return vim.tbl_extend('error', { edit_type = 'replace', file_path = 'list.txt' }, text)
    end
    local c = start(caller('multi_edit', { operations = { edit('12'), edit('20') } }))
    child:event('ReviewOpen')
    child:type('gg/20 or so<CR> :w<CR>')
    assert.matches('^done: .*left_out:\nlist.txt hunks: 1, lines: %[20%]\n', c:finish())
    lines[12] = '12 or so'
    assert.equal(table.concat(lines, '\n') .. '\n', child:file('list.txt'))
  end)

  it('is told what the person made of it', function()
    local lines = vim.tbl_map(tostring, vim.fn.range(1, 20))
    helper.write(seat.dir .. '/list.txt', table.concat(lines, '\n') .. '\n')
    local text = { old_string = '12\n', new_string = '12 or so\n', file_path = 'list.txt' }
    local c = start(caller('edit_file', text))
    child:event('ReviewOpen')
    child:edit_in_review('12 or so', 'a dozen')
    child:type(':w<CR>')
    assert.matches('changed_by_user:\n%-%-%- a/list.txt\n.*\n%-12 or so\n%+a dozen\n', c:finish())
    lines[12] = 'a dozen'
    assert.equal(table.concat(lines, '\n') .. '\n', child:file('list.txt'))
  end)

  it('that is killed in the middle has its review taken back, and nothing is changed', function()
    propose():kill()
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert_untouched()
  end)
end)

describe('Claude Code without Neovim', function()
  local LOCAL = { file_path = 'shape.c', symbol = 'area_of', line = 5, new_name = 'product' }
  local RENAMED = vim.tbl_extend('force', BEFORE, {
    ['shape.c'] = BEFORE['shape.c']:gsub('area_of', 'product'),
  })

  before_each(function()
    before_each_test()
    settle(helper.tempdir())
    e2e.fill(SAMPLE, seat.dir)
    local server = { command = helper.core, args = { 'mcp' } }
    helper.write(seat.dir .. '/.mcp.json', vim.json.encode { mcpServers = { oxide = server } })
  end)
  after_each(function()
    after_each_test()
    vim.fn.delete(seat.dir, 'rf')
  end)

  it('asks its person, and renames', function()
    local answers, asked = person('accept')
    local said = start(caller('lsp_rename', LOCAL), nil, answers):finish()
    assert.matches('^done: .*edits: 2', said)
    assert.matches('rename area_of to product: 2 places in 1 file.*%+\treturn product;', asked[1])
    assert.same(RENAMED, e2e.disk(SAMPLE, seat.dir))
  end)

  it('is told that its person did not agree, and nothing is changed', function()
    local said = start(caller('lsp_rename', LOCAL), nil, (person('decline'))):finish()
    assert.matches('^failed: .*was not confirmed; nothing was changed', said)
    assert.same(BEFORE, e2e.disk(SAMPLE, seat.dir))
  end)

  it('changes nothing where there is nobody to ask', function()
    seat.model = model.start(caller('lsp_rename', LOCAL))
    local argv = { 'claude', '-p', 'rename it', '--allowedTools', 'mcp__oxide' }
    local said = claude.run(seat, argv).stdout
    assert.matches('^failed: .*was not confirmed; nothing was changed', said)
    assert.same(BEFORE, e2e.disk(SAMPLE, seat.dir))
  end)

  it('is not let at a tool that it was not allowed', function()
    local said = start(caller('read_file', { file_path = 'shape.c' }), {}):finish()
    assert.matches('^failed: ', said)
    assert.not_matches('area_of', said)
  end)

  it('finds a tool that is not in the prompt by what it is for', function()
    helper.write(seat.home .. '/.claude/settings.json', '{ "enableAllProjectMcpServers": true }')
    local c = start(function(call, tools)
      assert(not tools.mcp__oxide__lsp_rename, 'it already exists')
      return call('ToolSearch', { query = 'rename symbol', max_results = 3 }).text
    end)
    assert.matches('mcp__oxide__lsp_rename', c:finish())
  end)
end)
