-- lsp_edit through the command line: with the real servers, what is in the file afterwards, byte by
-- byte; with the scripted one, servers that answer in the older shape, wrongly or not at all.
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')

local CASES = require('lsp_edit_cases')
local project = require('project')

local dir

local function call(sample, args)
  args = vim.tbl_extend('keep', args, { file_path = sample.file })
  return e2e.oxide(dir, { 'call', 'lsp_edit', vim.json.encode(args) }, {
    config = sample.config,
  })
end

local function with(text, eol)
  return eol == '\n' and text or (text:gsub('\n', eol))
end

local function fill(sample, eol)
  project.put(sample.file, with(sample.text, eol or '\n'))
  project.fill(sample.files or { ['pyrightconfig.json'] = '{}\n' })
end

local function replaced(text, old, new)
  local at, to = text:find(old, 1, true)
  assert(at and not text:find(old, to + 1, true), 'the case does not fit its text: ' .. old)
  return text:sub(1, at - 1) .. new .. text:sub(to + 1)
end

local function assert_refused(sample, args, code, pattern)
  local done = call(sample, args)
  assert.equal(1, done.code, done.out)
  assert.equal(code, done.answer.error.code)
  assert.matches(pattern, done.answer.error.message)
  assert.equal(sample.text, helper.read(dir .. '/' .. sample.file))
  return done.answer.error
end

--- The members of those servers that are there.
local function each(list)
  for server in pairs(list) do
    list[server] = CASES[server] and list[server]
  end
  return vim.spairs(list)
end

for server, sample in vim.spairs(CASES) do
  describe('lsp_edit with ' .. server, function()
    setup(function()
      dir = project.reside(sample.config)
    end)
    before_each(function()
      fill(sample)
    end)
    teardown(project.finish)

    local function edit(args)
      return project.call('lsp_edit', vim.tbl_extend('error', { file_path = sample.file }, args))
    end

    for name, case in vim.spairs(sample.cases) do
      it(name .. ', and is undone', function()
        local path = dir .. '/' .. sample.file
        local done = edit(case[1])
        assert.equal(0, done.code, done.out)
        assert.equal(replaced(sample.text, case[2], case[3]), helper.read(path))
        assert.equal(1, done.answer.files_changed)
        for member, value in pairs(case.answer or {}) do
          assert.same(value, done.answer[member])
        end
        project.call('undo')
        assert.equal(sample.text, helper.read(path))
      end)
    end

    it('keeps CRLF, and changes nothing when it is only to show', function()
      local case = sample.cases.replace_body
      local text = with(sample.text, '\r\n')
      fill(sample, '\r\n')
      local dry = edit(vim.tbl_extend('error', case[1], { dry_run = true }))
      assert.equal(0, dry.code, dry.out)
      assert.equal(text, helper.read(dir .. '/' .. sample.file))
      local done = edit(case[1])
      assert.equal(dry.answer.diff, done.answer.diff)
      assert.equal(
        with(replaced(sample.text, case[2], case[3]), '\r\n'),
        helper.read(dir .. '/' .. sample.file)
      )
    end)
  end)
end

