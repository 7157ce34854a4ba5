-- `:Oxide` where there is no text of a project's file: in windows and buffers of other kinds, and in files
-- that are odd. No sub-command ends in a traceback or asks for <CR>, and each leaves what is shown.
local fault = require('fault')

local FILES = {
  ['a.txt'] = 'one\n',
  ['b.txt'] = 'one\n',
  ['nul.txt'] = 'one\0two\nthree\n',
  ['gone/g.txt'] = 'one\n',
}

local KINDS = {
  ['a terminal'] = 'terminal echo runs && exec cat',
  ['a help file'] = 'help',
  ['the quickfix list'] = 'copen',
  ['a prompt'] = 'enew | setlocal buftype=prompt',
  ['a new buffer'] = 'enew',
  ['a file whose directory is gone'] = "edit gone/g.txt | call delete('gone', 'rf')",
  ['a text with NUL'] = 'edit nul.txt',
  ['a window that keeps its buffer'] = 'edit b.txt | setlocal winfixbuf',
  ['a URL'] = 'edit http://localhost/a.txt',
}

-- What is asked for in a dialog is given up; answers are told by a file, since a request would wait for <CR>
-- with them.
local CODE = [[
  vim.o.columns, vim.o.lines, vim.notify, vim.o.more = 60, 20, _G.last_line, true
  _G.whole = {} -- what a line of the screen has no room for
  local ui = require('oxide.ui')
  local notify = ui.notify
  function ui.notify(text, ...)
    table.insert(_G.whole, text)
    return notify(text, ...)
  end
  vim.ui.input = function(_, answer) answer(nil) end
  vim.ui.select = function(_, _, answer) answer(nil) end
  function _G.answered(path)
    for _, chan in ipairs(vim.api.nvim_list_chans()) do
      if chan.client and chan.client.name == 'oxide' then
        vim.rpcrequest(chan.id, 'ping')
      end
    end
    vim.fn.writefile({}, path)
  end
  function _G.shown()
    local buf = vim.api.nvim_get_current_buf()
    return {
      buf = buf,
      win = vim.api.nvim_get_current_win(),
      text = _G.text(buf),
    }
  end
  function _G.text(buf)
    local is_drawn = vim.bo[buf].buftype == 'terminal' -- anew for each size of its window
    return is_drawn and {} or vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  end
  -- Whether its window has gone, or its text is another.
  function _G.is_lost(before)
    return not vim.api.nvim_win_is_valid(before.win)
      or vim.api.nvim_win_get_buf(before.win) ~= before.buf
      or not vim.deep_equal(_G.text(before.buf), before.text)
  end
]]

local child

---@param on? table   what the server answers
local function begin(on)
  local script = {
    capabilities = { hoverProvider = true, definitionProvider = on ~= nil },
    on = on,
  }
  child = fault.project(script, { ['lsp.timeout_ms'] = 1000 }):nvim(FILES)
  vim.rpcrequest(child.chan, 'nvim_ui_attach', 60, 20, {})
  child:lua(CODE)
end

local function mode()
  return vim.rpcrequest(child.chan, 'nvim_get_mode')
end

--- Waits until the core has answered all that was asked before.
---@param what string
local function settle(what)
  local path = vim.fn.tempname()
  vim.rpcnotify(child.chan, 'nvim_exec_lua', 'answered(...)', { path })
  fault.wait(what, function()
    assert.not_equal('r', mode().mode:sub(1, 1), what .. ' asks for <CR>')
    return not mode().blocking and vim.uv.fs_stat(path)
  end)
end

--- Opens a file once the core runs.
local function edit()
  child:lua("require('oxide.core').query('status', function() _G.runs = true end)")
  child:wait('the core', '_G.runs')
  child:cmd('edit a.txt')
end

--- All that was said since the last time.
local function said()
  return child:lua([[
    local text = vim.fn.execute('messages') .. '\n' .. table.concat(_G.whole, '\n')
    vim.cmd('messages clear')
    _G.whole = {}
    return text
  ]])
end

describe('of :Oxide no sub-command', function()
  after_each(fault.cleanup)

  for kind, how in vim.spairs(KINDS) do
    it('fails in ' .. kind, function()
      begin()
      local names = child:lua("return require('oxide.command').names()")
      for _, name in ipairs(names) do
        vim.fn.mkdir(child.dir .. '/gone', 'p')
        child:cmd('silent! tabonly | silent! only | set nowinfixbuf | edit! a.txt')
        child:cmd('silent! %bwipeout!')
        child:cmd(how)
        -- A terminal that is wiped before its program runs takes Neovim along: until then the signal for the
        -- one is caught by the handler of the other.
        child:wait('its program', "vim.bo.buftype ~= 'terminal' or vim.fn.getline(1) == 'runs'")
        said()
        local before = child:lua('return shown()')
        child:type(':Oxide ' .. name .. '<CR>')
        settle(name)
        local text = said()
        assert.is_nil(text:find('traceback') or text:find('%f[%w]E%d+:'), name .. ': ' .. text)
        assert.is_false(child:lua('return is_lost(...)', before), name .. ' takes the window')
      end
    end)
  end
end)

