-- A buffer with two clients of Neovim: one that knows the language, and one that only finds faults.
local fault = require('fault')

local FILES = { ['a.txt'] = 'old one\n' }

local function lint(word, capabilities)
  return {
    lint = { { word = word } },
    capabilities = vim.tbl_extend('force', {
      referencesProvider = true,
      documentSymbolProvider = true,
    }, capabilities or {}),
    on = {
      ['textDocument/documentSymbol'] = { result = {} },
      ['textDocument/rename'] = { rename = { files = { 'a.txt' } } },
    },
  }
end

local LINTS = { definitionProvider = false, renameProvider = false, referencesProvider = false }

--- A child with a.txt before it, served by the clients `fake` and `linter`.
local function start(linter, options)
  local patient = { ['rename.verified_files'] = 64, ['rename.verify_ms'] = 60000 }
  local p = fault.project(lint('bad'), vim.tbl_extend('force', patient, options or {}))
  local q = fault.project(linter)
  local child = p:nvim(FILES, { servers = { fake = { filetypes = { 'none' } } } })
  child:cmd('edit a.txt')
  p:attach(child)
  child:lua(
    [[
      local dir, argv = ...
      vim.lsp.start({ name = 'linter', cmd = argv, root_dir = dir })
    ]],
    child.dir,
    q:argv()
  )
  child:wait('both clients', '#vim.lsp.get_clients({ bufnr = 0 }) == 2')
  q.dir = child.dir
  q:wait_received('textDocument/didOpen')
  return p, q, child
end

--- Waits until Neovim shows what both found in the buffer's present text.
local function shown(child, n)
  child:wait('the diagnostics', '#vim.diagnostic.get(0) == ...', n)
end

local function rename(child, name)
  return fault.done(child, fault.ask(child, 'rename', { name = name, review = 'never' }))
end

describe('with two clients of Neovim', function()
  after_each(fault.cleanup)

  it('a change is shown to both, of a buffer in which nothing is wrong', function()
    local p, q, child = start(lint('odd', LINTS))
    local done = rename(child, 'odd')
    assert.matches('odd is wrong', done.message)
    assert.same({ 'old one' }, child:lines())
    done = rename(child, 'bad')
    assert.matches('bad is wrong', done.message)
    done = rename(child, 'new')
    assert.is_nil(done.message)
    assert.equal('ok', done.result.syntax_check)
    assert.same({ 'new one' }, child:lines())
    for _, project in ipairs { p, q } do
      assert.same(
        {},
        project:logged(function(entry)
          return entry.fault
        end)
      )
      assert.equal(1, #project:received('initialize'))
    end
  end)

  it('the diagnostics of a file are those of both', function()
    local _, _, child = start(lint('odd', LINTS))
    child:type('Ibad odd <Esc>')
    shown(child, 2)
    child:lua([[
      require('oxide.core').call('lsp_diagnostic', { file_path = 'a.txt' }, {}, function(err, result)
        _G.found = err or result
      end)
    ]])
    local found = child:wait('the answer', '_G.found')
    assert.same({ 2, true }, { #found.diagnostics, found.complete })
  end)

  it('one that does not answer in time is named', function()
    local linter = lint('odd', LINTS)
    local _, q, child = start(linter, { ['rename.verify_ms'] = 3000 })
    q:act { deaf = true }
    local done = rename(child, 'new')
    assert.is_nil(done.message)
    assert.is_false(done.result.complete)
    assert.equal('linter timed out', done.result.not_verified[1].reason)
  end)

  it('one that gives no diagnostics is neither waited for nor named', function()
    local _, _, child = start { capabilities = LINTS }
    child:lua([[
      local clients = require('oxide.clients')
      local now = vim.uv.now
      vim.uv.now = function() -- later
        return now() + 60000
      end
    ]])
    local done = rename(child, 'new')
    assert.is_nil(done.message)
    assert.equal('ok', done.result.syntax_check)
    assert.not_matches('linter', table.concat(done.result.reasons or {}, '\n'))
    assert.is_nil(done.result.not_verified)
  end)
end)
