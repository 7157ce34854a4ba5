-- One language server for the person and for everybody else: clangd's starts are counted.
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')
local relay = require('relay')

describe('clangd', function()
  local child, run, env

  --- A clangd that writes a line for each start, and is clangd then: one that takes all options,
  --- for another is tried twice.
  local function counted()
    local script = '#!/bin/sh\necho started >>%s/starts\nexec %s "$@"\n'
    helper.write(run .. '/bin/clangd', script:format(run, vim.fn.exepath('clangd-new')))
    assert(vim.uv.fs_chmod(run .. '/bin/clangd', 493))
    helper.write(run .. '/starts', '')
  end

  local function starts()
    return select(2, helper.read(run .. '/starts'):gsub('\n', ''))
  end

  before_each(function()
    run = helper.tempdir()
    counted()
    env = { XDG_RUNTIME_DIR = run, PATH = run .. '/bin:' .. vim.env.PATH }
    child = helper.start({}, { env = env, config = e2e.config() })
    e2e.fill(e2e.samples.clangd, child.dir)
  end)

  after_each(function()
    mcp.cleanup()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  local function hover()
    child:cmd('3')
    local done = fault.done(child, fault.ask(child, 'hover'))
    assert.is_nil(done.message)
    relay.listen(child)
  end

  local SYMBOL = { query = 'document_symbols', file_path = 'main.c' }

  --- Has others ask for what is in the buffer and not on the disk.
  local function ask_from_outside()
    child:cmd('call append(0, "int unsaved;")')
    local args = { 'lsp_symbol', vim.json.encode(SYMBOL), '--editor' }
    for _ = 1, 3 do
      local said = relay.finish(relay.call(child, run, args, { env = env }))
      assert.equal(0, said.code)
      assert.matches('unsaved', vim.json.encode(said.answer))
    end
    local client = mcp.start(child.dir, {}, nil, vim.tbl_extend('error', { NVIM = '' }, env))
    client:initialize()
    assert.matches('unsaved', (client:call('lsp_symbol', SYMBOL)))
  end

  it("is the editor's one for all who work beside it, and --here has another", function()
    child:cmd('edit main.c')
    hover()
    assert.equal(1, starts())
    ask_from_outside()
    assert.equal(1, starts())
    local here = { 'lsp_symbol', vim.json.encode(SYMBOL), '--here' }
    assert.not_matches(
      'unsaved',
      vim.json.encode(relay.finish(relay.call(child, run, here, { env = env })).answer)
    )
    assert.equal(2, starts())
  end)

  it("is the one of Neovim's own client, where it has one", function()
    child:cmd('edit main.c')
    child:lua([[vim.lsp.start { name = 'clangd', cmd = { 'clangd' }, root_dir = ... }]], child.dir)
    child:wait('the client', [[(vim.lsp.get_clients()[1] or {}).initialized]])
    hover()
    ask_from_outside()
    assert.equal(1, starts())
  end)
end)
