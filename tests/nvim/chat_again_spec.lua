-- A message that is sent again: what a line number of the answer means is what the model had been
-- shown at that message, and nothing that it saw or did afterwards, which it does not know of now.
local chat = require('chat')
local helper = require('helper')
local model_server = require('model_server')

local TEXT = 'one\ntwo\nthree\nfour\n'

describe('a message that is sent again', function()
  local server, child ---@type test.ModelServer, test.Child

  local function edit(line, text)
    return model_server.edit('a.txt', line, text)
  end

  before_each(function()
    server = model_server.start('openai')
    local config = ([[{
      core = { path = %q },
      models = { fast = { url = %q, model = 'm1' } },
    }]]):format(helper.core, server.url)
    child = helper.start({ ['a.txt'] = TEXT }, { config = config })
    child:cmd('edit a.txt')
    -- One line more, so that the numbers of those below it mean others now.
    server:says { calls = { edit(2, 'zwei\nzwo') } }
    server:says { text = 'Done.' }
    child:cmd('Oxide ask! translate')
    chat.ended(child)
    assert.equal('one\nzwei\nzwo\nthree\nfour\n', child:file('a.txt'))
  end)
  after_each(function()
    helper.cleanup()
    server:stop()
  end)

  local function undo()
    child:cmd('Oxide undo')
    child:wait('the text before', "vim.fn.getbufline('a.txt', 2)[1] == 'two'")
  end

  local function again(...)
    for _, call in ipairs { ... } do
      server:says { calls = { call } }
    end
    server:says { text = 'Done again.' }
    child:cmd('Oxide chat')
    child:type('gr')
    chat.ended(child, 2)
    return child:file('a.txt')
  end

  --- What the model was told of its last call.
  local function told()
    local messages = server.asked[#server.asked].body.messages
    return messages[#messages].content
  end

  it('after its changes were taken back, needs no reading of the file', function()
    undo()
    assert.equal('one\ntwo\ndrei\nfour\n', again(edit(3, 'drei')), told())
  end)

  it('knows of its changes as soon as it makes them', function()
    undo()
    assert.equal('one\ndue\ndue\nthree\nquattro\n', again(edit(2, 'due\ndue'), edit(5, 'quattro')))
  end)

  it('again and again, has seen the same each time', function()
    undo()
    again(edit(3, 'drei\ndrei'))
    child:cmd('Oxide undo')
    child:wait('the text before', "vim.fn.getbufline('a.txt', 3)[1] == 'three'")
    server:says { calls = { edit(4, 'vier') } }
    server:says { text = 'Done.' }
    child:type('gr')
    chat.ended(child, 3)
    assert.equal('one\ntwo\nthree\nvier\n', child:file('a.txt'), told())
  end)

  it('while its changes stand, means the lines that are still there', function()
    assert.equal('one\nzwei\nzwo\ndrei\nfour\n', again(edit(3, 'drei')), told())
  end)

  it('while its changes stand, is told what is in place of a line that they took', function()
    assert.equal('one\nzwei\nzwo\nthree\nfour\n', again(edit(2, 'due')))
    assert.matches('line 2 changed after you read it; these are the present lines', told())
    assert.matches('2: zwei\n3: zwo\n', told())
  end)

  it('in other words, has seen what goes with those', function()
    server:says { calls = { edit(3, 'deux') } }
    server:says { text = 'Done again.' }
    child:cmd('Oxide chat')
    child:type('ge')
    child:wait('the message', "vim.fn.getline('$') == 'translate'")
    child:type('A it<Esc><CR>')
    child:message('asks for a review')
    child:cmd('Oxide turn accept')
    chat.ended(child, 2)
    assert.matches('3: zwo', server.asked[3].raw)
    assert.equal('one\nzwei\ndeux\nthree\nfour\n', child:file('a.txt'), told())
  end)
end)
