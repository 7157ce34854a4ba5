-- Full-screen programs under `oxide run` in Neovim's terminal: after the same keys and the same
-- changes of size, each cell is as it is where the program runs there alone.
local fault = require('fault')
local helper = require('helper')

local dir ---@type string

---@param cmd string[]
---@return test.Child
local function terminal(cmd)
  local child = helper.start({}, { env = { XDG_RUNTIME_DIR = dir } })
  child:lua(
    [[
      local cmd, dir = ...
      vim.o.laststatus, vim.o.ruler, vim.o.showcmd, vim.o.showmode = 0, false, false, false
      vim.o.columns, vim.o.lines, vim.o.cmdheight = 80, 25, 1
      local opts = {
        cwd = dir,
        env = {
          HOME = dir, XDG_STATE_HOME = dir .. '/state', XDG_CONFIG_HOME = dir .. '/config',
          TMUX = '', PS1 = '$ ', LC_ALL = 'C.UTF-8', TMUX_TMPDIR = dir, LESSHISTFILE = '-',
        },
        on_exit = function(_, code) _G.code = code end,
      }
      if vim.fn.has('nvim-0.11') == 1 then
        opts.term = true
        _G.job = vim.fn.jobstart(cmd, opts)
      else
        _G.job = vim.fn.termopen(cmd, opts)
      end
      vim.cmd.startinsert()
      -- What each cell shows: its text and how it is highlighted.
      function _G.screen()
        vim.cmd.redraw()
        local rows, attributes = {}, {}
        for row = 0, vim.o.lines - 2 do
          local text = {}
          for column = 0, vim.o.columns - 1 do
            local cell = vim.api.nvim__inspect_cell(1, row, column)
            table.insert(text, cell[1] or '')
            table.insert(attributes, vim.inspect(cell[2] or {}, { newline = '', indent = '' }))
          end
          table.insert(rows, table.concat(text))
        end
        return { text = table.concat(rows, '\n'), attributes = table.concat(attributes, ' ') }
      end
    ]],
    cmd,
    dir
  )
  return child
end

---@class test.ScreenStep
---@field keys? string   typed
---@field size? integer[]   columns and lines, before the keys
---@field till string   shown after it

--- Both are given the same, one step after the other, and show the same after each.
---@param cmd string[]
---@param steps test.ScreenStep[]
---@param plain? fun(screen: { text: string, attributes: string })   takes out what has to differ
local function same(cmd, steps, plain)
  local alone = terminal(cmd)
  local under = terminal(vim.list_extend({ helper.core, 'run', '--' }, cmd))
  for number, step in ipairs(steps) do
    local seen = {}
    for i, child in ipairs { alone, under } do
      if step.size then
        child:lua('vim.o.columns, vim.o.lines = ...', step.size[1], step.size[2])
      end
      if step.keys then
        child:lua('vim.fn.chansend(_G.job, ...)', step.keys)
      end
      seen[i] = {}
    end
    local ok, why = pcall(fault.wait, 'the same screen', function()
      for i, child in ipairs { alone, under } do
        seen[i] = child:lua('return _G.screen()')
        if plain then
          plain(seen[i])
        end
      end
      return seen[1].text:find(step.till, 1, true) and vim.deep_equal(seen[1], seen[2])
    end)
    if not ok then
      assert.equal(seen[1].text, seen[2].text, ('step %d'):format(number))
      assert.equal(seen[1].attributes, seen[2].attributes, ('step %d'):format(number))
      error(('step %d: %s\n%s'):format(number, why, seen[1].text))
    end
  end
  for _, child in ipairs { alone, under } do
    child:wait('the end', '_G.code')
  end
  assert.equal(alone:lua('return _G.code'), under:lua('return _G.code'))
end

