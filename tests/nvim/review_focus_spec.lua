-- A review never takes the keys of somebody who is typing.
local helper = require('helper')

--- A core that puts the questions of an agent, as many as the name of `status` says.
local CORE = [[
local last = 6
local function question(who, title)
  last = last + 1
  local dir = vim.uv.cwd()
  return { id = last, call = who and -last or 1, who = who, title = title, tool = 'lsp_rename',
    origin = 'nvim', server = 'clangd', places = 1, annotated = false, files = { {
      path = dir .. '/a.c', shown = 'a.c', kind = 'modify', hunks = 1, added = 1, removed = 1,
      where = 'disk', diff = '@@ -1 +1 @@\n-int old;\n+int new;\n' } } }
end
return function(core, method, params)
  if method == 'configure' then
    core.ready()
  elseif method == 'ask' then
    local ask = vim.json.decode(params[1])
    for _, title in ipairs(ask.titles) do
      local q = question(ask.who, title)
      if ask.plain then
        q.files = nil
      end
      core.event('confirm', q)
    end
    if ask.gone then
      core.event('confirm_gone', { id = last })
    end
    core.event('message', { level = 'info', text = 'asked' })
  elseif method == 'reply' then
    local reply = vim.json.decode(params[1])
    core.event('remote_client', { who = 'claude', question = reply.id, title = '' })
    core.event('message', { level = 'info', text = ('%d: %s'):format(reply.id, reply.accept) })
  end
end
]]

