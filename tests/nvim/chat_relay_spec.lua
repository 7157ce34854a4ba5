-- `oxide chat` beside a Neovim that has the project open: its tools run there, message after message.
local fault = require('fault')
local helper = require('helper')
local model_server = require('model_server')
local pty = require('pty')
local relay = require('relay')

local server, child, run ---@type test.ModelServer, test.Child, string

local REVIEW = "vim.api.nvim_buf_get_name(0):find('oxide://review/', 1, true)"

local function begin()
  server = model_server.start('openai')
  run = helper.tempdir()
  local config = "review = { agent_focus = 'always' }, core = { path = %q }"
  local files = { ['a.c'] = 'int f(void) {\n  return 1;\n}\n', ['b.c'] = 'int g;\n' }
  child = relay.start(files, run, config:format(helper.core))
  helper.write(
    child.dir .. '/.config/oxide/config.lua',
    ('return { models = { fast = { url = %q, model = "m1" } } }'):format(server.url)
  )
  child:cmd('edit a.c')
  child:cmd('call setline(2, "  return unsaved;")')
  relay.listen(child)
  local t = pty.start({ 'chat' }, { cwd = child.dir, env = relay.env(child.dir, run) })
  t:till('> ')
  return t
end

--- The model calls edit_file.
---@param file string
---@param line integer
---@param content string
local function edits(file, line, content)
  server:says { calls = { model_server.edit(file, line, content) } }
end

---@param count integer   of requests
local function asked(count)
  fault.wait('a request', function()
    return server.asked[count]
  end)
end

---@param file string
---@param line integer
---@return string
local function line_of(file, line)
  return child:lua('return vim.fn.getbufline(...)[1]', file, line)
end

describe('oxide chat beside Neovim', function()
  after_each(function()
    server:stop()
    helper.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  it('has each turn reviewed there, and tells the model what became of it', function()
    local t = begin()
    edits('a.c', 2, '  return 2;')
    server:says { text = 'Done.' }
    t:type('two')
    child:wait('the review', REVIEW)
    child:cmd('Oxide review apply')
    t:till('> ')
    assert.equal('  return 2;', line_of('a.c', 2))
    assert.truthy(server.asked[2].raw:find('return unsaved', 1, true), server.asked[2].raw)
    edits('a.c', 2, '  return 3;')
    server:says { text = 'Three.' }
    t:type('three')
    child:wait('the next review', REVIEW)
    child:cmd('Oxide review discard')
    t:till('rejected; nothing was changed')
    t:till('> ')
    assert.equal('  return 2;', line_of('a.c', 2))
    server:says { text = 'I see.' }
    t:type('why?')
    t:till('I see.')
    t:till('> ')
    t:type('/quit')
    assert.equal(0, t:ended())
    assert.truthy(server.asked[5].raw:find('rejected', 1, true), server.asked[5].raw)
  end)

  it('leaves a turn that is cancelled to :Oxide turn, and goes on', function()
    local t = begin()
    edits('a.c', 2, '  return 2;')
    local held = server:waits()
    t:type('two')
    asked(1)
    held.go()
    held = server:waits()
    asked(2)
    t:key('\3')
    child:wait('the review of what it has done until then', REVIEW)
    t:key('\3')
    t:till('nothing was changed')
    t:till('> ')
    child:wait('the end of the review', 'not ' .. REVIEW)
    assert.equal('  return unsaved;', line_of('a.c', 2))
    held.go()
    child:cmd('Oxide turn accept')
    child:message('Accepted "two"')
    assert.equal('  return 2;', line_of('a.c', 2))
    server:says { text = 'Hello.' }
    t:type('hello')
    t:till('Hello.')
  end)

  it('goes on by itself where Neovim goes between two messages', function()
    local t = begin()
    server:says { text = 'Hello.' }
    t:type('hello')
    t:till('Hello.')
    t:till('> ')
    child:type(':qall!<CR>')
    child:ended()
    edits('b.c', 1, 'int h;')
    server:says { text = 'Done.' }
    t:type('two')
    t:till('[y/N]')
    t:type('y')
    t:till('> ')
    assert.equal('int h;\n', helper.read(child.dir .. '/b.c'))
  end)
end)
