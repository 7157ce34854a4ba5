-- The tour that the help begins with, read from the help itself: what is set apart is typed, and what
-- is in quotes behind it has to come to the screen. The model of its last step says what is here.
local e2e = require('e2e')
local helper = require('helper')
local model_server = require('model_server')

---@class test.TourStep
---@field keys string
---@field shown string[]

--- The blocks of code from the head of the tour to the next chapter, each with its quotes.
---@return test.TourStep[]
local function tour()
  local text = helper.read(helper.root .. '/doc/oxide.txt')
  text = assert(text:match('\n[^\n]*%*oxide%-tour%*\n(.-)\n=====+\n'))
  local steps = {} ---@type test.TourStep[]
  local prose = ''

  local function quotes()
    for quoted in prose:gsub('%s*\n', ' '):gmatch('"(.-)"') do
      assert(steps[1], 'a quote before the first step: ' .. quoted)
      table.insert(steps[#steps].shown, quoted)
    end
    prose = ''
  end

  text = text:match('.-( ?>vim\n.*)') -- the introduction says what quotes are
  for before, code in (text .. '\n>vim\n<\n'):gmatch('(.-)>vim\n(.-)\n?<\n') do
    prose = before
    quotes()
    for keys in code:gmatch('    ([^\n]+)') do
      table.insert(steps, { keys = keys, shown = {} })
    end
  end
  return steps
end

-- All of the screen, the last line too, as one text with one space between the words.
local SCREEN = [[
  function _G.tour_screen()
    vim.cmd.redraw()
    local rows = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do
        cells[column] = vim.fn.screenstring(row, column)
      end
      rows[row] = table.concat(cells)
    end
    return (table.concat(rows, '\n'))
  end
  -- Whole, over the end of a row, or as much of a message as fits the last line.
  function _G.tour_shows(quoted)
    local screen = _G.tour_screen():gsub('\n', '')
    if screen:find(quoted, 1, true) then
      return true
    end
    for count = #quoted, 20, -1 do
      if screen:find(quoted:sub(1, count) .. '...', 1, true) then
        return true
      end
    end
    return false
  end
]]

local child ---@type test.Child
local model ---@type test.ModelServer

---@param columns integer
---@return test.Child
local function begin(columns)
  model = model_server.start('openai')
  local content = '    for (size_t i = 0; i < s->count; i++) {'
  model:says { calls = { model_server.edit('src/series.c', 6, content) } }
  model:says { text = 'Both are of one type now.' }
  local started = helper.start({}, {
    config = ('{ core = { path = %q, options = %s }, models = { fast = { url = %q, model = "m" } } }'):format(
      helper.core,
      vim.inspect(e2e.PATIENT, { newline = '' }),
      model.url
    ),
  })
  vim.rpcrequest(started.chan, 'nvim_ui_attach', columns, 45, {})
  started:lua(SCREEN)
  started:lua('vim.o.columns, vim.o.lines, vim.notify = ..., 45, _G.last_line', columns)
  return started
end

---@return table<string, string>  the sources of the example project, by name
local function sources()
  local files = {}
  for name, text in pairs(helper.tree(child:lua('return vim.fn.getcwd(-1, 0)'))) do
    if vim.startswith(name, 'src/') then
      files[name] = text
    end
  end
  return files
end

---@param step test.TourStep
local function take(step)
  for _, quoted in ipairs(step.shown) do
    assert(
      not child:lua('return _G.tour_shows(...)', quoted),
      quoted .. ' is there before ' .. step.keys
    )
  end
  child:lua('_G.events = {}')
  child:type((step.keys:gsub('<', '<lt>')) .. (step.keys:find('^:') and '<CR>' or ''))
  for _, quoted in ipairs(step.shown) do
    local ok, why = pcall(child.wait, child, quoted, '_G.tour_shows(...)', quoted)
    if not ok then
      error(('%s: %s\n%s'):format(step.keys, why, child:lua('return _G.tour_screen()')), 2)
    end
  end
end

describe('the tour of the help', function()
  after_each(function()
    model:stop()
    helper.cleanup()
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('shows what it says, step by step, %d columns wide'):format(columns), function()
      child = begin(columns)
      local before ---@type table<string, string>
      local changes = 0
      for _, step in ipairs(tour()) do
        take(step)
        if step.keys == ':Oxide demo' then
          assert.is_true(child:lua('return _G.tour_shows("A TOUR")'))
          child:cmd('helpclose') -- or what it says would be seen there
          assert.equal('process_data', child:lua('return vim.fn.expand("<cword>")'))
          before = sources()
          assert.equal(5, vim.tbl_count(before))
        elseif step.keys == ':w' then
          child:event('ApplyPost')
          changes = changes + 1
          assert.not_same(before, sources())
        elseif step.keys:find('undo$') then
          child:event('UndoPost')
          assert.same(before, sources())
        elseif step.keys:find('Oxide ask') then
          child:wait('the review', "vim.bo.filetype == 'oxide-review'")
        end
      end
      assert.equal(3, changes)
    end)
  end

  for columns, split in pairs { [80] = 'col', [170] = 'row' } do
    it(('is in one tab with the code, on %d columns'):format(columns), function()
      child = begin(columns)
      child:cmd('Oxide demo')
      assert.equal(split, child:lua('return vim.fn.winlayout()[1]'))
      assert.is_true(child:lua('return _G.tour_shows("Five minutes on a copy")'))
      assert.equal('main.c', child:lua('return vim.fn.expand("%:t")'))
      local dir = child:lua('return vim.fn.getcwd()')
      assert.equal(child.dir, child:lua('return vim.fn.getcwd(-1, 1)')) -- that of the tab before
      child:cmd('tabclose')
      assert.equal(child.dir, child:lua('return vim.fn.getcwd()'))
      child:type(':qa!<CR>')
      local gone = vim.wait(helper.deadline, function()
        return vim.uv.fs_stat(dir) == nil
      end, 10)
      assert.is_true(gone, dir .. ' is left')
    end)
  end

  it('is in a tab of its own where there is no room beside the code', function()
    child = begin(80)
    child:cmd('set lines=16 winheight=10 winminheight=10')
    child:cmd('Oxide demo')
    assert.equal('main.c', child:lua('return vim.fn.expand("%:t")'))
    child:cmd('tabnext')
    assert.is_true(child:lua('return _G.tour_shows("Five minutes on a copy")'))
  end)

  it('says so where there is no example project', function()
    child = begin(80)
    assert(vim.uv.fs_symlink(helper.root .. '/lua', child.dir .. '/lua'))
    child:lua(
      [[
        vim.opt.runtimepath:remove(...)
        vim.opt.runtimepath:append(vim.fn.getcwd())
      ]],
      helper.root
    )
    child:cmd('Oxide demo')
    local screen = child:lua('return _G.tour_screen()')
    assert.matches('the example project comes only with a clone of Oxide', screen, 1, true)
    assert.equal(1, child:lua('return vim.fn.tabpagenr("$")'))
  end)
end)
