-- What an agent that speaks ACP is told where the person changes the text of its change, or of the file
-- meanwhile.
local acp = require('acp')
local chat = require('chat')

describe('an agent in the chat window whose change', function()
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

  --- The user makes something else of it, and accepts that.
  local function accept_edited()
    child:event('ReviewOpen')
    child:edit_in_review('BETA', 'Beta')
    child:cmd('write')
    assert.falsy(ended().error)
    assert.equal('alpha\nBeta\ngamma\n', child:file('notes.txt'))
  end

  after_each(acp.cleanup)

  it('was edited is told what the person made of what it wrote', function()
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
    accept_edited()
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

  it(
    'was edited is refused what the person has written otherwise, and learns what was made',
    function()
      begin([[return { prompt = function(agent, words)
      if words:find('go on', 1, true) then
        agent:says(words)
        return
      end
      agent:says(agent:asks_to_change(DIR .. '/notes.txt', 'beta', 'BETA') .. '.')
    end }]])
      say('change it')
      accept_edited()
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
    end
  )

  it(
    'is under review has it shown again beside what its user has typed into the file meanwhile',
    function()
      begin([[return { prompt = function(agent)
      if agent:changes_itself(DIR .. '/notes.txt', 'beta', 'BETA') then
        agent:has_changed()
      end
    end }]])
      say('change it')
      child:event('ReviewOpen')
      child:lua('_G.events = {}')
      child:lua([[vim.fn.appendbufline('notes.txt', '$', 'typed')]])
      child:wait('the advice', "vim.fn.search('^# A file has changed: :w shows', 'nw') > 0")
      child:cmd('write')
      child:message('notes.txt has changed: this is the change beside it')
      child:event('ReviewOpen')
      child:cmd('write')
      assert.falsy(ended().error)
      assert.truthy(chat_text():find('once. ', 1, true), chat_text())
      child:wait('the buffer', "vim.fn.getbufline('notes.txt', 1, '$')[2] == 'BETA'")
      assert.equal('typed', child:lua("return vim.fn.getbufline('notes.txt', '$')[1]"))
      assert.equal('alpha\nBETA\ngamma\n', child:file('notes.txt'))
    end
  )
end)
