-- What a model is shown of a buffer when it is asked about in Neovim, on the bytes that reach a server
-- in each of the providers' formats: the lines are numbered in the message that is sent and in no
-- other, and the buffer stays as it is.
local chat = require('chat')
local helper = require('helper')
local model_server = require('model_server')

local FORMATS = { 'anthropic', 'openai', 'openai-responses', 'gemini' }

--- How often a text is in the strings of a request.
local function count(value, text)
  if type(value) == 'string' then
    return select(2, value:gsub(vim.pesc(text), ''))
  end
  local sum = 0
  for _, part in pairs(type(value) == 'table' and value or {}) do
    sum = sum + count(part, text)
  end
  return sum
end

for _, format in ipairs(FORMATS) do
  describe('a question about a buffer, ' .. format, function()
    local server, child ---@type test.ModelServer, test.Child

    before_each(function()
      server = model_server.start(format)
      child = helper.start({ ['a.c'] = 'int f(void)\n{\n}\n' }, {
        config = ([[{
          core = { path = %q, options = { ['chat.retry_ms'] = 1 } },
          models = { fast = { provider = %q, url = %q, model = 'm1', key_env = 'OXIDE_TEST_KEY' } },
        }]]):format(helper.core, format, server.url),
        env = { OXIDE_TEST_KEY = 'k' },
      })
      child:cmd('edit a.c')
    end)

    after_each(function()
      helper.cleanup()
      server:stop()
    end)

    local function ask(words, turns)
      server:says { text = 'An answer to ' .. words .. '.' }
      child:cmd('Oxide ask ' .. words)
      chat.ended(child, turns)
      return server.asked[turns].body
    end

    it('numbers unsaved lines, an empty one too, and changes nothing', function()
      child:lua("vim.api.nvim_buf_set_lines(0, 1, 2, false, { '', '{ // unsaved' })")
      local state =
        'return { vim.b.changedtick, vim.bo.modified, vim.api.nvim_buf_get_lines(0, 0, -1, true) }'
      local before = child:lua(state)
      local body = ask('what is it?', 1)
      assert.equal(1, count(body, '1: int f(void)\n2: \n3: { // unsaved\n4: }'))
      assert.equal(1, count(body, 'unsaved changes'))
      assert.same(before, child:lua(state))
    end)

    it('does not number what was said before', function()
      ask('why alpha?', 1)
      child:lua("vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'int g(void)' })")
      local body = ask('why beta?', 2)
      assert.equal(0, count(body, '1: int f(void)'))
      assert.equal(1, count(body, '1: int g(void)'))
      assert.equal(1, count(body, 'An answer to why alpha?.'))
      assert.equal(2, count(body, 'why alpha?'))
      assert.equal(1, count(body, 'why beta?'))
    end)
  end)
end
