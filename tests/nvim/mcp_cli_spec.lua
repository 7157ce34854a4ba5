-- `oxide mcp` as a client meets it: the handshake, the tools, and what is on the disk afterwards.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')

local put, get = project.put, project.get

local dir

before_each(function()
  dir = project.begin()
end)

after_each(project.finish)

---@return test.Client
local function start(args, answers)
  return mcp.start(dir, vim.list_extend({ '--root', dir }, args or {}), answers)
end

describe('oxide mcp', function()
  it('greets, and ends when its input ends', function()
    local c = start()
    local hello = c:initialize('2025-06-18')
    assert.equal('2025-06-18', hello.protocolVersion)
    assert.equal('oxide', hello.serverInfo.name)
    assert.matches('undo', hello.instructions)
    assert.equal(0, c:close().code)
  end)

  it('lists all tools but other names for them unless told otherwise, what looks first', function()
    local function names(args)
      local c = start(args)
      c:initialize()
      local list = {}
      for _, tool in ipairs(c:request('tools/list').tools) do
        table.insert(list, tool.name)
        assert.is_false(tool.inputSchema.additionalProperties)
        assert.equal('object', tool.inputSchema.type)
        assert.is_string(tool.title)
        local hints = tool.annotations
        for _, hint in ipairs { 'readOnly', 'destructive', 'idempotent', 'openWorld' } do
          assert.is_boolean(hints[hint .. 'Hint'], tool.name .. ' ' .. hint)
        end
        assert.is_false(hints.readOnlyHint and hints.destructiveHint, tool.name)
      end
      c:close()
      return list
    end
    local core, all, rust = names(), names { '--tools', 'all' }, names { '--tools', 'rust' }
    assert.same(core, names { '--tools', 'core' })
    local synonyms = {
      goto_definition = true,
      find_references = true,
      hover_info = true,
      get_diagnostics = true,
      format_document = true,
      format_code = true,
      analyze_code = true,
      multi_edit_files = true,
    }
    assert.same(
      vim.tbl_filter(function(name)
        return not synonyms[name]
      end, all),
      core
    )
    assert.equal(#all, #core + vim.tbl_count(synonyms))
    assert.same({ 'manage_projects', 'read_file', 'lsp_symbol' }, vim.list_slice(core, 1, 3))
    assert.equal('undo', core[#core])
    for _, list in ipairs { core, rust } do
      for _, name in ipairs(list) do
        assert.is_true(vim.list_contains(all, name), name)
      end
    end
  end)

  it('says what is wrong with its own arguments', function()
    for words, told in pairs {
      ['--tools'] = '--tools needs a value',
      ['--tools most'] = '--tools must be core, rust or all, not most',
      ['--nope'] = 'unknown option --nope',
    } do
      local args = vim.list_extend({ helper.core, 'mcp' }, vim.split(words, ' '))
      local done = vim.system(args, { stdin = '', text = true }):wait()
      assert.equal(2, done.code)
      assert.equal(('oxide: %s; see `oxide mcp --help`\n'):format(told), done.stderr)
      assert.equal('', done.stdout)
    end
  end)

  it('calls a tool that it does not list', function()
    put('a.txt', 'one\n')
    local c = start { '--tools', 'rust' }
    c:initialize()
    local text, failed = c:call('write_file', { file_path = 'b.txt', content = 'two\n' })
    assert.is_false(failed)
    assert.matches('files_changed: 1', text)
    assert.equal('two\n', get('b.txt'))
  end)

  it('answers what guidance shows as JSON with JSON, too', function()
    put('a.txt', 'one\n')
    local c = start()
    c:initialize()
    local function structured(tool, args)
      return c:request('tools/call', { name = tool, arguments = args }).structuredContent
    end
    local projects = structured('manage_projects', vim.empty_dict()).projects
    assert.is_string(projects[1].root)
    assert.same({ {}, 0 }, {
      structured('list_code_actions', vim.empty_dict()).code_actions,
      structured('list_code_actions', vim.empty_dict()).count,
    })
    local error = structured('execute_code_action', { action_id = 'none-such' }).error
    assert.equal('not_found', error.code)
    assert.is_nil(structured('read_file', { file_path = 'a.txt' }))
  end)

  it('reads and edits, and takes it back', function()
    put('a.txt', 'one\ntwo\n')
    local c = start()
    c:initialize()
    assert.equal(
      'file: a.txt, start_line: 1, end_line: 2, total_lines: 2, where: disk\n'
        .. 'content:\n1: one\n2: two\n',
      c:call('read_file', { file_path = 'a.txt' })
    )
    local text = c:call('edit_file', { file_path = 'a.txt', old_string = 'two', new_string = '2' })
    assert.matches('\n%-two\n%+2\n', text)
    assert.matches('transaction: ', text)
    assert.equal('one\n2\n', get('a.txt'))
    c:call('undo', vim.empty_dict())
    assert.equal('one\ntwo\n', get('a.txt'))
  end)

  it('answers wrong arguments as a tool that failed, an unknown tool as a wrong call', function()
    put('a.txt', 'same\nsame\n')
    local c = start()
    c:initialize()
    for want, args in pairs {
      ['file_path is missing'] = vim.empty_dict(),
      ['did you mean file_path'] = { file = 'a.txt' },
      ['must be an integer'] = { file_path = 'a.txt', start_line = 'x' },
      ['does not exist'] = { file_path = 'b.txt' },
    } do
      local text, failed = c:call('read_file', args)
      assert.is_true(failed)
      assert.matches(want, text)
    end
    local text = c:call('edit_file', { file_path = 'a.txt', old_string = 'same', new_string = 'x' })
    assert.matches('%(ambiguous%)\n', text)
    assert.matches('\nline: 2, text: same', text)
    local id = c:ask('tools/call', { name = 'read_fil', arguments = {} })
    local refused = c:reply(id).error
    assert.equal(-32602, refused.code)
    assert.matches('did you mean read_file', refused.message)
  end)

  it('does not write what makes other programs run something', function()
    local c = start()
    c:initialize()
    local text, failed = c:call('write_file', { file_path = '.git/config', content = 'x' })
    assert.is_true(failed)
    assert.matches('%(denied%)', text)
    assert.is_nil(vim.uv.fs_stat(dir .. '/.git'))
  end)

  it('works in the folder that the client names, unless it was told another', function()
    local other = vim.fs.dirname(dir) .. '/other'
    put('a.txt', 'here\n')
    helper.write(other .. '/a.txt', 'there\n')
    local answers = {
      ['roots/list'] = function()
        return { roots = { { uri = vim.uri_from_fname(other), name = 'other' } } }
      end,
    }
    local function content(args)
      local c = mcp.start(dir, args, answers)
      c:initialize('2025-06-18', { roots = vim.empty_dict() })
      local text = c:call('read_file', { file_path = 'a.txt' })
      c:close()
      return text:match('1: (%a+)')
    end
    assert.equal('there', content {})
    assert.equal('here', content { '--root', dir })
  end)

  it('cuts a long answer at a line, and says how to go on', function()
    local lines = {}
    for i = 1, 3000 do
      lines[i] = ('line %d ä'):format(i)
    end
    put('long.txt', table.concat(lines, '\n') .. '\n')
    put('wide.txt', ('ä'):rep(50000) .. '\n')
    put('config.lua', "return { options = { ['mcp.answer_bytes'] = 1001 } }")
    local c = start { '--config', dir .. '/config.lua' }
    c:initialize()
    local text = c:call('read_file', { file_path = 'long.txt' })
    local last, note = text:match('\n(%d+): line %d+ ä\n(%[cut here: [^\n]*%])\n$')
    assert.matches('start_line', note)
    assert.is_true(#text < 1300)
    text = c:call('read_file', { file_path = 'long.txt', start_line = tonumber(last) + 1 })
    assert.matches(('content:\n%d: line'):format(last + 1), text)
    local emptied = { file_path = 'long.txt', content = '', overwrite = true, dry_run = true }
    assert.matches('%[cut here: .*read_file shows', (c:call('write_file', emptied)))
    text = c:call('read_file', { file_path = 'wide.txt' })
    assert.matches('\n%[cut here', text)
    assert.is_true(#text < 1300)
  end)

  it('answers what a shell pipes into it', function()
    put('a.txt', 'one\n')
    local call = { name = 'read_file', arguments = { file_path = 'a.txt' } }
    local replies = mcp.piped(mcp.pipe(dir, { '--root', dir }, { call, call }))
    assert.equal('2025-11-25', replies[0].result.protocolVersion)
    for id = 1, 2 do
      assert.matches('1: one', replies[id].result.content[1].text)
    end
  end)

  it('answers what a language server has to be asked, when the input has long ended', function()
    local p = fault.project { on = { ['textDocument/hover'] = { result = { contents = 'seen' } } } }
    p:files { ['a.txt'] = 'old\n' }
    local hover = { query = 'hover', file_path = 'a.txt', line = 1, symbol = 'old' }
    local call = { name = 'lsp_symbol', arguments = hover }
    local replies = mcp.piped(mcp.pipe(p.dir, { '--config', p.config }, { call }))
    assert.matches('seen', replies[1].result.content[1].text)
  end)

  it('says of half a line that it is none', function()
    local c = start()
    c:initialize()
    c.run:write('{"jsonrpc":"2.0","id":"half","method":"ping"')
    c.run:write(nil)
    fault.wait('the answer', function()
      return c.replies.half
    end)
    assert.equal(-32700, c.replies.half.error.code)
  end)

  it("answers a server's unasked workspace/applyEdit, an empty one too", function()
    local p = fault.project {
      on = { ['textDocument/hover'] = { result = { contents = 'seen' } } },
    }
    p:files { ['a.txt'] = 'old one\n' }
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize('2025-06-18', { elicitation = vim.empty_dict() })
    local where = { file_path = 'a.txt', line = 1, symbol = 'old', query = 'hover' }
    assert.matches('seen', (c:call('lsp_symbol', where)))
    local zero = { line = 0, character = 0 }
    local edits = { { range = { start = zero, ['end'] = zero }, newText = 'mine ' } }
    local asked = {
      vim.empty_dict(),
      { edit = vim.empty_dict() },
      { edit = { changes = { ['file://{ROOT}/a.txt'] = edits } } },
    }
    for i, params in ipairs(asked) do
      p:act { request = 'workspace/applyEdit', params = params }
      fault.wait('the answer to the server', function()
        return #p:logged(function(entry)
          return not entry.method and (entry.result or entry.error)
        end) == i
      end)
    end
    assert.matches('seen', (c:call('lsp_symbol', where)))
    assert.equal('old one\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('ends with its children when a client goes in the middle', function()
    local silent = { on = { ['textDocument/rename'] = { silent = true } } }
    local p = fault.project(silent, { ['mcp.linger_ms'] = 10 })
    p:files { ['a.txt'] = 'old\n' }
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize()
    c:ask('tools/call', {
      name = 'lsp_rename',
      arguments = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' },
    })
    p:wait_received('textDocument/rename')
    assert.equal(0, c:close().code)
    fault.wait_end(p:pid())
    assert.equal('old\n', helper.read(p.dir .. '/a.txt'))
  end)
end)

-- One place of `old` in a.txt, renamed by a server that answers as the script says.
local function renaming(script, capabilities, answers)
  local p = fault.project(script)
  p:files { ['a.txt'] = 'old\n' }
  local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config }, answers)
  c:initialize('2025-11-25', capabilities)
  return p, c
end

local RENAME = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' }
local renames = { on = { ['textDocument/rename'] = { rename = { files = { 'a.txt' } } } } }

describe('oxide mcp and a language server', function()
  it('tells of progress, and whoever cancels gets no answer', function()
    local p, c = renaming {
      on = {
        ['textDocument/rename'] = {
          before = {
            { progress = 'begin', create = true, title = 'thinking' },
            { progress = 'report', message = 'hard' },
          },
          silent = true,
        },
      },
    }
    local id = c:ask('tools/call', {
      name = 'lsp_rename',
      arguments = RENAME,
      _meta = { progressToken = 7 },
    })
    local params = c:heard('notifications/progress', function(params)
      return params.message:find('hard', 1, true)
    end)
    assert.equal(7, params.progressToken)
    c:notify('notifications/cancelled', { requestId = id })
    p:wait_received('$/cancelRequest')
    assert.same({}, c:request('ping'))
    assert.is_nil(c.replies[id])
    assert.equal('old\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('has the diagnostics as resources, and tells when they change', function()
    local range = {
      start = { line = 0, character = 0 },
      ['end'] = { line = 0, character = 3 },
    }
    local found = { range = range, severity = 1, message = 'out of date' }
    local publish = { publish = '{ROOT}/a b.txt', version = 'same', diagnostics = { found } }
    local p = fault.project { on = { ['textDocument/didOpen'] = { after = { publish } } } }
    p:files { ['a b.txt'] = 'old\n' }
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    c:initialize()
    local uri = 'oxide://diagnostics/a%20b.txt'
    assert.same({}, c:request('resources/subscribe', { uri = uri }))
    local id = c:ask('resources/read', { uri = uri })
    local row = c:reply(id).result.contents[1]
    assert.equal(uri, row.uri)
    assert.matches('a b%.txt:1:1%-1:4 severity: error, .*out of date', row.text)
    assert.equal(uri, c:heard('notifications/resources/updated').uri)
    local actions = c:request('resources/read', { uri = 'oxide://actions' })
    assert.matches('count: 0', actions.contents[1].text)
    assert.equal(-32002, c:reply(c:ask('resources/read', { uri = 'oxide://other' })).error.code)
    local gone = c:reply(c:ask('resources/read', { uri = 'oxide://diagnostics/gone.txt' })).error
    assert.equal(-32002, gone.code)
    assert.equal('oxide://diagnostics/gone.txt', gone.data.uri)
  end)

  it('asks the person by way of the client', function()
    for _, case in ipairs {
      { action = 'accept', text = 'new\n' },
      { action = 'decline', text = 'old\n', failed = true },
      { action = 'cancel', text = 'old\n', failed = true },
    } do
      local asked
      local p, c = renaming(renames, { elicitation = vim.empty_dict() }, {
        ['elicitation/create'] = function(params)
          asked = params
          return { action = case.action }
        end,
      })
      local text, failed = c:call('lsp_rename', RENAME)
      assert.equal(case.failed or false, failed, text)
      assert.matches('old.*new.*%-old\n%+new\n', asked.message)
      assert.equal(case.text, helper.read(p.dir .. '/a.txt'))
      c:close()
    end
  end)

  it('takes a question back with the call', function()
    local p, c = renaming(renames, { elicitation = vim.empty_dict() })
    local id = c:ask('tools/call', { name = 'lsp_rename', arguments = RENAME })
    c:heard('elicitation/create')
    c:notify('notifications/cancelled', { requestId = id })
    c:heard('notifications/cancelled')
    assert.same({}, c:request('ping'))
    assert.equal(0, c:close().code)
    assert.equal('old\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('leaves a change alone that nobody can be asked about, and says how to make it', function()
    local p, c = renaming(renames)
    local text, failed = c:call('lsp_rename', RENAME)
    assert.is_false(failed)
    assert.matches('needs_confirmation: true', text)
    assert.matches('confirm: "apply"', text)
    assert.equal('old\n', helper.read(p.dir .. '/a.txt'))
    local id = text:match('action_id: (%S+)'):gsub(',$', '')
    local waiting = c:request('resources/read', { uri = 'oxide://actions' }).contents[1].text
    assert.is_truthy(waiting:find(id, 1, true), waiting)
    c:call('lsp_rename', vim.tbl_extend('force', RENAME, { confirm = 'apply' }))
    assert.equal('new\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('asks in two rounds where there is no session', function()
    local p = fault.project(renames)
    p:files { ['a.txt'] = 'old\n' }
    local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
    local function call(more)
      return c:request(
        'tools/call',
        vim.tbl_extend('force', {
          name = 'lsp_rename',
          arguments = RENAME,
          _meta = {
            ['io.modelcontextprotocol/protocolVersion'] = '2026-07-28',
            ['io.modelcontextprotocol/clientCapabilities'] = { elicitation = vim.empty_dict() },
          },
        }, more or {})
      )
    end
    local first = call()
    assert.equal('input_required', first.resultType)
    assert.matches('%-old\n%+new\n', first.inputRequests.confirm.params.message)
    assert.equal('old\n', helper.read(p.dir .. '/a.txt'))
    -- the person has agreed to another change than it would be now
    helper.write(p.dir .. '/a.txt', 'old \n')
    local again = call {
      requestState = first.requestState,
      inputResponses = { confirm = { action = 'accept' } },
    }
    assert.equal('input_required', again.resultType)
    local done = call {
      requestState = again.requestState,
      inputResponses = { confirm = { action = 'accept' } },
    }
    assert.equal('complete', done.resultType)
    assert.is_false(done.isError)
    assert.equal('new \n', helper.read(p.dir .. '/a.txt'))
  end)
end)
