-- What a server may do to the wire and to its answers, from the command line: the answer comes, or
-- an error that names the server, and not a byte of the project is other than it was.
local fault = require('fault')
local helper = require('helper')

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }
local GOOD = { rename = { files = { 'a.txt', 'b.txt' } } }
local HASTY = { ['lsp.stop_ms'] = 100, ['lsp.restart_ms'] = 0 }

local function project(script, options)
  return fault.project(script, vim.tbl_extend('force', HASTY, options or {})):files(FILES)
end

local function on_rename(step)
  return { on = { ['textDocument/rename'] = step } }
end

local function framed(body, header)
  return (header or 'Content-Length') .. ': ' .. #body .. '\r\n\r\n' .. body
end

--- The rename is question 2, after initialize.
local function answer(members)
  return '{"jsonrpc":"2.0","id":2,' .. members .. '}'
end

local function says(bytes, times)
  return on_rename { before = { { raw = bytes, times = times } }, silent = true }
end

local function assert_done(p, out)
  assert.is_true(out.result.success, vim.inspect(out.result))
  assert.equal('new one\n', helper.read(p.dir .. '/a.txt'))
  assert.equal('two new\n', helper.read(p.dir .. '/b.txt'))
end

local function assert_refused(p, out, codes, patterns)
  assert.equal(1, out.code)
  local err = out.result.error or {}
  assert.is_true(vim.list_contains(codes, err.code), vim.inspect(out.result))
  for _, pattern in ipairs(patterns) do
    assert.matches(pattern, err.message)
  end
  for name, text in pairs(FILES) do
    assert.equal(text, helper.read(p.dir .. '/' .. name))
  end
end

local function range(a, b, c, d)
  return { start = { line = a, character = b }, ['end'] = { line = c, character = d } }
end

local function changes(where)
  return {
    result = { changes = { ['file://{ROOT}/a.txt'] = { { range = where, newText = 'x' } } } },
  }
end

