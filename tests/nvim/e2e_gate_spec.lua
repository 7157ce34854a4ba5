-- Changes that a language server looks at before they are made, in an editor with unsaved text.
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')

local function begin(child, tool, args, context)
  child:lua(
    [[
      local tool, args, context = ...
      _G.changed = nil
      require('oxide.core').call(tool, args, context, function(err, result)
        _G.changed = err or result
      end)
    ]],
    tool,
    args,
    context or { confirm = 'never' }
  )
end

local function finish(child)
  return child:wait('the answer', '_G.changed')
end

local function replace(file, old, new)
  return {
    verify = true,
    operations = {
      { edit_type = 'replace', file_path = file, old_string = old, new_string = new },
    },
  }
end

describe('a change verified by clangd in Neovim', function()
  local child
  local sample = e2e.samples.clangd
  local before = e2e.before(sample)
  local typed = 'int depth(void);'

  before_each(function()
    child = e2e.start(sample)
    child:cmd('edit shape.c')
    child:type(('ggO%s<Esc>'):format(typed))
    child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline(1) == ...", typed)
  end)
  after_each(helper.cleanup)

  local function text()
    return table.concat(child:lines(), '\n') .. '\n'
  end

  it('is one of the text in the buffer: what is unsaved counts', function()
    begin(child, 'multi_edit', replace('shape.c', 'w * h', 'w * depth()'))
    local done = finish(child)
    assert.is_true(done.success, done.message)
    assert.same({ 'ok', true }, { done.syntax_check, done.complete })
    local want = before['shape.c']:gsub('w %* h', 'w * depth()')
    assert.equal(typed .. '\n' .. want, text())
    assert.same(before, e2e.disk(sample, child.dir))
  end)

  it('is refused with its error, and neither buffer, undo nor disk have moved', function()
    local tick, undo = unpack(child:lua('return { vim.b.changedtick, vim.fn.undotree().seq_cur }'))
    begin(child, 'multi_edit', replace('shape.c', 'w * h', 'w * nothing'))
    local done = finish(child)
    assert.equal('conflict', done.code)
    assert.matches('1 new error.*shape.c:6: .*nothing', done.message)
    assert.equal(typed .. '\n' .. before['shape.c'], text())
    assert.same(
      { tick, undo },
      child:lua('return { vim.b.changedtick, vim.fn.undotree().seq_cur }')
    )
    assert.same(before, e2e.disk(sample, child.dir))
    -- nor has anybody heard of it
    begin(child, 'lsp_diagnostic', { file_path = 'shape.c' })
    assert.equal('no problems', finish(child).summary)
  end)

  it('shows what was found to the person who is asked', function()
    child:cmd('edit main.c')
    begin(
      child,
      'multi_edit',
      replace('main.c', 'int n = ', 'int unused, n = '),
      { confirm = 'always' }
    )
    child:event('ReviewOpen')
    local page = table.concat(child:lines(), '\n')
    assert.matches('\n# new warning: main.c:5: Unused variable', page)
    child:type(':w<CR>')
    assert.is_true(finish(child).success)
    assert.matches('int unused, n', child:file('main.c'))
  end)

  describe('of which a hunk is left out', function()
    local apart = ('\n'):rep(12)
    local old = 'int one(void) { return 1; }\n' .. apart .. 'int two(void) { return 2; }\n'
    local use = (old:gsub('return 2', 'return extra'))

    --- Asks about both hunks, and leaves out the first or the last.
    local function leave_out(which)
      helper.write(child.dir .. '/extra.c', old)
      child:cmd('edit extra.c')
      begin(child, 'multi_edit', {
        verify = true,
        operations = {
          {
            edit_type = 'insert',
            file_path = 'extra.c',
            line_number = 1,
            content = 'static int extra = 3;\n',
          },
          {
            edit_type = 'replace',
            file_path = 'extra.c',
            old_string = 'return 2',
            new_string = 'return extra',
          },
        },
      }, { confirm = 'always' })
      child:event('ReviewOpen')
      child:cmd(which == 'first' and 'normal gg]c' or 'normal G[c')
      child:cmd('Oxide review reject')
      child:type(':w<CR>')
    end

    --- The question that follows, as text.
    local function asked_again()
      child:wait('the second review', "vim.fn.getline(2):find('What is left', 1, true) ~= nil")
      return table.concat(child:lines(), '\n')
    end

    it('is made where the rest is right without it', function()
      leave_out('last')
      local done = finish(child)
      assert.same({ true, 'ok' }, { done.success, done.syntax_check }, done.message)
      assert.equal('static int extra = 3;\n' .. old, child:file('extra.c'))
    end)

    it('asks again where the rest brings an error, and is not made', function()
      leave_out('first')
      local page = asked_again()
      assert.matches('# What is left would bring 1 new error: :w! applies it anyway', page)
      assert.matches("\n# new error: extra.c:14: .*'extra'", page)
      assert.is_nil(page:find('static int extra', 1, true))
      child:cmd('quit')
      assert.equal('cancelled', finish(child).code)
      assert.equal(old, child:file('extra.c'))
    end)

    it('asks again, and is made all the same', function()
      leave_out('first')
      asked_again()
      child:type(':w<CR>')
      child:wait('the refusal', "vim.v.errmsg:find('new error; nothing was applied. :w!', 1, true)")
      child:type(':w!<CR>')
      local done = finish(child)
      assert.same({ true, '1 new error, accepted' }, { done.success, done.syntax_check })
      assert.equal('extra.c', done.new_errors[1].file)
      assert.equal(use, child:file('extra.c'))
    end)
  end)
end)

