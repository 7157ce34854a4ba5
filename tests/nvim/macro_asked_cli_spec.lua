-- A rename of what a macro has in it, where the server renames, but fails to tell where the macro is
-- used: what the macro means is not known then, and the rename is not complete.
local fault = require('fault')
local helper = require('helper')

local C = 'int room;\n#define ROOM() (room)\nint f(void) { return ROOM(); }\n'
local PLACE = { file_path = 'a.c', line = 1, symbol = 'room', new_name = 'left', verify = false }

local function project(references)
  return fault.renaming(
    { ['a.c'] = C },
    { referencesProvider = true },
    { ['textDocument/references'] = references }
  )
end

local FAILS = { error = { code = -32603, message = 'no index today' } }

describe('a rename of what a macro has in it', function()
  after_each(fault.cleanup)

  it('changes the macro where the server lists a use of it', function()
    local p = project { result = { { uri = 'file://{ROOT}/a.c', range = fault.range(2, 21, 25) } } }
    local out = p:call('lsp_rename', PLACE, { '--yes' })
    assert.is_true(out.result.complete, vim.inspect(out.result))
    assert.equal(C:gsub('room', 'left'), helper.read(p.dir .. '/a.c'))
  end)

  it('is refused where the server fails to list its uses', function()
    local p = project(FAILS)
    local out = p:call('lsp_rename', PLACE, { '--yes' })
    assert.equal('incomplete', out.result.error and out.result.error.code)
    assert.matches(
      'fake did not say where macros use the name: .*no index today',
      out.result.error.message
    )
    assert.equal(C, helper.read(p.dir .. '/a.c'))
  end)

  it('is not complete then, where it is made all the same', function()
    local p = project(FAILS)
    local args = vim.tbl_extend('force', PLACE, { incomplete = 'allow' })
    local out = p:call('lsp_rename', args, { '--yes' })
    assert.is_true(out.result.success, vim.inspect(out.result))
    assert.is_false(out.result.complete)
    assert.matches('no index today', table.concat(out.result.reasons, '\n'))
  end)
end)
