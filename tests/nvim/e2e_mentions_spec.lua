-- Mentions that a language server answers, with clangd.
local e2e = require('e2e')
local helper = require('helper')

describe('mentions, by the language server', function()
  local child

  before_each(function()
    child = helper.start({
      ['src/a.c'] = '/** Twice x. */\nint twice(int x)\n{\n\treturn 2 * x;\n}\n',
      ['main.c'] = 'int twice(int x);\nint n = nothing;\n',
    }, {
      config = ('{ core = { path = %q, options = %s } }'):format(
        helper.core,
        vim.inspect(e2e.PATIENT)
      ),
    })
    helper.write(
      child.dir .. '/compile_commands.json',
      helper.compiled(child.dir, { 'src/a.c', 'main.c' }, 'cc')
    )
    child:cmd('edit src/a.c')
  end)
  after_each(helper.cleanup)

  local function resolve(text)
    child:lua(
      '_G.found = nil; require("oxide.mentions").resolve(..., nil, function(f) _G.found = f end)',
      text
    )
    return child:wait('the mentions', '_G.found')
  end

  it('are a symbol: what is said of it, and its definition', function()
    local found = resolve('@symbol:twice')
    assert.same({}, found.problems)
    assert.equal('twice, function of src/a.c', found.shown[1].heading)
    assert.truthy(found.shown[1].text:find('Twice x.', 1, true), found.shown[1].text)
    assert.same(
      { mention = '@symbol:twice', path = child.dir .. '/src/a.c', first = 1, last = 5 },
      found.shown[2]
    )
  end)

  it('are what the files of a directory define', function()
    local shown = resolve('@dir:src').shown[1]
    assert.equal('a.c\n  2: function twice int (int)\n', shown.text)
  end)

  it('are the diagnostics of the buffer, where Neovim shows none', function()
    child:cmd('edit main.c')
    local shown = resolve('@diagnostics').shown[1]
    assert.truthy(shown.text:find('nothing', 1, true), shown.text)
  end)

  it('complete the symbols of the buffer', function()
    child:cmd('new | setlocal buftype=nofile filetype=oxide-chat')
    child:lua("vim.bo.omnifunc = [[v:lua.require'oxide.mentions.complete'.omnifunc]]")
    child:type('i@symbol:tw<C-x><C-o>')
    child:wait('the symbol', "vim.fn.getline(1) == '@symbol:twice'")
  end)
end)
