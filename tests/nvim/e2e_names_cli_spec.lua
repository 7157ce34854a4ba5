-- A file whose name is Latin-1 beside others, with real servers: one that cannot take such a name is
-- not shown it, which is said where it matters, and it does not hang or die of it.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local ODD = 'n\xe9'

local cases = {
  pyright = {
    ext = '.py',
    files = {
      ['pyrightconfig.json'] = '{}\n',
      ['shape.py'] = 'def area(w):\n    return w\n',
      ['main.py'] = 'from shape import area\n\nprint(area(1))\n',
    },
    main = 'shape.py',
    uses = 'from shape import area\n\nprint(area(2))\n',
    other = 'print(3)\n',
  },
  typescript = {
    ext = '.ts',
    files = {
      ['tsconfig.json'] = e2e.tsconfig(),
      ['shape.ts'] = 'export function area(w: number) {\n  return w;\n}\n',
      ['main.ts'] = "import { area } from './shape';\n\narea(1);\n",
    },
    main = 'shape.ts',
    uses = "import { area } from './shape';\n\narea(2);\n",
    other = 'export const three = 3;\n',
  },
  rust_analyzer = {
    ext = '.rs',
    program = 'rust-analyzer',
    config = e2e.samples.rust_analyzer and e2e.samples.rust_analyzer.config,
    files = {
      ['Cargo.toml'] = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n\n'
        .. '[[bin]]\nname = "a"\npath = "main.rs"\n',
      ['shape.rs'] = 'pub fn area(w: i32) -> i32 {\n    w\n}\n',
      ['main.rs'] = 'mod shape;\n\nfn main() {\n    shape::area(1);\n}\n',
    },
    main = 'shape.rs',
    uses = 'fn more() {\n    crate::shape::area(2);\n}\n',
    other = 'fn three() {}\n',
  },
}

local function rename(dir, case)
  local args = { 'call', 'lsp_rename', '--file', case.main, '--symbol', 'area' }
  vim.list_extend(args, { '--new-name', 'region', '--yes' })
  return e2e.oxide(dir, args)
end

for server, case in vim.spairs(cases) do
  if not case.program or e2e.brought(case.program) then
    describe('a file whose name is not UTF-8, beside others of ' .. server .. ',', function()
      local why = server .. ' cannot open a file whose name is not UTF-8'

      setup(function()
        project.reside(case.config)
      end)
      teardown(project.finish)

      local function reset(odd)
        project.reset(vim.tbl_extend('error', case.files, { [ODD .. case.ext] = odd }))
      end

      local function rename_area(incomplete)
        return project.call('lsp_rename', {
          file_path = case.main,
          symbol = 'area',
          new_name = 'region',
          incomplete = incomplete,
        }, { '--yes' })
      end

      it('is named where it has the name', function()
        reset(case.uses)
        local done = rename_area()
        assert.equal(1, done.code, done.out)
        assert.equal('incomplete', done.answer.error.code)
        assert.equal(1, #done.answer.error.files)
        assert.equal(why, done.answer.error.files[1].reason)
        assert.same(case.files, project.now(case.files))
        done = rename_area('allow')
        assert.equal(0, done.code, done.out)
        assert.is_false(done.answer.complete)
        assert.matches(vim.pesc(why), table.concat(done.answer.reasons, '\n'))
        assert.matches('region', project.get(case.main))
        assert.equal(case.uses, project.get(ODD .. case.ext))
      end)

      it('is not named where it has not', function()
        reset(case.other)
        local done = rename_area()
        assert.equal(0, done.code, done.out)
        assert.is_nil(done.out:find('UTF%-8'), done.out)
        assert.matches('region', project.get(case.main))
      end)
    end)
  end
end

describe('a file whose name is not UTF-8', function()
  local dir

  local function fill(case, odd)
    for name, text in pairs(case.files) do
      helper.write(dir .. '/' .. name, text)
    end
    helper.write(dir .. '/' .. ODD .. case.ext, odd)
  end

  before_each(function()
    dir = helper.tempdir()
    vim.fn.mkdir(dir .. '/.state')
  end)

  after_each(function()
    vim.fn.delete(dir, 'rf')
  end)

  -- The go command does not take the package of such a file, and gopls says no more than that.
  it('refuses a rename by gopls, which knows nothing of its package then', function()
    if not e2e.brought('gopls') then
      return
    end
    local case = { ext = '.go', main = 'shape.go' }
    case.files = {
      ['go.mod'] = 'module example.org/shapes\n\ngo 1.21\n',
      ['shape.go'] = 'package main\n\nfunc area(w int) int {\n\treturn w\n}\n',
      ['main.go'] = 'package main\n\nfunc main() {\n\tarea(1)\n}\n',
    }
    fill(case, 'package main\n\nfunc more() {\n\tarea(2)\n}\n')
    local done = rename(dir, case)
    assert.equal(1, done.code, done.out)
    assert.equal('gopls says that area cannot be renamed', done.answer.error.message)
    local args = { 'call', 'lsp_rename', '--file', 'shape.go', '--line', '2', '--column', '1' }
    done = e2e.oxide(dir, vim.list_extend(args, { '--new-name', 'other', '--yes' }))
    assert.equal('gopls says that what is there cannot be renamed', done.answer.error.message)
    for name, text in pairs(case.files) do
      assert.equal(text, helper.read(dir .. '/' .. name))
    end
    assert.equal(0, vim.fn.delete(dir .. '/' .. ODD .. '.go'))
    done = rename(dir, case)
    assert.equal(0, done.code, done.out)
    assert.matches('region', helper.read(dir .. '/main.go'))
  end)

  it('is renamed in by clangd, which takes it', function()
    helper.write(dir .. '/compile_flags.txt', '-Wall\n')
    helper.write(dir .. '/shape.h', 'int area(int w);\n')
    helper.write(dir .. '/shape.c', '#include "shape.h"\nint area(int w) { return w; }\n')
    helper.write(dir .. '/' .. ODD .. '.c', '#include "shape.h"\nint n(void) { return area(2); }\n')
    local done = rename(dir, { main = 'shape.c' })
    assert.equal(0, done.code, done.out)
    assert.is_true(done.answer.complete)
    assert.matches('region%(2%)', helper.read(dir .. '/' .. ODD .. '.c'))
  end)

  it('is edited by its text, and asked about in vain, where pyright serves the others', function()
    fill(cases.pyright, 'def f():\n    return 1\n')
    local name = ODD .. '.py'
    local done =
      e2e.oxide(dir, { 'call', 'lsp_symbol', '--query', 'hover', '--file', name, '--symbol', 'f' })
    assert.equal(1, done.code)
    assert.equal('pyright cannot open a file whose name is not UTF-8', done.answer.error.message)
    done = e2e.oxide(
      dir,
      { 'call', 'edit_file', '--file', name, '--old-string', '1', '--new-string', '2', '--yes' }
    )
    assert.equal(0, done.code, done.out)
    assert.equal('def f():\n    return 2\n', helper.read(dir .. '/' .. name))
  end)
end)
