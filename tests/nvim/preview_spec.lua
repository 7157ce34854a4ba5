local lines = require('oxide.review.preview_lines')
local S = lines.STAND_IN

describe('the lines of a preview', function()
  it('come from the diff of each file', function()
    local diff = table.concat({
      '--- a/a.c',
      '+++ b/a.c',
      '@@ -1,3 +1,3 @@',
      ' one',
      '--- old',
      '+-- ' .. S,
      ' three',
      '@@ -9 +9 @@',
      '-old();',
      '+' .. S .. '();',
      '\\ No newline at end of file',
      'diff --git a/x.c b/y.c',
      'rename from x.c',
      'rename to y.c',
      '--- a/src/b.c',
      '+++ b/src/b.c',
      '@@ -2 +2,2 @@',
      '-old',
      '+import x',
      '+' .. S,
      '',
    }, '\n')
    local parts = lines.split(diff)
    assert.same({ 'a.c', 'src/b.c' }, { parts[1].name, parts[2].name })
    assert.same({
      { row = 1, old = '-- old', new = '-- ' .. S },
      { row = 8, old = 'old();', new = S .. '();' },
    }, lines.lines(parts[1].diff))
    assert.same({}, lines.lines(parts[2].diff))
  end)

  it('say which parts the name takes', function()
    local line = {
      row = 0,
      old = '/* é😀 */ old(old_x, old);',
      new = ('/* é😀 */ %s(old_x, %s);'):format(S, S),
    }
    local spans = lines.spans(line, 'old', 'fresh')
    assert.same(
      { { from = 13, to = 16, text = 'fresh' }, { from = 24, to = 27, text = 'fresh' } },
      spans
    )
    assert.equal('/* é😀 */ fresh(old_x, fresh);', lines.with_name(line.new, 'fresh'))
    assert.equal('50%', lines.with_name(S, '50%'))
  end)

  it('show a line that does more than swap the name', function()
    local line = { row = 0, old = 'f({ old })', new = ('f({ old: %s })'):format(S) }
    assert.same({ { from = 7, to = 7, text = ': fresh' } }, lines.spans(line, 'old', 'fresh'))
  end)

  it('have a placeholder that begins as the name does', function()
    for name, first in pairs {
      x = 'o',
      _X = 'o',
      Xy = 'O',
      ['Éa'] = 'O',
      ['é'] = 'o',
      ["'b"] = "'o",
    } do
      assert.equal(first .. S:sub(2), lines.asked(name))
    end
  end)

  it('never cut a character in two', function()
    local line = { row = 0, old = 'xé', new = 'xè' .. S }
    local span = lines.spans(line, '', '')[1]
    assert.same({ from = 1, to = 3, text = 'è' }, span)
  end)
end)

local helper = require('helper')
local screen = require('screen')

local CORE = [[
return function(core, method, params)
  if method == 'configure' then
    core.ready()
  elseif method == 'call' then
    local args = vim.json.decode(params[3])
    core.data.n = (core.data.n or 0) + 1
    if not args.dry_run then
      core.answer(params[1], { success = true, edits = core.data.n, files_changed = 2 })
      return
    end
    local name = args.new_name
    core.answer(params[1], { success = false, old_name = 'old', diff = table.concat({
      '--- a/a.c', '+++ b/a.c', '@@ -1,2 +1,2 @@',
      '-int old(void); /* é😀 */ int x = old();',
      '+int ' .. name .. '(void); /* é😀 */ int x = ' .. name .. '();', ' int y;',
      '--- a/b.c', '+++ b/b.c', '@@ -3 +3 @@', '-old();', '+' .. name .. '();', '' }, '\n') })
  end
end
]]

describe('the live preview', function()
  local child
  ---@param inccommand string
  ---@param columns? integer
  local function start(inccommand, columns)
    child = helper.start_fake(CORE, {
      ['a.c'] = 'int old(void); /* é😀 */ int x = old();\nint y;\n',
      ['b.c'] = 'x\ny\nold();\n',
    })
    child:lua('vim.o.inccommand, vim.o.columns = ...', inccommand, columns or 120)
    child:cmd('edit a.c | normal! 5|')
    child:type(':Oxide rename fresh')
    return child:wait(
      'the marks',
      [[(function()
      local ns = vim.api.nvim_get_namespaces()['oxide.review.preview']
      local found = ns and vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('a.c'), ns, 0, -1, { details = true }) or {}
      if #found == 2 and found[1][4].virt_text[1][1] == 'fresh' then
        return vim.tbl_map(function(m) return { m[2], m[3], m[4].end_col } end, found)
      end
    end)()]]
    )
  end
  after_each(helper.cleanup)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('shows the name in place, %d columns wide, and changes no text'):format(columns), function()
      assert.same({ { 0, 4, 7 }, { 0, 36, 39 } }, start('nosplit', columns))
      assert.equal('Oxide rename fresh', child:lua('return vim.fn.getcmdline()'))
      assert.is_false(child:lua('return vim.bo.modified'))
      child:cmd('redraw')
      local row = screen.row(child, 1)
      assert.matches('^int fresh%(void%); /%* é😀 %*/ int x = fresh%(%);', row)
      child:type('<C-c>')
      child:wait('the end', "vim.fn.mode() == 'n'")
      assert.matches('^int old%(void%); /%* é😀 %*/ int x = old%(%);', screen.row(child, 1))
      assert.same(
        { 0, {} },
        child:lua([[
        local ns = vim.api.nvim_get_namespaces()['oxide.review.preview']
        return { vim.wo.conceallevel, vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {}) }
      ]])
      )
    end)
  end

  it('asks once, whatever is typed', function()
    start('nosplit')
    child:type('er<CR>')
    -- The answer counts the calls: one for the preview, one for the rename.
    child:message('Renamed 2 places in 2 files')
  end)

  it('that is late types nothing into the text', function()
    local core = helper.fakecore(
      helper.tempdir(),
      [[return function(core, method, params)
        if method == 'configure' then
          core.ready()
        elseif method == 'call' and not vim.json.decode(params[3]).dry_run then
          core.answer(params[1], { success = true, edits = 1, files_changed = 1 })
        end
      end]]
    )
    child = helper.start(
      { ['a.c'] = 'int old(void);\n' },
      { config = ('{ core = { path = %q } }'):format(core) }
    )
    child:lua("vim.o.inccommand = 'nosplit'")
    child:cmd('edit a.c | normal! 5|')
    child:type(':Oxide rename fresh')
    child:wait('the question', "require('oxide.core').pending(1) ~= nil")
    child:type('<CR>')
    child:message('Renamed 1 place')
    assert.equal('n', child:lua('return vim.fn.mode()'))
    assert.same({ 'int old(void);' }, child:lines())
  end)

  it('lists what is in no window', function()
    start('split')
    local listed = child:wait(
      'the preview window',
      [[(function()
      for _, buf in ipairs(vim.api.nvim_list_bufs()) do
        local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
        if (lines[1] or ''):find('^b.c %(1 line%):') then return lines end
      end
    end)()]]
    )
    assert.equal('|3| fresh();', listed[2])
    assert.equal(-1, child:lua("return vim.fn.bufnr('^b.c$')"))
  end)
end)
