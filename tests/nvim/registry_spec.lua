-- list_code_actions, execute_code_action and refresh_code_actions: changes by their names, in one
-- core, with a scripted server.
local fault = require('fault')
local helper = require('helper')

local LINT = {
  {
    word = 'bad',
    fixes = {
      { title = 'say good', new = 'good', preferred = true },
      { title = 'by hand', new = 'better', how = 'command' },
      { title = 'worse', new = 'evil' },
    },
  },
  { word = 'evil', fixes = { { title = 'do good', new = 'good' } } },
}
local FILES = { ['a.txt'] = 'fine\nbad\n', ['b.txt'] = 'bad\n' }

local function start(options)
  local p = fault.project({
    lint = LINT,
    on = { ['textDocument/documentSymbol'] = { result = {} } },
  }, options)
  local child = p:nvim(FILES)
  child:cmd('set hidden')
  child:cmd('edit a.txt')
  return p, child
end

--- The answer of a tool: its result, or its error.
local function call(child, tool, args)
  child:lua(
    [[
      local tool, args = ...
      _G.answer = nil
      local context = { buf = 0, confirm = 'never' }
      require('oxide.core').call(tool, args, context, function(err, result)
        _G.answer = { err = err and { code = err.code, message = err.message }, result = result }
      end)
    ]],
    tool,
    args or vim.empty_dict()
  )
  local answer = child:wait('the answer of ' .. tool, '_G.answer')
  return answer.result, answer.err
end

local function ids(result)
  return vim.tbl_map(function(a)
    return a.id
  end, result.code_actions)
end

local PLACE = { file_path = 'a.txt', line = 2 }

