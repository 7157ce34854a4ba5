-- What goes on is seen: what is waited for, and what for in turn, for as long as that lasts.
local fault = require('fault')
local helper = require('helper')
local screen = require('screen')

local p, child

local HELD = {
  capabilities = { renameProvider = true, hoverProvider = true },
  on = {
    ['textDocument/hover'] = { hold = 'it', result = { contents = 'what it is' } },
    ['textDocument/rename'] = { hold = 'it', result = { changes = {} } },
  },
}

local LOADING = {
  capabilities = HELD.capabilities,
  on = {
    initialized = {
      after = { { progress = 'begin', title = 'indexing', message = '1 of 2', create = true } },
    },
  },
}

--- It says what it thinks of a text as it is opened, and of a changed one not before it is told to.
---@param names string[]   of the files that it renames in
local function looking(names)
  local opened = vim.tbl_map(function(name)
    return { after = { { publish = '{ROOT}/' .. name, version = 'same' } } }
  end, names)
  local on = { ['textDocument/rename'] = { rename = { files = names } } }
  on['textDocument/didOpen'] = opened
  return { capabilities = HELD.capabilities, on = on }
end

--- The texts of floating windows.
local FLOATS = [[
  function _G.floats()
    local texts = {}
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= '' then
        local buf = vim.api.nvim_win_get_buf(win)
        table.insert(texts, vim.trim(vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1]))
      end
    end
    return table.concat(texts, '|')
  end
  --- What the screen has in the row above the status line and the last one.
  function _G.row()
    vim.cmd.redraw()
    local cells = {}
    for column = 1, vim.o.columns do
      cells[column] = vim.fn.screenstring(vim.o.lines - vim.o.cmdheight - 1, column)
    end
    return vim.trim(table.concat(cells):gsub('^~', ''))
  end
]]

---@param columns integer
local function size(columns)
  child:lua('vim.o.columns, vim.o.lines, vim.o.laststatus = ..., 24, 2', columns)
end

---@param script table
---@param wait? table
---@param server? table
---@param prepare? fun()   before a server is started
---@param options? table   of the core
local function start(script, wait, server, prepare, options)
  p = fault.project(script, options or { ['lsp.index_wait_ms'] = 600000 })
  child = p:nvim({ ['a.txt'] = 'one\n' }, {
    wait = vim.tbl_extend('force', { after_ms = 1 }, wait or {}),
    servers = { fake = server },
  })
  child:lua(FLOATS)
  if prepare then
    prepare()
  end
  child:cmd('edit a.txt')
end

--- That a server loads is said once, and what else is said in that moment may cover it: then again.
---@param seen fun(): boolean
local function wait_loading(seen)
  fault.wait('what loads', function()
    if seen() then
      return true
    end
    child:lua("require('oxide.waits').server { name = 'fake', root = '', state = 'starting' }")
  end)
end

local function status()
  return child:lua("return require('oxide').status()")
end

