local helper = require('helper')

local CORE = helper.core

describe(':Oxide with the name of a tool', function()
  local child

  ---@param name string   of the window's buffer
  ---@return string[]
  local function shown(name)
    child:wait('the answer', 'vim.api.nvim_buf_get_name(0) == ...', 'oxide://' .. name)
    return child:lines()
  end

  before_each(function()
    child = helper.start(
      { ['a.c'] = 'int one;\nint two;\n' },
      { config = ('{ core = { path = %q } }'):format(CORE) }
    )
    child:cmd('edit a.c')
  end)
  after_each(helper.cleanup)

  it('calls it, the first time too, and shows its answer', function()
    child:cmd('Oxide read_file file_path=a.c start_line=2')
    assert.same({ '2: int two;' }, shown('read_file'))
  end)

  it('completes its name and its arguments once the core runs', function()
    child:cmd('Oxide read_file file_path=a.c')
    shown('read_file')
    local function complete(line)
      return child:lua('return vim.fn.getcompletion(..., "cmdline")', line)
    end
    assert.same({ 'read_file' }, complete('Oxide read'))
    assert.same({ 'overwrite=true', 'overwrite=false' }, complete('Oxide write_file over'))
    assert.same({ 'undo' }, complete('Oxide und'))
  end)

  it('makes its change, and names what it does not take', function()
    child:cmd([[Oxide write_file file_path=b.c content=int\ b; overwrite=false]])
    assert.truthy(table.concat(shown('write_file'), '\n'):find('new file: b.c', 1, true))
    assert.equal('int b;', child:file('b.c'))
    child:cmd('Oxide write_file file_pth=b.c')
    child:message("unknown argument 'file_pth=b.c'")
    child:cmd('Oxide read_file file_path=a.c start_line=x')
    child:message('start_line must be an integer, not "x"')
    child:cmd('Oxide no_tool x=1')
    child:message("unknown command 'no_tool'")
  end)

  it('says that it was cancelled, and nothing changed', function()
    child:cmd('Oxide read_file file_path=a.c')
    shown('read_file')
    child:lua([[
      vim.cmd('confirm Oxide write_file file_path=b.c content=x overwrite=false')
      vim.cmd('Oxide cancel')
    ]])
    child:message('write_file: cancelled; nothing was changed')
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/b.c'))
  end)
end)
