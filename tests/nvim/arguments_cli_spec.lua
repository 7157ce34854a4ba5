-- What the command line takes: arguments from files and standard input, flags, and `oxide number`.
local helper = require('helper')
local project = require('project')

local put, get = project.put, project.get
local core = helper.core

local dir

before_each(function()
  dir = project.begin()
end)

after_each(project.finish)

describe('an argument from a file', function()
  local function run(argv, stdin)
    local done = vim
      .system(
        vim.list_extend({ core, 'call', 'edit_file', '--root', dir, '--file', 'a.c' }, argv),
        { stdin = stdin, env = { XDG_STATE_HOME = dir .. '.state' } }
      )
      :wait()
    return vim.json.decode(done.stdout), done.code
  end

  it('is its text, or standard input', function()
    put('a.c', 'int "a";\n')
    put('old', 'int "a";\n')
    local answer = run({ '--old-string-from', dir .. '/old', '--new-string-from', '-' }, 'x\ny\n')
    assert.is_true(answer.success, vim.inspect(answer))
    assert.equal('x\ny\n', get('a.c'))
  end)

  it('takes any bytes, and is refused where there are none to be had', function()
    put('a.c', 'a\xff\0\n')
    put('bytes', 'a\xff\0')
    local answer, code = run { '--old-string-from', dir .. '/bytes', '--new-string', 'b' }
    assert.equal(0, code, vim.inspect(answer))
    assert.equal('b\n', get('a.c'))
    answer, code = run { '--old-string-from', dir .. '/none', '--new-string', 'b' }
    assert.equal(2, code)
    assert.matches('old_string', answer.error.message)
    answer, code = run { '--replace-all-from', dir .. '/bytes' }
    assert.equal(2, code)
    assert.equal('invalid', answer.error.code)
    assert.equal('b\n', get('a.c'))
  end)

  it('is refused where it is longer than any memory', function()
    put('a.c', 'a\n')
    local fd = assert(vim.uv.fs_open(dir .. '/huge', 'w', 384))
    assert(vim.uv.fs_ftruncate(fd, 2 ^ 42)) -- a hole
    assert(vim.uv.fs_close(fd))
    local answer, code = run { '--old-string-from', dir .. '/huge', '--new-string', 'b' }
    assert.equal(2, code, vim.inspect(answer))
    assert.equal('limit', answer.error.code)
    assert.equal('a\n', get('a.c'))
  end)
end)

describe('arguments on the command line', function()
  local function flags(...)
    local argv = { core, 'call', '--root', dir, '--data', helper.root .. '/lua/oxide' }
    table.insert(argv, 3, (select(1, ...)))
    vim.list_extend(argv, { select(2, ...) })
    local done = vim.system(argv, { env = { XDG_STATE_HOME = dir .. '.state' }, stdin = '' }):wait()
    return done.code, vim.json.decode(done.stdout)
  end

  it('that name a folder as the text are an error, and empty no file', function()
    put('a.txt', 'one\n')
    local code, answer =
      flags('write_file', '--file', 'a.txt', '--overwrite', '--content-from', dir, '--yes')
    assert.is_true(code > 0)
    assert.matches('content: .* cannot be read: Is a directory', answer.error.message)
    assert.equal('one\n', get('a.txt'))
  end)

  it('that are true or false may say so in the usual ways, and no other', function()
    local function edit(how)
      put('a.txt', 'one\n')
      local code, answer = flags(
        'edit_file',
        '--file=a.txt',
        '--old-string=one',
        '--new-string=two',
        '--yes',
        '--dry-run=' .. how
      )
      return code, answer.error and answer.error.message or get('a.txt')
    end
    for _, yes in ipairs { 'true', 'yes', 'on', '1' } do
      assert.same({ 0, 'one\n' }, { edit(yes) })
    end
    for _, no in ipairs { 'false', 'no', 'off', '0' } do
      assert.same({ 0, 'two\n' }, { edit(no) })
    end
    local code, message = edit('maybe')
    assert.equal(2, code)
    local told = 'dry_run must be true or false, not "maybe"'
    local help = '; see `oxide call edit_file --help`'
    assert.equal(told .. help, message)
    code, message = flags('edit_file', '--file=a.txt', '--dry-run', 'maybe')
    assert.same({ 2, told .. help }, { code, message.error.message })
  end)

  it('that are wrong are told as text where that is asked for, also behind them', function()
    local done = vim.system({ core, 'call', 'edit_file', '--no-such', '--text' }):wait()
    assert.equal(2, done.code)
    assert.matches('^error: edit_file has no argument %-%-no%-such', done.stdout)
  end)

  it('that name a text which occurs twice are answered with each place once', function()
    put('a.txt', 'one\ntwo\none\n')
    local argv = { core, 'call', 'edit_file', '--root', dir, '--file', 'a.txt', '--text', '--yes' }
    vim.list_extend(argv, { '--old-string', 'one', '--new-string', 'x' })
    local done = vim.system(argv):wait()
    assert.matches('\n  line 3: is the same: `one`\n', done.stdout)
  end)
end)