describe('lsp_edit refuses', function()
  before_each(function()
    dir = project.begin()
  end)
  after_each(project.finish)

  it('another signature, unless it is allowed', function()
    for server, content in each {
      clangd = { 'Shape/area', 'int area(int scale) const { return scale; }' },
      pyright = { 'area', 'def area(w: int) -> int:\n    return w\n' },
      typescript = { 'area', 'export const area = (w: number): number => w;' },
      rust_analyzer = { 'Shape/edge', 'pub fn edge(&self) -> i32 { self.h }' },
      gopls = { 'Shape/Edge', 'func (s *Shape) Edge() int { return s.H }' },
    } do
      local sample = CASES[server]
      fill(sample)
      local args = { symbol = content[1], action = 'replace', content = content[2] }
      local name = content[1]:match('%w+$')
      assert_refused(sample, args, 'conflict', 'the content changes the signature `.*' .. name)
      args.allow_signature_change = true
      assert.equal(0, call(sample, args).code)
      assert.matches(
        vim.pesc(vim.trim(content[2])),
        (helper.read(dir .. '/' .. sample.file):gsub('\t', ''))
      )
    end
  end)

  it('new errors, unless it is not to look for them', function()
    for server, change in each {
      clangd = { 'Shape/area', 'return nowhere;' },
      pyright = { 'area', 'return nowhere' },
      typescript = { 'Shape/edge', 'return nowhere;' },
      rust_analyzer = { 'Shape/edge', 'return nowhere;', 'no such value' },
      gopls = { 'Shape/Edge', 'return nowhere' },
    } do
      local sample = CASES[server]
      fill(sample)
      local args = { symbol = change[1], action = 'replace_body', content = change[2] }
      local why = 'would bring 1 new error.*' .. (change[3] or 'nowhere')
      assert_refused(sample, args, 'conflict', why)
      args.verify = false
      assert.equal(0, call(sample, args).code)
      assert.matches('return nowhere', helper.read(dir .. '/' .. sample.file))
    end
  end)

  it('what is declared together with something else', function()
    local sample = CASES.clangd
    fill(sample)
    assert_refused(sample, { symbol = 'a', action = 'delete' }, 'conflict', 'shares a line')
    assert_refused(sample, { symbol = 'b', action = 'delete' }, 'conflict', 'together with a')
    sample = CASES.typescript
    fill(sample)
    assert_refused(sample, { symbol = 'q', action = 'delete' }, 'conflict', 'shares a line')
  end)

  it('a name that several have, and one that none has, with what may be meant', function()
    local sample = {
      file = 'a.cpp',
      text = 'struct A {\n\tint run();\n\tint run(int n);\n};\n\nint A::run() { return 1; }\n',
    }
    fill(sample)
    local err = assert_refused(
      sample,
      { symbol = 'A/run', action = 'delete' },
      'ambiguous',
      'A::run %(line 6%)'
    )
    assert.same(
      { { 2, 'A/run[0]' }, { 3, 'A/run[1]' }, { 6, 'A/run[2]' } },
      vim.tbl_map(function(c)
        return { c.line, c.symbol }
      end, err.candidates)
    )
    assert.equal('int A::run() { return 1; }', err.candidates[3].text)
    err = assert_refused(
      sample,
      { symbol = 'A/rum', action = 'delete' },
      'not_found',
      'nearest is A/run'
    )
    assert.equal('A/run', err.candidates[1].symbol)
    assert.equal(0, call(sample, { symbol = 'A/run[1]', action = 'delete' }).code)
    assert.equal((sample.text:gsub('\tint run%(int n%);\n', '')), helper.read(dir .. '/a.cpp'))
  end)

  it('content with delete, and anything else without', function()
    local sample = CASES.clangd
    fill(sample)
    assert_refused(
      sample,
      { symbol = 'a', action = 'delete', content = 'x' },
      'invalid',
      'delete does not take `content`'
    )
    assert_refused(sample, { symbol = 'a', action = 'replace' }, 'invalid', 'needs `content`')
    assert_refused(
      sample,
      { symbol = 'a', action = 'remove' },
      'invalid',
      'replace_body|insert_before'
    )
  end)

  it('a file outside of the project, also through a link', function()
    local sample = CASES.clangd
    fill(sample)
    local outside = helper.tempdir()
    helper.write(outside .. '/b.cpp', 'int b;\n')
    vim.uv.fs_symlink(outside .. '/b.cpp', dir .. '/link.cpp')
    for _, path in ipairs { outside .. '/b.cpp', 'link.cpp' } do
      assert_refused(
        sample,
        { file_path = path, symbol = 'b', action = 'delete' },
        'denied',
        'outside'
      )
    end
    assert.equal('int b;\n', helper.read(outside .. '/b.cpp'))
    vim.fn.delete(outside, 'rf')
  end)

  it('a file that no server serves', function()
    local sample = { file = 'a.xyz', text = 'int b;\n' }
    fill(sample)
    assert_refused(sample, { symbol = 'b', action = 'delete' }, 'no_server', 'a%.xyz')
  end)
end)

local function range(a, b, c, d)
  return { start = { line = a, character = b }, ['end'] = { line = c, character = d } }
end

