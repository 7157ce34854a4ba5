-- What the core does for those who connect to it, and against them: a client made by hand.
local fault = require('fault')
local helper = require('helper')
local relay = require('relay')

---@class test.RemoteClient
---@field pipe uv.uv_pipe_t
---@field said table[]     messages of the core
---@field closed boolean   by the core
local RemoteClient = {}
RemoteClient.__index = RemoteClient

---@param path string
---@param deaf? boolean   never reads
---@return test.RemoteClient
local function connect(path, deaf)
  local client =
    setmetatable({ pipe = assert(vim.uv.new_pipe()), said = {}, closed = false }, RemoteClient)
  local rest, connected = '', nil
  client.pipe:connect(path, function(err)
    connected = err or true
    if deaf or err then
      return
    end
    client.pipe:read_start(function(_, bytes)
      client.closed = not bytes
      rest = rest .. (bytes or '')
      for line, stop in rest:gmatch('(.-)\n()') do
        table.insert(client.said, vim.json.decode(line))
        client.stop = stop
      end
      rest = rest:sub(client.stop or 1)
      client.stop = nil
    end)
  end)
  fault.wait('a connection', function()
    return connected
  end)
  assert.is_true(connected, connected)
  return client
end

---@param value table|string
function RemoteClient:send(value)
  self.pipe:write(type(value) == 'string' and value or vim.json.encode(value) .. '\n')
end

---@param id integer
---@param method string
---@param params table
function RemoteClient:request(id, method, params)
  self:send { jsonrpc = '2.0', id = id, method = method, params = params }
end

---@param what string
---@param matches fun(message: table): any
---@return table
function RemoteClient:hear(what, matches)
  return fault.wait(what, function()
    return vim.iter(self.said):find(matches)
  end)
end

function RemoteClient:answer(id)
  return self:hear('the answer to ' .. id, function(m)
    return m.id == id and not m.method
  end)
end

function RemoteClient:hello()
  self:request(1, 'hello', { protocol = 1, name = 'a client', pid = 7 })
  return self:answer(1).result
end

function RemoteClient:wait_close()
  fault.wait('the core to hang up', function()
    return self.closed
  end)
end

