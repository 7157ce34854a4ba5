-- What a change has written is said, on screens of three widths: how many files, and how many buffers
-- are left for their user to write. How many files also where the rest does not fit. To format a buffer
-- is not to write it.
local fault = require('fault')
local screen = require('screen')

local SCRIPT = {
  capabilities = {
    renameProvider = true,
    documentFormattingProvider = true,
    codeActionProvider = true,
    documentSymbolProvider = true,
  },
  lint = { { word = 'bad', fixes = { { title = 'say good', new = 'good' } } } },
  on = {
    ['textDocument/documentSymbol'] = {
      result = {
        {
          name = 'thing',
          kind = 12,
          range = fault.range(0, 0, 5),
          selectionRange = fault.range(0, 0, 5),
        },
      },
    },
    ['textDocument/rename'] = { rename = { files = { 'a.txt', 'b.txt', 'c.txt' } } },
    ['textDocument/formatting'] = {
      result = { { range = fault.range(0, 0, 3), newText = 'OLD' } },
    },
  },
}

--- What the last line has for each width: of a rename of three files, one of which has changes of the
--- user's own, with 'unmodified', 'all' and 'none'; and of a buffer that is formatted.
local SAID = {
  [60] = {
    unmodified = 'Renamed 3 places in 3 files. Wrote 2 files. ...',
    all = 'Renamed 3 places in 3 files. Wrote 3 files. ...',
    none = 'Renamed 3 places in 3 files. Wrote 1 file. ...',
    formatted = 'Oxide: Formatted by fake: 1 edit. ...',
    formatted_all = 'Formatted by fake: 1 edit. Wrote 1 file. ...',
  },
  [80] = {
    unmodified = 'Oxide: Renamed 3 places in 3 files. Wrote 2 files. ...',
    all = 'Oxide: Renamed 3 places in 3 files. Wrote 3 files. ...',
    none = 'Oxide: Renamed 3 places in 3 files. Wrote 1 file. ...',
    formatted = 'Oxide: Formatted by fake: 1 edit. :Oxide undo takes it back. ...',
    formatted_all = 'Oxide: Formatted by fake: 1 edit. Wrote 1 file. ...',
  },
  [200] = {
    unmodified = 'Oxide: Renamed 3 places in 3 files. Wrote 2 files. :Oxide undo takes it back. '
      .. '1 buffer is left modified.',
    all = 'Oxide: Renamed 3 places in 3 files. Wrote 3 files. :Oxide undo takes it back.',
    none = 'Oxide: Renamed 3 places in 3 files. Wrote 1 file. :Oxide undo takes it back. '
      .. '2 buffers are left modified.',
    formatted = 'Oxide: Formatted by fake: 1 edit. :Oxide undo takes it back. 1 buffer is left modified.',
    formatted_all = 'Oxide: Formatted by fake: 1 edit. Wrote 1 file. :Oxide undo takes it back.',
  },
}

--- What the last line has of all other commands, in this order, for each width.
local UNDO = ' :Oxide undo takes it back.'
local OTHERS = {
  {
    'Oxide undo',
    [60] = 'Undid rename old to new in... Wrote 2 files. ...',
    [80] = 'Oxide: Undid rename old to new in 3 files. Wrote 2 files. ...',
    [200] = 'Oxide: Undid rename old to new in 3 files. Wrote 2 files. 1 buffer is left modified.',
  },
  {
    'Oxide redo',
    [60] = 'Redid rename old to new in... Wrote 2 files. ...',
    [80] = 'Oxide: Redid rename old to new in 3 files. Wrote 2 files. ...',
    [200] = 'Oxide: Redid rename old to new in 3 files. Wrote 2 files. 1 buffer is left modified.',
  },
  {
    'Oxide! fix',
    [60] = 'Applied 1 fix: 1 resolved, ... Wrote 1 file. ...',
    [80] = 'Oxide: Applied 1 fix: 1 resolved, 1 left. Wrote 1 file. ...',
    [200] = 'Oxide: Applied 1 fix: 1 resolved, 1 left. Wrote 1 file.' .. UNDO,
  },
  {
    '3 | Oxide! actions',
    [60] = 'say good: 1 edit in 1 file. Wrote 1 file. ...',
    [80] = 'Oxide: say good: 1 edit in 1 file. Wrote 1 file. ...',
    [200] = 'Oxide: say good: 1 edit in 1 file. Wrote 1 file.' .. UNDO,
  },
  {
    'Oxide! edit thing insert_after x',
    [60] = 'Oxide: Inserted after thing. Wrote 1 file. ...',
    [80] = 'Oxide: Inserted after thing. Wrote 1 file. ...',
    [200] = 'Oxide: Inserted after thing. Wrote 1 file.' .. UNDO,
  },
  {
    'Oxide! patch p',
    [60] = 'Patched 1 place in 1 file. Wrote 1 file. ...',
    [80] = 'Oxide: Patched 1 place in 1 file. Wrote 1 file. ...',
    [200] = 'Oxide: Patched 1 place in 1 file. Wrote 1 file.' .. UNDO,
  },
}

