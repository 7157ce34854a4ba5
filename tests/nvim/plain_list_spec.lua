-- A choice in Neovim's own list, on screens of several widths: it never goes on in `-- More --`, and what
-- does not fit is reached all the same.
local fault = require('fault')
local helper = require('helper')

local LINES = 24
local COUNT = 57

-- How the last line of the list ends, without blanks.
local HINT = 'Typenumberand<Enter>orclickwiththemouse(qoremptycancels):'

-- In the Neovim that is looked at: tells what its own list is made of, as it comes up.
local INSIDE = [[
  local about = vim.json.decode(vim.env.ABOUT)
  local inputlist = vim.fn.inputlist
  vim.fn.inputlist = function(choices)
    vim.fn.writefile({ vim.json.encode(choices) }, about.page .. '.new')
    vim.uv.fs_rename(about.page .. '.new', about.page)
    return inputlist(choices)
  end
  vim.o.cmdheight = about.cmdheight
  vim.defer_fn(function()
    require('oxide.ui').select(about.items, {
      prompt = 'Which one?',
      format_item = function(item) return item.text end,
    }, function(item, index)
      local text = item and ('chose %s, %d'):format(item.name, index) or 'chose nothing'
      vim.fn.writefile({ text }, about.page)
    end)
  end, 1)
]]

-- In the Neovim whose terminal it runs in.
local OUTSIDE = [[
  local columns, lines, root, inside, about = ...
  vim.o.laststatus, vim.o.showtabline, vim.o.ruler, vim.o.cmdheight = 0, 0, false, 1
  vim.o.columns, vim.o.lines = columns, lines + 1
  local cmd = { vim.v.progpath, '-u', 'NONE', '-i', 'NONE', '-n', '--cmd', 'set runtimepath^=' .. root }
  vim.list_extend(cmd, { '-c', 'luafile ' .. inside })
  local opts = { env = { ABOUT = about } }
  if vim.fn.has('nvim-0.11') == 1 then
    opts.term = true
    vim.fn.jobstart(cmd, opts)
  else
    vim.fn.termopen(cmd, opts)
  end
  vim.cmd.startinsert()
  function _G.screen()
    return (table.concat(vim.api.nvim_buf_get_lines(0, -lines - 1, -1, false)):gsub('%s+', ''))
  end
]]

local child ---@type test.Child
local page ---@type string   where the other tells what it shows

---@param texts string[]
---@param columns integer
---@param cmdheight? integer
local function ask(texts, columns, cmdheight)
  local items = {}
  for i, text in ipairs(texts) do
    items[i] = { text = text, name = 'item ' .. i }
  end
  child = helper.start { ['inside.lua'] = INSIDE }
  page = child.dir .. '/.state/page'
  local about = vim.json.encode { items = items, page = page, cmdheight = cmdheight or 1 }
  child:lua(OUTSIDE, columns, LINES, helper.root, child.dir .. '/inside.lua', about)
end

--- Waits until the list is on the screen.
---@return string[] choices, without the prompt
local function listed()
  fault.wait('a list', function()
    local shown = child:lua('return _G.screen()')
    assert.is_nil(shown:find('--More--', 1, true))
    return vim.uv.fs_stat(page) and vim.endswith(shown, HINT)
  end)
  local choices = vim.json.decode(helper.read(page))
  vim.fn.delete(page)
  return vim.list_slice(choices, 2)
end

---@param keys string
---@param want string
local function chooses(keys, want)
  child:type(keys .. '<CR>')
  fault.wait('the answer', function()
    return vim.uv.fs_stat(page) and helper.read(page) == want .. '\n'
  end)
end

---@param text string
---@param count? integer
---@return string[]
local function items_of(text, count)
  local texts = {}
  for i = 1, count or COUNT do
    texts[i] = text .. i
  end
  return texts
end

--- Goes on to the last page.
---@return string[] all that was listed, without what leads on
local function walk()
  local all = {}
  while true do
    local choices = listed()
    local left = choices[#choices]:match('^%d+: more %((%d+)%)$')
    if not left then
      return vim.list_extend(all, choices), #choices
    end
    vim.list_extend(all, choices, 1, #choices - 1)
    assert.equal(COUNT - #all, tonumber(left))
    child:type(#choices .. '<CR>')
  end
end

describe('the list that Neovim has itself', function()
  after_each(helper.cleanup)

  for _, columns in ipairs { 30, 60, 80, 200 } do
    for what, text in pairs { short = 'a', long = ('wörd '):rep(20), wide = ('漢字'):rep(19) } do
      it(('is shown in parts, %d columns wide, of %s items'):format(columns, what), function()
        local texts = items_of(text)
        ask(texts, columns)
        local all, last = walk()
        for i, line in ipairs(all) do
          all[i] = line:gsub('^%d+: ', '')
        end
        assert.same(texts, all)
        chooses(last, ('chose item %d, %d'):format(COUNT, COUNT))
      end)
    end
  end

  it('is whole where it fits', function()
    ask(items_of('item', LINES - 2), 80)
    assert.equal(LINES - 2, #listed())
    chooses('22', 'chose item 22, 22')
  end)

  it('is left from any part of it', function()
    ask(items_of('item'), 80, 0)
    child:type(#listed() .. '<CR>')
    listed()
    chooses('', 'chose nothing')
  end)

  it('cuts what is longer than the screen', function()
    ask({ ('x'):rep(60 * LINES), 'short' }, 60)
    local choices = listed()
    assert.matches('^1: x+%.%.%.$', choices[1])
    assert.equal('2: short', choices[2])
    chooses('2', 'chose item 2, 2')
  end)
end)
