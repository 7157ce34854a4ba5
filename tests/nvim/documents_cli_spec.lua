-- The command lines that README and help show, run as they are on copies of the project that they
-- speak of, and what they print where the document says it.
local helper = require('helper')

local base

before_each(function()
  base = helper.tempdir()
  vim.fn.mkdir(base .. '/bin')
  assert(vim.uv.fs_symlink(vim.fn.exepath(helper.core), base .. '/bin/oxide'))
end)

after_each(function()
  vim.fn.delete(base, 'rf')
end)

--- What the commands read besides the project.
local FILES = {
  ['new.c'] = 'if (s->count == 0)\n    return 0;\nreturn (double)process_data(s, 1) / (double)s->count;\n',
  ['operations.json'] = vim.json.encode {
    operations = {
      {
        edit_type = 'replace',
        file_path = 'src/report.c',
        old_string = '"mm"',
        new_string = '"cm"',
      },
    },
  },
  ['change.patch'] = table.concat({
    '--- a/src/report.c',
    '+++ b/src/report.c',
    '@@ -5 +5 @@',
    '-static const char *unit = "mm";',
    '+static const char *unit = "cm";',
    '',
  }, '\n'),
}

--- A fresh copy of the project of C, with the files that the command names.
local function project(name, command)
  local dir = ('%s/%s'):format(base, name)
  local copied = vim
    .system({ 'bash', helper.root .. '/tests/projects/copy.sh', 'c', dir }, { text = true })
    :wait()
  assert.equal(0, copied.code, copied.stderr)
  for file, text in pairs(FILES) do
    if (command or ''):find(file, 1, true) then
      helper.write(dir .. '/' .. file, text)
    end
  end
  return dir
end

--- A line as a shell has it.
local function run(dir, line)
  return vim
    .system({ 'sh', '-c', line }, {
      cwd = dir,
      text = true,
      env = {
        PATH = base .. '/bin:' .. vim.env.PATH,
        XDG_STATE_HOME = dir .. '/.state',
        XDG_CONFIG_HOME = dir .. '/.config',
      },
    })
    :wait()
end

--- The name of a transaction is the time of day.
local function timeless(text)
  return (text:gsub('%d%d%d%d%d%d%d%d%-%d%d%d%d%d%d%-%d+', 'DATE-TIME-1'))
end

local function lines_of(file)
  return vim.split(helper.read(helper.root .. '/' .. file), '\n', { plain = true })
end

describe('the command lines of README', function()
  local commands = {}
  for _, line in ipairs(lines_of('README.md')) do
    local command = line:match('^    (oxide %l.*)$')
    if command then
      table.insert(commands, command)
    end
  end
  assert(#commands >= 10)

  for i, command in ipairs(commands) do
    it(command, function()
      local before = command:match('call undo') and 'oxide call multi_edit - < operations.json'
      local dir = project('demo' .. i, before or command)
      if before then
        assert.equal(0, run(dir, before).code)
      end
      local done = run(dir, command)
      assert.equal(0, done.code, done.stdout .. done.stderr)
      assert.equal('', done.stderr)
      assert.is_true(#done.stdout > 0)
      assert.not_matches('"error"', done.stdout)
    end)
  end
end)

describe('what README shows and leads to', function()
  it('is there, and a picture loads at once', function()
    local text, pictures = helper.read(helper.root .. '/README.md'), 0
    for picture, path in text:gmatch('(!?)%[[^%[%]]*%]%(([^)#]+)') do
      if not path:find('^https?:') then
        local stat = assert(vim.uv.fs_stat(helper.root .. '/' .. path), path .. ' is not there')
        if picture == '!' then
          pictures = pictures + 1
          assert.is_true(stat.size < 400 * 1024, path .. ' is too large')
        end
      end
    end
    assert.equal(3, pictures)
  end)
end)

--- { { command, output }, ... } of the blocks whose lines begin with "$ ".
local function sessions(file)
  local list, one = {}, nil
  for _, line in ipairs(lines_of(file)) do
    local command = line:match('^    %$ (.*)$')
    if command then
      one = { command, '' }
      table.insert(list, one)
    elseif one and one[1]:sub(-1) == '\\' then
      one[1] = one[1] .. '\n' .. line
    elseif one and (line:match('^    ') or line == '') then
      one[2] = one[2] .. line:sub(5) .. '\n'
    else
      one = nil
    end
  end
  return list
end

describe('the example session of the help', function()
  it('prints what is printed there', function()
    local dir, list = project('demo'), sessions('doc/oxide.txt')
    assert.is_true(#list >= 4)
    for _, one in ipairs(list) do
      local done = run(dir, one[1])
      assert.equal('', done.stderr, one[1])
      assert.equal(
        vim.trim(timeless(one[2])),
        vim.trim(timeless(done.stdout:gsub('[ \t]+\n', '\n'))),
        one[1]
      )
      assert.equal(0, done.code, one[1])
    end
  end)

  it('names only tools and words that there are', function()
    local dir = project('demo')
    for _, file in ipairs { 'README.md', 'doc/oxide.txt' } do
      for word in helper.read(helper.root .. '/' .. file):gmatch('`oxide (%l+)') do
        local done = run(dir, 'oxide ' .. word .. ' </dev/null')
        assert.not_matches('unknown command', done.stderr, file)
      end
    end
  end)
end)
