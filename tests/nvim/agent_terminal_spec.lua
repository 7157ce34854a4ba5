-- `:Oxide agent`: agents in Neovim's terminals and beside it, and what is sent to them.
local fault = require('fault')
local helper = require('helper')
local relay = require('relay')

local child, run ---@type test.Child, string

-- It asks for bracketed paste, shows that it is ready, and keeps all that it is given.
local AGENT = [[#!/bin/sh
stty raw -echo
printf '\033[?2004hready %s> ' "$*"
echo "$$" >"$GOT.pid"
exec tee -a "$GOT" >/dev/null
]]

--- A Neovim with one agent, `scripted`.
local function begin(more)
  run = helper.tempdir()
  local script = run .. '/scripted'
  helper.write(script, AGENT)
  vim.uv.fs_chmod(script, 493)
  child = relay.start(
    { ['a.c'] = 'int f(void) {\n  return 1;\n}\n' },
    run,
    ([[agents = {
      scripted = { terminal = { command = { %q } } },
      full = { terminal = { command = { 'node', %q } } },
      missing = { executable = 'oxide-no-such-agent', install = 'npm install -g missing',
        terminal = { args = {} } },
    }, %s]]):format(script, helper.root .. '/tests/fake/full_screen.js', more or '')
  )
  child:lua('vim.env.GOT = ...', run .. '/got')
  child:lua('vim.env.XDG_RUNTIME_DIR = ...', run)
end

local function got()
  local f = io.open(run .. '/got', 'rb')
  local text = f and f:read('*a') or ''
  if f then
    f:close()
  end
  return text
end

--- Waits until the core knows of it, and it shows its prompt.
local function started(count)
  child:wait(
    'the agent',
    ([[#vim.tbl_filter(function(e)
      return e.name == 'OxideAgent' and e.data.state == 'running'
    end, _G.events) >= %d]]):format(count or 1)
  )
end

local function shown(words)
  child:wait(
    words,
    ([[vim.iter(vim.api.nvim_list_bufs()):any(function(buf)
      return vim.b[buf].oxide_agent ~= nil
        and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false)):find(%q, 1, true) ~= nil
    end)]]):format(words)
  )
end

local function given(bytes)
  fault.wait('its input: ' .. vim.inspect(bytes), function()
    return got() == bytes
  end)
end

