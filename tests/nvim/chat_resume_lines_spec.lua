-- A conversation that is resumed: a line number of the model means a line of what it had been shown,
-- which is kept as the hash of the text. Where the file has another one by now, it has to read it.
local chat = require('chat')
local helper = require('helper')
local model_server = require('model_server')

local TEXT = 'one\ntwo\nthree\nfour\n'

describe('a line number in a conversation that is resumed', function()
  local server, child, dir ---@type test.ModelServer, test.Child, string

  local function reads()
    local id = 'r' .. #server.asked .. #server.answers_left
    local args = { file_path = 'a.txt' }
    server:says { calls = { { id = id, name = 'read_file', args = args } } }
  end

  local function edits(line, text)
    server:says { calls = { model_server.edit('a.txt', line, text) } }
  end

  local function ask(words, count)
    server:says { text = 'Done.' }
    child:cmd('Oxide ask! ' .. words)
    chat.ended(child, count)
  end

  local function resume()
    helper.cleanup()
    child = chat.resuming(server, dir)
    child:cmd('Oxide chat resume')
  end

  local function text()
    return helper.read(dir .. '/a.txt')
  end

  --- What the model was told of its last call.
  local function told()
    local messages = server.asked[#server.asked].body.messages
    return messages[#messages].content
  end

  before_each(function()
    server = model_server.start('openai')
    dir = helper.tempdir()
    vim.fn.mkdir(dir .. '/.git')
    helper.write(dir .. '/a.txt', TEXT)
    child = chat.resuming(server, dir)
  end)
  after_each(function()
    helper.cleanup()
    server:stop()
    vim.fn.delete(dir, 'rf')
  end)

  it('is taken where the file has what was shown', function()
    reads()
    ask('look')
    resume()
    edits(3, 'drei')
    ask('translate')
    assert.equal('one\ntwo\ndrei\nfour\n', text(), told())
  end)

  for what, show in pairs {
    ['a tool'] = function()
      reads()
      ask('look')
    end,
    ['a mention'] = function()
      child:cmd('edit a.txt')
      ask('look @buffer')
    end,
  } do
    it('is refused where the file, shown by ' .. what .. ', has another text by now', function()
      show()
      helper.write(dir .. '/a.txt', 'zero\n' .. TEXT)
      resume()
      edits(3, 'drei')
      ask('translate')
      assert.equal('zero\n' .. TEXT, text())
      assert.matches('line 3 may be another one now: .*; read it again', told())
      assert.matches('3: two\n', told())
      edits(4, 'drei') -- as it has been told
      ask('once more', 2)
      assert.equal('zero\none\ntwo\ndrei\nfour\n', text(), told())
    end)
  end

  it('follows what is typed from there on', function()
    reads()
    ask('look')
    resume()
    child:cmd('edit a.txt | new')
    edits(3, 'drei')
    server:says { text = 'Done.' }
    local asked, answer = #server.asked, server:waits()
    child:cmd('Oxide ask! translate')
    assert(vim.wait(helper.deadline, function()
      return #server.asked > asked
    end))
    child:cmd("call appendbufline('a.txt', 0, 'zero')")
    answer.go()
    chat.ended(child)
    local now = child:lua("return vim.fn.getbufline('a.txt', 1, '$')")
    assert.same({ 'zero', 'one', 'two', 'drei', 'four' }, now, told())
  end)

  it('behind an edit of its own means the lines that the answer showed', function()
    local lines = {}
    for i = 1, 40 do
      lines[i] = tostring(i)
    end
    helper.write(dir .. '/a.txt', table.concat(lines, '\n') .. '\n')
    reads()
    edits(2, 'two\nmore')
    ask('look')
    resume()
    local before = text()
    edits(30, 'thirty') -- before or behind the edit?
    ask('one', 1)
    assert.equal(before, text())
    assert.matches('line 30 may be another one now', told())
    edits(1, 'first')
    ask('two', 2)
    assert.matches('^first\ntwo\nmore\n3\n', text(), told())
  end)

  it('of a message that is sent again means what was shown with that one', function()
    reads()
    edits(2, 'zwei\nzwo')
    ask('look')
    child:cmd('Oxide undo')
    child:wait('the text before', '#_G.events > 0')
    resume()
    edits(3, 'drei')
    server:says { text = 'Done.' }
    child:cmd('Oxide chat')
    child:type('gr')
    chat.ended(child)
    assert.equal('one\ntwo\ndrei\nfour\n', text(), told())
  end)

  it('counts only once it was read again, in what an older Oxide kept', function()
    reads()
    ask('look')
    helper.cleanup()
    local path = vim.fn.glob(dir .. '/.state/oxide/chats/*', true, true)[1]
    local lines, told_of = {}, 0
    for line in vim.gsplit(helper.read(path), '\n', { trimempty = true }) do
      local row = vim.json.decode(line)
      local message = row.message and vim.json.decode(row.message)
      if message and message.seen then
        message.seen, told_of = nil, told_of + 1
        row.message = vim.json.encode(message)
      end
      table.insert(lines, vim.json.encode(row) .. '\n')
    end
    assert.is_true(told_of > 0)
    helper.write(path, table.concat(lines))
    child = chat.resuming(server, dir)
    child:cmd('Oxide chat resume')
    edits(3, 'drei')
    ask('translate')
    assert.equal(TEXT, text())
    assert.matches('read it again', told())
  end)
end)
