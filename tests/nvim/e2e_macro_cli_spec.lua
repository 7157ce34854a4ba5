-- What macros of C use goes with a rename, where the server proves it; with each clangd.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local FILES = {
  ['pool.h'] = table.concat({
    'struct pool { int «room»; };',
    'int take(struct pool *p, int n);',
    '#define ROOM(p) ((p)->«room»)',
    '#define HAS(p, n) (ROOM(p) >= (n))',
    '#define ALSO(p) \\',
    '\t(ROOM(p) + /* room */ \\',
    '\t (p)->«room»)',
    '#define NEVER(p) ((p)->room)',
    '#define PARAMETER(room) ((room) + 1)',
    '',
  }, '\n'),
  ['pool.c'] = table.concat({
    '#include "pool.h"',
    'int take(struct pool *p, int n)',
    '{',
    '\tif (!HAS(p, n))',
    '\t\treturn 0;',
    '\tp->«room» -= n;',
    '\treturn ALSO(p);',
    '}',
    '',
  }, '\n'),
  ['other.c'] = table.concat({
    '#include "pool.h"',
    'static int room = 1;',
    '#define OTHER() (room + PARAMETER(2))',
    'int other(void) { return OTHER(); }',
    '',
  }, '\n'),
}

local function compile_commands(dir)
  return { ['compile_commands.json'] = helper.compiled(dir, { 'other.c', 'pool.c' }, 'cc') }
end

local function rename(dir, name, options, incomplete)
  local arguments = {
    file_path = 'pool.h',
    line = 1,
    symbol = 'room',
    new_name = 'left',
    incomplete = incomplete or 'allow', -- nothing expands the macro NEVER
  }
  return e2e.oxide(dir, { 'call', 'lsp_rename', '--yes', vim.json.encode(arguments) }, {
    config = e2e.samples[name].config,
    options = options,
  })
end

for _, name in ipairs { 'clangd', 'clangd-new' } do
  describe('a rename of what macros use, by ' .. name, function()
    it('is refused where nothing expands a macro that has the name', function()
      local dir = project.begin()
      local sample = { files = FILES, extra = compile_commands }
      e2e.fill(sample, dir)
      local done = rename(dir, name, nil, 'refuse')
      assert.equal(1, done.code, done.out)
      assert.equal('incomplete', done.answer.error.code)
      assert.matches('^pool.h:8: nothing expands the macro NEVER', done.answer.error.reasons[1])
      assert.equal(1, #done.answer.error.reasons)
      assert.equal('pool.h', done.answer.error.files[1].file)
      assert.same(e2e.before(sample), e2e.disk(sample, dir))
      vim.fn.delete(dir, 'rf')
    end)

    it('changes the macros that are proved to use it', function()
      local dir = project.begin()
      local sample = { files = FILES, extra = compile_commands }
      e2e.fill(sample, dir)
      local done = rename(dir, name)
      assert.equal(0, done.code, done.out .. done.err)
      assert.is_false(done.answer.complete)
      assert.same(e2e.after(sample, 'left'), e2e.disk(sample, dir))
      assert.equal(4, done.answer.edits)
      local lines = vim.tbl_map(function(at)
        return ('%s:%d'):format(at.file, at.line)
      end, done.answer.mentions)
      assert.same({
        'pool.h:6',
        'pool.h:8',
        'pool.h:9',
        'pool.h:9',
        'other.c:2',
        'other.c:3',
      }, lines)
      vim.fn.delete(dir, 'rf')
    end)

    it('is refused where a macro may mean two things by the name, and nobody looks', function()
      local dir = project.begin()
      local sample = { files = FILES, extra = compile_commands }
      e2e.fill(sample, dir)
      local done = rename(dir, name, { ['rename.verified_files'] = 1 })
      assert.equal(1, done.code, done.out)
      assert.equal('unsupported', done.answer.error.code)
      assert.matches('the macro ALSO may mean several things', done.answer.error.message)
      assert.same(e2e.before(sample), e2e.disk(sample, dir))
      vim.fn.delete(dir, 'rf')
    end)

    it('is refused where a macro means another thing by the name', function()
      local dir = project.begin()
      local files = vim.deepcopy(FILES)
      files['pool.h'] = files['pool.h']:gsub(
        '#define ALSO',
        'struct hall { struct pool pool; int room; };\n#define BOTH(h) ((h)->room + (h)->pool.room)\n%0'
      )
      files['pool.c'] = files['pool.c'] .. 'int both(struct hall *h) { return BOTH(h); }\n'
      local sample = { files = files, extra = compile_commands }
      e2e.fill(sample, dir)
      local done = rename(dir, name)
      assert.equal(1, done.code, done.out)
      assert.equal('conflict', done.answer.error.code)
      -- the macro serves both structs: whichever of them clangd stumbles over first
      assert.matches(
        "no member named 'left' in 'struct %a+'",
        done.answer.new_errors[1].message:lower()
      )
      assert.same(e2e.before(sample), e2e.disk(sample, dir))
      vim.fn.delete(dir, 'rf')
    end)
  end)
end
