-- What a sub-command does is said beside the menu of the command line that completes it.
local helper = require('helper')
local screen = require('screen')

local ACTIONS =
  'actions: choose among the code actions at the cursor or in the range, with a diff of each'

-- How its text is broken, beside a menu of that many columns.
local SHOWN = {
  [60] = {
    'actions: choose among the code',
    'actions at the cursor or in the',
    'range, with a diff of each',
  },
  [80] = {
    'actions: choose among the code actions at the cursor',
    'or in the range, with a diff of each',
  },
  [200] = { ACTIONS },
}

-- What is typed behind :Oxide, what is said then, and the widest entry of the menu.
local SECOND = {
  [60] = {
    {
      'test <Tab>',
      says = { 'nearest: the test at the', 'cursor, or the next one', 'above' },
      menu = 'nearest',
    },
    {
      'edit thing rep',
      says = { 'replace: put a', "register's text in its", 'place' },
      menu = 'replace_body',
    },
  },
  [80] = {
    {
      'core <Tab>',
      says = { 'restart: restart the core, or the language', 'server that is named' },
      menu = 'restart',
    },
    { 'diagnostics loc min=', says = { 'min=error: errors alone' }, menu = 'min=error' },
    { 'fix c<Tab>', says = { 'code: only for diagnostics with this code' }, menu = 'cursor' },
  },
  [200] = {
    {
      'mcp ',
      says = { 'config: show what to paste into the configuration of a client' },
      menu = 'config',
    },
    {
      'ide st',
      says = { 'start: start the servers that Claude Code and Gemini CLI connect to' },
      menu = 'status',
    },
    {
      'chat mo',
      says = { 'mode: set the mode of the agent, one of its own' },
      menu = 'model',
    },
    {
      'agent co',
      says = { 'codex: Codex, not installed: npm install -g @openai/codex' },
      menu = 'copilot',
    },
  },
}

-- Whose words are not its own, but names of what there is.
local NAMES = {
  'definition',
  'hover',
  'implementation',
  'patch',
  'records',
  'redo',
  'references',
  'send',
  'symbols',
  'type',
  'undo',
}

local FLOAT = [[(function()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(win).relative ~= '' then
      local buf = vim.api.nvim_win_get_buf(win)
      return vim.tbl_map(vim.trim, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
    end
  end
  return {}
end)()]]

describe('completion of sub-commands', function()
  local child

  before_each(function()
    child = helper.start {}
  end)
  after_each(helper.cleanup)

  ---@param columns integer
  local function attach(columns)
    vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 24, { rgb = true })
    child:lua('vim.o.columns, vim.o.lines, vim.o.laststatus = ..., 24, 2', columns)
  end

  for columns, lines in vim.spairs(SHOWN) do
    it(('says what each does, %d columns wide'):format(columns), function()
      attach(columns)
      child:type(':Oxide <Tab>')
      child:wait('the text', 'vim.deep_equal(' .. FLOAT .. ', ...)', lines)
      for _, line in ipairs(lines) do
        screen.shows_with_floats(child, { line })
      end
      screen.shows_with_floats(child, { 'actions' .. (' '):rep(5) }) -- nothing covers the menu
      child:type('<Tab>')
      child:wait('the next', FLOAT .. "[1]:find('^agent: show or hide') ~= nil")
      child:type('<C-e>r')
      child:wait('no text', '#' .. FLOAT .. ' == 0')
      assert.equal('Oxide r', child:lua('return vim.fn.getcmdline()'))
      child:type('<BS><Tab>')
      child:wait('the text', 'vim.deep_equal(' .. FLOAT .. ', ...)', lines)
      child:type('<C-c>')
      child:wait('no text', '#' .. FLOAT .. ' == 0')
      assert.same({}, child:lua("return vim.api.nvim_get_autocmds { event = 'CmdlineChanged' }"))
    end)
  end

  for columns, rows in vim.spairs(SECOND) do
    it(('says what the words of one do, %d columns wide'):format(columns), function()
      attach(columns)
      for _, row in ipairs(rows) do
        child:type((':Oxide %s<Tab>'):format(row[1]))
        child:wait(row[1], 'vim.deep_equal(' .. FLOAT .. ', ...)', row.says)
        for _, line in ipairs(row.says) do
          screen.shows_with_floats(child, { line })
        end
        screen.shows_with_floats(child, { row.menu .. (' '):rep(2) }) -- nothing covers the menu
        child:type('<C-c>')
        child:wait('no text', '#' .. FLOAT .. ' == 0')
      end
    end)
  end

  it('says nothing while a name is typed, and nothing to scripts', function()
    attach(80)
    assert.equal('rename', child:lua("return vim.fn.getcompletion('Oxide ren', 'cmdline')[1]"))
    child:type(':Oxide rename')
    child:wait('the line', "vim.fn.getcmdline() == 'Oxide rename'")
    assert.same({}, child:lua('return ' .. FLOAT))
    assert.same({}, child:lua("return vim.api.nvim_get_autocmds { event = 'CmdlineChanged' }"))
    child:type('<C-c>')
  end)

  it('has a text for every word of every sub-command that completes any', function()
    child:lua("vim.g.oxide = { models = { fast = { provider = 'anthropic', model = 'm' } } }")
    local found = child:lua([[
      local command, explain = require('oxide.command'), require('oxide.explain')
      local rows = require('oxide.command.words')
      local missing, without, count = {}, {}, 0
      for name, sub in pairs(command.subcommands) do
        local row = rows[name]
        if not row and (sub.words or sub.complete) then
          table.insert(without, name)
        end
        local before = { name }
        for _ = 2, row and row.at or 1 do
          table.insert(before, 'x')
        end
        for _, lead in ipairs(row and { '', 'to' } or {}) do
          local line = table.concat(before, ' ') .. ' ' .. lead
          for _, word in ipairs(command.complete(lead, 'Oxide ' .. line, #line + 6)) do
            count = count + 1
            if not explain.of(vim.list_extend(vim.list_slice(before), { word })) then
              table.insert(missing, name .. ' ' .. word)
            end
          end
        end
      end
      table.sort(without)
      return { missing = missing, without = without, count = count }
    ]])
    assert.same({}, found.missing)
    assert.same(NAMES, found.without)
    assert.is_true(found.count > 50, tostring(found.count))
  end)

  it('has no text for a word that nothing completes', function()
    local stale = child:lua([[
      local command, stale = require('oxide.command'), {}
      for name, row in pairs(require('oxide.command.words')) do
        local line = ('Oxide %s %s'):format(name, row.at == 2 and 'x ' or '')
        for word in pairs(row.words) do
          local lead = word:match('^to=') and word or word:match('^[co][lf].*=$') and '' or word
          if lead ~= '' and #command.complete(lead, line .. lead, #line + #lead) == 0 then
            table.insert(stale, name .. ' ' .. word)
          end
        end
      end
      return stale
    ]])
    assert.same({ 'ask model=' }, stale) -- where there is none
  end)

  it('has a text for every sub-command', function()
    local docs = child:lua([[
      return vim.tbl_map(function(sub) return sub.doc end, require('oxide.command').subcommands)
    ]])
    for name, doc in pairs(docs) do
      assert.is_true(#doc >= 10, name)
    end
  end)
end)
