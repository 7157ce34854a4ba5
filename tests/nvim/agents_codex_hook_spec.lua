-- The real Codex with the hooks that `oxide hook --print codex` prints, and a model that follows a
-- script, beside a Neovim with an unsaved buffer: what its patches would do to files is reviewed
-- there.
local agents = require('agents')
local helper = require('helper')
local hooked = require('hooked')

if not agents.brought('codex') then
  pending('npm brings no Codex here')
  return
end

local own = agents.all.codex.calls
local DISK, with = hooked.DISK, hooked.with
local FILES = { ['old.txt'] = 'old\n', ['moved.txt'] = 'one\ntwo\n' }

describe('the hook of Codex', function()
  local h, child ---@type test.Hooked, test.Child

  local function patch(...)
    return '*** Begin Patch\n' .. table.concat({ ... }, '\n') .. '\n*** End Patch\n'
  end

  before_each(function()
    h = hooked.begin(FILES)
    child = h.child
  end)
  after_each(function()
    h:finish()
  end)

  ---@param script test.Script
  ---@return fun(): string, vim.SystemObj   as Hooked:run()
  local function start(script)
    local line = ('eval "exec codex $(%s hook --print codex) exec --json --skip-git-repo-check '):format(
      helper.core
    ) .. "--dangerously-bypass-approvals-and-sandbox 'change it'\""
    return h:run('codex', script, { 'sh', '-c', line })
  end

  --- Applies one patch, which comes up for review.
  local function apply(...)
    local text = patch(...)
    local finish, process = start(function(call)
      return call('apply_patch', text).text
    end)
    child:event('ReviewOpen')
    assert.equal(DISK, child:file('list.txt'))
    return finish, process
  end

  local function assert_untouched()
    assert.equal(DISK, child:file('list.txt'))
    for name, text in pairs(FILES) do
      assert.equal(text, child:file(name))
    end
    assert.equal('// mine\n' .. DISK, h:buffer())
  end

  local EDIT = { '*** Update File: list.txt', '@@', '-12', '+12 or so' }

  it('shows a patch, which is written once it is accepted, beside what is not saved', function()
    local finish = apply(unpack(EDIT))
    child:type(':w<CR>')
    assert.matches('Success', finish())
    assert.equal(with(DISK, '12', '12 or so'), child:file('list.txt'))
    child:wait('the buffer', "vim.fn.getline(13) == '12 or so'")
    assert.equal('// mine\n' .. with(DISK, '12', '12 or so'), h:buffer())
    assert.matches('unsaved changes in this file, which are kept', h:told())
    child:cmd('Oxide turn undo')
    child:wait('the turn to be undone', "vim.fn.getline(13) == '12'")
    assert.equal('// mine\n' .. DISK, h:buffer())
  end)

  it('writes the part that was accepted, and the model learns which', function()
    local finish = apply(
      '*** Update File: list.txt',
      '@@',
      '-2',
      '+2 or so',
      '@@',
      '-18',
      '+18 or so',
      '*** Add File: new.txt',
      '+new',
      '*** Delete File: old.txt',
      '*** Update File: moved.txt',
      '*** Move to: sub/there.txt',
      '@@',
      '-two',
      '+TWO'
    )
    child:type('gg/18 or so<CR> :w<CR>')
    assert.matches('Success', finish())
    assert.equal(with(DISK, '2', '2 or so'), child:file('list.txt'))
    assert.equal('new\n', child:file('new.txt'))
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/old.txt'))
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/moved.txt'))
    assert.equal('one\nTWO\n', child:file('sub/there.txt'))
    assert.matches('accepted your change in part', h:told())
    assert.matches('%-18 or so\\n%+18\\n', h:told())
  end)

  it('writes what the person made of it, and the model learns the difference', function()
    local finish = apply(unpack(EDIT))
    child:edit_in_review('12 or so', '12 at most')
    child:type(':w<CR>')
    assert.matches('Success', finish())
    assert.equal(with(DISK, '12', '12 at most'), child:file('list.txt'))
    assert.matches('The user changed what you asked for before accepting it', h:told())
    assert.matches('%-12 or so\\n%+12 at most\\n', h:told())
  end)

  it('is refused with words for the model, and nothing is changed', function()
    local finish = apply(unpack(EDIT))
    child:type(':q<CR>')
    assert.matches('The user has refused this: .*ask what is wanted instead', finish())
    assert_untouched()
  end)

  it('is refused where the user is typing in the same lines', function()
    child:type('/^12$<CR>Atyped<Esc>')
    child:wait('the typed word', "vim.fn.getline(13) == '12typed'")
    local text = patch(unpack(EDIT))
    local finish = start(function(call)
      return call('apply_patch', text).text
    end)
    assert.matches('unsaved changes in list.txt, in line 13, which .*clashes', finish())
    assert.equal(DISK, child:file('list.txt'))
    assert.equal('// mine\n' .. with(DISK, '12', '12typed'), h:buffer())
  end)

  it('may not delete a file that has unsaved changes', function()
    local text = patch('*** Delete File: list.txt')
    local finish = start(function(call)
      return call('apply_patch', text).text
    end)
    assert.matches('unsaved changes in list.txt, which would be lost', finish())
    assert_untouched()
  end)

  it('takes the review back when Codex is killed, and nothing is changed', function()
    local _, process = apply(unpack(EDIT))
    process:kill('sigkill')
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert_untouched()
  end)

  it('asks about a command, and what that changes is caught and undone', function()
    h:agrees()
    local finish = start(function(call)
      call(own.read(child.dir .. '/list.txt')) -- which needs no question
      return call(own.run('sed -i s/^12$/sed/ list.txt && echo made')).text
    end)
    child:wait('the question', "require('oxide.permission').list()[1] ~= nil")
    assert.equal(DISK, child:file('list.txt'))
    child:cmd('Oxide review')
    assert.matches('made', finish())
    assert.matches('run sed %-i s/%^12%$/sed/ list.txt', child:lua('return _G.asked[1]'))
    assert.equal(with(DISK, '12', 'sed'), child:file('list.txt'))
    assert.equal('// mine\n' .. with(DISK, '12', 'sed'), h:buffer())
    child:cmd('Oxide turn undo')
    child:wait('the turn to be undone', "vim.fn.getline(13) == '12'")
    assert.equal('// mine\n' .. DISK, h:buffer())
  end)

  it('runs no hook that the project has of its own', function()
    local hook = { type = 'command', command = 'touch ' .. child.dir .. '/ran' }
    helper.write(
      child.dir .. '/.codex/hooks.json',
      vim.json.encode { hooks = { UserPromptSubmit = { { hooks = { hook } } } } }
    )
    local finish = start(function()
      return 'done'
    end)
    finish()
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/ran'))
  end)
end)
