-- A rename that leaves out a place whose definition the server fails to tell: what the name means there
-- is not known, and the rename is not complete.
local fault = require('fault')
local helper = require('helper')

local A, B = 'int room;\n', 'extern int room;\nint f(void) { return room; }\n'
local PLACE = { file_path = 'a.c', line = 1, symbol = 'room', new_name = 'left', verify = false }

--- The server answers this where it is asked for a definition.
local function project(definition)
  return fault.renaming(
    { ['a.c'] = A, ['b.c'] = B },
    { definitionProvider = true },
    { ['textDocument/definition'] = definition }
  )
end

describe('a rename that leaves out a place', function()
  after_each(fault.cleanup)

  for what, definition in pairs {
    ['answers nonsense'] = { result = 'nonsense' },
    ['fails'] = { error = { code = -32603, message = 'no index today' } },
    ['knows nothing'] = { result = vim.NIL },
  } do
    it('is refused where the server, asked what is defined there, ' .. what, function()
      local p = project(definition)
      local out = p:call('lsp_rename', PLACE, { '--yes' })
      assert.equal('incomplete', out.result.error and out.result.error.code, vim.inspect(out))
      assert.matches('b.c', out.result.error.message)
      assert.same({ A, B }, { helper.read(p.dir .. '/a.c'), helper.read(p.dir .. '/b.c') })
    end)
  end

  it('is not complete where it is made all the same', function()
    local p = project { result = 'nonsense' }
    local args = vim.tbl_extend('force', PLACE, { incomplete = 'allow' })
    local out = p:call('lsp_rename', args, { '--yes' })
    assert.is_true(out.result.success, vim.inspect(out.result))
    assert.is_false(out.result.complete)
    assert.matches('b.c', table.concat(out.result.reasons, '\n'))
  end)
end)
