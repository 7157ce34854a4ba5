-- A name in the body of a macro is used where the macro is expanded, in files that do not have the
-- name as a word: they are read too, and a macro that nothing expands is told of. With the real clangd,
-- judged by the compiler.
local complete = require('complete')
local helper = require('helper')
local project = require('project')

local put = project.put

local core, dir

local function rename(symbol, new, more)
  return complete.rename('inc/h.h', symbol, new, more)
end

for _, clangd in ipairs { 'clangd', 'clangd-new' } do
  describe('a name in the body of a macro, with ' .. clangd .. ':', function()
    before_each(function()
      dir = project.begin()
      vim.fn.mkdir(dir .. '/.git')
      vim.fn.mkdir(dir .. '/inc')
      vim.fn.mkdir(dir .. '/src')
      put('compile_flags.txt', '-Iinc\n')
      put('inc/h.h', 'int area(int b);\n')
      put('src/a.c', '#include "h.h"\nint area(int b) { return b; }\n')
    end)

    after_each(project.finish)

    local function start()
      core = complete.start(dir, clangd)
    end

    it('a function, where a file that was not read has the macro', function()
      put(
        'src/mac.c',
        '#include "h.h"\n#define CALL(x) area(x)\nint main(void) { return CALL(2); }\n'
      )
      start()
      assert.matches('complete: true', core:ok('lsp_rename', rename('area', 'aria')))
      assert.matches('CALL%(x%) aria%(x%)', helper.read(dir .. '/src/mac.c'))
      complete.links(dir, 'inc')
    end)

    it('a field', function()
      put('inc/h.h', 'struct st { int area; int y; };\n')
      put('src/a.c', '#include "h.h"\nint f(struct st *s) { return s->area; }\n')
      put(
        'src/mac.c',
        '#include "h.h"\n#define GET(s) ((s)->area)\n'
          .. 'int main(void) { struct st s = { 1, 2 }; return GET(&s); }\n'
      )
      start()
      assert.matches('complete: true', core:ok('lsp_rename', rename('st/area', 'aria')))
      assert.matches('GET%(s%) %(%(s%)%->aria%)', helper.read(dir .. '/src/mac.c'))
      complete.links(dir, 'inc')
    end)

    for _, database in ipairs { 'flags', 'commands' } do
      it('one rename after the other, used by other files, with ' .. database, function()
        put(
          'inc/h.h',
          'int area(int b);\n#define CALL(x) area(x)\n#define TWICE(x) CALL(CALL(x))\n'
        )
        put('src/mac.c', '#include "h.h"\nint main(void) { return TWICE(2); }\n')
        if database == 'commands' then
          put(
            'compile_commands.json',
            helper.compiled(dir .. '/src', { 'a.c', 'mac.c' }, 'cc -I' .. dir .. '/inc')
          )
        end
        start()
        for _, step in ipairs { { 'area', 'aria' }, { 'aria', 'arba' }, { 'arba', 'area' } } do
          assert.matches('complete: true', core:ok('lsp_rename', rename(step[1], step[2])))
          assert.matches('CALL%(x%) ' .. step[2], helper.read(dir .. '/inc/h.h'))
          complete.links(dir, 'inc')
        end
      end)
    end

    it('lists have the places where it is expanded', function()
      put('inc/h.h', 'int area(int b);\n#define CALL(x) area(x)\n')
      put('src/mac.c', '#include "h.h"\nint main(void) { return CALL(2); }\n')
      start()
      local at = { query = 'references', file_path = 'inc/h.h', symbol = 'area' }
      local text = core:ok('lsp_symbol', at)
      assert.matches('complete: true', text)
      assert.matches('src/mac.c', text)
      text = core:ok('find_symbol_usages', { symbol_name = 'area' })
      assert.matches('complete: true', text)
      assert.matches('src/mac.c', text)
    end)

    describe('which nothing expands,', function()
      before_each(function()
        put('inc/h.h', 'int area(int b);\n#define CALL(x) area(x)\n#define OUTER(x) CALL(x)\n')
        put('src/mac.c', '#include "h.h"\nint main(void) { return area(2); }\n')
        start()
      end)

      it('refuses a change of it', function()
        local text = core:fails('lsp_rename', rename('area', 'aria'))
        assert.matches('%(incomplete%)', text)
        assert.matches('inc/h.h:2', text)
        assert.matches('CALL', text)
        complete.links(dir, 'inc')
        text = core:ok('lsp_rename', rename('area', 'aria', { incomplete = 'allow' }))
        assert.matches('complete: false', text)
        assert.matches('nothing expands', text)
      end)

      it('is said in a list', function()
        local at = { query = 'references', file_path = 'inc/h.h', symbol = 'area' }
        local text = core:ok('lsp_symbol', at)
        assert.matches('complete: false', text)
        assert.matches('inc/h.h:2: nothing expands the macro CALL', text)
      end)
    end)

    it('which is expanded for another name is left as it is', function()
      put(
        'inc/h.h',
        'struct st { int area; };\nstruct other { int area; };\n#define GET(o) ((o)->area)\n'
      )
      put('src/a.c', '#include "h.h"\nint f(struct st *s) { return s->area; }\n')
      put(
        'src/mac.c',
        '#include "h.h"\nint main(void) { struct other o = { 1 }; return GET(&o); }\n'
      )
      start()
      assert.matches('complete: true', core:ok('lsp_rename', rename('st/area', 'aria')))
      assert.matches('%(o%)%->area', helper.read(dir .. '/inc/h.h'))
      complete.links(dir, 'inc')
    end)
  end)
end
