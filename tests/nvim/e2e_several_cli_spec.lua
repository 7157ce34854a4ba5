-- Several projects, each with a real language server of its own, in one `oxide mcp`.
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')

--- Where the main file uses what is renamed: line and column of the last place.
---@param sample test.Sample
local function place_of(sample)
  local before = sample.files[sample.main]:match('^(.*)«'):gsub('«(.-)»', '%1')
  local lines = vim.split(before, '\n')
  return #lines, #lines[#lines] + 1
end

local OTHERS = { 'pyright', 'rust_analyzer' }

for _, name in ipairs(OTHERS) do
  local sample = e2e.samples[name]
  if sample then
    describe('a project of clangd beside one of ' .. name, function()
      local dir, c

      local function call(tool, args)
        local text, failed = c:call(tool, args or vim.empty_dict())
        assert(not failed, text)
        return text
      end

      before_each(function()
        dir = project.begin()
        e2e.fill(e2e.samples.clangd, dir .. '/one')
        e2e.fill(sample, dir .. '/two')
        helper.write(dir .. '/two/.git/HEAD', '')
        e2e.write_config(dir .. '/config.lua', sample.config)
        local args = { '--root', dir .. '/one', '--config', dir .. '/config.lua' }
        c = mcp.start(dir .. '/one', args)
        c:initialize()
      end)

      after_each(project.finish)

      it('is renamed in, each by its own server, and nothing changes in the other', function()
        local c_sample = e2e.samples.clangd
        call('manage_projects', { add_project_path = dir .. '/two' })
        local asked = {
          { '/two/', sample, file_path = sample.main },
          { '/one/', c_sample, file_path = dir .. '/one/' .. c_sample.main },
        }
        for _, ask in ipairs(asked) do
          local line, column = place_of(ask[2])
          local text = call('lsp_rename', {
            file_path = ask.file_path,
            line = line,
            column = column,
            new_name = 'surface',
            confirm = 'apply',
          })
          assert.matches('new_name: surface', text)
          assert.same(e2e.after(ask[2], 'surface'), e2e.disk(ask[2], dir .. ask[1]))
        end
        local text = call('manage_projects')
        for _, root in ipairs { 'one', 'two' } do
          local row = assert(text:match('name: ' .. root .. ',[^\n]*'))
          local servers = vim.json.decode(row:match('servers: (%b[])'))
          assert.equal(1, #servers)
          assert.equal(root == 'one' and 'clangd' or name, servers[1].name)
          assert.equal(dir .. '/' .. root, servers[1].root)
        end
      end)

      it('has diagnostics of its own', function()
        helper.write(dir .. '/one/odd.c', 'int odd(void) { return missing; }\n')
        assert.matches('odd.c', call('lsp_diagnostic'))
        call('manage_projects', { add_project_path = dir .. '/two' })
        assert.not_matches('odd.c', call('lsp_diagnostic'))
      end)

      it('has its server ended when it is removed', function()
        call('manage_projects', { add_project_path = dir .. '/two' })
        call('lsp_symbol', { query = 'document_symbols', file_path = sample.main })
        local pid = tonumber(call('manage_projects'):match('"pid":(%d+)'))
        call('manage_projects', { remove_project_name = 'two' })
        fault.wait('the server to end', function()
          return vim.uv.kill(pid, 0) ~= 0
        end)
      end)
    end)
  end
end
