-- :Oxide actions in the pickers of others, and what is waited for in their status lines, on screens of
-- three widths, where a directory has them:
--
--     OXIDE_PLUGINS=~/.local/share/nvim/lazy tests/run.sh plugins
--
-- telescope-ui-select.nvim needs telescope.nvim and plenary.nvim beside it, fzf-lua the program fzf.
-- What each is given, pickers_spec.lua and waits_spec.lua have without them.
local fault = require('fault')
local helper = require('helper')
local screen = require('screen')

local DIR = vim.env.OXIDE_PLUGINS or helper.root .. '/.deps/plugins'

local LINT = {
  {
    word = 'bad',
    fixes = { { title = 'drop', new = '' }, { title = 'say good', new = 'good' } },
  },
}

-- How each takes the place of vim.ui.select, as its own help says.
local PICKERS = {
  ['snacks.nvim'] = {
    setup = "require('snacks').setup { picker = { ui_select = true } } vim.ui.select = Snacks.picker.select",
  },
  ['telescope-ui-select.nvim'] = {
    setup = "require('telescope').setup {} require('telescope').load_extension('ui-select')",
    needs = { 'plenary.nvim', 'telescope.nvim' },
    neovim = 'nvim-0.11',
  },
  ['mini.pick'] = {
    setup = "require('mini.pick').setup() vim.ui.select = MiniPick.ui_select",
    preview = '<Tab>', -- takes the place of its list
  },
  ['fzf-lua'] = {
    setup = "require('fzf-lua').setup {} require('fzf-lua').register_ui_select()",
    program = 'fzf',
  },
}

-- What uses the component of the help.
local LINES = {
  ['lualine.nvim'] = '',
  ['heirline.nvim'] = "require('heirline').setup { statusline = Oxide }",
}

---@param name string
---@return string[] paths   to be put on 'runtimepath'
local function paths(name)
  local picker = PICKERS[name] or {}
  local list = vim.tbl_map(function(one)
    return vim.fs.joinpath(DIR, one)
  end, vim.list_extend({ name }, picker.needs or {}))
  for _, path in ipairs(list) do
    if not vim.uv.fs_stat(path) then
      pending('no ' .. path .. ' here')
    end
  end
  if picker.neovim and vim.fn.has(picker.neovim) == 0 then
    pending('it needs ' .. picker.neovim)
  end
  if picker.program and vim.fn.executable(picker.program) == 0 then
    pending('no ' .. picker.program .. ' here')
  end
  return list
end

---@param child test.Child
---@param list string[]
local function load(child, list)
  for _, path in ipairs(list) do
    child:cmd('set rtp^=' .. path)
    child:cmd('runtime! plugin/*.lua')
  end
end

describe('what is waited for', function()
  after_each(fault.cleanup)

  for name, use in vim.spairs(LINES) do
    for _, columns in ipairs { 60, 80, 200 } do
      it(('is in the line of %s, %d columns wide'):format(name, columns), function()
        local list = paths(name)
        local help = helper.read(helper.root .. '/doc/oxide.txt')
        local code = assert(help:match('with lualine and with heirline: >lua\n(.-)\n<'))
        local p = fault.project {
          capabilities = { hoverProvider = true },
          on = { ['textDocument/hover'] = { hold = 'it', result = { contents = 'what it is' } } },
        }
        local child = p:nvim({ ['a.txt'] = 'one\n' }, { wait = { after_ms = 1, show = 'none' } })
        vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 30, { rgb = true })
        child:lua('vim.o.columns, vim.o.lines = ..., 30', columns)
        load(child, list)
        code = code:gsub('vim%.o%.statusline[^\n]*\n', '') -- of no plugin
        if name == 'heirline.nvim' then -- neither knows of the other
          code = code:gsub("require%('lualine'%)[^\n]*\n", '')
        end
        child:lua(code .. '\n' .. use)
        child:cmd('edit a.txt')
        local n = fault.ask(child, 'hover', {})
        p:wait_received('textDocument/hover')
        screen.shows_with_floats(child, { 'looking up' })
        assert.matches('looking up', screen.row(child, 29))
        p:act { release = 'it' }
        fault.done(child, n)
        fault.wait('the line without it', function()
          return not screen.row(child, 29):find('looking up')
        end)
      end)
    end
  end
end)

describe('actions', function()
  after_each(fault.cleanup)

  for name, picker in vim.spairs(PICKERS) do
    for _, columns in ipairs { 60, 80, 200 } do
      it(('are shown with their diffs by %s, %d columns wide'):format(name, columns), function()
        local list = paths(name)
        local p = fault.project {
          lint = LINT,
          on = { ['textDocument/documentSymbol'] = { result = {} } },
        }
        local child = p:nvim { ['a.txt'] = 'fine\nbad\n' }
        vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 30, { rgb = true })
        child:lua('vim.o.columns, vim.o.lines = ..., 30', columns)
        load(child, list)
        child:lua(picker.setup)
        child:cmd('edit +2 a.txt')
        child:cmd('Oxide actions')
        screen.shows_with_floats(child, { 'drop', 'say good' })
        child:type('good' .. (picker.preview or ''))
        screen.shows_with_floats(child, { '@@ -1,2 +1,2 @@', '-bad', '+good' })
        child:type('<CR>')
        child:message('say good: 1 edit in 1 file')
        assert.same(
          { 'fine', 'good' },
          child:lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, true)")
        )
      end)
    end
  end
end)