describe('a client of the core', function()
  local child, run, path

  local function start(files, options)
    run = helper.tempdir()
    child = relay.start(
      files or { ['a.txt'] = 'one\n' },
      run,
      options and ('core = { path = %q, options = %s }'):format(helper.core, vim.inspect(options))
    )
    child:cmd('edit a.txt')
    path = relay.listen(child).path
  end

  local function remote_clients(count)
    child:wait(
      count .. ' remote clients',
      '(function(n) local l = listening(); return l and #l.clients == n end)(...)',
      count
    )
  end

  local function assert_alive()
    local args = { 'read_file', '--file', 'a.txt', '--end-line', '1', '--editor' }
    assert.equal(0, relay.finish(relay.call(child, run, args)).code)
  end

  after_each(function()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('is told who it talks to', function()
    start()
    local info = connect(path):hello()
    assert.equal(child.dir, info.root)
    assert.equal(1, info.protocol)
    assert.equal(child:lua('return vim.v.servername'), info.nvim)
    assert.equal('Neovim ' .. child:lua('return vim.uv.os_getpid()'), info.editor)
  end)

  it('is hung up on for rubbish, and the core lives', function()
    start()
    for _, rubbish in ipairs { 'GET / HTTP/1.1\n', '\0\1\2\n', '{"id":1}\n', '[[[\n' } do
      local client = connect(path)
      client:send(rubbish)
      client:wait_close()
    end
    remote_clients(0)
    assert_alive()
  end)

  it('is refused what there is not, and a call before its name', function()
    start()
    local client = connect(path)
    client:request(1, 'call', { tool = 'read_file', arguments = '{}' })
    assert.is_table(client:answer(1).error)
    client:hello()
    client:request(2, 'call', { tool = 'nothing', arguments = '{}' })
    assert.matches('unknown tool nothing', client:answer(2).error.message)
    client:request(3, 'call', { tool = 'read_file', arguments = '{' })
    assert.is_table(client:answer(3).error)
    client:request(4, 'elsewhere', {})
    assert.is_table(client:answer(4).error)
    local twice = '{"file_path":"a.txt","file_path":"b.txt"}'
    client:request(5, 'call', { tool = 'read_file', arguments = twice })
    assert.matches('two members "file_path"', client:answer(5).error.message)
  end)

  it('is asked before anything is written, and nothing is when it is gone by then', function()
    start()
    local args = vim.json.encode { file_path = 'a.txt', old_string = 'one', new_string = 'ONE' }
    local client = connect(path)
    client:hello()
    client:request(2, 'call', { tool = 'edit_file', arguments = args, confirm = 'never' })
    local function asked(m)
      return m.method == 'write'
    end
    assert.equal(2, client:hear('the question', asked).params.call)
    client.pipe:close()
    remote_clients(0)
    assert.same({ 'one' }, child:lines())

    client = connect(path)
    client:hello()
    client:request(2, 'call', { tool = 'edit_file', arguments = args, confirm = 'never' })
    client:send { jsonrpc = '2.0', id = client:hear('the question', asked).id, result = {} }
    assert.is_false(client:answer(2).result.failed)
    assert.same({ 'ONE' }, child:lines())
  end)

  it('is shown by a name that fits a line', function()
    start()
    local client = connect(path)
    client:request(1, 'hello', { protocol = 1, name = 'two\nlines' .. ('x'):rep(1000), pid = 7 })
    client:answer(1)
    local args = vim.json.encode { file_path = 'a.txt', old_string = 'one', new_string = 'ONE' }
    client:request(2, 'call', { tool = 'edit_file', arguments = args, confirm = 'auto' })
    child:event('ReviewOpen')
    assert.matches('# asked for by two%?linesx+ %(7%), who is waiting', child:lines()[3])
    assert.is_true(#child:lines()[3] < 120)
  end)

  it('is one of a bounded number', function()
    start(nil, { ['relay.callers'] = 2 })
    local one, two = connect(path), connect(path)
    one:hello()
    two:hello()
    connect(path):wait_close()
    local said = relay.finish(relay.call(child, run, { 'read_file', '--file', 'a.txt' }))
    assert.equal(0, said.code)
    assert.matches('continuing without it', said.err)
    one.pipe:close()
    remote_clients(1)
    assert_alive()
  end)

  it('has a bounded number of calls under way', function()
    start(nil, { ['relay.calls'] = 2 })
    local client = connect(path)
    client:hello()
    local args = vim.json.encode { file_path = 'a.txt', old_string = 'one', new_string = 'ONE' }
    for id = 2, 4 do -- the first two wait for the client's word
      client:request(id, 'call', { tool = 'edit_file', arguments = args, confirm = 'never' })
    end
    assert.matches('too many calls', client:answer(4).error.message)
    client:send { jsonrpc = '2.0', method = 'cancel', params = { call = 2 } }
    client:send { jsonrpc = '2.0', method = 'cancel', params = { call = 3 } }
    local function asked(id)
      return function(m)
        return m.method == 'write' and m.params.call == id
      end
    end
    for id = 2, 3 do
      client:send { jsonrpc = '2.0', id = client:hear('the question', asked(id)).id, result = {} }
      assert.is_true(client:answer(id).result.failed)
    end
    assert.same({ 'one' }, child:lines())
    client:request(5, 'call', { tool = 'read_file', arguments = '{"file_path":"a.txt"}' })
    assert.is_false(client:answer(5).result.failed)
  end)

  it('takes back a call that has not begun, for Neovim stands still', function()
    start { ['a.txt'] = 'one\n', ['b.txt'] = 'two\n' }
    local client = connect(path)
    client:hello()
    local blocked, go = run .. '/blocked', run .. '/go'
    -- the core has heard of the buffer, and asks for its text in vain
    vim.rpcnotify(
      child.chan,
      'nvim_exec_lua',
      [[
        local blocked, go = ...
        vim.cmd.edit('b.txt')
        vim.fn.writefile({}, blocked)
        while not vim.uv.fs_stat(go) do
          vim.uv.sleep(1)
        end
      ]],
      { blocked, go }
    )
    fault.wait('Neovim to stand still', function()
      return vim.uv.fs_stat(blocked)
    end)
    client:request(2, 'call', { tool = 'read_file', arguments = '{"file_path":"b.txt"}' })
    client:send { jsonrpc = '2.0', method = 'cancel', params = { call = 2 } }
    local answer = client:answer(2).result
    assert.is_true(answer.failed)
    assert.equal('cancelled', answer.answer.error.code)
    helper.write(go, '')
    client:request(3, 'call', { tool = 'read_file', arguments = '{"file_path":"b.txt"}' })
    assert.is_false(client:answer(3).result.failed)
  end)

  local LONG = ('x'):rep(99) .. '\n'

  local DEAF = {
    ['more waits for it than there is room for'] = { ['relay.queue_bytes'] = 1000000 },
    ['it reads nothing any more'] = { ['relay.stall_ms'] = 50 },
  }
  for why, options in vim.spairs(DEAF) do
    it('is dropped when ' .. why, function()
      start({ ['a.txt'] = LONG:rep(30000) }, options)
      local client = connect(path, true)
      client:request(1, 'hello', { protocol = 1, name = 'deaf', pid = 7 })
      remote_clients(1)
      client:request(2, 'call', { tool = 'read_file', arguments = '{"file_path":"a.txt"}' })
      remote_clients(0)
      assert_alive()
    end)
  end

  it('sends and is sent much', function()
    start()
    local text = LONG:rep(80000)
    local said = relay.finish(relay.call(child, run, {
      'write_file',
      '--file',
      'big.txt',
      '--content-from',
      '-',
      '--yes',
    }, { stdin = text }))
    assert.equal(0, said.code)
    assert.equal(text, child:file('big.txt'))
    said = relay.finish(relay.call(child, run, {
      'read_file',
      '--file',
      'big.txt',
      '--editor',
    }))
    assert.is_true(#said.answer.content >= #text)
  end)

  it('is one of many at once', function()
    start()
    local running = {}
    for i = 1, 24 do
      running[i] = relay.call(child, run, {
        'write_file',
        '--file',
        ('f%d.txt'):format(i),
        '--content',
        tostring(i),
        '--yes',
        '--editor',
      })
    end
    for i = 1, 24 do
      assert.equal(0, relay.finish(running[i]).code)
      assert.equal(tostring(i), child:file(('f%d.txt'):format(i)))
    end
    remote_clients(0)
  end)
end)

describe('a client and the language server', function()
  after_each(fault.cleanup)

  it('is served by the one that the editor has', function()
    local p = fault.project { on = { ['textDocument/hover'] = { result = { contents = 'seen' } } } }
    local run = helper.tempdir()
    local child = p:nvim({ ['a.txt'] = 'old\n' }, nil, { XDG_RUNTIME_DIR = run })
    vim.fn.mkdir(child.dir .. '/.git')
    child:cmd('edit a.txt')
    assert.is_nil(fault.done(child, fault.ask(child, 'hover')).code)
    relay.listen(child)
    local args =
      { 'lsp_symbol', '--query', 'hover', '--file', 'a.txt', '--line', '1', '--symbol', 'old' }
    for _ = 1, 3 do
      assert.equal('seen', relay.finish(relay.call(child, run, args)).answer.hover)
    end
    assert.equal(1, #p:received('initialize'))
    vim.fn.delete(run, 'rf')
  end)
end)

describe('the directory of the sockets', function()
  it('is the usual one where a client was not told of another', function()
    local usual = [[
      mount -t tmpfs none /run && mkdir -p /run/user/0 || exit 77
      env -u XDG_RUNTIME_DIR "$0" call read_file --file a >&2
      ls /run/user/0
    ]]
    local dir = helper.tempdir()
    local argv = { 'unshare', '-rm', 'sh', '-c', usual, helper.core }
    local done = vim.system(argv, { cwd = dir, env = relay.env(dir, '') }):wait()
    vim.fn.delete(dir, 'rf')
    if done.code == 77 or done.stderr:find('unshare failed') then
      return pending('nothing can be mounted here')
    end
    assert.equal('oxide\n', done.stdout, done.stderr)
  end)
end)
