-- A project's own commands run what its Makefile says, and whoever can write that says it: they are
-- run once a person has said so, and again only while the build files are as they were.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')

local base ---@type string
local dir ---@type string

local function makefile(what)
  helper.write(dir .. '/Makefile', ('all:\n\t@echo %s >>%s/ran\n'):format(what, base))
end

local function runs()
  return vim.uv.fs_stat(base .. '/ran') and vim.split(vim.trim(helper.read(base .. '/ran')), '\n')
    or {}
end

local function call(tool, ...)
  local argv = vim.list_extend({ helper.core, 'call', tool, '--root', dir }, { ... })
  return fault.finish(vim.system(argv, {
    cwd = base,
    env = { XDG_STATE_HOME = base .. '/state', XDG_CONFIG_HOME = base .. '/none' },
  }))
end

local function assert_refused(out)
  assert.equal(1, out.code)
  local err = out.result.error
  assert.equal('needs_confirmation', err and err.code, vim.inspect(out.result))
  assert.matches('make', err.message)
  assert.matches('%-%-yes', err.message)
  assert.matches('%-%-allow%-run', err.message)
end

local function client(answers, ...)
  local c = mcp.start(dir, { '--root', dir, ... }, answers, { XDG_STATE_HOME = base .. '/state' })
  c:initialize(nil, { elicitation = vim.empty_dict() })
  return c
end

local function elicits(action, seen)
  return {
    ['elicitation/create'] = function(params)
      table.insert(seen, params.message)
      return { action = action, content = vim.empty_dict() }
    end,
  }
end

describe("a project's own commands", function()
  before_each(function()
    dir = project.begin()
    base = vim.fs.dirname(dir)
    makefile('first')
  end)

  after_each(project.finish)

  it('are not run while nobody has said so, and the answer says how', function()
    assert_refused(call('check_project'))
    assert.same({}, runs())
  end)

  it('are run once allowed, until a build file changes', function()
    assert.is_true(call('check_project', '--yes').result.success)
    assert.is_true(call('check_project').result.success)
    helper.write(dir .. '/a.c', 'int a;\n')
    assert.is_true(call('check_project').result.success)
    assert.same({ 'first', 'first', 'first' }, runs())
    makefile('second')
    assert_refused(call('check_project'))
    helper.write(dir .. '/sub/rules.mk', 'all:\n')
    makefile('first')
    assert_refused(call('check_project'))
    assert.equal(3, #runs())
  end)

  it('are asked about again where a script that they run changes, by whatever script', function()
    local function script(name, text)
      helper.write(dir .. '/' .. name, '#!/bin/sh\n' .. text .. '\n')
    end
    helper.write(dir .. '/Makefile', 'all:\n\t@sh tools/first\n')
    script('tools/first', 'sh tools/second.sh')
    script('tools/second.sh', ('echo ran >>%s/ran'):format(base))
    script('tools/other', 'true')
    assert.is_true(call('check_project', '--yes').result.success)
    script('tools/other', 'false')
    assert.is_true(call('check_project').result.success)
    script('tools/second.sh', ('echo more >>%s/ran'):format(base))
    assert_refused(call('check_project'))
    assert.is_true(call('check_project', '--yes').result.success)
    script('tools/first', 'sh tools/other')
    assert_refused(call('check_project'))
    assert.same({ 'ran', 'ran', 'more' }, runs())
  end)

  it('are another question for each project', function()
    assert.is_true(call('check_project', '--yes').result.success)
    local other = base .. '/other'
    helper.write(other .. '/Makefile', helper.read(dir .. '/Makefile'))
    dir = other
    assert_refused(call('check_project'))
    assert.equal(1, #runs())
  end)

  it('are run without a question where --allow-run says so, and that is not kept', function()
    assert.is_true(call('check_project', '--allow-run').result.success)
    assert_refused(call('check_project'))
    assert.same({ 'first' }, runs())
  end)

  it('are asked about over MCP: an agent that writes a Makefile does not run it', function()
    local seen = {}
    local c = client(elicits('accept', seen))
    local text, failed = c:call('check_project', vim.empty_dict())
    assert.is_falsy(failed, text)
    assert.matches('run the commands of the project .*make', seen[1])
    c:call('check_project', vim.empty_dict())
    assert.equal(1, #seen)
    c.answers = elicits('decline', seen)
    c:call('write_file', {
      file_path = 'Makefile',
      content = ('all:\n\t@echo evil >>%s/ran\n'):format(base),
      overwrite = true,
    })
    text, failed = c:call('check_project', vim.empty_dict())
    assert.is_true(failed)
    assert.matches('the user declined', text)
    assert.equal(2, #seen)
    assert.same({ 'first', 'first' }, runs())
  end)

  it('are refused over MCP where the client cannot ask', function()
    local c = mcp.start(dir, { '--root', dir }, {}, { XDG_STATE_HOME = base .. '/state' })
    c:initialize()
    local text, failed = c:call('check_project', vim.empty_dict())
    assert.is_true(failed)
    assert.matches('%-%-allow%-run', text)
    assert.same({}, runs())
  end)

  it('are not run once the question is cancelled', function()
    local c = client {}
    local id = c:ask('tools/call', { name = 'check_project', arguments = vim.empty_dict() })
    c:heard('elicitation/create')
    c:notify('notifications/cancelled', { requestId = id })
    local text, failed = c:call('read_file', { file_path = 'Makefile' })
    assert.is_falsy(failed, text)
    assert.same({}, runs())
  end)
end)
