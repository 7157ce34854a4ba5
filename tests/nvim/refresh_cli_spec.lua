-- refresh_code_actions in one `oxide mcp` with two projects, each with a scripted server: which of
-- them are looked at.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local LINT = { { word = 'bad', fixes = { { title = 'say good', new = 'good' } } } }
local HELD = { ['textDocument/codeAction'] = { hold = 'fixes', result = {} } }

local c

--- The client of a core with the projects "project" and "other", in which it works.
local function start(script, options)
  local p = fault.project(vim.tbl_extend('error', { lint = LINT }, script or {}), options)
  p:files { ['.git/HEAD'] = '', ['a.txt'] = 'bad\n' }
  helper.write(p.base .. '/other/.git/HEAD', '')
  helper.write(p.base .. '/other/b.txt', 'bad\n')
  c = mcp.start(p.dir, { '--root', p.dir, '--config', p.config })
  c:initialize()
  c:call('manage_projects', { add_project_path = p.base .. '/other' })
  return p
end

local function call(tool, args)
  local text, failed = c:call(tool, args or vim.empty_dict())
  assert.is_not_true(failed, text)
  return text
end

--- What the answer says, and of which files fixes are on offer then.
local function refresh(args)
  local text = call('refresh_code_actions', args)
  local out = { tonumber(text:match('count: (%d+)')), projects = {}, files = {} }
  for name in text:gmatch('name: (%S+), summary: 1 error') do
    table.insert(out.projects, name)
  end
  for file in call('list_code_actions'):gmatch('fix%-(%l%.txt):1%-') do
    table.insert(out.files, file)
  end
  return out
end

describe('refresh_code_actions', function()
  after_each(function()
    mcp.cleanup()
    fault.cleanup()
  end)

  it('looks at the project that it names, and at no other', function()
    start()
    assert.same(
      { 1, projects = { 'project' }, files = { 'a.txt' } },
      refresh { project_name = 'project' }
    )
  end)

  it('looks at all that are loaded when it names none', function()
    start { control = false } -- two servers, which cannot listen in one place
    assert.same({ 2, projects = { 'project', 'other' }, files = { 'a.txt', 'b.txt' } }, refresh())
  end)

  it('says why it is not complete', function()
    local p = start({}, { ['diagnostics.files'] = 1 })
    helper.write(p.dir .. '/c.txt', 'bad\n')
    local text = call('refresh_code_actions', { project_name = 'project' })
    assert.matches('complete: false, reasons: .*not all files of the project were checked', text)
  end)

  it('says which there are when it names none of them', function()
    start()
    local text, failed = c:call('refresh_code_actions', { project_name = 'othre' })
    assert.is_true(failed)
    assert.matches('no project othre is loaded; loaded are: project, other', text)
  end)

  it('passes over a project that is removed before its turn', function()
    local p = start { on = HELD }
    local id = c:ask('tools/call', { name = 'refresh_code_actions', arguments = vim.empty_dict() })
    p:wait_received('textDocument/codeAction')
    call('manage_projects', { remove_project_name = 'other' })
    p:act { release = 'fixes' }
    local text = c:reply(id).result.content[1].text
    assert.matches('name: project, summary: 1 error', text)
    assert.not_matches('name: other', text)
  end)

  it('ends when it is told to, and looks at no further project', function()
    local p = start { on = HELD }
    local id = c:ask('tools/call', { name = 'refresh_code_actions', arguments = vim.empty_dict() })
    p:wait_received('textDocument/codeAction')
    c:notify('notifications/cancelled', { requestId = id })
    p:wait_received('$/cancelRequest')
    assert.matches('count: 0', call('list_code_actions'))
    assert.equal(0, c:close().code)
    assert.equal(1, #p:received('initialize'))
  end)
end)
