-- Files that another program writes before the core knows of their buffers, or while Neovim reads them:
-- what it wrote is not lost.
local helper = require('helper')

describe('a file that another has written', function()
  local child ---@type test.Child

  ---@param config? string
  local function begin(config)
    child = helper.start({ ['a.txt'] = 'one\ntwo\n' }, {
      config = ('{ core = { path = %q }, %s }'):format(helper.core, config or ''),
    })
  end

  --- Another program writes it.
  local function written()
    helper.write(child.dir .. '/a.txt', 'one\ntwo\nhis\n')
  end

  --- As it is about to be seen by whoever comes behind the autocommands of the user's own.
  ---@param event string
  ---@param name string
  local function written_at(event, name)
    child:lua(
      [[
        local event, path = ...
        vim.api.nvim_create_autocmd(event, { once = true, callback = function()
          vim.fn.writefile({ 'one', 'two', 'his' }, path)
        end })
      ]],
      event,
      child.dir .. '/' .. name
    )
    helper.wake(child)
    child:cmd('edit ' .. name)
  end

  --- Replaces "one" in it.
  ---@param name? string
  ---@return table
  local function change(name)
    local args = { file_path = name or 'a.txt', old_string = 'one', new_string = 'ONE' }
    return child:call('edit_file', args)
  end

  local function assert_not_written()
    assert.matches('a.txt: the file was changed on disk since it was read', change().result.warning)
    assert.equal('one\ntwo\nhis\n', child:file('a.txt'))
    child:message('a.txt was changed on disk since it was read%. :e! reads it, :w asks%.')
  end

  after_each(helper.cleanup)

  it('before the core was there is read again before it is changed', function()
    begin()
    child:cmd('edit a.txt')
    written()
    assert.is_nil(change().err)
    assert.equal('ONE\ntwo\nhis\n', child:file('a.txt'))
    assert.same({ 'ONE', 'two', 'his' }, child:lines())
  end)

  it("before the core was there is not written over without 'autoread'", function()
    begin()
    child:cmd('set noautoread | edit a.txt')
    written()
    assert_not_written()
    assert.same({ 'ONE', 'two' }, child:lines())
  end)

  it('before the core was there is not written over by a buffer with changes', function()
    begin("apply = { save = 'all' }")
    child:cmd('edit a.txt | call setline(2, "mine")')
    written()
    assert_not_written()
    assert.same({ 'ONE', 'mine' }, child:lines())
  end)

  it('while there was no core is read again once the next one is there', function()
    begin()
    child:cmd('edit a.txt')
    helper.wake(child)
    child:cmd('Oxide core stop')
    child:event('CoreExit')
    written()
    assert.is_nil(change().err)
    assert.equal('ONE\ntwo\nhis\n', child:file('a.txt'))
  end)

  it('while it was read is read again', function()
    begin()
    written_at('BufReadPost', 'a.txt')
    child:wait('the text', "vim.fn.getline(3) == 'his'")
    assert.is_nil(change().err)
    assert.equal('ONE\ntwo\nhis\n', child:file('a.txt'))
  end)

  it('behind a write, as an autocommand that formats does, is read again', function()
    begin()
    written_at('BufWritePost', 'a.txt')
    child:cmd('call setline(2, "TWO") | write')
    child:wait('the text', "vim.fn.getline(3) == 'his'")
    assert.is_nil(change().err)
    assert.equal('ONE\ntwo\nhis\n', child:file('a.txt'))
  end)

  it('while it was opened as a new one is not written over', function()
    begin()
    written_at('BufNewFile', 'new.txt')
    child:call('write_file', { file_path = 'new.txt', content = 'mine\n', overwrite = true })
    assert.equal('one\ntwo\nhis\n', child:file('new.txt'))
  end)
end)
