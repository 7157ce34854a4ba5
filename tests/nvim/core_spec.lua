local helper = require('helper')

--- A child whose core is a stand-in that runs `script`.
local function start(script, files, config)
  local dir = helper.tempdir()
  local core = helper.fakecore(dir, script)
  return helper.start(
    vim.tbl_extend('keep', files or {}, { ['a.c'] = 'int old(void);\n' }),
    { config = ('{ core = { path = %q, %s } }'):format(core, config or '') }
  )
end

local READY =
  "return function(core, method, params) if method == 'configure' then core.ready() end "

describe('the core', function()
  after_each(helper.cleanup)

  it('is not started, and no module loaded, before the first command', function()
    local child = helper.start()
    assert.same(
      {},
      child:lua([[
      return vim.tbl_filter(function(name) return name:find('^oxide') ~= nil end, vim.tbl_keys(package.loaded))
    ]])
    )
    assert.same({}, child:lua('return vim.fn.getcompletion("OxideX", "command")'))
  end)

  it('is told of the buffers, and of what becomes of them', function()
    local child = start(READY .. [[
      if method:find('^buf_') then
        core.data[#core.data + 1] = method .. ' ' .. params[1]
      elseif method == 'call' then
        core.answer(params[1], { hover = table.concat(core.data, '\n') })
      end
    end]], { ['b.py'] = 'x = 1\r\n' })
    child:cmd('edit a.c')
    child:lua("require('oxide').hover { on_done = function() _G.up = true end }")
    child:wait('the core', '_G.up')
    child:cmd('edit b.py')
    child:type('Oy = 2<Esc>')
    child:wait('the typed line', "vim.fn.getline(1) == 'y = 2' and vim.fn.mode() == 'n'")
    child:type(':write<CR>')
    child:wait('the written file', 'not vim.bo.modified')
    child:cmd('buffer a.c | bwipeout b.py')
    child:lua("require('oxide').hover { on_done = function(_, r) _G.told = r.hover end }")
    local told = vim.split(child:wait('what it was told', '_G.told'), '\n')
    local function find(method, members)
      for _, line in ipairs(told) do
        local name, json = line:match('^(%S+) (.*)$')
        local value = vim.json.decode(json)
        local same = name == method
        for key, want in pairs(members) do
          same = same and value[key] == want
        end
        if same then
          return true
        end
      end
      error(
        ('not told: %s %s\nbut %s'):format(method, vim.inspect(members), table.concat(told, '\n'))
      )
    end
    find('buf_open', { path = child.dir .. '/a.c', filetype = 'c', crlf = false, eol = true })
    find('buf_open', { path = child.dir .. '/b.py', filetype = 'python', crlf = true })
    find('buf_info', { path = child.dir .. '/b.py', modified = true })
    find('buf_saved', { path = child.dir .. '/b.py', modified = false })
    find('buf_close', {})
  end)

  it('that ends owes nothing: calls fail, and the next command starts it again', function()
    local child = start(READY .. [[
      if method == 'call' then
        if params[3]:find('die') then os.exit(7) end
        core.answer(params[1], { hover = '' })
      end
    end]])
    child:cmd('edit a.c')
    child:lua(
      "require('oxide').rename { name = 'die', on_done = function(err) _G.err = err.message end }"
    )
    local said = child:wait('the error', '_G.err')
    assert.matches('ended unexpectedly; the next command restarts it %(exit code 7%)', said)
    child:message('ended unexpectedly')
    assert.is_false(child:event('CoreExit').expected)
    child:lua("require('oxide').hover { on_done = function(err) _G.again = err == nil end }")
    child:wait('the answer of the second core', '_G.again')
  end)

  it('that ends goes on in the same project, wherever the user has gone meanwhile', function()
    local child = start(READY .. [[
      if method == 'call' then
        if params[3]:find('die') then os.exit(7) end
        core.answer(params[1], { hover = '' })
      end
    end]], { ['.git/HEAD'] = '', ['sub/.git/HEAD'] = '', ['sub/b.c'] = 'int b;\n' })
    local function root_of(command)
      child:cmd(command)
      child:lua("_G.up = nil require('oxide').hover { on_done = function() _G.up = true end }")
      child:wait('the core', '_G.up')
      return child:lua("return require('oxide.process').root")
    end
    assert.equal(child.dir, root_of('edit a.c'))
    child:lua("require('oxide').rename { name = 'die' }")
    child:event('CoreExit')
    assert.equal(child.dir, root_of('edit sub/b.c'))
    child:cmd('Oxide core restart')
    child:event('CoreExit')
    assert.equal(child.dir .. '/sub', root_of('edit sub/b.c'))
  end)

  it('takes no directory for its project into which everybody may write', function()
    local child = start(READY .. [[
      if method == 'call' then core.answer(params[1], { hover = '' }) end
    end]], { ['.git/HEAD'] = '', ['own/b.c'] = 'int b;\n' })
    assert(vim.uv.fs_chmod(child.dir, tonumber('1777', 8)))
    child:cmd('cd own | edit b.c')
    child:lua("require('oxide').hover { on_done = function() _G.up = true end }")
    child:wait('the core', '_G.up')
    assert.equal(child.dir .. '/own', child:lua("return require('oxide.process').root"))
  end)

  it('that is being restarted lets what is asked meanwhile wait for the next one', function()
    local child = start(READY .. [[
      if method == 'call' and params[3]:find('before', 1, true) then
        core.event('message', { level = 'info', text = 'asked' })
      elseif method == 'call' then
        core.answer(params[1], { pid = vim.uv.os_getpid() })
      end
    end]])
    child:lua([[
      local core = require('oxide.core')
      function _G.ask(word)
        core.call('x', { word = word }, {}, function(err, result)
          _G[word] = err and err.message or result.pid
        end)
      end
      _G.ask('before')
    ]])
    child:message('asked')
    local pid = child:lua("return require('oxide.process').pid")
    child:lua("require('oxide.core').control('restart') _G.ask('meanwhile')")
    assert.equal('the core was stopped', child:wait('the first answer', '_G.before'))
    assert.not_equal(pid, child:wait('the second answer', '_G.meanwhile'))
    assert.equal(child:lua("return require('oxide.process').pid"), child:lua('return _G.meanwhile'))

    child:lua("_G.before = nil vim.g.oxide = { core = { path = '/nowhere' } }")
    child:lua("require('oxide').setup { core = { path = '/nowhere' } }")
    child:lua("require('oxide.core').control('restart') _G.ask('before')")
    assert.matches('/nowhere', child:wait('the failure', '_G.before'))
  end)

  it('is started once Neovim has made a directory for its own state', function()
    local child = start(READY .. ' end')
    child:lua([[
      local mkdir = vim.fn.mkdir
      vim.fn.mkdir = function(...)
        _G.phase = require('oxide.process').phase
        return mkdir(...)
      end
    ]])
    helper.wake(child)
    assert.equal('waiting', child:lua('return _G.phase'))
  end)

  it('is not started where Neovim has no place for its own state, and that is said', function()
    local child = helper.start({}, {
      config = ('{ core = { path = %q } }'):format(helper.core),
      env = { XDG_STATE_HOME = '/proc/none' },
    })
    local answer = child:call('read_file', { file_path = 'a.txt' })
    assert.equal('no_core', answer.err.code)
    assert.matches('not started: .*Cannot create directory /proc/none', answer.err.message)
  end)

  it('says when it is stopped, and when it runs again', function()
    local child = start(READY .. ' end')
    child:cmd('Oxide core stop')
    child:message('^Oxide: the core does not run')
    child:cmd('Oxide core restart')
    child:message('^Oxide: the core is running again')
    child:cmd('Oxide core stop')
    child:message('^Oxide: the core is stopped; the next command starts it')
    child:lua('_G.messages = {}')
    child:cmd('Oxide') -- which starts it by itself
    child:wait('the page', "vim.fn.search('^Core ', 'nw') > 0")
    assert.same({}, child:lua('return _G.messages'))
  end)

  it('that keeps ending is given up, until it is restarted', function()
    local child = start(READY .. "if method == 'call' then os.exit(7) end end")
    child:cmd('edit a.c')
    for i = 1, 3 do
      child:lua("require('oxide').hover { on_done = function() _G.n = (_G.n or 0) + 1 end }")
      child:wait('failure ' .. i, '_G.n == ' .. i)
    end
    child:message('third time within a minute')
    child:lua("require('oxide').hover { on_done = function(err) _G.last = err.message end }")
    assert.matches(':Oxide core restart', child:wait('the refusal', '_G.last'))
    child:lua('_G.events = {}')
    child:cmd('Oxide core restart')
    child:event('Ready')
  end)

  it('that hangs is ended, and the editor goes on meanwhile', function()
    local child =
      start(READY .. "if method == 'call' then while true do end end end", nil, 'hang_ms = 300')
    child:cmd('edit a.c')
    child:lua("require('oxide').hover { on_done = function(err) _G.err = err.code end }")
    child:event('Ready')
    child:type('ihello <Esc>')
    child:wait('what was typed', "vim.fn.getline(1):find('^hello')")
    assert.equal('timeout', child:wait('the time-out', '_G.err'))
  end)

  it('is not blamed while Neovim itself takes no events, as at a prompt', function()
    local child = start(READY .. [[
      if method == 'call' and not core.data.first then
        core.data.first = params[1]
      elseif method == 'call' then
        core.answer(core.data.first, { hover = '' })
        core.answer(params[1], { hover = '' })
      end
    end]], nil, 'hang_ms = 3000')
    child:cmd('edit a.c')
    child:lua("require('oxide').hover { on_done = function(err) _G.first = err or 'answered' end }")
    child:wait('the core', "require('oxide.core').running()")
    child:lua(
      [[
        local beats, timer = 0, vim.uv.new_timer()
        timer:start(1000, 1000, function() beats = beats + 1 end)
        vim.wait((...), function() return beats >= 4 end, 5, true)
        timer:close()
      ]],
      helper.deadline
    )
    child:lua(
      "require('oxide').hover { on_done = function(err) _G.second = err or 'answered' end }"
    )
    assert.equal('answered', child:wait('the second answer', '_G.second'))
    assert.equal('answered', child:wait('the first answer', '_G.first'))
  end)

  it('is kept as long as it answers the beat, a ping', function()
    local child = start(READY .. [[
      if method == 'call' then
        core.data.call = params[1]
      elseif method == 'ping' then
        core.answer(core.data.call, { hover = '' })
      end
    end]], nil, 'hang_ms = 6000')
    child:cmd('edit a.c')
    child:lua("require('oxide').hover { on_done = function(err) _G.done = err or 'answered' end }")
    assert.equal('answered', child:wait('the answer', '_G.done'))
  end)

  it('that says nothing is ended', function()
    local child = start('return function() end', nil, 'start_timeout_ms = 200')
    child:cmd('edit a.c')
    child:lua("require('oxide').hover { on_done = function(err) _G.err = err.code end }")
    assert.equal('core', child:wait('the error', '_G.err'))
    child:message('was not ready within 200 ms')
  end)

  it('of another protocol is not used', function()
    local child = start(
      "return function(core, method) if method == 'configure' then core.ready { protocol = 9 } end end"
    )
    child:cmd('edit a.c')
    child:lua("require('oxide').hover { on_done = function(err) _G.err = err.code end }")
    assert.equal('no_core', child:wait('the error', '_G.err'))
    assert.matches('speaks protocol 9, this plugin speaks %d', child:message('protocol'))
  end)

  it('that is missing is replaced by what Neovim can do itself', function()
    local child = helper.start(
      { ['a.c'] = 'int x;\n' },
      { config = "{ core = { path = '/nowhere/oxide' } }" }
    )
    child:cmd('edit a.c')
    child:lua([[
      vim.lsp.buf.rename = function(name) _G.renamed = name end
      vim.lsp.get_clients = function() return { {} } end
    ]])
    child:cmd('Oxide rename y')
    assert.equal('y', child:wait("Neovim's own rename", '_G.renamed'))
    child:message('which is not a program')
    child:cmd('Oxide rename z')
    assert.equal('z', child:wait("Neovim's own rename", "_G.renamed == 'z' and 'z'"))
    assert.equal(1, child:lua('return #_G.messages'))
  end)

  it('that is missing is what is said where Neovim has no server either', function()
    local child = helper.start(
      { ['a.c'] = 'int x;\n' },
      { config = "{ core = { path = '/nowhere/oxide' } }" }
    )
    child:cmd('edit a.c')
    for _, command in ipairs { 'rename y', 'format', 'fix', 'actions', 'hover' } do
      child:lua('_G.messages = {}')
      child:cmd('Oxide ' .. command)
      child:message('core.path is /nowhere/oxide, which is not a program')
      assert.equal(1, child:lua('return #_G.messages'))
    end
  end)

  it('gives back what a question took, once it has rested', function()
    local plain = vim.env.OXIDE or helper.root .. '/build/oxide' -- with the system's own malloc()
    local child = helper.start({}, { config = ('{ core = { path = %q } }'):format(plain) })
    helper.wake(child)
    local pid = child:lua("return require('oxide.process').pid")
    local function kilobytes(name)
      local status = assert(helper.read(('/proc/%d/status'):format(pid)))
      return tonumber(status:match(name .. ':%s+(%d+) kB'))
    end
    local before = kilobytes('VmRSS')
    child:lua([[
      local many = {}
      for i = 1, 100000 do many[i] = { file_path = 'a.c', old_string = 'x' .. i, new_string = 'y' } end
      require('oxide.core').call('multi_edit', { edits = many }, {}, function() _G.up = true end)
    ]])
    child:wait('its answer', '_G.up')
    assert.is_true(kilobytes('VmHWM') > before + 4096)
    require('fault').wait('the core to give memory back', function()
      return kilobytes('VmRSS') < before + 2048
    end)
  end)

  it('ends with Neovim', function()
    local child = start(READY .. 'end')
    child:cmd('Oxide')
    local pid = child:wait('the core', "require('oxide.process').pid")
    child:wait('the core', "require('oxide.core').running()")
    child:type(':qa!<CR>')
    assert.equal(0, child:ended())
    assert.is_truthy(vim.wait(helper.deadline, function()
      return vim.uv.kill(pid, 0) ~= 0
    end, 5))
  end)
end)

describe(':Oxide', function()
  local child
  before_each(function()
    child = start(READY .. 'end')
    child:cmd('edit a.c')
  end)
  after_each(helper.cleanup)

  it('names the nearest word', function()
    child:cmd('Oxide renmae x')
    assert.equal(
      "unknown command 'renmae', did you mean 'rename'?",
      child:message('unknown'):gsub('^Oxide: ', '')
    )
  end)

  it('refuses what a word does not take', function()
    child:cmd('Oxide! hover')
    child:message('does not take !')
    child:cmd('1,1Oxide hover')
    child:message('does not take a range')
    child:cmd('Oxide rename a b')
    child:message('takes at most 1 argument')
    child:cmd('Oxide diagnostics min=eror')
    child:message("did you mean 'min=error'")
  end)

  it('says which options a core that runs does not take up', function()
    local ANSWERS = [[
      if method == 'call' then
        core.answer(params[1], { hover = 'it' })
      end
    end]]
    child = start(READY .. ANSWERS)
    child:cmd('edit a.c')
    local function up()
      child:lua("_G.up = nil; require('oxide').hover { on_done = function() _G.up = true end }")
      child:wait('the core', '_G.up')
      child:lua('_G.messages = {}')
    end
    local function set(opts)
      child:lua("require('oxide').setup(...)", opts)
    end
    up()
    local mine = { mine = { cmd = { 'mine' }, filetypes = { 'mine' } } }
    set { log = { level = 'error' }, wait = { after_ms = 10 } }
    assert.same({}, child:lua('return _G.messages'))
    set { servers = mine, projects = { own = { markers = { 'marker' } } } }
    child:message('^Oxide: projects, servers: used when the core starts; :Oxide core restart')
    child:cmd('Oxide core restart')
    up()
    set { servers = mine, projects = { own = { markers = { 'marker' } } }, log = { level = 'warn' } }
    assert.same({}, child:lua('return _G.messages'))
  end)

  it('warns once of options that do not exist', function()
    child:lua("require('oxide').setup { reveiw = {} }")
    child:cmd('Oxide hover')
    child:message("unknown option 'reveiw', did you mean 'review'")
  end)
end)
