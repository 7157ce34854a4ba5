-- Complete or not at all: what a rename, a signature or a list of references says of a project rests
-- on every file that holds the name, whatever the server has read of it. With real servers, judged
-- by the compiler.
local complete = require('complete')
local helper = require('helper')
local project = require('project')

local THRICE = { 'alpha', 'beta', 'gamma' }

local core, dir

local function begin()
  dir = project.begin()
end

--- A number of an answer.
local function number(text, member)
  return tonumber(text:match('%f[%w_]' .. member .. ': (%d+)'))
end

local function refs(symbol)
  local text = core:ok('lsp_symbol', {
    query = 'references',
    file_path = 'src/api.c',
    symbol = symbol,
  })
  assert.matches('complete: true', text)
  return number(text, 'total')
end

local function rename(old, new, more)
  return complete.rename('src/api.c', old, new, more)
end

for _, clangd in ipairs { 'clangd', 'clangd-new' } do
  describe('complete or not at all, with ' .. clangd .. ':', function()
    before_each(begin)
    after_each(project.finish)

    --- One session: renames to these names, one after the other, sed over the files, and a signature.
    --- Each rename has the server read all files several times.
    local function session(database, callers, names)
      complete.c_project(dir, callers, database)
      core = complete.start(dir, clangd)
      local last = 'compute'
      for _, name in ipairs(names) do
        local text = core:ok('lsp_rename', rename(last, name))
        last = name
        assert.equal(callers + 2, number(text, 'files_changed'))
        complete.compiles(dir)
      end
      assert.equal(callers + 2, refs('gamma'))
      complete.sed(dir, 'gamma', 'delta')
      assert.equal(callers + 2, refs('delta'))
      local usages = core:ok('find_symbol_usages', { symbol_name = 'delta' })
      assert.equal(callers, number(usages, 'total'))
      complete.sed(dir, 'delta', 'eps')
      local text = core:ok('lsp_edit', {
        file_path = 'src/api.c',
        symbol = 'eps',
        action = 'change_signature',
        parameters = { { from = 0 }, { from = 1 }, { new = 'int c', argument = '0' } },
      })
      assert.equal(callers + 2, number(text, 'sites'))
      complete.compiles(dir)
      assert.matches('eps%(t%->width, 1, 0%)', helper.read(dir .. '/src/c01.c'))
    end

    it('without a compilation database', function()
      session(nil, 3, THRICE)
    end)

    it('with compile_flags.txt, and more files than are shown at a time', function()
      session('flags', 17, { 'gamma' })
    end)

    it('with a compilation database, of which the server has an index', function()
      session('commands', 17, THRICE)
    end)

    it('in more files than clangd 14 itself will rename in', function()
      session('commands', 51, { 'gamma' })
    end)

    it('a field of a structure that has got another name before', function()
      complete.c_project(dir, 3, 'commands')
      core = complete.start(dir, clangd)
      core:ok('lsp_rename', rename('thing', 'item', { file_path = 'src/api.h' }))
      core:ok(
        'lsp_rename',
        rename('width', 'height', { file_path = 'src/api.h', symbol = 'item/width' })
      )
      complete.compiles(dir)
      assert.matches('t%->height', helper.read(dir .. '/src/c03.c'))
    end)
  end)
end

describe('what cannot be looked at', function()
  before_each(begin)
  after_each(project.finish)

  --- With a file that is larger than any that is read.
  local function start()
    complete.c_project(dir, 2, 'flags')
    helper.write(
      dir .. '/src/large.c',
      '#include "api.h"\nint large(void) { return compute(1, 2); }\n' .. ('\n'):rep(2000)
    )
    core = complete.start(dir, 'clangd', { ['file.bytes'] = 1024 })
  end

  it('makes a change a refusal that lists it, and changes nothing', function()
    start()
    local before = complete.tree(dir)
    local text = core:fails('lsp_rename', rename('compute', 'other'))
    assert.matches('%(incomplete%)', text)
    assert.matches('src/large.c .*file.bytes', text)
    assert.same(before, complete.tree(dir))
  end)

  it('is said where the change is wanted all the same, and in a list', function()
    start()
    local listed = core:ok('lsp_symbol', {
      query = 'references',
      file_path = 'src/api.c',
      symbol = 'compute',
    })
    assert.matches('complete: false, reasons: .*src/large.c: .*file.bytes', listed)
    local text = core:ok('lsp_rename', rename('compute', 'other', { incomplete = 'allow' }))
    assert.matches('complete: false', text)
    assert.matches('src/large.c: .*file.bytes', text)
  end)
end)

