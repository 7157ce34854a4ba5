-- Many changes at the same time: each is made on what those before it left, whichever core made
-- them, and what another program writes meanwhile is neither overwritten nor removed.
local crash = require('crash')
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')
local relay = require('relay')

local put, get = project.put, project.get

local dir

local function numbered(n, format)
  local lines = {}
  for i = 1, n do
    table.insert(lines, format:format(i))
  end
  return table.concat(lines)
end

local function edit(c, args)
  return c:ask('tools/call', { name = args.edit_type or 'edit_file', arguments = args })
end

local function replace(c, i)
  local old, new = ('line %03d\n'):format(i), ('LINE %03d\n'):format(i)
  return edit(c, { file_path = 'a.txt', old_string = old, new_string = new })
end

local function text(c, id)
  local result = c:reply(id).result
  return result.isError, result.content[1].text
end

local function all_done(c, ids)
  for _, id in ipairs(ids) do
    local failed, said = text(c, id)
    assert.is_false(failed, said)
  end
end

--- What two clients ask for in turn, without waiting for an answer.
local function both(clients, n)
  local ids = { {}, {} }
  for i = 1, n do
    local k = i % 2 + 1
    table.insert(ids[k], replace(clients[k], i))
  end
  all_done(clients[1], ids[1])
  all_done(clients[2], ids[2])
  assert.equal(numbered(n, 'LINE %03d\n'), get('a.txt'))
end

describe('changes of one file at the same time', function()
  before_each(function()
    dir = project.begin()
  end)

  after_each(project.finish)

  local function client()
    local c = mcp.start(dir, { '--root', dir })
    c:initialize()
    return c
  end

  it('ten calls of one client are all made', function()
    put('a.txt', numbered(10, 'line %03d\n'))
    local c, ids = client(), {}
    for i = 1, 10 do
      table.insert(ids, replace(c, i))
    end
    all_done(c, ids)
    assert.equal(numbered(10, 'LINE %03d\n'), get('a.txt'))
  end)

  it('200 calls of two clients are all made', function()
    put('a.txt', numbered(200, 'line %03d\n'))
    both({ client(), client() }, 200)
  end)

  it('patches, lines that are named by their text, and several files too', function()
    put('a.txt', numbered(9, 'line %03d\n'))
    put('b.txt', numbered(9, 'line %03d\n'))
    local c, ids = { client(), client() }, {}
    for i = 1, 9 do
      local of = c[i % 2 + 1]
      local name = ('line %03d'):format(i)
      local args = { file_path = 'a.txt', line_number = i, expect = name, content = name:upper() }
      table.insert(ids, { of, edit(of, args) })
      local patch = ('*** Begin Patch\n*** Update File: b.txt\n@@\n-%s\n+%s\n*** End Patch\n'):format(
        name,
        name:upper()
      )
      table.insert(
        ids,
        { of, of:ask('tools/call', { name = 'apply_patch', arguments = { patch = patch } }) }
      )
    end
    for _, one in ipairs(ids) do
      all_done(one[1], { one[2] })
    end
    assert.equal(numbered(9, 'LINE %03d\n'), get('a.txt'))
    assert.equal(numbered(9, 'LINE %03d\n'), get('b.txt'))
  end)

  it('what would throw another one away, or means a line by its number, is refused', function()
    put('a.txt', '1\n2\n3\n')
    local c = client()
    local first = edit(c, { file_path = 'a.txt', old_string = '1\n', new_string = 'one\nmore\n' })
    local others = {
      edit(c, { file_path = 'a.txt', line_number = 3, content = 'three' }),
      c:ask('tools/call', {
        name = 'write_file',
        arguments = { file_path = 'a.txt', content = 'all new\n', overwrite = true },
      }),
    }
    all_done(c, { first })
    for _, id in ipairs(others) do
      local failed, said = text(c, id)
      assert.is_true(failed, said)
      assert.matches('another change was applied first', said)
    end
    assert.equal('one\nmore\n2\n3\n', get('a.txt'))
  end)
end)

describe('beside one Neovim', function()
  local child, run

  before_each(function()
    run = helper.tempdir()
    child =
      relay.start({ ['a.txt'] = numbered(200, 'line %03d\n') }, run, "review = { agent = 'never' }")
    dir, project.dir = child.dir, child.dir
  end)

  after_each(function()
    mcp.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('200 calls of two clients are all made', function()
    child:cmd('edit a.txt')
    local clients = {}
    for k = 1, 2 do
      clients[k] = mcp.start(dir, { '--root', dir }, {}, relay.env(dir, run))
      clients[k]:initialize()
    end
    both(clients, 200)
    assert.is_false(child:lua('return vim.bo.modified'))
  end)

  it('an undo takes back what was asked for before it, though that is not made yet', function()
    child:cmd('edit a.txt')
    child:lua([[
      local function call(tool, args)
        require('oxide.core').call(tool, args, { confirm = 'never' }, function(err, answer)
          _G[tool] = err and { files_changed = err.message } or answer
        end)
      end
      call('edit_file', { file_path = 'a.txt', old_string = 'line 001', new_string = 'LINE 001' })
      call('undo', {})
    ]])
    assert.equal(1, child:wait('the edit', '_G.edit_file and _G.edit_file.files_changed'))
    assert.equal(1, child:wait('the undo', '_G.undo and _G.undo.files_changed'))
    assert.equal(numbered(200, 'line %03d\n'), get('a.txt'))
    assert.equal('line 001', child:lua('return vim.fn.getline(1)'))
  end)
end)

describe('another program writes between the reading and the writing', function()
  local s

  before_each(function()
    s = crash.scene()
  end)
  after_each(crash.cleanup)

  it('what it wrote stays, and the change is refused', function()
    local one = s:held('fdatasync', 1)
    helper.write(s.dir .. '/a.txt', 'old a\nand what another program wrote\n')
    local before = s:tree()
    local done = crash.go_on(one)
    assert.equal(1, done.code, done.stdout)
    local e = vim.json.decode(done.stdout).error
    assert.equal('stale', e.code)
    assert.matches('a.txt', e.message)
    assert.same(before, s:tree())
  end)
end)
