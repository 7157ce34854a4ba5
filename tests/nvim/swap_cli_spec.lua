-- A file that another Vim or Neovim has open: what is unsaved there is not lost without a word. The
-- other one is a real Neovim that writes swap files.
local e2e = require('e2e')
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')

local dir, others

--- Another Neovim, without Oxide, in the project's directory, with its swap files as they are by
--- default, or where `directory` says.
---@param directory? string
local function other(directory)
  local argv = { vim.v.progpath, '--embed', '--headless', '-u', 'NONE', '-i', 'NONE' }
  if directory then
    vim.list_extend(argv, { '--cmd', 'set directory=' .. directory })
  end
  local chan = vim.fn.jobstart(argv, {
    rpc = true,
    cwd = dir,
    env = { XDG_STATE_HOME = dir .. '/.state' },
  })
  assert(chan > 0)
  table.insert(others, chan)
  return {
    cmd = function(_, command)
      vim.rpcrequest(chan, 'nvim_command', command)
    end,
    pid = vim.rpcrequest(chan, 'nvim_call_function', 'getpid', {}),
    swap = function()
      local name = vim.rpcrequest(chan, 'nvim_eval', "fnamemodify(swapname('%'), ':p')")
      return (name:gsub('//', '/'))
    end,
    quit = function()
      vim.rpcnotify(chan, 'nvim_command', 'qall!')
      assert.equal(0, vim.fn.jobwait({ chan }, helper.deadline)[1])
    end,
    kill = function(self)
      vim.uv.kill(self.pid, 'sigkill')
      vim.fn.jobwait({ chan }, helper.deadline)
    end,
  }
end

local function edit(file, more, options)
  local args = { 'call', 'edit_file', '--file-path', file, '--old-string', 'old' }
  vim.list_extend(args, { '--new-string', 'new', '--yes' })
  return e2e.oxide(dir, vim.list_extend(args, more or {}), { options = options })
end

---@return string warning  '' where there is none
local function warned(done)
  assert.equal(0, done.code, done.out .. done.err)
  return done.answer.warning or ''
end