describe('a wait', function()
  after_each(fault.cleanup)

  it('is shown and told, and is gone with the answer', function()
    start(HELD)
    local n = p:held_hover(child)
    child:wait('the float', "_G.floats() == 'looking up'")
    assert.equal('looking up', status())
    assert.equal('looking up', child:lua('return vim.b.oxide_status'))
    p:act { release = 'it' }
    fault.done(child, n)
    assert.equal('what it is', child:wait('the answer alone', '_G.floats()'))
    assert.equal('', status())
    assert.equal('', child:lua('return vim.b.oxide_status'))
  end)

  it('says which server loads, and how far it is', function()
    start(LOADING, nil, { ready = 'diagnostics' })
    local n = fault.ask(child, 'rename', { name = 'two' })
    local says = 'renaming: fake is loading (indexing 1 of 2)'
    child:wait('the float', '_G.floats() == ...', says)
    assert.equal(says, status())
    assert.equal(says, child:lua('return vim.b.oxide_status'))
    child:cmd('Oxide cancel')
    assert.equal('cancelled', fault.done(child, n).code)
    assert.equal('', child:lua('return _G.floats()'))
  end)

  it('says what a server still does once another thing of it is done', function()
    start(LOADING, nil, { ready = 'diagnostics' })
    local n = fault.ask(child, 'rename', { name = 'two' })
    child:wait('the float', "_G.floats() == 'renaming: fake is loading (indexing 1 of 2)'")
    p:act { progress = 'begin', title = 'scanning', token = 'other', create = true }
    child:wait('the other', "_G.floats() == 'renaming: fake is loading (scanning)'")
    p:act { progress = 'end', token = 'other' }
    child:wait('the first', "_G.floats() == 'renaming: fake is loading (indexing 1 of 2)'")
    child:cmd('Oxide cancel')
    assert.equal('cancelled', fault.done(child, n).code)
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(
      ('for the preview is shown while its name is typed, %d columns wide'):format(columns),
      function()
        start(LOADING, nil, { ready = 'diagnostics' })
        size(columns)
        child:type(':Oxide rename tw')
        child:wait('the float', "_G.floats():find('^preview: fake is loading')")
        child:wait('the row', "_G.row() == 'preview: fake is loading (indexing 1 of 2)'")
        child:type('<C-c>')
        child:wait('no float', "_G.floats() == ''")
      end
    )
  end

  for _, columns in ipairs { 30, 60, 80, 200 } do
    it(('is cut to the screen, %d columns wide'):format(columns), function()
      start(LOADING, nil, { ready = 'diagnostics' })
      size(columns)
      fault.ask(child, 'rename', { name = 'two' })
      local says = 'renaming: fake is loading (indexing 1 of 2)'
      local most = columns - 14
      says = #says > most and says:sub(1, most - 3) .. '...' or says
      child:wait('the row', '_G.row() == ...', says)
    end)
  end

  it('is a message where that is wanted', function()
    start(HELD, { show = 'message' })
    local n = p:held_hover(child)
    child:wait('the status', "require('oxide').status() == 'looking up'")
    assert.equal('', child:lua('return _G.floats()'))
    p:act { release = 'it' }
    fault.done(child, n)
  end)

  it('is not shown where that is not wanted', function()
    start(HELD, { show = 'none' })
    local n = p:held_hover(child)
    child:wait('the status', "require('oxide').status() == 'looking up'")
    assert.equal('', child:lua('return _G.floats()'))
    p:act { release = 'it' }
    fault.done(child, n)
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('covers nothing that is said meanwhile, %d columns wide'):format(columns), function()
      start(LOADING, nil, { ready = 'diagnostics' }, function()
        size(columns)
        child:lua([[
          _G.progressed, vim.notify = 0, _G.last_line
          if vim.fn.exists('##Progress') == 1 then
            vim.api.nvim_create_autocmd('Progress', {
              callback = function() _G.progressed = _G.progressed + 1 end,
            })
          end
          function _G.bottom()
            vim.cmd.redraw()
            local cells = {}
            for column = 1, vim.o.columns do
              cells[column] = vim.fn.screenstring(vim.o.lines, column)
            end
            return vim.trim(table.concat(cells))
          end
        ]])
      end)
      local n = fault.ask(child, 'rename', { name = 'two' })
      wait_loading(function()
        return child:lua('return _G.bottom()') == 'Oxide: fake is loading'
      end)
      child:wait('the float', "_G.floats():find('indexing 1 of 2', 1, true)")
      child:lua("require('oxide.messages').shows = function() return true end") -- says no more
      child:cmd('echo "7 lines written"')
      child:lua('_G.progressed = 0')
      p:act { progress = 'report', message = '2 of 2' }
      child:wait('the float', "_G.floats():find('indexing 2 of 2', 1, true)")
      assert.equal('7 lines written', child:lua('return _G.bottom()'))
      if child:lua("return vim.fn.exists('##Progress')") == 1 then
        assert.equal(1, child:lua('return _G.progressed'))
        assert.matches('progress:c', child:lua('return vim.o.messagesopt'))
      end
      child:cmd('Oxide cancel')
      assert.equal('cancelled', fault.done(child, n).code)
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('for a server is said no longer than it loads, %d columns wide'):format(columns), function()
      start(LOADING, nil, { ready = 'diagnostics' }, function()
        size(columns)
        child:lua('vim.notify = _G.last_line')
      end)
      fault.ask(child, 'rename', { name = 'two' })
      wait_loading(function()
        return vim.trim(screen.row(child)) == 'Oxide: fake is loading'
      end)
      child:wait('the float', "_G.floats():find('indexing 1 of 2', 1, true)")
      child:lua([[
        require('oxide').setup { wait = { after_ms = 600000 } }
        require('oxide.waits').server { name = 'fake', root = '', state = 'starting' }
      ]])
      p:act { progress = 'end' }
      child:wait('no float of it', "not _G.floats():find('indexing')")
      assert.equal((' '):rep(columns), screen.row(child))
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(
      ('for a server is said again where it was covered at once, %d columns wide'):format(columns),
      function()
        start(LOADING, nil, { ready = 'diagnostics' }, function()
          size(columns)
          child:lua([[
          vim.notify, _G.said = _G.last_line, 0
          local messages = require('oxide.messages')
          local say = messages.say
          function messages.say(...)
            say(...)
            _G.said = _G.said + 1
            if _G.said == 1 then
              vim.cmd('redraw | echo "7 lines written"')
            end
          end
        ]])
        end)
        fault.ask(child, 'rename', { name = 'two' })
        screen.shows_last(child, 'Oxide: fake is loading')
        assert.equal(2, child:lua('return _G.said'))
      end
    )
  end

  it('of what a server does once it has loaded is not said to be for that', function()
    start(LOADING, nil, { ready = 'diagnostics' })
    child:type(':Oxide rename tw')
    child:wait('the float', "_G.floats() == 'preview: fake is loading (indexing 1 of 2)'")
    p:act { progress = 'end' }
    child:wait('it to be over', "not require('oxide').status():find('indexing')")
    child:type('<C-c>')
    child:wait('no command line', "vim.fn.mode() == 'n'")
    p:act { progress = 'begin', title = 'checking', token = 'later', create = true }
    child:wait('the check', "require('oxide').status():find('checking')")
    -- What is said of it would be said by now: it has a wait of 1 ms, behind which this one is.
    child:lua('vim.defer_fn(function() _G.later = true end, 5)')
    child:wait('later', '_G.later')
    assert.same({}, child:lua('return _G.messages'))
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('is in status lines as the help has them, %d columns wide'):format(columns), function()
      local help = helper.read(helper.root .. '/doc/oxide.txt')
      local code = assert(help:match('with lualine and with heirline: >lua\n(.-)\n<'))
      start(HELD)
      size(columns)
      -- Neither is here: what it is given, and what it would call.
      child:lua(
        'package.preload.lualine = function() return { setup = function(o) _G.lualine = o end } end'
      )
      child:lua(code .. '\n_G.heirline = Oxide')
      local n = p:held_hover(child)
      child:wait('the status', "require('oxide').status() == 'looking up'")
      assert.equal('looking up', child:lua('return _G.lualine.sections.lualine_x[1]()'))
      assert.equal('looking up', child:lua('return _G.heirline.provider()'))
      local line = screen.row(child, 23)
      assert.matches('^a%.txt +looking up  1,1 All *$', line)
      p:act { release = 'it' }
      fault.done(child, n)
      assert.matches('^a%.txt +1,1 All *$', screen.row(child, 23))
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('for the look at a change says so, %d columns wide'):format(columns), function()
      start(looking { 'a.txt' }, nil, nil, nil, {
        ['rename.verified_files'] = 10,
        ['gate.wait_ms'] = 600000,
        ['lsp.diagnostics_wait_ms'] = 600000,
      })
      size(columns)
      local n = fault.ask(child, 'rename', { name = 'two' })
      child:wait('the row', "_G.row() == 'looking for new errors'")
      assert.equal('looking for new errors', status())
      child:cmd('Oxide')
      screen.shows_with_floats(child, { 'Running  renaming: looking for new errors, for ' })
      child:type('q')
      p:act { publish = '{ROOT}/a.txt', version = 'same' }
      assert.equal(1, fault.done(child, n).result.edits)
      assert.equal('', status())
      assert.equal('', child:lua('return _G.floats()'))
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('says how many files were looked at, %d columns wide'):format(columns), function()
      local names = { 'a.txt', 'b.txt', 'c.txt' }
      start(looking(names), nil, nil, nil, {
        ['rename.verified_files'] = 10,
        ['gate.wait_ms'] = 600000,
        ['lsp.diagnostics_wait_ms'] = 600000,
        ['reach.files'] = 100,
      })
      size(columns)
      helper.write(child.dir .. '/b.txt', 'one\n')
      helper.write(child.dir .. '/c.txt', 'one\n')
      local n = fault.ask(child, 'rename', { name = 'two', review = 'never' })
      for i, name in ipairs(names) do
        local text = ('looking for new errors: %d of 3 files'):format(i - 1)
        child:wait(text, '_G.row() == ...', text)
        assert.equal(text, status())
        p:act { publish = '{ROOT}/' .. name, version = 'same' }
      end
      assert.equal(3, fault.done(child, n).result.files_changed)
      assert.equal('', status())
      assert.equal('', child:lua('return _G.floats()'))
    end)
  end

  it('says nothing of a program that runs for another', function()
    start(HELD)
    child:lua([[
      require('oxide.core').on('progress', vim.json.encode {
        id = 'oxide/run/1', title = 'make test', message = '3 lines', percent = -1, done = false,
      })
    ]])
    local n = p:held_hover(child)
    child:wait('the float', "_G.floats() == 'looking up'")
    p:act { release = 'it' }
    fault.done(child, n)
  end)

  it('is not shown while the answer may still come in time', function()
    start(HELD, { after_ms = 600000 })
    p:held_hover(child)
    assert.equal('', child:lua('return _G.floats()'))
    assert.equal('', status())
    assert.equal('looking up', child:lua('return vim.b.oxide_status'))
  end)
end)

--- A core that begins to serve once it is told to.
local SLOW = [[
  return function(core, method, params)
    if method == 'configure' then
      core.event('message', { level = 'info', text = 'configured' })
      local timer = vim.uv.new_timer()
      timer:start(0, 5, function()
        if vim.uv.fs_stat('.go') then
          timer:close()
          core.ready()
        end
      end)
    elseif method == 'call' then
      core.answer(params[1], { hover = 'what it is' })
    end
  end
]]

describe('a core that is restarted', function()
  after_each(helper.cleanup)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('is said to start while others wait for it, %d columns wide'):format(columns), function()
      child = helper.start_fake(SLOW, { ['a.c'] = 'int a;\n', ['.go'] = '' }, {
        config = 'wait = { after_ms = 1 },',
      })
      child:lua(FLOATS)
      size(columns)
      helper.wake(child)
      child:cmd('edit a.c')
      child:lua("vim.uv.fs_unlink('.go')")
      child:cmd('Oxide core restart')
      local n = fault.ask(child, 'hover', {})
      child:wait('the row', "_G.row() == 'looking up: the core is starting'")
      assert.equal('looking up: the core is starting', status())
      child:cmd('Oxide')
      screen.shows_with_floats(child, {
        'Running  looking up: the core is starting, for ',
        'Core     is starting ',
      })
      child:lua("io.open('.go', 'w'):close()")
      fault.done(child, n)
      screen.shows_with_floats(child, { 'Core     version 0.0.1' })
      child:message('the core is running again')
      assert.equal('', status())
    end)
  end
end)

describe('a float', function()
  after_each(fault.cleanup)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('is there where the window has no room for it, %d columns wide'):format(columns), function()
      start(HELD)
      size(columns)
      child:cmd('set noequalalways | split | resize 1')
      local n = p:held_hover(child)
      p:act { release = 'it' }
      assert.is_nil(fault.done(child, n).code)
      screen.shows_with_floats(child, { 'what it is' })
    end)
  end
end)