describe('a rename is refused where the answer', function()
  after_each(fault.cleanup)

  local KINDS = {
    ['is null'] = { { result = vim.NIL }, 'not_found', 'old' },
    ['is a number'] = { { result = 7 }, 'protocol', 'fake' },
    ['is a list'] = { { result = { 1, 2 } }, 'protocol', 'fake' },
    ['is true'] = { { result = true }, 'protocol', 'fake' },
    ['has a number for a list of edits'] = {
      { result = { changes = { ['file://{ROOT}/a.txt'] = 7 } } },
      'protocol',
      'a%.txt',
    },
    ['has negative positions'] = { changes(range(-1, -5, 0, 1)), 'protocol', 'negative number' },
    ['has positions that are no numbers'] = { changes(range('a', 0, 0, 1)), 'protocol', 'a%.txt' },
    ['names a file outside of the project'] = {
      {
        result = {
          changes = { ['file:///etc/passwd'] = { { range = range(0, 0, 0, 1), newText = 'x' } } },
        },
      },
      'denied',
      'passwd',
    },
    ['renames a file over another'] = {
      {
        result = {
          documentChanges = {
            { kind = 'rename', oldUri = 'file://{ROOT}/a.txt', newUri = 'file://{ROOT}/b.txt' },
          },
        },
      },
      'conflict',
      'b%.txt',
    },
    ['is an error without a message'] = {
      { error = { code = -32000 } },
      'peer',
      'has no message',
    },
    ['is an error that is a text'] = { { error = 'no' }, 'peer', 'no' },
  }

  for what, kind in pairs(KINDS) do
    it(what, function()
      local p = project(on_rename(kind[1]))
      assert_refused(p, p:rename(), { kind[2] }, { kind[3] })
      assert.equal(1, #p:received('textDocument/rename'))
    end)
  end
end)

describe('a server that breaks the protocol is asked twice, and named, when it', function()
  after_each(fault.cleanup)

  local KINDS = {
    ['sends a header without a length'] = {
      says('Content-Type: x\r\n\r\n{}'),
      'Content%-Length',
    },
    ['sends a length below nothing'] = { says('Content-Length: -5\r\n\r\n{}'), 'not a number' },
    ['sends two lengths'] = {
      says('Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
      'two different',
    },
    ['sends half a message and ends'] = {
      on_rename { before = { { raw = 'Content-Length: 90\r\n\r\n{"id"' }, { exit = 4 } } },
      'status 4',
    },
    ['closes its output'] = { on_rename { before = { { mute = true } }, silent = true }, 'fake' },
  }

  for what, kind in pairs(KINDS) do
    it(what, function()
      local p = project(kind[1])
      assert_refused(p, p:rename(), { 'no_server' }, { 'fake', kind[2] })
      assert.equal(2, #p:received('textDocument/rename'))
    end)
  end

  it('answers 10,000 deep and without an end, which costs that question alone', function()
    local p = project(says(framed(answer('"result":' .. ('['):rep(10000)))))
    assert_refused(p, p:rename(), { 'protocol' }, { 'fake' })
    assert.equal(1, #p:received('textDocument/rename'))
  end)

  it('announces more than it may: before a byte of it is kept', function()
    local p = project(
      says('Content-Length: 4000000000\r\n\r\n{"jsonrpc"'),
      { ['lsp.message_bytes'] = 1000 * 1000 }
    )
    assert_refused(p, p:rename(), { 'no_server' }, { 'fake', '4000000000', '1000000' })
  end)
end)

describe('a server is understood that', function()
  after_each(fault.cleanup)

  local EDITS = ('"result":{"changes":{"file://%s/a.txt":[%s],"file://%s/b.txt":[%s]}}'):format(
    '{ROOT}',
    '{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"newText":"new"}',
    '{ROOT}',
    '{"range":{"start":{"line":0,"character":4},"end":{"line":0,"character":7}},"newText":"new"}'
  )

  --- Bytes that hold the right answer; the directory is known by then.
  local function right(make)
    local p = project {}
    local body = answer((EDITS:gsub('{ROOT}', p.dir)))
    local script = vim.json.decode(helper.read(p.script))
    script.on = says(make(body)).on
    helper.write(p.script, vim.json.encode(script))
    return p
  end

  it('writes its headers in small letters, with more of them', function()
    local p = right(function(body)
      return 'content-type: application/vscode-jsonrpc; charset=utf-8\r\n'
        .. framed(body, 'content-length')
    end)
    assert_done(p, p:rename())
  end)

  it('answers twice', function()
    local p = right(function(body)
      return framed(body) .. framed(body)
    end)
    assert_done(p, p:rename())
  end)

  it('puts 100 MB into its answer', function()
    local p = right(function(body)
      return body
    end)
    local script = vim.json.decode(helper.read(p.script))
    local step = script.on['textDocument/rename']
    local body, chunk, times = step.before[1].raw, (' '):rep(1000000), 100
    step.before = {
      { raw = ('Content-Length: %d\r\n\r\n'):format(#body + #chunk * times) },
      { raw = chunk, times = times },
      { raw = body },
    }
    helper.write(p.script, vim.json.encode(script))
    assert_done(p, p:rename())
  end)

  it('sends what is no UTF-8, in a message to be shown', function()
    local body =
      '{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":3,"message":"\255\254"}}'
    local step = vim.tbl_extend('force', { before = { { raw = framed(body) } } }, GOOD)
    local p = project(on_rename(step))
    assert_done(p, p:rename())
  end)

  it('takes back what it never registered, and asks for what there is not', function()
    local p = project {
      on = {
        initialized = {
          after = {
            {
              request = 'client/unregisterCapability',
              params = { unregisterations = { { id = 'none', method = 'textDocument/rename' } } },
            },
            { request = 'client/unregisterCapability', params = { unregisterations = 7 } },
            { request = 'client/registerCapability', params = {} },
            { request = 'workspace/configuration', params = { items = 3 } },
            { notify = '$/progress', params = { token = {}, value = 'none' } },
            {
              notify = 'textDocument/publishDiagnostics',
              params = { uri = 'x:y', diagnostics = 3 },
            },
            { notify = 'no/such/notice' },
          },
        },
        ['textDocument/rename'] = GOOD,
      },
    }
    assert_done(p, p:rename())
    assert.equal(1, #p:received('initialize'))
  end)

  it('floods with requests: each is answered', function()
    local items = { { section = 'fake.size' } }
    local edit = { changes = { ['file://{ROOT}/b.txt'] = vim.empty_dict() } }
    local p = project({
      on = {
        initialized = {
          after = {
            { request = 'workspace/configuration', params = { items = items }, times = 10000 },
            { request = 'workspace/applyEdit', params = { edit = edit }, times = 10000 },
          },
        },
        ['textDocument/rename'] = GOOD,
      },
    }, { ['lsp.stop_ms'] = 60000 }) -- it is to read all answers before it ends
    assert_done(p, p:rename())
    local answers = {}
    for _, entry in ipairs(p:log()) do
      if not entry.method and entry.id then
        answers[entry.id] = (answers[entry.id] or 0) + 1
      end
    end
    assert.equal(20000, vim.tbl_count(answers))
  end)
end)
