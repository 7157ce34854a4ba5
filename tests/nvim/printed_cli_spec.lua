-- Python prints the text of `{size=}` in a formatted string: a rename changes what is printed there,
-- and says so.
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
