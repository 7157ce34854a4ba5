-- A turn of a model that changes two projects, and a file outside of both: one review, one
-- transaction, undone and redone as one from either of them, also after a kill in the middle.
local helper = require('helper')
local model_server = require('model_server')
local project = require('project')

local server, base, one, two, outside ---@type test.ModelServer, string, string, string, string

---@param words string[]
---@param cwd? string   default: the first project
---@return vim.SystemCompleted
local function run(words, cwd)
  return vim
    .system(words, {
      cwd = cwd or one,
      stdin = '',
      env = {
        XDG_STATE_HOME = base .. '/state',
        XDG_CONFIG_HOME = base .. '/none',
        ASAN_OPTIONS = words[1] == 'strace' and 'detect_leaks=0' or vim.env.ASAN_OPTIONS,
      },
    })
    :wait(helper.deadline)
end

---@param cwd string
---@param action string
---@return table answer
local function turn(cwd, action)
  local done = run({ helper.core, 'call', 'turn', '--yes', '--action', action }, cwd)
  return vim.json.decode(done.stdout)
end

local OLD = { 'a\n', 'b\n', 'x\n' }
local NEW = { 'A\n', 'B\n', 'X\n' }

---@return string[] texts
local function now()
  return vim.tbl_map(helper.read, { one .. '/a.txt', two .. '/b.txt', outside })
end

local function says()
  server:says {
    calls = { { id = 'p', name = 'manage_projects', args = { add_project_path = two } } },
  }
  local calls = {}
  for i, path in ipairs { one .. '/a.txt', two .. '/b.txt', outside } do
    calls[i] = {
      id = 'c' .. i,
      name = 'edit_file',
      args = { file_path = path, old_string = OLD[i]:sub(1, 1), new_string = NEW[i]:sub(1, 1) },
    }
  end
  server:says { calls = calls }
  server:says { text = 'Done.' }
end

local function ask(...)
  local words = vim.list_extend({ ... }, { helper.core, 'ask', '--yes', '--config' })
  return run(
    vim.list_extend(words, { base .. '/oxide.lua', '--data', helper.root .. '/lua/oxide', 'go' })
  )
end

--- All as it was at first, and a model that is about to change it.
local function begin()
  server = model_server.start('openai')
  helper.write(one .. '/a.txt', OLD[1])
  helper.write(two .. '/b.txt', OLD[2])
  helper.write(outside, OLD[3])
  helper.write(
    base .. '/oxide.lua',
    ([[return { models = { fast = { url = %q, model = "m" } },
        chat = { permissions = { other = "allow", edit = { outside = "allow" } } } }]]):format(
      server.url
    )
  )
  says()
end

describe('a turn over two projects', function()
  before_each(function()
    one = project.begin()
    base = vim.fs.dirname(one)
    two, outside = base .. '/second', base .. '/x.txt'
    vim.fn.mkdir(two)
    helper.write(two .. '/Makefile', 'all:\n')
    begin()
  end)

  after_each(function()
    server:stop()
    project.finish()
  end)

  it('is one transaction, undone and redone from either', function()
    local done = ask()
    assert.equal(0, done.code, done.stderr)
    assert.same(NEW, now(), server.asked[3].raw)
    for _, cwd in ipairs { two, one } do
      local undone = turn(cwd, 'undo')
      assert.equal(3, undone.files_changed, vim.inspect(undone))
      assert.same(OLD, now())
      assert.equal('not_found', turn(cwd, 'undo').error.code)
      assert.is_true(turn(cwd == one and two or one, 'redo').success)
      assert.same(NEW, now())
    end
    assert.truthy(turn(two, 'diff').diff:find('+A', 1, true))
    local undone = run { helper.core, 'call', 'undo', '--yes' }
    assert.equal(0, undone.code, undone.stdout)
    assert.same(OLD, now())
  end)

  it('is undone where links were put in the way since, in no part', function()
    assert.equal(0, ask().code)
    vim.fn.mkdir(base .. '/else')
    helper.write(base .. '/else/b.txt', NEW[2])
    vim.fn.rename(two, base .. '/moved')
    assert(vim.uv.fs_symlink(base .. '/else', two))
    assert.equal('denied', turn(one, 'undo').error.code)
    assert.same(NEW, now())
  end)

  it('is whole or not at all, however it is killed', function()
    local made = 0
    for n = 1, 8 do
      server:stop()
      begin()
      ask(
        'strace',
        '-f',
        '-qq',
        '-o',
        '/dev/null',
        '-e',
        'trace=renameat2',
        '-e',
        ('inject=renameat2:signal=KILL:when=%d'):format(n)
      )
      local recovered = run { helper.core, 'recover' }
      assert.equal(0, recovered.code, recovered.stderr)
      local texts = now()
      local new = vim.deep_equal(NEW, texts)
      assert(new or vim.deep_equal(OLD, texts), vim.inspect(texts))
      made = made + (new and 1 or 0)
    end
    assert.is_true(made > 0)
  end)
end)
