-- Macros of C by their name, which servers neither list nor rename; with each clangd.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local FILES = {
  ['proc.h'] = table.concat({
    '#ifndef PROC_H',
    '#define PROC_H',
    '#ifndef «PROC»',
    '#define «PROC»(x) ((x) + 1) /* PROC */',
    '#endif',
    '#define TWICE(x) («PROC»(x) + «PROC»(x))',
    '#define NAME(PROC) #PROC',
    '#if defined(«PROC»)',
    'int process_data(int n);',
    '#endif',
    '#endif',
    '',
  }, '\n'),
  ['a.c'] = table.concat({
    '#include "proc.h"',
    'int process_data(int n)',
    '{',
    '\tconst char *s = "PROC"; // PROC',
    '#ifdef «PROC»',
    '\treturn «PROC»(n) + TWICE(n) + !s;',
    '#else',
    '\treturn «PROC»(2);',
    '#endif',
    '}',
    '',
  }, '\n'),
  ['b.c'] = table.concat({
    '#include "proc.h"',
    'int b(void) { return process_data(«PROC»(1)); }',
    '#undef «PROC»',
    '',
  }, '\n'),
  ['compile_flags.txt'] = '',
}

for _, name in ipairs { 'clangd', 'clangd-new' } do
  describe('a macro by its name, with ' .. name, function()
    local dir
    local sample = { files = FILES }

    before_each(function()
      dir = project.begin()
      e2e.fill(sample, dir)
    end)
    after_each(project.finish)

    local function call(tool, args)
      return e2e.oxide(dir, { 'call', tool, '--yes', vim.json.encode(args) }, {
        config = e2e.samples[name].config,
        options = { ['rename.verify_ms'] = 60000 },
      })
    end

    local function rename(args)
      return call('lsp_rename', vim.tbl_extend('error', { file_path = 'proc.h' }, args))
    end

    it('is found with its uses, and nothing of a similar name', function()
      local done = call('find_symbol_usages', { symbol_name = 'PROC' })
      assert.equal(0, done.code, done.out)
      assert.same({ 'PROC', 'macro', 'proc.h' }, {
        done.answer.symbol,
        done.answer.kind,
        done.answer.file_path,
      })
      local lines = vim.tbl_map(function(at)
        return ('%s:%d'):format(at.file, at.line)
      end, done.answer.usages)
      table.sort(lines)
      assert.same({
        'a.c:5',
        'a.c:6',
        'a.c:8',
        'b.c:2',
        'b.c:3',
        'proc.h:3',
        'proc.h:6',
        'proc.h:6',
        'proc.h:8',
      }, lines)
      assert.is_true(done.answer.complete)
      done = call('get_symbol_info', { symbol_name = 'PROC' })
      assert.equal('#define PROC(x) ((x) + 1) /* PROC */', done.answer.definition_code)
      done = call('lsp_symbol', { query = 'definition', file_path = 'proc.h', symbol = 'PROC' })
      assert.equal(4, done.answer.locations[1].line, done.out)
    end)

    it('is not what only begins like a name', function()
      for _, tool in ipairs { 'find_symbol_usages', 'get_symbol_info', 'rename_symbol' } do
        local done =
          call(tool, { symbol_name = 'PRO', new_name = tool:find('rename') and 'x' or nil })
        assert.equal(1, done.code, done.out)
        assert.equal('not_found', done.answer.error.code)
        assert.equal('process_data', done.answer.error.candidates[1].symbol_name)
      end
      for _, action in ipairs { 'replace', 'delete' } do
        local done = call('lsp_edit', {
          file_path = 'a.c',
          symbol = 'PROC',
          action = action,
          content = action == 'replace' and 'int x;' or nil,
        })
        assert.equal(1, done.code, done.out)
        assert.equal('not_found', done.answer.error.code)
      end
      assert.same(e2e.before(sample), e2e.disk(sample, dir))
    end)

    it('is renamed, from its definition and from a use', function()
      for _, at in ipairs { { line = 4 }, { file_path = 'a.c', line = 6 } } do
        e2e.fill(sample, dir)
        local args = { file_path = 'proc.h', symbol = 'PROC', new_name = 'STEP' }
        local done = call('lsp_rename', vim.tbl_extend('force', args, at))
        assert.equal(0, done.code, done.out .. done.err)
        assert.same(e2e.after(sample, 'STEP'), e2e.disk(sample, dir))
        assert.equal(10, done.answer.edits)
        assert.equal('ok', done.answer.syntax_check)
        assert.is_true(done.answer.complete, done.out)
      end
    end)

    it('is renamed by its name alone', function()
      local done = call('rename_symbol', {
        symbol_name = 'PROC',
        new_name = 'STEP',
        execute_immediately = true,
      })
      assert.equal(0, done.code, done.out .. done.err)
      assert.same(e2e.after(sample, 'STEP'), e2e.disk(sample, dir))
    end)

    it('is not renamed where something else has the name', function()
      helper.write(
        dir .. '/c.c',
        'struct c { int PROC; };\nint c(struct c *c) { return c->PROC; }\n'
      )
      local done = rename { line = 4, symbol = 'PROC', new_name = 'STEP' }
      assert.equal(1, done.code, done.out)
      assert.equal('conflict', done.answer.error.code, done.out)
      local places = vim.tbl_map(function(at)
        return ('%s:%d'):format(at.file, at.line)
      end, done.answer.error.places)
      assert.same({ 'c.c:1', 'c.c:2' }, places)
      assert.same(e2e.before(sample), e2e.disk(sample, dir))
    end)

    it('is not renamed to a name that is taken, or is none', function()
      local done = rename { line = 4, symbol = 'PROC', new_name = 'n' }
      assert.equal(1, done.code, done.out)
      assert.equal('conflict', done.answer.error.code, done.out)
      done = rename { line = 4, symbol = 'PROC', new_name = 'a b' }
      assert.equal(1, done.code, done.out)
      assert.equal('invalid', done.answer.error.code, done.out)
      assert.same(e2e.before(sample), e2e.disk(sample, dir))
    end)

    it('is one of several that source files have for themselves', function()
      local own = '#define SIZE 1\nint %s(void) { return SIZE; }\n'
      for _, file in ipairs { 'one', 'two' } do
        helper.write(('%s/%s.c'):format(dir, file), own:format(file))
      end
      local done =
        call('lsp_rename', { file_path = 'one.c', line = 2, symbol = 'SIZE', new_name = 'LENGTH' })
      assert.equal(0, done.code, done.out)
      assert.equal((own:format('one'):gsub('SIZE', 'LENGTH')), helper.read(dir .. '/one.c'))
      assert.equal(own:format('two'), helper.read(dir .. '/two.c'))
    end)
  end)
end
