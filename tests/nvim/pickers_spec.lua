-- The diffs of actions in pickers that do not know preview_item: what each is given. plugins_spec.lua has
-- the real ones, also fzf-lua and mini.pick, which know it themselves.
local helper = require('helper')

local GO = [[
  require('oxide.choice').select(
    { { title = 'one', kind = '', diff = '-a\n+b\n' }, { title = 'two', kind = '' } },
    {
      prompt = 'Code actions:',
      kind = 'oxide.action',
      format_item = function(item) return item.title end,
    },
    function(item) _G.chosen = item and item.title or 'nothing' end
  )
]]

--- As much of Telescope as an adapter touches: what it is given is kept.
local TELESCOPE = [[
  local closed
  package.preload['telescope.actions'] = function()
    return {
      select_default = { replace = function(_, fn) _G.select = fn end },
      close = setmetatable(
        { enhance = function(_, with) closed = with.post end },
        { __call = function() closed() end }
      ),
    }
  end
  package.preload['telescope.actions.state'] = function()
    return { get_selected_entry = function() return _G.entry end }
  end
  package.preload['telescope.config'] = function()
    return { values = { generic_sorter = function() end } }
  end
  package.preload['telescope.previewers'] = function()
    return { new_buffer_previewer = function(of) return of end }
  end
  package.preload['telescope.previewers.utils'] = function()
    return { highlighter = function(_, filetype) _G.filetype = filetype end }
  end
  package.preload['telescope.finders'] = function()
    return { new_table = function(of) return vim.tbl_map(of.entry_maker, of.results) end }
  end
  package.preload['telescope.pickers'] = function()
    return {
      new = function(opts, picker)
        _G.opts, _G.picker = opts, picker
        return { find = function() picker.attach_mappings(1) end }
      end,
    }
  end
  _G.close = function() closed() end
]]

describe('the diff of an action', function()
  local child

  before_each(function()
    child = helper.start {}
  end)
  after_each(helper.cleanup)

  it('is passed to a picker that is a table that can be called', function()
    child:cmd('set cmdheight=0')
    child:lua([[
      vim.ui.select = setmetatable({}, {
        __call = function(_, items, _, chosen)
          chosen(items[2])
        end,
      })
    ]] .. GO)
    assert.equal('two', child:wait('the choice', '_G.chosen'))
  end)

  it('is shown by snacks.nvim', function()
    child:lua([[
      vim.ui.select = function(items, opts, on_choice)
        local shown = {}
        local preview = {
          reset = function() end,
          set_lines = function(_, lines) vim.list_extend(shown, lines) end,
          highlight = function(_, how) table.insert(shown, how.ft) end,
        }
        for _, item in ipairs(items) do
          opts.snacks.preview { item = { item = item }, preview = preview }
        end
        local boxes = { { win = 'input', height = 1 }, { win = 'list' }, { win = 'preview', height = 0.4 } }
        opts.snacks.layout.config { layout = boxes }
        _G.shown, _G.heights = shown, { boxes[1].height, boxes[2].height or 'rest', boxes[3].height }
        on_choice(items[2])
      end
    ]])
    child:lua(GO)
    assert.same(
      { '-a', '+b', 'diff', '(its changes are computed when it is chosen)', 'diff' },
      child:lua('return _G.shown')
    )
    assert.equal('two', child:lua('return _G.chosen'))
    assert.same({ 1, 'rest', 0.65 }, child:lua('return _G.heights'))
  end)

  describe('in Telescope', function()
    before_each(function()
      helper.write(
        child.dir .. '/telescope/_extensions/ui-select.lua',
        "vim.ui.select = function() error('it has no previews') end"
      )
      child:lua(TELESCOPE)
      child:cmd('luafile telescope/_extensions/ui-select.lua')
      child:lua(GO)
    end)

    it('is shown, and what is chosen is answered once', function()
      assert.same(
        { 'one', 'two' },
        child:lua([[
        return vim.tbl_map(function(entry) return entry.display end, _G.picker.finder)
      ]])
      )
      assert.same(
        { '-a', '+b', 'diff' },
        child:lua([[
        local buf = vim.api.nvim_create_buf(false, true)
        _G.picker.previewer.define_preview({ state = { bufnr = buf } }, _G.picker.finder[1])
        return vim.list_extend(vim.api.nvim_buf_get_lines(buf, 0, -1, false), { _G.filetype })
      ]])
      )
      child:lua('_G.entry = _G.picker.finder[1]; _G.select()')
      assert.equal('one', child:wait('the choice', '_G.chosen'))
    end)

    it('that is closed is no choice', function()
      child:lua('_G.close()')
      assert.equal('nothing', child:wait('the choice', '_G.chosen'))
    end)

    it('is below the list where the screen is narrow', function()
      child:lua('vim.o.columns = 80')
      child:lua(GO)
      assert.equal('vertical', child:lua('return _G.opts.layout_strategy'))
    end)
  end)
end)
