-- Without a language server, or with one that dies, hangs or answers nonsense: what the text alone
-- tells is changed and said so; what it does not tell is refused, with the candidates.
local fault = require('fault')
local helper = require('helper')

local C = [[
/* Adds. */
static int add(int a, int b)
{
	return a + b; /* } */
}

int twice(int a);

int twice(int a)
{
	return add(a, a);
}
]]

local DONE = C:gsub('return a %+ b; /%* } %*/', 'return b + a;')
local EDIT =
  { file_path = 'a.c', symbol = 'add', action = 'replace_body', content = 'return b + a;' }

--- A project in C for which the scripted server is the only one; without a script there is none.
local function project(on, options, files, lives)
  local p = fault.project({
    capabilities = { documentSymbolProvider = true },
    on = on or {},
    lives = lives,
  }, vim.tbl_extend('keep', options or {}, { ['lsp.restart_ms'] = 0, ['lsp.stop_ms'] = 100 }))
  p:files(files or { ['a.c'] = C })
  local fake = p:server()
  fake.filetypes = { 'c', 'python' }
  local function nowhere()
    return { cmd = { '/nowhere/server' } }
  end
  helper.write(p.config, 'return ' .. vim.inspect {
    servers = {
      clangd = nowhere(),
      pyright = nowhere(),
      pylsp = nowhere(),
      fake = on and fake or nil,
    },
    options = p.options,
  })
  return p
end

local function edited(p, patterns, args)
  local out = p:call('lsp_edit', vim.tbl_extend('force', EDIT, args or {}))
  assert.is_true(out.result.success, vim.inspect(out.result))
  assert.equal('edit_file', out.result.fallback.tool)
  for _, pattern in ipairs(patterns) do
    assert.matches(pattern, out.result.fallback.reason)
  end
  assert.matches('^skipped: no language server', out.result.syntax_check)
  assert.is_false(out.result.complete)
  return out
end

local function refused(p, args, code, patterns)
  local before = p:tree()
  local out = p:call('lsp_edit', vim.tbl_extend('force', EDIT, args))
  assert.equal(1, out.code)
  assert.equal(code, out.result.error and out.result.error.code, vim.inspect(out.result))
  for _, pattern in ipairs(patterns) do
    assert.matches(pattern, out.result.error.message)
  end
  assert.same(before, p:tree())
  return out.result.error
end

