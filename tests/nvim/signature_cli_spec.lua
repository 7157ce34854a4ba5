-- lsp_edit's change_signature through the command line, with the real servers: every file of a small
-- project afterwards, byte by byte, and what is refused.
local e2e = require('e2e')
local project = require('project')

local SAMPLES = require('signature_cases')

local OPTIONS = { ['lsp.silence_ms'] = 8000 }

local dir

---@param sample test.SignatureSample
---@param more? table<string, string>
local function fill(sample, more)
  local extra = sample.extra and sample.extra(dir) or {}
  project.fill(vim.tbl_extend('force', sample.files, extra, more or {}))
end

local function replaced(files, changes)
  local after = vim.deepcopy(files)
  for path, list in pairs(changes) do
    for _, pair in ipairs(list) do
      local at, to = after[path]:find(pair[1], 1, true)
      assert(at and not after[path]:find(pair[1], to + 1, true), 'no place for ' .. pair[1])
      after[path] = after[path]:sub(1, at - 1) .. pair[2] .. after[path]:sub(to + 1)
    end
  end
  return after
end

local function call(sample, args)
  args = vim.tbl_extend('error', { action = 'change_signature' }, args)
  return e2e.oxide(dir, { 'call', 'lsp_edit', '--yes', vim.json.encode(args) }, {
    config = sample.config,
    options = OPTIONS,
  })
end

local function each_begins()
  before_each(function()
    dir = project.begin()
  end)
  after_each(project.finish)
end

for server, sample in vim.spairs(SAMPLES) do
  describe('change_signature with ' .. server, function()
    setup(function()
      dir = project.reside(sample.config, OPTIONS)
    end)
    teardown(project.finish)

    local function change(args)
      args = vim.tbl_extend('error', { action = 'change_signature' }, args)
      return project.call('lsp_edit', args, { '--yes' })
    end

    it('prints as many places as it answers', function()
      fill(sample)
      local args = vim.tbl_extend('error', select(2, next(sample.cases))[1], {
        action = 'change_signature',
        dry_run = true,
        verify = false,
      })
      local sites = project.call('lsp_edit', args).answer.sites
      local printed = project.call('lsp_edit', args, { '--text' }).out
      assert.matches(('%%f[%%d]%d places? in '):format(sites), printed)
    end)

    for name, case in vim.spairs(sample.cases) do
      it(name .. ', and is undone', function()
        fill(sample)
        local dry = change(vim.tbl_extend('error', case[1], { dry_run = true, verify = false }))
        assert.equal(0, dry.code, dry.out)
        assert.same(sample.files, project.now(sample.files))
        local done = change(case[1])
        assert.equal(0, done.code, done.out)
        assert.same(replaced(sample.files, case[2]), project.now(sample.files))
        assert.equal(dry.answer.diff, done.answer.diff)
        assert.equal('ok', done.answer.syntax_check)
        for member, value in pairs(case.answer or {}) do
          assert.same(value, done.answer[member], member)
        end
        project.call('undo')
        assert.same(sample.files, project.now(sample.files))
      end)
    end
  end)
end

