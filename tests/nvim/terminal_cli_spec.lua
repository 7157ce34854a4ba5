-- What a terminal would obey in files and messages is shown on one, and not sent to it.
local fault = require('fault')
local helper = require('helper')

local EVIL = 'int a; // \27]0;title\7\27[2J \226\128\174 end\n'
local SHOWN = 'int a; // <1b>]0;title<07><1b>[2J <202e> end'

local base ---@type string

--- Runs the program on a terminal; returns what it printed once that says `till`, or it has ended.
local function on_terminal(argv, till)
  local text, ended = '', false
  local job = vim.fn.jobstart(vim.list_extend({ helper.core }, argv), {
    cwd = base,
    pty = true,
    width = 400,
    env = { XDG_STATE_HOME = base .. '.state', XDG_CONFIG_HOME = base .. '.none' },
    on_stdout = function(_, lines)
      text = text .. table.concat(lines, '\n')
    end,
    on_exit = function()
      ended = true
    end,
  })
  fault.wait('the terminal', function()
    return ended or (till and text:find(till, 1, true))
  end)
  if not ended then
    vim.fn.chansend(job, 'n\n')
    fault.wait('its end', function()
      return ended
    end)
  end
  return text
end

describe('on a terminal', function()
  before_each(function()
    base = helper.tempdir()
    helper.write(base .. '/a.c', EVIL)
  end)

  after_each(function()
    vim.fn.delete(base, 'rf')
  end)

  it('the numbered lines of a file move no cursor, and a program gets their bytes', function()
    assert.equal('1: ' .. SHOWN, vim.trim(on_terminal { 'number', 'a.c' }))
    local done = vim.system({ helper.core, 'number', base .. '/a.c' }):wait()
    assert.equal('1: ' .. EVIL, done.stdout)
  end)

  it('the diff that is asked about is shown plainly', function()
    local args = vim.json.encode { file_path = 'a.c', line_number = 1, content = 'int b;' .. EVIL }
    local text = on_terminal({ 'call', 'edit_file', '--root', base, args }, 'Apply this?')
    assert.matches(vim.pesc('-' .. SHOWN), text)
    assert.is_nil(text:find('\27]0;', 1, true))
    assert.is_nil(text:find('\226\128\174', 1, true))
  end)

  it('errors are shown plainly, as text and on standard error', function()
    local name = '\27[31mx.c'
    local done = vim
      .system({ helper.core, 'call', 'read_file', '--root', base, '--text', '--file-path', name })
      :wait()
    assert.matches('<1b>%[31mx', done.stdout)
    assert.is_nil(done.stdout:find('\27', 1, true))
    done = vim.system({ helper.core, 'number', name }):wait()
    assert.matches('<1b>%[31mx', done.stderr)
    assert.is_nil(done.stderr:find('\27', 1, true))
  end)

  it('JSON stays JSON', function()
    local done =
      vim.system({ helper.core, 'call', 'read_file', '--root', base, '--file-path', 'a.c' }):wait()
    assert.matches('int a; // \27', vim.json.decode(done.stdout).content)
  end)
end)
