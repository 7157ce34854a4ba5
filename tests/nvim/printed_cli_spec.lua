-- Python prints the text of `{size=}` in a formatted string, and macros of C make strings and other
-- names of a name: a rename changes what comes of that, and says so.
local complete = require('complete')
local helper = require('helper')
local project = require('project')

describe('a name that a program in Python prints', function()
  local dir, core

  before_each(function()
    dir = project.begin()
    vim.fn.mkdir(dir .. '/.git')
    helper.write(dir .. '/lib.py', "size = 3\nprint(f'{size}', f'{size:>3}', size == 3)\n")
    helper.write(
      dir .. '/main.py',
      "import lib\n\nprint(f'{lib.size=}', f'{lib.size = !r}')\n"
        .. "print(f'{lib.size!r}', dict(size=lib.size), f'{lib.size!=3}')\nprint(f'{lib.size = :>4}')\n"
    )
    core = complete.start(dir)
  end)

  after_each(project.finish)

  it('is renamed, and told', function()
    local text = core:ok('lsp_rename', {
      file_path = 'lib.py',
      line = 1,
      column = 1,
      new_name = 'extent',
      confirm = 'apply',
    })
    local told = {}
    for place in text:gmatch('([%w.]+:%d+) prints the name itself') do
      table.insert(told, place)
    end
    assert.same({ 'main.py:3', 'main.py:5' }, told)
    assert.matches('{lib%.extent=}', helper.read(dir .. '/main.py'))
  end)
end)

describe('a name of which macros of C make something', function()
  local dir, core

  before_each(function()
    dir = project.begin()
    vim.fn.mkdir(dir .. '/.git')
    vim.fn.mkdir(dir .. '/include')
    helper.write(
      dir .. '/include/show.h',
      '#define STR(x) #x\n#define SHOW(form, x) say(STR(x) form, (x))\n#define PLAIN(x) (x)\n'
        .. '#define LAST(x, ...) say(#__VA_ARGS__, (x), __VA_ARGS__)\n'
        .. '#define PASTED(x) (x + x##_more)\n'
    )
    helper.write(dir .. '/compile_flags.txt', '-Iinclude\n')
    helper.write(
      dir .. '/main.c',
      '#include <show.h>\nint say(const char *s, ...);\nstatic int size, new_more, size_more;\n'
        .. 'int main(void)\n{\n\tSHOW("%d", size);\n\treturn PLAIN(size) + STR(a)[0]\n'
        .. '\t\t+ LAST(size, 1) + LAST(1,\n\t\t\tPLAIN(size)) + PASTED(size) + say("x)", size);\n}\n'
    )
    core = complete.start(dir)
  end)

  after_each(project.finish)

  it('is renamed, and told', function()
    local text = core:ok('lsp_rename', {
      file_path = 'main.c',
      line = 3,
      symbol = 'size',
      new_name = 'new',
      confirm = 'apply',
    })
    assert.matches('main%.c:6: the macro SHOW turns the name into a string, which changes', text)
    assert.matches('main%.c:9: the macro LAST turns the name into a string', text)
    assert.equal(2, select(2, text:gsub('the macro', '')))
    assert.matches('PASTED%(new%)', helper.read(dir .. '/main.c'))
  end)

  it('which is another name, is told too', function()
    helper.write(
      dir .. '/main.c',
      '#include <show.h>\nstatic int size, size_more, new_more;\nint main(void)\n{\n'
        .. '\treturn PASTED(size) + new_more + size_more;\n}\n'
    )
    local text = core:ok('lsp_rename', {
      file_path = 'main.c',
      line = 2,
      symbol = 'size',
      new_name = 'new',
      confirm = 'apply',
    })
    assert.matches('main%.c:5: the macro PASTED turns the name into another name', text)
  end)
end)
