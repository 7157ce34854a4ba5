-- What a model's change would break, as clangd says it: the model is told once, and the user sees it in
-- the review.
local chat = require('chat')
local e2e = require('e2e')
local helper = require('helper')
local model_server = require('model_server')

describe('a conversation, with a language server', function()
  local server, child ---@type test.ModelServer, test.Child

  before_each(function()
    server = model_server.start('openai')
    local config = [[{
      core = { path = %q, options = %s },
      models = { fast = { url = %q, model = 'm1' } },
      review = { agent_focus = 'always' },
    }]]
    child = helper.start({ ['a.c'] = 'int f(void)\n{\n\treturn 1;\n}\n' }, {
      config = config:format(helper.core, vim.inspect(e2e.PATIENT), server.url),
    })
    helper.write(child.dir .. '/compile_commands.json', helper.compiled(child.dir, { 'a.c' }, 'cc'))
    child:cmd('edit a.c')
  end)
  after_each(function()
    helper.cleanup()
    server:stop()
  end)

  it(
    'tells the model of errors that its change brings, once, and the user in the review',
    function()
      server:says { calls = { model_server.edit('a.c', 3, '\treturn nothing;') } }
      server:says { text = 'That is wrong.' }
      server:says { text = 'Yes.' }
      child:cmd('Oxide ask break it')
      child:event('ReviewOpen')
      assert.matches("undeclared identifier 'nothing'", table.concat(child:lines(), '\n'))
      local _, told = server.asked[2].raw:gsub("undeclared identifier 'nothing'", '')
      assert.equal(1, told)
      child:cmd('quit')
      assert.is_nil(chat.ended(child).error)
      assert.equal('int f(void)\n{\n\treturn 1;\n}\n', child:file('a.c'))
      child:cmd('Oxide ask really?')
      assert.is_nil(chat.ended(child, 2).error)
      local again = vim.json.encode(server.asked[3].body.messages)
      assert.equal(1, select(2, again:gsub("undeclared identifier 'nothing'", '')))
      assert.matches('rejected', again)
    end
  )
end)
