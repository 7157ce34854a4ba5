-- The diagnostics of a project in Neovim, from a scripted server: what is open there counts as it
-- is, what is known is not asked about again, and the person can give up.
local fault = require('fault')
local sweep = require('sweep')

local LINT = { { word = 'bad' } }

local function list(child, known)
  return fault.done(
    child,
    fault.ask(child, 'diagnostics', { scope = 'project', known = known, open = false })
  )
end

local function quickfix(child)
  return child:lua([[
    return vim.tbl_map(function(item)
      return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(item.bufnr), ':t') .. ' ' .. item.text
    end, vim.fn.getqflist())
  ]])
end

--- What the server has open, by name.
local function open_at(p)
  local open = {}
  for _, entry in ipairs(p:log()) do
    assert(not entry.fault, entry.fault)
    if entry.method == 'textDocument/didOpen' then
      open[vim.fs.basename(entry.params.textDocument.uri)] = true
    elseif entry.method == 'textDocument/didClose' then
      open[vim.fs.basename(entry.params.textDocument.uri)] = nil
    end
  end
  local names = vim.tbl_keys(open)
  table.sort(names)
  return names
end

--- Waits until that is all that the server has open; an answer may come before a file is closed.
local function assert_open(p, names)
  fault.wait('the server to have open ' .. vim.inspect(names), function()
    return vim.deep_equal(names, open_at(p))
  end)
end

