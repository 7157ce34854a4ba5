-- Members of Python's classes that override each other: its servers take each for a symbol of its
-- own, and a change of one alone means that another is called than before. A rename takes all.
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

  it('is renamed with it, from above and from below, over a class between', function()
    put('use.py', 'from sub import B\n\nprint(B().run(1) + B().size)\n')
    assert.matches('complete: true', core:ok('lsp_rename', rename('p/base.py', 'A/run', 'go')))
    assert.matches('def go%(', get('p/base.py'))
    assert.matches('def go%(', get('sub.py'))
    assert.matches('B%(%)%.go%(1%)', get('use.py'))
    assert.matches('def run%(', get('other.py'))
    assert.matches('complete: true', core:ok('lsp_rename', rename('sub.py', 'B/go', 'run')))
    assert.equal(BASE, get('p/base.py'))
    assert.matches('B%(%)%.run%(1%)', get('use.py'))
  end)

  it('is a variable of the class too', function()
    core:ok('lsp_rename', rename('p/base.py', 'A/size', 'length'))
    assert.matches('length = 1.*self%.length', get('p/base.py'))
    assert.matches('length = 2', get('sub.py'))
  end)

  it('and is overridden again, or shared by two bases, is one family', function()
    put(
      'two.py',
      'from sub import B\nfrom other import C\n\n\nclass D(B, C):\n    def run(self, n):\n        return n\n'
    )
    core:ok('lsp_rename', rename('p/base.py', 'A/run', 'go'))
    for _, name in ipairs { 'p/base.py', 'sub.py', 'two.py', 'other.py' } do
      assert.matches('def go%(', get(name))
    end
  end)

  it('refuses where a class outside of the project has it', function()
    put(
      'job.py',
      'import threading\n\n\nclass Job(threading.Thread):\n    def run(self):\n        pass\n'
    )
    local text = core:fails('lsp_rename', rename('job.py', 'Job/run', 'go'))
    assert.matches('threading.pyi:%d+, outside of the project, is overridden by it', text)
    local args = rename('job.py', 'Job/run', 'go')
    args.incomplete = 'allow'
    assert.matches('complete: false', core:ok('lsp_rename', args))
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
end)
