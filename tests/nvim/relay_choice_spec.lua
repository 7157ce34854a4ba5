-- Which editor `oxide call` goes to, what it does without one, and when one goes away midway.
local fault = require('fault')
local helper = require('helper')
local relay = require('relay')

local A = 'one\ntwo\nthree\n'
local EDIT = { 'edit_file', '--file', 'a.txt', '--old-string', 'two', '--new-string', 'TWO' }

local run

local function start(files)
  local child = relay.start(files or { ['a.txt'] = A }, run)
  child:cmd('edit a.txt')
  return child
end

--- Another Neovim in the project of the first.
local function start_beside(child, file)
  local other = helper.start({}, {
    env = { XDG_RUNTIME_DIR = run },
    config = ('{ core = { path = %q } }'):format(helper.core),
  })
  other:cmd(('cd %s | edit %s'):format(child.dir, file))
  relay.listen(other)
  return other
end

--- Says something to the core, and waits for the answer: it has all that was said before.
local function use(child)
  child:lua(
    [[
      local done
      require('oxide.core').query('status', function() done = true end)
      vim.wait((...), function() return done end, 5)
    ]],
    helper.deadline
  )
end

local function mark(child, text)
  child:lua('vim.api.nvim_buf_set_lines(0, 0, 1, false, { ... })', text)
  use(child)
end

local function first_line(child, opts, args)
  local said =
    relay.finish(relay.call(child, run, args or { 'read_file', '--file', 'a.txt' }, opts))
  assert.equal(0, said.code)
  return said.answer.content:match('^1: (%w+)'), said.err
end

local function core_pid(child)
  return child:wait('the core', "require('oxide.process').pid")
end

local function before_each_test()
  run = helper.tempdir()
end

local function after_each_test()
  helper.cleanup()
  vim.fn.delete(run, 'rf')
end

describe('oxide call chooses', function()
  before_each(before_each_test)
  after_each(after_each_test)

  it('of two editors on a project the one used last, and says so', function()
    local one = start()
    local two = start_beside(one, 'a.txt')
    mark(one, 'first')
    mark(two, 'second')
    local pid = two:lua('return vim.uv.os_getpid()')
    -- Neovim may still have to tell that the first one's buffer is modified.
    local err
    local function chosen(child, text)
      fault.wait('the choice of ' .. text, function()
        use(child)
        local line
        line, err = first_line(one)
        return line == text
      end)
    end
    chosen(two, 'second')
    assert.matches('2 editors have .* open; using the one that was used last, Neovim ' .. pid, err)
    chosen(one, 'first')
  end)

  it('the editor whose terminal it runs in', function()
    local one = start()
    local two = start_beside(one, 'a.txt')
    mark(one, 'first')
    mark(two, 'second')
    local address = one:lua('return vim.v.servername')
    local line, err = first_line(one, { env = { NVIM = address } })
    assert.same({ 'first', '' }, { line, err })
  end)

  it('the innermost project, and none for a folder outside', function()
    local outer = start { ['a.txt'] = A, ['sub/a.txt'] = A, ['sub/.git/x'] = '', ['dir/x'] = '' }
    local inner = start_beside(outer, 'sub/a.txt')
    mark(outer, 'outer')
    mark(inner, 'inner')
    mark(outer, 'outer')
    assert.equal('inner', (first_line(outer, { cwd = outer.dir .. '/sub' })))
    assert.equal('outer', (first_line(outer, { cwd = outer.dir .. '/dir' })))
    local named = { 'read_file', '--file', 'a.txt', '--root', outer.dir }
    assert.equal('outer', (first_line(outer, { cwd = outer.dir .. '/sub' }, named)))
    local other = helper.tempdir()
    helper.write(other .. '/a.txt', A)
    local line, err = first_line(outer, { cwd = other })
    assert.same({ 'one', '' }, { line, err })
    vim.fn.delete(other, 'rf')
  end)

  it('a core of its own for another configuration', function()
    local child = start()
    mark(child, 'unsaved')
    helper.write(child.dir .. '/mine.lua', 'return {}')
    local args = { 'read_file', '--file', 'a.txt', '--config', child.dir .. '/mine.lua' }
    assert.equal('one', (first_line(child, nil, args)))
  end)
end)

describe('oxide call without an editor', function()
  before_each(before_each_test)
  after_each(after_each_test)

  it('clears away what a killed core has left', function()
    local child = start()
    local path = relay.listen(child).path
    local pid = core_pid(child)
    vim.uv.kill(pid, 'sigkill')
    fault.wait_end(pid)
    child:event('CoreExit')
    assert.is_table(vim.uv.fs_stat(path))
    local line, err = first_line(child)
    assert.same({ 'one', '' }, { line, err })
    assert.is_nil(vim.uv.fs_stat(path))
  end)

  it('leaves no socket behind when Neovim ends', function()
    local child = start()
    local path, pid = relay.listen(child).path, core_pid(child)
    child:type(':qa!<CR>')
    fault.wait_end(pid)
    assert.is_nil(vim.uv.fs_stat(path))
  end)

  it('goes not near a folder that is not private', function()
    local child = start()
    local dir = run .. '/oxide'
    vim.uv.fs_chmod(dir, 493)
    local line, err = first_line(child)
    assert.equal('one', line)
    assert.matches(
      'is accessible to other users; its mode must be 0700; continuing without it',
      err
    )
    vim.uv.fs_rename(dir, run .. '/moved')
    vim.uv.fs_chmod(run .. '/moved', 448)
    vim.uv.fs_symlink(run .. '/moved', dir)
    line, err = first_line(child)
    assert.equal('one', line)
    assert.matches('/oxide is not a directory', err)
    child:cmd('Oxide core restart')
    child:wait(
      'the reason',
      [[(function()
      local l = listening()
      return l and l.why and l.why:find('is not a directory')
    end)()]]
    )
  end)

  it('puts long folders aside for a short one', function()
    local long = run .. '/' .. ('x'):rep(80)
    vim.fn.mkdir(long)
    local child = helper.start { ['a.txt'] = A }
    assert.equal('one', (first_line(child, { env = { XDG_RUNTIME_DIR = long } })))
    assert.is_nil(vim.uv.fs_stat(long .. '/oxide'))
  end)
end)

