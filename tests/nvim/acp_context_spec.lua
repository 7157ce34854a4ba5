-- What goes with a message to an agent that speaks ACP: lines of the editor, as a resource where the
-- agent takes such, else as text with a link to the file.
local acp = require('acp')
local chat = require('chat')

local SCRIPT = [[return {
  initialize = { agentCapabilities = { promptCapabilities = { embeddedContext = %s } } },
  prompt = function(agent) agent:says('seen') end,
}]]

describe('lines of the editor for an agent', function()
  local child ---@type test.Child

  --- Asks about two of the lines, of which one is not saved.
  ---@return table[] blocks   of the prompt, of which the last ones show the lines
  local function ask(embeds)
    child = acp.begin { script = SCRIPT:format(embeds) }
    child:cmd('call setline(2, "typed")')
    child:cmd('Oxide chat robot')
    child:wait('the window', "vim.bo.filetype == 'oxide-chat'")
    child:cmd('wincmd p')
    child:cmd('1,2Oxide ask why?')
    assert.falsy(chat.ended(child).error)
    return acp.heard('session/prompt')[1].params.prompt
  end

  after_each(acp.cleanup)

  it('are embedded where it takes resources', function()
    local blocks = ask('true')
    local resource = blocks[#blocks]
    assert.same({
      type = 'resource',
      resource = {
        uri = vim.uri_from_fname(child.dir .. '/notes.txt'),
        mimeType = 'text/plain',
        text = '1: alpha\n2: typed\n',
      },
    }, resource)
    assert.matches(
      '^notes.txt, lines 1 to 2, text, unsaved changes.*each line as `N: text`',
      blocks[#blocks - 1].text
    )
    assert.falsy(blocks[#blocks - 1].text:find('alpha', 1, true))
  end)

  it('are told as text with a link where it does not', function()
    local blocks = ask('false')
    assert.same({
      type = 'resource_link',
      uri = vim.uri_from_fname(child.dir .. '/notes.txt'),
      name = 'notes.txt',
    }, blocks[#blocks])
    assert.matches('\n1: alpha\n2: typed\n', blocks[#blocks - 1].text)
  end)
end)
