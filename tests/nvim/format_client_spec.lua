-- Which of several servers formats: by the command, the option, or the tool's argument.
local fault = require('fault')
local helper = require('helper')

local TEXT = 'one\n'

local function formats(text)
  return {
    capabilities = {
      documentFormattingProvider = true,
      diagnosticProvider = { interFileDependencies = false, workspaceDiagnostics = false },
    },
    on = {
      ['textDocument/diagnostic'] = { result = { kind = 'full', items = {} } },
      ['textDocument/formatting'] = {
        result = {
          {
            range = {
              start = { line = 0, character = 0 },
              ['end'] = { line = 0, character = 3 },
            },
            newText = text,
          },
        },
      },
    },
  }
end

--- Two servers for the same files, of which `fake` comes first.
local function start(format)
  local p, other = fault.project(formats('by fake')), fault.project(formats('by other'))
  local child = p:nvim({ ['a.txt'] = TEXT }, {
    servers = { other = other:server() },
    format = format,
  })
  child:cmd('edit a.txt')
  return p, child
end

describe(':Oxide format client=', function()
  after_each(fault.cleanup)

  it('asks that server', function()
    local _, child = start()
    child:cmd('Oxide format client=other')
    child:message('Formatted by other: 1 edit')
    assert.same({ 'by other' }, child:lines())
    child:cmd('Oxide undo')
    child:message('Undid')
    child:cmd('Oxide format')
    child:message('Formatted by fake: 1 edit')
  end)

  it('is an option too, which the command overrides', function()
    local p, child = start { client = { text = 'other' } }
    child:cmd('Oxide format')
    child:message('Formatted by other: 1 edit')
    child:cmd('Oxide undo')
    child:message('Undid')
    assert.equal(TEXT, helper.read(p.dir .. '/a.txt'))
    child:cmd('Oxide format client=fake')
    child:message('Formatted by fake: 1 edit')
  end)

  it(
    'names the nearest where there is none of that name, and completes those that there are',
    function()
      local p, child = start()
      child:cmd('Oxide format client=othr')
      child:message(
        'no language server othr supports a.txt %(did you mean other%?%); available: fake, other'
      )
      assert.equal(TEXT, helper.read(p.dir .. '/a.txt'))
      assert.same(
        { 'client=fake', 'client=other' },
        child:lua("return vim.fn.getcompletion('Oxide format client=', 'cmdline')")
      )
    end
  )
end)
