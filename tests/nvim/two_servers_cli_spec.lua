-- Two language servers on one file, each with its own diagnostics and fixes, in one `oxide mcp`.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local A = { file_path = 'a.txt' }

local c

local function lint(word, fix)
  return {
    lint = { { word = word, fixes = { { title = 'say ' .. fix, new = fix } } } },
    on = { ['textDocument/documentSymbol'] = { result = {} } },
  }
end

local function call(tool, args)
  local text, failed = c:call(tool, args)
  assert.is_not_true(failed, text)
  return text
end

--- `fake` is asked first; `other` is shown the file for its sake once it has formatted it.
local function start(other)
  local p, q = fault.project(lint('bad', 'good')), fault.project(other)
  p:files { ['.git/HEAD'] = '', ['a.txt'] = 'bad odd\n' }
  local config = {
    servers = { fake = p:server(), other = q:server() },
    projects = {
      mine = { markers = { '.git' }, check = { { steps = { { 'true' } }, output = 'compiler' } } },
    },
    options = p.options,
  }
  helper.write(p.config, 'return ' .. vim.inspect(config))
  c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
  c:initialize()
  call('lsp_format', { file_path = 'a.txt', server = 'other' })
  return p, q
end

--- "message: title of a fix ..." of each diagnostic.
local function listed(text)
  local rows = {}
  for message, fixes in text:gmatch('message: (%C-), fixes: (%b[])') do
    local titles = vim.tbl_map(function(fix)
      return fix.title
    end, vim.json.decode(fixes))
    table.insert(rows, message .. ': ' .. table.concat(titles, ', '))
  end
  return rows
end

describe('with two servers on a file', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  it('each is asked for the fixes of what it has found', function()
    local p, q = start(lint('odd', 'even'))
    local text = call('lsp_diagnostic', A)
    assert.same({ 'bad is wrong: say good', 'odd is wrong: say even' }, listed(text))
    assert.not_matches('fixes_missing', text)
    for project, message in pairs { [p] = 'bad is wrong', [q] = 'odd is wrong' } do
      local asked = project:received('textDocument/codeAction')
      assert.equal(1, #asked)
      assert.equal(message, asked[1].params.context.diagnostics[1].message)
    end
  end)

  it('the fixes of both are applied', function()
    local p = start(lint('odd', 'even'))
    local text = call('lsp_diagnostic', { file_path = 'a.txt', fix_errors = true })
    assert.equal('good even\n', helper.read(p.dir .. '/a.txt'))
    assert.matches('fixes_applied: 2, resolved: 2, .*remaining: 0', text)
  end)

  it('it is said when one of them does not tell what it offers', function()
    local other = lint('odd', 'even')
    other.on['textDocument/codeAction'] = { error = { code = -32603, message = 'oops' } }
    start(other)
    local text = call('lsp_diagnostic', A)
    assert.same({ 'bad is wrong: say good', 'odd is wrong: ' }, listed(text))
    assert.matches('fixes_missing: other: oops', text)
    text = call('list_code_actions', { file_path = 'a.txt', line = 1 })
    assert.matches('say good', text)
    assert.matches('complete: false, reasons: %["other: oops"%]', text)
    text = call('refresh_code_actions', vim.empty_dict())
    assert.matches('reasons: .*other: oops', text)
    text = call('check_project', { include_fixes = true })
    assert.matches('fixes_missing: other: oops', text)
  end)

  it('both have to have spoken of the present text', function()
    local function odd(line)
      local place = { line = line, character = 4 }
      local diagnostic = { range = { start = place, ['end'] = place }, message = 'odd is wrong' }
      return { publish = '{ROOT}/a.txt', version = 'same', diagnostics = { diagnostic } }
    end
    local _, q = start { on = { ['textDocument/didOpen'] = { after = { odd(0) } } } }
    call('edit_file', { file_path = 'a.txt', line_number = 1, content = 'bad new\nbad odd' })
    local id = c:ask('tools/call', {
      name = 'lsp_diagnostic',
      arguments = A,
    })
    q:wait_received('textDocument/didChange')
    q:act(odd(1))
    local text = c:reply(id).result.content[1].text
    assert.matches('a.txt:2:5%-2:5 severity: error, .*message: odd is wrong', text)
    assert.not_matches('a.txt:1:5', text)
    assert.matches('complete: true', text)
  end)
end)
