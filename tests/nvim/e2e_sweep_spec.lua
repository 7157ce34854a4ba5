-- The list of a project in Neovim with a real clangd, its own and Neovim's: what is wrong in files
-- that are not open, and a header that is changed and not saved.
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')

local FILES = {
  ['compile_flags.txt'] = '-Wall\n',
  ['shared.h'] = 'int shared(int);\n',
  ['a.c'] = '#include "shared.h"\nint a(void) { return shared(1); }\n',
  ['b.c'] = '#include "shared.h"\nint b(void) { return shared("b"); }\n',
  ['c.c'] = '#include "shared.h"\nint c(void) { return other(2); }\n',
}

local function start()
  return helper.start(FILES, {
    config = vim.inspect {
      core = { path = helper.core, options = e2e.PATIENT },
    },
  })
end

local function list(child)
  local n = fault.ask(child, 'diagnostics', { scope = 'project', open = false })
  local done = fault.done(child, n)
  assert.is_nil(done.message)
  return done.result,
    child:lua([[
      return vim.tbl_map(function(item)
        local name = vim.api.nvim_buf_get_name(item.bufnr)
        return ('%s:%d %s'):format(vim.fn.fnamemodify(name, ':t'), item.lnum, item.type)
      end, vim.fn.getqflist())
    ]])
end

describe('with clangd, the list of a project', function()
  after_each(helper.cleanup)

  it('is about files that are not open, and about headers as they are typed', function()
    local child = start()
    child:cmd('edit shared.h')
    local result, items = list(child)
    assert.same({ 'b.c:2 W', 'c.c:2 W' }, items)
    assert.is_true(result.complete)
    result, items = list(child)
    assert.equal(3, result.known)
    assert.same({ 'b.c:2 W', 'c.c:2 W' }, items)
    child:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'int shared(const char *);' })")
    result, items = list(child)
    assert.equal(0, result.known)
    assert.same({ 'a.c:2 W', 'c.c:2 W' }, items)
    assert.equal('int shared(int);\n', child:file('shared.h'))
  end)

  it("has what Neovim's client says of files that it never opened", function()
    local child = start()
    child:cmd('edit a.c')
    child:lua("vim.lsp.start({ name = 'clangd', cmd = { 'clangd' }, root_dir = (...) })", child.dir)
    child:wait('the client', '(vim.lsp.get_clients()[1] or {}).initialized')
    local _, items = list(child)
    assert.same({ 'b.c:2 W', 'c.c:2 W' }, items)
    assert.equal(0, child:lua('return #vim.diagnostic.get()'))
    local loaded = '#vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.api.nvim_list_bufs())'
    assert.equal(1, child:lua('return ' .. loaded))
  end)
end)
