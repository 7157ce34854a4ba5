-- Generated projects of C: headers, macros and functions, in files that use them in many ways.
local generated = require('generated')

local append, call, params = generated.append, generated.call, generated.params

local C_RUN = 'cc -w -Werror=implicit-function-declaration -Werror=int-conversion '
  .. '-Werror=incompatible-pointer-types %s -o "$1/main" src/*.c && "$1/main"'

--- One file of C that uses what the header has, and has things of its own of the same names.
local function c_caller(p, i, s)
  local file, t = { '#include "api.h"\n\n' }, { kind = 'gone', name = 't' }
  -- a function of this file alone; others have one of that name
  local own = p:symbol('static', s.shared)
  append(file, 'static int ', own, '(int x)\n{\n\treturn x + ', tostring(i), ';\n}\n\n')
  -- a local variable that is called like something of the whole program
  local shadow =
    p:symbol('local', p:name_of { ['function'] = true, variable = true, member = true })
  append(file, 'static int shadow', tostring(i), '(int x)\n{\n\tint ', shadow, ' = x * 2;\n\n')
  append(file, '\treturn ', shadow, ' + ', shadow, ';\n}\n\n')
  local value = p:symbol('local')
  append(file, 'int use', tostring(i), '(struct ', s.tag, ' *', t.name, ')\n{\n')
  append(file, '\t/* ', s.compute.name, ' and ', s.width.name, ' */\n')
  append(file, '\tint ', value, ' = ', call(s.compute, { 't->', s.width }, { tostring(i) }))
  append(file, ' + ', own, '(shadow', tostring(i), '(', tostring(i), '));\n\n')
  local uses = {
    { '\t', s.counter, ' += ', value, ';\n' },
    { '\t', value, ' += ', s.limit, ';\n' },
    { '\t', value, ' += ', s.apply, '(', value, ');\n' },
    { '\t', value, ' += ', s.helper, '(t);\n' },
    { '\t', value, ' += ', s.mode, ';\n' },
    { '\tstruct ', s.other, ' o = { .', s.other_width, ' = ', value, ' };\n\t', value },
    { '\tint (*f)(struct ', s.tag, ' *) = ', s.helper, ';\n\t', value, ' += f(t);\n' },
    {
      '\t',
      value,
      ' += ',
      call(s.compute, { call(s.compute, { '1' }, { value }) }, { '2' }),
      ';\n',
    },
    { '\t{\n\t\textern int ', s.counter, ';\n\t\t', s.counter, ' += 1;\n\t}\n' },
  }
  append(uses[6], ' += o.', s.other_width, ';\n')
  for _ = 1, 3 do
    append(file, table.remove(uses, p.throw(#uses)))
  end
  if p:once_in(25) then
    append(file, '#ifdef NEVER\n\t', value, ' = ', s.helper, '(t);\n#endif\n')
  end
  append(file, '\tprintf("', s.compute.name, ' %d\\n", ', value, ');\n')
  append(file, '\treturn ', value, ' + t->', s.depth, ';\n}\n')
  p.files[('src/c%02d.c'):format(i)] = file
end

return function(p, kind)
  local s = {
    compute = p:symbol('function', nil, { count = 2, new = 'int %s' }),
    helper = p:symbol('function'),
    counter = p:symbol('variable'),
    tag = p:symbol('tag'),
    other = p:symbol('tag'),
    width = p:symbol('member'),
    depth = p:symbol('member'),
    limit = p:symbol('macro'),
    apply = p:symbol('macro'),
    mode = p:symbol('constant'),
    via = p:symbol('macro'),
    shared = p:word(),
  }
  s.other_width = p:symbol('member', s.width.name)
  s.compute.home = 'src/api.c'
  local count = p:once_in(5) and 18 + p.throw(22) or 2 + p.throw(7)
  local inner = p:once_in(2) and { call(s.compute, { '(x)' }, { '1' }) } or { '(x)' }
  p.headers = p:once_in(3) and 'include' or 'src'
  local header = { '#ifndef API_H\n#define API_H\n#include <stdio.h>\n' }
  append(header, '#define ', s.limit, ' 7\n#define ', s.apply, '(x) (', inner, ' * 3)\n')
  append(header, 'struct ', s.tag, ' {\n\tint ', s.width, ';\n\tint ', s.depth, ';\n};\n')
  append(header, 'struct ', s.other, ' {\n\tint ', s.other_width, ';\n};\n')
  append(header, 'enum { FIRST, ', s.mode, ' = 4 };\nextern int ', s.counter, ';\n')
  append(header, 'int ', s.compute, '(', params(s.compute, { 'int a' }, { 'int b' }), ');\n')
  append(header, 'int ', s.helper, '(struct ', s.tag, ' *t);\n')
  append(header, '#define ', s.via, '(t) ((t)->', s.depth, ' + ', s.helper, '(t) * ', s.mode, ')\n')
  if p:once_in(10) then
    append(header, '#define NEVER_EXPANDED(t) ((t)->', s.width, ')\n')
  end
  append(header, '#endif\n')
  p.files[p.headers .. '/api.h'] = header
  -- has what the macro has in it by the macro alone
  p.files['src/only.c'] = {
    { '#include "api.h"\n\nint only(struct ', s.tag, ' *t)\n{\n\treturn ', s.via, '(t);\n}\n' },
  }
  local a, b = p:symbol('local', 'a'), p:symbol('local', 'b')
  p.files['src/api.c'] = {
    { '#include "api.h"\n\nint ', s.counter, ' = 3;\n\nint ', s.compute, '(' },
    { params(s.compute, { 'int ', a }, { 'int ', b }), ')\n{\n\treturn ', a, ' * 10 + ', b },
    { ';\n}\n\nint ', s.helper, '(struct ', s.tag, ' *t)\n{\n\treturn t->', s.depth, ' + ' },
    { s.limit, ';\n}\n' },
  }
  local main = { '#include "api.h"\n\nint only(struct ', s.tag, ' *t);\n' }
  for i = 1, count do
    c_caller(p, i, s)
    append(main, 'int use', tostring(i), '(struct ', s.tag, ' *t);\n')
  end
  append(main, '\nint main(void)\n{\n\tstruct ', s.tag, ' t = { .', s.width, ' = 2, .', s.depth)
  append(main, ' = 5 };\n\tint sum = 0;\n\n')
  for i = 1, count do
    append(main, '\tsum += use', tostring(i), '(&t);\n')
  end
  append(main, '\tprintf("%d %d\\n", sum + only(&t), ', s.counter, ');\n\treturn 0;\n}\n')
  p.files['src/main.c'] = main
  p.fixed['.git/HEAD'] = 'ref: refs/heads/main\n'
  if kind == 'flags' then
    p.fixed['compile_flags.txt'] = ('-I%s\n'):format(p.headers)
  end
  p.database = kind == 'commands'
  p.run = function(_, out)
    return { 'sh', '-c', C_RUN:format('-I' .. p.headers), 'sh', out }
  end
end
