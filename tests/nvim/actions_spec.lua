-- :Oxide actions, with a scripted server.
local fault = require('fault')
local helper = require('helper')

local LINT = {
  {
    word = 'bad',
    fixes = {
      { title = 'drop', new = '' },
      { title = 'say good', new = 'good', preferred = true },
      { title = 'ask for good', new = 'good!', how = 'command' },
      { title = 'look up', new = 'fine', how = 'resolve' },
      { title = 'worse', new = 'evil', kind = 'refactor' },
      { title = 'not now', new = 'x', disabled = 'no' },
      { title = 'look', how = 'none' },
    },
  },
  { word = 'evil' },
}
local FILES = { ['a.txt'] = 'fine\nbad é\n' }

--- Chooses the item of this title from what vim.ui.select is given; without one, nothing.
local function pick(child, title)
  child:lua(
    [[
      local title = ...
      vim.ui.select = function(items, opts, on_choice)
        _G.shown = { kind = opts.kind, prompt = opts.prompt, lines = {}, previews = {} }
        local chosen
        for i, item in ipairs(items) do
          _G.shown.lines[i] = opts.format_item(item)
          local buf = opts.preview_item(item).buf
          _G.shown.previews[i] = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
          vim.api.nvim_buf_delete(buf, { force = true })
          chosen = item.title == title and item or chosen
        end
        vim.schedule(function() on_choice(chosen) end)
      end
    ]],
    title
  )
end

local function start(title, script)
  local p = fault.project(vim.tbl_extend('force', {
    lint = LINT,
    on = { ['textDocument/documentSymbol'] = { result = {} } },
  }, script or {}))
  local child = p:nvim(FILES)
  child:cmd('set hidden')
  child:cmd('edit a.txt')
  child:cmd('2')
  pick(child, title)
  return p, child
end

describe(':Oxide actions', function()
  after_each(fault.cleanup)

  it('shows what can be done here, the preferred first, each with its diff', function()
    local p, child = start()
    child:cmd('Oxide actions')
    child:message('nothing was changed')
    local shown = child:lua('return _G.shown')
    assert.same({
      'say good (preferred)',
      'drop',
      'ask for good',
      'look up',
      'worse (refactor)',
    }, shown.lines)
    assert.equal('oxide.action', shown.kind)
    assert.same({
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,2 +1,2 @@',
      ' fine',
      '-bad é',
      '+good é',
    }, shown.previews[1])
    assert.same('+good! é', shown.previews[3][6])
    assert.same({ 'fine', 'bad é' }, child:lines())
    assert.equal(FILES['a.txt'], helper.read(p.dir .. '/a.txt'))
  end)

  for title, word in pairs { ['say good'] = 'good', ['ask for good'] = 'good!', ['look up'] = 'fine' } do
    it(('makes one, and takes it back (%s)'):format(title), function()
      local p, child = start(title)
      child:cmd('Oxide actions')
      child:message(title .. ': 1 edit in 1 file. Wrote 1 file. :Oxide undo takes it back.')
      assert.same({ 'fine', word .. ' é' }, child:lines())
      assert.equal('fine\n' .. word .. ' é\n', helper.read(p.dir .. '/a.txt'))
      child:cmd('Oxide undo')
      child:message('Undid')
      assert.equal(FILES['a.txt'], helper.read(p.dir .. '/a.txt'))
    end)
  end

  it(
    'asks about one that brings a new error, and makes it at the word of the person alone',
    function()
      local p, child = start('worse')
      child:cmd('Oxide actions')
      child:wait('the review', "vim.bo.filetype == 'oxide-review'")
      assert.matches('^# It would bring 1 new error: :w! applies', child:lines()[2])
      child:type(':w<CR>')
      child:wait(
        'the refusal',
        "vim.v.errmsg:find('it would bring 1 new error; nothing was applied')"
      )
      assert.equal(FILES['a.txt'], helper.read(p.dir .. '/a.txt'))
    end
  )

  it('refuses one whose file has changed while it was chosen', function()
    local p, child = start()
    child:lua([[
      vim.ui.select = function(items, _, on_choice)
        vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'finer' })
        vim.schedule(function() on_choice(items[1]) end)
      end
    ]])
    child:cmd('Oxide actions')
    child:message('a.txt has changed since')
    assert.same({ 'finer', 'bad é' }, child:lines())
    assert.equal(FILES['a.txt'], helper.read(p.dir .. '/a.txt'))
  end)

  it('takes a kind, a range, and what is selected', function()
    local p, child = start()
    child:cmd('1,2Oxide actions kind=refactor')
    child:message('nothing was changed')
    assert.same({ 'worse (refactor)' }, child:lua('return _G.shown.lines'))
    local asked = p:received('textDocument/codeAction')
    assert.same({
      start = { line = 0, character = 0 },
      ['end'] = { line = 1, character = 5 },
    }, asked[#asked].params.range)
    assert.same({ 'refactor' }, asked[#asked].params.context.only)
    child:lua("vim.keymap.set('x', 'gra', '<Plug>(oxide-actions)') _G.shown = nil")
    child:type('2G$vhgra')
    child:wait('the selection', '_G.shown ~= nil')
    asked = p:received('textDocument/codeAction')
    assert.same({
      start = { line = 1, character = 3 },
      ['end'] = { line = 1, character = 5 },
    }, asked[#asked].params.range)
  end)

  it('says where nothing is on offer', function()
    local _, child = start()
    child:cmd('1')
    child:cmd('Oxide actions')
    child:message('No code actions available here.')
  end)

  it("shows the diffs above Neovim's own list, and leaves nothing behind", function()
    local p, child = start()
    child:lua('vim.ui.select = dofile(vim.env.VIMRUNTIME .. "/lua/vim/ui.lua").select')
    child:lua([[
      local list = vim.fn.inputlist
      vim.fn.inputlist = function(choices)
        local buf = vim.fn.bufnr('oxide://actions')
        _G.above = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
        _G.choices = choices
        return 1
      end
    ]])
    child:cmd('Oxide actions')
    child:message('say good: 1 edit in 1 file')
    local above = child:lua('return _G.above')
    assert.equal('1: say good (preferred)', above[1])
    assert.is_true(vim.list_contains(above, '2: drop'))
    assert.equal('1: say good (preferred)', child:lua('return _G.choices')[2])
    assert.equal(1, child:lua('return #vim.api.nvim_list_wins()'))
    assert.equal(-1, child:lua("return vim.fn.bufnr('oxide://actions')"))
    assert.equal('fine\ngood é\n', helper.read(p.dir .. '/a.txt'))
  end)
end)
