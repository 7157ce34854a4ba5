-- What an agent that speaks ACP is told where the person changes the text of its change.
local acp = require('acp')
local chat = require('chat')

describe('an agent in the chat window whose change was edited', function()
  local child ---@type test.Child
  local say = acp.say

  ---@param script string
  local function begin(script)
    child = acp.begin { script = script }
  end

  local function chat_text()
    return chat.text(child)
  end

  local function ended(count)
    return chat.ended(child, count)
  end

  after_each(acp.cleanup)

  it('is told what the person made of what it wrote', function()
    begin([[return { prompt = function(agent, words)
      if words:find('go on', 1, true) then
        agent:says(words)
        return
      end
      local text = agent:read(DIR .. '/notes.txt')
      assert(not agent:write(DIR .. '/notes.txt', (text:gsub('beta', 'BETA'))))
      assert(not agent:write(DIR .. '/new.txt', 'one\n'))
    end }]])
    say('change it')
    child:event('ReviewOpen')
    child:edit_in_review('BETA', 'Beta')
    child:cmd('write')
    assert.falsy(ended().error)
    assert.equal('alpha\nBeta\ngamma\n', child:file('notes.txt'))
    assert.equal('one\n', child:file('new.txt'))
    say('go on')
    assert.falsy(ended(2).error)
    local text = chat_text()
    assert.matches('The user has changed what you wrote before accepting it', text)
    assert.matches('\n%-BETA\n%+Beta\n', text)
    assert.is_nil(text:find('+one', 1, true))
    child:cmd('Oxide turn undo')
    child:wait('the undo', "vim.fn.getbufline('notes.txt', 2)[1] == 'beta'")
    assert.falsy(vim.uv.fs_stat(child.dir .. '/new.txt'))
  end)

  it('is refused what the person has written otherwise, and learns what was made', function()
    begin([[return { prompt = function(agent, words)
      local file = DIR .. '/notes.txt'
      if words:find('go on', 1, true) then
        agent:says(words)
        return
      end
      agent:says(agent:permission {
        toolCallId = 'e1', title = 'notes.txt', kind = 'edit', locations = { { path = file } },
        content = { { type = 'diff', path = file, oldText = 'beta', newText = 'BETA' } },
      } .. '.')
    end }]])
    say('change it')
    child:event('ReviewOpen')
    child:edit_in_review('BETA', 'Beta')
    child:cmd('write')
    assert.falsy(ended().error)
    assert.equal('alpha\nBeta\ngamma\n', child:file('notes.txt'))
    assert.matches('\nno%.\n', chat_text())
    say('go on')
    assert.falsy(ended(2).error)
    assert.matches(
      'the user changed this before accepting it, and the files are changed',
      chat_text()
    )
    assert.matches('\n%-beta\n%+Beta\n', chat_text())
    child:cmd('Oxide turn undo')
    child:wait('the undo', "vim.fn.getbufline('notes.txt', 2)[1] == 'beta'")
  end)
end)
