-- What another program has made of a header and of what includes it, on the disk: clangd speaks of the
-- text at once, with the header as it knew it, and again once it has read that; the second is answered.
local e2e = require('e2e')
local mcp = require('mcp')
local project = require('project')

local NEW = "servers = { clangd = { cmd = { 'clangd-new', '--background-index', '--log=error' } } }"

local dir

describe('diagnostics of a file whose header another program has changed', function()
  after_each(project.finish)

  local function client()
    local c = mcp.start(dir, { '--root', dir, '--config', dir .. '/.oxide.lua' })
    c:initialize()
    return c
  end

  for name, config in vim.spairs { clangd = '', ['clangd-new'] = NEW } do
    it('are those with the header as it is, of ' .. name, function()
      dir = project.begin {
        ['api.h'] = '#pragma once\n#define OLD(x) ((x) + 1)\n',
        ['compile_flags.txt'] = '-Wall\n',
        ['use.c'] = '#include "api.h"\n\nint use(int n)\n{\n\treturn OLD(n);\n}\n',
      }
      e2e.write_config(dir .. '/.oxide.lua', config)
      local c, other = client(), client()
      assert.matches('"error":0', (c:call('lsp_diagnostic', { file_path = 'use.c' })))
      local old = 'OLD'
      for i = 1, 5 do
        local new = ('NEW_%s'):format(('x'):rep(i))
        local function replace(file)
          return { edit_type = 'replace', file_path = file, old_string = old, new_string = new }
        end
        local text, failed =
          other:call('multi_edit', { operations = { replace('api.h'), replace('use.c') } })
        assert.is_false(failed, text)
        text = c:call('lsp_diagnostic', { file_path = 'use.c' })
        assert.matches('"error":0', text)
        assert.matches('complete: true', text)
        old = new
      end
    end)
  end
end)
