-- A question about what an agent may do waits in Neovim, and takes no key by itself.
local helper = require('helper')

--- A core that asks one question, and says what was answered.
local CORE = [[
return function(core, method, params)
  if method == 'configure' then
    core.ready()
  elseif method == 'ask' then
    local lasting = vim.json.decode(params[1]).lasting
    core.event('confirm', { id = 7, call = 0, who = 'fast', tool = 'check_project', title = 'run make',
      places = 0, annotated = false, files = {}, permission = true, lasting = lasting })
    core.event('message', { level = 'info', text = 'asked' })
  elseif method == 'gone' then
    core.event('confirm_gone', { id = 7 })
    core.event('message', { level = 'info', text = 'taken back' })
  elseif method == 'reply' then
    local r = vim.json.decode(params[1])
    local text = ('%d %s %s (%s)'):format(r.id, r.accept, r.lasts, r.why)
    core.event('message', { level = 'info', text = text })
  end
end
]]

describe('a question for permission', function()
  local child

  before_each(function()
    child = helper.start_fake(CORE, { ['a.c'] = 'int old;\n' })
    child:cmd('edit a.c')
    helper.wake(child)
    child:lua([[
      vim.o.updatetime, require('oxide.typing').IDLE_MS = 20, 20
      vim.ui.select = function(items, opts, on_choice)
        _G.selected = { prompt = opts.prompt, labels = vim.tbl_map(opts.format_item, items) }
        _G.choose = function(i) on_choice(items[i]) end
      end
      vim.ui.input = function(_, on_input) on_input('not now') end
    ]])
  end)
  after_each(helper.cleanup)

  local function ask(lasting)
    child:lua("require('oxide.core').tell('ask', { lasting = ... })", lasting)
    child:message('^Oxide: asked')
  end

  local function choose(i)
    child:cmd('Oxide review')
    child:wait('the list', '_G.choose ~= nil')
    child:lua('_G.choose(...)', i)
  end

  it('is announced, and opened by nobody but the user', function()
    ask(true)
    child:message('fast asks for permission; :Oxide review opens it: run make')
    child:type('ix<Esc>')
    child:wait('the keys', "vim.fn.getline(1) == 'xint old;'")
    assert.equal(vim.NIL, child:lua('return _G.selected'))
    assert.same(
      { { 7 }, { 'once', 'session', 'always', 'no' } },
      child:lua([[
        local p = require('oxide.permission')
        return { { p.list()[1].id }, p.choices(p.list()[1]) }
      ]])
    )
  end)

  for i, reply in ipairs {
    '7 true once ()',
    '7 true session ()',
    '7 true always ()',
    '7 false no ()',
    '7 false no (not now)',
  } do
    it('is answered by choice ' .. i, function()
      ask(true)
      choose(i)
      child:message(vim.pesc(reply))
      assert.equal('fast asks: run make?', child:lua('return _G.selected.prompt'))
      assert.same({}, child:lua("return require('oxide.permission').list()"))
      assert.equal('', child:lua("return require('oxide').status()"))
    end)
  end

  it('offers once or no where it cannot last', function()
    ask(false)
    choose(1)
    child:message('7 true once')
    assert.same({ 'Yes, once', 'No', 'No, and say why' }, child:lua('return _G.selected.labels'))
  end)

  it('waits on when the list is closed', function()
    ask(true)
    choose(9)
    child:lua('_G.choose = nil')
    choose(1)
    child:message('7 true once')
  end)

  it('is answered by a chat that shows it, once', function()
    ask(true)
    child:lua("require('oxide.permission').answer(7, 'no', 'later')")
    child:lua("require('oxide.permission').answer(7, 'once')")
    child:message('7 false no %(later%)')
    assert.is_false(
      child:lua("return vim.iter(_G.messages):any(function(m) return m.text:find('7 true') end)")
    )
  end)

  it('goes when it is taken back', function()
    ask(true)
    assert.is_true(child:event('Permission').open)
    child:lua("require('oxide.core').tell('gone', {})")
    child:message('taken back')
    assert.same({}, child:lua("return require('oxide.permission').list()"))
    assert.equal('', child:lua("return require('oxide').status()"))
  end)
end)