describe('lsp_edit', function()
  after_each(fault.cleanup)

  it('goes by the text where no server is there, and is taken back', function()
    local p = project()
    local out = edited(p, { 'a%.c', 'clangd' })
    assert.equal(DONE, helper.read(p.dir .. '/a.c'))
    assert.equal('function', out.result.kind)
    assert.is_true(p:call('undo', {}).result.success)
    assert.equal(C, helper.read(p.dir .. '/a.c'))
  end)

  it('says so in the text for a person, and in the log', function()
    local p = project()
    local said = p:start('lsp_edit', EDIT, { '--text' }):wait().stdout
    assert.matches('found in the text alone, not verified: no language server', said)
    local log = helper.read(p.base .. '/state/oxide/oxide.log')
    assert.matches('lsp_edit uses the text alone: no language server', log)
  end)

  local SYMBOLS = 'textDocument/documentSymbol'
  local LAST_WORDS = { { stderr = 1 }, { exit = 3 } }

  for what, case in pairs {
    ['dies at the start'] = { { initialize = { before = LAST_WORDS } }, { 'fake', 'status 3' } },
    ['dies when it is asked, each time'] = {
      { [SYMBOLS] = { before = { { kill = true } }, silent = true } },
      { 'fake', 'signal 9' },
    },
    ['hangs'] = {
      { [SYMBOLS] = { before = { { stop = true } }, silent = true } },
      { 'fake', '300 ms', 'unresponsive' },
    },
    ['gives half an answer'] = {
      {
        [SYMBOLS] = {
          before = { { raw = 'Content-Length: 400\r\n\r\n{"jsonrpc"' }, { exit = 0 } },
        },
      },
      { 'fake', 'status 0' },
    },
    ['answers what is not an array'] = { { [SYMBOLS] = { result = 7 } }, {} },
    ['answers with an error'] = {
      { [SYMBOLS] = { error = { code = -32603, message = 'no such luck' } } },
      { 'fake', 'no such luck' },
    },
  } do
    it('goes by the text where the server ' .. what, function()
      local p = project(case[1], { ['lsp.timeout_ms'] = what == 'hangs' and 300 or nil })
      edited(p, case[2])
      assert.equal(DONE, helper.read(p.dir .. '/a.c'))
    end)
  end

  it('asks once more where the server dies once', function()
    local range = { start = { line = 1, character = 0 }, ['end'] = { line = 4, character = 1 } }
    local symbol = { name = 'add', kind = 12, range = range, selectionRange = range }
    local p = project({}, nil, nil, {
      { on = { [SYMBOLS] = { before = { { kill = true } } } } },
      { on = { [SYMBOLS] = { result = { symbol } } } },
    })
    local out = p:call('lsp_edit', vim.tbl_extend('force', EDIT, { verify = false }))
    assert.is_true(out.result.success, vim.inspect(out.result))
    assert.is_nil(out.result.fallback)
    assert.equal(DONE, helper.read(p.dir .. '/a.c'))
    assert.equal(2, #p:received(SYMBOLS))
  end)

  it('guesses nothing: what several are named, what is none, what may be more', function()
    local p = project()
    local err = refused(p, { symbol = 'twice' }, 'ambiguous', { 'twice', 'line 7', 'line 9' })
    assert.same(
      { 'twice[0]', 'twice[1]' },
      vim.tbl_map(function(c)
        return c.symbol
      end, err.candidates)
    )
    err = refused(p, { symbol = 'ad' }, 'not_found', { 'add', 'text alone' })
    assert.equal('add', err.candidates[1].symbol)
    edited(p, {}, { symbol = 'twice[1]', content = 'return 2 * a;' })
    assert.equal((C:gsub('return add%(a, a%);', 'return 2 * a;')), helper.read(p.dir .. '/a.c'))
    p = project(
      nil,
      nil,
      { ['a.c'] = '#if A\nint add(void) {\n#else\nint add(int a) {\n#endif\n}\n' }
    )
    refused(p, {}, 'no_server', { 'clangd', '#if at line 3' })
    p = project(nil, nil, { ['a.zig'] = 'fn add() void {}\n' })
    refused(p, { file_path = 'a.zig' }, 'no_server', { 'zig', 'cannot be parsed' })
  end)

  it('finds methods by their path', function()
    local python = 'class A:\n    def f(self):\n        return 1\n\n\nclass B:\n    def f(self):\n'
      .. '        return 2\n'
    local p = project(nil, nil, { ['a.py'] = python })
    edited(p, { 'pyright' }, { file_path = 'a.py', symbol = 'B/f', content = 'return 3' })
    assert.equal((python:gsub('return 2', 'return 3')), helper.read(p.dir .. '/a.py'))
    refused(p, { file_path = 'a.py', symbol = 'f' }, 'ambiguous', { 'A/f', 'B/f' })
  end)

  it('is not done by the text when it is cancelled', function()
    local p = project { [SYMBOLS] = { hold = 'it' } }
    local running = p:start('lsp_edit', EDIT)
    p:wait_log('the question', function(entry)
      return entry.holds
    end)
    running:kill('sigint')
    local out = fault.finish(running)
    assert.equal('cancelled', out.result.error.code)
    assert.equal(C, helper.read(p.dir .. '/a.c'))
  end)
end)

describe('what needs a server', function()
  after_each(fault.cleanup)

  local CALLS = {
    lsp_rename = { file_path = 'a.c', symbol = 'add', new_name = 'sum' },
    lsp_format = { file_path = 'a.c' },
    lsp_diagnostic = { file_path = 'a.c' },
    lsp_symbol = { file_path = 'a.c', symbol = 'add', query = 'hover' },
    hover_info = { file_path = 'a.c', line = 1, character = 11 },
    get_diagnostics = { file_path = 'a.c' },
    format_document = { file_path = 'a.c' },
    format_code = { file_path = 'a.c' },
  }

  for tool, args in pairs(CALLS) do
    it('says what to install, and changes nothing: ' .. tool, function()
      local p = project()
      local out = p:call(tool, args, { '--yes' })
      assert.equal(1, out.code)
      assert.equal('no_server', out.result.error and out.result.error.code, vim.inspect(out.result))
      assert.matches('clangd', out.result.error.message)
      assert.matches('apt install', out.result.error.message)
      assert.matches('oxide%.log$', out.result.error.log)
      assert.equal(C, helper.read(p.dir .. '/a.c'))
    end)
  end
end)
