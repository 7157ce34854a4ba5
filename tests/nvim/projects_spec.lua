-- :Oxide projects, as a person uses it, and what an agent may load in a person's Neovim.
local helper = require('helper')
local mcp = require('mcp')
local relay = require('relay')
local screen = require('screen')

describe(':Oxide projects', function()
  local child, run, other

  before_each(function()
    run, other = helper.tempdir(), assert(vim.uv.fs_realpath(helper.tempdir())) .. '/other'
    helper.write(other .. '/Makefile', 'all:\n')
    helper.write(other .. '/a.txt', 'one\n')
    child = relay.start({ ['a.txt'] = 'one\n' }, run)
  end)

  after_each(function()
    mcp.cleanup()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
    vim.fn.delete(vim.fs.dirname(other), 'rf')
  end)

  --- The projects, and which one was worked in last.
  local function listed()
    child:lua([[
      _G.projects = nil
      require('oxide').projects {
        open = false,
        on_done = function(_, result) _G.projects = result end,
      }
    ]])
    local result = child:wait('the projects', '_G.projects')
    return vim.tbl_map(function(project)
      return (project.last and '*' or '') .. project.name
    end, result.projects)
  end

  local function first()
    return vim.fs.basename(child.dir)
  end

  it('lists, adds, uses and removes', function()
    assert.same({ '*' .. first() }, listed())
    child:cmd('Oxide projects add ' .. other)
    child:message('other is loaded')
    assert.same({ first(), '*other' }, listed())
    child:cmd('Oxide projects use ' .. first())
    child:message('now working in oxide')
    assert.same({ '*' .. first(), 'other' }, listed())
    child:cmd('Oxide projects remove other')
    child:message('other is no longer loaded')
    assert.same({ '*' .. first() }, listed())
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('are shown in a window, %d columns wide'):format(columns), function()
      vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 24, {})
      child:lua('vim.o.columns, vim.o.lines = ..., 24', columns)
      child:cmd('Oxide projects add ' .. other)
      child:message('other is loaded')
      child:type(':Oxide projects<CR>')
      child:wait('the window', "vim.api.nvim_buf_get_name(0) == 'oxide://projects'")
      assert.is_false(vim.rpcrequest(child.chan, 'nvim_get_mode').blocking)
      screen.shows_with_floats(child, {
        '# Projects   * the one used last   q closes',
        '  ' .. first() .. '  ',
        '* other  ',
        '  make',
      })
      child:type('q')
      child:wait('no window', '#vim.api.nvim_list_wins() == 1')
    end)
  end

  it('says what is wrong', function()
    child:cmd('Oxide projects addd')
    child:message("unknown argument 'addd', did you mean 'add'")
    child:cmd('Oxide projects add')
    child:message(':Oxide projects add needs a directory')
    child:cmd('Oxide projects use nothing')
    child:message('no project nothing is loaded')
    child:cmd('Oxide projects add /')
    child:message('home directory')
  end)

  it('completes actions and names', function()
    local complete = "return vim.fn.getcompletion(..., 'cmdline')"
    assert.same({ 'add', 'remove', 'use' }, child:lua(complete, 'Oxide projects '))
    assert.same({ first() }, child:lua(complete, 'Oxide projects use '))
    assert.same({ other .. '/' }, child:lua(complete, 'Oxide projects add ' .. other))
  end)

  it('shows a change of a buffer of another project by its whole name', function()
    child:cmd('Oxide projects add ' .. other)
    child:message('other is loaded')
    child:cmd('edit ' .. other .. '/a.txt')
    child:lua([[
      local args = { file_path = vim.api.nvim_buf_get_name(0), old_string = 'one', new_string = 'two' }
      require('oxide.core').call('edit_file', args, { confirm = 'never' }, function(_, result)
        _G.edited = result
      end)
    ]])
    local result = child:wait('the edit', '_G.edited')
    assert.equal(other .. '/a.txt', result.files[1].file)
    assert.equal('two', child:lines()[1])
  end)

  describe('for an agent', function()
    --- A client beside a Neovim whose person answers with `choice`; without one, never.
    ---@param choice? 'Yes'|'No'
    local function start(choice)
      child:lua(
        [[
          local choice = ...
          vim.ui.select = function(items, opts, on_choice)
            _G.asked = opts.prompt
            if choice then
              on_choice(choice)
            end
          end
        ]],
        choice
      )
      local c = mcp.start(child.dir, nil, nil, {
        XDG_RUNTIME_DIR = run,
        XDG_STATE_HOME = child.dir .. '/.state',
        XDG_CONFIG_HOME = child.dir .. '/.config',
        NVIM = '',
      })
      c:initialize()
      return c
    end

    --- Asks for the project.
    local function ask(choice)
      local c = start(choice)
      local text, failed = c:call('manage_projects', { add_project_path = other })
      return c, text, failed
    end

    it('are loaded when the person says so, and the last one is its own', function()
      local c, text, failed = ask('Yes')
      assert(not failed, text)
      assert.matches('last_project: other', text)
      assert.matches('load the project ' .. vim.pesc(other), child:lua('return _G.asked'))
      assert.matches('file: a.txt', (c:call('read_file', { file_path = 'a.txt' })))
      assert.same({ '*' .. first(), 'other' }, listed())
    end)

    it('are not loaded when the person says no', function()
      local _, text, failed = ask('No')
      assert.is_true(failed)
      assert.matches('the user declined', text)
      assert.same({ '*' .. first() }, listed())
    end)

    it('stay loaded when the editor is killed, and the last one is the last', function()
      local c = ask('Yes')
      vim.uv.kill(child:lua('return vim.uv.os_getpid()'), 'sigkill')
      local text, failed = c:call('edit_file', {
        file_path = 'a.txt',
        old_string = 'one',
        new_string = 'two',
        dry_run = true,
      })
      assert(not failed, text)
      text = c:call('manage_projects', vim.empty_dict())
      assert.matches('last_project: other', text)
      assert.matches(vim.pesc(other), text)
    end)

    it('are removed where they lie, whatever they are called in the editor', function()
      local second = assert(vim.uv.fs_realpath(run)) .. '/other'
      helper.write(second .. '/Makefile', 'all:\n')
      child:cmd('Oxide projects add ' .. other)
      child:message('other is loaded')
      local c = start('Yes')
      local text = c:call('manage_projects', { add_project_path = second })
      assert.matches('last_project: other%-2', text)
      text = c:call('manage_projects', { remove_project_name = 'other-2' })
      assert.matches('removed: ' .. vim.pesc(second), text)
      vim.uv.kill(child:lua('return vim.uv.os_getpid()'), 'sigkill')
      text = c:call('manage_projects', vim.empty_dict())
      assert.matches('last_project: ' .. vim.pesc(first()), text)
      assert.not_matches(vim.pesc(second), text)
    end)

    it('has what became of a change told when the core is killed while it writes', function()
      local c = ask('Yes')
      child:cmd('edit ' .. other .. '/a.txt')
      child:lua([[
        local apply = require('oxide.apply')
        local save = apply.save
        apply.save = function(request)
          vim.uv.kill(require('oxide.process').pid, 'sigkill')
          return save(request)
        end
      ]])
      local arguments = { file_path = 'a.txt', old_string = 'one', new_string = 'two' }
      local id = c:ask('tools/call', { name = 'edit_file', arguments = arguments })
      child:event('ReviewOpen')
      child:type(':w<CR>')
      local result = c:reply(id).result
      assert.is_true(result.isError)
      assert.matches('the change was made: .*, transaction %d', result.content[1].text)
      child:lua('return true') -- Neovim is past the write that the core's end came in the middle of
      assert.equal('two\n', helper.read(other .. '/a.txt'))
    end)

    it('have their commands run once the person has said so', function()
      helper.write(child.dir .. '/Makefile', 'all:\n\t@touch ran\n')
      local c = start('No')
      local text, failed = c:call('check_project', vim.empty_dict())
      assert.is_true(failed)
      assert.matches('the user declined', text)
      assert.matches('run the commands of the project .*make', child:lua('return _G.asked'))
      assert.is_nil(vim.uv.fs_stat(child.dir .. '/ran'))
      child:cmd('Oxide check') -- a person's own command is their word
      child:wait('make to be run', "vim.uv.fs_stat('" .. child.dir .. "/ran') ~= nil")
      child:lua('_G.asked = false')
      text, failed = c:call('check_project', vim.empty_dict())
      assert.is_falsy(failed, text)
      assert.is_false(child:lua('return _G.asked'))
    end)

    it('are not loaded once it has gone', function()
      local c = start()
      local arguments = { add_project_path = other }
      c:ask('tools/call', { name = 'manage_projects', arguments = arguments })
      child:wait('the question', '_G.asked')
      assert.equal(0, c:close().code)
      assert.same({ '*' .. first() }, listed())
    end)
  end)
