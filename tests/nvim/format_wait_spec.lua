-- `:w` with format.on_save where there is no command line: what is waited for is seen, and what is over
-- is not said behind it.
local fault = require('fault')

local SCRIPT = {
  capabilities = { documentFormattingProvider = true },
  on = {
    initialized = {
      after = { { progress = 'begin', title = 'indexing', message = '1 of 2', create = true } },
    },
    ['textDocument/formatting'] = {
      hold = 'it',
      result = { { range = fault.range(0, 0, 3), newText = 'ONE' } },
    },
  },
}

local PREPARE = [[
  vim.notify, _G.said = _G.last_line, {}
  local say = require('oxide.messages').say
  require('oxide.messages').say = function(text, ...)
    table.insert(_G.said, text)
    say(text, ...)
  end
  function _G.floats()
    local texts = {}
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= '' then
        local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, 1, false)
        table.insert(texts, vim.trim(lines[1]))
      end
    end
    return table.concat(texts, '|')
  end
]]

describe('a write that formats', function()
  after_each(fault.cleanup)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('says nothing behind it that is over, %d columns wide'):format(columns), function()
      local p = fault.project(SCRIPT, { ['lsp.index_wait_ms'] = 600000 })
      local child = p:nvim({ ['a.txt'] = 'one\n' }, {
        wait = { after_ms = 1 },
        format = { on_save = true, timeout_ms = 600000 },
      })
      child:lua('vim.o.columns, vim.o.lines, vim.o.cmdheight = ..., 24, 0', columns)
      child:lua(PREPARE)
      child:cmd('edit a.txt')
      child:type(':write<CR>')
      fault.wait('what loads', function()
        return child:lua("return vim.list_contains(_G.said, 'fake is loading')")
      end)
      child:wait('the float', "_G.floats():find('^formatting') ~= nil")
      p:wait_received('textDocument/formatting')
      p:act { progress = 'end' }
      p:act { release = 'it' }
      fault.wait('the file to be written', function()
        return child:file('a.txt') == 'ONE\n'
      end)
      child:lua("require('oxide.ui').notify('behind it')")
      child:wait('the corner', "_G.floats() == 'Oxide: behind it'")
      assert.falsy(child:lua("return vim.fn.execute('messages')"):find('is loading', 1, true))
      assert.same({ mode = 'n', blocking = false }, vim.rpcrequest(child.chan, 'nvim_get_mode'))
    end)
  end
end)
