-- The chat window under the hands of its user.
local chat = require('chat')
local helper = require('helper')
local model_server = require('model_server')

describe('the chat window', function()
  local server, child ---@type test.ModelServer, test.Child

  ---@param models? string   of the plugin's configuration
  local function begin(models)
    server = model_server.start('openai')
    local one = ("models = { fast = { url = %q, model = 'm1' } },"):format(server.url)
    child = helper.start({ ['a.c'] = 'int a;\nint b;\nint c;\n' }, {
      config = ("{ core = { path = %q }, review = { agent_focus = 'always' }, %s }"):format(
        helper.core,
        models and models:gsub('URL', server.url) or one
      ),
    })
    child:cmd('edit a.c')
  end

  local function ended(count)
    return chat.ended(child, count)
  end

  after_each(function()
    helper.cleanup()
    server:stop()
  end)

  it('lets its user type while an answer streams in', function()
    begin()
    local waits = server:waits()
    server:says { text = ('a line\n'):rep(100) }
    child:cmd('Oxide ask first')
    child:wait('the turn', "require('oxide.chat').get(1).turn.is_sent")
    child:cmd('Oxide chat')
    child:type('GAwords, ')
    child:wait('the words', "vim.fn.getline('.') == 'words, '")
    waits.go()
    ended()
    assert.same({ 'i', 8 }, child:lua("return { vim.fn.mode(), vim.fn.col('.') }"))
    child:type('and more<Esc>')
    child:wait('the words', "vim.fn.getline('$') == 'words, and more' and vim.fn.mode() == 'n'")
    assert.equal(child:lua("return vim.fn.line('$')"), child:lua("return vim.fn.line('w$')"))
    child:cmd('undo') -- what was typed since; the answer stays
    assert.equal('a line', child:lua('return vim.fn.getline(vim.fn.line("$") - 5)'))
  end)

  it('applies changes at once where that was said, and shows them as a diff', function()
    begin()
    server:says {
      calls = {
        {
          id = 'c1',
          name = 'edit_file',
          args = { file_path = 'a.c', line_number = 2, content = 'int x;' },
        },
      },
    }
    server:says { text = 'Done.' }
    child:cmd('Oxide ask! rename b')
    ended()
    assert.equal('int a;\nint x;\nint c;\n', child:file('a.c'))
    child:cmd('Oxide chat')
    child:lua('vim.fn.search("^✓ edit_file", "bw")')
    assert.is_true(child:lua("return vim.fn.foldclosed('.') > 0"))
    child:type('zogd')
    child:wait('the diff', "vim.bo.filetype == 'diff' and vim.fn.search('^+int x;', 'w') > 0")
  end)

  it('is written to a file', function()
    begin()
    server:says { text = 'One.' }
    child:cmd('Oxide ask first')
    ended()
    child:cmd('Oxide chat')
    child:cmd('write talk.md')
    local text = child:file('talk.md'):gsub('%s*$', '')
    assert.equal('# You\n\nfirst\n\n> with a.c, c\n\n# fast\n\nOne.\n\n# You', text)
  end)

  it('asks which model, where there are several, and who is chosen answers', function()
    begin("models = { a = { url = 'URL', model = 'm1' }, b = { url = 'URL', model = 'm2' } },")
    child:lua([[
      vim.ui.select = function(items, _, cb)
        _G.items = items
        cb(items[2])
      end
    ]])
    server:says { text = 'One.' }
    child:cmd('Oxide ask first')
    assert.equal('b', ended().model)
    assert.same({ 'a', 'b' }, child:lua('return _G.items'))
    assert.equal('m2', server.asked[1].body.model)
    server:says { text = 'Two.' }
    child:lua("vim.b.oxide_model = 'a'")
    child:cmd('Oxide ask second')
    ended(2)
    assert.equal('m1', server.asked[2].body.model)
    child:cmd('Oxide chat model none')
    child:message('unknown model "none"; models: ')
  end)

  it('says who answers, or what to set, before anything is asked', function()
    begin()
    child:cmd('Oxide chat')
    child:wait('the model', "require('oxide.chat_window').bar(1):find('fast (m1)', 1, true)")
    helper.cleanup()
    server:stop()
    begin('models = {},')
    child:lua(
      "for _, api in ipairs { 'ANTHROPIC', 'OPENAI', 'GEMINI' } do vim.env[api .. '_API_KEY'] = nil end"
    )
    child:cmd('Oxide chat')
    child:message('no model is named; models: none: set a key, such as ANTHROPIC_API_KEY')
  end)

  it('is asked about the lines of an operator', function()
    begin()
    child:lua([[
      vim.keymap.set({ 'n', 'x' }, 'gz', '<Plug>(oxide-ask)')
      vim.ui.input = function(_, cb) cb('why?') end
    ]])
    server:says { text = 'One.' }
    child:type('gzj')
    ended()
    assert.truthy(server.asked[1].raw:find('a.c, lines 1 to 2', 1, true))
    server:says { text = 'Two.' }
    child:type('GVgz')
    ended(2)
    assert.truthy(server.asked[2].raw:find('a.c, lines 3 to 3', 1, true))
  end)

  it('refuses a message with a mention of what is not there, and gives it back', function()
    begin()
    child:cmd('Oxide ask see @file:none.c')
    assert.truthy(ended().error.message:find('@file:none.c', 1, true))
    assert.same({}, server.asked)
    child:cmd('Oxide chat')
    assert.equal('see @file:none.c', child:lua("return vim.fn.getline('$')"))
  end)

  it('tells a script the answer', function()
    begin()
    server:says { text = 'One.' }
    child:lua([[
      require('oxide').ask { prompt = 'first', on_done = function(err, result)
        _G.told = err and err.message or result.text
      end }
    ]])
    assert.equal('One.', child:wait('the answer', '_G.told'))
  end)

  it('goes with Neovim in the middle of an answer', function()
    begin()
    server:waits()
    child:cmd('Oxide ask first')
    child:wait('the turn', "require('oxide.chat').get(1).turn.is_sent")
    child:type(':qa!<CR>')
    assert.equal(0, child:ended())
  end)
end)
