-- What a message mentions of the editor: found, looked up, counted and completed.
local helper = require('helper')

describe('a mention', function()
  local mentions = require('oxide.mentions')

  ---@param text string
  local function found(text)
    local list, problems = mentions.find(text)
    return vim.tbl_map(function(m)
      return { m.kind, m.argument, m.first, m.last }
    end, list),
      problems
  end

  it('is a word behind an @, once', function()
    assert.same({ { 'buffer' }, { 'diff' } }, (found('@buffer or (@diff), @buffer.')))
    assert.same({}, (found('me@buffer.org, a/@diff, @@diff, @property, @param x')))
  end)

  it('has an argument behind a colon, without the punctuation of the sentence', function()
    assert.same({ { 'file', 'src/a.c' } }, (found('See @file:src/a.c, please')))
    assert.same({ { 'file', 'a.c', 3, 9 }, { 'dir', 'src/' } }, (found('@file:a.c:3-9 @dir:src/?')))
    assert.same({ { 'dir', '.' } }, (found('@dir:.')))
    assert.same({ { 'file', 'a.c', 7, 7 } }, (found('(@file:a.c:7)')))
    assert.same({ { 'symbol', 'A::b' } }, (found('what is @symbol:A::b?')))
  end)

  it('can be quoted', function()
    assert.same(
      { { 'file', 'my "notes".md', 2, 4 } },
      (found([[@file:"my \"notes\".md":2-4, and on]]))
    )
  end)

  it('is none in code', function()
    assert.same({}, (found('`@buffer` and\n```\n@diff\n```\n')))
    assert.same({ { 'diff' } }, (found('```\n@buffer\n```\n@diff')))
  end)

  it('that cannot be read is a problem', function()
    for text, problem in pairs {
      ['@file'] = '@file needs a path: @file:src/a.c:3-9',
      ['@file:"a b'] = '@file needs a path',
      ['@symbol: f'] = '@symbol needs a name',
      ['@fiel:a.c'] = '@fiel is unknown, did you mean @file?',
      ['@buffers'] = '@buffers is unknown, did you mean @buffer?',
    } do
      local list, problems = found(text)
      assert.same({}, list, text)
      assert.equal(1, #problems, text)
      assert.truthy(problems[1]:find(problem, 1, true), problems[1])
    end
  end)
end)

describe('mentions', function()
  local child

  before_each(function()
    child = helper.start({
      ['a.txt'] = 'one\n\nthree\nfour\n',
      ['my notes.md'] = 'x\n',
      ['sub/b.txt'] = 'b\n',
      ['sub/.hidden'] = '',
    }, { config = ('{ core = { path = %q } }'):format(helper.core) })
    child:cmd('edit a.txt')
    child:lua([[
      function _G.resolve(text, ctx)
        _G.found = nil
        require('oxide.mentions').resolve(text, ctx, function(found) _G.found = found end)
      end
    ]])
  end)
  after_each(helper.cleanup)

  ---@return { text: string, shown: table[], problems: string[] }
  local function resolve(text, ctx)
    child:lua('_G.resolve(...)', text, ctx)
    return child:wait('the mentions', '_G.found')
  end

  it('are the buffer, files, and the lines that were selected', function()
    child:type('ggVj<Esc>')
    child:wait('the selection', "vim.api.nvim_buf_get_mark(0, '>')[1] == 2")
    local found = resolve('@buffer @selection @file:sub/b.txt @file:"my notes.md":1 @file:a.txt')
    assert.same({}, found.problems)
    assert.same({
      { mention = '@buffer', path = child.dir .. '/a.txt' },
      { mention = '@selection', path = child.dir .. '/a.txt', first = 1, last = 2 },
      { mention = '@file:sub/b.txt', path = child.dir .. '/sub/b.txt' },
      {
        mention = '@file:"my notes.md":1',
        path = child.dir .. '/my notes.md',
        first = 1,
        last = 1,
      },
      { mention = '@file:a.txt', path = child.dir .. '/a.txt' },
    }, found.shown)
    assert.same({ first = 3, last = 4 }, {
      first = resolve('@selection', { first = 3, last = 9 }).shown[1].first,
      last = resolve('@selection', { first = 3, last = 9 }).shown[1].last,
    })
  end)

  it('number a buffer without a file themselves', function()
    child:cmd('enew | set ft=lua')
    child:lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'a', '' })")
    local shown =
      resolve('@buffer', { buf = child:lua('return vim.api.nvim_get_current_buf()') }).shown
    assert.equal('1: a\n2: \n', shown[1].text)
    assert.matches('^buffer %d+, without a file, lua$', shown[1].heading)
  end)

  it('are about the file that was used last where the current buffer is none', function()
    child:cmd('new | setlocal buftype=nofile')
    assert.equal(child.dir .. '/a.txt', resolve('@buffer').shown[1].path)
  end)

  it('that are not there are problems that name them', function()
    for mention, problem in pairs {
      ['@file:gone.txt'] = 'no such file: ' .. child.dir .. '/gone.txt',
      ['@file:sub'] = 'it is a directory; write @dir:sub',
      ['@file:a.txt:0'] = 'lines must be FIRST or FIRST-LAST, from 1',
      ['@dir:gone'] = 'no such directory',
      ['@dir:a.txt'] = 'it is a file; write @file:a.txt',
      ['@selection'] = 'nothing was selected in the buffer',
      ['@quickfix'] = 'the quickfix list is empty',
      ['@terminal'] = 'no terminal is open',
      ['@diff'] = 'git: ',
      ['@symbol:nope'] = 'nope',
    } do
      local found = resolve('Why @buffer and ' .. mention .. '?')
      assert.equal(1, #found.shown, mention)
      assert.equal(1, #found.problems, mention)
      assert.truthy(vim.startswith(found.problems[1], mention .. ': '), found.problems[1])
      assert.truthy(found.problems[1]:find(problem, 1, true), found.problems[1])
    end
  end)

  it('are the diagnostics that Neovim shows', function()
    child:lua([[
      vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0, {
        { lnum = 2, col = 1, message = 'odd', severity = 2, source = 'lint', code = 'W1' },
        { lnum = 0, col = 0, message = 'bad', severity = 1 },
      })
    ]])
    local shown = resolve('@diagnostics').shown[1]
    assert.equal('1:1: error: bad\n3:2: warning: odd (lint W1)\n', shown.text)
    assert.equal('diagnostics of a.txt', shown.heading)
  end)

  it('are the quickfix list and what a terminal shows', function()
    child:lua([[
      vim.fn.setqflist({}, ' ', { title = 'make', items = {
        { filename = 'a.txt', lnum = 3, col = 2, text = 'odd', type = 'W' }, { text = 'done' } } })
      vim.cmd('new')
      local chan = vim.api.nvim_open_term(0, {})
      vim.bo.buftype = vim.bo.buftype
      vim.api.nvim_chan_send(chan, 'built\r\nfailed\r\n')
    ]])
    child:wait('the output', "vim.fn.getline(2) == 'failed'")
    local shown = resolve('@quickfix @terminal').shown
    assert.equal('quickfix list: make', shown[1].heading)
    assert.equal('a.txt:3:2: W odd\ndone\n', shown[1].text)
    assert.equal('built\nfailed\n', shown[2].text)
  end)

  it('are what differs from the last commit, saying what git cannot see', function()
    child:lua([[
      local function git(...)
        local done = vim.system({ 'git', '-c', 'user.name=t', '-c', 'user.email=t@t', ... }):wait()
        assert(done.code == 0, done.stderr)
      end
      git('init', '-q')
      vim.fn.writefile({ '.*', '*.md' }, '.git/info/exclude')
      git('add', 'a.txt')
      git('commit', '-qm', 'first')
      vim.fn.writefile({ 'one', 'two' }, 'a.txt')
      vim.cmd('edit! | normal! Gothree')
    ]])
    local shown = resolve('@diff').shown[1]
    assert.equal('git diff HEAD, without the unsaved changes of a.txt', shown.heading)
    assert.truthy(shown.text:find('+two\n', 1, true), shown.text)
    assert.truthy(
      shown.text:find('Files that git does not track:\nsub/b.txt\n', 1, true),
      shown.text
    )
  end)

  it('are the files of a directory', function()
    local shown = resolve('@dir:.').shown[1]
    assert.equal('directory .: 3 files', shown.heading)
    assert.equal('a.txt\nmy notes.md\nsub/b.txt\n', shown.text)
  end)

  it('are counted before they are sent', function()
    child:lua([[
      require('oxide.mentions').preview('See @file:a.txt:3-4', nil, function(p) _G.preview = p end)
    ]])
    local preview = child:wait('the preview', '_G.preview')
    assert.same({
      { mention = '', name = 'the message', bytes = 19, tokens = 6 },
      { mention = '@file:a.txt:3-4', name = 'a.txt, lines 3 to 4', bytes = 17, tokens = 5 },
    }, preview.items)
    assert.same({ 36, 11, {} }, { preview.bytes, preview.tokens, preview.problems })
    child:lua([[
      require('oxide.mentions').preview('@file:a.txt:7-9', nil, function(p) _G.second = p end)
    ]])
    assert.equal(1, #child:wait('the preview', '_G.second').problems)
  end)
end)

describe('completion of mentions', function()
  local child

  before_each(function()
    child = helper.start({
      ['a.txt'] = 'one\n',
      ['my notes.md'] = 'x\n',
      ['sub dir/b.txt'] = 'b\n',
      ['.hidden'] = '',
    }, { config = ('{ core = { path = %q } }'):format(helper.core) })
    child:cmd('edit a.txt')
    child:cmd('set completeopt=menuone | new | setlocal buftype=nofile filetype=oxide-chat')
    child:lua("vim.bo.omnifunc = [[v:lua.require'oxide.mentions.complete'.omnifunc]]")
  end)
  after_each(helper.cleanup)

  --- What the menu has for what was typed.
  ---@param typed string
  ---@return table<string, string>   what goes with each word
  local function menu(typed)
    child:type('<Esc>S' .. typed .. '<C-x><C-o>')
    local info = child:wait(
      'the menu',
      "vim.fn.complete_info().pum_visible == 1 and vim.fn.complete_info({ 'items' })"
    )
    local words = {}
    for _, item in ipairs(info.items) do
      words[item.word] = item.menu
    end
    return words
  end

  it('lists what is there, with its size', function()
    assert.same({
      ['@buffer'] = '7 B, about 2 tokens',
      ['@diagnostics'] = '',
      ['@diff'] = '',
      ['@dir:'] = 'path',
      ['@file:'] = 'path',
      ['@symbol:'] = 'name',
    }, menu('See @'))
    assert.same({ '@diagnostics', '@diff', '@dir:' }, vim.fn.sort(vim.tbl_keys(menu('@di'))))
  end)

  it('goes into directories, and quotes names with spaces', function()
    assert.same({
      ['@file:a.txt'] = '4 B, about 2 tokens',
      ['@file:"my notes.md"'] = '2 B, about 1 token',
      ['@file:"sub dir/'] = 'directory',
    }, menu('@file:'))
    assert.same({ ['@file:"sub dir/b.txt"'] = '2 B, about 1 token' }, menu('@file:"sub dir/'))
    assert.same({ ['@dir:"sub dir/'] = 'directory' }, menu('@dir:su'))
  end)

  --- What a source answers with, as LSP's items.
  ---@param code string
  ---@return table
  local function answer(code, ...)
    child:lua('_G.answered = nil; ' .. code, ...)
    return child:wait('the items', '_G.answered')
  end

  it('is a source for nvim-cmp', function()
    local response = answer([[
      local source = require('oxide.integrations.cmp').new()
      assert(source:is_available() and source:get_position_encoding_kind() == 'utf-8')
      local before = 'ä @file:my'
      local at = vim.fn.matchstrpos(before, source:get_keyword_pattern() .. '$')
      assert(at[2] == 3, vim.inspect(at))
      source:complete({
        context = { cursor_before_line = before, cursor = { row = 5, line = 4 }, bufnr = 0 },
        offset = 4, option = {},
      }, function(response) _G.answered = response end)
    ]])
    assert.is_true(response.isIncomplete)
    local item = response.items[1]
    assert.same({ '@file:"my notes.md"', 17 }, { item.label, item.kind })
    assert.same({ description = '2 B, about 1 token' }, item.labelDetails)
    assert.same({
      newText = '@file:"my notes.md"',
      range = { start = { line = 4, character = 3 }, ['end'] = { line = 4, character = 11 } },
    }, item.textEdit)
  end)

  it('is a source for blink.cmp', function()
    local response = answer([[
      local source = require('oxide.integrations.blink').new({}, {})
      assert(source:enabled())
      local context = { bufnr = 0, cursor = { 3, 5 }, line = 'and @ there' }
      local cancel = source:get_completions(context, function(r) _G.answered = r end)
      assert(type(cancel) == 'function')
    ]])
    local item = response.items[1]
    assert.same({ '@buffer', '7 B, about 2 tokens' }, { item.label, item.detail })
    assert.same(
      { start = { line = 2, character = 4 }, ['end'] = { line = 2, character = 5 } },
      item.textEdit.range
    )
    local later = answer([[
      local context = { bufnr = 0, pos = { buf = 0, row = 2, col = 5 }, line = 'and @ there' }
      require('oxide.integrations.blink').new({}, {}):get_completions(context, function(r)
        _G.answered = r
      end)
    ]])
    assert.same(response, later) -- version 2 has it so
    assert.same({ items = {} }, {
      items = answer([[
        local context = { bufnr = 0, cursor = { 1, 4 }, line = 'me@x' }
        require('oxide.integrations.blink').new():get_completions(context, function(r)
          _G.answered = r
        end)
      ]]).items,
    })
  end)
end)
