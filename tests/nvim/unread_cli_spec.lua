-- Uses of a name that no language server reads, or only warns of: in what a macro pastes together, in
-- files that are not of the language, in assembly. A change that leaves them is none that is complete.
local complete = require('complete')
local project = require('project')

local put, get = project.put, project.get

local core, dir

--- Refused, and nothing has changed; what is said of it.
local function refused(tool, args)
  local before = get('work.c')
  local text = core:fails(tool, args)
  assert.equal(before, get('work.c'))
  return text
end

local function rename(symbol, new, more)
  return complete.rename('work.c', symbol, new, more)
end

for _, clangd in ipairs { 'clangd', 'clangd-new' } do
  describe('what no server reads, with ' .. clangd .. ':', function()
    before_each(function()
      dir = project.begin()
      put('compile_flags.txt', '-I.\n')
      put('.git/HEAD', '')
    end)

    after_each(project.finish)

    it('a call that a macro pastes together', function()
      put(
        'work.c',
        '#define CALL(n) do_##n()\nint do_run(void) { return 7; }\n'
          .. 'int main(void) { return CALL(run); }\n'
      )
      core = complete.start(dir, clangd)
      assert.matches('1 new error', refused('lsp_rename', rename('do_run', 'do_walk')))
      assert.matches(
        '1 new error',
        refused('lsp_edit', { file_path = 'work.c', symbol = 'do_run', action = 'delete' })
      )
    end)

    it('a table that is included', function()
      put('tables/list.inc', 'ENTRY(alpha)\n/* beta */ ENTRY(gamma)\n')
      put('tables/other.inc', 'ENTRY(beta)\n')
      put(
        'work.c',
        'static int alpha(void) { return 1; }\nstatic int beta(void) { return 2; }\n'
          .. 'static int gamma(void) { return 3; }\n'
          .. 'int main(void)\n{\n\tint s = beta(), list = 0;\n#define ENTRY(n) s += n();\n'
          .. '#include "tables/list.inc"\n\treturn s + list;\n}\n'
      )
      core = complete.start(dir, clangd)
      assert.matches(
        'tables/list.inc %(line 1 contains the name, but clangd does not analyze it',
        refused('lsp_rename', rename('alpha', 'aleph'))
      )
      local text = refused('lsp_edit', {
        file_path = 'work.c',
        symbol = 'gamma',
        action = 'change_signature',
        signature = 'int n := 0',
      })
      assert.matches('tables/list.inc', text)
      core:ok('lsp_rename', rename('beta', 'bet'))
      assert.matches('int s = bet%(%)', get('work.c'))
      local more = { incomplete = 'allow', verify = false }
      text = core:ok('lsp_rename', rename('alpha', 'aleph', more))
      assert.matches('complete: false', text)
      assert.matches('tables/list.inc', text)
    end)

    it('grammars and assembly, of what is known outside of its file', function()
      put('parse.y', '%%\nstart: word { visible(); hidden(); };\n%%\n')
      put('entry.S', 'start:\n\tcall visible // hidden\n')
      put('api.h', 'int visible(void);\n')
      put(
        'work.c',
        '#include "api.h"\nint visible(void) { return 1; }\nstatic int hidden(void) { return 2; }\n'
          .. 'int main(void)\n{\n\tint start = hidden();\n\treturn start;\n}\n'
      )
      core = complete.start(dir, clangd)
      local text = refused('lsp_rename', rename('visible', 'shown'))
      assert.matches('parse.y %(line 2', text)
      assert.matches('entry.S %(line 2', text)
      for _, name in ipairs { 'hidden', 'start' } do
        core:ok(
          'lsp_rename',
          rename(name, name .. '_of_work', { line = name == 'start' and 6 or nil })
        )
      end
      assert.matches('int start_of_work = hidden_of_work%(%);', get('work.c'))
      text = core:ok('lsp_symbol', {
        query = 'references',
        file_path = 'api.h',
        symbol = 'visible',
      })
      assert.matches('complete: false', text)
    end)

    it('strings by which the linker or the assembler finds it', function()
      put(
        'work.c',
        'static int hook(void) { return 3; }\n'
          .. 'int other(void) __attribute__((alias("hook")));\n'
          .. 'int ticks = 1;\nint label(void) __asm__("label");\n'
          .. 'int plain(void)\n{\n\t__asm__ volatile(\n\t\t"nop\\n"\n\t\t"incl ticks(%rip)");\n'
          .. '\treturn sizeof("plain");\n}\n'
      )
      core = complete.start(dir, clangd)
      assert.matches(
        'work.c %(line 2 contains the name',
        refused('lsp_rename', rename('hook', 'hooked'))
      )
      assert.matches(
        'work.c %(line 9 contains the name',
        refused('lsp_rename', rename('ticks', 'tocks'))
      )
      for _, name in ipairs { 'label', 'plain' } do
        assert.matches('complete: true', core:ok('lsp_rename', rename(name, name .. '_new')))
      end
    end)

    it('sources in a directory that is called as if it had been built', function()
      put('api.h', 'int f(void);\n')
      put('target/cpu.c', '#include "../api.h"\nint cpu(void) { return f(); }\n')
      put('work.c', '#include "api.h"\nint f(void) { return 1; }\n')
      core = complete.start(dir, clangd)
      core:ok('lsp_rename', rename('f', 'g'))
      assert.matches('return g%(%)', get('target/cpu.c'))
    end)
  end)
end
