-- What is in the body of a macro means something else in each file that uses the macro, and none of
-- those has it as a word: a change of it is looked at where the macro is used.
local complete = require('complete')
local helper = require('helper')
local project = require('project')

local put = project.put

local core, dir

local HEADER = [[
struct reader { int error; };
struct writer { int error; };
enum kind { ITEM_BEGIN = 1, ITEM_END = 2 };
#define FAIL(c) ((c)->error = 1)
#define FAIL_IF(x, c) do { if (x) FAIL(c); } while (0)
#define IS_END(k) ((k) == ITEM_END)
]]

local function tree()
  local all = {}
  for name in vim.fs.dir(dir) do
    all[name] = name:find('%.[ch]$') and helper.read(dir .. '/' .. name) or nil
  end
  return all
end

for _, clangd in ipairs { 'clangd', 'clangd-new' } do
  describe('what macros have in them, with ' .. clangd .. ':', function()
    before_each(function()
      dir = project.begin()
      vim.fn.mkdir(dir .. '/.git')
      put('compile_flags.txt', '-I.\n-w\n')
      put('api.h', HEADER)
      put(
        'reader.c',
        '#include "api.h"\nint read_it(struct reader *r)\n{\n\tFAIL(r);\n\treturn r->error;\n}\n'
      )
    end)

    after_each(project.finish)

    local function refused(tool, args)
      core = complete.start(dir, clangd)
      local before = tree()
      local text = core:fails(tool, args)
      assert.same(before, tree())
      return text
    end

    local function rename(symbol, new)
      return { file_path = 'api.h', symbol = symbol, new_name = new, confirm = 'apply' }
    end

    it('a field, where another file uses the macro for another structure', function()
      put('writer.c', '#include "api.h"\nvoid write_it(struct writer *w) { FAIL(w); }\n')
      assert.matches('writer.c', refused('lsp_rename', rename('reader/error', 'failure')))
    end)

    it('the same, where it uses a macro around that macro', function()
      put('writer.c', '#include "api.h"\nvoid write_it(struct writer *w) { FAIL_IF(1, w); }\n')
      assert.matches('writer.c', refused('lsp_rename', rename('reader/error', 'failure')))
    end)

    it('an edit of the text of a macro', function()
      put('writer.c', '#include "api.h"\nvoid write_it(struct writer *w) { FAIL_IF(1, w); }\n')
      local text = refused('multi_edit', {
        operations = {
          {
            edit_type = 'replace',
            file_path = 'api.h',
            old_string = '((c)->error = 1)',
            new_string = '((c)->problem = 1)',
          },
        },
        verify = true,
      })
      assert.matches('reader.c', text)
      assert.matches('writer.c', text)
    end)

    it('a constant, where a variable has the new name beside a use of the macro', function()
      put(
        'kind.c',
        '#include "api.h"\nint f(int k)\n{\n\tint last = 3;\n\treturn IS_END(k) + last;\n}\n'
          .. 'int plain(void) { return ITEM_END; }\n'
      )
      local text = refused('lsp_rename', rename('ITEM_END', 'last'))
      assert.matches('the name last is taken', text)
      assert.matches('macro IS_END', text)
      assert.matches('kind.c', text)
    end)

    it('the same is renamed where another function has the name', function()
      put(
        'kind.c',
        '#include "api.h"\nint f(int k) { return IS_END(k) || k == ITEM_END; }\n'
          .. 'int g(int last) { return last; }\nstruct s { int last; };\n'
          .. 'int h(struct s *s) { return IS_END(s->last); }\n'
      )
      core = complete.start(dir, clangd)
      assert.matches('complete: true', core:ok('lsp_rename', rename('ITEM_END', 'last')))
      assert.matches('%(k%) == last%)', helper.read(dir .. '/api.h'))
    end)
  end)
end
