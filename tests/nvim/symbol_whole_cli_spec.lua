-- lsp_symbol shows whole definitions and groups references by file; list_code_actions finds for a whole
-- line what is offered at any column of it. With the real clangd.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local AREA = '/* The area. */\nint area(int w, int h)\n{\n\tint a = w * h;\n\n\treturn a;\n}'
local BOX = '/* A box. */\nstruct box {\n\tint w;\n\tint h;\n};'

local FILES = {
  ['shape.h'] = '#define SIDE(n) \\\n\t((n) + 1)\n' .. BOX .. '\nint area(int w, int h);\n',
  ['shape.c'] = '#include "shape.h"\n\n' .. AREA .. '\n\nint other(void)\n{\n\treturn 1;\n}\n',
  ['main.c'] = '#include "shape.h"\n\nint main(void)\n{\n\tstruct box b = { 1, SIDE(1) };\n\n'
    .. '\treturn area(b.w, b.h) + area(1, 2);\n}\n',
}

local dir

local function call(tool, args, options)
  return e2e.oxide(dir, { 'call', tool, vim.json.encode(args) }, { options = options })
end

local function symbol(query, line, name, options, tool)
  local done = call(tool or 'lsp_symbol', {
    query = query,
    file_path = 'main.c',
    line = line,
    symbol = name,
  }, options)
  assert.equal(0, done.code, done.out)
  return done.answer
end

describe('lsp_symbol', function()
  before_each(function()
    dir = project.begin(FILES)
    project.put('compile_commands.json', helper.compiled(dir, vim.tbl_keys(FILES), 'cc'))
  end)
  after_each(project.finish)

  it('shows the whole definition, also of a type and a macro', function()
    local at = symbol('definition', 7, 'area').locations[1]
    assert.equal('shape.c', at.file)
    assert.equal(AREA, at.definition)
    assert.same({ 3, 9 }, { at.definition_line, at.definition_end_line })
    assert.equal(BOX, symbol('type_definition', 5, 'b').locations[1].definition)
    assert.equal(
      '#define SIDE(n) \\\n\t((n) + 1)',
      symbol('definition', 5, 'SIDE').locations[1].definition
    )
    local from0 = call('goto_definition', { file_path = 'main.c', line = 6, character = 8 })
    assert.equal(AREA, from0.answer.definitions[1].definition, from0.out)
  end)

  it('shows the definition also where the server knows of no other file', function()
    vim.fn.delete(dir .. '/compile_commands.json')
    local at = symbol('definition', 7, 'area').locations[1]
    assert.same({ 'shape.c', AREA }, { at.file, at.definition })
  end)

  it('says where a long one is cut', function()
    helper.write(
      dir .. '/shape.c',
      '#include "shape.h"\n\nint area(int w, int h)\n{\n'
        .. ('\tw++;\n'):rep(60)
        .. '\treturn w * h;\n}\n'
    )
    local at = symbol('definition', 7, 'area', { ['symbol.code_bytes'] = 100 }).locations[1]
    assert.matches('^int area%(int w, int h%)\n{\n\tw%+%+;\n', at.definition)
    assert.is_true(#at.definition <= 100)
    assert.matches('^definition is %d+ of %d+ bytes; read_file up to line 66 has the rest', at.cut)
  end)

  it('groups references by file', function()
    local found = symbol('references', 7, 'area')
    assert.equal(4, found.total)
    assert.same({
      { file = 'main.c', total = 2, lines = { 7 } },
      { file = 'shape.c', total = 1, lines = { 4 } },
      { file = 'shape.h', total = 1, lines = { 8 } },
    }, found.by_file)
  end)
end)

describe('list_code_actions', function()
  before_each(function()
    dir = project.begin()
  end)
  after_each(project.finish)

  it('offers for a whole line what it offers at any column of it, once', function()
    local line = [[int f(int n) { auto x = n + 2; const char *s = "a\n\"b\""; return x + !s; }]]
    helper.write(dir .. '/a.cpp', line .. '\n')
    local function titles(column)
      local done = call('list_code_actions', { file_path = 'a.cpp', line = 1, column = column })
      assert.equal(0, done.code, done.out)
      return vim.tbl_map(function(action)
        return action.title
      end, done.answer.code_actions)
    end
    local whole, seen = titles(), {}
    for _, title in ipairs(whole) do
      assert.is_nil(seen[title], title .. ' comes twice')
      seen[title] = true
    end
    local offered = 0
    for _, word in ipairs { 'auto', '+', '"a', 'return' } do
      for _, title in ipairs(titles((line:find(word, 1, true)))) do
        offered = offered + 1
        assert.is_true(seen[title], ('%s, offered at %s, is missing'):format(title, word))
      end
    end
    assert.is_true(offered > 1)
  end)
end)
