-- Conversations that are kept: Neovim and `oxide chat` have them in one place, and never two of them
-- write to the same one.
local chat = require('chat')
local helper = require('helper')
local model_server = require('model_server')
local screen = require('screen')

describe('a conversation that is kept', function()
  local server, child ---@type test.ModelServer, test.Child
  local dir ---@type string   where all of them are

  ---@param input string
  ---@return string stdout
  ---@return string stderr
  local function shell(input, ...)
    local argv = { helper.core, 'chat', '--config', dir .. '/config.lua' }
    vim.list_extend(argv, { '--data', helper.root .. '/lua/oxide', ... })
    local done = vim
      .system(argv, { cwd = dir, stdin = input, env = { XDG_STATE_HOME = dir .. '/.state' } })
      :wait(helper.deadline)
    return done.stdout, done.stderr
  end

  ---@return string[]
  local function files()
    return vim.fn.glob(dir .. '/.state/oxide/chats/*', true, true)
  end

  --- Which of `first`, `second` and `third` each file has.
  ---@return string[]
  local function kept()
    local list = vim.tbl_map(function(path)
      local text, has = helper.read(path), {}
      for _, word in ipairs { 'first', 'second', 'third' } do
        if text:find(('"words":"%s"'):format(word), 1, true) then
          table.insert(has, word)
        end
      end
      return table.concat(has, ' ')
    end, files())
    table.sort(list)
    return list
  end

  --- What the user has said until the request of that number.
  local function said(number)
    local list = {}
    for _, message in ipairs(server.asked[number].body.messages) do
      if message.role == 'user' then
        local text = message.content
        text = type(text) == 'string' and text or text[#text].text
        table.insert(list, text:match('^[^\n]*'))
      end
    end
    return list
  end

  local function send(one, words, count)
    one:lua('_G.events = {}')
    one:type('GA' .. words .. '<Esc><CR>')
    chat.ended(one, count)
  end

  before_each(function()
    server = model_server.start('openai')
    for i = 1, 6 do
      server:says { text = ('Answer %d.'):format(i) }
    end
    dir = helper.tempdir()
    vim.fn.mkdir(dir .. '/.git')
    helper.write(dir .. '/a.c', 'int a;\n')
    helper.write(
      dir .. '/config.lua',
      ("return { models = { fast = { url = %q, model = 'm1' } } }"):format(server.url)
    )
  end)
  after_each(function()
    helper.cleanup()
    server:stop()
    vim.fn.delete(dir, 'rf')
  end)

  it('in the shell is taken up in Neovim, and in the shell again', function()
    assert.equal('Answer 1.\n', (shell('/file a.c\nfirst\n')))
    child = chat.resuming(server, dir)
    child:cmd('Oxide chat resume')
    assert.same(
      { '# You', '', 'first', '', '> with a.c, c', '', '# fast', '', 'Answer 1.' },
      vim.list_slice(child:lines(), 1, 9)
    )
    send(child, 'second')
    child:type('ge')
    child:wait('the message', "vim.fn.getline('$') == 'second'")
    child:type('u')
    helper.cleanup()
    assert.equal(1, #files())
    local stdout, stderr = shell('third\n', '--resume')
    assert.equal('Answer 3.\n', stdout)
    assert.falsy(stderr:find('copy', 1, true), stderr)
    assert.same({ 'first', 'second', 'third' }, said(3))
    assert.equal(1, #files())
  end)

  it('goes on in a copy in the shell while Neovim has it', function()
    child = chat.resuming(server, dir)
    child:cmd('Oxide ask first')
    chat.ended(child)
    local stdout, stderr = shell('second\n', '--resume')
    assert.equal('Answer 2.\n', stdout)
    assert.truthy(stderr:find('has this conversation open; here it goes on in a copy', 1, true))
    child:cmd('Oxide chat')
    send(child, 'third')
    assert.same({ 'first', 'second' }, said(2))
    assert.same({ 'first', 'third' }, said(3))
    assert.same({ 'first second', 'first third' }, kept())
  end)

  it('is offered as a copy while another Neovim has it', function()
    child = chat.resuming(server, dir)
    child:cmd('Oxide ask first')
    chat.ended(child)
    local other = chat.resuming(server, dir)
    other:lua([[
      vim.ui.select = function(items, opts, cb)
        _G.asked = { prompt = opts.prompt, items = items }
        cb(items[#items], #items)
      end
    ]])
    other:cmd('Oxide chat resume') -- leaves it
    assert.matches('Another Neovim, or oxide chat, has this', other:lua('return _G.asked.prompt'))
    assert.equal(vim.NIL, other:lua("return require('oxide.chat').get(1)"))
    other:lua('vim.ui.select = function(items, _, cb) cb(items[1], 1) end')
    other:cmd('Oxide chat resume')
    assert.truthy(vim.list_contains(other:lines(), 'Answer 1.'))
    assert.same({ 'first', 'first' }, kept())
    send(other, 'second')
    child:cmd('Oxide chat')
    send(child, 'third')
    assert.same({ 'first', 'second' }, said(2))
    assert.same({ 'first', 'third' }, said(3))
    assert.same({ 'first second', 'first third' }, kept())
  end)

  it('is free again once the Neovim that had it was killed', function()
    child = chat.resuming(server, dir)
    child:cmd('Oxide ask first')
    chat.ended(child)
    local pid = child:lua('return vim.fn.getpid()')
    vim.uv.kill(pid, 'sigkill')
    vim.fn.jobwait({ child.chan }, helper.deadline)
    local stdout, stderr = shell('second\n', '--resume')
    assert.equal('Answer 2.\n', stdout)
    assert.falsy(stderr:find('copy', 1, true), stderr)
    assert.equal(1, #files())
  end)

  it('is not deleted while anybody writes to it', function()
    child = chat.resuming(server, dir)
    child:cmd('Oxide ask first')
    chat.ended(child)
    local other = chat.resuming(server, dir)
    other:lua("require('oxide').setup { core = { path = ... }, chat = { kept = 1 } }", helper.core)
    shell('second\n')
    shell('third\n')
    assert.same({ 'first', 'second', 'third' }, kept())
    for i, path in ipairs(files()) do -- as if they were of long ago
      local name = ('2020010%d-000000-1-1.jsonl'):format(i)
      assert(vim.uv.fs_rename(path, vim.fs.dirname(path) .. '/' .. name))
    end
    other:lua([[
      local talk = require('oxide.chat').new('fast')
      require('oxide.chat.store').append(talk, { keep = 0 })
    ]])
    assert.same({ '', 'first' }, kept()) -- its own, and the one that is in use
  end)

  it('is kept whole as soon as the disk has room again', function()
    child = chat.resuming(server, dir)
    child:lua([[
      local write = vim.uv.fs_write
      local room = 200
      vim.uv.fs_write = function(file, text)
        if not _G.full then
          return write(file, text)
        elseif room == 0 then
          return nil, 'ENOSPC: no space left on device', 'ENOSPC'
        end
        local now = math.min(room, #text)
        room = room - now
        return write(file, text:sub(1, now))
      end
      _G.full = true
    ]])
    child:cmd('Oxide ask first')
    chat.ended(child)
    child:message('this conversation is not kept')
    child:message('chats/.*: no space left on device; :w {file} writes what its window shows')
    child:lua('_G.full = false')
    child:cmd('Oxide ask second')
    chat.ended(child, 2)
    assert.same({ 'first second' }, kept())
    local rows = vim.split(vim.trim(helper.read(files()[1])), '\n')
    assert.equal(5, #rows)
    vim.tbl_map(vim.json.decode, rows)
  end)

  it('in the shell says once that it cannot be', function()
    local argv = { helper.core, 'chat', '--config', dir .. '/config.lua' }
    vim.list_extend(argv, { '--data', helper.root .. '/lua/oxide' })
    local full = { 'sh', '-c', [[trap '' XFSZ; ulimit -f 1; exec "$@"]], 'sh' }
    local done = vim
      .system(vim.list_extend(full, argv), {
        cwd = dir,
        stdin = ('first '):rep(500) .. '\nsecond\nthird\n',
        env = { XDG_STATE_HOME = dir .. '/.state' },
      })
      :wait(helper.deadline)
    local _, times = done.stderr:gsub('this conversation is not kept: [^\n]+/oxide/chats/', '')
    assert.same({ 0, 1 }, { done.code, times }, done.stderr)
    assert.truthy(done.stderr:find(': File too large\n', 1, true), done.stderr)
  end)

  it('is refused by name where a message of it is not what was written', function()
    shell('first\n')
    local path = files()[1]
    helper.write(path, helper.read(path) .. '{"message":"{\\"role\\":\\"nobody\\"}"}\n')
    child = chat.resuming(server, dir)
    child:cmd('Oxide chat resume')
    child:message(
      vim.pesc(path) .. ': its message 3 cannot be read; :Oxide chat new begins another'
    )
    local _, stderr = shell('second\n', '--resume')
    assert.truthy(stderr:find(path .. ' cannot be resumed: role of message', 1, true), stderr)
  end)

  it('is listed beside files that are no conversations', function()
    shell('first\n')
    helper.write(dir .. '/.state/oxide/chats/notes.jsonl', '1\n2\n')
    helper.write(dir .. '/.state/oxide/chats/empty.jsonl', '')
    child = chat.resuming(server, dir)
    child:cmd('Oxide chat resume')
    local titles = vim.tbl_map(function(item)
      return item.title
    end, child:lua('return _G.asked.items'))
    assert.equal(1, #titles)
    assert.matches('^%d+%-%d%d%-%d%d %d%d:%d%d  fast  first$', titles[1])
  end)

  it('is found where Neovim kept it by itself before', function()
    shell('first\n')
    local path = files()[1]
    local before = dir .. '/.state/nvim/oxide/chats'
    vim.fn.mkdir(before, 'p')
    assert(vim.uv.fs_rename(path, before .. '/' .. vim.fs.basename(path)))
    assert.equal('Answer 2.\n', (shell('second\n', '--resume')))
    child = chat.resuming(server, dir)
    child:cmd('Oxide chat resume')
    assert.truthy(vim.list_contains(child:lines(), 'second'))
    assert.equal(0, #files())
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(
      ('shows no diff of what an old one told the model, %d columns wide'):format(columns),
      function()
        local news = 'The user has accepted your changes in part; the rest of them was not made:\n'
          .. 'left_out:\n  file: a.txt, lines: 1\n'
          .. 'The user has changed what you wrote before accepting it:\n'
          .. '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n Same\n-Old\n+New\n'
        local words = { kind = 'text', text = 'first' }
        local message = {
          role = 'person',
          parts = { words, { kind = 'text', name = 'news', text = news } },
        }
        local rows = {
          { chat = 1, directory = dir, model = 'fast' },
          { message = vim.json.encode(message), sent = { words = 'first', shown = {} } },
        }
        helper.write(
          dir .. '/.state/oxide/chats/20261120-101010-1-1.jsonl',
          table.concat(vim.tbl_map(vim.json.encode, rows), '\n') .. '\n'
        )
        child = chat.resuming(server, dir)
        screen.size(child, columns, 30)
        child:cmd('Oxide chat resume')
        child:cmd('wincmd _ | wincmd |')
        screen.shows_with_floats(child, { '> told: The user has accepted your changes in part' })
        screen.shows_with_floats(child, { '> told: The user has changed what you wrote' })
        local told = vim.tbl_filter(function(line)
          return vim.startswith(line, '> ')
        end, vim.split(chat.text(child), '\n'))
        assert.equal(2, #told, table.concat(told, '\n'))
      end
    )
  end
end)