local child

---@param columns integer
---@param save string   of apply.save
local function start(columns, save)
  local files = {
    ['d.txt'] = 'thing\nbad\nbad\nlast\n',
    ['a.txt'] = 'old one\n',
    ['b.txt'] = 'two old\n',
    ['c.txt'] = 'three old\n',
  }
  child = fault.project(SCRIPT, { ['reach.files'] = 100 }):nvim(files, { apply = { save = save } })
  vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 20, {})
  child:lua(
    'vim.o.columns, vim.o.lines, vim.o.more, vim.notify = ..., 20, true, _G.last_line',
    columns
  )
  child:cmd('set hidden | edit b.txt | call append("$", "mine")')
  child:cmd('edit a.txt')
end

--- Runs it, and waits until the last line has this; it never asks for <CR>.
---@param command string
---@param line string
local function says(command, line)
  vim.rpcnotify(child.chan, 'nvim_command', command)
  local seen
  local ok = pcall(fault.wait, line, function()
    local mode = vim.rpcrequest(child.chan, 'nvim_get_mode')
    assert.not_equal('r', mode.mode, command .. ' asks for <CR>')
    seen = not mode.blocking and vim.trim(screen.row(child))
    return seen == line
  end)
  assert.is_true(ok, seen)
end

---@param name string
---@return boolean
local function is_modified(name)
  return child:lua('return vim.bo[vim.fn.bufnr(...)].modified', name)
end

describe('what is written', function()
  after_each(fault.cleanup)

  for columns, said in vim.spairs(SAID) do
    for save, unwritten in
      vim.spairs { unmodified = { 'b.txt' }, all = {}, none = { 'a.txt', 'b.txt' } }
    do
      it(('is said of a rename, saving %s, %d columns wide'):format(save, columns), function()
        start(columns, save)
        says('Oxide! rename new', said[save])
        for _, name in ipairs { 'a.txt', 'b.txt', 'c.txt' } do
          local modified = vim.list_contains(unwritten, name)
          assert.equal(not modified, child:file(name):find('new') ~= nil, name)
          assert.equal(modified, name ~= 'c.txt' and is_modified(name), name)
        end
        child:cmd('Oxide messages')
        assert.matches(vim.pesc(SAID[200][save]:sub(8)), child:lines()[#child:lines()])
      end)
    end

    it(('is said of every other change, %d columns wide'):format(columns), function()
      start(columns, 'unmodified')
      says('Oxide! rename new', said.unmodified)
      child:lua([[
        vim.fn.setreg('x', 'more\n')
        vim.fn.setreg('p', '--- a/d.txt\n+++ b/d.txt\n@@ -4 +4 @@\n-last\n+least\n')
        vim.ui.select = function(items, _, choose) choose(items[1]) end
      ]])
      for i, change in ipairs(OTHERS) do
        if i == 3 then
          child:cmd('edit +2 d.txt')
        end
        local line = change[columns] or change[80]
        says(change[1], line)
        child:cmd('Oxide messages')
        assert.matches(
          vim.pesc((change[200] or change[80]):sub(8)) .. '$',
          child:lines()[#child:lines()]
        )
        child:cmd('close')
      end
    end)

    it(
      ('is no buffer that is formatted, unless all are, %d columns wide'):format(columns),
      function()
        for save, line in pairs { unmodified = said.formatted, all = said.formatted_all } do
          start(columns, save)
          says('Oxide format', line)
          assert.equal(save == 'all' and 'OLD one\n' or 'old one\n', child:file('a.txt'))
          assert.equal(save ~= 'all', is_modified('a.txt'))
          fault.cleanup()
        end
      end
    )
  end
end)

describe('what others do before a file is written', function()
  after_each(fault.cleanup)

  before_each(function()
    start(80, 'unmodified')
    child:lua([[
      vim.api.nvim_create_autocmd('BufWritePre', { callback = function()
        vim.cmd('%s/$/ ;/')
      end })
    ]])
  end)

  it('is not part of a change, which can be undone', function()
    says('Oxide! rename new', SAID[80].unmodified)
    assert.equal('new one\n', child:file('a.txt'))
    assert.equal('', child:lua('return vim.o.eventignore'))
    says('Oxide undo', OTHERS[1][80])
    assert.equal('old one\n', child:file('a.txt'))
  end)

  it('happens when the user writes it', function()
    says('Oxide! rename new', SAID[80].unmodified)
    child:cmd('write')
    assert.equal('new one ;\n', child:file('a.txt'))
  end)
end)
