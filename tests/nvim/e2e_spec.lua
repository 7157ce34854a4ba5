-- A person's main job in a C project, with the real core and the real clangd.
local helper = require('helper')

local CORE = helper.core

local FILES = {
  ['.clang-format'] = 'BasedOnStyle: LLVM\nIndentWidth: 4\n',
  ['data.h'] = '#pragma once\nstruct pair { int a; };\nint process_data(int x);\n',
  ['data.c'] = '#include "data.h"\nint process_data(int x) { return x + 1; }\n',
  ['main.c'] = table.concat({
    '#include "data.h"',
    'int main(void)',
    '{',
    '    const char *s = "é😀"; int y = process_data(1);',
    '\tstruct pair p = { y }; // process_data',
    '    return process_data(p.a) + (s != 0);',
    '}',
    '',
  }, '\n'),
}

local RENAMED = {}
for name, text in pairs(FILES) do
  RENAMED[name] = text:gsub('process_data%(', 'handle_data(')
end

describe('with clangd', function()
  local child

  local function start(files, config)
    child = helper.start(files or FILES, {
      config = ('{ core = { path = %q }, %s }'):format(CORE, config or ''),
    })
    local commands = {}
    for _, name in ipairs { 'main.c', 'data.c' } do
      local arguments = { 'cc', '-Wall', '-c', name }
      table.insert(commands, { directory = child.dir, file = name, arguments = arguments })
    end
    helper.write(child.dir .. '/compile_commands.json', vim.json.encode(commands))
    child:cmd('edit main.c')
    return child
  end
  after_each(helper.cleanup)

  local function files()
    local all = {}
    for name in pairs(FILES) do
      all[name] = child:file(name)
    end
    return all
  end

  it('a rename over several files is reviewed, applied and taken back', function()
    start()
    child:type('4G/process_data<CR>')
    child:wait('the place', "vim.fn.line('.') == 4 and vim.fn.expand('<cword>') == 'process_data'")
    child:type(':Oxide rename handle_data<CR>')
    child:event('ReviewOpen')
    local text = table.concat(child:lines(), '\n')
    assert.matches(
      '# 3 kept, 0 left out; 4 places in 3 files, %d hunks, %+4 %-4; from clangd',
      text
    )
    assert.matches('\n## %[x%] main.c .*  open\n', text)
    assert.matches('\n%+    const char %*s = "é😀"; int y = handle_data%(1%);\n', text)
    assert.same(FILES, files())
    child:type('ZZ')
    assert.matches(
      '^Oxide: Renamed 4 places in 3 files. Wrote 3 files. :Oxide undo takes it back.',
      child:message('Renamed')
    )
    assert.same(RENAMED, files())
    assert.is_false(child:lua('return vim.bo.modified'))
    assert.equal(1, child:lua("return vim.fn.tabpagenr('$')"))
    child:type(':Oxide undo<CR>')
    child:message('Undid .* in 3 files. Wrote 3 files.')
    assert.same(FILES, files())
    assert.same(vim.split(FILES['main.c']:gsub('\n$', ''), '\n'), child:lines())
    child:event('UndoPost')
  end)

  it('a rename that is discarded changes nothing', function()
    start()
    child:cmd([[call search('process_data(')]])
    child:type(':Oxide rename handle_data<CR>')
    child:event('ReviewOpen')
    child:type(':q<CR>')
    child:message('nothing was changed')
    assert.same(FILES, files())
  end)

  it('a file left out of a rename stays as it is, where its errors are accepted', function()
    start()
    child:cmd([[call search('process_data(')]])
    child:type(':Oxide rename handle_data<CR>')
    child:event('ReviewOpen')
    child:type('gg/## .*main.c<CR>=:wq<CR>')
    child:message('what is left would bring 1 new error')
    child:wait('the second review', "vim.fn.getline(2):find('What is left', 1, true) ~= nil")
    assert.same(FILES, files())
    child:type(':w!<CR>')
    child:message('Renamed 2 places in 2 files')
    assert.equal(FILES['main.c'], child:file('main.c'))
    assert.equal(RENAMED['data.c'], child:file('data.c'))
  end)

  it('a buffer with changes of its own is renamed too, and stays modified', function()
    start()
    child:type('O// mine<Esc>')
    child:wait('the typed line', "vim.fn.getline(1) == '// mine' and vim.fn.mode() == 'n'")
    child:cmd([[call search('process_data(')]])
    child:cmd('Oxide! rename handle_data')
    assert.matches(
      'Wrote 2 files.* 1 buffer is left modified',
      child:message('Renamed 4 places in 3 files')
    )
    assert.equal(FILES['main.c'], child:file('main.c'))
    assert.equal('// mine\n' .. RENAMED['main.c'], table.concat(child:lines(), '\n') .. '\n')
    assert.equal(RENAMED['data.c'], child:file('data.c'))
    assert.is_true(child:lua('return vim.bo.modified'))
  end)

  it('a local rename is applied at once', function()
    start()
    child:cmd([[call search('\<y\>')]])
    child:type(':Oxide rename z<CR>')
    child:message('Renamed 2 places in 1 file')
    assert.equal((FILES['main.c']:gsub('%f[%w]y%f[%W]', 'z')), child:file('main.c'))
  end)

  it('a rename shows itself while it is typed', function()
    start()
    child:cmd([[call search('process_data(')]])
    child:type(':Oxide rename fresh')
    child:wait(
      'the marks',
      [[(function()
      local ns = vim.api.nvim_get_namespaces()['oxide.review.preview']
      return ns and #vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {}) == 2
    end)()]]
    )
    child:type('<C-c>')
    child:wait('the end', "vim.fn.mode() == 'n'")
    assert.same(FILES, files())
  end)

  it('a name that cannot be is refused with the reason', function()
    start()
    child:cmd([[call search('process_data(')]])
    child:type(':Oxide rename 1x<CR>')
    child:message('^Oxide: clangd: .*1x')
    assert.same(FILES, files())
  end)

  it('a buffer is formatted, in one step of undo, with its marks', function()
    start()
    child:cmd('6mark a')
    child:cmd('Oxide format')
    child:message('^Oxide: Formatted by clangd')
    assert.equal(FILES['main.c'], child:file('main.c'))
    local text = table.concat(child:lines(), '\n')
    assert.matches(
      'int main%(void%) {\n    const char %*s = "é😀";\n    int y = process_data%(1%);',
      text
    )
    assert.equal(
      '    return process_data(p.a) + (s != 0);',
      child:lua([[return vim.fn.getline("'a")]])
    )
    child:lua('_G.messages = {}')
    child:cmd('Oxide format')
    child:message('Already formatted')
    child:cmd('undo')
    assert.same(vim.split(FILES['main.c']:gsub('\n$', ''), '\n'), child:lines())
  end)

  it('a range and a motion format their lines only', function()
    start()
    child:cmd('5Oxide format')
    child:message('Formatted')
    assert.equal('    struct pair p = {y}; // process_data', child:lines()[5])
    assert.equal('{', child:lines()[3])
    child:lua('_G.messages = {}')
    child:cmd('undo')
    child:lua("vim.keymap.set('n', 'gf', '<Plug>(oxide-format)')")
    child:type('5Ggfl')
    child:message('Formatted')
    assert.equal('    struct pair p = {y}; // process_data', child:lines()[5])
    assert.equal('{', child:lines()[3])
  end)

  it('diagnostics fill a quickfix list that renews itself', function()
    local with = vim.tbl_extend('force', FILES, {
      ['main.c'] = '#include "data.h"\nint main(void)\n{\n#warning odd\n    return missing;\n}\n',
    })
    start(with)
    child:cmd('Oxide diagnostics')
    local function list(what)
      return child:wait(
        what,
        [[(function(title)
        local list = vim.fn.getqflist { title = 0, items = 0, size = 0, idx = 0 }
        _G.messages.title = list.title
        return list.title:find(title, 1, true) and list or nil
      end)(...)]],
        what
      )
    end
    local shown = list('Oxide diagnostics: 1 error, 1 warning in 1 file')
    assert.equal('E', shown.items[1].type)
    assert.same({ 5, 12 }, { shown.items[1].lnum, shown.items[1].col })
    assert.equal('W', shown.items[2].type)
    assert.equal(4, shown.items[2].lnum)
    assert.matches('^clang', shown.items[1].user_data.oxide)
    local rows = child:lua([[
      local win = vim.fn.getqflist({ winid = 0 }).winid
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
    ]])
    assert.matches('^main.c:5:12  error    .*missing', rows[1])
    assert.matches('^main.c:4:2   warning  Odd', rows[2])
    child:cmd('cnext')
    assert.equal(4, child:lua("return vim.fn.line('.')"))
    child:type('dd')
    local renewed = list('Oxide diagnostics: 1 error in 1 file')
    assert.equal(4, renewed.items[1].lnum)
    -- A list of somebody else's is left alone.
    child:lua("vim.fn.setqflist({}, ' ', { title = 'mine', items = { { text = 'x' } } })")
    child:lua('_G.events = {}')
    child:type('u')
    child:event('DiagnosticsUpdated')
    assert.equal('mine', child:lua('return vim.fn.getqflist({ title = 0 }).title'))
  end)

  it('a definition is jumped to, and back', function()
    start()
    child:cmd([[call search('process_data(')]])
    -- Before it has read all files clangd knows the declaration only.
    child:lua("require('oxide').references { on_done = function() _G.up = true end }")
    child:wait('the references', '_G.up')
    child:cmd('cclose | Oxide definition')
    child:wait('the definition', "vim.fn.expand('%:t') == 'data.c' and vim.fn.line('.') == 2")
    assert.equal(5, child:lua("return vim.fn.col('.')"))
    child:type('<C-t>')
    child:wait('the way back', "vim.fn.expand('%:t') == 'main.c' and vim.fn.line('.') == 4")
    child:cmd('vertical Oxide definition')
    child:wait('a split', "vim.fn.winnr('$') == 2 and vim.fn.expand('%:t') == 'data.c'")
  end)

  it('references are listed by file', function()
    start()
    child:cmd([[call search('process_data(')]])
    child:cmd('Oxide references')
    child:wait('the list', "vim.fn.getqflist({ title = 0 }).title:find('Oxide references')")
    local names = child:lua([[
      return vim.tbl_map(function(item)
        return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(item.bufnr), ':t') .. ':' .. item.lnum
      end, vim.fn.getqflist())
    ]])
    table.sort(names)
    assert.same({ 'data.c:2', 'data.h:3', 'main.c:4', 'main.c:6' }, names)
  end)

  it('hover and symbols are shown', function()
    start()
    child:cmd([[call search('process_data(')]])
    child:cmd('Oxide hover')
    child:wait(
      'a window',
      [[(function()
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), ' ')
        if vim.api.nvim_win_get_config(win).relative ~= '' and text:find('process_data') then return true end
      end
    end)()]]
    )
    child:cmd('Oxide symbols')
    child:wait(
      'the tree',
      [[table.concat(vim.fn.getbufline('oxide://symbols', 1, '$'), '\n'):find('main')]]
    )
    child:lua("require('oxide').symbols { loc = true }")
    child:wait('the list', "vim.fn.getloclist(0, { title = 0 }).title:find('Oxide symbols')")
    assert.matches('main', child:lua('return vim.fn.getloclist(0)[1].text'))
  end)

  it('the state of things is told', function()
    start()
    child:cmd([[call search('process_data(')]])
    child:lua("require('oxide').hover { on_done = function() _G.up = true end }")
    child:wait('the server', '_G.up')
    child:cmd('Oxide')
    child:wait('the status', "vim.fn.getline(1):match('^Oxide    x cancels')")
    local said = table.concat(child:lines(), '\n')
    assert.matches('Running  nothing', said)
    assert.matches('Core     version 0', said)
    assert.matches('Server   clangd: ready, 1 document', said)
    assert.matches('Undo     nothing to undo', said)
  end)

  it('a file that no server serves gets an error that says so', function()
    start(vim.tbl_extend('force', FILES, { ['x.rs'] = 'fn old() {}\n' }))
    child:lua("vim.env.PATH = '/nowhere'")
    child:cmd('edit x.rs | normal! 4|')
    child:cmd('Oxide rename fresh')
    assert.matches('rust', child:message('rust.analyzer'))
  end)

  it('health says that all is well', function()
    start()
    child:cmd('checkhealth oxide')
    local text = table.concat(child:lines(), '\n')
    assert.matches('clangd renamed in %d+ ms', text)
    assert.is_nil(text:find('ERROR'))
  end)
end)
