-- That a change may be incomplete is told to whoever decides about it, every time: in the review,
-- by an MCP client, and afterwards.
local fault = require('fault')
local mcp = require('mcp')

local WHY = 'no file was opened in fake for it (reach.files is 0)'
local TOLD = 'may be incomplete: ' .. WHY
local RENAME = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' }

local function project()
  return fault.project {
    on = { ['textDocument/rename'] = { rename = { files = { 'a.txt' } } } },
  }
end

describe('a rename that may be incomplete', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  it('says so at the top of its review, and afterwards', function()
    local p = project()
    local child = p:nvim { ['a.txt'] = 'old one\n' }
    child:cmd('edit a.txt')
    child:lua("require('oxide').setup { review = { when = 'always' } }")
    child:cmd('Oxide rename new')
    child:wait('the review', "vim.bo.filetype == 'oxide-review'")
    local lines = child:lines()
    assert.equal('# ' .. TOLD, lines[3], vim.inspect(lines))
    child:type(':w<CR>')
    child:message('May be incomplete: ' .. vim.pesc(WHY))
  end)

  it('says so in its text', function()
    local p = project():files { ['a.txt'] = 'old one\n' }
    local done = p:start('lsp_rename', RENAME, { '--yes', '--text' }):wait()
    assert.matches('\n' .. vim.pesc(TOLD) .. '\n', done.stdout)
  end)

  it('says so in the question of an MCP client', function()
    local p, asked = project():files { ['a.txt'] = 'old one\n' }, nil
    local c = mcp.start(p.dir, { '--config', p.config, '--here' }, {
      ['elicitation/create'] = function(params)
        asked = params.message
        return { action = 'accept', content = vim.empty_dict() }
      end,
    })
    c:initialize('2025-06-18', { elicitation = vim.empty_dict() })
    local text = c:call('lsp_rename', RENAME)
    assert.matches('\n' .. vim.pesc(TOLD) .. '\n', asked)
    assert.matches(vim.pesc(WHY), text)
  end)
end)