describe('the review of a change that an agent asks for', function()
  local child

  local function start(review)
    child = helper.start_fake(
      CORE,
      { ['a.c'] = 'int old;\n' },
      { config = ('review = { %s }'):format(review or '') }
    )
    child:cmd('edit a.c')
    helper.wake(child)
    child:lua("vim.o.updatetime, require('oxide.typing').IDLE_MS = 20, 20")
  end

  before_each(function()
    start()
  end)
  after_each(helper.cleanup)

  --- Puts questions, and waits until they are there.
  local function ask(more)
    local value = vim.tbl_extend('keep', more or {}, { who = 'claude', titles = { 'rename a' } })
    child:lua('_G.messages = {}')
    child:lua("require('oxide.core').tell('ask', ...)", value)
    child:message('asked')
  end

  local function tabs()
    return child:lua("return vim.fn.tabpagenr('$')")
  end

  local function opened(id)
    child:wait(
      'review ' .. id,
      "vim.api.nvim_buf_get_name(0):find('oxide://review/'..(...)..' ', 1, true)",
      id
    )
  end

  it('opens at once when nobody types', function()
    ask()
    opened(7)
    assert.equal('', child:lua("return require('oxide').status()"))
    assert.same(
      { 'Oxide: asked' },
      child:lua([[
      return vim.tbl_map(function(m) return m.text end, _G.messages)
    ]])
    )
  end)

  for name, keys in pairs {
    ['in Insert mode'] = { 'ix', '<Esc>', "vim.fn.mode() == 'i'" },
    ['in Replace mode'] = { 'Rx', '<Esc>', "vim.fn.mode() == 'R'" },
    ['in Visual mode'] = { 'v', '<Esc>', "vim.fn.mode() == 'v'" },
    ['in Select mode'] = { 'gh', '<Esc>', "vim.fn.mode() == 's'" },
    ['with an operator pending'] = { 'd', '<Esc>', "vim.api.nvim_get_mode().mode == 'no'" },
    ['in an Insert mode command'] = {
      'i<C-o>',
      '<Esc><Esc>',
      "vim.api.nvim_get_mode().mode == 'niI'",
    },
    ['in a command line'] = { ':ech', '<C-c>', "vim.fn.getcmdline() == 'ech'" },
    ['in the command-line window'] = { 'q:', ':q<CR>', "vim.fn.getcmdwintype() == ':'" },
    ['while a macro is recorded'] = { 'qa', 'q', "vim.fn.reg_recording() == 'a'" },
    ['in a terminal'] = {
      ':terminal cat<CR>i',
      '<C-\\><C-n>',
      "vim.fn.mode() == 't'",
    },
    ['in a menu of completions'] = {
      ':set completeopt=menuone<CR>oi<C-n>',
      '<C-e><Esc>',
      'vim.fn.pumvisible() == 1',
    },
    ['while a mapping asks for a key'] = {
      'gz',
      'x',
      'vim.g.waits == 1',
    },
  } do
    it('does not open ' .. name .. ', but afterwards', function()
      child:lua([[
        vim.keymap.set('n', 'gz', function()
          vim.g.waits = 1
          vim.g.key = vim.fn.getcharstr()
        end)
      ]])
      child:type(keys[1])
      child:wait(name, keys[3])
      ask()
      local before = child:lua('return { vim.fn.tabpagenr(), vim.api.nvim_get_mode().mode }')
      assert.same({ 1, before[2] }, before)
      assert.equal(1, tabs())
      assert.equal('a review is waiting', child:lua("return require('oxide').status()"))
      assert.is_true(child:lua('return ' .. keys[3]))
      child:type(keys[2])
      opened(7)
      assert.equal(2, child:lua('return vim.fn.tabpagenr()'))
      assert.equal('', child:lua("return require('oxide').status()"))
    end)
  end

  it('is announced, and by the status of the buffer', function()
    child:type('ix')
    child:wait('Insert mode', "vim.fn.mode() == 'i'")
    ask { titles = { ('rename a '):rep(30) } }
    child:message('claude asks for a review; :Oxide review opens it: rename a')
    child:type('<Esc>')
    opened(7)
  end)

  it('waits until the keys rest', function()
    child:lua("vim.o.updatetime, require('oxide.typing').IDLE_MS = 60000, 60000")
    child:type('ix<Esc>')
    child:wait('the text', "vim.fn.getline(1) == 'xint old;' and vim.fn.mode() == 'n'")
    ask()
    child:message('claude asks for a review')
    assert.equal(1, tabs())
    child:lua("vim.o.updatetime, require('oxide.typing').IDLE_MS = 1, 1")
    child:type('l')
    opened(7)
  end)

  it('opens at the word of the person', function()
    helper.cleanup()
    start("agent_focus = 'never'")
    ask { titles = { 'rename a', 'rename b' } }
    child:message('claude asks for a review; :Oxide review opens it: rename a')
    child:message('claude asks for a review %(2 waiting%); :Oxide review opens it: rename b')
    assert.equal('2 reviews are waiting', child:lua("return require('oxide').status()"))
    assert.equal(1, tabs())
    child:cmd('Oxide review')
    opened(7)
    assert.equal('a review is waiting', child:lua("return require('oxide').status()"))
    child:cmd('Oxide review')
    opened(8)
    child:type(':w<CR>')
    child:message('8: true')
    child:wait('its end', "vim.fn.bufnr('oxide://review/8 ') < 0")
    child:cmd('Oxide review')
    opened(7)
    child:cmd('quit')
    child:message('7: false')
  end)

  it('opens while the person types in Normal mode where that is said', function()
    helper.cleanup()
    start("agent_focus = 'always'")
    child:lua("vim.o.updatetime, require('oxide.typing').IDLE_MS = 60000, 60000")
    child:type('l')
    ask()
    opened(7)
    child:type(':q<CR>')
    child:message('7: false')
    child:type('ix')
    child:wait('Insert mode', "vim.fn.mode() == 'i'")
    ask()
    assert.equal(1, tabs())
    child:type('<Esc>')
    opened(8)
  end)

  it('comes one after the other', function()
    ask { titles = { 'rename a', 'rename b', 'rename c' } }
    for id = 7, 9 do
      opened(id)
      assert.equal(2, tabs())
      child:type(':w<CR>')
      child:message(id .. ': true')
    end
    child:wait('one tab', "vim.fn.tabpagenr('$') == 1")
  end)

  it('is not heard of again when the question is taken back', function()
    child:type('ix')
    child:wait('Insert mode', "vim.fn.mode() == 'i'")
    ask { gone = true }
    assert.equal('', child:lua("return require('oxide').status()"))
    child:type('<Esc>')
    child:wait('Normal mode', "vim.fn.mode() == 'n'")
    child:cmd('Oxide review')
    child:message('no change is waiting')
    assert.equal(1, tabs())
  end)

  it('asks about what is no change only then, too', function()
    child:lua([[vim.ui.select = function(items, opts, fn)
      _G.prompt = opts.prompt
      fn(items[2])
    end]])
    child:type('ix')
    child:wait('Insert mode', "vim.fn.mode() == 'i'")
    ask { plain = true, titles = { 'run the tests' } }
    assert.is_true(child:lua('return _G.prompt == nil'))
    child:type('<Esc>')
    assert.equal('claude asks: run the tests?', child:wait('the prompt', '_G.prompt'))
    child:message('7: true')
  end)

  it('keeps Neovim from ending before it was looked at, and is not applied unseen', function()
    helper.cleanup()
    start("agent_focus = 'never'")
    ask()
    child:type(':wqa<CR>')
    child:wait('the refusal', "vim.v.errmsg:find('has not been reviewed')")
    child:type('<CR>:qa<CR>')
    opened(7)
    assert.equal('', child:lua("return require('oxide').status()"))
    assert.equal('expr', child:lua('return vim.wo.foldmethod'))
    child:type(':wqa<CR>')
    assert.equal(0, child:ended())
  end)

  it('of the person waits for the keys too, without a pause', function()
    helper.cleanup()
    start("when = 'always'")
    child:lua("vim.o.updatetime, require('oxide.typing').IDLE_MS = 60000, 60000")
    child:type('ix')
    child:wait('Insert mode', "vim.fn.mode() == 'i'")
    child:lua("require('oxide.core').tell('ask', { titles = { 'rename a' } })")
    child:message('a review is waiting; it opens in Normal mode: rename a')
    assert.equal(1, tabs())
    child:type('y<Esc>')
    opened(7)
    assert.equal('xyint old;', child:lua("return vim.fn.getbufline('a.c', 1)[1]"))
  end)
end)
