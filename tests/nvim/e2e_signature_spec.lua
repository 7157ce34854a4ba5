-- `:Oxide signature` as a person uses it, with a real server: at a call, in a buffer with unsaved
-- text, with a review, and taken back.
local e2e = require('e2e')
local helper = require('helper')

describe(':Oxide signature', function()
  local child
  local sample = e2e.samples.clangd
  local before = e2e.before(sample)

  before_each(function()
    child = e2e.start(sample)
    child:cmd('edit shape.c')
    child:type('ggO// mine<Esc>')
    child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline(1) == '// mine'")
    child:cmd('edit main.c')
    child:cmd([[call search('😀 area')]])
    child:cmd([[call search('\<area\>(')]])
    -- What is asked is in _G.asked; the answer is typed.
    child:lua([[
      local input = vim.ui.input
      vim.ui.input = function(opts, on_confirm)
        _G.asked = { opts.prompt, opts.default }
        input(opts, on_confirm)
      end
    ]])
  end)
  after_each(helper.cleanup)

  --- All files as they are written, and shape.c as it is in its buffer.
  local function assert_untouched()
    assert.same(before, e2e.disk(sample, child.dir))
    assert.equal(before['main.c'], e2e.text(child, 'main.c'))
    assert.equal('// mine\n' .. before['shape.c'], e2e.text(child, 'shape.c'))
  end

  local function replaced(text, pairs_)
    for _, pair in ipairs(pairs_) do
      local at, to = text:find(pair[1], 1, true)
      assert(at, pair[1])
      text = text:sub(1, at - 1) .. pair[2] .. text:sub(to + 1)
    end
    return text
  end

  it('shows the present one, asks what callers pass, and is reviewed and undone', function()
    child:type(':Oxide signature<CR>')
    assert.same(
      { 'Signature (5 places): ', 'area(int w, int h)' },
      child:wait('the question', '_G.asked')
    )
    child:lua('_G.asked = nil')
    child:type('<C-U>size(int h, int w, int depths := 2, int depth)<CR>')
    assert.equal('Callers pass for `int depth`: ', child:wait('the question', '_G.asked')[1])
    child:type('1<CR>')
    child:event('ReviewOpen')
    assert_untouched()
    child:type(':w<CR>')
    child:message('Changed area to size in 5 places of 4 files')
    local body = { { 'area(int w, int h)', 'size(int h, int w, int depths, int depth)' } }
    local call = { { 'area(area(1, 2), 3)', 'size(3, size(2, 1, 2, 1), 2, 1)' } }
    assert.equal(replaced(before['shape.h'], body), child:file('shape.h'))
    assert.equal(replaced(before['main.c'], call), e2e.text(child, 'main.c'))
    assert.equal('// mine\n' .. replaced(before['shape.c'], body), e2e.text(child, 'shape.c'))
    assert.equal(
      replaced(before['twice.c'], { { 'area(x, 2)', 'size(2, x, 2, 1)' } }),
      child:file('twice.c')
    )
    child:lua('_G.messages = {}')
    child:type(':Oxide undo<CR>')
    child:message('Undid')
    assert_untouched()
  end)

  it('counts places in its review as everywhere, whatever each takes to be rewritten', function()
    for _, columns in ipairs { 60, 80, 200 } do
      child:lua('vim.o.columns, _G.events = ..., {}', columns)
      child:cmd('Oxide signature area(int depth := 2, int h, int w)')
      child:event('ReviewOpen')
      local page = child:lua('return vim.api.nvim_buf_get_lines(0, 0, 3, false)')
      assert.matches('%f[%d]5 places in 4 files', table.concat(page, '\n'))
      child:cmd('quit')
      child:event('ReviewClose')
    end
    assert_untouched()
  end)

  it('counts what a review lets through', function()
    -- main.c has a call as an argument of another
    for left_out, said in pairs {
      ['twice.c'] = 'Changed area in 4 of 5 places of 3 files',
      ['main.c'] = 'Changed area in 3 of 5 places of 3 files',
    } do
      child:lua('_G.messages, _G.events = {}, {}')
      child:cmd([[call search('\<area\>(')]])
      child:cmd('Oxide signature area(int h, int w)')
      child:event('ReviewOpen')
      child:lua('vim.fn.search(...)', [[\V## \.\*]] .. left_out)
      child:type('2j :w<CR>')
      child:message(said)
      assert.equal(before[left_out], child:file(left_out))
      child:cmd('Oxide undo')
      child:message('Undid')
      assert_untouched()
    end
  end)

  it('takes the list with it, and a script the same as data', function()
    child:type(':Oxide! signature int h, int w<CR>')
    child:message('Changed area in 5 places of 4 files')
    assert.equal(
      replaced(before['shape.h'], { { 'int w, int h', 'int h, int w' } }),
      child:file('shape.h')
    )
    child:lua([[
      require('oxide').signature {
        parameters = { { from = 1 }, { from = 0 } },
        review = 'never',
        on_done = function(err, result)
          _G.done = { err and err.message or false, result and result.new_signature }
        end,
      }
    ]])
    assert.same({ false, 'area(int w, int h)' }, child:wait('the answer', '_G.done'))
    assert_untouched()
  end)

  it('lists the places that stand in its way, and changes nothing', function()
    child:cmd('edit twice.c')
    child:type('Goint (*p)(int, int) = area;<Esc>')
    child:wait(
      'the typed line',
      "vim.fn.mode() == 'n' and vim.fn.getline('$'):find('area', 1, true)"
    )
    child:cmd('call search("area")')
    child:type(':Oxide signature int h, int w<CR>')
    child:wait('the list', '#vim.fn.getqflist() > 0')
    child:message(':Oxide! signature leaves them as they are')
    local list = child:lua([[
      return vim.tbl_map(function(item)
        local name = vim.fs.basename(vim.api.nvim_buf_get_name(item.bufnr))
        return { name, item.lnum, item.col, item.text }
      end, vim.fn.getqflist())
    ]])
    assert.same(
      { { 'twice.c', 4, 22, 'it is not a plain call: int (*p)(int, int) = area;' } },
      list
    )
    assert_untouched()
  end)

  it('leaves such places as they are with !', function()
    child:cmd('edit twice.c')
    child:type('Goint (*p)(int, int) = area;<Esc>')
    child:wait(
      'the typed line',
      "vim.fn.mode() == 'n' and vim.fn.getline('$'):find('area', 1, true)"
    )
    child:cmd('call search("area")')
    child:type(':Oxide! signature int h, int w<CR>')
    child:message('Changed area in .* 1 place cannot be rewritten and stays as it is')
    assert.equal('int (*p)(int, int) = area;', child:lines()[4])
  end)

  it('left as it is, or with an empty answer, changes nothing', function()
    for _, keys in ipairs { '<CR>', '<C-U><CR>' } do
      child:lua([[
        _G.asked, _G.done = nil, nil
        require('oxide').signature {
          on_done = function(err)
            _G.done = err.code
          end,
        }
      ]])
      child:wait('the question', '_G.asked')
      child:type(keys)
      assert.equal('cancelled', child:wait('the answer', '_G.done'))
    end
    assert_untouched()
  end)
end)
