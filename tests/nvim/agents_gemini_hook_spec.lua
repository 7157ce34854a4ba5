-- The real Gemini CLI with the hooks that `oxide hook --print gemini` prints in its settings, and a
-- model that follows a script, beside a Neovim with an unsaved buffer: what it does to files with
-- tools of its own is reviewed there.
local agents = require('agents')
local hooked = require('hooked')

if not agents.brought('gemini') or not agents.all.gemini then
  pending('npm brings no Gemini CLI here')
  return
end

local own = agents.all.gemini.calls
local DISK, with = hooked.DISK, hooked.with

describe('the hook of Gemini CLI', function()
  local h, child ---@type test.Hooked, test.Child
  local file ---@type string

  before_each(function()
    h = hooked.begin()
    child = h.child
    file = child.dir .. '/list.txt'
  end)
  after_each(function()
    h:finish()
  end)

  ---@param script test.Script
  ---@return fun(): string   as Hooked:run()
  local function start(script)
    local argv = { 'gemini', '--approval-mode', 'auto_edit', '-p', 'change it' }
    return h:run('gemini', script, argv, hooked.settings('gemini'))
  end

  it('shows an edit, which is written once it is accepted, beside what is not saved', function()
    local finish = start(function(call)
      call(own.read(file))
      return call(own.edit(file, '12\n', '12 or so\n')).text
    end)
    child:event('ReviewOpen')
    assert.equal(DISK, child:file('list.txt'))
    child:type(':w<CR>')
    assert.matches('Successfully modified', finish())
    assert.equal(with(DISK, '12', '12 or so'), child:file('list.txt'))
    child:wait('the buffer', "vim.fn.getline(13) == '12 or so'")
    assert.equal('// mine\n' .. with(DISK, '12', '12 or so'), h:buffer())
    assert.matches('unsaved changes in this file, which are kept', h:told())
    child:cmd('Oxide turn undo')
    child:wait('the turn to be undone', "vim.fn.getline(13) == '12'")
    assert.equal('// mine\n' .. DISK, h:buffer())
  end)

  it('writes the part that was accepted, and the model learns which', function()
    local new = with(with(DISK, '2', '2 or so'), '18', '18 or so')
    local finish = start(function(call)
      call(own.read(file))
      return call('write_file', { file_path = file, content = new }).text
    end)
    child:event('ReviewOpen')
    child:type('gg/18 or so<CR> :w<CR>')
    finish()
    assert.equal(with(DISK, '2', '2 or so'), child:file('list.txt'))
    child:wait('the buffer', "vim.fn.getline(3) == '2 or so'")
    assert.equal('// mine\n' .. with(DISK, '2', '2 or so'), h:buffer())
    assert.matches('accepted your change in part', h:told())
    assert.matches('%-18 or so\\n%+18\\n', h:told())
  end)

  it('writes what the person made of it, and the model learns the difference', function()
    local finish = start(function(call)
      call(own.read(file))
      return call(own.edit(file, '12\n', '12 or so\n')).text
    end)
    child:event('ReviewOpen')
    child:edit_in_review('12 or so', '12 at most')
    child:type(':w<CR>')
    finish()
    assert.equal(with(DISK, '12', '12 at most'), child:file('list.txt'))
    assert.matches('The user changed what you asked for before accepting it', h:told())
    assert.matches('%-12 or so\\n%+12 at most\\n', h:told())
  end)

  it('is refused with words for the model, and nothing is changed', function()
    local finish = start(function(call)
      call(own.read(file))
      return call(own.edit(file, '12\n', '12 or so\n')).text
    end)
    child:event('ReviewOpen')
    child:type(':q<CR>')
    assert.matches('The user has refused this: .*ask what is wanted instead', finish())
    assert.equal(DISK, child:file('list.txt'))
    assert.equal('// mine\n' .. DISK, h:buffer())
  end)

  it('makes a new file', function()
    local path = child.dir .. '/sub/new.txt'
    local finish = start(function(call)
      return call('write_file', { file_path = path, content = 'new\n' }).text
    end)
    child:event('ReviewOpen')
    assert.is_nil(vim.uv.fs_stat(path))
    child:type(':w<CR>')
    finish()
    assert.equal('new\n', child:file('sub/new.txt'))
  end)
end)
