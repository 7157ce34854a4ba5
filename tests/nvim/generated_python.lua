-- Generated projects of Python: a package whose modules import from each other in all ways.
local generated = require('generated')

local append, call, params = generated.append, generated.call, generated.params

local function py_module(p, i, s)
  local file = { '"""', s.compute.name, ' in a string"""\n' }
  local way = p.throw(4)
  local alias = p:symbol('alias')
  local f, box = s.compute, s.box ---@type any, any
  if way == 1 then
    append(file, 'from .core import ', s.compute, ', ', s.box, ', ', s.limit, '\n')
  elseif way == 2 then
    append(file, 'from . import core\nfrom .core import ', s.limit, '\n')
    f, box = { 'core.', s.compute }, { 'core.', s.box }
  elseif way == 3 then
    append(file, 'from pkg.core import ', s.compute, ' as ', alias, '\n')
    append(file, 'from pkg.core import ', s.box, ', ', s.limit, '\n')
    f = alias
  else
    append(file, 'import pkg.core as ', alias, '\nfrom .core import ', s.limit, '\n')
    f, box = { alias, '.', s.compute }, { alias, '.', s.box }
  end
  local shadow = p:symbol('local', p:once_in(2) and s.compute.name or s.width.name)
  local b, total = p:symbol('local'), p:symbol('local')
  append(file, '\n\ndef plain', tostring(i), '(', shadow, '):\n    return ', shadow, ' + 1\n\n\n')
  append(file, 'def use', tostring(i), '(x):\n    ', b, ' = ', box, '(x)\n')
  append(file, '    ', total, ' = plain', tostring(i), '(', { b, '.', s.width }, ')\n')
  local function compute(first, second)
    if f == alias then
      return { alias, '(', { of = s.compute, called = true, lists = { first, second } }, ')' }
    end
    return {
      f == s.compute and '' or { f[1], f[2] == '.' and '.' or '' },
      call(s.compute, first, second),
    }
  end
  local uses = {
    { '    ', b, '.', s.width, ' = ', b, '.', s.width, ' + 2\n' },
    { '    ', b, '.', s.width, ' += ', s.limit, '\n' },
    { '    ', total, ' += ', b, '.', s.grow, '(3).', s.width, '\n' },
    { '    ', total, ' += ', compute({ 'x' }, { tostring(i) }), '\n' },
    { '    ', total, ' += ', compute({ compute({ '1' }, { 'x' }) }, { '2' }), '\n' },
    { '    ', total, ' += ', b, '.', s.depth, '\n' },
    { '    ', total, ' += sum(', compute({ 'k' }, { '1' }), ' for k in range(3))\n' },
    { '    ', total, ' += len(f"{', b, '.', s.width, '}")\n' },
    { '    ', total, ' += getattr(', b, ', "', 'none', '", 1)\n' },
  }
  if p.keywords then
    append(uses, { '    ', total, ' += ', f, '(', s.a, '=1, ', s.b, '=x)\n' })
    append(uses, { '    ', total, ' += ', f, '(x, ', s.b, '=2)\n' })
  end
  for _ = 1, 4 do
    append(file, table.remove(uses, p.throw(#uses)))
  end
  append(file, '    return ', total, '\n')
  p.files[('pkg/m%02d.py'):format(i)] = file
end

return function(p)
  p:surround { 'sum', 'range', 'len', 'getattr' }
  local s = {
    compute = p:symbol('function'),
    box = p:symbol('class'),
    width = p:symbol('property'),
    grow = p:symbol('method'),
    depth = p:symbol('attribute'),
    limit = p:symbol('constant'),
    a = p:symbol('parameter'),
    b = p:symbol('parameter'),
  }
  p.keywords = p:once_in(2)
  if not p.keywords then
    s.compute.signature = { count = 2, new = '%s' }
  end
  s.compute.home = 'pkg/core.py'
  local total = p:symbol('local')
  p.files['pkg/core.py'] = {
    { '"""The core."""\n\n', s.limit, ' = 7\n\n\ndef ', s.compute, '(' },
    { params(s.compute, { s.a }, { s.b }), '):\n    ', total, ' = ', s.a, ' * 10 + ', s.b, '\n' },
    { '    return ', total, '\n\n\nclass ', s.box, ':\n    def __init__(self, w):\n' },
    { '        self._w = w\n        self.', s.depth, ' = 1\n\n    @property\n    def ', s.width },
    { '(self):\n        return self._w\n\n    @', s.width, '.setter\n    def ', s.width },
    {
      '(self, v):\n        self._w = v\n\n    def ',
      s.grow,
      '(self, by):\n        self.',
      s.width,
    },
    { ' = self.', s.width, ' + by\n        self.', s.depth, ' += 1\n        return self\n' },
  }
  local main = {}
  local count = 2 + p.throw(6)
  for i = 1, count do
    py_module(p, i, s)
    append(main, ('from pkg.m%02d import use%d\n'):format(i, i))
  end
  for i = 1, count do
    append(main, ('print(use%d(%d))\n'):format(i, i))
  end
  p.files['main.py'] = main
  p.fixed['pkg/__init__.py'] = ''
  p.fixed['pyrightconfig.json'] = '{}\n'
  p.run = function()
    return {
      'sh',
      '-c',
      'export PYTHONDONTWRITEBYTECODE=1; for f in pkg/*.py; do python3 -c "import ast, sys; '
        .. 'ast.parse(open(sys.argv[1]).read())" "$f" || exit; done; python3 main.py',
    }
  end
end
