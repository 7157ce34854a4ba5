-- The server that Claude Code connects to, with a client that follows a script: who is let in, what
-- becomes of those that misbehave, and the lock file.
local fault = require('fault')
local helper = require('helper')
local ide = require('ide')
local relay = require('relay')

describe('the IDE server', function()
  local child, run ---@type test.Child, string

  ---@param config? string
  local function begin(config)
    child = relay.start({ ['a.txt'] = 'one\ntwo\n' }, run, config)
    child:lua([[vim.env.CLAUDE_CONFIG_DIR = vim.uv.cwd() .. '/claude']])
  end

  --- Starts it, and reads its lock file.
  ---@param config? string
  ---@return integer port
  ---@return table said
  local function start(config)
    begin(config)
    child:cmd('Oxide ide start')
    child:message('the IDE server for claude listens on 127.0.0.1:%d+ .*connected: nobody')
    return ide.lock(child.dir .. '/claude/ide')
  end

  ---@param options string   of the core
  local function start_with(options)
    return start(('core = { path = %q, options = { %s } }'):format(helper.core, options))
  end

  --- The status line of what is answered, and its body.
  local function refused(port, request)
    local client = ide.connect(port)
    client:put(request)
    local head = client:head()
    fault.wait('the end of the connection', function()
      return client.closed
    end)
    return head:match('^HTTP/1.1 (%d+)'), client.bytes
  end

  --- What a connection that was let in is told at its end.
  local function ended(client)
    client:wait('the end of the connection', function()
      return client.closed
    end)
    return client.ended
  end

  before_each(function()
    run = helper.tempdir()
  end)
  after_each(function()
    ide.cleanup()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('has a lock file that its user alone can read, until it stops', function()
    local port, said = start()
    local path = ('%s/claude/ide/%d.lock'):format(child.dir, port)
    assert.equal(384, vim.uv.fs_stat(path).mode % 512) -- 0600
    assert.equal(448, vim.uv.fs_stat(child.dir .. '/claude/ide').mode % 512) -- 0700
    assert.equal('ws', said.transport)
    assert.equal('Neovim', said.ideName)
    assert.same({ child.dir }, said.workspaceFolders)
    assert.equal(child:lua('return vim.uv.os_getpid()'), said.pid)
    assert.equal(64, #said.authToken)
    local client = ide.open(port, said.authToken)
    child:cmd('Oxide ide stop')
    assert.equal(1001, ended(client).code)
    child:message('the IDE server is off')
    assert.is_nil(vim.uv.fs_stat(path))
  end)

  it('removes its lock file when Neovim ends, and that of a core that was killed', function()
    local port = start()
    local lock = ('%s/claude/ide/%d.lock'):format(child.dir, port)
    local pid = child:lua("return require('oxide.process').pid")
    vim.uv.kill(pid, 'sigkill')
    fault.wait_end(pid)
    helper.write(child.dir .. '/claude/ide/1.lock', '{"pid":1,"authToken":"of another editor"}')
    assert.truthy(vim.uv.fs_stat(lock))
    child:lua('_G.messages = {}')
    child:cmd('Oxide ide start')
    child:message('the IDE server for claude listens')
    assert.is_nil(vim.uv.fs_stat(lock))
    assert.truthy(vim.uv.fs_stat(child.dir .. '/claude/ide/1.lock'))
    vim.fn.delete(child.dir .. '/claude/ide/1.lock')
    ide.lock(child.dir .. '/claude/ide')
    local dir = child.dir
    pcall(child.cmd, child, 'qall!')
    fault.wait('the lock file to go', function()
      return #vim.fn.glob(dir .. '/claude/ide/*', false, true) == 0
    end)
  end)

  it('does not start where others could write its lock file', function()
    begin()
    vim.fn.mkdir(child.dir .. '/claude/ide', 'p')
    vim.uv.fs_chmod(child.dir .. '/claude/ide', 511)
    child:cmd('Oxide ide start')
    child:message('claude/ide can be written to by other users; run chmod go%-w on it')
    child:lua('_G.messages = {}')
    child:cmd('Oxide ide')
    local text = child:message('the IDE server for gemini listens')
    assert.is_nil(text:find('for claude', 1, true))
  end)

  it('lets nobody in without the token, and no web page', function()
    local port, said = start()
    local token = said.authToken
    local header = 'x-claude-code-ide-authorization'
    local status, why = refused(port, ide.request(port))
    assert.equal('401', status)
    assert.matches('the token is missing or wrong', why)
    status = refused(port, ide.request(port, { [header] = token:sub(1, -2) .. 'x' }))
    assert.equal('401', status)
    local page = { [header] = token, Origin = 'http://127.0.0.1:' .. port }
    assert.equal('403', (refused(port, ide.request(port, page))))
    local rebound = { [header] = token, Host = 'example.com:' .. port }
    assert.equal('403', (refused(port, ide.request(port, rebound))))
    assert.equal('400', (refused(port, 'POST / HTTP/1.1\r\n\r\n')))
    assert.equal('431', (refused(port, ('x'):rep(100000))))
    ide.open(port, token) -- and still serves who may come in
  end)

  it('serves several at once, and tells who they are', function()
    local port, said = start()
    local first = ide.open(port, said.authToken, 4711)
    local second = ide.open(port, said.authToken, 4712)
    child:lua([[
      function _G.connected()
        local clients = _G.events[#_G.events].data.clients or {}
        return table.concat(vim.tbl_map(function(c) return c.who end, clients), ', ')
      end
    ]])
    child:wait('both', "connected() == 'claude (4712), claude (4711)'")
    child:lua('_G.messages = {}')
    child:cmd('Oxide ide')
    child:message('connected: claude %(4712%), claude %(4711%)')
    first:close()
    child:wait('one of them', "connected() == 'claude (4712)'")
    assert.matches('rootPath', second:tool('getWorkspaceFolders'))
  end)

  it('answers pings, puts fragments together, and takes what comes a byte at a time', function()
    local port, said = start()
    local client = ide.open(port, said.authToken)
    local text = vim.json.encode {
      jsonrpc = '2.0',
      id = 900,
      method = 'tools/call',
      params = { name = 'getWorkspaceFolders' },
    }
    text = text:gsub(',', ',\n')
    local bytes = ide.frame(0x01, text:sub(1, 9))
      .. ide.frame(0x89, 'there?')
      .. ide.frame(0x00, text:sub(10, 20))
      .. ide.frame(0x80, text:sub(21))
    for i = 1, #bytes do
      client:put(bytes:sub(i, i))
    end
    assert.equal(child.dir, vim.json.decode(ide.texts(client:answer(900))[1]).rootPath)
    assert.equal('there?', client.pong)
  end)

  it('ends a conversation that breaks the protocol, and no other', function()
    local port, said = start_with("['ide.message_bytes'] = 2000")
    local good = ide.open(port, said.authToken)
    local cases = {
      [1009] = { ide.frame(0x81, ('x'):rep(2001)), '\129\255\64\0\0\0\0\0\0\0\1\2\3\4x' },
      [1007] = { ide.frame(0x81, '\255\254') },
      [1003] = { ide.frame(0x82, 'bytes') },
      [1002] = { '\129\2{}', ide.frame(0x80, 'of nothing'), ide.frame(0xc1, 'compressed') },
    }
    for code, all in pairs(cases) do
      for _, bytes in ipairs(all) do
        local client = ide.open(port, said.authToken)
        client:put(bytes)
        assert.equal(code, ended(client).code)
      end
    end
    local client = ide.open(port, said.authToken)
    client:put(ide.frame(0x88, '\3\232'))
    assert.equal(1000, ended(client).code)
    assert.matches('rootPath', good:tool('getWorkspaceFolders'))
  end)

  it('answers what is no JSON, no tool and no object with an error', function()
    local port, said = start()
    local client = ide.open(port, said.authToken)
    client:put(ide.frame(0x81, '{"jsonrpc":"2.0","id":901,'))
    client:put(
      ide.frame(0x81, '{"jsonrpc":"2.0","id":902,"method":"tools/call","params":{"name":"x"}}')
    )
    client:put(ide.frame(0x81, '{"jsonrpc":"2.0","id":903,"method":"odd"}'))
    client:wait('the refusals', function()
      return client.answers[901] and client.answers[902] and client.answers[903]
    end)
    assert.equal(-32700, client.answers[901].error.code)
    assert.matches('unknown tool x', client.answers[902].error.message)
    assert.equal(-32601, client.answers[903].error.code)
  end)

  it('closes a connection that does not say who it is, and keeps to its bounds', function()
    local port, said = start_with("['ide.hello_ms'] = 300, ['ide.clients'] = 2")
    local client = ide.open(port, said.authToken)
    local silent = ide.connect(port)
    local third = ide.connect(port)
    fault.wait('the one too many to be closed', function()
      return third.closed
    end)
    silent:put('GET / HTTP/1.1\r\n')
    fault.wait('the silent one to be closed', function()
      return silent.closed
    end)
    assert.equal('', silent.bytes)
    assert.matches('rootPath', client:tool('getWorkspaceFolders'))
  end)

  it('tells what is selected, and what is mentioned', function()
    local port, said = start()
    local path = child.dir .. '/a.txt'
    helper.write(path, 'one\nzwöi 🙂 two\nthree\n')
    child:cmd('edit a.txt')
    local client = ide.open(port, said.authToken)
    local now = client:note('selection_changed')
    assert.equal(path, now.filePath)
    assert.is_true(now.selection.isEmpty)
    child:type('jwvl')
    client:wait('the selection', function()
      local note = table.remove(client.notes, 1)
      return note and note.params.text == '🙂 '
    end)
    local latest = vim.json.decode(client:tool('getLatestSelection'))
    assert.same({ line = 1, character = 5 }, latest.selection.start)
    assert.same({ line = 1, character = 8 }, latest.selection['end'])
    child:type('<Esc>:new<CR>')
    child:wait('the other window', "vim.fn.bufname() == ''")
    assert.is_false(vim.json.decode(client:tool('getCurrentSelection')).success)
    assert.equal('🙂 ', vim.json.decode(client:tool('getLatestSelection')).text)
    child:cmd('wincmd p')
    child:cmd('2,3Oxide ide mention')
    assert.same({ filePath = path, lineStart = 1, lineEnd = 2 }, client:note('at_mentioned'))
    child:cmd('Oxide ide mention')
    assert.same({ filePath = path }, client:note('at_mentioned'))
    client:close()
    child:wait('it to be gone', '#(_G.events[#_G.events].data.clients or {}) == 0')
    child:cmd('Oxide ide mention')
    child:message('no Claude Code is connected; :Oxide agent claude starts one')
  end)

  it('opens, lists and writes files', function()
    local port, said = start()
    local client = ide.open(port, said.authToken)
    local path = child.dir .. '/a.txt'
    assert.equal(
      'Opened file: ' .. path,
      client:tool('openFile', { filePath = path, startText = 'two' })
    )
    assert.same({ 2, 0 }, child:lua('return vim.api.nvim_win_get_cursor(0)'))
    child:type('Omine<Esc>')
    child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline(2) == 'mine'")
    local tabs = vim.json.decode(client:tool('getOpenEditors')).tabs
    assert.equal(1, #tabs)
    assert.is_true(tabs[1].isDirty and tabs[1].isActive)
    assert.is_true(vim.json.decode(client:tool('checkDocumentDirty', { filePath = path })).isDirty)
    assert.is_true(vim.json.decode(client:tool('saveDocument', { filePath = path })).saved)
    assert.equal('one\nmine\ntwo\n', child:file('a.txt'))
    local result = client:answer(client:begin('openFile', { filePath = child.dir .. '/none' }))
    assert.is_true(result.isError)
    assert.matches('none does not exist', ide.texts(result)[1])
    assert.equal('[]', client:tool('getDiagnostics', { uri = vim.uri_from_fname(path) }))
  end)

  it('opens a file where there is no room for a window, and leaves the terminal in use', function()
    local port, said = start()
    local client = ide.open(port, said.authToken)
    child:cmd('set lines=16 winheight=10 winminheight=10 | terminal cat')
    child:type('i')
    child:wait('the terminal', "vim.fn.mode() == 't'")
    local path = child.dir .. '/a.txt'
    assert.equal('Opened file: ' .. path, client:tool('openFile', { filePath = path }))
    child:wait('the terminal', "vim.fn.mode() == 't'")
    child:type([[<C-\><C-n>:tabnext<CR>]])
    child:wait('the file', 'vim.api.nvim_buf_get_name(0) == ...', path)
    child:cmd('bwipeout! #')
  end)

  it("tells a server's diagnostics of what is in the buffer, as LSP counts", function()
    local port, said = start()
    local client = ide.open(port, said.authToken)
    local path = child.dir .. '/a.c'
    helper.write(path, 'int main(void) { return 0; }\n')
    child:cmd('edit a.c')
    child:type('ccchar *s = "ö🙂"; int i = y;<Esc>')
    child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline(1):find('= y')")
    local files = vim.json.decode(client:tool('getDiagnostics', { uri = vim.uri_from_fname(path) }))
    assert.equal(1, #files)
    assert.equal(vim.uri_from_fname(path), files[1].uri)
    local found = files[1].diagnostics[1]
    assert.equal('Error', found.severity)
    assert.matches("undeclared identifier 'y'", found.message)
    assert.same({ line = 0, character = 25 }, found.range.start)
    assert.same({ line = 0, character = 26 }, found.range['end'])
    assert.same(files, vim.json.decode(client:tool('getDiagnostics')))
  end)
end)
