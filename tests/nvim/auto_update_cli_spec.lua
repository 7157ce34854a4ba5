-- Fixes that are looked for in the background, with a scripted server: when, what the list has
-- afterwards, who hears of it, and that no call waits for it.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local ACTIONS = 'oxide://actions'
local TEXT = 'fine\nbad\n'
local WORD = {
  start = { line = 1, character = 0 },
  ['end'] = { line = 1, character = 3 },
}
local SYMBOLS = { { name = 'bad', kind = 12, range = WORD, selectionRange = WORD } }
local LINT = {
  { word = 'bad', fixes = { { title = 'say good', new = 'good', preferred = true } } },
}

local function project(on, options)
  return fault
    .project({
      lint = LINT,
      capabilities = { documentSymbolProvider = true },
      on = vim.tbl_extend('force', {
        ['textDocument/documentSymbol'] = { result = SYMBOLS },
      }, on or {}),
    }, options)
    :files { ['a.txt'] = TEXT }
end

---@return test.Client
local function connect(p)
  local c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config, '--allow-run' })
  c:initialize()
  c:request('resources/subscribe', { uri = ACTIONS })
  return c
end

--- How often the client has heard of the list.
local function updates(c)
  return #vim.tbl_filter(function(m)
    return m.method == 'notifications/resources/updated' and m.params.uri == ACTIONS
  end, c.messages)
end

local function wait_update(c, before)
  fault.wait('news of the list', function()
    return updates(c) > before
  end)
end

local function info(c)
  local text, failed = c:call('get_symbol_info', { symbol_name = 'bad' })
  assert.is_not_true(failed, text)
  assert.matches('definition_code: bad', text)
end

local function listed(c)
  return (c:call('list_code_actions', vim.empty_dict()))
end

describe('fixes in the background', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  it('are there after get_symbol_info, and gone when they are made', function()
    local p = project()
    local c = connect(p)
    assert.matches('count: 0', listed(c))
    info(c)
    wait_update(c, 0)
    local id = listed(c):match('fix%-a%.txt:2%-%x+')
    assert.is_string(id)
    info(c)
    assert.equal(id, listed(c):match('fix%-a%.txt:2%-%x+'))
    local before = updates(c)
    local text, failed = c:call('execute_code_action', { action_id = id })
    assert.is_not_true(failed, text)
    assert.equal('fine\ngood\n', helper.read(p.dir .. '/a.txt'))
    wait_update(c, before)
    assert.matches('count: 0', listed(c))
  end)

  it('are looked for behind a check', function()
    local p = project()
    helper.write(p.dir .. '/Makefile', 'all:\n\t@true\n')
    local c = connect(p)
    c:call('lsp_symbol', { query = 'document_symbols', file_path = 'a.txt' })
    assert.matches('make: no problems', (c:call('check_project', vim.empty_dict())))
    wait_update(c, 0)
    assert.matches('say good', listed(c))
  end)

  it('give way to a call, and are looked for once more behind it', function()
    local fix = {
      title = 'say good',
      kind = 'quickfix',
      edit = { changes = { ['file://{ROOT}/a.txt'] = { { range = WORD, newText = 'good' } } } },
    }
    local p = project {
      ['textDocument/codeAction'] = { { hold = 'first' }, { result = { fix } } },
    }
    local c = connect(p)
    info(c)
    p:wait_log('the question for fixes', function(entry)
      return entry.holds == 'first'
    end)
    assert.matches('2: bad', (c:call('read_file', { file_path = 'a.txt' })))
    p:wait_received('$/cancelRequest')
    wait_update(c, 0)
    assert.matches('say good', listed(c))
    c:close()
    assert.equal(2, #p:received('textDocument/codeAction'))
  end)

  it('are not looked for where actions.auto is 0', function()
    local p = project(nil, { ['actions.auto'] = 0 })
    local c = connect(p)
    info(c)
    assert.matches('count: 0', listed(c))
    c:call('lsp_diagnostic', { file_path = 'a.txt' })
    wait_update(c, 0)
    c:close()
    assert.equal(1, #p:received('textDocument/codeAction'))
  end)

  it('are nothing that `oxide call` would stay for', function()
    local p = project()
    local done = p:call('get_symbol_info', { symbol_name = 'bad' })
    assert.same({ 0, 'bad' }, { done.code, done.result.symbol })
    assert.equal(0, #p:received('textDocument/codeAction'))
  end)
end)
