-- A rename that changes many files, from the command line: verified up to a number of them; beyond
-- it the answer says that it is not, and who asks for it gets all of it verified, or nothing.
local fault = require('fault')
local helper = require('helper')

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'old two\n', ['c.txt'] = 'old three\n' }
local LARGE = 'it changes 3 files, and servers check at most 2 %(rename%.verified_files%)'

--- A server that finds nothing wrong, or `fault` in b.txt once it is changed, or says nothing.
local function project(said, options)
  local on = {
    ['textDocument/rename'] = { rename = { files = vim.tbl_keys(FILES) } },
    ['textDocument/documentSymbol'] = { result = {} },
    ['textDocument/didOpen'] = { after = {} },
    ['textDocument/didChange'] = { after = {} },
  }
  for file in vim.spairs(FILES) do
    local row = { publish = '{ROOT}/' .. file, version = 'same', diagnostics = {} }
    table.insert(on['textDocument/didOpen'].after, row)
    row = vim.deepcopy(row)
    if file == 'b.txt' and said == 'error' then
      local place = { line = 0, character = 0 }
      row.diagnostics = { { range = { start = place, ['end'] = place }, message = 'bad' } }
    end
    if said ~= 'nothing' then
      table.insert(on['textDocument/didChange'].after, row)
    end
  end
  return fault
    .project({ on = on }, vim.tbl_extend('force', { ['rename.verified_files'] = 2 }, options or {}))
    :files(FILES)
end

describe('a rename of many files', function()
  after_each(fault.cleanup)

  it('says that it was not verified', function()
    local p = project('error')
    local out = p:rename()
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.matches('^skipped: ' .. LARGE, out.result.syntax_check)
    assert.is_false(out.result.complete)
    assert.matches('\nnot verified: ' .. LARGE, table.concat(out.result.reasons, '\n'))
  end)

  it('is verified where it is asked for', function()
    local p = project('error')
    local before = p:tree()
    local out = p:rename { verify = true }
    assert.equal('conflict', out.result.error.code, vim.inspect(out.result))
    assert.same(before, p:tree())
    out = project():rename { verify = true }
    assert.same({ 0, 'ok' }, { out.code, out.result.syntax_check }, vim.inspect(out.result))
  end)

  it('is refused where it is asked for, and takes too long', function()
    local p = project('nothing', { ['gate.wait_ms'] = 200 })
    local before = p:tree()
    local out = p:rename { verify = true }
    assert.equal('incomplete', out.result.error.code, vim.inspect(out.result))
    assert.matches('not verified: the servers did not finish', out.result.error.message)
    assert.same(before, p:tree())
  end)

  it('has its headers read while the server is at work on it', function()
    local files = { ['a.c'] = 'int old;\n', ['t.h'] = 'extern int old;\n' }
    for _, name in ipairs { 'b.c', 'c.c' } do
      files[name] = '#include "t.h"\nint of_' .. name:sub(1, 1) .. '(void) { return old; }\n'
    end
    local function nothing(file)
      return { publish = '{ROOT}/' .. file, version = 'same', diagnostics = {} }
    end
    local p = fault
      .project({
        on = {
          ['textDocument/rename'] = { hold = 'answer', rename = { files = vim.tbl_keys(files) } },
          ['textDocument/didOpen'] = {
            { after = { nothing('a.c') } },
            { after = { nothing('t.h'), { release = 'answer' } } },
          },
          ['textDocument/didChange'] = { after = { nothing('a.c'), nothing('t.h') } },
          ['textDocument/documentSymbol'] = { result = {} },
        },
      }, { ['rename.verified_files'] = 2, ['lsp.timeout_ms'] = helper.deadline / 2 })
      :files_of_c(files)
    local out = p:rename { file_path = 'a.c' }
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.equal(2, #p:received('textDocument/didOpen'))
    assert.equal('extern int new;\n', helper.read(p.dir .. '/t.h'))
  end)
end)
