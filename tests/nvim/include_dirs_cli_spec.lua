-- C without a compilation database, the headers in include/ and the sources in src/: clangd does not
-- find what they include, and nobody knows what a name means there. With the real clangd, judged by
-- the compiler.
local complete = require('complete')
local helper = require('helper')
local project = require('project')

local put = project.put

local HEADER = [[
typedef struct pkt { int n; } pkt_t;
enum { ST_IDLE, ST_RUN };
#define LIMIT(p) ((p)->n + ST_RUN)
int area(pkt_t *p);
]]

local core, dir

local function rename(symbol, new, more)
  return complete.rename('include/h.h', symbol, new, more)
end

for _, clangd in ipairs { 'clangd', 'clangd-new' } do
  describe('headers that the server does not find, with ' .. clangd .. ':', function()
    before_each(function()
      dir = project.begin()
      vim.fn.mkdir(dir .. '/.git')
      vim.fn.mkdir(dir .. '/include')
      vim.fn.mkdir(dir .. '/src')
      put('include/h.h', HEADER)
      put('src/a.c', '#include "h.h"\nint area(pkt_t *p) { return p->n; }\n')
      for i = 1, 3 do
        put(
          ('src/u%d.c'):format(i),
          ('#include "h.h"\nint u%d(struct pkt *p) { return area(p) + LIMIT(p); }\n'):format(i)
        )
      end
      put('src/m.c', '#include "h.h"\nint main(void) { return 0; }\n')
      core = complete.start(dir, clangd)
    end)

    after_each(project.finish)

    for _, case in ipairs {
      { 'area', 'aria', 'a function' },
      { 'pkt', 'packet', 'a structure' },
      { 'pkt/n', 'count', 'a member' },
      { 'pkt_t', 'packet_t', 'a type' },
      { 'ST_RUN', 'ST_GO', 'a constant that a macro has in it' },
    } do
      it(case[3] .. ' is not renamed in part', function()
        local before = complete.tree(dir, { 'include', 'src' })
        local text = core:fails('lsp_rename', rename(case[1], case[2]))
        assert.matches('%(incomplete%)', text)
        assert.matches('files:%s+src/', text)
        assert.same(before, complete.tree(dir, { 'include', 'src' }))
        text = core:ok('lsp_rename', rename(case[1], case[2], { incomplete = 'allow' }))
        assert.matches('complete: false', text)
        assert.matches('reasons: .-src/%w+%.c', text)
      end)
    end

    it('the signature of a function is not changed in part', function()
      local before = complete.tree(dir, { 'include', 'src' })
      core:fails('lsp_edit', {
        file_path = 'include/h.h',
        symbol = 'area',
        action = 'change_signature',
        parameters = { { from = 0 }, { new = 'int k', argument = '0' } },
      })
      assert.same(before, complete.tree(dir, { 'include', 'src' }))
    end)

    it('lists say what is missing', function()
      local at = { query = 'references', file_path = 'include/h.h', symbol = 'pkt/n' }
      local text = core:ok('lsp_symbol', at)
      assert.matches('complete: false', text)
      assert.matches('src/u1.c: .-file not found', text)
      text = core:ok('find_symbol_usages', { symbol_name = 'ST_RUN' })
      assert.matches('complete: false', text)
    end)

    it('the gate says that it has not looked at who uses what changes', function()
      local text = core:ok('multi_edit', {
        operations = {
          {
            edit_type = 'replace',
            file_path = 'include/h.h',
            old_string = 'int n;',
            new_string = 'int count;',
          },
        },
        verify = true,
      })
      assert.matches('complete: false', text)
      assert.matches('reasons: .-src/a.c: .-file not found', text)
    end)

    it('the same of an edit of a declaration', function()
      local text = core:ok('lsp_edit', {
        file_path = 'include/h.h',
        symbol = 'area',
        action = 'replace',
        content = 'int aria(pkt_t *p);',
        allow_signature_change = true,
      })
      assert.matches('complete: false', text)
      assert.matches('file not found', text)
    end)

    it('what the file itself declares is renamed', function()
      put(
        'src/m.c',
        '#include "h.h"\nstruct own { int n; };\nstatic int twice(int n) { return n * 2; }\n'
          .. 'int main(void) { struct own o = { 1 }; return twice(o.n); }\n'
      )
      local at = { file_path = 'src/m.c' }
      assert.matches('complete: true', core:ok('lsp_rename', rename('twice', 'double_of', at)))
      complete.links(dir, 'include')
    end)

    it('headers beside the sources are found', function()
      for name in vim.fs.dir(dir .. '/src') do
        local file = dir .. '/src/' .. name
        helper.write(file, (helper.read(file):gsub('"h.h"', '"../include/h.h"')))
      end
      for _, case in ipairs { { 'area', 'aria' }, { 'pkt/n', 'count' }, { 'ST_RUN', 'ST_GO' } } do
        assert.matches('complete: true', core:ok('lsp_rename', rename(case[1], case[2])))
        complete.links(dir, 'include')
      end
    end)
  end)
end