describe('the list of a project', function()
  after_each(fault.cleanup)

  it('has files that are not open, and loads none of them', function()
    local p = sweep.scripted({ lint = LINT }, { ['diagnostics.at_once'] = 2 })
    local child = p:nvim(sweep.texts(6))
    child:cmd('edit f01.txt')
    local done = list(child)
    assert.is_nil(done.message)
    assert.same(
      { 'f02.txt bad is wrong', 'f04.txt bad is wrong', 'f06.txt bad is wrong' },
      quickfix(child)
    )
    assert_open(p, { 'f01.txt' })
    assert.equal(
      'Oxide diagnostics: 3 errors in 3 files',
      child:lua('return vim.fn.getqflist({ title = 0 }).title')
    )
    assert.equal(
      1,
      child:lua([[return #vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.api.nvim_list_bufs())]])
    )
  end)

  it('has a buffer as it is in Neovim, unsaved, and leaves it open', function()
    local p = sweep.scripted { lint = LINT }
    local child = p:nvim(sweep.texts(2))
    child:cmd('edit f02.txt')
    child:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'fine', 'bad' })")
    child:cmd('edit f01.txt | set hidden')
    child:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'bad' })")
    list(child)
    assert.same({ 'f01.txt bad is wrong', 'f02.txt bad is wrong' }, quickfix(child))
    assert.equal(2, child:lua('return vim.fn.getqflist()[2].lnum'))
    assert_open(p, { 'f01.txt', 'f02.txt' })
    assert.equal('bad\n', child:file('f02.txt'))
  end)

  it('comes from what is known, until a text changes', function()
    local p = sweep.scripted { lint = LINT }
    local child = p:nvim(sweep.texts(5))
    assert.equal(5, list(child).result.asked)
    assert_open(p, {})
    local done = list(child)
    assert.same({ 0, 5, true }, {
      done.result.asked,
      done.result.known,
      done.result.complete,
    })
    assert.equal(2, #quickfix(child))
    assert.equal(5, #p:received('textDocument/didOpen'))
    require('helper').write(child.dir .. '/f01.txt', 'bad bad\n')
    done = list(child)
    assert.equal(5, done.result.asked)
    assert.equal(4, #quickfix(child))
    assert.equal(10, #p:received('textDocument/didOpen'))
    vim.fn.delete(child.dir .. '/f02.txt')
    list(child)
    assert.equal(3, #quickfix(child))
  end)

  it('is asked for again when the server says that all is out of date', function()
    local p = sweep.scripted { lint = LINT }
    local child = p:nvim(sweep.texts(3))
    list(child)
    p:act { request = 'workspace/diagnostic/refresh' }
    p:wait_log('the answer', function(entry)
      return entry.id == 'fake-1' and not entry.method
    end)
    assert.equal(3, list(child).result.asked)
  end)

  it('is not gone through again because it renews itself', function()
    local p = sweep.scripted { lint = LINT }
    local child = p:nvim(sweep.texts(4))
    child:cmd('edit f01.txt')
    list(child)
    local opened = #p:received('textDocument/didOpen')
    child:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'bad' })")
    list(child, true)
    assert.same(
      { 'f01.txt bad is wrong', 'f02.txt bad is wrong', 'f04.txt bad is wrong' },
      quickfix(child)
    )
    assert.equal(opened, #p:received('textDocument/didOpen'))
  end)

  it('renews itself with what a server has open, and is not said to lack it', function()
    local p = sweep.scripted { lint = LINT, capabilities = { hoverProvider = true } }
    local child = p:nvim(sweep.texts(4))
    child:lua([[
      local args = { query = 'hover', file_path = vim.fn.getcwd() .. '/f03.txt', line = 1, column = 1 }
      require('oxide.core').call('lsp_symbol', args, {}, function() _G.hovered = true end)
    ]])
    child:wait('the answer', '_G.hovered')
    assert_open(p, { 'f03.txt' })
    assert.is_true(list(child).result.complete)
    local again = list(child, true).result
    assert.same({ true, {} }, { again.complete, again.missing or {} })
    assert.same({ 'f02.txt bad is wrong', 'f04.txt bad is wrong' }, quickfix(child))
  end)

  it('is told about what was named last time', function()
    local function report(name, message)
      local at = { line = 0, character = 0 }
      local range = { start = at, ['end'] = at }
      return {
        kind = 'full',
        resultId = 'of ' .. name,
        uri = 'file://{ROOT}/' .. name,
        items = message and { { range = range, message = message } } or {},
      }
    end
    local unchanged = { kind = 'unchanged', resultId = 'new', uri = 'file://{ROOT}/f02.txt' }
    local p = sweep.scripted {
      capabilities = { diagnosticProvider = { workspaceDiagnostics = true, identifier = 'x' } },
      on = {
        ['workspace/diagnostic'] = {
          { result = { items = { report('f01.txt'), report('f02.txt', 'two') } } },
          { result = { items = { report('f01.txt', 'one'), unchanged } } },
        },
      },
    }
    local child = p:nvim(sweep.texts(2))
    list(child)
    assert.same({ 'f02.txt two' }, quickfix(child))
    list(child) -- nothing has changed: nobody is asked
    require('helper').write(child.dir .. '/f01.txt', 'other\n')
    list(child)
    assert.same({ 'f01.txt one', 'f02.txt two' }, quickfix(child))
    local asked = p:received('workspace/diagnostic')
    assert.equal(2, #asked)
    assert.equal('x', asked[1].params.identifier)
    local uri = vim.uri_from_fname(child.dir)
    assert.same({
      { uri = uri .. '/f01.txt', value = 'of f01.txt' },
      { uri = uri .. '/f02.txt', value = 'of f02.txt' },
    }, asked[2].params.previousResultIds)
  end)

  it('is given up by :Oxide cancel, and what is open is closed', function()
    local p = sweep.scripted({}, {
      ['diagnostics.at_once'] = 2,
    })
    local child = p:nvim(sweep.texts(6))
    local n = fault.ask(child, 'diagnostics', { scope = 'project' })
    p:wait_received('textDocument/didOpen')
    child:cmd('Oxide cancel')
    assert.equal('cancelled', fault.done(child, n).code)
    child:message('the list of diagnostics was cancelled')
    assert_open(p, {})
    child:cmd('Oxide cancel')
    child:message('nothing is running')
  end)

  it('shows how far it is, and says what is missing', function()
    local p = sweep.scripted({ lint = LINT }, { ['diagnostics.files'] = 3 })
    local child = p:nvim(sweep.texts(5))
    child:lua([[
      _G.progress = {}
      local ui = require('oxide.ui')
      local show = ui.progress
      local core = require('oxide.core')
      local on = core.on
      core.on = function(event, json)
        if event == 'progress' then table.insert(_G.progress, vim.json.decode(json)) end
        return on(event, json)
      end
    ]])
    local done = list(child)
    assert.same({ false, 2 }, { done.result.complete, done.result.beyond })
    child:message('2 files not in the list: more than diagnostics.files allows')
    local progress = child:lua('return _G.progress')
    assert.equal('diagnostics', progress[1].title)
    assert.equal('3 of 3 files', progress[#progress].message)
    assert.is_true(progress[#progress].done)
    assert.equal('', child:lua("return require('oxide.ui').status()"))
  end)

  it("uses Neovim's client, opens what is no buffer, and shows nothing of it", function()
    local p = sweep.scripted { lint = LINT }
    local child = p:nvim(sweep.texts(4))
    child:cmd('edit f02.txt')
    child:lua(
      [[
        local dir, argv = ...
        vim.lsp.start({ name = 'fake', cmd = argv, root_dir = dir })
      ]],
      child.dir,
      p:argv()
    )
    child:wait('the diagnostics of the buffer', '#vim.diagnostic.get() == 1')
    list(child)
    assert.same({ 'f02.txt bad is wrong', 'f04.txt bad is wrong' }, quickfix(child))
    assert.equal(1, #p:received('initialize'))
    assert_open(p, { 'f02.txt' })
    assert.equal(1, child:lua('return #vim.diagnostic.get()'))
    assert.equal(4, #p:received('textDocument/didOpen'))
  end)
end)