describe('a file that another Neovim has open', function()
  before_each(function()
    others = {}
    dir = project.begin()
    vim.fn.mkdir(dir .. '/.state')
    helper.write(dir .. '/a.txt', 'old\n')
    helper.write(dir .. '/b.txt', 'old\n')
  end)

  after_each(function()
    mcp.cleanup()
    helper.cleanup()
    for _, chan in ipairs(others) do
      pcall(vim.fn.jobstop, chan)
      vim.fn.jobwait({ chan }, helper.deadline)
    end
    for _, tail in ipairs { '', '.state', '.config' } do
      vim.fn.delete(dir .. tail, 'rf')
    end
  end)

  it('is named in the answer, with its process and whether it is modified there', function()
    local o = other()
    o:cmd('edit a.txt')
    local open = ('a.txt is open in another Vim or Neovim (process %d), '):format(o.pid)
    assert.equal(open .. 'without unsaved changes', warned(edit('a.txt', { '--dry-run' })))
    o:cmd('normal Ox')
    assert.equal(open .. 'with unsaved changes there', warned(edit('a.txt', { '--dry-run' })))
    assert.equal('', warned(edit('b.txt')))
    local done = edit('a.txt')
    assert.equal(open .. 'with unsaved changes there', warned(done))
    assert.equal('new\n', helper.read(dir .. '/a.txt'))
    local text = e2e.oxide(dir, { 'call', 'undo', '--text', '--yes' })
    assert.matches('warning: ' .. vim.pesc(open), text.out)
  end)

  it('is found whatever its name and wherever the swap file is', function()
    vim.fn.mkdir(dir .. '/sub')
    for name, directory in pairs {
      ['.hidden'] = '.',
      ['sub/with,comma%and space.txt'] = '.',
      ['sub/ä.txt'] = false,
    } do
      helper.write(dir .. '/' .. name, 'old\n')
      local o = other(directory or nil)
      o:cmd('edit ' .. vim.fn.fnameescape(name))
      o:cmd('normal Ox')
      assert.equal(
        ('%s is open in another Vim or Neovim (process %d), with unsaved changes there'):format(
          name,
          o.pid
        ),
        warned(edit(name))
      )
    end
  end)

  it('is named where it is new there, and where a change takes its name', function()
    local o = other()
    o:cmd('edit new.txt')
    o:cmd('normal Ox')
    local args = { 'call', 'write_file', '--file-path', 'new.txt', '--content', 'x', '--yes' }
    assert.equal(
      ('new.txt is open in another Vim or Neovim (process %d), with unsaved changes there'):format(
        o.pid
      ),
      warned(e2e.oxide(dir, args))
    )
  end)

  it('is named once for each that has it open, in the file that a link leads to', function()
    vim.uv.fs_symlink('a.txt', dir .. '/link.txt')
    local one, two = other(), other()
    one:cmd('edit link.txt')
    two:cmd('set shortmess+=A | edit a.txt')
    two:cmd('normal Ox')
    local said = warned(edit('a.txt', { '--dry-run' }))
    assert.matches(('process %d%%), without unsaved'):format(one.pid), said)
    assert.matches(('process %d%%), with unsaved'):format(two.pid), said)
    one:quit()
    assert.equal(
      ('a.txt is open in another Vim or Neovim (process %d), with unsaved changes there'):format(
        two.pid
      ),
      warned(edit('a.txt'))
    )
  end)

  it('counts no more when it has gone, unless it left unsaved changes behind', function()
    local o = other()
    o:cmd('edit b.txt')
    o:kill()
    assert.equal('', warned(edit('b.txt')))
    o = other()
    o:cmd('edit a.txt')
    o:cmd('normal Ox')
    o:cmd('preserve')
    local swap = o.swap()
    o:kill()
    local said = warned(edit('a.txt'))
    assert.equal(
      ('a.txt has unsaved changes that process %d left behind: %s (recover them with `nvim -r`)'):format(
        o.pid,
        swap
      ),
      said
    )
    vim.uv.fs_unlink(swap)
    assert.equal('', warned(e2e.oxide(dir, { 'call', 'undo', '--yes' })))
  end)

  it('is found among many files of a change, in each of their directories', function()
    local operations = {}
    for _, sub in ipairs { '', 'sub/' } do
      vim.fn.mkdir(dir .. '/' .. sub, 'p')
      for i = 1, 70 do -- the directory is read after some of them
        local name = ('%sf%02d.txt'):format(sub, i)
        helper.write(dir .. '/' .. name, 'old\n')
        table.insert(
          operations,
          { edit_type = 'replace', file_path = name, old_string = 'old', new_string = 'new' }
        )
      end
    end
    local want = {}
    for _, name in ipairs { 'f03.txt', 'f68.txt', 'sub/f66.txt', 'sub/f70.txt' } do
      local o = other(name == 'f68.txt' and '.' or nil)
      o:cmd('edit ' .. name)
      table.insert(
        want,
        ('%s is open in another Vim or Neovim (process %d), without unsaved changes'):format(
          name,
          o.pid
        )
      )
    end
    local done = e2e.oxide(dir, { 'call', 'multi_edit', '--yes', '-' }, {
      stdin = vim.json.encode { operations = operations },
    })
    assert.equal(table.concat(want, '; '), warned(done))
  end)

  it('is not looked for with swap.files at 0', function()
    local o = other()
    o:cmd('edit a.txt')
    assert.equal('', warned(edit('a.txt', {}, { ['swap.files'] = 0 })))
  end)

  it('is named to an MCP client, with the question and in the answer', function()
    local o, asked = other(), nil
    helper.write(dir .. '/a.c', 'int old;\n')
    o:cmd('edit a.c')
    o:cmd('normal Ox')
    local c = mcp.start(dir, { '--root', dir }, {
      ['elicitation/create'] = function(params)
        asked = params.message
        return { action = 'accept', content = vim.empty_dict() }
      end,
    }, { XDG_STATE_HOME = dir .. '/.state' })
    c:initialize('2025-06-18', { elicitation = vim.empty_dict() })
    local text = c:call('lsp_rename', { file_path = 'a.c', symbol = 'old', new_name = 'new' })
    local said = ('a.c is open in another Vim or Neovim (process %d), with unsaved changes there'):format(
      o.pid
    )
    assert.matches(vim.pesc(said), asked)
    assert.matches(vim.pesc(said), text)
    assert.equal('int new;\n', helper.read(dir .. '/a.c'))
  end)

  for choice, name in pairs { a = 'aborts', q = 'quits' } do
    it('is gone to, unless its user ' .. name .. ' where Neovim asks about it', function()
      local child = helper.start({ ['a.txt'] = 'old\n', ['c.txt'] = 'mine\n' }, {
        config = e2e.config(),
        args = { '--cmd', 'set swapfile directory=' .. dir .. '/swap//' },
      })
      child:cmd('set updatecount=200')
      child:cmd('edit c.txt')
      child:cmd(('autocmd SwapExists * let v:swapchoice = %q'):format(choice))
      dir, others.own = child.dir, dir
      local o = other(others.own .. '/swap//')
      o:cmd('edit a.txt')
      child:lua(
        [[require('oxide.navigate').jump({ path = ..., line = 1, column = 2 },
          { win = 0, buf = vim.api.nvim_get_current_buf(), line = 1, column = 1 })]],
        child.dir .. '/a.txt'
      )
      child:message('a%.txt was not opened')
      assert.equal('', child:lua('return vim.v.errmsg'):match('traceback') or '')
    end)
  end

  it("is found where a Neovim with Oxide had its 'directory', by the command line too", function()
    local directory = dir:gsub(' ', '\\ ') .. '/swap\\ dir//'
    vim.fn.mkdir(dir .. '/swap dir')
    local o = other(directory)
    o:cmd('edit a.txt')
    o:cmd('normal Ox')
    assert.equal('', warned(edit('a.txt', { '--dry-run' })))
    local child = helper.start({}, {
      config = e2e.config(),
      args = { '--cmd', 'set directory=' .. directory },
      env = { XDG_STATE_HOME = dir .. '/.state' },
    })
    helper.wake(child)
    helper.cleanup()
    assert.matches(
      ('^a.txt is open in another Vim or Neovim %%(process %d%%), with unsaved'):format(o.pid),
      warned(edit('a.txt', { '--dry-run' }))
    )
  end)

  it("is named at the top of the review, where the person's own 'directory' is too", function()
    vim.fn.mkdir(dir .. '/swap dir')
    local child = helper.start({ ['a.txt'] = 'old\n' }, {
      config = e2e.config(),
      args = {
        '--cmd',
        [[set directory=.,]] .. dir:gsub(' ', '\\ ') .. [[/swap\ dir// swapfile updatecount=200]],
      },
    })
    child:cmd('edit a.txt') -- it does not count
    dir, others.own = child.dir, dir
    local o = other((others.own:gsub(' ', '\\ ')) .. '/swap\\ dir//')
    o:cmd('edit a.txt')
    o:cmd('normal Ox')
    child:lua(
      [[
      require('oxide.core').call('edit_file',
        { file_path = ..., old_string = 'old', new_string = 'new' },
        { confirm = 'always' }, function(err, result) _G.answer = { err, result } end)
    ]],
      child.dir .. '/a.txt'
    )
    child:event('ReviewOpen')
    local lines = child:lines()
    assert.matches(
      ('# .*a.txt is open in another Vim or Neovim %%(process %d%%), with unsaved changes there'):format(
        o.pid
      ),
      table.concat(lines, '\n')
    )
    local _, n = table.concat(lines, '\n'):gsub('is open in another', '')
    assert.equal(1, n)
    child:cmd('w')
    child:message('is open in another Vim or Neovim')
  end)
end)
