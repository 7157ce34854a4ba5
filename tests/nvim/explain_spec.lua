-- What a sub-command does is said beside the menu of the command line that completes it.
local helper = require('helper')
local screen = require('screen')

local ACTIONS =
  'actions: choose among the code actions at the cursor or in the range, with a diff of each'

-- How its text is broken, beside a menu of that many columns.
local SHOWN = {
  [60] = {
    'actions: choose among the code',
    'actions at the cursor or in the',
    'range, with a diff of each',
  },
  [80] = {
    'actions: choose among the code actions at the cursor',
    'or in the range, with a diff of each',
  },
  [200] = { ACTIONS },
}

local FLOAT = [[(function()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(win).relative ~= '' then
      local buf = vim.api.nvim_win_get_buf(win)
      return vim.tbl_map(vim.trim, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
    end
  end
  return {}
end)()]]

describe('completion of sub-commands', function()
  local child

  before_each(function()
    child = helper.start {}
  end)
  after_each(helper.cleanup)

  ---@param columns integer
  local function attach(columns)
    vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 24, { rgb = true })
    child:lua('vim.o.columns, vim.o.lines, vim.o.laststatus = ..., 24, 2', columns)
  end

  for columns, lines in vim.spairs(SHOWN) do
    it(('says what each does, %d columns wide'):format(columns), function()
      attach(columns)
      child:type(':Oxide <Tab>')
      child:wait('the text', 'vim.deep_equal(' .. FLOAT .. ', ...)', lines)
      for _, line in ipairs(lines) do
        screen.shows_with_floats(child, { line })
      end
      screen.shows_with_floats(child, { 'actions' .. (' '):rep(5) }) -- nothing covers the menu
      child:type('<Tab>')
      child:wait('the next', FLOAT .. "[1]:find('^agent: show or hide') ~= nil")
      child:type('<C-e>r')
      child:wait('no text', '#' .. FLOAT .. ' == 0')
      assert.equal('Oxide r', child:lua('return vim.fn.getcmdline()'))
      child:type('<BS><Tab>')
      child:wait('the text', 'vim.deep_equal(' .. FLOAT .. ', ...)', lines)
      child:type('<C-c>')
      child:wait('no text', '#' .. FLOAT .. ' == 0')
      assert.same({}, child:lua("return vim.api.nvim_get_autocmds { event = 'CmdlineChanged' }"))
    end)
  end

  it('says nothing while a name is typed, and nothing to scripts', function()
    attach(80)
    assert.equal('rename', child:lua("return vim.fn.getcompletion('Oxide ren', 'cmdline')[1]"))
    child:type(':Oxide rename')
    child:wait('the line', "vim.fn.getcmdline() == 'Oxide rename'")
    assert.same({}, child:lua('return ' .. FLOAT))
    assert.same({}, child:lua("return vim.api.nvim_get_autocmds { event = 'CmdlineChanged' }"))
    child:type('<C-c>')
  end)

  it('has a text for every sub-command', function()
    local docs = child:lua([[
      return vim.tbl_map(function(sub) return sub.doc end, require('oxide.command').subcommands)
    ]])
    for name, doc in pairs(docs) do
      assert.is_true(#doc >= 10, name)
    end
  end)
end)
