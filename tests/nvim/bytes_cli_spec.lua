-- Texts and names that are not UTF-8, or have a NUL: bytes are bytes, on the command line, through
-- MCP, and in a Neovim.
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')
local relay = require('relay')

local put, get = project.put, project.get

local SHOWN = '\244\143\187\169' -- U+10FEE9, which shows the byte E9
local NAME = 'caf\xe9.txt'
local TEXT = 'un caf\xe9\nna\xefve \xc3\xa9\n\0nul\0\n'

local dir ---@type string

---@param args string[]
---@param stdin? string
local function raw(args, stdin)
  return vim
    .system(args, {
      cwd = dir,
      stdin = stdin,
      env = {
        XDG_STATE_HOME = dir .. '.state',
        XDG_CONFIG_HOME = dir .. '.config',
        XDG_RUNTIME_DIR = dir .. '.run',
      },
    })
    :wait()
end

---@param tool string
---@param args string[]|string   flags, or JSON for standard input
local function call(tool, args)
  local argv = { helper.core, 'call', tool, '--root', dir, '--yes' }
  local json = type(args) == 'string' and args or nil
  local done = raw(vim.list_extend(argv, json and { '-' } or args), json)
  local answer = vim.json.decode(done.stdout, { luanil = { object = true, array = true } })
  return answer, done
end

local function made(tool, args)
  local answer = call(tool, args)
  assert.is_true(answer.success, vim.inspect(answer))
  return answer
end

before_each(function()
  dir = project.begin()
end)

after_each(project.finish)

describe('bytes on the command line', function()
  it('are read and given back by what shows them', function()
    put(NAME, TEXT)
    local answer, done = call('read_file', { '--file', NAME, '--numbered', 'false' })
    assert.equal('caf' .. SHOWN .. '.txt', answer.file)
    assert.equal('un caf' .. SHOWN .. '\nna\244\143\187\175ve \xc3\xa9\n\0nul\0\n', answer.content)
    assert.matches('U%+10FEE9', answer.not_utf8)
    assert.is_nil(done.stdout:find('[\xe9\xef]')) -- all that is printed is UTF-8
    -- the same characters say which text, and which file
    made(
      'edit_file',
      vim.json.encode {
        file_path = answer.file,
        old_string = 'caf' .. SHOWN .. '\n',
        new_string = SHOWN .. '\0t' .. SHOWN .. '\n',
      }
    )
    assert.equal('un \xe9\0t\xe9\nna\xefve \xc3\xa9\n\0nul\0\n', get(NAME))
    made('undo', {})
    assert.equal(TEXT, get(NAME))
  end)

  it('may be escaped in JSON, as Python does it too', function()
    put(NAME, TEXT)
    made(
      'multi_edit',
      [[{"operations": [
        {"edit_type": "replace", "file_path": "caf\udce9.txt", "old_string": "na\udbff\udeefve",
         "new_string": "\udbff\udeef\u0000"},
        {"edit_type": "insert", "file_path": "caf\udbff\udee9.txt", "line_number": 1,
         "content": "\udc80"}]}]]
    )
    assert.equal('\x80\nun caf\xe9\n\xef\0 \xc3\xa9\n\0nul\0\n', get(NAME))
    -- a list that is sent as the text of it
    made(
      'multi_edit',
      vim.json.encode {
        operations = [==[[{"edit_type": "delete", "file_path": "caf\udce9.txt", "line_number": 1,
          "expect": "\udbff\ude80"}]]==],
      }
    )
    assert.equal('un caf\xe9\n\xef\0 \xc3\xa9\n\0nul\0\n', get(NAME))
    local answer =
      call('edit_file', '{"file_path": "a\\u0000b", "old_string": "a", "new_string": "b"}')
    assert.equal('invalid', answer.error.code)
    assert.matches('file_path contains a NUL byte', answer.error.message)
  end)

  it('are bytes in flags and in the files that flags name', function()
    put(NAME, TEXT)
    made('edit_file', { '--file', NAME, '--old-string', 'caf\xe9', '--new-string', '\xff' })
    assert.equal('un \xff\nna\xefve \xc3\xa9\n\0nul\0\n', get(NAME))
    put('old', '\0nul')
    put('new', SHOWN) -- in a file that is the character itself
    made('edit_file', { '--file', NAME, '--old-string-from', 'old', '--new-string-from', 'new' })
    assert.equal('un \xff\nna\xefve \xc3\xa9\n' .. SHOWN .. '\0\n', get(NAME))
    local seen = call('read_file', { '--file', NAME, '--start-line', '3', '--numbered', 'false' })
    assert.not_equal(SHOWN .. '\0\n', seen.content)
    made(
      'edit_file',
      vim.json.encode { file_path = NAME, old_string = vim.trim(seen.content), new_string = 'x' }
    )
    assert.equal('un \xff\nna\xefve \xc3\xa9\nx\n', get(NAME))
    put('all', 'a\0\xe9')
    made('write_file', { '--file', 'new\xe8\n.txt', '--content-from', 'all' })
    assert.equal('a\0\xe9', get('new\xe8\n.txt'))
    made('undo', {})
    assert.is_nil(get('new\xe8\n.txt'))
  end)

  it('are shown to a person as they are elsewhere', function()
    put(NAME, TEXT)
    local _, done = pcall(raw, {
      helper.core,
      'call',
      'read_file',
      '--root',
      dir,
      '--text',
      '--file',
      NAME,
    })
    assert.equal('1: un caf<e9>\n2: na<ef>ve \xc3\xa9\n3: <00>nul<00>\n', done.stdout)
  end)

  it('stand in the history and in what recover says', function()
    put(NAME, TEXT)
    local made_by = made('edit_file', { '--file', NAME, '--line-number', '1', '--content', '\xe9' })
    put(NAME, 'other\n')
    local answer = call('undo', { '--transaction', made_by.transaction })
    assert.equal('stale', answer.error.code)
    assert.matches('caf' .. SHOWN .. '.txt', answer.error.message)
    local done = raw { helper.core, 'recover', '--json' }
    assert.same({ recovered = {}, left = {} }, vim.json.decode(done.stdout))
  end)
end)