describe('under oxide run', function()
  before_each(function()
    dir = helper.tempdir()
    local lines = {}
    for i = 1, 300 do
      lines[i] = ('line %d of it: %s \195\164\226\130\172 tab\there'):format(i, ('x'):rep(i % 90))
    end
    helper.write(
      dir .. '/text.c',
      '/* a comment */\nint f(void);\n' .. table.concat(lines, '\n') .. '\n'
    )
  end)

  after_each(function()
    helper.cleanup()
    vim.fn.delete(dir, 'rf')
  end)

  it('vim draws, edits and follows the size', function()
    same(
      -- Answers of the terminal draw some of the last line anew, whenever they come.
      {
        'vim',
        '-u',
        'NONE',
        '-i',
        'NONE',
        '-nN',
        '--cmd',
        'set ruler t_RV= t_u7= t_RB= t_RF=',
        '--cmd',
        'syntax on',
        'text.c',
      },
      {
        { till = 'int f(void);' },
        { keys = 'ihello \27', till = 'hello /*' },
        { keys = 'G', till = 'line 300' },
        { size = { 100, 31 }, till = 'line 275 of it' },
        { keys = ':set number\r', till = '302 ' },
        { keys = ':vsplit\r', till = 'text.c' },
        { size = { 60, 20 }, keys = 'gg', till = '  1 ' },
        { keys = ':qa!\r', till = '' },
      }
    )
  end)

  it('less pages, searches and follows the size', function()
    same({ 'less', '-M', 'text.c' }, {
      { till = 'line 20 of it' },
      { keys = ' ', till = 'line 30 of it' },
      { keys = '/line 200\r', till = 'line 200 of it' },
      { size = { 100, 31 }, till = 'line 228 of it' },
      { keys = 'G', till = 'line 300 of it' },
      { keys = 'q', till = '' },
    })
  end)

  it('top draws its columns', function()
    local function plain(screen)
      -- Its numbers are of the moment, and of itself: what is there is compared, and where.
      screen.text =
        screen.text:gsub('top %- [^\n]*', 'top'):gsub('[%d., :]+', ' '):gsub(' [DRSIT] ', ' S ')
      screen.attributes = ''
    end
    same({ 'top', '-d', '1000', '-p', tostring(vim.uv.os_getpid()) }, {
      { till = 'COMMAND' },
      { keys = '1', till = 'Cpu' },
      { size = { 100, 31 }, till = 'COMMAND' },
      { keys = 'h', till = 'Help for Interactive Commands' },
      { keys = 'q', till = 'COMMAND' },
      { keys = 'q', till = '' },
    }, plain)
  end)

  it('a shell has job control', function()
    same({ 'bash', '--norc', '--noprofile', '-i' }, {
      { till = '$ ' },
      { keys = 'sleep 1000\r', till = 'sleep 1000' },
      { keys = '\26', till = 'Stopped' },
      { keys = 'jobs; fg\r', till = 'jobs; fg' },
      { keys = '\3', till = '^C' },
      {
        keys = 'until [ "$(stty size)" = "30 100" ]; do sleep 0.01; done; stty size\r',
        till = 'done;',
      },
      { size = { 100, 31 }, till = '\n30 100' },
      { keys = 'exit 3\r', till = '' },
    })
  end)

  it('tmux has its windows and panes', function()
    helper.write(dir .. '/tmux.conf', 'set -g status-right ""\nset -g default-command "sh"\n')
    -- Each has a server of its own.
    local script = 'exec tmux -L "s$$" -f tmux.conf new-session -s work -n one'
    same({ 'sh', '-c', script }, {
      { till = '[work]' },
      { keys = 'echo first\r', till = 'first' },
      { keys = '\2%', till = '\226\148\130' },
      { keys = 'echo second\r', till = 'second' },
      { size = { 100, 31 }, till = 'second' },
      { keys = '\2c', till = '1:' },
      { keys = 'tmux kill-server\r', till = '' },
    }, function(screen)
      -- Its last word comes with the end, and Neovim does not always show it: what follows stands a
      -- line higher then.
      screen.text = screen.text:match('%[Process exited %d+%]')
        or screen.text:gsub('1:%w+%*', '1:name*'):gsub('0:%w+', '0:name')
      screen.attributes = ''
    end)
  end)
end)