describe('a name that much else has too', function()
  before_each(begin)
  after_each(project.finish)

  local function rename_beside(places)
    complete.c_project(dir, 2, 'commands')
    local uses = {}
    for i = 1, 5 do
      uses[i] = ('int other%d(struct other *o) { return o->width; }\n'):format(i)
    end
    helper.write(
      dir .. '/src/c01.c',
      '#include "api.h"\nstruct other { int width; };\n' .. table.concat(uses)
    )
    core = complete.start(dir, 'clangd', { ['reach.places'] = places })
    return core:ok('lsp_rename', rename('thing/width', 'breadth', { file_path = 'src/api.h' }))
  end

  it('is complete where the server was asked about each', function()
    assert.matches('complete: true', rename_beside(6))
    complete.compiles(dir)
  end)

  it('says how many it was not asked about', function()
    local text = rename_beside(4)
    assert.matches('complete: false', text)
    assert.matches('clangd was not asked whether 2 more occurrences of the name refer to it', text)
    complete.compiles(dir)
  end)
end)

describe('a rename of more files than are verified', function()
  before_each(begin)
  after_each(project.finish)

  local function uses_taken(body)
    complete.c_project(dir, 20, 'commands')
    helper.write(
      dir .. '/src/c07.c',
      ('#include "api.h"\nint use7(struct thing *t)\n{\n%s}\n'):format(body)
    )
    core = complete.start(dir, 'clangd', { ['rename.verified_files'] = 16 })
  end

  it('is refused where a file has the name already, for something else', function()
    uses_taken('\tint (*taken)(int, int) = 0;\n\treturn taken ? 1 : compute(t->width, 7);\n')
    local before = complete.tree(dir)
    assert.matches('the name taken is taken', core:fails('lsp_rename', rename('compute', 'taken')))
    assert.same(before, complete.tree(dir))
  end)

  local function not_verified(text)
    assert.matches('complete: false', text)
    assert.matches('not verified: it changes 22 files', text)
    assert.matches('syntax_check: skipped: it changes 22 files, and servers checked those', text)
    complete.compiles(dir)
  end

  it('is not complete where nothing has the name, and says what servers checked', function()
    uses_taken('\treturn compute(t->width, 7);\n')
    not_verified(core:ok('lsp_rename', rename('compute', 'fresh')))
  end)

  it('is checked in the same way where it is made by its action_id', function()
    uses_taken('\treturn compute(t->width, 7);\n')
    local shown =
      core:ok('lsp_rename', rename('compute', 'fresh', { dry_run = true, verify = true }))
    local id = shown:match('action_id: ([%w_]+)')
    not_verified(core:ok('execute_code_action', { action_id = id }))
  end)
end)

describe('a change that breaks a file which another program has written since', function()
  before_each(begin)
  after_each(project.finish)

  local function replace(name, old, new)
    return {
      edit_type = 'replace',
      file_path = 'src/' .. name,
      old_string = old,
      new_string = new,
    }
  end

  it('is refused, though the index of the server does not have it', function()
    complete.c_project(dir, 2, 'commands')
    core = complete.start(dir, 'clangd')
    assert.equal(4, refs('compute'))
    helper.write(
      dir .. '/src/late.c',
      '#include "api.h"\nint late(void)\n{\n\treturn compute(1, 2);\n}\n'
    )
    local before = complete.tree(dir)
    local text = core:fails('multi_edit', {
      verify = true,
      operations = {
        replace('api.h', 'int b);', 'int b, int c);'),
        replace('api.c', 'int b)', 'int b, int c)'),
        replace('c01.c', '1);', '1, 1);'),
        replace('c02.c', '2);', '2, 2);'),
      },
    })
    assert.matches('1 new error.*src/late.c', text)
    assert.same(before, complete.tree(dir))
  end)
end)

