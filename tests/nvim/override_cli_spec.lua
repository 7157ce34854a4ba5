-- Members of Python's classes that override each other: its servers take each for a symbol of its
-- own, and a change of one alone means that another is called than before.
local complete = require('complete')
local project = require('project')

local put, get = project.put, project.get

local core, dir

local BASE = 'class A:\n    size = 1\n\n    def run(self, n):\n        return n + self.size\n'
local MIDDLE = 'from p import base\n\n\nclass M(base.A):\n    pass\n'

local function rename(file, symbol, new)
  return { file_path = file, symbol = symbol, new_name = new, confirm = 'apply' }
end

describe('what overrides a member of a class of Python', function()
  before_each(function()
    dir = project.begin()
    vim.fn.mkdir(dir .. '/.git')
    put('p/__init__.py', '')
    put('p/base.py', BASE)
    put('p/middle.py', MIDDLE)
    put(
      'sub.py',
      'from p.middle import M as Middle\n\n\nclass B(Middle, metaclass=type):\n    size = 2\n\n'
        .. '    def run(self, n):\n        return n\n'
    )
    put('other.py', 'class C:\n    def run(self, n):\n        return n\n')
    core = complete.start(dir)
  end)

  after_each(project.finish)

  local function refused(tool, args)
    local before = { get('p/base.py'), get('sub.py') }
    local text = core:fails(tool, args)
    assert.same(before, { get('p/base.py'), get('sub.py') })
    return text
  end

  it('refuses a rename of it, from above and from below, over a class between', function()
    assert.matches(
      'sub.py:7 overrides it',
      refused('lsp_rename', rename('p/base.py', 'A/run', 'go'))
    )
    assert.matches('p/base.py:4 overr', refused('lsp_rename', rename('sub.py', 'B/run', 'go')))
  end)

  it('is a variable of the class too', function()
    assert.matches('sub.py:5 overr', refused('lsp_rename', rename('p/base.py', 'A/size', 'length')))
  end)

  it('is no method of a class that only has it by the same name', function()
    local text = core:ok('lsp_rename', rename('other.py', 'C/run', 'go'))
    assert.matches('complete: true', text)
    assert.matches('def go%(', get('other.py'))
    assert.matches('def run%(', get('sub.py'))
  end)

  it('refuses another signature of it', function()
    local text = refused('lsp_edit', {
      file_path = 'p/base.py',
      symbol = 'A/run',
      action = 'change_signature',
      signature = 'self, n, m=0',
    })
    assert.matches('sub.py:7', text)
  end)

  it('stays what it is where that is wanted', function()
    local args = rename('p/base.py', 'A/run', 'go')
    args.incomplete = 'allow'
    local text = core:ok('lsp_rename', args)
    assert.matches('complete: false', text)
    assert.matches('def run%(', get('sub.py'))
  end)
end)