describe('a patch that is not UTF-8', function()
  it('makes the bytes that git makes', function()
    put(NAME, TEXT)
    put('plain.txt', 'a\r\nb\n')
    for _, args in ipairs {
      { 'init', '-q' },
      { 'add', '.' },
      { '-c', 'user.name=a', '-c', 'user.email=b', 'commit', '-qm', 'c' },
    } do
      assert.equal(0, raw(vim.list_extend({ 'git' }, args)).code)
    end
    local want = 'un caf\xe9!\nna\xefve \xc3\xa9\nn\xefw\n\0nul\0\n'
    put(NAME, want)
    put('plain.txt', '\xe9\r\nb\n')
    local diff = raw({ 'git', 'diff', '--text' }).stdout
    raw { 'git', 'checkout', '-q', '.' }
    assert.equal(TEXT, get(NAME))
    put('../change.diff', diff)
    local answer = made('apply_patch', { '--patch-from', '../change.diff' })
    assert.equal(2, answer.files_changed)
    assert.equal(want, get(NAME))
    assert.equal('\xe9\r\nb\n', get('plain.txt'))
    -- and the diff that is answered, once the bytes are back, is one that git applies
    raw { 'git', 'checkout', '-q', '.' }
    local bytes = answer.diff:gsub('\244\143[\186\187][\128-\191]', function(c)
      return string.char(vim.fn.char2nr(c) % 256)
    end)
    put('../answer.diff', bytes)
    local done = raw { 'git', 'apply', '../answer.diff' }
    assert.equal(0, done.code, done.stderr)
    assert.equal(want, get(NAME))
    made('undo', {}) -- its files are as it left them
    assert.equal(TEXT, get(NAME))
  end)
end)

describe('bytes through MCP', function()
  it('go both ways', function()
    put(NAME, TEXT)
    local c = mcp.start(dir, { '--root', dir, '--here' })
    c:initialize()
    local text = c:call('read_file', { file_path = NAME:gsub('\xe9', SHOWN), numbered = false })
    assert.matches('un caf' .. SHOWN .. '\n', text)
    local _, failed = c:call('edit_file', {
      file_path = NAME:gsub('\xe9', SHOWN),
      old_string = 'un caf' .. SHOWN,
      new_string = 'deux\0' .. SHOWN,
    })
    assert.is_false(failed)
    assert.equal('deux\0\xe9\nna\xefve \xc3\xa9\n\0nul\0\n', get(NAME))
    -- escaped
    c:send(
      [[{"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": "edit_file",]]
        .. [[ "arguments": {"file_path": "caf\udce9.txt", "line_number": 1,]]
        .. [[ "content": "\udbff\udee9"}}}]]
    )
    assert.is_false(c:reply('x').result.isError)
    assert.equal('\xe9\nna\xefve \xc3\xa9\n\0nul\0\n', get(NAME))
    assert.equal(0, c:close().code)
  end)
