-- Going through the list that was made last, and the places that a change told of as a list.
local helper = require('helper')
local screen = require('screen')

local CORE = [[
local LONG = 'error of line 6:\n\194\160\194\160"é" is wrong\n  for \194\162'
local function flat(dir, lines)
  local n, f = #lines, { files = { dir .. '/a.c' }, file = {}, line = lines, column = {}, code = {},
    end_line = lines, end_column = {}, severity = {}, source = {}, message = {}, text = {} }
  for i = 1, n do
    f.file[i], f.column[i], f.end_column[i], f.severity[i] = 0, 1, 2, 1
    f.code[i], f.source[i], f.text[i] = '', 'x', 'text'
    f.message[i] = lines[i] == 6 and LONG or 'error of line ' .. lines[i]
  end
  return f
end
return function(core, method, params)
  if method == 'configure' then
    core.ready()
  elseif method == 'call' then
    local id, tool, args = params[1], params[2], vim.json.decode(params[3])
    if tool == 'lsp_diagnostic' then
      core.answer(id, { counts = { error = 3 }, files = 1, flat = flat(vim.uv.cwd(), { 2, 4, 6 }) })
    elseif tool == 'lsp_symbol' then
      core.answer(id, { flat = flat(vim.uv.cwd(), { 3, 5 }), complete = true })
    elseif tool == 'lsp_rename' and args.new_name == 'bad' then
      core.event('answer', { id = id, success = false, error = { code = 'conflict', message =
        'the change would bring 1 new error', new_errors = {
          { file = 'a.c', line = 5, column = 1, message = 'no such name' } } } })
    elseif tool == 'lsp_rename' then
      core.answer(id, { success = true, edits = 1, files_changed = 1, files = {}, old_name = 'x',
        new_name = 'y', mentions_total = 2, mentions = {
          { file = 'a.c', line = 3, column = 4, text = '  // of x' },
          { file = 'b.c', line = 1, column = 2, text = '"x"' } } })
    end
  end
end
]]

