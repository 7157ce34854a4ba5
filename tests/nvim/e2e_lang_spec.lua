-- Diagnostics, definition and format in Neovim with pyright and typescript-language-server; with
-- clangd they are in e2e_spec.lua.
local e2e = require('e2e')
local helper = require('helper')

local CASES = {
  pyright = {
    file = 'bad.py',
    bad = 's = "😀"; t = missing\n\n\ndef f() -> int:\n    return "no"\n',
    entries = { { 'E', 1, 17 }, { 'E', 5, 12 } },
    title = 'Oxide diagnostics: 2 errors in 1 file',
    defined = { 'shape.py', 4, 5 },
  },
  typescript = {
    file = 'bad.ts',
    -- the hint about `unused` comes last, though its line is the first
    bad = "const unused = 1;\nexport const s = '😀', t = missing;\n\nexport const n: number = 'no';\n",
    entries = { { 'E', 2, 30 }, { 'E', 4, 14 }, { 'N', 1, 7 } },
    title = 'Oxide diagnostics: 2 errors, 1 hint in 1 file',
    defined = { 'shape.ts', 2, 17 },
  },
}

for name, case in vim.spairs(CASES) do
  describe('with ' .. name, function()
    local child
    local sample = e2e.samples[name]

    before_each(function()
      child = e2e.start(sample)
    end)
    after_each(helper.cleanup)

    it('diagnostics are listed, the worst first, and counted', function()
      helper.write(child.dir .. '/' .. case.file, case.bad)
      child:cmd('edit ' .. case.file)
      child:cmd('Oxide diagnostics buffer')
      local list = child:wait(
        'the list',
        [[(function(title)
          local list = vim.fn.getqflist { title = 0, items = 0 }
          return list.title == title and list
        end)(...)]],
        case.title
      )
      local entries = vim.tbl_map(function(item)
        return { item.type, item.lnum, item.col }
      end, list.items)
      assert.same(case.entries, entries)
      assert.is_false(child:lua('return vim.bo[vim.fn.bufnr(...)].modified', case.file))
    end)

    it('a definition in another file is jumped to', function()
      child:cmd('edit ' .. sample.main)
      child:cmd([[call search('😀 area')]])
      child:cmd(([[call search('\<%s\>(')]]):format(sample.old))
      child:cmd('Oxide definition')
      child:wait('the definition', "vim.fn.expand('%:t') == ...", case.defined[1])
      assert.same(
        { case.defined[2], case.defined[3] },
        child:lua("return { vim.fn.line('.'), vim.fn.col('.') }")
      )
    end)
  end)
end

describe('a library outside of the project', function()
  after_each(helper.cleanup)

  it('is asked about by the server that has led there', function()
    local kit = helper.tempdir()
    helper.write(kit .. '/pyproject.toml', '[project]\nname = "kit"\n') -- a project by itself
    helper.write(
      kit .. '/kit.py',
      'from pen import Pen\n\n\ndef draw() -> Pen:\n    return Pen()\n'
    )
    helper.write(kit .. '/pen.py', 'class Pen:\n    """Draws."""\n')
    local child = e2e.start {
      files = {
        ['pyrightconfig.json'] = ('{ "extraPaths": ["%s"] }\n'):format(kit),
        ['main.py'] = 'import kit\n\nkit.draw()\n',
      },
    }
    child:cmd('edit main.py')
    for name, pattern in vim.spairs { ['kit.py'] = 'draw', ['pen.py'] = 'Pen$' } do
      child:cmd(("call search('%s')"):format(pattern))
      child:cmd('Oxide definition')
      child:wait(name, "vim.fn.expand('%:t') == ...", name)
    end
    child:cmd('Oxide hover')
    child:wait('what it says', '#vim.api.nvim_list_wins() == 2')
    child:lua("require('oxide.core').query('status', function(_, s) _G.status = s end)")
    local roots = vim.tbl_map(function(server)
      return server.root
    end, child:wait('the status', '_G.status').servers)
    assert.same({ child.dir }, roots)
    vim.fn.delete(kit, 'rf')
  end)
end)

describe('format', function()
  after_each(helper.cleanup)

  it('with typescript-language-server follows .editorconfig, whole and in part', function()
    local child = e2e.start(e2e.samples.typescript)
    helper.write(
      child.dir .. '/.editorconfig',
      'root = true\n[*]\nindent_style = space\nindent_size = 3\n'
    )
    helper.write(
      child.dir .. '/f.ts',
      "export function f( ) {\n\treturn   'ü😀' ;\n}\nexport function g( ) {\n\treturn   2 ;\n}"
    )
    child:cmd('edit f.ts')
    child:cmd('1,3Oxide format')
    child:message('Formatted')
    local part = { 'export function f() {', "   return 'ü😀';", '}' }
    assert.same(
      vim.list_extend(vim.deepcopy(part), { 'export function g( ) {', '\treturn   2 ;', '}' }),
      child:lines()
    )
    child:lua('_G.messages = {}')
    child:cmd('Oxide format')
    child:message('Formatted')
    assert.same(
      vim.list_extend(vim.deepcopy(part), { 'export function g() {', '   return 2;', '}' }),
      child:lines()
    )
  end)

  it('with pyright says what could', function()
    local child = e2e.start(e2e.samples.pyright)
    child:cmd('edit main.py')
    local before = child:lines()
    child:cmd('Oxide format')
    assert.matches('pylsp', child:message('does not support formatting'))
    assert.same(before, child:lines())
    assert.is_false(child:lua('return vim.bo.modified'))
  end)
end)