describe('when the editor goes away', function()
  before_each(before_each_test)
  after_each(after_each_test)

  it('in the middle of a question, oxide call answers it by itself', function()
    local p = fault.project { on = { ['textDocument/hover'] = { silent = true } } }
    local child = p:nvim({ ['a.txt'] = 'old\n' }, nil, { XDG_RUNTIME_DIR = run })
    vim.fn.mkdir(child.dir .. '/.git')
    child:cmd('edit a.txt')
    relay.listen(child)
    local args =
      { 'lsp_symbol', '--query', 'hover', '--file', 'a.txt', '--line', '1', '--symbol', 'old' }
    local running = relay.call(child, run, args)
    p:wait_log('the question', function(entry)
      return entry.method == 'textDocument/hover'
    end)
    vim.uv.kill(child:lua('return vim.uv.os_getpid()'), 'sigkill')
    local said = relay.finish(running)
    assert.equal('oxide: the editor has disconnected; continuing without it\n', said.err)
    assert.equal('no_server', said.answer.error.code)
    fault.cleanup()
  end)

  it('during the review, nothing is done that nobody has seen', function()
    local child = start()
    local running = relay.call(child, run, EDIT)
    child:event('ReviewOpen')
    vim.uv.kill(core_pid(child), 'sigkill')
    local said = relay.finish(running)
    assert.matches('^oxide: the editor has disconnected; continuing without it\n$', said.err)
    assert.is_true(said.answer.needs_confirmation)
    assert.equal(A, child:file('a.txt'))
  end)

  it('while it writes, the change is not made twice, and the history tells of it', function()
    local child = start()
    local pid = core_pid(child)
    child:lua(
      [[
      local pid = ...
      local apply = require('oxide.apply')
      local save = apply.save
      apply.save = function(request)
        vim.uv.kill(pid, 'sigkill')
        return save(request)
      end
    ]],
      pid
    )
    local running = relay.call(child, run, vim.list_extend({ unpack(EDIT) }, { '--yes' }))
    local said = relay.finish(running)
    assert.equal(1, said.code)
    assert.matches('the change was made: .*, transaction %d', said.answer.error.message)
    assert.matches('^%d+%-%d+%-%d+$', said.answer.transaction)
    child:cmd('') -- the editor takes this once it has written
    assert.equal('one\nTWO\nthree\n', child:file('a.txt'))
  end)
end)

--- Something that listens in the place of a core that is gone, and answers with `answer`.
local function stand_in(child, answer)
  local path, pid = relay.listen(child).path, core_pid(child)
  vim.uv.kill(pid, 'sigkill')
  fault.wait_end(pid)
  child:event('CoreExit')
  assert(vim.uv.fs_unlink(path))
  local server = assert(vim.uv.new_pipe())
  assert(server:bind(path))
  server:listen(8, function()
    local pipe = assert(vim.uv.new_pipe())
    server:accept(pipe)
    pipe:read_start(function(_, bytes)
      for line in (bytes or ''):gmatch('[^\n]+') do
        answer(vim.json.decode(line), function(message)
          pipe:write(type(message) == 'string' and message or vim.json.encode(message) .. '\n')
        end, pipe)
      end
    end)
  end)
  return server
end

describe('a core that is not one of ours', function()
  local server
  before_each(before_each_test)
  after_each(function()
    server:close()
    after_each_test()
  end)

  local function introduce(child, version)
    return function(message, send)
      send {
        jsonrpc = '2.0',
        id = message.id,
        result = {
          protocol = 1,
          version = version,
          root = child.dir,
          editor = 'Neovim 7',
          nvim = '',
        },
      }
    end
  end

  it('of another version is left alone, with a word', function()
    local child = start()
    server = stand_in(child, introduce(child, '99.0'))
    local line, err = first_line(child)
    assert.equal('one', line)
    assert.matches('Neovim 7 runs oxide 99.0, but this is oxide .*; continuing without it', err)
  end)

  it('that talks rubbish or hangs up is left alone', function()
    local child = start()
    server = stand_in(child, function(_, send)
      send('rubbish\n')
    end)
    local line, err = first_line(child)
    assert.equal('one', line)
    assert.matches('continuing without it', err)
  end)

  it('that ends once it has begun to write is not done again for', function()
    local child = start()
    local version =
      vim.json.decode(vim.system({ helper.core, '--version', '--json' }):wait().stdout)
    assert.is_true(vim.list_contains(version.features, 'relay'))
    local hello = introduce(child, version.version)
    server = stand_in(child, function(message, send, pipe)
      if message.method == 'hello' then
        hello(message, send)
      elseif message.method == 'call' then
        send {
          jsonrpc = '2.0',
          id = 1,
          method = 'write',
          params = { call = message.id, title = 'edit a.txt' },
        }
      else
        pipe:close()
      end
    end)
    local said =
      relay.finish(relay.call(child, run, vim.list_extend({ unpack(EDIT) }, { '--yes' })))
    assert.equal(1, said.code)
    assert.equal('io', said.answer.error.code)
    assert.matches('it is not in the history', said.answer.error.message)
    assert.equal(A, child:file('a.txt'))
  end)
end)
