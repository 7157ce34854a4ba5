-- A server whose index has a text on trial until it has read the document's own again, as clangd's
-- has: who asks it about the project waits until then.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local function status(state)
  return {
    notify = 'textDocument/clangd.fileStatus',
    params = { uri = 'file://{ROOT}/a.txt', state = state },
  }
end

local READ = {
  { publish = '{ROOT}/a.txt', version = 'same', diagnostics = {} },
  status('idle'),
}

describe('a server that has had a change on trial', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  it('is asked for a rename when it has read the text before again', function()
    local p = fault.project({
      on = {
        ['textDocument/rename'] = { rename = { files = { 'a.txt' } } },
        ['textDocument/didOpen'] = { after = READ },
        ['textDocument/didChange'] = { { after = READ }, {} },
      },
    }, {
      ['rename.verified_files'] = 16,
      ['rename.verify_ms'] = 600000,
      ['lsp.diagnostics_wait_ms'] = 600000,
    })
    p:files { ['a.txt'] = 'old one\n' }
    local c = mcp.start(p.dir, { '--config', p.config, '--here' })
    c:initialize()
    local args = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' }
    assert.matches('needs_confirmation: true', (c:call('lsp_rename', args)))
    fault.wait('the text before', function()
      return #p:received('textDocument/didChange') == 2
    end)
    args.confirm = 'apply'
    local id = c:ask('tools/call', { name = 'lsp_rename', arguments = args })
    c:request('ping') -- it has been read by now
    p:act { request = 'workspace/workspaceFolders' }
    p:wait_log('the answer', function(entry)
      return entry.result
    end)
    assert.equal(1, #p:received('textDocument/rename'))
    p:act(READ[1])
    p:act(READ[2])
    -- the change on trial is looked at once more
    fault.wait('the change', function()
      return #p:received('textDocument/didChange') == 3
    end)
    p:act(READ[1])
    p:act(READ[2])
    assert.is_falsy(c:reply(id).result.isError)
    assert.equal('new one\n', helper.read(p.dir .. '/a.txt'))
  end)
end)

describe('a server that says what it does with each document', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  it(
    'is asked once whether more is to come, also where that question waits for its turn',
    function()
      local p = fault.project({
        on = {
          ['textDocument/didOpen'] = { after = READ },
          ['textDocument/hover'] = {
            before = { status('file is queued') },
            result = vim.NIL,
            after = { status('idle') },
          },
          ['textDocument/rename'] = { rename = { files = { 'a.txt' } } },
          ['textDocument/didChange'] = { after = READ },
        },
      }, {
        ['rename.verified_files'] = 16,
        ['rename.verify_ms'] = 600000,
        ['lsp.diagnostics_wait_ms'] = 600000,
      })
      p:files { ['a.txt'] = 'old one\n' }
      local c = mcp.start(p.dir, { '--config', p.config, '--here' })
      c:initialize()
      local args = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' }
      args.confirm = 'apply'
      c:call('lsp_rename', args)
      assert.equal('new one\n', helper.read(p.dir .. '/a.txt'))
      local asked, texts = 0, 0
      for _, entry in ipairs(p:log()) do
        texts = texts + (entry.method == 'textDocument/didChange' and 1 or 0)
        asked = asked + (entry.method == 'textDocument/hover' and texts < 2 and 1 or 0)
      end
      -- of the text before, and of the one on trial, where another one ends the server's rest
      assert.equal(3, asked)
    end
  )
end)

describe('a server that has files open', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  it('is asked about what they are by now, where another program has written', function()
    local said = { publish = '{ROOT}/b.txt', version = 'same', diagnostics = {} }
    local p = fault.project {
      on = {
        ['textDocument/rename'] = { rename = { files = { 'a.txt', 'b.txt' } } },
        ['textDocument/didOpen'] = { after = { said } },
      },
    }
    p:files { ['a.txt'] = 'old one\n', ['b.txt'] = 'old two\n' }
    local c = mcp.start(p.dir, { '--config', p.config, '--here' })
    c:initialize()
    c:call('lsp_diagnostic', { file_path = 'b.txt' })
    assert.equal('old two\n', p:server_text('b.txt'))
    helper.write(p.dir .. '/b.txt', 'the old two\n')
    local args = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' }
    args.confirm = 'apply'
    local text = c:call('lsp_rename', args)
    assert.equal('the new two\n', helper.read(p.dir .. '/b.txt'), text)
    assert.equal('new one\n', helper.read(p.dir .. '/a.txt'))
  end)
end)

describe('a server that says what it does with a file', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  --- What it is asked at the top of a file, to tell when it is done with that.
  local function asked(capabilities)
    local p = fault.project {
      capabilities = capabilities,
      on = {
        ['textDocument/didOpen'] = { after = READ },
        ['textDocument/didChange'] = { after = READ },
      },
    }
    p:files { ['a.txt'] = 'one\n' }
    local operation =
      { edit_type = 'replace', file_path = 'a.txt', old_string = 'one', new_string = 'two' }
    local out = p:call('multi_edit', { verify = true, operations = { operation } }, { '--yes' })
    assert.equal('ok', out.result.syntax_check)
    return p
  end

  it('is asked what costs it least whether it is done', function()
    local p = asked { hoverProvider = true, documentHighlightProvider = true }
    assert.is_true(#p:received('textDocument/documentHighlight') > 0)
  end)

  it('is asked something else where it knows no highlights', function()
    local p = asked { hoverProvider = true }
    assert.equal(0, #p:received('textDocument/documentHighlight'))
    assert.is_true(#p:received('textDocument/hover') > 0)
  end)
end)
