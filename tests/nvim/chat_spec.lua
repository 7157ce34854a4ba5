-- Conversations in Neovim with a model that says what the test has it say.
local helper = require('helper')
local model_server = require('model_server')

local TEXT = 'int f(void) {\n  return 1;\n}\n'
local CHAT = 'oxide://chat/1'

describe('a conversation in Neovim', function()
  local server, child ---@type test.ModelServer, test.Child

  ---@param more? string   of the plugin's configuration
  local function begin(more)
    server = model_server.start('openai')
    local config = ([[{
      core = { path = %q, options = { ['chat.retry_ms'] = 1 } },
      models = { fast = { url = %q, model = 'm1' } },
      review = { agent_focus = 'always' }, %s
    }]]):format(helper.core, server.url, more or '')
    child = helper.start({ ['a.c'] = TEXT }, { config = config })
    child:cmd('edit a.c')
  end

  ---@return string
  local function chat_text()
    local lines = child:lua(
      'return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)',
      '^' .. CHAT .. '$'
    )
    return table.concat(lines, '\n')
  end

  --- Waits until `count` turns have ended.
  local function ended(count)
    return child:wait(
      'the end of a turn',
      [[(function(count)
        local ends = vim.tbl_filter(function(e)
          return e.name == 'OxideChatTurn' and e.data.phase == 'end'
        end, _G.events)
        return #ends >= count and ends[count].data
      end)(...)]],
      count or 1
    )
  end

  --- The user's last words in the request.
  ---@param request integer
  local function words(request)
    local messages = server.asked[request].body.messages
    for i = #messages, 1, -1 do
      local content = messages[i].content
      if messages[i].role == 'user' then
        return type(content) == 'string' and content
          or table.concat(
            vim.tbl_map(function(part)
              return part.text
            end, content),
            '\n'
          )
      end
    end
  end

  after_each(function()
    helper.cleanup()
    server:stop()
  end)

  it('is begun by a question about the buffer, and the answer streams in beside it', function()
    begin()
    local tick = child:lua('return vim.b.changedtick')
    server:says { text = 'It returns one.\nAlways.' }
    child:cmd('Oxide ask what is this?')
    assert.falsy(ended().error)
    assert.equal(
      '# You\n\nwhat is this?\n\n> with a.c, c\n\n# fast\n\nIt returns one.\nAlways.\n\n# You\n\n',
      chat_text()
    )
    local asked = words(1)
    assert.truthy(asked:find('what is this?', 1, true))
    assert.truthy(asked:find('1: int f(void) {\n2:   return 1;\n3: }', 1, true), asked)
    assert.equal(child.dir .. '/a.c', child:lua('return vim.api.nvim_buf_get_name(0)'))
    assert.equal(TEXT, table.concat(child:lines(), '\n') .. '\n')
    assert.equal(tick, child:lua('return vim.b.changedtick'))
  end)

  it('shows some lines of a buffer that is not saved', function()
    begin()
    child:lua("vim.api.nvim_buf_set_lines(0, 1, 2, false, { '  return 7;' })")
    server:says { text = 'Seven.' }
    child:cmd('2,3Oxide ask why?')
    ended()
    local asked = words(1)
    assert.truthy(
      asked:find('a.c, lines 2 to 3, c, unsaved changes:\n2:   return 7;\n3: }', 1, true),
      asked
    )
  end)

  it('has a change of the model reviewed by the user, and tells it the result', function()
    begin()
    server:says {
      text = 'I change it.',
      calls = {
        {
          id = 'c1',
          name = 'edit_file',
          args = { file_path = 'a.c', line_number = 2, content = '  return 2;' },
        },
      },
    }
    server:says { text = 'Done.' }
    child:cmd('Oxide ask return two')
    local question = child:event('ReviewOpen')
    assert.equal(question.buf, child:lua('return vim.api.nvim_get_current_buf()'))
    assert.truthy(table.concat(child:lines(), '\n'):find('fast', 1, true))
    child:cmd('write')
    ended()
    assert.equal('int f(void) {\n  return 2;\n}\n', child:file('a.c'))
    assert.truthy(server.asked[2].raw:find('files_changed: 1', 1, true))
    assert.truthy(chat_text():find('\n✓ edit_file a.c:2 +1 -1\n', 1, true), chat_text())
    assert.truthy(chat_text():find('\nDone.\n\n# You\n', 1, true), chat_text())
  end)
end)