local TEXT = 'f {\n  one\n}\n\ng {\n  two\n}\n'
local SYMBOLS = {
  {
    name = 'f',
    kind = 12,
    containerName = 'x',
    location = { uri = 'file://{ROOT}/a.txt', range = range(0, 0, 2, 1) },
  },
  { name = 'g', kind = 12, location = { uri = 'file://{ROOT}/a.txt', range = range(4, 0, 6, 1) } },
}

local FINE = { after = { { publish = '{ROOT}/a.txt', version = 'same', diagnostics = {} } } }

local function scripted(on, options)
  on['textDocument/documentSymbol'] = on['textDocument/documentSymbol'] or { result = SYMBOLS }
  on['textDocument/didOpen'], on['textDocument/didChange'] = FINE, FINE
  return fault
    .project({
      capabilities = { documentSymbolProvider = true, selectionRangeProvider = true },
      on = on,
    }, options)
    :files { ['a.txt'] = TEXT }
end

local EDIT = { file_path = 'a.txt', symbol = 'x/f', action = 'replace_body', content = 'three' }

local function assert_edited(p, body)
  local out = p:call('lsp_edit', EDIT)
  assert.is_true(out.result.success, vim.inspect(out.result))
  assert.equal(body, out.result.body)
  assert.equal('f {\n  three\n}\n\ng {\n  two\n}\n', helper.read(p.dir .. '/a.txt'))
end

local function assert_untouched(p, code)
  local out = p:call('lsp_edit', EDIT)
  assert.equal(code, out.result.error and out.result.error.code, vim.inspect(out.result))
  assert.equal(TEXT, helper.read(p.dir .. '/a.txt'))
end

describe('lsp_edit and a server', function()
  after_each(fault.cleanup)

  it('that lists symbols flat, and tells where the body is', function()
    local chain = { range = range(2, 0, 2, 1), parent = { range = range(0, 2, 2, 1) } }
    assert_edited(
      scripted { ['textDocument/selectionRange'] = { result = { chain } } },
      'selection range'
    )
  end)

  it('that lists symbols flat, without saying which stands in which', function()
    local inner = vim.deepcopy(SYMBOLS[1])
    inner.name, inner.containerName, inner.location.range = 'one', nil, range(1, 2, 1, 5)
    local p =
      scripted { ['textDocument/documentSymbol'] = { result = { SYMBOLS[2], inner, SYMBOLS[1] } } }
    local out = p:call('lsp_edit', { file_path = 'a.txt', symbol = 'f', action = 'delete' })
    assert.is_true(out.result.success, vim.inspect(out.result))
    assert.equal('g {\n  two\n}\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('whose word on the body is of no use', function()
    for _, step in ipairs {
      { error = { code = -32603, message = 'no' } },
      { result = vim.NIL },
      { result = { { range = range(4, 2, 6, 1) } } },
      { result = { { range = range(0, 2, 90, 1) } } },
      { result = 7 },
    } do
      assert_edited(scripted { ['textDocument/selectionRange'] = step }, 'brackets')
    end
  end)

  it('that knows no symbols, or names what is not there', function()
    local wild = vim.deepcopy(SYMBOLS)
    wild[1].location.range = range(90, 0, 99, 9)
    assert_untouched(
      scripted { ['textDocument/documentSymbol'] = { result = vim.NIL } },
      'not_found'
    )
    assert_untouched(scripted { ['textDocument/documentSymbol'] = { result = { {} } } }, 'protocol')
    assert_untouched(
      scripted { ['textDocument/documentSymbol'] = { result = wild } },
      'unsupported'
    )
  end)

  it('that dies at each step', function()
    for _, method in ipairs { 'textDocument/documentSymbol', 'textDocument/selectionRange' } do
      local dies = { before = { { kill = true } } }
      local p = scripted({ [method] = dies }, { ['lsp.restart_ms'] = 0, ['lsp.restarts'] = 0 })
      local out = p:call('lsp_edit', EDIT)
      local text = helper.read(p.dir .. '/a.txt')
      -- without the symbols nothing can be done; without its word on the body it is done
      assert.equal(
        method:find('selection') ~= nil,
        out.result.success == true,
        vim.inspect(out.result)
      )
      assert.equal(out.result.success and 'f {\n  three\n}\n\ng {\n  two\n}\n' or TEXT, text)
    end
  end)
end)
