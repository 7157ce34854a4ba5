-- A change that is made in Neovim's buffers as well as on the disk, while Neovim is busy, or closes
-- buffers, or is killed.
local fault = require('fault')
local helper = require('helper')

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n', ['c.txt'] = 'three old\n' }
local ALL = { rename = { files = { 'a.txt', 'b.txt', 'c.txt' } } }

local function start(step, options)
  local p = fault.project({ on = { ['textDocument/rename'] = step } }, options)
  local child = p:nvim(FILES)
  child:cmd('set hidden | edit b.txt')
  child:cmd('edit a.txt')
  return p, child
end

local function never()
  return { name = 'new', review = 'never' }
end

--- What the core has written into its log.
local function core_log(child)
  local ok, text = pcall(helper.read, child.dir .. '/.state/oxide/oxide.log')
  return ok and text or ''
end

--- Keeps the child busy as `:!make` does, until the returned function is called.
local function busy(child)
  local fifo = child.dir .. '/.state/fifo'
  assert(vim.system({ 'mkfifo', fifo }):wait().code == 0)
  vim.rpcnotify(child.chan, 'nvim_command', 'silent !cat ' .. fifo)
  return function()
    helper.write(fifo, '')
  end
end

describe('Neovim that is busy', function()
  after_each(fault.cleanup)

  it('is waited for, however long, and who waits is told', function()
    local step = vim.tbl_extend('force', { hold = 'answer' }, ALL)
    local p, child = start(step, { ['nvim.slow_ms'] = 10 })
    local n = fault.ask(child, 'rename', never())
    p:wait_log('the question', function(entry)
      return entry.holds
    end)
    local go_on = busy(child)
    p:act { release = 'answer' }
    fault.wait('the core to say what it waits for', function()
      return core_log(child):find('Neovim is busy')
    end)
    assert.equal('three new\n', child:file('c.txt'))
    go_on()
    local done = fault.done(child, n)
    assert.is_true(done.result and done.result.success, done.message)
    for name, text in pairs(FILES) do
      assert.equal(text:gsub('old', 'new'), child:file(name))
    end
    assert.same({ 'two new' }, child:lua('return vim.fn.getbufline("b.txt", 1, "$")'))
  end)
end)

describe('a buffer that goes while the core attaches to it', function()
  after_each(fault.cleanup)

  it('takes nothing from the others: their text is whole', function()
    local p, child = start(ALL)
    fault.done(child, fault.ask(child, 'hover'))
    child:cmd('edit gone.txt | edit c.txt | bwipeout gone.txt')
    child:lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'first' })")
    fault.done(child, fault.ask(child, 'hover'))
    assert.equal('first\nthree old\n', p:server_text('c.txt'))
    child:cmd('buffer a.txt')
    local done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.is_true(done.result and done.result.success, done.message)
    assert.same({ 'first', 'three new' }, child:lua('return vim.fn.getbufline("c.txt", 1, "$")'))
  end)
end)

describe('a call that waits for the text of a buffer', function()
  after_each(fault.cleanup)

  --- Calls that come together with a buffer, each of which replaces a word; the first is cancelled.
  local EDITS = [[
    local core = require('oxide.core')
    local edits, cancelled = ...
    _G.ended = {}
    vim.cmd.edit('c.txt')
    for i, with in ipairs(edits) do
      local id = core.call('edit_file', {
        file_path = 'a.txt',
        old_string = 'old',
        new_string = with,
      }, { confirm = 'never' }, function(err)
        _G.ended[i] = err and err.code or 'done'
      end)
      if i == cancelled then
        core.cancel(id)
      end
    end
  ]]

  it('is not made once it is cancelled', function()
    local _, child = start(ALL)
    fault.done(child, fault.ask(child, 'hover'))
    child:lua(EDITS, { 'bad', 'good' }, 1)
    assert.equal('done', child:wait('the second call', '_G.ended[2]'))
    assert.equal('cancelled', child:lua('return _G.ended[1]'))
    assert.same({ 'good one' }, child:lua('return vim.fn.getbufline("a.txt", 1, "$")'))
  end)
end)

describe('a change that is cancelled when the core makes it already', function()
  after_each(fault.cleanup)

  it('is made, and told as made', function()
    local _, child = start(ALL)
    fault.done(child, fault.ask(child, 'hover'))
    child:lua([[
      local core, apply = require('oxide.core'), require('oxide.apply')
      local change = apply.apply
      function apply.apply(request)
        _G.cancelled = core.cancel_all()
        return change(request)
      end
    ]])
    local done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.is_true(done.result and done.result.success, done.message)
    assert.equal(1, child:lua('return _G.cancelled'))
    for name, text in pairs(FILES) do
      assert.equal(text:gsub('old', 'new'), child:file(name))
    end
    child:message('Renamed 3 places')
  end)
end)

describe('a change that could not be undone, and that Neovim refuses', function()
  after_each(fault.cleanup)

  it('is told of by what refused it alone', function()
    local p =
      fault.project { on = { ['textDocument/rename'] = { rename = { files = { 'a.txt' } } } } }
    local child = p:nvim(FILES)
    helper.write(child.dir .. '/.state/oxide/history', 'no directory')
    child:cmd('edit a.txt')
    child:lua([[
      local module = require('oxide.apply')
      local apply = module.apply
      function module.apply(request)
        vim.bo.modifiable = false -- by another plugin, in the last moment
        local answer = apply(request)
        vim.bo.modifiable = true
        return answer
      end
      function _G.let_it()
        module.apply = apply
      end
    ]])
    local refused = fault.done(child, fault.ask(child, 'rename', never()))
    assert.equal(child.dir .. "/a.txt: its buffer is not 'modifiable'", refused.message)
    assert.equal(FILES['a.txt'], child:file('a.txt'))
    child:lua('_G.let_it()')
    local done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.matches('this change cannot be undone: ', done.result.warning)
    assert.equal('new one\n', child:file('a.txt'))
  end)
end)
