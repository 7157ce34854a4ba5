-- The end of a core, by whatever kills it, and of Neovim: no process is left behind, and nothing that
-- was typed is lost.
local fault = require('fault')
local life = require('fault_life')
local helper = require('helper')

local start, never, hover, core_pid, assert_lively =
  life.start, life.never, life.hover, life.core_pid, life.assert_lively

describe('the end', function()
  after_each(fault.cleanup)

  local STUBBORN = {
    start = { { stubborn = true } },
    on = { shutdown = { silent = true }, exit = { silent = true } },
  }

  local function assert_gone(p, core)
    fault.wait_end(core)
    fault.wait_end(p:pid())
  end

  --- The core, run by a shell that writes down how it ended.
  local function watched(p)
    local path = p.base .. '/core'
    helper.write(path, ('#!/bin/sh\n%q "$@"\necho $? >%s.status\n'):format(helper.core, path))
    assert(vim.uv.fs_chmod(path, 493))
    return { core = { path = path } }
  end

  local function assert_well_ended(p)
    fault.wait('the core to end', function()
      return vim.uv.fs_stat(p.base .. '/core.status')
        and helper.read(p.base .. '/core.status') ~= ''
    end)
    assert.equal('0\n', helper.read(p.base .. '/core.status'))
    fault.wait_end(p:pid())
  end

  it('of Neovim by :qa leaves no process, also with a stubborn server', function()
    for _, script in ipairs { {}, STUBBORN } do
      local p, child = start(vim.deepcopy(script))
      hover(child)
      local core = core_pid(child)
      child:type(':qa!<CR>')
      child:ended()
      assert_gone(p, core)
    end
  end)

  it('of Neovim by kill -9 leaves none either: idle, asked, in review, stopped', function()
    local states = {
      function() end,
      function(_, child)
        fault.ask(child, 'hover')
      end,
      function(_, child)
        fault.ask(child, 'rename', { name = 'new', review = 'always' })
        child:event('ReviewOpen')
      end,
      function(p)
        assert(vim.uv.kill(p:pid(), 'sigstop'))
      end,
    }
    for _, reach in ipairs(states) do
      for _, script in ipairs { {}, STUBBORN } do
        script = vim.deepcopy(script)
        script.on = script.on or {}
        script.on['textDocument/hover'] = { { result = vim.NIL }, { silent = true } }
        local p, child = start(script, nil, watched)
        hover(child)
        reach(p, child)
        assert(vim.uv.kill(child:lua('return vim.uv.os_getpid()'), 'sigkill'))
        child:ended()
        assert_well_ended(p)
      end
    end
  end)

  it('of the core costs one message; the next command starts it again', function()
    local p, child = start {}
    child:cmd('normal! Oa line of mine')
    child:cmd('normal! j0')
    hover(child)
    local core = core_pid(child)
    assert(vim.uv.kill(core, 'sigkill'))
    child:message('ended unexpectedly')
    fault.wait_end(p:pid(1))
    assert.equal(1, child:lua('return #_G.messages'))
    assert.same({ 'a line of mine', 'old one' }, child:lines())
    assert.is_true(child:lua('return vim.bo.modified'))
    local done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.is_true(done.result and done.result.success, done.message)
    assert.same({ 'a line of mine', 'new one' }, child:lines())
    assert.equal('old one\n', child:file('a.txt'))
    assert.equal('two new\n', child:file('b.txt'))
  end)

  it('of the core by SIGTERM ends its servers too', function()
    local p, child = start(vim.deepcopy(STUBBORN))
    hover(child)
    local core = core_pid(child)
    assert(vim.uv.kill(core, 'sigterm'))
    assert_gone(p, core)
  end)

  it('of waiting for a core that is stopped comes too, and the editor goes on meanwhile', function()
    local _, child = start({}, nil, { core = { hang_ms = 600 } })
    hover(child)
    local core = core_pid(child)
    assert(vim.uv.kill(core, 'sigstop'))
    local n = fault.ask(child, 'rename', never())
    assert_lively(child)
    local done = fault.done(child, n)
    assert.equal('timeout', done.code, done.message)
    fault.wait_end(core)
    child:wait('Neovim to know', "require('oxide.process').pid ~= ...", core)
    done = fault.done(child, fault.ask(child, 'rename', never()))
    assert.is_true(done.result and done.result.success, done.message)
    assert.same({ 'new one' }, child:lines())
  end)
end)
