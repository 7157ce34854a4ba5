-- What two language servers say of one file, or of each file of a project, from a core that has asked
-- neither before: all of it, or the name of the one that is missing.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local function lint(word, more)
  return vim.tbl_extend('force', { lint = { { word = word } } }, more or {})
end

local FILES = { ['a.txt'] = 'bad odd\n', ['b.txt'] = 'odd\n', ['c.txt'] = 'fine\n' }

---@param other table     the second server's script
---@param options? table  of the core
---@return test.Project fake
---@return test.Project other
local function two(other, options)
  local p, q = fault.project(lint('bad'), options), fault.project(other)
  p:files(FILES)
  local servers = { fake = p:server(), other = q:server() }
  helper.write(p.config, 'return ' .. vim.inspect { servers = servers, options = p.options })
  return p, q
end

local function rows(result)
  return vim.tbl_map(function(d)
    return ('%s %s'):format(d.file or 'a.txt', d.message)
  end, result.diagnostics)
end

local function call(p, args)
  local out = p:call('lsp_diagnostic', vim.tbl_extend('force', { fixes = false }, args or {}))
  assert.equal(0, out.code, vim.inspect(out.result))
  return out.result
end

local function names(result)
  return vim.tbl_map(function(row)
    return row.file
  end, result.missing)
end

local DEAD = { on = { initialize = { before = { { exit = 1 } }, silent = true } } }

describe('diagnostics of two servers', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  it('of a file are those of both', function()
    local result = call(two(lint('odd')), { file_path = 'a.txt' })
    assert.same({ 'a.txt bad is wrong', 'a.txt odd is wrong' }, rows(result))
    assert.is_true(result.complete)
  end)

  it('of a file are not complete where one is silent, or dead', function()
    local result = call(two({}, { ['lsp.diagnostics_wait_ms'] = 200 }), { file_path = 'a.txt' })
    assert.same({ 'a.txt bad is wrong' }, rows(result))
    assert.is_false(result.complete)
    assert.matches('^other did not finish', result.reasons[1])
    result = call(two(DEAD, { ['lsp.restarts'] = 0 }), { file_path = 'a.txt' })
    assert.same({ 'a.txt bad is wrong' }, rows(result))
    assert.is_false(result.complete)
    assert.matches('^other was not restarted', result.reasons[1])
  end)

  it('of a project are those of both', function()
    local result = call((two(lint('odd'))))
    assert.same({ 'a.txt bad is wrong', 'a.txt odd is wrong', 'b.txt odd is wrong' }, rows(result))
    assert.same({ true, 3, 0 }, { result.complete, result.asked, #result.missing })
  end)

  it('of a project are those of both where one is asked about all of it', function()
    local report = { kind = 'full', uri = 'file://{ROOT}/b.txt', version = vim.NIL }
    local place = { line = 0, character = 0 }
    report.items = { { range = { start = place, ['end'] = place }, message = 'surveyed' } }
    local result = call((two {
      capabilities = { diagnosticProvider = { workspaceDiagnostics = true } },
      on = { ['workspace/diagnostic'] = { result = { items = { report } } } },
    }))
    assert.same({ 'a.txt bad is wrong', 'b.txt surveyed' }, rows(result))
    assert.same({ true, 3 }, { result.complete, result.asked })
  end)

  it('of a project are not complete where one is silent, or dead', function()
    local result = call((two({}, { ['lsp.diagnostics_wait_ms'] = 200 })))
    assert.same({ 'a.txt bad is wrong' }, rows(result))
    assert.same({ false, 3 }, { result.complete, result.asked })
    assert.same({ 'a.txt', 'b.txt', 'c.txt' }, names(result))
    assert.equal('other published nothing about it', result.missing[1].reason)
    result = call((two(DEAD, { ['lsp.restarts'] = 0 })))
    assert.same({ 'a.txt bad is wrong' }, rows(result))
    assert.is_false(result.complete)
    assert.same({ 'a.txt', 'b.txt', 'c.txt' }, names(result))
    assert.matches('^other was not restarted', result.missing[1].reason)
  end)

  it('of a project are kept, and asked for again where one was missing', function()
    local p, q = two(lint('odd', { lives = { { kill_at = 'fine' }, { kill_at = 'fine' }, {} } }), {
      ['lsp.restart_ms'] = 0,
    })
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize()
    local text = c:call('lsp_diagnostic', { fixes = false })
    assert.matches('complete: false', text)
    assert.matches('c.txt.*other exited twice', text)
    text = c:call('lsp_diagnostic', { fixes = false })
    assert.matches('complete: true', text)
    assert.matches('known: 2', text)
    assert.equal(3, #p:received('textDocument/didOpen') - 1)
    assert.equal(3, #q:received('initialize'))
  end)
end)
