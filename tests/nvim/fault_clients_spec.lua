-- A client of Neovim whose server does what a script says: who opens what, who is told what, and
-- what becomes of a call whose server dies.
local fault = require('fault')

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }
local ALL = { rename = { files = { 'a.txt', 'b.txt' } } }

--- A child with a.txt before it, and a client that Neovim has started for it.
local function start(script)
  local p = fault.project(script)
  local child = p:nvim(FILES)
  child:cmd('edit a.txt')
  child:lua(
    [[
      local dir, argv = ...
      vim.lsp.start({ name = 'fake', cmd = argv, root_dir = dir })
    ]],
    child.dir,
    p:argv()
  )
  child:wait(
    'the client',
    [[(function(client)
    return client and client.initialized and client.attached_buffers[vim.api.nvim_get_current_buf()]
  end)(vim.lsp.get_clients()[1])]]
  )
  return p, child
end

local function rename(child)
  return fault.ask(child, 'rename', { name = 'new', review = 'never' })
end

local function opened(p)
  return vim.tbl_map(function(entry)
    return vim.fs.basename(entry.params.textDocument.uri)
  end, p:received('textDocument/didOpen'))
end

local function faults(p)
  return p:logged(function(entry)
    return entry.fault
  end)
end

describe("with a scripted server of Neovim's", function()
  after_each(fault.cleanup)

  it('a buffer is shown by Neovim alone, and what is typed is what is renamed', function()
    local p, child = start { on = { ['textDocument/rename'] = ALL } }
    child:type('Iold <Esc>')
    child:wait('the typed text', "vim.fn.mode() == 'n' and vim.fn.getline(1) == 'old old one'")
    local done = fault.done(child, rename(child))
    assert.is_nil(done.message)
    assert.same({ 'new new one' }, child:lines())
    assert.equal('two new\n', child:file('b.txt'))
    assert.same({ 'a.txt' }, opened(p))
    assert.same({}, faults(p))
    assert.equal(1, #p:received('initialize'))
  end)

  it('what dies in the middle fails the call, and the next one starts over', function()
    local p, child = start {
      lives = {
        { on = { ['textDocument/rename'] = { before = { { kill = true } }, silent = true } } },
        { on = { ['textDocument/rename'] = ALL } },
      },
    }
    local done = fault.done(child, rename(child))
    assert.matches('fake', done.message)
    assert.matches('which the editor ran, has ended', done.message)
    assert.equal('old one\n', child:file('a.txt'))
    done = fault.done(child, rename(child))
    assert.is_nil(done.message)
    assert.same({ 'new one' }, child:lines())
    assert.equal('two new\n', child:file('b.txt'))
    assert.equal(2, #p:received('initialize'))
  end)

  it('a call that is cancelled is cancelled at the server', function()
    local p, child = start { on = { ['textDocument/rename'] = { hold = 'it' } } }
    child:lua([[
        local args = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' }
        _G.id = require('oxide.core').call('lsp_rename', args, {}, function(err) _G.err = err end)
      ]])
    local asked = p:wait_received('textDocument/rename')
    child:lua("require('oxide.core').cancel(_G.id)")
    assert.equal('cancelled', child:wait('the end of the call', '_G.err').code)
    local cancelled = p:wait_received('$/cancelRequest')
    assert.equal(asked.id, cancelled.params.id)
  end)
end)

-- 0.10 has no such thing.
local since_11 = vim.fn.has('nvim-0.11') == 1 and describe or function() end

since_11('vim.lsp.config', function()
  after_each(fault.cleanup)

  it('configures the server that Oxide starts, below the options', function()
    local p = fault.project { on = { ['textDocument/rename'] = ALL } }
    local child =
      p:nvim(FILES, { servers = { fake = { filetypes = { 'none' } }, gopls = { cmd = p:argv() } } })
    child:lua([[
        vim.lsp.config('gopls', {
          cmd = { 'nothing' },
          filetypes = { 'text' },
          root_markers = { { 'a.txt', 'b.txt' }, '.git' },
          init_options = { mine = true },
          on_attach = function() end,
        })
    ]])
    child:cmd('edit a.txt')
    local done = fault.done(child, rename(child))
    assert.is_nil(done.message)
    assert.same({ 'new one' }, child:lines())
    local init = p:wait_received('initialize').params
    assert.same({ mine = true }, init.initializationOptions)
  end)
end)
