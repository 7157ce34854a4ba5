-- A rename asks its server a second time, when that has been shown the other files that have the
-- name: what may happen in between, with a scripted server.
local fault = require('fault')
local helper = require('helper')

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }
local FIRST, WHOLE =
  { rename = { files = { 'a.txt' } } }, { rename = { files = { 'a.txt', 'b.txt' } } }

local function project(script, options)
  options = vim.tbl_extend('keep', options or {}, {
    ['reach.files'] = 10,
    ['lsp.diagnostics_wait_ms'] = 600000,
  })
  script.on =
    vim.tbl_extend('force', script.on or {}, { ['textDocument/rename'] = { FIRST, WHOLE } })
  return fault.project(script, options)
end

local function is_shown(p, name)
  p:wait_log(name .. ' to be shown', function(entry)
    local uri = entry.method == 'textDocument/didOpen' and entry.params.textDocument.uri
    return uri and vim.endswith(uri, '/' .. name)
  end)
end

describe('a rename that is asked for again', function()
  after_each(fault.cleanup)

  it('is of all files that the server has been shown', function()
    local p = project({ lint = { { word = 'bad' } } }):files(FILES)
    local out = p:rename()
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.equal('new one\n', helper.read(p.dir .. '/a.txt'))
    assert.equal('two new\n', helper.read(p.dir .. '/b.txt'))
  end)

  it('is asked of the server that was started again', function()
    local p = project({
      lint = { { word = 'bad' } },
      lives = {
        { kill_at = 'two' },
        { kill_at = 'none', on = { ['textDocument/rename'] = WHOLE } },
      },
    }):files(FILES)
    local out = p:rename()
    assert.equal(0, out.code, vim.inspect(out.result))
    assert.equal('two new\n', helper.read(p.dir .. '/b.txt'))
  end)

  it('fails where the server is left alone after its death', function()
    local p = project({ lint = { { word = 'bad' } }, kill_at = 'two' }, { ['lsp.restarts'] = 0 }):files(
      FILES
    )
    local before = p:tree()
    local out = p:rename()
    assert.same({ 1, 'no_server' }, { out.code, (out.result.error or {}).code }, out.stderr)
    assert.matches('fake was not restarted after 1 crash', out.result.error.message)
    assert.same(before, p:tree())
  end)

  it('ends at once when it is cancelled meanwhile', function()
    local p = project({ -- it says nothing of what it is shown
      capabilities = { hoverProvider = true },
      on = { ['textDocument/hover'] = { silent = true } },
    }):files(FILES)
    local before = p:tree()
    local running = p:start(
      'lsp_rename',
      { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' },
      { '--yes' }
    )
    is_shown(p, 'b.txt')
    running:kill('sigint')
    local out = fault.finish(running)
    assert.equal('cancelled', out.result.error.code)
    assert.equal(1, #p:received('textDocument/rename'))
    assert.same(before, p:tree())
  end)

  it('is refused where the text around its place has changed meanwhile', function()
    local p = project { -- the answer that shows that it has read b.txt waits
      capabilities = { hoverProvider = true },
      on = { ['textDocument/hover'] = { hold = 'hover' } },
    }
    local child = p:nvim(FILES)
    child:cmd('edit a.txt')
    local asked = fault.ask(child, 'rename', { name = 'new', review = 'never' })
    p:wait_log('the answer to be held', function(entry)
      return entry.holds == 'hover'
    end)
    child:lua([[vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'other' })]])
    fault.told(child)
    p:act { release = 'hover' }
    local done = fault.done(child, asked)
    assert.equal('stale', done.code, vim.inspect(done))
    assert.equal('a.txt has changed meanwhile; try again', done.message)
    assert.equal(1, #p:received('textDocument/rename'))
    assert.equal('other', child:lines()[1])
    assert.equal('two old\n', helper.read(p.dir .. '/b.txt'))
  end)
end)