end)

describe('bytes in a Neovim', function()
  local child, run

  after_each(function()
    vim.fn.delete(run, 'rf')
  end)

  local function done(args, opts)
    return relay.finish(relay.call(child, run, args, opts))
  end

  it('are changed in the buffers of a file, in its own encoding', function()
    run = helper.tempdir()
    local latin = 'un caf\xe9\nna\xefve\n'
    child = relay.start({ ['l1.txt'] = latin, [NAME] = 'x\xe9\0y\n' }, run)
    dir, project.dir = child.dir, child.dir
    child:cmd('edit ++enc=latin1 l1.txt')
    assert.equal('latin1', child:lua('return vim.bo.fileencoding'))
    -- the buffer's text is UTF-8, and is what is seen
    local seen = done { 'read_file', '--file', 'l1.txt', '--numbered', 'false' }
    assert.equal('un caf\xc3\xa9\nna\xc3\xafve\n', seen.answer.content)
    local answer = done {
      'edit_file',
      '--yes',
      '--file',
      'l1.txt',
      '--old-string',
      'caf\xc3\xa9',
      '--new-string',
      'th\xc3\xa9',
    }
    assert.is_true(answer.answer.success, vim.inspect(answer))
    child:cmd('silent! wall')
    assert.equal('un th\xe9\nna\xefve\n', get('l1.txt'))
  end)

  it('stay in a buffer that has them as they are, also in its name', function()
    run = helper.tempdir()
    child = relay.start({ [NAME] = 'x\xe9\0y\n' }, run)
    dir, project.dir = child.dir, child.dir
    child:lua([[vim.cmd.edit { args = { 'caf\233.txt' }, magic = { file = false } }]])
    local seen = done { 'read_file', '--file', NAME, '--numbered', 'false' }
    assert.equal('buffer', seen.answer.where)
    local answer = done({ 'edit_file', '--yes', '-' }, {
      stdin = [[{"file_path": "caf\udce9.txt", "line_number": 1, "content": "\udce9\u0000z"}]],
    })
    assert.is_true(answer.answer.success, vim.inspect(answer))
    child:cmd('silent! wall')
    assert.equal('\xe9\0z\n', get(NAME))
  end)
end)

describe('a rename in a project that is not all UTF-8', function()
  it('reaches every file, at the places that the server was shown', function()
    put('f.h', 'int f(int a);\n')
    put('f.c', '#include "f.h"\nint f(int a) { return a; }\n')
    put(
      'lat.c',
      '#include "f.h"\n/* \xe9\xe8 */ int l(void) { return /* \xe9 */ f(1); /* \xe9 */ }\n'
    )
    put('caf\xe9.c', '#include "f.h"\nint n(void) { return f(2); }\n')
    put('compile_flags.txt', '-Wall\n')
    local answer = made('lsp_rename', { '--file', 'f.h', '--symbol', 'f', '--new-name', 'gg' })
    assert.is_true(answer.complete, vim.inspect(answer))
    assert.equal(4, answer.files_changed)
    assert.equal(
      '#include "f.h"\n/* \xe9\xe8 */ int l(void) { return /* \xe9 */ gg(1); /* \xe9 */ }\n',
      get('lat.c')
    )
    assert.equal('#include "f.h"\nint n(void) { return gg(2); }\n', get('caf\xe9.c'))
    local flags =
      { '--query', 'references', '--file', 'caf\xe9.c', '--line', '2', '--symbol', 'gg' }
    answer = call('lsp_symbol', flags)
    assert.equal(4, answer.total, vim.inspect(answer))
    assert.is_true(answer.complete, vim.inspect(answer.reasons))
    made('undo', {})
    assert.equal('int f(int a);\n', get('f.h'))
  end)
end)
