-- change_signature asks its server once more when that answers by a text that has gone, as clangd
-- does while it reads a buffer that has just been changed: with a scripted server.
local fault = require('fault')
local helper = require('helper')

local TEXT = 'int old(int a, int b);\n\nint use(void) { return old(1, 2); }\n'
local DECLARED, USED, GONE = { 0, 4 }, { 2, 23 }, { 1, 0 }

local function places(list)
  return {
    result = vim.tbl_map(function(at)
      return {
        uri = 'file://{ROOT}/a.c',
        range = {
          start = { line = at[1], character = at[2] },
          ['end'] = { line = at[1], character = at[2] + 3 },
        },
      }
    end, list),
  }
end

local function change(answers)
  local p = fault.project({
    capabilities = { referencesProvider = true },
    lint = { { word = 'bad' } },
    on = { ['textDocument/references'] = answers },
  }, { ['lsp.diagnostics_wait_ms'] = 600000, ['reach.files'] = 10 })
  p:files { ['a.c'] = TEXT }
  helper.write(
    p.config,
    'return ' .. vim.inspect { servers = { clangd = { cmd = p:argv() } }, options = p.options }
  )
  return p,
    p:call('lsp_edit', {
      file_path = 'a.c',
      symbol = 'old',
      line = 1,
      action = 'change_signature',
      parameters = { { from = 1 }, { from = 0 } },
      verify = false,
    }, { '--yes' })
end

describe('change_signature where the server speaks of a text that has gone', function()
  after_each(fault.cleanup)

  it('asks once more', function()
    local p, out = change { places { DECLARED, GONE }, places { DECLARED, USED } }
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.equal(
      'int old(int b, int a);\n\nint use(void) { return old(2, 1); }\n',
      helper.read(p.dir .. '/a.c')
    )
  end)

  it('refuses what is still none of the name', function()
    local p, out = change { places { DECLARED, GONE }, places { DECLARED, GONE } }
    assert.equal('conflict', out.result.error.code, vim.inspect(out.result))
    assert.equal(2, out.result.error.sites[1].line)
    assert.equal(2, #p:received('textDocument/references'))
    assert.equal(TEXT, helper.read(p.dir .. '/a.c'))
  end)
end)
