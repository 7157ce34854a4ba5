-- The actions that real servers offer at a place, from the command line: each as a diff, with
-- nothing changed.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local OFFERED = {
  clangd = {
    file = 'odd.c',
    text = 'int odd(int a)\n{\n\tint sum = a\n\treturn sum;\n}\n',
    at = { line = 4 }, -- where the ';' is missed
    title = "insert ';'",
    diff = '-\tint sum = a\n+\tint sum = a;\n',
  },
  typescript = {
    file = 'odd.ts',
    text = "import { area } from './shape';\n\nexport function odd(a: number): number {\n"
      .. '  const sum = aera(a, a);\n  return sum;\n}\n',
    at = { line = 4, column = 15 },
    title = "Add missing function declaration 'aera'",
    diff = '+function aera(a: number, a1: number) {\n',
  },
  pyright = { -- which offers little: to add an optional type, or nothing
    file = 'odd.py',
    text = 'def odd(a: int) -> int:\n    return a\n',
    at = { line = 2, column = 5 },
  },
  gopls = {
    file = 'odd.go',
    text = 'package main\n\nfunc odd(a int) int {\n\tsum := a\n\treturn a\n}\n',
    at = { line = 4, column = 2 },
    title = 'Remove variable sum',
    diff = '-\tsum := a\n',
  },
  rust_analyzer = { -- of what already exists, for another file would be no part of the crate
    file = 'shape.rs',
    at = { line = 3, column = 6 },
    title = 'Insert explicit type `i32`',
    diff = '+\tlet area_of: i32 = w * h; // area\n',
    id = '^refactor%-shape',
  },
}
OFFERED['clangd-new'] = OFFERED.clangd

for name, sample in vim.spairs(e2e.samples) do
  describe('the actions of ' .. name, function()
    local offered = OFFERED[name]
    local dir

    before_each(function()
      dir = project.begin()
      e2e.fill(sample, dir)
      if offered.text then
        helper.write(dir .. '/' .. offered.file, offered.text)
      end
    end)
    after_each(project.finish)

    it('are listed, each with what it would change', function()
      local args = vim.tbl_extend('error', { file_path = offered.file }, offered.at)
      local done = e2e.oxide(dir, { 'call', 'list_code_actions', '-' }, {
        stdin = vim.json.encode(args),
        config = sample.config,
      })
      assert.equal(0, done.code, done.out)
      local wanted
      for _, action in ipairs(done.answer.code_actions) do
        assert.is_string(action.diff, action.title)
        assert.equal(sample.server, action.server)
        wanted = action.title == offered.title and action or wanted
      end
      if offered.title then
        assert.is_table(wanted, done.out)
        assert.is_truthy(wanted.diff:find(offered.diff, 1, true), wanted.diff)
        assert.matches(offered.id or '^fix%-odd', wanted.id)
      end
      if offered.text then
        assert.equal(offered.text, helper.read(dir .. '/' .. offered.file))
      end
      assert.same(e2e.before(sample), e2e.disk(sample, dir))
    end)
  end)
end