end)

describe('a rename in a project that is not loaded', function()
  local fault = require('fault')

  after_each(fault.cleanup)

  it('is refused before it is shown, with what loads the project', function()
    local p = fault.project {
      on = { ['textDocument/rename'] = { rename = { files = { 'a.txt', 'b.txt' } } } },
    }
    local child = p:nvim { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n', ['.git/HEAD'] = '' }
    local first = child.dir .. '-first'
    helper.write(first .. '/.git/HEAD', '')
    helper.write(first .. '/c.txt', 'three\n')
    child:cmd('edit ' .. first .. '/c.txt')
    child:lua("require('oxide').hover { on_done = function() _G.up = true end }")
    child:wait('the core', '_G.up')
    child:cmd('edit a.txt')
    local done = fault.done(child, fault.ask(child, 'rename', { name = 'new', review = 'always' }))
    assert.equal('denied', done.code, vim.inspect(done))
    assert.matches('b.txt is outside of the project .*%-first; .*:Oxide projects add', done.message)
    child:cmd('Oxide projects add ' .. child.dir)
    child:message('is loaded')
    done = fault.done(child, fault.ask(child, 'rename', { name = 'new', review = 'never' }))
    assert.is_nil(done.message)
    assert.equal('two new\n', child:file('b.txt'))
    vim.fn.delete(first, 'rf')
  end)
end)
