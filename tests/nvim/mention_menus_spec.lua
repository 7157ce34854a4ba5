-- Completion of mentions in the menus of others, nvim-cmp and blink.cmp, where a directory has them:
--
--     OXIDE_PLUGINS=~/.local/share/nvim/lazy tests/run.sh mention_menus
--
-- blink.cmp is its version 2 where blink.lib, which that needs, lies beside it; else version 1.
--
-- What they ask a source, and what it answers, mentions_spec.lua has without them.
local helper = require('helper')

local DIR = vim.env.OXIDE_PLUGINS or helper.root .. '/.deps/plugins'

-- How each is set up, as the help says it, and what its menu has.
local menus = {
  ['nvim-cmp'] = {
    setup = [[
      local cmp = require('cmp')
      cmp.setup { mapping = { ['<C-y>'] = cmp.mapping.confirm { select = true } } }
      cmp.register_source('oxide', require('oxide.integrations.cmp').new())
      cmp.setup.filetype('oxide-chat', { sources = { { name = 'oxide' } } })
    ]],
    items = [[(function()
      local entries = require('cmp').visible() and require('cmp').get_entries() or {}
      return vim.tbl_map(function(entry) return entry:get_completion_item() end, entries)
    end)()]],
  },
  ['blink.cmp'] = {
    setup = [[
      require('blink.cmp').setup {
        fuzzy = { implementation = 'lua' }, -- the other is a library that is downloaded
        sources = {
          per_filetype = { ['oxide-chat'] = { 'oxide' } },
          providers = { oxide = { name = 'Oxide', module = 'oxide.integrations.blink' } },
        },
      }
    ]],
    items = "require('blink.cmp').is_visible() and require('blink.cmp').get_items() or {}",
    library = 'blink.lib',
    library_needs = 'nvim-0.12',
  },
}

describe('mentions in the menu of', function()
  after_each(helper.cleanup)

  for name, menu in vim.spairs(menus) do
    local path = vim.fs.joinpath(DIR, name)
    it(name .. ' are listed with their sizes, and go into directories', function()
      if not vim.uv.fs_stat(path) then
        pending('no ' .. path .. ' here')
      end
      local args = { '--cmd', 'set rtp^=' .. path }
      local library = menu.library and vim.fs.joinpath(DIR, menu.library)
      if library and vim.uv.fs_stat(library) then
        if vim.fn.has(menu.library_needs) == 0 then
          pending(('%s with %s needs %s'):format(name, menu.library, menu.library_needs))
        end
        vim.list_extend(args, { '--cmd', 'set rtp^=' .. library })
      end
      local child = helper.start({ ['a.txt'] = 'one\n', ['sub dir/b.txt'] = 'b\n' }, {
        config = ('{ core = { path = %q }, models = {} }'):format(helper.core),
        args = args,
      })
      child:lua(menu.setup)
      child:cmd('edit a.txt')
      child:cmd('Oxide chat')

      --- The sizes by word, once the menu has that one.
      local function listed(word)
        return child:wait('the menu with ' .. word, [[(function(items, word)
            local sizes = {}
            for _, item in ipairs(items) do
              sizes[item.label] = item.labelDetails.description
            end
            return sizes[word] and sizes
          end)(]] .. menu.items .. ', ...)', word)
      end

      child:type('iSee ')
      child:wait('the words', "vim.api.nvim_get_current_line() == 'See '")
      child:type('@')
      assert.equal('7 B, about 2 tokens', listed('@buffer')['@buffer'])
      child:type('file:')
      assert.same({
        ['@file:a.txt'] = '4 B, about 2 tokens',
        ['@file:"sub dir/'] = 'directory',
      }, listed('@file:a.txt'))
      child:type('sub')
      child:wait('the menu', ('#(%s) == 1'):format(menu.items))
      child:type('<C-y>')
      child:wait('the directory', [[vim.api.nvim_get_current_line() == 'See @file:"sub dir/']])
      assert.same(
        { ['@file:"sub dir/b.txt"'] = '2 B, about 1 token' },
        listed('@file:"sub dir/b.txt"')
      )
      child:type('<C-y>')
      child:wait('the file', [[vim.api.nvim_get_current_line() == 'See @file:"sub dir/b.txt"']])
    end)
  end
end)
