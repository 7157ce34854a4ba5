-- What Oxide says, on the last line of screens of several widths: it never asks for <CR>.
local fault = require('fault')
local helper = require('helper')

local TEXT = 'Renamed 9 places in 5 files. Wrote 5 files. :Oxide undo takes it back. '
  .. 'process_data still occurs in 1 other place as text, which :Oxide places lists'

local LINES = {
  [60] = 'Oxide: Renamed 9 places in 5 files. ...',
  [80] = 'Oxide: Renamed 9 places in 5 files. Wrote 5 files. ...',
  [200] = 'Oxide: ' .. TEXT,
}

local PATCH = [[
*** Begin Patch
*** Update File: a.txt
@@
-one
+two
*** Update File: b.txt
@@
-one
+two
*** End Patch
]]

-- What floats show.
local CORNER = [[
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):map(function(win)
    local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
    return vim.api.nvim_win_get_config(win).relative ~= '' and vim.trim(table.concat(lines)) or nil
  end):join('\n')
]]

-- Once the core has answered what was asked before.
local ANSWERED = [[
  for _, chan in ipairs(vim.api.nvim_list_chans()) do
    if chan.client and chan.client.name == 'oxide' then
      vim.rpcrequest(chan.id, 'ping')
    end
  end
  vim.fn.writefile({}, (...))
]]

local child ---@type test.Child

local function begin(columns, files)
  child = helper.start(files or {})
  vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 20, {})
  child:lua(
    'vim.o.columns, vim.o.lines, vim.notify, vim.o.more = ..., 20, _G.last_line, true',
    columns
  )
end

local function mode()
  return vim.rpcrequest(child.chan, 'nvim_get_mode')
end

local function say(text, level)
  child:lua("require('oxide.ui').notify(...)", text, level)
end

local function last_line()
  return child:lua([[
    vim.cmd.redraw()
    local cells = {}
    for column = 1, vim.o.columns do
      cells[column] = vim.fn.screenstring(vim.o.lines, column)
    end
    return (table.concat(cells):gsub(' +$', ''))
  ]])
end

