-- The server that Gemini CLI connects to, with a client that follows a script: who is let in, what
-- comes of what it wants to write, and what becomes of those that misbehave.
local fault = require('fault')
local helper = require('helper')
local http = require('ide_http')
local ide = require('ide')
local relay = require('relay')

local DISK, with = ide.DISK, ide.with

describe('the IDE server for Gemini CLI', function()
  local child, run, client ---@type test.Child, string, test.IdeHttp
  local port, token ---@type integer, string

  ---@param options? string   of the core
  local function begin(options)
    local core = ('core = { path = %q, options = { %s } }'):format(helper.core, options or '')
    child = relay.start({ ['list.txt'] = DISK }, run, ide.AT_ONCE .. core)
    child:lua([[
      vim.env.TMPDIR = vim.uv.cwd() .. '/tmp'
      vim.env.CLAUDE_CONFIG_DIR = vim.uv.cwd() .. '/claude'
      vim.fn.mkdir(vim.env.TMPDIR)
    ]])
    ide.listen(child, 'list.txt')
    local said
    port, said = http.lock(child.dir .. '/tmp')
    token = said.authToken
  end

  --- With a client that is connected.
  ---@param options? string
  local function connect(options)
    begin(options)
    client = http.open(port, token)
  end

  ---@return string path
  local function propose(text, name)
    local path = child.dir .. '/' .. (name or 'list.txt')
    assert.same({}, client:tool('openDiff', { filePath = path, newContent = text }).content)
    return path
  end

  local function assert_untouched()
    assert.equal(DISK, child:file('list.txt'))
    local lines = child:lua("return vim.fn.getbufline('list.txt', 1, '$')")
    assert.equal('// mine\n' .. DISK, table.concat(lines, '\n') .. '\n')
  end

  before_each(function()
    run = helper.tempdir()
  end)
  after_each(function()
    ide.cleanup()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('has a file that its user alone can read, until it stops', function()
    begin()
    local _, said, path = http.lock(child.dir .. '/tmp')
    assert.equal(384, vim.uv.fs_stat(path).mode % 512) -- 0600
    assert.equal(448, vim.uv.fs_stat(child.dir .. '/tmp/gemini/ide').mode % 512) -- 0700
    local pid = child:lua('return vim.uv.os_getpid()')
    assert.equal(('gemini-ide-server-%d-%d.json'):format(pid, port), vim.fs.basename(path))
    assert.equal(child.dir, said.workspacePath)
    assert.same({ name = 'neovim', displayName = 'Neovim' }, said.ideInfo)
    assert.equal(64, #said.authToken)
    client = http.open(port, token)
    child:cmd('Oxide ide stop')
    fault.wait('the end of the stream', function()
      return client.stream.closed
    end)
    assert.is_nil(vim.uv.fs_stat(path))
  end)

  it('lets nobody in without the token, and no web page', function()
    begin()
    local function status(method, headers, body, key)
      return (http.send(port, http.request(port, key or token, method, headers, body)))
    end
    assert.equal('401', status('GET', nil, nil, token:sub(1, -2) .. 'x'))
    assert.equal('401', status('GET', { Authorization = false }))
    assert.equal('403', status('GET', { Origin = 'http://127.0.0.1:' .. port }))
    assert.equal('403', status('GET', { Host = 'example.com:' .. port }))
    assert.equal('405', status('PUT', nil, '{}'))
    assert.equal('411', status('POST', { ['Transfer-Encoding'] = 'chunked' }))
    assert.equal('413', status('POST', { ['Content-Length'] = '999999999999' }))
    assert.equal('431', (http.send(port, ('x'):rep(100000))))
    assert.equal('400', status('GET'))
    assert.equal('400', status('DELETE'))
    assert.equal('404', status('GET', { ['Mcp-Session-Id'] = ('0'):rep(64) }))
    for _, body in ipairs { '{', '[]', '1', '{"method":"initialize"}', '{"id":1,"method":[]}' } do
      assert.equal('400', status('POST', nil, body))
    end
    http.open(port, token) -- and still serves who may come in
  end)

  it('closes connections that say nothing, and sessions that do not listen', function()
    begin("['ide.hello_ms'] = 200, ['ide.clients'] = 2")
    local silent = ide.connect(port)
    silent:put('POST /mcp HTT')
    fault.wait('the end of the connection', function()
      return silent.closed
    end)
    local body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    local deaf = setmetatable({ port = port, token = token, notes = {}, last = 0 }, {
      __index = getmetatable(http.open(port, token)).__index,
    })
    local init = { protocolVersion = '2025-06-18', capabilities = vim.empty_dict() }
    init.clientInfo = { name = 'x', version = '1' }
    deaf:call('initialize', init)
    local headers = { ['Mcp-Session-Id'] = deaf.session }
    fault.wait('the end of the session', function()
      return http.send(port, http.request(port, token, 'POST', headers, body)) == '404'
    end)
    for _ = 1, 20 do -- as many as come
      ide.connect(port)
    end
  end)

  it('gives back what was accepted, without what is not saved', function()
    connect()
    local new = with { [12] = '12 or so' }
    local path = propose(new)
    child:event('ReviewOpen')
    child:type(':w<CR>')
    assert.same({ filePath = path, content = new }, client:note('ide/diffAccepted'))
    assert_untouched() -- it writes the file itself
  end)

  it('gives back the part that was accepted', function()
    connect()
    propose(with { [2] = '2 or so', [18] = '18 or so' })
    child:event('ReviewOpen')
    child:type('gg/18 or so<CR> :w<CR>')
    assert.equal(with { [2] = '2 or so' }, client:note('ide/diffAccepted').content)
    assert_untouched()
  end)

  it('is refused, and a new file is not made', function()
    connect()
    local path = propose('one\n', 'sub/new.txt')
    child:event('ReviewOpen')
    child:type(':q<CR>')
    assert.same({ filePath = path }, client:note('ide/diffRejected'))
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/sub'))
  end)

  it('refuses what is no proposal', function()
    connect()
    local result = client:tool('openDiff', { filePath = '/x' })
    assert.is_true(result.isError)
    assert.matches('needs filePath and newContent', ide.texts(result)[1])
  end)

  it('takes the review back where it was answered in the terminal, and says no more', function()
    connect()
    local path = propose(with { [12] = '12 or so' })
    child:event('ReviewOpen')
    local result = client:tool('closeDiff', { filePath = path, suppressNotification = true })
    assert.same({ content = vim.NIL }, vim.json.decode(ide.texts(result)[1]))
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert_untouched()
    child:lua('_G.events = {}')
    propose(with { [12] = '12 or so' })
    child:event('ReviewOpen')
    child:type(':q<CR>')
    client:note('ide/diffRejected')
    assert.same(
      {},
      vim.tbl_filter(function(note)
        return note.method ~= 'ide/contextUpdate'
      end, client.notes)
    )
  end)

  it('takes the review back when the client is gone in the middle of it', function()
    connect()
    propose(with { [12] = '12 or so' })
    child:event('ReviewOpen')
    client:close()
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert_untouched()
    fault.wait('the end of the session', function()
      return client:send('POST', { jsonrpc = '2.0', id = 9, method = 'ping' }) == '404'
    end)
    client = http.open(port, token)
    assert.equal(2, #client:call('tools/list', vim.empty_dict()).tools)
  end)

  it('tells the client when Neovim is killed in the middle of it', function()
    connect()
    propose(with { [12] = '12 or so' })
    child:event('ReviewOpen')
    vim.uv.kill(child:lua('return vim.uv.os_getpid()'), 'sigkill')
    fault.wait('the end of the stream', function()
      return client.stream.closed
    end)
    assert.equal(DISK, helper.read(child.dir .. '/list.txt'))
    fault.wait('the file to go', function()
      return #vim.fn.glob(child.dir .. '/tmp/gemini/ide/*', false, true) == 0
    end)
  end)

  it('gives up on a review that nobody answers', function()
    connect("['agent.review_ms'] = 1000")
    propose(with { [12] = '12 or so' })
    client:note('ide/diffRejected')
    child:message('no longer possible')
    assert_untouched()
  end)

  it('shows those of two clients one after the other', function()
    connect()
    local first = client
    propose(with { [2] = '2 or so' })
    child:event('ReviewOpen')
    client = http.open(port, token)
    propose(with { [18] = '18 or so' })
    child:message('gemini asks for a review')
    child:lua('_G.events = {}')
    child:type(':w<CR>')
    assert.equal(with { [2] = '2 or so' }, first:note('ide/diffAccepted').content)
    child:event('ReviewOpen')
    child:type(':q<CR>')
    client:note('ide/diffRejected')
  end)

  it('tells what is open and selected', function()
    connect()
    child:type('jV')
    local file = fault.wait('the selection', function()
      local found = client:note('ide/contextUpdate').workspaceState.openFiles[1]
      return found.selectedText and found
    end)
    assert.equal(child.dir .. '/list.txt', file.path)
    assert.equal('1', vim.trim(file.selectedText))
    assert.is_true(file.isActive)
    assert.equal(2, file.cursor.line)
  end)

  it('has what it does past the review as a turn, which is undone', function()
    connect()
    assert.equal('began', child:event('AgentTurn').state)
    local new = with { [12] = '12 or so' }
    propose(new)
    child:event('ReviewOpen')
    child:type(':w<CR>')
    client:note('ide/diffAccepted')
    helper.write(child.dir .. '/list.txt', new)
    helper.write(child.dir .. '/made.txt', 'by a command\n')
    child:wait('the buffer', "vim.fn.getbufline('list.txt', 13)[1] == '12 or so'")
    client:close()
    child:message('gemini has changed 2 files')
    child:cmd('Oxide turn undo')
    child:wait('the turn to be undone', "vim.fn.getbufline('list.txt', 13)[1] == '12'")
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/made.txt'))
  end)
end)
