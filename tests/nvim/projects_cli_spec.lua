-- Several projects in one `oxide mcp`: which one a call means, and where it may write.
local mcp = require('mcp')
local project = require('project')

local put, get = project.put, project.get

local dir, c

--- The text of an answer that is none of an error.
local function call(tool, args)
  local text, failed = c:call(tool, args or vim.empty_dict())
  assert(not failed, text)
  return text
end

local function refused(tool, args)
  local text, failed = c:call(tool, args)
  assert.is_true(failed)
  return text
end

local function add(name)
  return call('manage_projects', { add_project_path = dir .. '/' .. name })
end

local function edit(file, new)
  return { file_path = file, old_string = 'one', new_string = new }
end

before_each(function()
  dir = project.begin()
  for _, name in ipairs { 'first', 'other' } do
    put(name .. '/Makefile', 'all:\n')
    put(name .. '/a.txt', 'one\n')
  end
  c = mcp.start(dir .. '/first', { '--root', dir .. '/first' })
  c:initialize()
end)

after_each(project.finish)

describe('manage_projects', function()
  it('lists what is loaded, by name, root and kind', function()
    local text = call('manage_projects')
    assert.matches('last_project: first', text)
    local row = 'name: first, root: ' .. vim.pesc(dir) .. '/first, last: true, kinds: %["make"%]'
    assert.matches(row, text)
  end)

  it('begins with the project above, but with none into which everybody may write', function()
    for root, mode in pairs { ['first'] = '755', ['first/sub'] = '1777' } do
      put('first/sub/a.txt', 'one\n')
      assert(vim.uv.fs_chmod(dir .. '/first', tonumber(mode, 8)))
      c = mcp.start(dir .. '/first/sub')
      c:initialize()
      assert.matches('root: ' .. vim.pesc(dir .. '/' .. root) .. ',', call('manage_projects'))
    end
  end)

  it('loads a project, in which calls work from then on', function()
    put('other/a.txt', 'other one\n')
    assert.matches('other is loaded', add('other'))
    local text = call('read_file', { file_path = 'a.txt' })
    assert.matches('file: a.txt', text)
    assert.matches('other one', text)
  end)

  it('removes first, and adds then', function()
    add('other')
    put('third/.git/HEAD', '')
    local text = call('manage_projects', {
      remove_project_name = 'other',
      add_project_path = dir .. '/third',
    })
    assert.matches('other is no longer loaded.*third is loaded', text)
    assert.not_matches('name: other', text)
    assert.matches('last_project: third', text)
  end)

  it('goes back to the first project when that of the last call is removed', function()
    add('other')
    local text = call('manage_projects', { remove_project_name = 'other' })
    assert.matches('last_project: first', text)
    call('edit_file', edit('a.txt', 'two'))
    assert.equal('two\n', get('first/a.txt'))
  end)

  it('refuses what is no project, and says why', function()
    put('plain/a.txt', 'x')
    put('.git/HEAD', '')
    put('first/inner/.git/HEAD', '')
    local function why(path)
      return refused('manage_projects', { add_project_path = path })
    end
    assert.matches('is not an absolute path', why('other'))
    assert.matches('is not a directory', why(dir .. '/nowhere'))
    assert.matches('is not a directory', why(dir .. '/other/a.txt'))
    assert.matches('is not a project', why(dir .. '/plain'))
    assert.matches('contains the project first', why(dir))
    assert.matches('is inside the project first', why(dir .. '/first/inner'))
    assert.matches('home directory', why('/'))
    assert.matches('home directory', why(vim.env.HOME))
  end)

  it('keeps the project that it was started in', function()
    assert.matches(
      'and cannot be removed',
      refused('manage_projects', { remove_project_name = 'first' })
    )
    local text = refused('manage_projects', { remove_project_name = 'frist' })
    assert.matches('no project frist is loaded; loaded are: first', text)
  end)
end)

describe('a call', function()
  it('works in the project of a file that it names in full, and so do those behind it', function()
    add('other')
    call('edit_file', edit(dir .. '/first/a.txt', 'two'))
    assert.equal('two\n', get('first/a.txt'))
    assert.equal('one\n', get('other/a.txt'))
    assert.matches('1: two', call('read_file', { file_path = 'a.txt' }))
  end)

  it('is undone in its own project, whichever was worked in since', function()
    add('other')
    local made = call('edit_file', edit('a.txt', 'two')):match('transaction: (%S+)')
    call('edit_file', edit(dir .. '/first/a.txt', 'three'))
    call('undo', { transaction = made })
    assert.equal('one\n', get('other/a.txt'))
    assert.equal('three\n', get('first/a.txt'))
    call('undo')
    assert.equal('one\n', get('first/a.txt'))
  end)

  it('that would change two projects is refused, and changes neither', function()
    add('other')
    local operations = {}
    for i, name in ipairs { 'first', 'other' } do
      operations[i] = edit(dir .. '/' .. name .. '/a.txt', 'two')
      operations[i].edit_type = 'replace'
    end
    local text = refused('multi_edit', { operations = operations })
    assert.matches('covers two projects, first and other', text)
    assert.equal('one\n', get('first/a.txt'))
    assert.equal('one\n', get('other/a.txt'))
  end)

  it('writes in no project that is not loaded, nor by a link out of one that is', function()
    local other = dir .. '/other/a.txt'
    assert.matches('denied', refused('edit_file', edit(other, 'two')))
    add('other')
    assert(vim.uv.fs_symlink(dir .. '/first/a.txt', dir .. '/other/link.txt'))
    assert.matches('denied', refused('edit_file', edit('link.txt', 'two')))
    call('manage_projects', { remove_project_name = 'other' })
    assert.matches('denied', refused('edit_file', edit(other, 'two')))
    assert.equal('one\n', get('other/a.txt'))
    assert.equal('one\n', get('first/a.txt'))
  end)

  it('leaves alone what makes programs run, in a project that was added too', function()
    add('other')
    for _, name in ipairs { '.git/hooks/pre-commit', '.nvim.lua', '.vscode/tasks.json' } do
      assert.matches('denied', refused('write_file', { file_path = name, content = 'x' }))
      assert.is_nil(vim.uv.fs_stat(dir .. '/other/' .. name))
    end
  end)
end)
