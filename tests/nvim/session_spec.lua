-- A session (:mksession) that was saved with windows of Oxide in it has their names alone: they are gone
-- once it is loaded.
local fault = require('fault')
local helper = require('helper')

local SYMBOL = {
  name = 'old',
  kind = 12,
  range = fault.range(0, 0, 3),
  selectionRange = fault.range(0, 0, 3),
}

local SCRIPT = {
  capabilities = { renameProvider = true, documentSymbolProvider = true },
  on = {
    ['textDocument/documentSymbol'] = { result = { SYMBOL } },
    ['textDocument/rename'] = { rename = { files = { 'a.txt', 'b.txt' } } },
  },
}

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }

--- What each window shows.
local WINDOWS = [[
  vim.tbl_map(function(win)
    return vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)))
  end, vim.api.nvim_list_wins())
]]

local OURS = [[
  vim.tbl_filter(function(name)
    return name:find('oxide://', 1, true) ~= nil
  end, vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs()))
]]

local child ---@type test.Child

--- Opens a window of each kind.
local function fill()
  child = fault.project(SCRIPT):nvim(FILES)
  child:cmd('edit a.txt')
  child:cmd('Oxide symbols')
  child:cmd('Oxide chat')
  child:wait('the chat', "vim.fn.bufnr('^oxide://chat/1$') > 0")
  child:cmd('Oxide messages')
  child:cmd('Oxide history')
  child:wait('the history', "vim.bo.filetype == 'oxide-history'")
  child:cmd('call win_gotoid(bufwinid("a.txt")) | Oxide rename new')
  child:event('ReviewOpen')
end

---@param options? string   more of 'sessionoptions'
---@return string path
local function save(options)
  child:cmd('set sessionoptions+=globals,' .. (options or ''))
  child:cmd('mksession Session.vim')
  return child.dir .. '/Session.vim'
end

describe('a session', function()
  after_each(fault.cleanup)

  for _, options in ipairs { '', 'localoptions', 'localoptions,options' } do
    it(('has no windows of Oxide once it is loaded, with "%s"'):format(options), function()
      fill()
      local text = helper.read(save(options))
      for _, name in ipairs { 'chat', 'history', 'messages', 'review', 'symbols' } do
        assert.matches('oxide://' .. name, text)
      end
      local other = helper.start { ['Session.vim'] = text }
      other:cmd('source Session.vim')
      other:wait('them gone', ('#(%s) == 0'):format(OURS))
      assert.same({ 'a.txt' }, other:lua('return ' .. WINDOWS))
      assert.equal('', other:lua('return vim.v.errmsg'))
      assert.same({}, other:lua('return _G.messages'))
      assert.equal('', other:lua('return vim.wo.winbar'))
    end)
  end

  it('that has nothing else leaves an empty buffer', function()
    fill()
    child:cmd('tabonly | only')
    assert.matches('^oxide://review/', child:lua('return vim.api.nvim_buf_get_name(0)'))
    local other = helper.start { ['Session.vim'] = helper.read(save()) }
    other:cmd('source Session.vim')
    other:wait('them gone', ('#(%s) == 0'):format(OURS))
    assert.equal(1, other:lua('return #vim.api.nvim_list_wins()'))
  end)

  it('leaves the conversation and the review that are there', function()
    fill()
    child:cmd('silent! source ' .. save()) -- E37: the review is not written
    local left = { 'oxide://chat/1', 'oxide://review/1 rename old to new' }
    child:wait('the others gone', ('vim.deep_equal(%s, ...)'):format(OURS), left)
    child:cmd('Oxide chat')
    assert.equal('oxide://chat/1', child:lua('return vim.api.nvim_buf_get_name(0)'))
    assert.equal('oxide-chat', child:lua('return vim.bo.filetype'))
  end)

  it('has the conversation in its window where that is there', function()
    child = helper.start(FILES)
    child:cmd('edit a.txt | Oxide chat')
    child:wait('the chat', "vim.bo.filetype == 'oxide-chat'")
    local buf = child:lua('return vim.api.nvim_get_current_buf()')
    local path = save()
    child:cmd('bwipeout a.txt')
    for _ = 1, 2 do
      child:cmd('source ' .. path)
      child:wait('its own alone', ("vim.deep_equal(%s, { 'oxide://chat/1' })"):format(OURS))
      assert.equal('', child:lua('return vim.v.errmsg'))
      assert.same({ 'a.txt', '1' }, child:lua('return ' .. WINDOWS))
      assert.equal(1, child:lua('return #vim.fn.win_findbuf(...)', buf))
    end
  end)
end)
