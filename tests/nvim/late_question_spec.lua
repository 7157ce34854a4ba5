-- What the user is asked once an answer has come takes none of the keys that they type by then.
local helper = require('helper')
local screen = require('screen')

--- A core that answers a call when it is told to.
local CORE = [[
local RESULTS = {
  lsp_edit = { signature = 'old(int a)', new_signature = 'old(int a)', symbol = 'old', sites = 2 },
  list_code_actions = { code_actions = { { id = 'a1', title = 'Inline it' }, { id = 'a2', title = 'Drop it' } } },
}
local ERRORS = {
  lsp_symbol = { code = 'not_found', message = 'no old here' },
  get_symbol_info = { code = 'ambiguous', message = 'old is ambiguous', candidates = {
    { file = 'a.c', line = 1, symbol_name = 'old', kind = 'function' },
    { file = 'b.c', line = 2, symbol_name = 'old', kind = 'function' } } },
  chat = { code = 'ambiguous', message = 'several models', models = { 'fast', 'best' } },
}
local id, tool
local function answer(core)
  core.event('answer', { id = id, result = RESULTS[tool], error = ERRORS[tool] })
end
return function(core, method, params)
  if method == 'configure' then
    core.ready()
  elseif method == 'call' then
    local again = tool == 'lsp_symbol' and params[2] == 'get_symbol_info'
    id, tool = params[1], params[2]
    if again then -- the name is looked for elsewhere
      return answer(core)
    end
    core.event('message', { level = 'info', text = 'asked' })
  elseif method == 'chat' then
    id, tool = params[1], 'chat'
    core.event('message', { level = 'info', text = 'asked' })
  elseif method == 'go' then
    answer(core)
    core.event('message', { level = 'info', text = 'answered' })
  end
end
]]

describe('a question that comes late', function()
  local child

  before_each(function()
    child = helper.start_fake(CORE, { ['a.c'] = 'int old;\n' })
    child:cmd('edit a.c')
    helper.wake(child)
    child:message('asked')
  end)
  after_each(helper.cleanup)

  --- For how long keys have to rest.
  ---@param ms integer
  local function rest(ms)
    child:lua("vim.o.updatetime, require('oxide.typing').IDLE_MS = ..., ...", ms)
  end

  ---@param keys string   typed, as all that follows
  local function begin(keys)
    child:lua('_G.messages = {}')
    child:type(keys)
    child:message('asked')
    child:lua('_G.messages = {}')
  end

  local function answer()
    child:lua("require('oxide.core').tell('go', {})")
    child:message('answered')
  end

  local CASES = {
    ['of :Oxide signature'] = { ':Oxide signature<CR>', 'Signature (2 places): ' },
    ['for one of several symbols'] = { ':Oxide definition old<CR>', 'old:' },
    ['for one of several code actions'] = { ':Oxide actions<CR>', 'Code actions:' },
    ['for one of several models'] = { ':Oxide ask why<CR>', 'Which model?' },
  }
  for name, case in vim.spairs(CASES) do
    it(name .. ' comes at once when nobody types, else when the keys rest', function()
      child:lua([[
        vim.ui.input = function(opts, answered)
          _G.asked = opts.prompt
          answered()
        end
        vim.ui.select = function(_, opts, answered) vim.ui.input(opts, answered) end
      ]])
      rest(60000)
      begin(case[1])
      answer()
      assert.equal(case[2], child:wait('the question', '_G.asked'))

      child:lua('_G.asked = nil')
      begin(case[1])
      child:type('gg0ix')
      child:wait('Insert mode', "vim.fn.mode() == 'i'")
      answer()
      child:type('y<Esc>')
      child:wait('the text', "vim.fn.mode() == 'n' and vim.fn.getline(1) == 'xyint old;'")
      child:message('a question is waiting, until you stop typing; :Oxide review asks it')
      assert.is_true(child:lua('return _G.asked == nil'))
      rest(1)
      child:type('l')
      assert.equal(case[2], child:wait('the question', '_G.asked'))
      assert.equal('', child:lua("return require('oxide').status()"))
    end)
  end

  for _, columns in ipairs { 60, 80, 200 } do
    it(('is cancelled on the page of :Oxide, %d columns wide'):format(columns), function()
      for name, case in vim.spairs(CASES) do
        child:lua('vim.o.columns = ...', columns)
        rest(60000)
        begin(case[1])
        child:type('gg')
        answer()
        child:type(':Oxide<CR>')
        child:wait('the row of ' .. name, "vim.fn.search('^Question ', 'cw') > 0")
        screen.shows_with_floats(child, { 'x cancels or declines', 'Question ' })
        child:type('x')
        child:wait('no row of ' .. name, "vim.fn.search('^Question ', 'nw') == 0")
        child:wait('an end of ' .. name, "vim.fn.getline(2) == 'Running  nothing'")
        assert.equal('', child:lua("return require('oxide').status()"))
        child:type('q')
        child:wait('no page', "vim.bo.filetype ~= 'oxide-status'")
        child:cmd('silent! only | edit a.c')
      end
    end)
  end

  it('is a row of :Oxide until then', function()
    rest(60000)
    begin(':Oxide signature<CR>')
    child:type('gg')
    answer()
    child:type(':Oxide<CR>')
    child:wait('the row', "vim.fn.getline(2) == 'Question Signature (2 places): old(int a)'")
    child:cmd('2')
    child:type('<CR>')
    child:wait('the prompt', "vim.fn.getcmdline() == 'old(int a)'")
    child:type('<Esc>')
    child:wait('its end', "vim.fn.mode() == 'n'")
  end)

  it('of Neovim itself takes no key either, and comes at the word of the user', function()
    rest(60000)
    begin(':Oxide signature<CR>')
    child:type('x')
    child:wait('the key', "vim.fn.getline(1) == 'nt old;'")
    answer()
    child:type('xx')
    child:wait('the keys', "vim.fn.getline(1) == ' old;'")
    child:type(':Oxide review<CR>')
    child:wait('the prompt', "vim.fn.getcmdline() == 'old(int a)'")
    child:type('<Esc>')
    child:wait('its end', "vim.fn.mode() == 'n'")
  end)
end)
