-- A change of a file that two language servers serve is shown to both before it is made: what either
-- of them finds refuses it, and one that could not be asked is named.
local fault = require('fault')
local helper = require('helper')

local FILES = { ['a.txt'] = 'old one\n' }

local function lint(word)
  return {
    lint = { { word = word } },
    capabilities = { referencesProvider = true, documentSymbolProvider = true },
    on = { ['textDocument/documentSymbol'] = { result = {} } },
  }
end

--- A project whose files `fake` serves, and `other` beside it, which is asked second.
---@param other table     its script
---@param options? table  of the core
---@param fake? table     the first one's script
---@return test.Project fake
---@return test.Project other
local function two(other, options, fake)
  local p, q = fault.project(fake or lint('bad'), options), fault.project(other)
  p:files(FILES)
  local servers = { fake = p:server(), other = q:server() }
  helper.write(p.config, 'return ' .. vim.inspect { servers = servers, options = p.options })
  q.dir = p.dir
  return p, q
end

local function edit(p, text)
  local operation =
    { edit_type = 'replace', file_path = 'a.txt', old_string = 'old', new_string = text }
  return p:call('multi_edit', { verify = true, operations = { operation } }, { '--yes' })
end

local function refused(p, out, message)
  out = type(out) == 'string' and edit(p, out) or out
  assert.equal(1, out.code, vim.inspect(out.result))
  assert.equal('conflict', out.result.error.code, out.result.error.message)
  assert.equal(message, out.result.new_errors[1].message)
  assert.equal(FILES['a.txt'], helper.read(p.dir .. '/a.txt'))
end

--- Made, and what `other` would have said of it is not known: `why` says so by its name.
local function unverified(p, why)
  local out = edit(p, 'new')

  assert.equal(0, out.code, vim.inspect(out.result))
  assert.equal('new one\n', helper.read(p.dir .. '/a.txt'))
  assert.equal('ok', out.result.syntax_check)
  assert.is_false(out.result.complete)
  assert.equal(1, #out.result.not_verified)
  assert.equal('a.txt', out.result.not_verified[1].file)
  assert.matches('other', out.result.not_verified[1].reason)
  assert.matches(why, out.result.not_verified[1].reason)
  assert.matches(why, table.concat(out.result.reasons, '\n'))
end

describe('a change of a file with two servers', function()
  after_each(fault.cleanup)

  it('is refused where either of them finds an error', function()
    local p, q = two(lint('odd'))
    refused(p, 'odd', 'odd is wrong')
    assert.equal(FILES['a.txt'], q:server_text('a.txt'))
    refused(p, 'bad', 'bad is wrong')
    local out = edit(p, 'new')
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.equal('ok', out.result.syntax_check)
    assert.is_true(out.result.complete)
    assert.is_nil(out.result.not_verified)
    assert.equal('new one\n', q:server_text('a.txt'))
  end)

  it('is refused for a rename and a patch too', function()
    local p = two(lint('odd'), nil, {
      lint = { { word = 'bad' } },
      on = {
        ['textDocument/documentSymbol'] = { result = {} },
        ['textDocument/rename'] = { rename = { files = { 'a.txt' } } },
      },
    })
    p.options['rename.verified_files'] = 64
    helper.write(p.config, (helper.read(p.config):gsub('(verified_files"%] = )0', '%164')))
    refused(p, p:rename { new_name = 'odd' }, 'odd is wrong')
    local patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-old one\n+odd one\n*** End Patch'
    refused(p, p:call('apply_patch', { verify = true, patch = patch }, { '--yes' }), 'odd is wrong')
  end)

  it('is refused for a file that is not there yet', function()
    local p = two(lint('odd'))
    local patch = '*** Begin Patch\n*** Add File: b.txt\n+odd\n*** End Patch'
    local out = p:call('apply_patch', { verify = true, patch = patch }, { '--yes' })
    assert.equal('conflict', vim.tbl_get(out.result, 'error', 'code'), vim.inspect(out.result))
    assert.same({ 'b.txt', 'odd is wrong' }, {
      out.result.new_errors[1].file,
      out.result.new_errors[1].message,
    })
  end)

  it('names the one that says nothing of the new text', function()
    local same = { publish = '{ROOT}/a.txt', version = 'same' }
    local other = { on = { ['textDocument/didOpen'] = { after = { same } } } }
    local p = two(other, { ['lsp.diagnostics_wait_ms'] = 200 })
    local out = edit(p, 'new')
    assert.same({ 0, 'ok', false }, { out.code, out.result.syntax_check, out.result.complete })
    assert.same({ 'other may not have finished with a.txt' }, out.result.reasons)
  end)

  it('names the one that says nothing at all', function()
    unverified(two({}, { ['lsp.diagnostics_wait_ms'] = 200 }), 'published no diagnostics')
  end)

  it('names the one that dies of it', function()
    local other = lint('odd')
    other.kill_at = 'new'
    local p = two(other, { ['lsp.restart_ms'] = 0 })
    unverified(p, 'other exited')
  end)

  it('names the one that does not start', function()
    local dead = { on = { initialize = { before = { { exit = 1 } }, silent = true } } }
    local p = two(dead, { ['lsp.restarts'] = 0 })
    unverified(p, 'other')
  end)

  it('names the one that hangs, and does not wait for it beyond the bound', function()
    local hangs = { on = { initialize = { silent = true } } }
    local p = two(hangs, { ['gate.wait_ms'] = 3000, ['lsp.stop_ms'] = 100 })
    local out = edit(p, 'new')
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.is_false(out.result.complete)
    assert.equal('ok', out.result.syntax_check)
    assert.same({ { file = 'a.txt', reason = 'other timed out' } }, out.result.not_verified)
    refused(two(hangs, { ['gate.wait_ms'] = 3000, ['lsp.stop_ms'] = 100 }), 'bad', 'bad is wrong')
  end)

  it('is refused by a real server beside one of the configuration', function()
    local q = fault.project(lint('odd'))
    q:files { ['pyrightconfig.json'] = '{}\n', ['a.py'] = 'old: int = 1\n' }
    local linter = vim.tbl_extend('force', q:server(), { filetypes = { 'python' } })
    helper.write(q.config, 'return ' .. vim.inspect { servers = { linter = linter } })
    for text, message in pairs {
      ["old: int = 'new'"] = 'declared type "int"',
      ['old: int = odd'] = 'odd is wrong',
    } do
      local operation = {
        edit_type = 'replace',
        file_path = 'a.py',
        old_string = 'old: int = 1',
        new_string = text,
      }
      local out = q:call('multi_edit', { verify = true, operations = { operation } }, { '--yes' })
      local found = vim.tbl_map(function(row)
        return row.message
      end, out.result.new_errors or {})
      assert.matches(message, table.concat(found, '\n'), vim.inspect(out.result))
      assert.is_true(out.result.complete)
    end
  end)

  it('is made without a server that is there for when no other is', function()
    local p, q = two(lint('odd'))
    local config = helper.read(p.config):gsub('other = {', 'other = { last_resort = true,')
    helper.write(p.config, config)
    local out = edit(p, 'odd')
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.is_true(out.result.complete)
    assert.same({}, q:received('initialize'))
  end)
end)
