-- :Oxide actions with real servers: chosen, made, taken back, byte by byte.
local e2e = require('e2e')
local helper = require('helper')

--- Takes the action whose title begins so.
local function take(child, title)
  child:lua(
    [[
      local title = ...
      vim.ui.select = function(items, _, on_choice)
        _G.titles = vim.tbl_map(function(item) return item.title end, items)
        for _, item in ipairs(items) do
          if vim.startswith(item.title, title) then
            return vim.schedule(function() on_choice(item) end)
          end
        end
        on_choice(nil)
      end
    ]],
    title
  )
end

describe(':Oxide actions', function()
  after_each(helper.cleanup)

  it('extracts a variable with clangd, by a command that asks for its edit', function()
    local child = e2e.start(e2e.samples.clangd)
    local text = 'int f(int a)\n{\n\tif (a > 1)\n\t\treturn 1;\n\treturn 2;\n}\n'
    helper.write(child.dir .. '/extract.cc', text)
    child:cmd('edit extract.cc')
    take(child, 'Extract subexpression to variable')
    child:lua("vim.keymap.set('x', 'gra', '<Plug>(oxide-actions)')")
    child:type('3Gfav4lgra')
    child:message(
      'Extract subexpression to variable: %d edits? in 1 file. Wrote 1 file. :Oxide undo takes it back.'
    )
    assert.equal(
      'int f(int a)\n{\n  auto placeholder = a > 1;\n  if (placeholder)\n    return 1;\n  return 2;\n}\n',
      helper.read(child.dir .. '/extract.cc')
    )
    child:cmd('Oxide undo')
    child:message('Undid')
    assert.equal(text, helper.read(child.dir .. '/extract.cc'))
  end)

  it('moves code to a new file with typescript, through the review', function()
    local child = e2e.start(e2e.samples.typescript)
    local text = 'export const one = 1;\nexport const two = 2;\n'
    helper.write(child.dir .. '/both.ts', text)
    child:cmd('edit both.ts')
    take(child, 'Move to a new file')
    child:cmd('2')
    child:cmd('1,1Oxide actions')
    child:event('ReviewOpen')
    assert.equal(text, helper.read(child.dir .. '/both.ts'))
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/one.ts'), 'only to list it, nothing is made')
    child:cmd('write')
    child:message('Move to a new file: %d edits? in 2 files')
    assert.equal('export const two = 2;\n', helper.read(child.dir .. '/both.ts'))
    assert.matches('^export const one = 1;\n', helper.read(child.dir .. '/one.ts'))
    child:cmd('Oxide undo')
    child:message('Undid')
    assert.equal(text, helper.read(child.dir .. '/both.ts'))
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/one.ts'))
  end)

  it('says so where pyright offers nothing', function()
    local child = e2e.start(e2e.samples.pyright)
    child:cmd('edit shape.py')
    child:cmd('Oxide actions')
    child:message('No code actions available here.')
  end)
end)
