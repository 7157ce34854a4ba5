-- A conversation that outgrows its model's window, and turns that use too much.
local helper = require('helper')
local model_server = require('model_server')

describe('a conversation', function()
  local server, child ---@type test.ModelServer, test.Child

  before_each(function()
    server = model_server.start('openai')
  end)
  after_each(function()
    helper.cleanup()
    server:stop()
  end)

  ---@param model? string     more of the model's row
  ---@param options? string   of the core
  local function begin(model, options)
    child = helper.start({ ['a.c'] = 'int a;\n' }, {
      config = ([[{
        core = { path = %q, options = { ['chat.retry_ms'] = 1, %s } },
        models = { fast = { url = %q, model = 'm1', %s } },
      }]]):format(helper.core, options or '', server.url, model or ''),
    })
    child:cmd('edit a.c')
  end

  --- Asks, waits for the end, and returns what the turn failed with.
  ---@param prompt string
  ---@return string?
  local function ask(prompt)
    child:lua(
      [[
      _G.ended = nil
      vim.api.nvim_create_autocmd('User', { pattern = 'OxideChatTurn', callback = function(ev)
        if ev.data.phase == 'end' then
          _G.ended = ev.data
          return true
        end
      end })
      require('oxide.chat').ask { prompt = ... }
    ]],
      prompt
    )
    local ended = child:wait('the end of the turn', '_G.ended')
    local err = ended.error
    return type(err) == 'table' and err.message or err
  end

  --- An answer whose tokens the server has counted.
  ---@param said test.ModelSaid
  ---@param input integer
  ---@param output integer
  local function says(said, input, output)
    local usage = { prompt_tokens = input, completion_tokens = output }
    local counted = 'data: ' .. vim.json.encode { choices = {}, usage = usage } .. '\n\n'
    server:answers { body = (server:stream(said):gsub('data: %[DONE%]', counted .. '%0')) }
  end

  --- How many bytes go with each request, whatever is asked.
  ---@return integer
  local function overhead()
    begin()
    server:says { text = 'Yes.' }
    ask('?')
    local bytes = #server.asked[1].raw
    helper.cleanup()
    server.asked = {}
    return bytes
  end

  local PADDING = ('many words '):rep(600)

  it('goes on with a summary of what does not fit the window, written once', function()
    local bytes = overhead()
    begin(('window = %d, max_tokens = 100'):format(math.floor((bytes + 10000) / 3.5) + 100))
    server:says { text = 'First answer.' }
    assert.is_nil(ask('FIRST ' .. PADDING))
    server:says { text = 'All about FIRST.' }
    server:says { text = 'Second answer.' }
    assert.is_nil(ask('SECOND ' .. PADDING))
    assert.equal(3, #server.asked)
    local to_sum, second = server.asked[2].raw, server.asked[3].raw
    assert.truthy(to_sum:find('Summarize our conversation', 1, true))
    assert.truthy(to_sum:find('FIRST many', 1, true))
    assert.falsy(to_sum:find('SECOND', 1, true))
    assert.truthy(second:find('A summary of them: All about FIRST.', 1, true))
    assert.truthy(second:find('SECOND many', 1, true))
    assert.falsy(second:find('FIRST many', 1, true))
    assert.falsy(second:find('Summarize our', 1, true))
    server:says { text = 'Third answer.' }
    assert.is_nil(ask('third'))
    assert.equal(4, #server.asked)
    assert.truthy(server.asked[4].raw:find('All about FIRST.', 1, true))
    local shown = child:lua(
      "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('^oxide://chat/1$'), 0, -1, false), '\\n')"
    )
    assert.truthy(shown:find('FIRST many', 1, true))
    assert.falsy(shown:find('All about', 1, true))
  end)

  it('goes on without a summary where the model gives none', function()
    local bytes = overhead()
    begin(('window = %d, max_tokens = 100'):format(math.floor((bytes + 10000) / 3.5) + 100))
    server:says { text = 'First answer.' }
    assert.is_nil(ask('FIRST ' .. PADDING))
    server:answers { status = 400, body = '{"error":{"message":"no"}}' }
    server:says { text = 'Second answer.' }
    assert.is_nil(ask('SECOND ' .. PADDING))
    assert.truthy(server.asked[3].raw:find('earlier messages were left out.]', 1, true))
    server:says { text = 'Third answer.' }
    assert.is_nil(ask('third'))
    assert.equal(4, #server.asked)
  end)

  it('names what is too large, and can go on', function()
    local bytes = overhead()
    begin(('window = %d, max_tokens = 100'):format(math.floor((bytes + 4000) / 3.5) + 100))
    local problem = assert(ask('LARGE ' .. PADDING))
    assert.truthy(problem:find('do not fit the model', 1, true), problem)
    assert.truthy(problem:find('"LARGE many', 1, true), problem)
    assert.same({}, server.asked)
    server:says { text = 'Yes.' }
    server:says { text = 'Yes.' }
    assert.is_nil(ask('small'))
  end)

  it('counts tokens as the server does', function()
    local bytes = overhead()
    begin(('window = %d, max_tokens = 100'):format(math.floor(bytes / 2)))
    says({ text = 'Yes.' }, bytes, 1) -- a byte a token: what follows is twice as much as fits
    assert.is_nil(ask('one'))
    assert.truthy(assert(ask('two')):find('do not fit the model', 1, true))
    assert.equal(1, #server.asked)
  end)

  local CALL = { calls = { { id = 'c1', name = 'read_file', args = { file_path = 'a.c' } } } }

  it('ends a turn that uses too many tokens', function()
    begin(nil, "['chat.tokens'] = 1000")
    says(CALL, 900, 90)
    says(CALL, 950, 90)
    local problem = assert(ask('look'))
    assert.equal('the turn ended after 2030 tokens (chat.tokens)', problem)
    assert.equal(2, #server.asked)
    says({ text = 'Yes.' }, 900, 50)
    assert.is_nil(ask('and now?'))
  end)

  it('ends a turn that costs too much, where the price is known', function()
    begin('price = { input = 10, output = 100 }', "['chat.cost'] = 50")
    says(CALL, 20000, 1000)
    says(CALL, 30000, 1000)
    assert.equal('the turn ended after a cost of 0.70 (chat.cost)', ask('look'))
    assert.equal(2, #server.asked)
  end)
end)
