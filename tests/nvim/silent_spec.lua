-- `:silent Oxide ...` says nothing but errors and `:silent!` not even those, though most answers come
-- after the command. What it does is the same.
local fault = require('fault')
local screen = require('screen')

local SCRIPT = {
  lint = { { word = 'nothing' } },
  capabilities = {
    renameProvider = true,
    hoverProvider = true,
    definitionProvider = true,
    typeDefinitionProvider = true,
    implementationProvider = true,
    referencesProvider = true,
    documentSymbolProvider = true,
    documentFormattingProvider = true,
    codeActionProvider = true,
  },
  on = {
    ['textDocument/rename'] = { rename = { files = { 'a.txt' } } },
    ['textDocument/hover'] = { result = vim.NIL },
  },
}
for _, method in ipairs {
  'definition',
  'typeDefinition',
  'implementation',
  'references',
  'documentSymbol',
  'formatting',
  'codeAction',
} do
  SCRIPT.on['textDocument/' .. method] = { result = {} }
end

-- Once the core has answered all that was asked, and each program has ended that was run.
local DONE = '_G.programs == 0 and not _G.is_asked()'
local COUNT_PROGRAMS = [[
  function _G.is_asked()
    for id = 1, 1000 do
      if require('oxide.core').pending(id) then
        return true
      end
    end
    return false
  end
  _G.programs = 0
  local system = vim.system
  vim.system = function(command, opts, done)
    _G.programs = _G.programs + (done and 1 or 0)
    return system(command, opts, done and function(result)
      done(result)
      vim.schedule(function() _G.programs = _G.programs - 1 end)
    end)
  end
]]

-- The tab of `:Oxide demo` has a directory of its own.
local RESET = 'silent! tabfirst | silent! tabonly | silent! only | edit! a.txt'

local child

---@param files? table<string, string>
local function start(files)
  child = fault.project(SCRIPT, { ['reach.files'] = 100 }):nvim(files or { ['a.txt'] = 'old\n' })
  child:cmd('set hidden | edit a.txt')
  child:lua(COUNT_PROGRAMS)
  child:lua([[
    vim.ui.input = function(_, answer) answer(nil) end
    vim.ui.select = function(_, _, answer) answer(nil) end
  ]])
end

--- What has been said since the last time: texts, and levels by text.
---@return string[]
---@return table<string, integer>
local function said()
  local texts, levels = {}, {}
  for _, message in ipairs(child:lua('local all = _G.messages _G.messages = {} return all')) do
    table.insert(texts, message.text)
    levels[message.text] = message.level
  end
  return texts, levels
end

--- Runs it, and waits for all that comes of it.
---@param command string
local function run(command)
  child:cmd(command)
  child:lua([[
    for _, chan in ipairs(vim.api.nvim_list_chans()) do
      if chan.client and chan.client.name == 'oxide' then
        vim.rpcrequest(chan.id, 'ping')
      end
    end
  ]])
  child:wait(command, DONE)
end