describe('a rename by clangd of which a file is left out', function()
  after_each(helper.cleanup)

  it('asks again, with the errors of the file that keeps the old name', function()
    local sample = e2e.samples.clangd
    local before = e2e.before(sample)
    local child = e2e.start(sample)
    local args = { file_path = 'shape.h', symbol = sample.old, new_name = 'region' }
    begin(child, 'lsp_rename', args, { confirm = 'always' })
    child:event('ReviewOpen')
    child:cmd([[call search('^## .*twice\.c')]])
    child:type('=:w<CR>')
    child:wait('the second review', "vim.fn.getline(2):find('What is left', 1, true) ~= nil")
    local page = table.concat(child:lines(), '\n')
    assert.matches('\n# new error: twice.c:%d+: .*' .. sample.old, page)
    assert.is_nil(page:find('## [x] twice.c', 1, true))
    child:cmd('quit')
    assert.equal('cancelled', finish(child).code)
    assert.same(before, e2e.disk(sample, child.dir))
  end)
end)

describe('changes on trial', function()
  it('leave what was said of them, once they are made', function()
    local odd = {
      range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 3 } },
      severity = 2,
      message = 'odd',
    }
    local p = fault.project {
      capabilities = { referencesProvider = true, documentSymbolProvider = true },
      on = {
        ['textDocument/documentSymbol'] = { result = {} },
        ['textDocument/didOpen'] = { after = { { publish = '{ROOT}/a.txt', version = 'same' } } },
        ['textDocument/didChange'] = {
          after = { { publish = '{ROOT}/a.txt', version = 'same', diagnostics = { odd } } },
        },
      },
    }
    local child = p:nvim { ['a.txt'] = 'one\n' }
    child:cmd('edit a.txt')
    begin(child, 'multi_edit', replace('a.txt', 'one', 'three'))
    assert.equal('odd', finish(child).new_warnings[1].message)
    begin(child, 'lsp_diagnostic', { file_path = 'a.txt' })
    assert.equal('odd', finish(child).diagnostics[1].message)
    assert.equal(1, #p:received('textDocument/didChange'))
  end)

  after_each(fault.cleanup)

  it('take turns where they want the same server', function()
    local both = {
      after = {
        { publish = '{ROOT}/a.txt', version = 'same' },
        { publish = '{ROOT}/b.txt', version = 'same' },
      },
    }
    local p = fault.project {
      capabilities = { referencesProvider = true, documentSymbolProvider = true },
      on = {
        ['textDocument/documentSymbol'] = { result = {} },
        ['textDocument/didOpen'] = both,
        ['textDocument/didChange'] = both,
      },
    }
    local child = p:nvim { ['a.txt'] = 'one\n', ['b.txt'] = 'one\n' }
    child:cmd('edit a.txt')
    child:lua('_G.all = {}')
    for _, file in ipairs { 'a.txt', 'b.txt' } do
      child:lua(
        [[require('oxide.core').call('multi_edit', (...), { confirm = 'never' }, function(err, result)
          table.insert(_G.all, err and err.message or result.syntax_check)
        end)]],
        replace(file, 'one', 'three')
      )
    end
    child:wait('both answers', '#_G.all == 2')
    assert.same({ 'ok', 'ok' }, child:lua('return _G.all'))
    assert.equal('three\n', child:file('a.txt'))
    assert.equal('three\n', child:file('b.txt'))
    assert.equal(2, #p:received('textDocument/didChange'))
  end)
end)

describe('while a change is on trial', function()
  local FILES = { ['a.txt'] = 'one\ntwo\n' }
  local BAD = {
    range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 3 } },
    severity = 1,
    message = 'bad',
  }
  local p, child

  before_each(function()
    p = fault.project {
      capabilities = { referencesProvider = true, documentSymbolProvider = true },
      on = {
        ['textDocument/documentSymbol'] = { result = {} },
        ['textDocument/hover'] = { result = { contents = 'a word' } },
        ['textDocument/didOpen'] = { after = { { publish = '{ROOT}/a.txt', version = 'same' } } },
      },
    }
    child = p:nvim(FILES)
    child:cmd('edit a.txt')
    begin(child, 'multi_edit', replace('a.txt', 'one', 'ONE'))
    p:wait_received('textDocument/didChange')
  end)
  after_each(fault.cleanup)

  local function publish(diagnostics)
    p:act { publish = '{ROOT}/a.txt', version = 'same', diagnostics = diagnostics }
  end

  it('others wait for their turn, and are answered about what is there', function()
    local asked = fault.ask(child, 'diagnostics', { scope = 'buffer', open = false })
    publish { BAD }
    assert.equal('conflict', finish(child).code)
    p:wait_log('the old text', function(entry)
      return entry.text == FILES['a.txt'] and entry.version == 3
    end)
    publish {}
    assert.is_nil(fault.done(child, asked).code)
    assert.equal(0, child:lua('return #vim.fn.getqflist()'))
  end)

  it('a person may go on typing: nothing of theirs is lost, and the change is stale', function()
    child:type('Gothree<Esc>')
    child:wait('the typed line', "vim.fn.getline('$') == 'three' and vim.fn.mode() == 'n'")
    publish {}
    assert.equal('stale', finish(child).code)
    assert.same({ 'one', 'two', 'three' }, child:lines())
    p:wait_log('the text by now', function(entry)
      return entry.text == 'one\ntwo\nthree\n'
    end)
  end)

  it('a late word about it reaches nobody', function()
    publish { BAD }
    assert.equal('conflict', finish(child).code)
    p:act { publish = '{ROOT}/a.txt', version = 2, diagnostics = { BAD } }
    publish {}
    local asked = fault.ask(child, 'diagnostics', { scope = 'buffer', open = false })
    assert.is_nil(fault.done(child, asked).code)
    assert.equal(0, child:lua('return #vim.fn.getqflist()'))
  end)
end)
