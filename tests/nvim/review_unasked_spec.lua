-- A review is applied by a write that the user asks for, and by no other.
local fault = require('fault')

local SCRIPT = {
  capabilities = { renameProvider = true },
  on = { ['textDocument/rename'] = { rename = { files = { 'a.txt', 'b.txt' } } } },
}

local child ---@type test.Child

--- Opens a review of two files.
---@param code string   what the user has set
local function start(code)
  child = fault.project(SCRIPT):nvim { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }
  child:lua(code)
  child:cmd('edit a.txt | Oxide rename new')
  child:event('ReviewOpen')
end

---@param keys string
local function type_whole(keys)
  child:type(keys .. ':let g:typed = 1<CR>')
  child:wait('the keys', 'vim.g.typed == 1')
end

local function is_waiting()
  assert.equal('old one\n', child:file('a.txt'))
  assert.is_true(child:lua('return vim.bo[vim.fn.bufnr("^oxide://review/1")].modified'))
  assert.equal('', child:lua('return vim.v.errmsg'))
  assert.same({}, child:lua('return _G.messages'))
end

local SAVES = "vim.api.nvim_create_autocmd('%s', { nested = true, %s })"

describe('a review is not written', function()
  after_each(fault.cleanup)

  for name, case in
    vim.spairs {
      ['by autowrite before a shell command'] = { 'vim.o.autowrite = true', ':silent !true<CR>' },
      ['by autowrite in another tab page'] = { 'vim.o.autowrite = true', 'gt:silent !true<CR>' },
      ['by autowrite before :make'] = {
        'vim.o.autowrite, vim.o.makeprg = true, "true"',
        ':silent make<CR>',
      },
      ['by autowrite before a :make that is mapped'] = {
        'vim.o.autowrite, vim.o.makeprg = true, "true" vim.keymap.set("n", "M", "<Cmd>silent make<CR>")',
        'M',
      },
      ['by an autocommand that saves all'] = {
        SAVES:format('TabLeave', "command = 'silent! wa'"),
        'gt',
      },
      ['by an autocommand of Lua that saves a buffer'] = {
        SAVES:format('BufLeave', "callback = function() vim.cmd('silent! update') end"),
        'gt',
      },
    }
  do
    it(name, function()
      start(case[1])
      type_whole(case[2])
      is_waiting()
    end)
  end

  it('by a timer that saves all', function()
    start('')
    type_whole('gt')
    child:lua([[
      vim.defer_fn(function()
        vim.cmd('silent! wall')
        _G.saved = true
      end, 1)
    ]])
    child:wait('the timer', '_G.saved')
    is_waiting()
  end)

  it('by autowriteall when Neovim is to end', function()
    start('vim.o.autowriteall = true')
    type_whole(':silent! qa<CR>')
    assert.equal('old one\n', child:file('a.txt'))
    child:message('is waiting: :w applies it')
  end)

  it('where Neovim is suspended', function()
    start('vim.o.autowrite = true')
    type_whole('<C-z>')
    is_waiting()
  end)
end)

describe('a review is written', function()
  after_each(fault.cleanup)

  for name, keys in
    vim.spairs {
      [':w'] = ':w<CR>',
      [':wa elsewhere'] = 'gt:wa<CR>',
      ['ZZ'] = 'ZZ',
      ['a mapping'] = '<C-s>',
      ['a mapping of :wa elsewhere'] = 'gt<C-a>',
      ['a command that has :w in it'] = ':W<CR>',
      ['q, Apply'] = 'q',
    }
  do
    it('by ' .. name .. ', with autowrite', function()
      start([[
        vim.o.autowrite = true
        vim.keymap.set('n', '<C-s>', '<Cmd>w<CR>')
        vim.keymap.set('n', '<C-a>', '<Cmd>wa<CR>')
        vim.cmd('command W w')
        vim.ui.select = function(items, _, chosen)
          vim.api.nvim_create_autocmd('User', { pattern = 'Chosen', nested = true, callback = function()
            chosen(items[1])
          end })
          vim.cmd('doautocmd User Chosen')
        end
      ]])
      child:type(keys)
      child:event('ReviewClose')
      assert.equal('new one\n', child:file('a.txt'))
    end)
  end
end)