describe('in the command-line window', function()
  before_each(function()
    begin()
  end)
  after_each(fault.cleanup)

  local function open()
    child:type('q:')
    child:wait('the window', "vim.fn.getcmdwintype() == ':'")
  end

  it(':Oxide says that it is not available there', function()
    open()
    child:type(':Oxide history<CR>')
    settle('history')
    assert.matches('not available in the command%-line window', said())
    assert.equal(':', child:lua('return vim.fn.getcmdwintype()'))
  end)

  it('what comes from the core waits until it is closed', function()
    edit()
    open()
    child:lua([[
      require('oxide.core').query('history', function()
        vim.cmd('split') -- which is refused there
        _G.second = true
      end)
    ]])
    settle('history')
    assert.is_false(child:lua('return _G.second == true'))
    child:type('<C-c><C-c>')
    child:wait('the answer', '_G.second')
    assert.is_nil(said():find('E11:', 1, true))
  end)

  it('a change of the buffer behind it is made at once', function()
    edit()
    open()
    child:lua([[
      local edit = { file_path = 'a.txt', old_string = 'one', new_string = 'two' }
      require('oxide.core').call('edit_file', edit, { confirm = 'never' }, function() end)
    ]])
    fault.wait('the change', function()
      return child:file('a.txt') == 'two\n'
    end)
    assert.equal(':', child:lua('return vim.fn.getcmdwintype()'))
  end)
end)

describe(':Oxide', function()
  before_each(function()
    begin()
  end)
  after_each(fault.cleanup)

  it('context puts a text with NUL into a register as it is', function()
    child:cmd('edit nul.txt')
    child:cmd('Oxide context to=a')
    settle('context')
    assert.matches('2 lines of nul.txt, in register a', said())
    assert.same(
      { '1: one\ntwo', '2: three' }, -- NUL, as a list has it
      child:lua("return vim.fn.getreg('a', 1, true)")
    )
  end)

  it('diagnostics says of what is no file that it is none, as all others', function()
    for how, why in pairs {
      ['terminal cat'] = 'this buffer is not a file',
      ['edit http://localhost/a.txt'] = 'this buffer is not a file',
      ['copen'] = 'this buffer is not a file',
      ['enew'] = 'this buffer has no file yet; write it first',
    } do
      child:cmd(how)
      for _, command in ipairs { 'diagnostics', 'format' } do
        child:cmd('Oxide ' .. command)
        settle(command)
        assert.matches(why, said(), 1, true)
      end
    end
  end)

  --- Has "one" replaced in a file.
  ---@param name string
  ---@return string warning
  local function warning_of(name)
    child:lua(
      [[
        local edit = { file_path = ..., old_string = 'one', new_string = 'two' }
        require('oxide.core').call('edit_file', edit, { confirm = 'never' }, function(_, result)
          _G.warning = result and result.warning or 'none'
        end)
      ]],
      name
    )
    return child:wait('the answer', '_G.warning')
  end

  --- How often the user is told that.
  ---@param pattern string
  local function times_told(pattern)
    return #vim.tbl_filter(function(text)
      return text:find(pattern) ~= nil
    end, child:lua('return _G.whole'))
  end

  it('says of a file that was not written since it is gone that it was deleted', function()
    edit()
    assert(os.remove(child.dir .. '/a.txt'))
    assert.matches('deleted since it was read', warning_of('a.txt'))
    assert.equal(1, times_told('deleted since it was read'))
    assert.same({ 'two' }, child:lines())
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/a.txt'))
  end)

  it('says in a line why a file without its directory was not written', function()
    edit()
    child:cmd("edit none/n.txt | call setline(1, 'one') | set nomodified")
    assert.matches('none/n.txt: E212: [^\n]*$', warning_of('none/n.txt'))
    assert.equal(1, times_told('E212'))
    assert.same({ 'two' }, child:lines())
  end)

  it('definition leaves a window that may show no other buffer as it is', function()
    fault.cleanup()
    local to = { uri = 'file://{ROOT}/a.txt', range = fault.range(0, 0, 3) }
    begin { ['textDocument/definition'] = { result = { to } } }
    for _, how in ipairs { 'setlocal winfixbuf', 'set nohidden | normal x' } do
      child:cmd('silent! only! | edit! b.txt | ' .. how)
      local before = child:lua('return shown()')
      child:cmd('Oxide definition')
      child:wait('the definition', "vim.fn.expand('%:t') == 'a.txt'")
      assert.is_false(child:lua('return is_lost(...)', before))
      assert.is_false(child:lua('return vim.wo.winfixbuf'))
      child:cmd('quit')
      child:cmd('set nowinfixbuf')
    end
    assert.equal('', child:lua('return vim.v.errmsg'))
  end)
end)
