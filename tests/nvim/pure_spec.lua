local config = require('oxide.config')

describe('nearest', function()
  local nearest = require('oxide.nearest').find

  it('finds what was probably meant', function()
    assert.equal('rename', nearest('renmae', { 'format', 'rename', 'review' }))
    assert.equal('diagnostics', nearest('diag', { 'definition', 'diagnostics' }))
  end)

  it('finds nothing when nothing is near', function()
    assert.is_nil(nearest('xyzzy', { 'format', 'rename' }))
  end)
end)

describe('config', function()
  it('has a default for every option that must have one', function()
    local resolved = config.resolve()
    assert.same({}, resolved.problems)
    for name, option in pairs(config.schema) do
      if not option.type:find('nil') then
        assert.is_not_nil(resolved.values[name], name)
      end
      assert.is_string(option.help, name)
    end
  end)

  it('takes what it knows and names what it does not', function()
    local resolved =
      config.resolve { review = { when = 'always' }, aply = { save = 'all' }, apply = { sav = 1 } }
    assert.equal('always', resolved.values['review.when'])
    assert.equal('unmodified', resolved.values['apply.save'])
    assert.equal(2, #resolved.problems)
    assert.equal("unknown option 'aply', did you mean 'apply'?", resolved.problems[1])
    assert.equal("unknown option 'apply.sav', did you mean 'apply.save'?", resolved.problems[2])
  end)

  it('keeps the default of what is wrong', function()
    local resolved = config.resolve { review = { when = 'sometimes' }, lsp = { timeout_ms = '5' } }
    assert.equal('auto', resolved.values['review.when'])
    assert.equal(10000, resolved.values['lsp.timeout_ms'])
    assert.matches('lsp.timeout_ms is a string, expected number', resolved.problems[1])
    assert.matches("review.when is 'sometimes', allowed: auto, always, never", resolved.problems[2])
  end)

  it('takes no function where data is wanted, which a core is started with', function()
    local resolved = config.resolve { agents = { mine = { reader = function() end } } }
    assert.same({}, resolved.values.agents)
    assert.equal(
      'agents has a function (mine.reader), which only a file can have; its default is used',
      resolved.problems[1]
    )
  end)

  it('leaves the names of servers to the user', function()
    local resolved = config.resolve { servers = { mine = { cmd = { 'x' } } } }
    assert.same({}, resolved.problems)
    assert.same({ 'x' }, resolved.values.servers.mine.cmd)
  end)
end)

describe('the presets', function()
  for _, path in ipairs(vim.api.nvim_get_runtime_file('lua/oxide/servers/*.lua', true)) do
    it(vim.fs.basename(path), function()
      local server = dofile(path)
      assert.is_true(#server.cmd > 0 and #server.filetypes > 0 and #server.root_markers > 0)
      assert.is_string(server.install)
    end)
  end
end)

describe('words', function()
  local diff = require('oxide.review.word_diff').diff

  local function cut(line, spans)
    return vim.tbl_map(function(span)
      return line:sub(span[1] + 1, span[2])
    end, spans)
  end

  it('finds the words that differ', function()
    local a, b =
      '  x = old(old_y, 1); /* é😀 */ old()', '  x = new(old_y, 1); /* é😀 */ new()'
    local left, right = diff(a, b)
    assert.same({ 'old', 'old' }, cut(a, left))
    assert.same({ 'new', 'new' }, cut(b, right))
  end)

  it('takes a word of wide characters as one', function()
    local a, b = 'auto größe = 1;', 'auto höhe = 1;'
    local left, right = diff(a, b)
    assert.same({ 'größe' }, cut(a, left))
    assert.same({ 'höhe' }, cut(b, right))
  end)

  it('marks nothing where all is different', function()
    assert.is_nil(diff('abc', 'xyz'))
  end)
end)

describe('diagnostics', function()
  it('are summed up in words', function()
    local summary = require('oxide.diagnostics').summary
    assert.equal('3 errors, 1 warning', summary { error = 3, warning = 1, info = 0 })
    assert.equal('nothing', summary {})
  end)
end)

describe('quickfix', function()
  local quickfix = require('oxide.quickfix')

  it('groups by file, then sorts by severity and line', function()
    local items = quickfix.from_diagnostics {
      files = { '/z/b.c', '/z/a.c' },
      file = { 0, 1, 0, 1 },
      line = { 9, 7, 3, 2 },
      column = { 1, 1, 1, 4 },
      end_line = { 9, 7, 3, 2 },
      end_column = { 2, 2, 2, 6 },
      severity = { 1, 1, 2, 2 },
      code = { '', 'E12', '404', '' },
      source = { 'clang', 'clang', 'clang', 'clang' },
      message = { 'one', 'two', 'three', 'four' },
    }
    local texts = vim.tbl_map(function(item)
      return item.text
    end, items)
    assert.same({ 'two', 'four', 'one', 'three' }, texts)
    assert.equal('E', items[1].type)
    assert.equal('W', items[2].type)
    assert.equal(6, items[2].end_col)
    assert.equal(404, items[4].nr)
    assert.same({ oxide = 'clang E12' }, items[1].user_data)
    assert.equal('/z/a.c', vim.api.nvim_buf_get_name(items[1].bufnr))
  end)

  it('keeps its place among new entries', function()
    local old = { bufnr = 1, lnum = 10, text = 'x' }
    assert.equal(
      2,
      quickfix.place(old, {
        { bufnr = 1, lnum = 2, text = 'x' },
        { bufnr = 1, lnum = 11, text = 'x' },
        { bufnr = 2, lnum = 10, text = 'x' },
      })
    )
    assert.equal(1, quickfix.place(nil, {}))
  end)

  it('writes lines that line up and say the severity', function()
    local buf = vim.fn.bufadd('/z/a.c')
    local lines = require('oxide.quickfix.text').lines {
      {
        bufnr = buf,
        lnum = 2,
        col = 4,
        type = 'E',
        text = 'bad\n  thing',
        user_data = { oxide = 'clang' },
      },
      { bufnr = buf, lnum = 12, col = 40, type = 'W', text = 'odd' },
    }
    assert.same({ '/z/a.c:2:4    error    bad thing [clang]', '/z/a.c:12:40  warning  odd' }, lines)
  end)
end)

describe('completion', function()
  local complete = require('oxide.command').complete

  it('offers sub-commands, then their words', function()
    assert.same(
      { 'records', 'redo', 'references', 'rename', 'review' },
      complete('re', 'Oxide re', 8)
    )
    assert.same({ 'apply', 'accept' }, complete('a', 'Oxide review a', 14))
    assert.same(
      { 'min=error', 'min=warn', 'min=info', 'min=hint' },
      complete('min', 'Oxide diagnostics loc min', 25)
    )
    assert.same({}, complete('', 'Oxide review apply ', 19))
    assert.same({ 'format' }, complete('fo', 'tab Oxide! fo', 13))
  end)
end)

describe('where there is no core', function()
  it('the sentence that a narrow screen has room for says what to do', function()
    local advice = require('oxide.install_paths').advice()
    assert.equal('its core is not built; run `make`.', advice:match('^.-%.'))
    assert.matches('checkhealth oxide', advice)
  end)
end)
