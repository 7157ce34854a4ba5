-- Symbols by their names alone, with servers that answer badly, little, or no more.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local function range(from, to)
  return {
    start = { line = 0, character = from },
    ['end'] = { line = 0, character = to },
  }
end

local OLD = { name = 'old', kind = 12, range = range(0, 9), selectionRange = range(4, 7) }
local SYMBOLS = { result = { OLD } }
local USE = { uri = 'file://{ROOT}/a.txt', range = range(4, 7) }
local CAN = { documentSymbolProvider = true, referencesProvider = true }
local FILES = { ['a.txt'] = 'the old 1\n', ['b.txt'] = 'the old 2\n' }
local A = { symbol_name = 'old', file_hint = 'a.txt' }

local function scripted(symbols, more)
  return vim.tbl_deep_extend('force', {
    capabilities = CAN,
    on = {
      ['textDocument/documentSymbol'] = symbols,
      ['textDocument/references'] = { result = { USE } },
      ['textDocument/definition'] = { result = {} },
      ['textDocument/hover'] = { result = { contents = 'What it is.' } },
    },
  }, more or {})
end

local function uses_of(answer)
  assert.is_nil(answer.error, vim.inspect(answer))
  return vim.tbl_map(function(use)
    return ('%s:%d:%d %s'):format(use.file, use.line, use.column, use.snippet)
  end, answer.usages)
end

local function files_of(messages)
  return vim.tbl_map(function(message)
    return vim.fs.basename(message.params.textDocument.uri)
  end, messages)
end

describe('a symbol by its name', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  it('is asked about when its server has died over another file', function()
    local dies = { before = { { kill = true } } }
    for tool, says in pairs {
      find_symbol_usages = { 'usages', { { file = 'a.txt', snippet = 'the old 1' } } },
      get_symbol_info = { 'documentation', 'What it is.' },
    } do
      local script = scripted(nil, { lives = {} })
      for life, steps in ipairs { { SYMBOLS, dies }, { dies }, { SYMBOLS } } do
        script.lives[life] = { on = { ['textDocument/documentSymbol'] = steps } }
      end
      local p = fault.project(script):files(FILES)
      local out = p:call(tool, A)
      assert.is_nil(out.result.error, vim.inspect(out.result))
      local said = out.result[says[1]]
      if type(said) == 'table' then
        said = { { file = said[1].file, snippet = said[1].snippet } }
        assert.is_false(out.result.complete)
      end
      assert.same(says[2], said)
    end
  end)

  it('is not the whole truth where a file could not be looked into', function()
    local p = fault.project(scripted { SYMBOLS, { error = { code = -32603, message = 'no' } } })
    local out = p:files(FILES):call('find_symbol_usages', A)
    assert.same({ 'a.txt:1:5 the old 1' }, uses_of(out.result))
    assert.is_false(out.result.complete)
  end)

  it('stands where its text has it, when only the whole is told', function()
    local flat = {
      name = 'old',
      kind = 12,
      location = { uri = 'file://{ROOT}/a.txt', range = range(0, 17) },
    }
    local p = fault.project(scripted { result = { flat } })
    p:files { ['a.txt'] = 'golden the old 1\n' }
    local out = p:call('find_symbol_usages', { symbol_name = 'old' })
    assert.is_nil(out.result.error, vim.inspect(out.result))
    local asked = p:received('textDocument/references')[1].params
    assert.same({ line = 0, character = 11 }, asked.position)
    p:call('lsp_symbol', { query = 'hover', file_path = 'a.txt', symbol = 'old' })
    asked = p:received('textDocument/hover')[1].params
    assert.same({ line = 0, character = 11 }, asked.position)
  end)

  it('is asked about at the server that can tell, of two for one file', function()
    local lists = fault.project(
      scripted(SYMBOLS, { capabilities = { referencesProvider = false, hoverProvider = false } })
    )
    local knows = fault.project(scripted(SYMBOLS)):files(FILES)
    local servers = { a_lists = lists:server(), b_knows = knows:server() }
    local config = { servers = servers, options = knows.options }
    helper.write(knows.config, 'return ' .. vim.inspect(config))
    local out = knows:call('find_symbol_usages', A)
    assert.same({ 'a.txt:1:5 the old 1' }, uses_of(out.result))
    assert.equal('a_lists', out.result.server)
    out = knows:call('get_symbol_info', A)
    assert.equal('What it is.', out.result.documentation)
  end)

  it('is not one of another project, though that is open in the editor', function()
    local p, other = fault.project(scripted(SYMBOLS)), helper.tempdir() .. '/other'
    helper.write(other .. '/Makefile', 'all:\n')
    helper.write(other .. '/b.txt', 'the old 2\n')
    local child = p:nvim { ['a.txt'] = 'the old 1\n' }
    child:cmd('Oxide projects add ' .. other)
    child:message('other is loaded')
    child:cmd('edit ' .. other .. '/b.txt')
    child:lua(
      [[
        local args = { symbol_name = 'old', project_name = ... }
        require('oxide.core').call('find_symbol_usages', args, {}, function(err, result)
          _G.found = err or result
        end)
      ]],
      vim.fs.basename(child.dir)
    )
    assert.equal('a.txt', child:wait('the answer', '_G.found').file_path)
    assert.same({ 'a.txt' }, files_of(p:received('textDocument/documentSymbol')))
    vim.fn.delete(vim.fs.dirname(other), 'rf')
  end)

  it('is not looked for once nobody wants to know', function()
    local p = fault.project(scripted(SYMBOLS))
    p:files { ['a.txt'] = 'the old 1\n', ['b.txt'] = 'another\n' }
    for i = 1, 3000 do -- the search takes longer than the next message
      helper.write(('%s/many/%d.txt'):format(p.dir, i), 'text\n')
    end
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize()
    local id = c:ask('tools/call', { name = 'find_symbol_usages', arguments = A })
    c:request('ping')
    c:notify('notifications/cancelled', { requestId = id })
    c:call('find_symbol_usages', { symbol_name = 'another' })
    c:close()
    assert.is_nil(c.replies[id])
    assert.same({ 'b.txt' }, files_of(p:received('textDocument/didOpen')))
  end)
end)
