-- The chat window under the hands of its user.
local chat = require('chat')
local helper = require('helper')
local model_server = require('model_server')
local screen = require('screen')

describe('the chat window', function()
  local server, child ---@type test.ModelServer, test.Child

  ---@param models? string   of the plugin's configuration
  local function begin(models)
    server = model_server.start('openai')
    local one = ("models = { fast = { url = %q, model = 'm1' } },"):format(server.url)
    child = helper.start({ ['a.c'] = 'int a;\nint b;\nint c;\n' }, {
      config = ("{ core = { path = %q }, review = { agent_focus = 'always' }, %s }"):format(
        helper.core,
        models and models:gsub('URL', server.url) or one
      ),
    })
    child:cmd('edit a.c')
  end

  local function ended(count)
    return chat.ended(child, count)
  end

  after_each(function()
    helper.cleanup()
    server:stop()
  end)

  it('lets its user type while an answer streams in', function()
    begin()
    local waits = server:waits()
    server:says { text = ('a line\n'):rep(100) }
    child:cmd('Oxide ask first')
    child:wait('the turn', "require('oxide.chat').get(1).turn.is_sent")
    child:cmd('Oxide chat')
    child:type('GAwords, ')
    child:wait('the words', "vim.fn.getline('.') == 'words, '")
    waits.go()
    ended()
    assert.same({ 'i', 8 }, child:lua("return { vim.fn.mode(), vim.fn.col('.') }"))
    child:type('and more<Esc>')
    child:wait('the words', "vim.fn.getline('$') == 'words, and more' and vim.fn.mode() == 'n'")
    assert.equal(child:lua("return vim.fn.line('$')"), child:lua("return vim.fn.line('w$')"))
    child:cmd('undo') -- what was typed since; the answer stays
    assert.equal('a line', child:lua('return vim.fn.getline(vim.fn.line("$") - 5)'))
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(
      ('shows the end of a line that is higher than it, %d columns wide'):format(columns),
      function()
        begin()
        screen.size(child, columns, 14)
        server:says { text = ('word '):rep(500) .. 'end' }
        server:says { text = ('more '):rep(500) .. 'last' }
        child:cmd('botright Oxide ask first')
        ended()
        screen.shows_some(child, { 'word word end' })
        screen.shows_some(child, { '# You' })
        child:cmd('Oxide ask second')
        ended(2)
        screen.shows_some(child, { 'more last' })
        local rows = child:lua('return _G.screen_rows()')
        assert.falsy(vim.list_contains(vim.list_slice(rows, #rows - 4), '~'), vim.inspect(rows))
      end
    )
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('lists all of its keys, %d columns wide'):format(columns), function()
      begin()
      screen.size(child, columns, 24)
      child:cmd('Oxide chat')
      child:type('g?')
      screen.shows_with_floats(child, {
        '<CR>   send what is written',
        '<C-s>  send what is written',
        'za     open or close what a tool has answered',
        'q      close this list',
      })
      child:type('q')
      child:wait('no list', '#vim.api.nvim_list_wins() == 2')
      assert.matches('^oxide://chat/1', child:lua('return vim.api.nvim_buf_get_name(0)'))
    end)
  end

  it('applies changes at once where that was said, and shows them as a diff', function()
    begin()
    server:says { calls = { model_server.edit('a.c', 2, 'int x;') } }
    server:says { text = 'Done.' }
    child:cmd('Oxide ask! rename b')
    ended()
    assert.equal('int a;\nint x;\nint c;\n', child:file('a.c'))
    child:cmd('Oxide chat')
    child:lua('vim.fn.search("^✓ edit_file", "bw")')
    assert.is_true(child:lua("return vim.fn.foldclosed('.') > 0"))
    child:type('zogd')
    child:wait('the diff', "vim.bo.filetype == 'diff' and vim.fn.search('^+int x;', 'w') > 0")
  end)

  it('highlights what is complete, and no line of it twice', function()
    begin()
    server:says {
      text = '## Why\n\n```c\nint a;\n```\n\nSee *this*.\n\n```diff\n--- a/a.c\n-int b;\n+int c;\n```',
    }
    child:cmd('Oxide ask first')
    ended()
    local function groups(line)
      return child:lua(
        [[
          vim.cmd.redraw()
          local buf = require('oxide.chat').get(1).view.buf
          local row = vim.fn.index(vim.api.nvim_buf_get_lines(buf, 0, -1, false), ...)
          local ns = vim.api.nvim_get_namespaces()['oxide.chat.highlights']
          return vim.tbl_map(function(mark)
            return mark[4].hl_group
          end, vim.api.nvim_buf_get_extmarks(buf, ns, { row, 0 }, { row, -1 }, { details = true }))
        ]],
        line
      )
    end
    local function await(line, group)
      assert(
        vim.wait(helper.deadline, function()
          return vim.list_contains(groups(line), group)
        end, 5),
        line .. ' never had ' .. group
      )
    end
    await('See *this*.', '@markup.italic.markdown_inline')
    await('int a;', '@type.builtin.c')
    await('## Why', '@markup.heading.2.markdown')
    await('-int b;', 'Removed')
    await('+int c;', 'Added')
    assert.falsy(vim.list_contains(groups('--- a/a.c'), 'Removed'))
    local before = #groups('int a;')
    server:says { text = 'Done.' }
    child:cmd('Oxide ask second')
    ended(2)
    assert.equal(before, #groups('int a;'))
    assert.same(
      {},
      child:lua([[
      local view = require('oxide.chat').get(1).view
      return { vim.treesitter.highlighter.active[view.buf] and 'a parser of the whole' }
    ]])
    )
  end)

  it('does what takes long for highlights when nobody types, and in slices', function()
    begin()
    child:lua([[
      local hrtime, defer = vim.uv.hrtime, vim.defer_fn
      local tree = require('vim.treesitter.languagetree')
      local parse = tree.parse
      _G.now, _G.slices = hrtime(), 0
      vim.uv.hrtime = function() return _G.now or hrtime() end
      vim.defer_fn = function(...)
        _G.slices = _G.slices + 1
        return defer(...)
      end
      tree.parse = function(self, range, on_parse)
        _G.is_sliced = on_parse ~= nil
        return parse(self, range, on_parse)
      end
      function _G.marks()
        vim.cmd.redraw()
        local ns = vim.api.nvim_get_namespaces()['oxide.chat.highlights']
        return #vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('^oxide://chat/1$'), ns, 0, -1, {})
      end
    ]])
    child:cmd('Oxide chat')
    child:type('GAfirst<Esc>')
    child:wait('the text', "vim.fn.mode() == 'n' and vim.fn.getline('.') == 'first'")
    server:says { text = 'See *this*.\n\n```c\n' .. ('int a;\n'):rep(100) .. '```\n' }
    child:type('<CR>')
    ended()
    child:lua('_G.marks(); _G.slices = 0')
    child:wait('slices in which a key was just typed', 'marks() >= 0 and _G.slices > 5')
    assert.equal(0, child:lua('return marks()'))
    child:lua('_G.now = nil')
    child:wait('highlights', 'marks() > 100')
    assert.equal(child:lua("return vim.fn.has('nvim-0.11') == 1"), child:lua('return _G.is_sliced'))
  end)

  it('keeps nothing of a highlight that it began and does not show any more', function()
    begin()
    local code = '```c\n' .. ('int a(int b) { return b + 1; }\n'):rep(450) .. '```\n'
    server:says { text = ('Words.\n'):rep(100) .. '\n' .. code }
    child:cmd('Oxide ask first')
    ended()
    local begun, left = unpack(child:lua(
      [[
        local view = require('oxide.chat').get(1).view
        local function begun()
          return vim.iter(pairs(view.parts)):any(function(_, part)
            return part.thread ~= nil
          end)
        end
        vim.cmd.redraw()
        local found = vim.wait(..., begun, 1)
        vim.cmd.enew { bang = true } -- in the window of the code
        vim.api.nvim_win_set_cursor(vim.fn.bufwinid(view.buf), { 1, 0 })
        vim.cmd.redraw()
        return { found, begun() }
      ]],
      helper.deadline
    ))
    assert.is_true(begun)
    assert.is_false(left)
  end)

  it('is written to a file', function()
    begin()
    server:says { text = 'One.' }
    child:cmd('Oxide ask first')
    ended()
    child:cmd('Oxide chat')
    child:cmd('write talk.md')
    local text = child:file('talk.md'):gsub('%s*$', '')
    assert.equal('# You\n\nfirst\n\n> with a.c, c\n\n# fast\n\nOne.\n\n# You', text)
  end)

  it('asks which model, where there are several, and who is chosen answers', function()
    begin("models = { a = { url = 'URL', model = 'm1' }, b = { url = 'URL', model = 'm2' } },")
    child:lua([[
      vim.ui.select = function(items, _, cb)
        _G.items = items
        cb(items[2])
      end
    ]])
    server:says { text = 'One.' }
    child:cmd('Oxide ask first')
    assert.equal('b', ended().model)
    assert.same({ 'a', 'b' }, child:lua('return _G.items'))
    assert.equal('m2', server.asked[1].body.model)
    server:says { text = 'Two.' }
    child:lua("vim.b.oxide_model = 'a'")
    child:cmd('Oxide ask second')
    ended(2)
    assert.equal('m1', server.asked[2].body.model)
    assert.same(
      { 'model=a', 'model=b' },
      child:lua("return vim.fn.getcompletion('Oxide ask model=', 'cmdline')")
    )
    server:says { text = 'Three.' }
    child:cmd('Oxide ask model=b third')
    ended(3)
    assert.equal('m2', server.asked[3].body.model)
    assert.truthy(server.asked[3].raw:find('third', 1, true))
    assert.falsy(server.asked[3].raw:find('model=b', 1, true))
    child:cmd('Oxide chat model none')
    child:message('unknown model "none"; models: ')
  end)

  it('asks nobody which model, where one is named', function()
    begin("models = { a = { url = 'URL', model = 'm1' }, b = { url = 'URL', model = 'm2' } },")
    child:lua('vim.ui.select = function(items) _G.items = items end')
    child:cmd('Oxide ask model=none first')
    assert.matches('unknown model "none"', ended().error.message)
    server:says { text = 'One.' }
    child:cmd('Oxide ask model=b first')
    assert.equal('b', ended(2).model)
    assert.is_true(child:lua('return _G.items == nil'))
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(('opens nothing for a model that is not there, %d columns wide'):format(columns), function()
      begin()
      vim.rpcrequest(child.chan, 'nvim_ui_attach', columns, 20, {})
      child:lua('vim.o.columns, vim.o.lines, vim.notify = ..., 20, _G.last_line', columns)
      for _, command in ipairs { 'Oxide chat none', 'Oxide chat new none' } do
        child:cmd("echo ''")
        child:cmd(command)
        screen.shows_last(child, 'Oxide: unknown model "none"; models: fast')
        assert.equal(1, child:lua('return #vim.api.nvim_list_wins()'))
      end
      server:says { text = 'One.' }
      child:cmd('Oxide ask first') -- not in one that came to nothing
      assert.equal('fast', ended().model)
    end)
  end

  it('says who answers, or what to set, before anything is asked', function()
    begin()
    child:cmd('Oxide chat')
    child:wait(
      'the model on the screen',
      [[(function()
        vim.cmd.redraw()
        local row, bar = vim.fn.win_screenpos(0)[1], {}
        for column = 1, vim.o.columns do
          bar[column] = vim.fn.screenstring(row, column)
        end
        return table.concat(bar):find('fast (m1)', 1, true)
      end)()]]
    )
    helper.cleanup()
    server:stop()
    begin("models = {}, local_servers = { none = 'http://127.0.0.1:1/v1' },") -- whatever this machine has
    child:lua(
      "for _, api in ipairs { 'ANTHROPIC', 'OPENAI', 'GEMINI' } do vim.env[api .. '_API_KEY'] = nil end"
    )
    child:cmd('Oxide chat')
    child:message('no model is set up: set a key, such as ANTHROPIC_API_KEY')
  end)

  it('is asked about the lines of an operator, and shown by a map', function()
    begin()
    child:lua([[
      vim.keymap.set({ 'n', 'x' }, 'gz', '<Plug>(oxide-ask)')
      vim.ui.input = function(_, cb) cb('why?') end
    ]])
    server:says { text = 'One.' }
    child:type('gzj')
    ended()
    assert.truthy(server.asked[1].raw:find('a.c, lines 1 to 2', 1, true))
    server:says { text = 'Two.' }
    child:type('GVgz')
    ended(2)
    assert.truthy(server.asked[2].raw:find('a.c, lines 3 to 3', 1, true))
    child:lua("vim.keymap.set('n', 'gz', '<Plug>(oxide-chat)')")
    child:type('gz')
    child:wait('the window', "vim.bo.filetype == 'oxide-chat'")
  end)

  it('refuses a message with a mention of what is not there, and gives it back', function()
    begin()
    child:cmd('Oxide ask see @file:none.c')
    assert.truthy(ended().error.message:find('@file:none.c', 1, true))
    assert.same({}, server.asked)
    child:cmd('Oxide chat')
    assert.equal('see @file:none.c', child:lua("return vim.fn.getline('$')"))
  end)

  it(
    'has a tab of its own where there is no room for another window, as all other windows',
    function()
      begin()
      child:cmd('set lines=16 winheight=10 winminheight=10 columns=30 winwidth=20 winminwidth=20')
      for i, command in ipairs { 'Oxide chat', 'Oxide messages', 'Oxide core log' } do
        child:cmd(command)
        child:wait(command, "vim.fn.tabpagenr('$') == " .. i + 1)
      end
      assert.equal('', child:lua('return vim.v.errmsg'))
    end
  )

  it('may be resized when all of its text was deleted', function()
    begin()
    child:cmd('Oxide chat')
    child:cmd('%delete')
    child:lua('_G.resized = 0')
    child:cmd('autocmd WinResized * lua vim.schedule(function() _G.resized = _G.resized + 1 end)')
    child:cmd('split')
    child:cmd('redraw')
    child:wait('the event', '_G.resized > 0')
    assert.equal('', child:lua('return vim.v.errmsg'))
    server:says { text = 'One.' }
    child:cmd('Oxide ask first')
    ended()
    assert.is_true(child:lua("return vim.fn.search('One.', 'w') > 0"))
    assert.equal('', child:lua('return vim.v.errmsg'))
  end)

  it('tells a script the answer', function()
    begin()
    server:says { text = 'One.' }
    child:lua([[
      require('oxide').ask { prompt = 'first', on_done = function(err, result)
        _G.told = err and err.message or result.text
      end }
    ]])
    assert.equal('One.', child:wait('the answer', '_G.told'))
  end)

  for _, how in ipairs { 'bdelete', 'bdelete!', 'bunload!', 'bwipeout', 'edit', 'edit!' } do
    it('has all that was said and is being written behind :' .. how, function()
      begin()
      local waits = server:waits()
      server:says { text = 'One.' }
      child:cmd('Oxide ask first')
      child:wait('the turn', "require('oxide.chat').get(1).turn.is_sent")
      child:cmd('Oxide chat')
      child:type('GAwords<Esc>')
      child:wait('the words', "vim.fn.getline('$') == 'words' and vim.fn.mode() == 'n'")
      child:cmd(how)
      waits.go()
      ended()
      child:cmd('Oxide chat')
      child:wait('its text', "vim.fn.getline('$') == 'words' and vim.fn.search('^One', 'w') > 0")
      local names = child:lua([[
        return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())
      ]])
      names = vim.tbl_filter(function(name)
        return name:find('oxide://chat', 1, true) ~= nil
      end, names)
      assert.same({ 'oxide://chat/1' }, names)
      assert.equal('', child:lua('return vim.v.errmsg'))
    end)
  end

  it('goes with Neovim in the middle of an answer', function()
    begin()
    server:waits()
    child:cmd('Oxide ask first')
    child:wait('the turn', "require('oxide.chat').get(1).turn.is_sent")
    child:type(':qa!<CR>')
    assert.equal(0, child:ended())
  end)
end)