describe(':silent', function()
  after_each(fault.cleanup)

  it('says nothing of a change, made, undone and made again', function()
    start()
    for _, step in ipairs {
      { 'Oxide! rename new', 'new\n', 'Renamed' },
      { 'Oxide undo', 'old\n', 'Undid' },
      { 'Oxide redo', 'new\n', 'Redid' },
      { 'Oxide undo', 'old\n', 'Undid' },
    } do
      run('silent ' .. step[1])
      fault.wait(step[1], function()
        return child:file('a.txt') == step[2]
      end)
      assert.same({}, (said()))
    end
    run('unsilent Oxide redo')
    child:message('Redid rename old to new in 1 file')
    said()
    run('silent Oxide messages')
    assert.equal(1, #child:lines()) -- what was not said is not there either
    child:cmd('close')
    run('silent unsilent Oxide undo')
    child:message('Undid')
  end)

  it('says nothing where the modifier is before what runs the command', function()
    start()
    child:cmd('nnoremap Q :Oxide undo<CR>')
    for _, step in ipairs {
      { [[silent execute 'Oxide! rename new']], 'new\n' },
      { 'silent normal Q', 'old\n' },
      { [[silent call nvim_command('Oxide redo')]], 'new\n' },
      { [[silent lua vim.cmd.Oxide('undo')]], 'old\n' },
    } do
      run(step[1])
      fault.wait(step[1], function()
        return child:file('a.txt') == step[2]
      end)
      assert.same({}, (said()), step[1])
    end
    run([[silent execute 'Oxide frobnicate']])
    assert.equal(1, #said())
    run([[silent! execute 'Oxide frobnicate']])
    assert.same({}, (said()))
    run([[silent execute 'unsilent Oxide redo']])
    child:message('Redid')
    run([[call execute('Oxide undo')]])
    child:message('Undid')
    said()
    run([[call execute('silent Oxide redo')]])
    assert.same({}, (said()))
  end)

  it('holds for a change that is accepted under it, whoever has asked', function()
    start()
    child:lua("require('oxide').rename { name = 'new', review = 'always' }")
    child:event('ReviewOpen')
    child:cmd('silent Oxide review apply')
    child:wait('the end', DONE)
    assert.equal('new\n', child:file('a.txt'))
    assert.same({}, (said()))
    run('Oxide undo')
    child:message('Undid')
  end)

  it('holds for what is asked meanwhile', function()
    start()
    child:lua("vim.ui.input = function(_, answer) vim.schedule(function() answer('new') end) end")
    run('silent Oxide rename')
    fault.wait('the rename', function()
      return child:file('a.txt') == 'new\n'
    end)
    assert.same({}, (said()))
    run('Oxide undo')
    child:message('Undid')
  end)

  it('says errors, but not with !, of every sub-command', function()
    start()
    local names = child:lua("return vim.tbl_keys(require('oxide.command').subcommands)")
    table.sort(names)
    local spoke, failed = 0, 0
    vim.list_extend(names, { 'frobnicate', 'turn frobnicate', 'lsp_frobnicate' })
    for _, name in ipairs(names) do
      child:cmd(RESET)
      run('Oxide ' .. name)
      local loud, levels = said()
      child:cmd(RESET)
      run('silent Oxide ' .. name)
      local texts, after = said()
      for _, text in ipairs(texts) do
        assert.equal(vim.log.levels.ERROR, after[text], text)
      end
      for _, text in ipairs(loud) do
        local is_error = levels[text] == vim.log.levels.ERROR
        spoke, failed = spoke + (is_error and 0 or 1), failed + (is_error and 1 or 0)
        assert.equal(is_error, vim.list_contains(texts, text), name .. ': ' .. text)
      end
      child:cmd(RESET)
      run('silent! Oxide ' .. name)
      assert.same({}, (said()), name)
    end
    assert.is_true(spoke >= 5 and failed >= 5, ('%d spoke, %d failed'):format(spoke, failed))
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('shows no wait, and no server that loads, %d columns wide'):format(columns), function()
      local p = fault.project {
        capabilities = { hoverProvider = true },
        on = {
          initialized = {
            after = {
              { progress = 'begin', title = 'indexing', message = '1 of 2', create = true },
            },
          },
          ['textDocument/hover'] = { hold = 'it', result = { contents = 'what it is' } },
        },
      }
      child = p:nvim({ ['a.txt'] = 'one\n' }, { wait = { after_ms = 1 } })
      vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 20, {})
      child:lua('vim.o.columns, vim.o.lines = ..., 20', columns)
      child:cmd('edit a.txt')
      child:cmd('silent Oxide hover')
      child:wait(
        'the status',
        "require('oxide').status():find('^looking up: fake is loading %(indexing')"
      )
      p:wait_received('textDocument/hover')
      assert.same({}, (said()))
      assert.equal(1, child:lua('return #vim.api.nvim_list_wins()'))
      child:cmd('Oxide hover') -- another one, aloud
      child:wait('the float', '#vim.api.nvim_list_wins() == 2')
      screen.shows_with_floats(child, { 'looking up: fake is loading (indexing 1 of 2)' })
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('leaves the last line as it is, %d columns wide'):format(columns), function()
      start()
      vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 20, {})
      child:lua('vim.o.columns, vim.o.lines, vim.notify = ..., 20, _G.last_line', columns)
      child:cmd("echo 'as before'")
      for _, command in ipairs {
        'silent Oxide! rename new',
        'silent Oxide undo',
        'silent! Oxide undo x',
      } do
        run(command)
        screen.shows_last(child, 'as before')
      end
      for _, command in ipairs { 'frobnicate', 'undo x' } do
        child:cmd("echo 'as before'")
        run('silent Oxide ' .. command)
        fault.wait('the error', function()
          return vim.startswith(screen.row(child), 'Oxide: ')
        end)
        assert.same({ mode = 'n', blocking = false }, vim.rpcrequest(child.chan, 'nvim_get_mode'))
      end
    end)
  end
end)
