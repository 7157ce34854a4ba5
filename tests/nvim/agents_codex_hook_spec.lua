-- The real Codex with the hooks that `oxide hook --print codex` prints, and a model that follows a
-- script, beside a Neovim with an unsaved buffer: what its patches would do to files is reviewed
-- there.
local agents = require('agents')
local helper = require('helper')
local hook_cases = require('hook_cases')
local hooked = require('hooked')

if not agents.brought('codex') then
  pending('npm brings no Codex here')
  return
end

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
    local finish = start(function(call)
      return call('apply_patch', text).text
    end)
    child:event('ReviewOpen')
    assert.equal(DISK, child:file('list.txt'))
    return finish
  end

  local at = {
    it = it,
    name = 'codex',
    edited = 'Success',
    hooked = function()
      return h
    end,
    start = function(script)
      local finish, process = start(script)
      return finish, function()
        process:kill('sigkill')
      end
    end,
  }
  hook_cases.reviews(at)
  hook_cases.clashes(at)
  hook_cases.commands(at)

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
    h:assert_told_of_part()
  end)

  it('may not delete a file that has unsaved changes', function()
    local text = patch('*** Delete File: list.txt')
    local finish = start(function(call)
      return call('apply_patch', text).text
    end)
    assert.matches('unsaved changes in list.txt, which would be lost', finish())
    h:assert_untouched()
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
