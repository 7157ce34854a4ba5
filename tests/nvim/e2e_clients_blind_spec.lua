-- The person's own clangd does not see headers that are not saved, unless it was told to: changes of
-- several files are verified all the same, and nothing that only the trial caused counts.
local e2e = require('e2e')
local helper = require('helper')

local FILES = {
  ['shape.h'] = 'struct shape { int «width»; };\nint area(struct shape *s);\n',
  ['shape.c'] = '#include "shape.h"\n\nint area(struct shape *s)\n{\n\treturn s->«width» * 2;\n}\n',
  ['main.c'] = '#include "shape.h"\n\nint main(void)\n{\n\tstruct shape s = { .«width» = 1 };\n\n'
    .. '\ts.«width»++;\n\treturn area(&s);\n}\n',
  ['twice.c'] = '#include "shape.h"\n\nint twice(struct shape *s) { return s->«width» + s->«width»; }\n',
}

local function compile_commands(dir)
  local files = { 'main.c', 'shape.c', 'twice.c' }
  return { ['compile_commands.json'] = helper.compiled(dir, files, 'cc') }
end

local START = [[
  local dir, cmd, options = ...
  vim.api.nvim_create_autocmd('FileType', { pattern = { 'c', 'cpp' }, callback = function(ev)
    vim.lsp.start({ name = 'clangd', cmd = cmd, init_options = options, root_dir = dir }, { bufnr = ev.buf })
  end })
]]

local before, after = e2e.before { files = FILES }, e2e.after({ files = FILES }, 'breadth')

for _, program in ipairs { 'clangd', 'clangd-new' } do
  describe('with a client of Neovim that does not see headers, ' .. program, function()
    local child, config

    before_each(function()
      config = e2e.samples[program].config
    end)

    local function begin(options, ...)
      child = e2e.start {
        files = FILES,
        extra = compile_commands,
        config = config,
      }
      child:lua(START, child.dir, { program, '--log=error', ... }, options)
      child:cmd('edit main.c')
      child:wait(
        'the client',
        [[(function(client)
          return client and client.initialized and client.attached_buffers[vim.api.nvim_get_current_buf()]
        end)(vim.lsp.get_clients({ bufnr = 0 })[1])]]
      )
    end

    after_each(helper.cleanup)

    local function servers()
      child:lua(
        "_G.status = nil; require('oxide.core').query('status', function(_, s) _G.status = s end)"
      )
      return #child:wait('the status', '_G.status').servers
    end

    local function rename()
      return child:call('lsp_rename', {
        file_path = child.dir .. '/main.c',
        line = 7,
        symbol = 'width',
        new_name = 'breadth',
      })
    end

    it('makes a rename over several files, verified', function()
      begin()
      local done = rename()
      assert.is_nil(done.err)
      assert.same({ 'ok', true }, { done.result.syntax_check, done.result.complete })
      assert.equal(4, done.result.files_changed)
      assert.equal(after['main.c'], e2e.text(child, 'main.c'))
      -- clangd speaks once of the headers before, and again once it has read those
      child:wait('the end of the errors', '#vim.diagnostic.get() == 0')
    end)

    it('refuses what the files that include a header would not take', function()
      begin()
      local done = child:call('multi_edit', {
        verify = true,
        operations = {
          {
            edit_type = 'replace',
            file_path = child.dir .. '/shape.h',
            old_string = 'int area(struct shape *s);',
            new_string = 'int area(struct shape *s, int n);',
          },
        },
      })
      assert.equal('conflict', (done.err or {}).code)
      assert.same(before, e2e.disk({ files = FILES }, child.dir))
    end)

    it('says so where no other can be had', function()
      config = "servers = { clangd = { cmd = { 'no-clangd' } } }"
      begin()
      local done = rename()
      assert.is_nil(done.err)
      assert.matches('^skipped: clangd does not see', done.result.syntax_check)
      assert.is_false(done.result.complete)
      assert.equal(4, #done.result.not_verified)
      assert.equal(after['main.c'], e2e.text(child, 'main.c'))
    end)

    it('asks nobody else where it sees them', function()
      begin({ clangdFileStatus = true }, '--use-dirty-headers')
      local done = rename()
      assert.is_nil(done.err)
      assert.same({ 'ok', true }, { done.result.syntax_check, done.result.complete })
      assert.equal(1, servers())
    end)
  end)
end