describe('a message', function()
  after_each(fault.cleanup)

  for columns, line in vim.spairs(LINES) do
    it(('fits the last of %d columns'):format(columns), function()
      begin(columns)
      say(TEXT)
      assert.is_false(mode().blocking)
      assert.equal(line, last_line())
      for _, level in pairs(vim.log.levels) do
        say(('word%d '):format(level):rep(100), level)
        say('two\nlines ' .. ('x'):rep(columns), level)
        assert.is_false(mode().blocking)
        assert.equal('n', mode().mode)
      end
    end)
  end

  it('may be followed by another one', function()
    begin(80)
    local said = child.dir .. '/said'
    child:lua(
      [[
        local said = ...
        function _G.say_all()
          for i = 1, 30 do
            require('oxide.ui').notify(('message %d: '):format(i) .. ('word '):rep(40), i % 5)
          end
          vim.fn.writefile({}, said)
        end
      ]],
      said
    )
    -- Typed, and with a file to wait for: a request would wait for <CR> with it.
    child:type(':lua say_all()<CR>')
    fault.wait('all to be said', function()
      return vim.uv.fs_stat(said)
    end)
    assert.is_false(mode().blocking)
    assert.matches('^Oxide: message 30: ', last_line())
  end)

  it('uses all lines of a command line that has several', function()
    begin(80)
    child:lua('vim.o.cmdheight = 3')
    say(TEXT)
    assert.is_false(mode().blocking)
    assert.matches('which :Oxide places lists', child:lua("return vim.fn.execute('messages')"))
  end)

  for columns in vim.spairs(LINES) do
    it(('does not ask without a command line either, %d columns wide'):format(columns), function()
      begin(columns, { ['a.txt'] = 'one\n' })
      child:cmd('edit a.txt | set cmdheight=0')
      for _, command in ipairs { 'frobnicate', 'turn undo', '! hover', 'undo', 'review' } do
        local count = child:lua("return #vim.split(vim.fn.execute('messages'), '\\n')")
        child:type((':Oxide%s<CR>'):format(command:sub(1, 1) == '!' and command or ' ' .. command))
        fault.wait('an answer to ' .. command, function()
          assert.not_equal('r', mode().mode, command .. ' asks for <CR>')
          return child:lua("return #vim.split(vim.fn.execute('messages'), '\\n')") > count
        end)
        assert.same({ mode = 'n', blocking = false }, mode())
      end
    end)
  end

  for _, height in ipairs { 0, 1 } do
    for _, columns in ipairs { 12, 25 } do
      local name = 'does not ask where the ruler leaves no room, %d columns wide, %d lines for it'
      it(name:format(columns, height), function()
        for _, command in ipairs { 'undo', 'frobnicate' } do
          begin(columns, { ['a.txt'] = 'one\n' })
          child:cmd('edit a.txt | set laststatus=0 ruler showcmd cmdheight=' .. height)
          child:type((':Oxide %s<CR>'):format(command))
          fault.wait('an answer to ' .. command, function()
            assert.not_equal('r', mode().mode, command .. ' asks for <CR>')
            return child:lua(CORNER):find('^Oxide: ') or last_line():find('^Oxide: ')
          end)
          assert.same({ mode = 'n', blocking = false }, mode())
        end
      end)
    end
  end

  it('of :w in a review does not ask without a command line, nor where it has to wait', function()
    for _, stopped in ipairs { false, true } do
      begin(60, { ['a.txt'] = 'one\n', ['b.txt'] = 'one\n' })
      child:lua(
        [[
          vim.fn.setreg('q', ...)
          local echo = vim.api.nvim_echo
          _G.shown = {}
          vim.api.nvim_echo = function(chunks, ...)
            table.insert(_G.shown, chunks[1][1])
            return echo(chunks, ...)
          end
        ]],
        PATCH
      )
      local function shows(text)
        fault.wait(text, function()
          assert.not_equal('r', mode().mode, ':w asks for <CR>')
          return not mode().blocking
            and child:lua("return table.concat(_G.shown, '\\n')"):find(text, 1, true)
        end)
      end
      child:cmd('set cmdheight=0 | edit a.txt | Oxide patch q')
      child:wait('the review', "vim.bo.filetype == 'oxide-review'")
      local core = child:lua("return require('oxide.process').pid")
      vim.uv.kill(core, stopped and 'sigstop' or 'sigcont')
      child:type(':w<CR>')
      if stopped then
        shows('is being applied; CTRL-C stops waiting')
        vim.uv.kill(core, 'sigcont')
      end
      shows('Patched 2 places')
      assert.same({ mode = 'n', blocking = false }, mode())
    end
  end)

  it('stays to be seen without a command line, at each width', function()
    for columns in vim.spairs(LINES) do
      begin(columns)
      child:cmd('set cmdheight=0 laststatus=3')
      say('the one before')
      say(TEXT)
      local line
      fault.wait('the message', function()
        line = child:lua(CORNER)
        return line:find('^Oxide: Renamed 9 places in 5 files%.')
      end)
      assert.is_true(#line <= columns - 2)
      child:cmd('redraw! | redrawstatus! | tabnew')
      fault.wait('it in another tab', function()
        return child:lua(CORNER) == line
      end)
      child:lua("require('oxide.messages').retract('another')")
      assert.equal(line, child:lua(CORNER))
      say('loading')
      fault.wait('the last', function()
        return child:lua(CORNER) == 'Oxide: loading'
      end)
      child:lua("require('oxide.messages').retract('loading')")
      assert.equal('', child:lua(CORNER))
    end
  end)

  it('of Neovim itself does not ask after :Oxide demo and :Oxide patch', function()
    begin(60, { ['a.txt'] = 'one\n' })
    child:lua([[
      local none = { 'sh', '-c', 'echo no buffers >&2; exit 1' }
      vim.g.clipboard = {
        name = 'without a text',
        copy = { ['+'] = none, ['*'] = none },
        paste = { ['+'] = none, ['*'] = none },
      }
    ]])
    child:cmd('set cmdheight=0 | edit a.txt')
    child:type(':Oxide patch<CR>')
    fault.wait('what is said', function()
      assert.not_equal('r', mode().mode)
      return child:lua([[return vim.fn.execute('messages'):find('contains a patch', 1, true)]])
    end)
    child:type(':Oxide demo<CR>')
    fault.wait('the demo', function()
      assert.not_equal('r', mode().mode)
      return not mode().blocking and child:lua('return #vim.api.nvim_list_tabpages() == 2')
    end)
    child:lua('vim.cmd.redraw()')
    assert.same({ mode = 'n', blocking = false }, mode())
  end)

  for columns in vim.spairs(LINES) do
    it(
      ('of Neovim on a page does not ask, for any shortmess, %d columns wide'):format(columns),
      function()
        begin(columns, { ['a.txt'] = 'one\n', ['b.txt'] = 'one\n' })
        child:lua('vim.fn.setreg("q", ...)', PATCH)
        child:cmd('edit a.txt | set shortmess= noruler noshowcmd')
        ---@param keys string
        ---@param seen string
        local function opens(keys, seen)
          child:type(keys)
          fault.wait(seen, function()
            assert.not_equal('r', mode().mode, keys .. ' asks for <CR>')
            return not mode().blocking
              and child:lua('return vim.api.nvim_buf_get_name(0)'):find(seen)
          end)
          child:lua('vim.cmd.redraw()')
          assert.same({ mode = 'n', blocking = false }, mode())
          assert.not_matches('oxide://', child:lua("return vim.fn.execute('messages')"))
        end
        opens(':Oxide patch q<CR>', '^oxide://review/%d+ ')
        opens('e', '^oxide://review/.- after$')
        opens(':q<CR>:Oxide<CR>', '^oxide://status$')
        child:cmd('close | copen | cclose | messages clear')
        child:type(':lua require("oxide.quickfix").open {}<CR>')
        child:wait('the list', 'vim.fn.getqflist({ winid = 0 }).winid > 0')
        child:type(':let g:later = 1<CR>') -- before it, Neovim has said what it says of a list
        child:wait('later', 'vim.g.later')
        assert.equal('', child:lua("return vim.fn.execute('messages')"))
      end
    )
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('says what is asked without a command line, %d columns wide'):format(columns), function()
      child = helper.start {}
      child:lua(
        [[
          local columns, root = ...
          vim.o.columns, vim.o.lines = columns, 20
          local asks = "require('oxide.ui').select({ 'Undo' }, { prompt = 'Undo it in 2 files?' }, print)"
          local cmd = { vim.v.progpath, '-u', 'NONE', '-i', 'NONE', '-n', '--cmd', 'set cmdheight=0' }
          vim.list_extend(cmd, { '--cmd', 'set runtimepath^=' .. root })
          vim.list_extend(cmd, { '-c', ('lua vim.defer_fn(function() %s end, 1)'):format(asks) })
          if vim.fn.has('nvim-0.11') == 1 then
            vim.fn.jobstart(cmd, { term = true })
          else
            vim.fn.termopen(cmd)
          end
          function _G.asked()
            local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
            return text:find('Type number', 1, true) and text
          end
        ]],
        columns,
        helper.root
      )
      local text = child:wait('the question', '_G.asked()')
      assert.matches('Undo it in 2 files%?%s-\n1: Undo', text)
    end)
  end

  it('is there as a whole in :Oxide messages', function()
    begin(60)
    say('first line\nsecond line')
    say(TEXT)
    child:cmd('Oxide messages')
    local lines = child:lines()
    assert.matches('^%d%d:%d%d:%d%d first line$', lines[1])
    assert.equal('         second line', lines[2])
    assert.equal(TEXT, lines[3]:sub(10))
    assert.same({ 3, 0 }, child:lua('return vim.api.nvim_win_get_cursor(0)'))
  end)

  it('of a command does not ask, whatever comes of it', function()
    begin(60, { ['a.txt'] = 'one\n' })
    child:cmd('edit a.txt')
    for _, command in ipairs {
      'rename other',
      'definition',
      'undo',
      'turn undo',
      'hover',
      'frobnicate',
    } do
      local count = child:lua("return #vim.split(vim.fn.execute('messages'), '\\n')")
      vim.rpcnotify(child.chan, 'nvim_command', 'Oxide ' .. command)
      fault.wait('an answer to ' .. command, function()
        assert.not_equal('r', mode().mode)
        return child:lua("return #vim.split(vim.fn.execute('messages'), '\\n')") > count
      end)
      assert.is_false(mode().blocking)
    end
  end)

  for columns in vim.spairs(LINES) do
    it(('of no sub-command asks, %d columns wide'):format(columns), function()
      child =
        fault.project({ capabilities = { hoverProvider = true } }):nvim { ['a.txt'] = 'one\n' }
      vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 20, {})
      child:lua(
        [[
          vim.o.columns, vim.o.lines, vim.notify, vim.o.more = ..., 20, _G.last_line, true
          vim.ui.input = function(_, answer) answer(nil) end
          vim.ui.select = function(_, _, answer) answer(nil) end
        ]],
        columns
      )
      local names = child:lua("return vim.tbl_keys(require('oxide.command').subcommands)")
      table.sort(names)
      for _, name in ipairs(names) do
        child:cmd('edit! a.txt')
        vim.rpcnotify(child.chan, 'nvim_command', 'Oxide ' .. name)
        -- Told by a file once the core has answered: a request would wait for <CR> with it.
        local answered = ('%s/.state/%s'):format(child.dir, name)
        vim.rpcnotify(child.chan, 'nvim_exec_lua', ANSWERED, { answered })
        fault.wait(name, function()
          assert.not_equal('r', mode().mode, name .. ' asks for <CR>')
          return not mode().blocking and vim.uv.fs_stat(answered)
        end)
        assert.not_equal('r', mode().mode, name .. ' asks for <CR>')
        child:cmd('silent! tabonly | silent! only')
      end
    end)
  end

  it('is shown behind a wait that has failed', function()
    begin(80)
    child:cmd('set cmdheight=0')
    assert.is_true(child:lua([[
      local ok, why = pcall(require('oxide.messages').wait, 10000, function() error('no', 0) end)
      return not ok and why:find('no') ~= nil
    ]]))
    say('one thing')
    child:wait('the corner', ("(function() %s end)():find('one thing') ~= nil"):format(CORNER))
  end)

  it('goes whole to a notifier of the user, without its title in the text', function()
    begin(60)
    child:lua('vim.notify = function(text, _, opts) _G.heard = { text, opts.title } end')
    say(TEXT)
    assert.same({ TEXT, 'Oxide' }, child:lua('return _G.heard'))
  end)

  it('goes to one that is a table that can be called', function()
    begin(60)
    child:lua([[
      vim.notify = setmetatable({}, { __call = function(_, text) _G.heard = text end })
    ]])
    say(TEXT)
    assert.equal(TEXT, child:lua('return _G.heard'))
  end)
end)