describe('whether a name is known in one function alone', function()
  before_each(begin)
  after_each(project.finish)

  --- A project of the files given, and a session in it.
  local function start(files, options)
    vim.fn.mkdir(dir .. '/src', 'p')
    for name, text in pairs(files) do
      helper.write(dir .. '/' .. name, text)
    end
    core = complete.start(dir, 'clangd', options)
  end

  it('is not by a declaration in it of what another file defines', function()
    start {
      ['compile_flags.txt'] = '-Isrc\n',
      ['src/a.c'] = 'int f(void)\n{\n\textern int counter;\n\tint helper(int), n = 1;\n\n'
        .. '\treturn helper(counter) + n;\n}\n',
      ['src/b.c'] = 'int counter = 3;\n\nint helper(int x)\n{\n\treturn x + counter;\n}\n',
    }
    local function same_in_both(name, line, column)
      local before = complete.tree(dir)
      local text, failed = core.client:call('lsp_rename', {
        file_path = 'src/a.c',
        line = line,
        column = column,
        new_name = 'other_' .. name,
        confirm = 'apply',
      })
      local after = complete.tree(dir)
      if failed then
        assert.same(before, after)
      elseif text:find('complete: true') then
        assert.same({
          ['a.c'] = before['a.c']:gsub('%f[%w]' .. name, 'other_' .. name),
          ['b.c'] = before['b.c']:gsub('%f[%w]' .. name, 'other_' .. name),
        }, after)
      end
    end
    same_in_both('counter', 3, 13)
    same_in_both('helper', 4, 6)
  end)

  it('leaves code that is not compiled, and says so', function()
    start {
      ['src/a.c'] = 'int f(void)\n{\n\tint value = 1;\n\n#ifdef NEVER\n\tvalue = 2;\n#endif\n'
        .. '\treturn value;\n}\n',
      ['src/b.c'] = 'int value(void);\n',
    }
    local args = { file_path = 'src/a.c', line = 3, column = 6, new_name = 'x', confirm = 'apply' }
    local text = core:fails('lsp_rename', args)
    assert.matches('src/a.c:6 ', text)
  end)

  it('is not by a parameter of Python, which callers may name', function()
    start {
      ['pyrightconfig.json'] = '{}\n',
      ['src/a.py'] = 'def area(width, height):\n    return width * height\n',
      ['src/b.py'] = 'from a import area\n\nprint(area(height=2, width=3))\n',
    }
    local args = {
      file_path = 'src/a.py',
      line = 1,
      column = 10,
      new_name = 'breadth',
      confirm = 'apply',
    }
    assert.matches('complete: true', core:ok('lsp_rename', args))
    assert.matches('breadth=3', helper.read(dir .. '/src/b.py'))
  end)

  it('is refused by the name of the #ifdef in which it stands, where that may be off', function()
    local off = '#ifndef API_H\n#define API_H\n'
      .. '#if defined(WINDOWS) && \\\n\t1 // a comment\nint compute(int a);\n#else\nint on(void);\n#endif\n'
      .. 'int always(void);\n#endif\n'
    start {
      ['compile_flags.txt'] = '\n',
      ['src/api.h'] = off,
      ['src/a.c'] = '#include "api.h"\n#ifdef WINDOWS\nint use(void) { return always(); }\n#endif\n',
    }
    local args =
      { file_path = 'src/api.h', line = 5, column = 5, new_name = 'x', confirm = 'apply' }
    assert.matches(
      'it is inside `#if defined%(WINDOWS%) && ?\\?` of line 3, which may not be compiled',
      core:fails('lsp_rename', args)
    )
    args.line, args.column = 9, 5
    assert.matches(
      'src/a.c:3 %(under `#ifdef WINDOWS` of line 2%) refers to it too, but clangd did not list it',
      core:fails('lsp_rename', args)
    )
  end)

  it('is not asked for long: what is not looked at in time is said', function()
    complete.c_project(dir, 40, 'flags')
    core = complete.start(dir, 'clangd', { ['reach.wait_ms'] = 10 })
    local text = core:fails('lsp_rename', rename('compute', 'alpha'))
    assert.matches('reach.wait_ms', text)
  end)
end)
