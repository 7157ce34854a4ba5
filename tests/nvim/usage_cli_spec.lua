-- What the command line says of itself: every command, and that the documents agree with it.
local helper = require('helper')

local dir

before_each(function()
  dir = helper.tempdir()
end)

after_each(function()
  vim.fn.delete(dir, 'rf')
end)

---@param words string[]
local function oxide(words)
  local env = { XDG_STATE_HOME = dir .. '/state', XDG_CONFIG_HOME = dir .. '/config' }
  local command = vim.list_extend({ helper.core }, words)
  return vim.system(command, { cwd = dir, env = env, text = true, stdin = '' }):wait()
end

--- { NAME, WHAT IT DOES } of each command.
local function commands()
  local list = {}
  for name, does in oxide({ '--help' }).stdout:gmatch('\n  oxide (%l+) +([^\n]+)') do
    table.insert(list, { name, does })
  end
  return list
end

local function tools()
  return vim.json.decode(oxide({ 'tools', '--json' }).stdout)
end

--- The flags of a text, as { ['--file'] = true }.
local function flags(text)
  local found = {}
  for flag in (' ' .. text):gmatch('[^%w-](%-%-%l[%l-]*)') do
    found[flag] = true
  end
  return found
end

describe('oxide', function()
  it('lists its commands, a line each, that fits', function()
    local done = oxide { '--help' }
    assert.same({ 0, '' }, { done.code, done.stderr })
    assert.equal(done.stdout, oxide({ '-h' }).stdout)
    assert.equal(done.stdout, oxide({ 'help' }).stdout)
    assert.equal(15, #commands())
    for _, line in ipairs(vim.split(done.stdout, '\n')) do
      assert.is_true(#line <= 90, line)
    end
    local bare = oxide {}
    assert.same({ 2, '', done.stdout }, { bare.code, bare.stdout, bare.stderr })
  end)

  it('says what each of them takes, in three ways', function()
    for _, command in ipairs(commands()) do
      local name, does = unpack(command)
      local done = oxide { name, '--help' }
      assert.same({ 0, '' }, { done.code, done.stderr }, name)
      assert.equal(done.stdout, oxide({ name, '-h' }).stdout)
      assert.equal(done.stdout, oxide({ 'help', name }).stdout)
      assert.equal(('oxide %s: %s'):format(name, does), vim.split(done.stdout, '\n')[1])
      assert.matches('\n  oxide ' .. name, done.stdout)
      assert.matches('\nExit status: ', done.stdout)
      assert.matches('\nExamples?:\n  .*oxide ' .. name, done.stdout)
      for _, line in ipairs(vim.split(done.stdout, '\n')) do
        assert.is_true(#line <= 84, line)
      end
    end
  end)

  it('says what each tool takes, with each of its arguments', function()
    for _, tool in ipairs(tools()) do
      local done = oxide { 'help', tool.name }
      assert.equal(0, done.code)
      assert.equal(done.stdout, oxide({ 'call', tool.name, '--help' }).stdout)
      local shown = flags(done.stdout)
      for argument in pairs(tool.inputSchema.properties) do
        assert.is_true(shown['--' .. argument:gsub('_', '-')], argument)
      end
    end
  end)

  it('gives no command the name of a tool', function()
    local names = {}
    for _, tool in ipairs(tools()) do
      names[tool.name] = true
    end
    for _, command in ipairs(commands()) do
      assert.is_nil(names[command[1]])
    end
  end)

  it('knows the options that it names, and wants the value of those that have one', function()
    for _, command in ipairs(commands()) do
      local name = command[1]
      for flag in
        (name == 'call' and '' or oxide({ name, '--help' }).stdout):gmatch('\n  (%-%-%l[%l-]*) %u')
      do
        local done = oxide { name, flag }
        assert.same({ 2, '' }, { done.code, done.stdout }, name .. flag)
        assert.equal(
          ('oxide: %s needs a value; see `oxide %s --help`\n'):format(flag, name),
          done.stderr
        )
      end
    end
  end)

  it('refuses what a command does not take, and says where to look', function()
    for _, command in ipairs(commands()) do
      local name = command[1]
      local done = oxide { name, '--nonsense', 'x' }
      local told = name == 'call' and 'unknown tool %-%-nonsense' or 'unknown option %-%-nonsense'
      assert.equal(2, done.code, name)
      assert.matches(told, done.stderr .. done.stdout)
      assert.matches(
        name == 'call' and '; see `oxide tools`' or ('; see `oxide %s %%-%%-help`'):format(name),
        done.stderr .. done.stdout
      )
    end
    for words, told in pairs {
      ['models x'] = 'models takes no arguments, and "x" is one too many; see `oxide models --help`',
      ['number a b'] = 'number takes one argument, and "b" is one too many; see `oxide number --help`',
      ['records a b'] = 'records takes one session, not a and b too; see `oxide records --help`',
      ['records --raw'] = '--raw needs --export; see `oxide records --help`',
      ['chat hello'] = 'chat reads messages from standard input, not "hello"; see `oxide chat --help`',
      ['help lsp_renam'] = 'no command is called lsp_renam; unknown tool lsp_renam'
        .. ' (did you mean lsp_rename?); see `oxide --help` and `oxide tools`',
      ['asc'] = 'unknown command asc (did you mean ask?); see `oxide --help`',
      ['rename a b'] = 'unknown command rename (did you mean `oxide call lsp_rename`?);'
        .. ' see `oxide --help` and `oxide tools`',
      ['undo'] = 'undo is a tool: use `oxide call undo`; see `oxide help undo`',
      ['--root'] = '--root needs a value; see `oxide --help`',
    } do
      local done = oxide(vim.split(words, ' '))
      assert.same({ 2, '', 'oxide: ' .. told .. '\n' }, { done.code, done.stdout, done.stderr })
    end
    local done = oxide { 'call', 'read_file', '--lines', '3' }
    assert.equal(
      'read_file has no argument --lines; see `oxide call read_file --help`',
      vim.json.decode(done.stdout).error.message
    )
  end)
end)

describe('help and README', function()
  local GLOBAL = flags('--version --help --json --root --config --data')

  it('name every command', function()
    local help = helper.read(helper.root .. '/doc/oxide.txt')
    for _, command in ipairs(commands()) do
      assert.truthy(
        help:find('`?oxide ' .. command[1]) or help:find('\n    ' .. command[1]),
        command[1]
      )
    end
  end)

  it('use only options that the usage has', function()
    local usage = {}
    local function usage_of(words)
      local key = table.concat(words, ' ')
      if not usage[key] then
        local done = oxide(vim.list_extend(vim.list_slice(words), { '--help' }))
        usage[key] = done.code == 0 and flags(done.stdout) or {}
      end
      return usage[key]
    end
    local seen = 0
    for _, file in ipairs { 'README.md', 'doc/oxide.txt' } do
      local text = helper.read(helper.root .. '/' .. file):gsub('\\\n *', ' ')
      for words in text:gmatch('oxide (%l+ [^\n`]*)') do
        local name, rest = words:match('^(%l+) (.*)')
        local tool = name == 'call' and rest:match('^[%l_]+')
        -- what follows -- is another program's, and what follows || or | another command
        rest = (' ' .. rest):gsub(' %-%- .*', ''):gsub("'[^']*'", '')
        if oxide({ 'help', name }).code == 0 then
          for flag in pairs(flags(rest)) do
            seen = seen + 1
            local known = GLOBAL[flag]
              or usage_of({ name })[flag]
              or tool and usage_of({ name, tool })[flag]
              or tool and usage_of({ name, tool })[flag:gsub('%-from$', '')]
              or tool and flag == '--file'
            assert.is_true(known or false, ('%s: oxide %s: %s'):format(file, words, flag))
          end
        end
      end
    end
    assert.is_true(seen > 40, seen)
  end)
end)

describe('a start', function()
  it('loads nothing that only models need', function()
    local env = { LD_TRACE_LOADED_OBJECTS = '1' }
    local loads = vim.system({ helper.core, '--version' }, { env = env, text = true }):wait().stdout
    assert.matches('libc%.', loads)
    assert.is_nil(loads:find('libcurl', 1, true), loads)
  end)
end)