describe('code actions', function()
  after_each(fault.cleanup)

  it('are known by the same names wherever they are listed', function()
    local _, child = start()
    local here = call(child, 'list_code_actions', PLACE)
    assert.equal(3, here.count)
    local first = here.code_actions[1]
    assert.matches('^fix%-a%.txt:2%-%x+$', first.id)
    assert.equal('a.txt:2: bad is wrong - 1 edit in 1 file', first.description)
    assert.equal('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n fine\n-bad\n+good\n', first.diff)
    assert.same({ 'say good', 'quickfix', 'fake', true }, {
      first.title,
      first.kind,
      first.server,
      first.preferred,
    })
    local rows = call(child, 'lsp_diagnostic', { file_path = 'a.txt' })
    assert.same(
      ids(here),
      vim.tbl_map(function(f)
        return f.action_id
      end, rows.diagnostics[1].fixes)
    )
    assert.same(ids(here), ids(call(child, 'list_code_actions')))
  end)

  it('are made once, and taken back', function()
    local p, child = start()
    local here = call(child, 'list_code_actions', PLACE)
    for _, action in ipairs { here.code_actions[1], here.code_actions[2] } do
      local listed = call(child, 'list_code_actions', PLACE)
      assert.is_true(vim.list_contains(ids(listed), action.id))
      local done = call(child, 'execute_code_action', { action_id = action.id })
      assert.same(
        { action.id, action.title, action.diff },
        { done.action_id, done.title, done.diff }
      )
      local text = action.title == 'say good' and 'fine\ngood\n' or 'fine\nbetter\n'
      assert.equal(text, helper.read(p.dir .. '/a.txt'))
      local _, err = call(child, 'execute_code_action', { action_id = action.id })
      assert.equal('not_found', err.code)
      call(child, 'undo')
      assert.equal(FILES['a.txt'], helper.read(p.dir .. '/a.txt'))
    end
  end)

  it('of diagnostics are worked out when they are wanted', function()
    local p, child = start()
    local rows = call(child, 'lsp_diagnostic', { file_path = 'a.txt' })
    local id = rows.diagnostics[1].fixes[2].action_id
    assert.equal(0, #p:received('workspace/executeCommand'))
    local shown = call(child, 'execute_code_action', { action_id = id, dry_run = true })
    assert.equal(id, shown.action_id)
    assert.matches('%+better', shown.diff)
    assert.equal(FILES['a.txt'], helper.read(p.dir .. '/a.txt'))
    call(child, 'execute_code_action', { action_id = id })
    assert.equal('fine\nbetter\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('that bring new errors are refused, and stay on offer', function()
    local p, child = start()
    local worse = ids(call(child, 'list_code_actions', PLACE))[3]
    local _, err = call(child, 'execute_code_action', { action_id = worse })
    assert.equal('conflict', err.code)
    assert.equal(FILES['a.txt'], helper.read(p.dir .. '/a.txt'))
    call(child, 'execute_code_action', { action_id = worse, verify = false })
    assert.equal('fine\nevil\n', helper.read(p.dir .. '/a.txt'))
  end)

  it('are forgotten when their files change', function()
    local _, child = start()
    local id = ids(call(child, 'list_code_actions', PLACE))[1]
    child:cmd('normal! ggOnew')
    local _, err = call(child, 'execute_code_action', { action_id = id })
    assert.same(
      { 'stale', true },
      { err.code, err.message:find('a.txt has changed', 1, true) ~= nil }
    )
    local _, again = call(child, 'execute_code_action', { action_id = id })
    assert.same(err, again)
    assert.same({}, ids(call(child, 'list_code_actions')))
  end)

  it('that a change of ours has outdated say so, and what to do', function()
    local _, child = start()
    local all = ids(call(child, 'list_code_actions', PLACE))
    call(child, 'execute_code_action', { action_id = all[1] })
    call(child, 'refresh_code_actions') -- forgets what is outdated
    assert.is_false(vim.list_contains(ids(call(child, 'list_code_actions')), all[2]))
    local _, err = call(child, 'execute_code_action', { action_id = all[2] })
    assert.equal('stale', err.code)
    assert.matches('^a.txt has changed since ' .. vim.pesc(all[2]), err.message)
    assert.matches('list_code_actions .*refresh_code_actions', err.message)
    call(child, 'undo')
    assert.same(all, ids(call(child, 'list_code_actions', PLACE)))
    assert.equal(all[2], call(child, 'execute_code_action', { action_id = all[2] }).action_id)
  end)

  it('are asked for anew, but for changes that were only shown', function()
    local p, child = start()
    local good =
      { edit_type = 'replace', file_path = 'b.txt', old_string = 'bad', new_string = 'good' }
    local shown = call(child, 'multi_edit', { operations = { good }, dry_run = true })
    assert.is_string(shown.action_id)
    call(child, 'list_code_actions', PLACE)
    local count = call(child, 'refresh_code_actions').count
    local all = ids(call(child, 'list_code_actions'))
    assert.equal(count, #all)
    assert.equal(7, count) -- three for each file, and what was shown
    assert.is_true(vim.list_contains(all, shown.action_id))
    call(child, 'execute_code_action', { action_id = shown.action_id })
    assert.equal('good\n', helper.read(p.dir .. '/b.txt'))
  end)

  it('are bounded', function()
    local p, child = start { ['actions.kept'] = 2, ['actions.list'] = 1 }
    local here = call(child, 'list_code_actions', PLACE)
    assert.equal(3, here.count)
    assert.is_string(here.code_actions[1].diff)
    assert.is_nil(here.code_actions[2].diff)
    assert.equal(0, #p:received('workspace/executeCommand'))
    assert.same(
      { here.code_actions[2].id, here.code_actions[3].id },
      ids(call(child, 'list_code_actions'))
    )
    local _, err = call(child, 'execute_code_action', { action_id = 'fix-a.txt:2-zzz' })
    assert.equal('not_found', err.code)
  end)

  it('want a place that makes sense', function()
    local _, child = start()
    local _, err = call(child, 'list_code_actions', { file_path = 'a.txt', column = 2 })
    assert.equal('invalid', err.code)
    _, err = call(child, 'list_code_actions', { file_path = 'none.txt', line = 1 })
    assert.equal('not_found', err.code)
  end)
end)
