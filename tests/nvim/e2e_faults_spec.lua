-- A real server, killed and stopped while it is asked: the rename comes all the same, or a message.
local e2e = require('e2e')
local helper = require('helper')

local sample = e2e.samples.clangd
local before, after = e2e.before(sample), e2e.after(sample, 'größe_2')

describe('a real clangd', function()
  local child

  local function pid()
    child:lua([[
      _G.status = nil
      require('oxide.core').query('status', function(_, status) _G.status = status end)
    ]])
    local server = child:wait('the status', '_G.status').servers[1]
    return server and server.pid
  end

  --- Begins a rename; wait for it with done().
  local function ask(context, dry_run)
    child:lua(
      [[
        _G.answer = nil
        local context, dry_run = ...
        local line = vim.fn.search('😀 area')
        local args = {
          file_path = vim.api.nvim_buf_get_name(0),
          line = line,
          column = vim.fn.getline(line):find('= area', 1, true) + 2,
          new_name = 'größe_2',
          dry_run = dry_run,
        }
        require('oxide.core').call('lsp_rename', args, context, function(err, result)
          _G.answer = { err = err, result = result }
        end)
      ]],
      vim.tbl_extend('force', { confirm = 'never' }, context or {}),
      dry_run or false
    )
  end

  local function done()
    return child:wait('the answer', '_G.answer')
  end

  local function assert_renamed(answer)
    assert.is_nil(answer.err and answer.err.message)
    assert.is_true(answer.result.success)
    assert.same(after, e2e.disk(sample, child.dir))
  end

  before_each(function()
    child = e2e.start(sample)
    child:cmd('edit ' .. sample.main)
    ask({}, true)
    assert.is_true(done().result.success) -- its index is whole by now
  end)

  after_each(helper.cleanup)

  it('that is killed while it is asked to rename is started again, and asked again', function()
    local first = pid()
    -- stopped first, so that it cannot answer before it is killed
    assert(vim.uv.kill(first, 'sigstop'))
    ask()
    assert.equal(first, pid())
    assert(vim.uv.kill(first, 'sigkill'))
    assert_renamed(done())
    child:message('clangd ended: clangd was killed by signal 9 %(Killed%); it is being restarted')
    assert.is_true(first ~= pid())
  end)

  it('that hangs costs a time-out, and goes on where it was', function()
    local first = pid()
    assert(vim.uv.kill(first, 'sigstop'))
    ask { timeout_ms = 500 }
    local answer = done()
    assert.equal('timeout', answer.err.code)
    assert.matches('clangd.*500 ms.*it is unresponsive', answer.err.message)
    assert.same(before, e2e.disk(sample, child.dir))
    assert(vim.uv.kill(first, 'sigcont'))
    ask()
    assert_renamed(done())
    assert.equal(first, pid())
  end)

  it('that hangs is started again by hand', function()
    local first = pid()
    assert(vim.uv.kill(first, 'sigstop'))
    ask { timeout_ms = 500 }
    assert.equal('timeout', done().err.code)
    child:cmd('Oxide core restart clangd')
    child:message('clangd is running again')
    ask()
    assert_renamed(done())
    assert.is_true(first ~= pid())
  end)
end)
