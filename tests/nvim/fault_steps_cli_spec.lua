-- A server that dies at each step of its life, once or each time, for each of the tools: there is
-- an answer, the tree is as it was or as it should be, and no process is left.
local fault = require('fault')

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }
local NEW = { ['a.txt'] = 'new one\n', ['b.txt'] = 'two old\n' }

local KILL = { { kill = true } }

local RANGE = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 7 } }
local NAME = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 3 } }
local EDITS = { { range = NAME, newText = 'new' } }
local SYMBOLS = { { name = 'old', kind = 12, range = RANGE, selectionRange = NAME } }
local OLD = { { word = 'old', fixes = { { title = 'rename it', new = 'new', preferred = true } } } }

--- Each with the question that it asks, and what becomes of the tree.
local TOOLS = {
  lsp_rename = {
    method = 'textDocument/rename',
    step = { rename = { files = { 'a.txt' } } },
    args = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' },
    after = NEW,
  },
  lsp_format = {
    method = 'textDocument/formatting',
    step = { result = EDITS },
    args = { file_path = 'a.txt' },
    after = NEW,
  },
  lsp_edit = {
    method = 'textDocument/documentSymbol',
    step = { result = SYMBOLS },
    args = { file_path = 'a.txt', symbol = 'old', action = 'replace', content = 'new one' },
    extra = { allow_signature_change = true, verify = false },
    after = NEW,
  },
  lsp_symbol = {
    method = 'textDocument/hover',
    step = { result = { contents = 'an old one' } },
    args = { file_path = 'a.txt', line = 1, symbol = 'old', query = 'hover' },
    after = FILES,
  },
  lsp_diagnostic = {
    method = 'textDocument/codeAction',
    args = { file_path = 'a.txt', fix_errors = true },
    lint = OLD,
    after = NEW,
  },
}

local function start(tool, lives, options)
  local on = tool.step and { [tool.method] = tool.step } or {}
  local script = {
    capabilities = { documentSymbolProvider = true, codeActionProvider = true },
    lint = tool.lint,
    lives = lives,
    on = on,
  }
  return fault
    .project(
      script,
      vim.tbl_extend('force', {
        ['lsp.restart_ms'] = 0,
        ['lsp.stop_ms'] = 100,
        ['lsp.quiet_ms'] = 50,
        ['lsp.silence_ms'] = 50,
        ['lsp.diagnostics_wait_ms'] = 500,
      }, options or {})
    )
    :files(FILES)
end

local function call(p, name)
  local tool = TOOLS[name]
  return p:call(name, vim.tbl_extend('error', tool.args, tool.extra or {}), { '--yes' })
end

local function assert_tree(p, files, what)
  for path, bytes in pairs(files) do
    local f = assert(io.open(p.dir .. '/' .. path, 'rb'))
    assert.equal(bytes, f:read('*a'), what)
    f:close()
  end
end

local function assert_ended(p)
  for _, entry in ipairs(p:log()) do
    if entry.pid then
      fault.wait_end(entry.pid)
    end
  end
end

--- Where it dies, by what it has just been told.
local function steps(tool)
  return { 'initialize', 'initialized', 'textDocument/didOpen', tool.method, 'shutdown', 'exit' }
end

for name, tool in pairs(TOOLS) do
  describe(name .. ' and a server that dies', function()
    after_each(fault.cleanup)

    for _, step in ipairs(steps(tool)) do
      local dying = { on = { [step] = { before = KILL } } }

      it('once, at ' .. step .. ': the answer still comes', function()
        local p = start(tool, { dying, {} })
        local out = call(p, name)
        assert.equal(0, out.code, vim.inspect(out.result))
        assert_tree(p, tool.after)
        assert_ended(p)
        assert.is_true(#p:received(step) > 0, step .. ' was sent')
      end)

      it('each time, at ' .. step .. ': an error, or it was done before', function()
        local p = start(tool, { dying }, { ['lsp.restarts'] = 2 })
        local out = call(p, name)
        if step == 'shutdown' or step == 'exit' then
          assert.equal(0, out.code, vim.inspect(out.result))
          assert_tree(p, tool.after)
          assert.is_true(#p:received(step) > 0, step .. ' was sent')
        elseif step == 'textDocument/codeAction' then
          -- it had spoken of the text by then
          assert.equal('1 error', out.result.summary)
          assert.matches('fake', out.result.fixes_missing)
          assert_tree(p, FILES)
        else
          local err = out.result.error
          assert.equal('no_server', err and err.code, vim.inspect(out.result))
          assert.matches('fake', err.message)
          assert_tree(p, FILES)
        end
        assert_ended(p)
      end)
    end

    it('in the middle of its answer, once', function()
      local half = { { raw = 'Content-Length: 90\r\n\r\n{"jsonrpc":' }, { kill = true } }
      local p = start(tool, { { on = { [tool.method] = { before = half } } }, {} })
      local out = call(p, name)
      assert.equal(0, out.code, vim.inspect(out.result))
      assert_tree(p, tool.after)
      assert_ended(p)
    end)
  end)
end