describe('oxide number', function()
  it('numbers a file', function()
    put('a.txt', 'x\n\ny')
    local done = vim.system({ core, 'number', dir .. '/a.txt' }, { text = true }):wait()
    assert.equal('1: x\n2: \n3: y', done.stdout)
  end)

  it('numbers what comes in parts, also lines that are longer than a part', function()
    local lines, want = {}, {}
    for i = 1, 300 do
      lines[i] = ('x'):rep(i % 50 == 0 and 400000 or i * 7)
      want[i] = ('%d: %s'):format(i, lines[i])
    end
    local done = vim
      .system({ core, 'number' }, { stdin = table.concat(lines, '\n') .. '\n' })
      :wait()
    assert.is_true(done.stdout == table.concat(want, '\n') .. '\n')
  end)

  --- More than 2 MB of lines of which a power of two ends with each block that is read, and others.
  local function many(last)
    local lines = {}
    for i = 1, 20000 do
      lines[i] = ('x'):rep(i < 10000 and 127 or i * 31 % 300)
    end
    table.insert(lines, 15000, ('y'):rep(40000)) -- ends behind its block
    table.insert(lines, last)
    return lines
  end

  it('numbers a large file as it numbers a small one', function()
    for what, last in pairs { line = 'z\r', ['line longer than blocks'] = ('z'):rep(500000) } do
      local lines = many(last)
      vim.list_extend(lines, { 'more', '', 'end' })
      put('large.txt', table.concat(lines, '\n'))
      local want = {}
      for i, line in ipairs(lines) do
        want[i] = ('%d: %s'):format(i, (line:gsub('\r$', '')))
      end
      local done = vim.system({ core, 'number', dir .. '/large.txt' }):wait()
      assert.is_true(done.stdout == table.concat(want, '\n'), what)
      local rest = '{ read -r line; read -r line; exec ' .. core .. ' number; } <large.txt'
      done = vim.system({ 'bash', '-c', rest }, { cwd = dir }):wait()
      for i = 3, #lines do
        want[i] = ('%d: %s'):format(i - 2, (lines[i]:gsub('\r$', '')))
      end
      assert.is_true(done.stdout == table.concat(want, '\n', 3), what .. ', from its third line')
    end
  end)

  --- Lines of all lengths, some of which end with CR; the longest end behind their blocks.
  local function random(bytes)
    local parts, n = {}, 0
    while n < bytes do
      local most = math.random(200) == 1 and 60000 or ({ 3, 90, 900 })[math.random(3)]
      local line = ('%x'):format(n):rep(most):sub(1, math.random(0, most))
      line = line .. (math.random(9) == 1 and '\r\n' or '\n')
      table.insert(parts, line)
      n = n + #line
    end
    return table.concat(parts)
  end

  local function numbered(text)
    local lines = vim.split(text, '\n', { plain = true })
    local rest = table.remove(lines)
    for i, line in ipairs(lines) do
      lines[i] = ('%d: %s\n'):format(i, (line:gsub('\r$', '')))
    end
    return table.concat(lines) .. (rest ~= '' and ('%d: %s'):format(#lines + 1, rest) or '')
  end

  it('numbers any large file', function()
    local seed = os.time()
    math.randomseed(seed)
    for i = 1, 4 do
      local text = random(2200000 + math.random(300000)) .. (i > 2 and 'end\r' or '')
      put('large.txt', text)
      local done = vim.system({ core, 'number', dir .. '/large.txt' }):wait()
      assert.is_true(done.stdout == numbered(text), 'seed ' .. seed)
    end
  end)

  --- What it makes of a file to which something happens while it cannot write on.
  local function meanwhile(text, happens)
    put('large.txt', text)
    local read = '{ IFS= read -r line; %s; echo "$line"; cat; }'
    local cmd = core .. ' number large.txt | ' .. read:format(happens)
    local done = vim.system({ 'bash', '-c', cmd }, { cwd = dir }):wait()
    assert.equal('', done.stderr)
    return done.stdout
  end

  it('numbers what a file has when it is read', function()
    local text = ('a line of 33 bytes with its end.\n'):rep(200000)
    local cut = ('truncate -s %d large.txt'):format(4000000)
    assert.is_true(meanwhile(text, cut) == numbered(text:sub(1, 4000000)), 'cut short')
    local grown = 'for i in 1 2 3; do echo more; done >>large.txt'
    assert.is_true(meanwhile(text, grown) == numbered(text .. ('more\n'):rep(3)), 'grown')
  end)

  it('ends with who reads', function()
    put('large.txt', ('line\n'):rep(1000000))
    local cmd = core .. ' number large.txt | head -n 2'
    local done = vim.system({ 'sh', '-c', cmd }, { cwd = dir, text = true }):wait()
    assert.equal('1: line\n2: line\n', done.stdout)
  end)

  it('fails when nothing takes a large file', function()
    put('large.txt', table.concat(many(''), '\n'))
    local cmd = core .. ' number large.txt >/dev/full'
    local done = vim.system({ 'sh', '-c', cmd }, { cwd = dir, text = true }):wait()
    assert.equal(1, done.code)
    assert.matches('standard output cannot be written: No space left', done.stderr)
  end)

  it('fails when it cannot read, or nothing takes what it writes', function()
    put('a.txt', 'x\n')
    for path, why in pairs {
      [dir] = 'cannot be read: Is a directory',
      [dir .. '/b.txt'] = 'cannot be read: No such file',
      [dir .. '/a.txt >/dev/full'] = 'standard output cannot be written: No space left',
    } do
      local done = vim.system({ 'sh', '-c', core .. ' number ' .. path }, { text = true }):wait()
      assert.equal(1, done.code)
      assert.is_true(done.stderr:find(why, 1, true) ~= nil, done.stderr)
    end
  end)
end)