describe('change_signature refuses', function()
  each_begins()
  local SWAP = { { from = 1 }, { from = 0 } }

  local function refused(sample, args, code, pattern)
    local before = project.now(sample.files)
    local done = call(sample, args)
    assert.equal(1, done.code, done.out)
    assert.equal(code, done.answer.error.code, done.out)
    assert.matches(pattern, done.answer.error.message)
    assert.same(before, project.now(sample.files))
    return done.answer.error
  end

  local function swap(sample, symbol, file)
    return refused(
      sample,
      { file_path = file, symbol = symbol, parameters = SWAP },
      'conflict',
      'cannot be rewritten, and nothing was changed'
    )
  end

  local function why(err)
    return vim.tbl_map(function(site)
      return { site.file, site.line, site.why }
    end, err.sites)
  end

  it('a pointer, a macro and a function passed by its name, all at once', function()
    local sample = SAMPLES.clangd
    fill(sample, {
      ['twice.c'] = '#include "shape.h"\n#define TWICE(x) area(x, x)\n'
        .. 'int (*p)(int, int) = area;\nint twice(int x) { return TWICE(x) + area(x, 1); }\n',
    })
    assert.same({
      { 'twice.c', 3, 'it is not a plain call' },
      { 'twice.c', 4, 'the name comes from a macro here' },
    }, why(swap(sample, 'area', 'shape.c')))
  end)

  it('what is spread, passed on or decorates, in Python', function()
    local sample = SAMPLES.pyright
    fill(sample, {
      ['main.py'] = 'from shape import Shape\n\nxs = [1, 2]\ns = Shape()\n'
        .. 's.edge(*xs)\nmap(s.edge, xs)\n',
    })
    assert.same({
      { 'main.py', 5, 'it spreads a value over its arguments, whose number is not known' },
      { 'main.py', 6, 'it is not a plain call' },
    }, why(swap(sample, 'Shape/edge', 'shape.py')))
  end)

  it('call, a type of it and a callback, in TypeScript', function()
    local sample = SAMPLES.typescript
    fill(sample, {
      ['main.ts'] = "import { area } from './shape';\n\nexport type A = Parameters<typeof area>;\n"
        .. 'area.call(null, 1, 2);\n[1].map(area);\n',
    })
    assert.same({
      { 'main.ts', 3, 'it is not a plain call' },
      { 'main.ts', 4, 'it is not a plain call' },
      { 'main.ts', 5, 'it is not a plain call' },
    }, why(swap(sample, 'area', 'shape.ts')))
  end)

  it('a place where no name stands', function()
    local sample = SAMPLES.clangd
    fill(sample, { ['twice.c'] = '/* a word */\nint twice(int x);\n' })
    local args = { file_path = 'twice.c', line = 1, column = 1, parameters = SWAP }
    refused(sample, args, 'not_found', 'no name at twice.c:1:1')
  end)

  it('a parameter that goes and is used, as new errors', function()
    local sample = SAMPLES.clangd
    fill(sample)
    local err = refused(
      sample,
      { file_path = 'shape.c', symbol = 'area', parameters = { { from = 0 } } },
      'conflict',
      "would bring 1 new error.*shape%.c:5: .*'h'"
    )
    assert.equal('shape.c', err.new_errors[1].file)
  end)

  it('lists and symbols that make no sense', function()
    local sample = SAMPLES.clangd
    fill(sample)
    local function list(parameters, pattern)
      refused(
        sample,
        { file_path = 'shape.c', symbol = 'area', parameters = parameters },
        'invalid',
        pattern
      )
    end
    list({ { from = 2 } }, 'parameter 2 does not exist: there are 2')
    list({ { from = 0 }, { from = 0 } }, 'twice')
    list({ { new = 'int z' } }, 'needs an `argument`')
    list({ { old = 0 } }, 'old is not valid')
    list({ { from = 0, new = 'int z' } }, 'either `from`')
    refused(
      sample,
      { file_path = 'shape.c', symbol = 'area', signature = 'int w, int h, int z' },
      'not_found',
      'what do callers pass for `int z`'
    )
    refused(
      sample,
      { file_path = 'shape.c', symbol = 'area', signature = 'long w, int h' },
      'invalid',
      '`long w` was `int w`'
    )
    refused(
      sample,
      { file_path = 'shape.c', symbol = 'area', content = 'x' },
      'invalid',
      'does not take `content`'
    )
    refused(
      sample,
      { file_path = 'main.c', symbol = 'n', line = 5, new_name = 'm' },
      'unsupported',
      'not a function whose declared parameters'
    )
  end)
end)

describe('change_signature', function()
  each_begins()

  it('tells the present signature, and what goes unevaluated', function()
    local sample = SAMPLES.clangd
    fill(sample, {
      ['shape.c'] = '#include "shape.h"\n\nint area(int w, int h)\n{\n\treturn w;\n}\n',
      ['twice.c'] = '#include "shape.h"\n\nint next(void);\nint twice(int x) { return area(x, next()); }\n',
    })
    local told = call(sample, { file_path = 'shape.h', symbol = 'area' }).answer
    assert.equal('area(int w, int h)', told.signature)
    assert.same({
      { from = 0, name = 'w', text = 'int w' },
      { from = 1, name = 'h', text = 'int h' },
    }, told.parameters)
    assert.equal(0, told.files_changed)
    local done = call(sample, { file_path = 'shape.h', symbol = 'area', signature = 'int w' })
    assert.equal(0, done.code, done.out)
    assert.equal('twice.c:4: `next()` is no longer evaluated', done.answer.warnings[1].message)
    assert.equal(1, #done.answer.warnings)
  end)

  it('tells of places that the server does not know', function()
    local sample = SAMPLES.clangd
    fill(sample, {
      ['twice.c'] = '#include "shape.h"\n\n#if 0\nint n = area(1, 2);\n#endif\n',
    })
    local done = call(
      sample,
      { file_path = 'shape.h', symbol = 'area', parameters = { { from = 1 }, { from = 0 } } }
    )
    assert.equal(0, done.code, done.out)
    assert.same(
      { file = 'twice.c', line = 4, column = 9, text = 'int n = area(1, 2);' },
      vim.tbl_filter(function(row)
        return row.file == 'twice.c'
      end, done.answer.mentions)[1]
    )
  end)
end)
