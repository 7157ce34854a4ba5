-- apply_patch through the command line: what it answers, and what is on the disk.
local project = require('project')

local call, refused = project.alone, project.refused
local put, get = project.put, project.get

local dir

before_each(function()
  dir = project.begin()
end)

after_each(project.finish)

describe('apply_patch', function()
  local function patch(...)
    return { patch = table.concat({ ... }, '\n') .. '\n' }
  end

  it('applies V4A to several files, or to none', function()
    put('a.c', 'int a;\r\nint b;\r\n')
    put('old.c', 'x\ny\n')
    local text = patch(
      '*** Begin Patch',
      '*** Update File: a.c',
      '@@',
      ' int a;',
      '-int b;',
      '+int c;',
      '*** Update File: old.c',
      '*** Move to: new.c',
      '@@',
      '-y',
      '+z',
      '*** Add File: sub/n.c',
      '+n',
      '*** End Patch'
    )
    local answer = call('apply_patch', text)
    assert.is_true(answer.success)
    assert.same(
      { 'int a;\r\nint c;\r\n', 'x\nz\n', 'n\n' },
      { get('a.c'), get('new.c'), get('sub/n.c') }
    )
    assert.is_nil(get('old.c'))
    call('undo', vim.empty_dict())
    assert.same({ 'int a;\r\nint b;\r\n', 'x\ny\n' }, { get('a.c'), get('old.c') })
    put('old.c', 'q\n')
    local err = refused('not_found', 'apply_patch', text)
    assert.equal('old.c', err.file)
    assert.equal('int a;\r\nint b;\r\n', get('a.c'))
    assert.is_nil(get('sub/n.c'))
  end)

  it("applies a unified diff with git's renames and copies, also crosswise", function()
    put('a', 'A\n')
    put('b', 'B\n')
    local answer = call(
      'apply_patch',
      patch(
        'diff --git a/a b/b',
        'similarity index 100%',
        'rename from a',
        'rename to b',
        'diff --git a/b b/a',
        'similarity index 100%',
        'rename from b',
        'rename to a'
      )
    )
    assert.is_true(answer.success, vim.inspect(answer))
    assert.same({ 'B\n', 'A\n' }, { get('a'), get('b') })
    call(
      'apply_patch',
      patch(
        'diff --git a/a b/c',
        'similarity index 50%',
        'copy from a',
        'copy to c',
        '--- a/a',
        '+++ b/c',
        '@@ -1 +1 @@',
        '-B',
        '+C'
      )
    )
    assert.same({ 'B\n', 'C\n' }, { get('a'), get('c') })
  end)

  it('refuses a deletion of another text, and links and paths that lead out', function()
    put('a', 'other\n')
    local gone = patch('--- a/a', '+++ /dev/null', '@@ -1 +0,0 @@', '-A')
    refused('not_found', 'apply_patch', gone)
    assert.equal('other\n', get('a'))
    refused(
      'denied',
      'apply_patch',
      patch(
        'diff --git a/l b/l',
        'new file mode 120000',
        '--- /dev/null',
        '+++ b/l',
        '@@ -0,0 +1 @@',
        '+../out'
      )
    )
    assert.is_nil(vim.uv.fs_lstat(dir .. '/l'))
    refused(
      'denied',
      'apply_patch',
      patch('*** Begin Patch', '*** Add File: ../x', '+x', '*** End Patch')
    )
  end)
end)