describe(':Oxide agent', function()
  after_each(function()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('opens a terminal beside the code, hides it, and shows it again', function()
    begin()
    local columns = 'return { vim.wo.number, vim.wo.relativenumber, vim.wo.signcolumn }'
    child:cmd('set number relativenumber signcolumn=yes')
    child:cmd('edit a.c')
    child:cmd('Oxide agent scripted one two')
    started()
    shown('ready one two> ')
    assert.equal(2, child:lua('return #vim.api.nvim_tabpage_list_wins(0)'))
    assert.same({ false, false, 'no' }, child:lua(columns))
    child:cmd('Oxide agent scripted')
    assert.equal(1, child:lua('return #vim.api.nvim_tabpage_list_wins(0)'))
    assert.same({ true, true, 'yes' }, child:lua(columns))
    child:cmd('Oxide agent')
    assert.equal('terminal', child:lua('return vim.bo.buftype'))
    assert.same({ false, false, 'no' }, child:lua(columns))
    assert.equal('scripted', child:lua('return vim.b.oxide_agent.name'))
  end)

  it('is shown and stopped from the page of :Oxide', function()
    begin()
    child:cmd('edit a.c')
    child:cmd('Oxide agent scripted')
    started()
    shown('ready')
    child:cmd('stopinsert | wincmd p | Oxide')
    child:wait('its row', "vim.fn.getline(2) == 'Agent    scripted, in a terminal here'")
    child:type('<CR>')
    child:wait('its window', "vim.bo.buftype == 'terminal'")
    child:cmd('hide | Oxide')
    child:wait('its row', "vim.fn.getline(2) == 'Agent    scripted, in a terminal here'")
    child:type('<CR>')
    child:wait('its window', "vim.bo.buftype == 'terminal'")
    child:cmd('stopinsert | wincmd p | Oxide')
    child:wait('its row', "vim.fn.getline(2):find('^Agent ')")
    child:type('x')
    child:event('AgentExit')
    child:wait('the renewed page', "vim.fn.getline(2) == 'Running  nothing'")
  end)

  it('has the name of the agent, which no other buffer has', function()
    begin()
    child:cmd('edit a.c | let g:source = bufnr()')
    for count, name in ipairs { 'scripted', 'scripted:2' } do
      child:cmd('let g:alternate = bufnr("#") | Oxide agent scripted ' .. count)
      started(count)
      shown(('ready %d> '):format(count))
      assert.equal('oxide://agent/' .. name, child:lua('return vim.fn.bufname()'))
      assert.equal('terminal', child:lua('return vim.bo.buftype'))
      child:cmd('stopinsert')
    end
    assert.same(
      { 'a.c', 'oxide://agent/scripted', 'oxide://agent/scripted:2' },
      child:lua('return vim.tbl_map(vim.fn.bufname, vim.api.nvim_list_bufs())')
    )
    child:lua("vim.fn.chansend(vim.bo.channel, 'typed')")
    given('typed')
  end)

  it('starts again with a session of Neovim that is loaded', function()
    begin()
    child:cmd('edit a.c')
    child:cmd('Oxide agent scripted')
    started(1)
    shown('ready')
    child:cmd('stopinsert')
    child:cmd('mksession ' .. run .. '/session.vim')
    child:cmd('%bwipeout!')
    child:cmd('source ' .. run .. '/session.vim')
    started(2)
    shown('ready')
    assert.same(
      { 'a.c', 'oxide://agent/scripted' },
      child:lua([[
        local names = vim.tbl_map(vim.fn.bufname, vim.fn.tabpagebuflist())
        table.sort(names)
        return names
      ]])
    )
    child:cmd('Oxide send scripted hello')
    given('\27[200~hello\27[201~')
  end)

  it('sends the numbered range to its prompt, as a paste, and does not submit it', function()
    begin()
    child:cmd('edit a.c')
    child:cmd('Oxide agent scripted')
    started()
    shown('ready')
    child:cmd('stopinsert | wincmd p')
    child:cmd('1,2Oxide send scripted why?')
    given('\27[200~a.c, lines 1 to 2:\r1: int f(void) {\r2:   return 1;\rwhy?\27[201~')
    child:lua("require('oxide').send { agent = 'scripted', keys = { '<C-c>', '<Up>', '<CR>' } }")
    given('\27[200~a.c, lines 1 to 2:\r1: int f(void) {\r2:   return 1;\rwhy?\27[201~\3\27[A\r')
  end)

  it('presses Return behind the text where that is asked for', function()
    begin()
    child:cmd('Oxide agent scripted')
    started()
    shown('ready')
    child:lua("require('oxide').send { agent = 'scripted', text = 'go', submit = true }")
    given('\27[200~go\27[201~\r')
  end)

  it('stops it, by name and in its window', function()
    begin()
    for _, command in ipairs { 'Oxide agent! scripted', 'Oxide cancel' } do
      child:lua('_G.events = {}')
      child:cmd('Oxide agent scripted')
      started()
      shown('ready')
      child:cmd(command)
      child:wait(
        'its end',
        "vim.iter(_G.events):any(function(e) return e.name == 'OxideAgentExit' end)"
      )
      child:cmd('stopinsert | bwipeout!')
    end
  end)

  it('outlives the core, and is found by the next one', function()
    begin()
    child:cmd('Oxide agent scripted')
    started()
    shown('ready')
    local pid = assert(tonumber(helper.read(run .. '/got.pid')))
    child:cmd('stopinsert')
    child:lua("vim.uv.kill(require('oxide.process').pid, 'sigkill')")
    child:wait('the end', "require('oxide.process').phase == 'stopped'")
    assert.equal(0, vim.uv.kill(pid, 0))
    relay.listen(child)
    started(2)
    child:cmd('Oxide send scripted again')
    given('\27[200~again\27[201~')
    assert.equal(pid, tonumber(helper.read(run .. '/got.pid')))
  end)

  it('runs several side by side', function()
    begin()
    child:cmd('edit a.c')
    child:cmd('Oxide agent scripted one')
    started(1)
    shown('ready one> ')
    child:cmd('stopinsert')
    child:cmd('Oxide agent scripted two')
    started(2)
    shown('ready two> ')
    assert.equal(3, child:lua('return #vim.api.nvim_tabpage_list_wins(0)'))
  end)

  it(
    'says of one that is not installed how to install it, and of an unknown one which there are',
    function()
      begin()
      child:cmd('Oxide agent missing')
      child:wait('the message', '#_G.messages > 0')
      local text = child:lua('return _G.messages[1].text')
      assert.matches('oxide%-no%-such%-agent', text)
      assert.matches('npm install %-g missing', text)
      child:cmd('Oxide agent nothing')
      child:wait('the message', '#_G.messages > 1')
      assert.matches('scripted', child:lua('return _G.messages[2].text'))
      assert.same(
        { 'scripted' },
        child:lua("return vim.fn.getcompletion('Oxide agent scr', 'cmdline')")
      )
    end
  )

  it('knows of one that runs in another terminal beside the project', function()
    begin()
    local outside = vim.system(
      { helper.core, 'run', '--name', 'outside', '--', run .. '/scripted' },
      {
        cwd = child.dir,
        env = vim.tbl_extend('force', relay.env(child.dir, run), { GOT = run .. '/got' }),
      }
    )
    started()
    fault.wait('its start', function()
      return vim.uv.fs_stat(run .. '/got.pid')
    end)
    child:cmd('Oxide send outside hello')
    given('\27[200~hello\27[201~')
    child:cmd('Oxide agent! outside')
    assert.equal(vim.uv.constants.SIGTERM, outside:wait(helper.deadline).signal)
  end)

  it('is found by a core that starts while one that does not answer is asked', function()
    begin()
    local core = child:lua("return require('oxide.process').pid")
    vim.uv.kill(core, 'sigstop')
    local agent = vim.system(
      { helper.core, 'run', '--name', 'scripted', '--', run .. '/scripted' },
      {
        cwd = child.dir,
        env = vim.tbl_extend('force', relay.env(child.dir, run), { GOT = run .. '/got' }),
      }
    )
    fault.wait('it to ask', function()
      local fds = vim.fn.glob(('/proc/%d/fd/*'):format(agent.pid), true, true)
      return vim.iter(fds):any(function(fd)
        return vim.startswith(vim.uv.fs_readlink(fd) or '', 'socket:')
      end)
    end)
    local other = helper.start({}, {
      env = { XDG_RUNTIME_DIR = run },
      config = ('{ core = { path = %q } }'):format(helper.core),
    })
    other:cmd('cd ' .. child.dir)
    relay.listen(other)
    vim.uv.kill(core, 'sigkill')
    assert.equal('scripted', other:event('Agent').name)
    agent:kill('sigterm')
    agent:wait(helper.deadline)
  end)

  -- What its screen shows for a size, from the bottom up.
  local SCREENS = {
    [''] = function(rows, columns)
      local lines = {}
      for row = 1, rows do
        local text = ('row %d of %d by %d '):format(row, rows, columns)
        lines[row] = text .. ('-'):rep(columns - #text)
      end
      return lines
    end,
    below = function(rows, columns)
      local lines = { 'line 99', 'line 100' }
      for row = 1, 5 do
        lines[2 + row] = ('row %d at %d by %d'):format(row, rows, columns)
      end
      return vim.list_extend(lines, { '' })
    end,
  }
  local SIZES = {
    'tabnew', -- the tab line takes a row
    'tabprevious',
    'tabonly',
    'set showtabline=2',
    'vsplit a.c',
    'close',
    'set lines=50 columns=150',
    'set lines=40 columns=80',
    'call setwinvar(win_id2win(g:agent), "&winbar", "%f")',
  }
  for how, screen in pairs(SCREENS) do
    it('is told of each size that its window gets, and can draw itself anew ' .. how, function()
      begin()
      child:lua('vim.o.columns, vim.o.lines, vim.o.showtabline = 120, 40, 1')
      child:cmd('edit a.c | Oxide agent full ' .. how)
      started()
      child:cmd('stopinsert | let g:agent = win_getid()')
      local function fits(what)
        local size = child:lua([[
          local info = vim.fn.getwininfo(vim.g.agent)[1]
          return { info.height, info.width }
        ]])
        child:wait(
          what,
          [[(function(want)
            local buf = vim.api.nvim_win_get_buf(vim.g.agent)
            return vim.deep_equal(want, vim.api.nvim_buf_get_lines(buf, -1 - #want, -1, false))
          end)(...)]],
          screen(size[1], size[2])
        )
      end
      fits('the first size')
      for _, command in ipairs(SIZES) do
        child:cmd(command)
        fits(command)
      end
    end)
  end

  it('ends with Neovim, as all in its terminals does', function()
    begin()
    child:cmd('Oxide agent scripted')
    started()
    shown('ready')
    local pid = assert(tonumber(helper.read(run .. '/got.pid')))
    pcall(vim.fn.jobstop, child.chan)
    fault.wait_end(pid)
  end)
end)