describe('lists', function()
  local child

  before_each(function()
    child = helper.start_fake(CORE, { ['a.c'] = ('int x;\n'):rep(8), ['b.c'] = 'char *s = "x";\n' })
    child:lua([[
      vim.o.hidden = true
      vim.keymap.set('n', ']e', '<Plug>(oxide-next-error)')
      vim.keymap.set('n', '[e', '<Plug>(oxide-prev-error)')
    ]])
    child:cmd('edit a.c')
  end)
  after_each(helper.cleanup)

  ---@param keys string
  ---@param line integer
  local function goes(keys, line)
    child:type(keys)
    child:wait(keys .. ' to ' .. line, "vim.fn.line('.') == ...", line)
  end

  it('are gone through from the first entry on, with a count, and round', function()
    child:cmd('Oxide diagnostics')
    child:event('DiagnosticsUpdated')
    goes('gg', 1)
    goes(']e', 2)
    goes(']e', 4)
    goes('2]e', 2)
    goes('[e', 6)
    goes('2[e', 2)
    child:cmd('Oxide diagnostics')
    child:wait(
      'the list',
      "#vim.tbl_filter(function(e) return e.name == 'OxideDiagnosticsUpdated' end, _G.events) > 2"
    )
    goes('G', 8)
    goes('[e', 6)
  end)

  it('are made when there is none, and begin at the first or the last', function()
    goes('2]e', 4)
    child:cmd('call setqflist([], "f")')
    goes('gg', 1)
    goes('[e', 6)
  end)

  it('stay those that Oxide made last, also behind one of others', function()
    child:cmd('Oxide diagnostics')
    child:event('DiagnosticsUpdated')
    goes('gg', 1)
    goes(']e', 2)
    child:cmd("call setqflist([{ 'bufnr': 1, 'lnum': 7 }, { 'bufnr': 1, 'lnum': 8 }])")
    goes(']e', 4)
    child:cmd('cclose')
    child:cmd('Oxide references')
    child:wait('the list', "vim.fn.getqflist({ title = 0 }).title:find('references')")
    goes('G', 8)
    goes(']e', 3)
    goes(']e', 5)
  end)

  it('are gone through without a window where there is no room for one', function()
    child:lua('vim.o.lines = 4')
    child:cmd('Oxide diagnostics')
    child:message('the window of the list cannot be opened: E36')
    goes('gg', 1)
    goes(']e', 2)
  end)

  it('go on behind an entry that the cursor is on already', function()
    child:cmd('Oxide diagnostics')
    child:event('DiagnosticsUpdated')
    goes('2gg', 2)
    goes(']e', 4)
  end)

  for columns, place in pairs { [60] = 24, [80] = 32, [200] = 48 } do
    it(('leave room beside long names, %d columns wide'):format(columns), function()
      screen.size(child, columns, 30)
      local lines = child:lua([[
        local function item(name)
          return { bufnr = vim.fn.bufadd(name), lnum = 1, col = 1, type = 'E', text = 'message' }
        end
        return require('oxide.quickfix.text').lines { item('b.c'), item(('x'):rep(70)) }
      ]])
      assert.equal('b.c:1:1' .. (' '):rep(place - 7) .. '  error    message', lines[1])
      assert.equal(('x'):rep(70) .. ':1:1  error    message', lines[2])
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('have a message of several lines on one, %d columns wide'):format(columns), function()
      screen.size(child, columns, 30)
      child:cmd('Oxide diagnostics')
      child:event('DiagnosticsUpdated')
      screen.shows_with_floats(child, {
        'a.c:4:1  error    error of line 4 [x] ',
        'a.c:6:1  error    error of line 6: "é" is wrong for ¢ [x] ',
      })
    end)

    it(
      ('stay on the screen while one behind is made anew, %d columns wide'):format(columns),
      function()
        screen.size(child, columns, 30)
        child:lua([[
        local lists = require('oxide.quickfix')
        local function items(text)
          return { { bufnr = 1, lnum = 1, col = 1, text = text }, { bufnr = 1, lnum = 2, col = 1, text = text } }
        end
        local behind = lists.create { title = 'one', kind = 'x', items = items('behind') }
        lists.open(lists.create { title = 'two', kind = 'x', items = items('shown') })
        lists.renew(behind, 'one', items('anew'))
      ]])
        screen.shows_some(child, { 'a.c:1:1', 'shown' })
        screen.shows_some(child, { 'a.c:2:1', 'shown' })
        child:cmd('colder')
        screen.shows_some(child, { 'a.c:1:1', 'anew' })
      end
    )
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('are not covered by what was said before, %d columns wide'):format(columns), function()
      screen.size(child, columns, 14)
      child:lua([[
        vim.lsp.util.open_floating_preview({ 'what it is', ('x\n'):rep(8) }, 'text', {})
      ]])
      screen.shows_with_floats(child, { 'what it is' })
      child:lua([[
        local lists = require('oxide.quickfix')
        lists.open(lists.create { title = 'uses', kind = 'x', items = {
          { bufnr = 1, lnum = 1, col = 1, text = 'first' },
        } })
      ]])
      screen.shows_with_floats(child, { 'a.c:1:1  first' })
      assert.equal(2, #child:lua('return vim.api.nvim_list_wins()'))
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('have no column where none is known, %d columns wide'):format(columns), function()
      screen.size(child, columns, 30)
      child:lua([[
        local lists = require('oxide.quickfix')
        lists.open(lists.create { title = 'tests', kind = 'x', items = {
          { bufnr = 1, lnum = 12, col = 0, type = 'E', text = 'it fails' },
          { bufnr = 1, lnum = 7, col = 3, type = 'W', text = 'so so' },
        } })
      ]])
      screen.shows_some(child, { 'a.c:12   error    it fails' })
      screen.shows_some(child, { 'a.c:7:3  warning  so so' })
      child:cmd('clast')
      assert.is_true(screen.differ(child, 'error ', 'it fails'))
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('are made of what a change told of, %d columns wide'):format(columns), function()
      child:cmd('Oxide places')
      child:message('told of no places')
      child:cmd('Oxide rename y')
      child:message('x still occurs in 2 other places as text, which :Oxide places lists')
      screen.size(child, columns, 30)
      child:cmd('Oxide places')
      child:cmd('wincmd j')
      child:cmd('wincmd _')
      screen.shows_some(child, { 'a.c', '3:4', '// of x' })
      screen.shows_some(child, { 'b.c', '1:2', '"x"' })
      assert.equal(
        'Oxide places: rename x to y',
        child:lua('return vim.fn.getqflist({ title = 0 }).title')
      )
      child:cmd('cclose')
      goes(']e', 3)
      child:cmd('Oxide rename bad')
      child:message('would bring 1 new error')
      assert.equal(1, child:lua("return require('oxide').places { open = false }"))
      goes(']e', 5)
      local entry = child:lua('return vim.fn.getqflist()[1]')
      assert.same({ 'E', 'no such name' }, { entry.type, entry.text })
    end)
  end
end)
