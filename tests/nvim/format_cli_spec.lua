-- lsp_format through the command line with the real servers: no line outside of a range changes, the
-- syntax is checked, and an .editorconfig counts where the project has no style of its own.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local dir

local function format(args)
  return e2e.oxide(dir, { 'call', 'lsp_format', '--yes', vim.json.encode(args) })
end

describe('lsp_format of a range', function()
  after_each(project.finish)

  local UGLY = {
    ['a.c'] = 'int  a;\nint main( void ){\nint  b=1;\n\n\n\n   int c  =2;\n'
      .. '\tif(b){\nreturn 1;}\n  return a+b+ c;}\n\n\n\nint  d ;\nint\ne;\n',
    ['a.ts'] = 'const  a=1;\nfunction f( x:number ){\nconst  b=1;\n\n\n\n   const c  =2;\n'
      .. '\tif(b){\nreturn 1;}\n  return a+b+ c;}\n\n\n\nconst  d =2;\nf(\n1);\n',
  }

  for file, text in vim.spairs(UGLY) do
    it('changes no line outside of it: ' .. file, function()
      local lines = vim.split(text, '\n')
      table.remove(lines)
      dir = project.reside()
      project.put('tsconfig.json', '{ "include": ["*.ts"] }\n')
      for first = 1, #lines, file == 'a.ts' and 4 or 1 do
        for _, last in ipairs { first, math.min(#lines, first + 2) } do
          project.put(file, text)
          local done = project.call('lsp_format', {
            file_path = file,
            start_line = first,
            end_line = last,
            verify = false,
          }, { '--yes' })
          assert.equal(0, done.code, done.out)
          local now = vim.split(helper.read(dir .. '/' .. file), '\n')
          table.remove(now)
          local what = ('lines %d to %d:\n%s'):format(first, last, done.out)
          for i = 1, first - 1 do
            assert.equal(lines[i], now[i], what)
          end
          for i = 0, #lines - last - 1 do
            assert.equal(lines[#lines - i], now[#now - i], what)
          end
        end
      end
    end)
  end
end)

describe('lsp_format', function()
  before_each(function()
    dir = project.begin()
  end)
  after_each(project.finish)

  it('checks the syntax', function()
    project.put('a.c', 'int  a;\n')
    local done = format { file_path = 'a.c' }
    assert.equal(0, done.code, done.out)
    assert.equal('ok', done.answer.syntax_check, done.out)
    project.put('a.c', 'int  a;\n')
    done = format { file_path = 'a.c', verify = false }
    assert.matches('^skipped', done.answer.syntax_check)
  end)

  local C = 'struct s {\nint a;\n};\n\nint main(void) {\nif (1) {\nreturn 1;\n}\nreturn 0;\n}\n'

  --- The same with this before each level.
  local function indented(step)
    return (
      'struct s {\n>int a;\n};\n\nint main(void) {\n>if (1) {\n>>return 1;\n>}\n'
      .. '>return 0;\n}\n'
    ):gsub('>', step)
  end

  for name, case in
    vim.spairs {
      ['indent_size'] = { 'indent_style = space\nindent_size = 4\n', '    ' },
      ['indent_size of three'] = { 'indent_size = 3\nindent_style = space\n', '   ' },
      ['indent_style = tab'] = { 'indent_style = tab\ntab_width = 8\n', '\t' },
      ['tab_width'] = { 'indent_style = space\ntab_width = 6\n', '      ' },
    }
  do
    it("indents C as .editorconfig's " .. name .. ' says', function()
      project.put('.editorconfig', 'root = true\n[*.c]\n' .. case[1])
      project.put('a.c', C)
      local done = format { file_path = 'a.c' }
      assert.equal(0, done.code, done.out)
      assert.equal(indented(case[2]), helper.read(dir .. '/a.c'))
      assert.equal('ok', done.answer.syntax_check, done.out)
      assert.same({}, vim.fn.glob(vim.env.TMPDIR .. '/oxide-style-*', true, true))
    end)
  end

  it('indents a range of C by .editorconfig', function()
    project.put('.editorconfig', 'root = true\n[*.c]\nindent_style = space\nindent_size = 4\n')
    project.put('a.c', (indented('    '):gsub('    return 0', 'return 0')))
    local done = format { file_path = 'a.c', start_line = 9, end_line = 9 }
    assert.equal(0, done.code, done.out)
    assert.equal(indented('    '), helper.read(dir .. '/a.c'))
  end)

  it('follows a .clang-format rather than .editorconfig', function()
    project.put('.editorconfig', 'root = true\n[*.c]\nindent_style = space\nindent_size = 4\n')
    project.put('.clang-format', 'BasedOnStyle: LLVM\nIndentWidth: 5\n')
    project.put('a.c', C)
    local done = format { file_path = 'a.c' }
    assert.equal(0, done.code, done.out)
    assert.equal(indented('     '), helper.read(dir .. '/a.c'))
  end)
end)
