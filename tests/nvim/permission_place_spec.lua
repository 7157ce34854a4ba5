-- A model in Neovim edits files outside of the project, on the disk and in a buffer.
local chat = require('chat')
local helper = require('helper')
local model_server = require('model_server')

describe("permission for a file's place in Neovim", function()
  local server, child, outside ---@type test.ModelServer, test.Child, string

  before_each(function()
    server = model_server.start('openai')
    outside = vim.uv.fs_realpath(helper.tempdir()) or ''
    helper.write(outside .. '/x.txt', 'one\ntwo\n')
    helper.write(outside .. '/y.txt', 'one\ntwo\n')
    child = helper.start({ ['a.c'] = 'int a;\n' }, {
      config = ([[{
        core = { path = %q, options = { ['chat.retry_ms'] = 1 } },
        models = { fast = { url = %q, model = 'm1' } },
        review = { agent_focus = 'always' },
      }]]):format(helper.core, server.url),
    })
    child:cmd('edit ' .. outside .. '/y.txt')
    child:cmd('split a.c')
  end)

  after_each(function()
    helper.cleanup()
    server:stop()
    vim.fn.delete(outside, 'rf')
  end)

  --- Waits for the question about this file, and answers it.
  local function answers(name, choice)
    local title = ('edit %s/%s outside of any project'):format(outside, name)
    child:wait(
      'the question',
      "vim.tbl_get(require('oxide.permission').list(), 1, 'title') == ({ ... })[1]",
      title
    )
    child:lua("local p = require('oxide.permission') p.answer(p.list()[1].id, ...)", choice)
  end

  local function buffer()
    return child:lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true)', 'y.txt')
  end

  it('is asked, and what is edited then is reviewed, applied and undone', function()
    local calls = {}
    for i, name in ipairs { 'x.txt', 'y.txt' } do
      calls[i] = {
        id = 'c' .. i,
        name = 'edit_file',
        args = { file_path = outside .. '/' .. name, old_string = 'two', new_string = 'TWO' },
      }
    end
    server:says { calls = calls }
    server:says { text = 'Done.' }
    child:cmd('Oxide ask go')
    answers('x.txt', 'once')
    answers('y.txt', 'once')
    child:wait('the review', "vim.api.nvim_buf_get_name(0):find('oxide://review/', 1, true)")
    assert.same({ 'one', 'two' }, buffer())
    child:cmd('Oxide review apply')
    assert.falsy(chat.ended(child).error)
    assert.equal('one\nTWO\n', helper.read(outside .. '/x.txt'))
    assert.same({ 'one', 'TWO' }, buffer())
    child:cmd('Oxide turn undo')
    child:wait('the old texts', "vim.fn.getbufline(vim.fn.bufnr('y.txt'), 2)[1] == 'two'")
    assert.equal('one\ntwo\n', helper.read(outside .. '/x.txt'))
  end)
end)
