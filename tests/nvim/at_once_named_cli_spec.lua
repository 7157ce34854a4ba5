-- Renames, signatures, formatting and edits at the same time, with a real clangd: each is made on
-- what those before it left, every answer is true, and the result compiles.
local e2e = require('e2e')
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')
local relay = require('relay')

local read = project.get

local dir

local N = 5

local function fill()
  local header, source, main = {}, {}, {}
  for i = 1, N do
    table.insert(header, ('int work%d(int n);'):format(i))
    table.insert(source, ('int work%d(int n)\n{\n\treturn n + %d;\n}\n'):format(i, i))
    table.insert(main, ('\tn += work%d(n);'):format(i))
  end
  helper.write(dir .. '/work.h', '#pragma once\n' .. table.concat(header, '\n') .. '\n')
  helper.write(dir .. '/work.c', '#include "work.h"\n\n' .. table.concat(source, '\n'))
  local body = 'int main(void)\n{\n\tint n = 0;\n\n'
  body = body .. table.concat(main, '\n') .. '\n\treturn n;\n}\n'
  helper.write(dir .. '/main.c', '#include "work.h"\n\n' .. body)
  helper.write(dir .. '/compile_flags.txt', '-Wall\n-Werror\n')
  e2e.write_config(dir .. '/.oxide.lua')
end

local function ask(c, name, args)
  return { c, c:ask('tools/call', { name = name, arguments = args }), name }
end

local function rename(c, i, how)
  local args = { file_path = 'work.c', new_name = 'done' .. i, confirm = 'apply' }
  if how == 'line' then
    args.line, args.symbol = 3 + (i - 1) * 5, 'work' .. i
  else
    args.symbol = 'work' .. i
  end
  return ask(c, 'lsp_rename', args)
end

local function edit(c, i)
  return ask(c, 'edit_file', {
    file_path = 'work.c',
    old_string = ('return n + %d;'):format(i),
    new_string = ('return n + %d0;'):format(i),
  })
end

local function all_done(calls)
  for _, call in ipairs(calls) do
    local result = call[1]:reply(call[2]).result
    assert.is_falsy(result.isError, call[3] .. ': ' .. result.content[1].text)
  end
end

local function compiles()
  local command = { 'cc', '-Wall', '-Werror', '-o', dir .. '.program', 'main.c', 'work.c' }
  local done = vim.system(command, { cwd = dir }):wait()
  assert.equal(0, done.code, done.stderr)
end

--- All that was asked for is there, and nothing else.
local function is_whole()
  for i = 1, N do
    assert.matches(('int done%d%%('):format(i), read('work.c'))
    assert.matches(('int done%d%%('):format(i), read('work.h'))
    assert.matches(('n %%+= done%d%%(n'):format(i), read('main.c'))
    assert.matches(('n %%+ %d0;'):format(i), read('work.c'))
  end
  for _, name in ipairs { 'work.h', 'work.c', 'main.c' } do
    assert.not_matches('work%d', read(name))
  end
  compiles()
end

describe('changes by meaning at the same time', function()
  before_each(function()
    dir = project.begin()
    fill()
  end)

  after_each(project.finish)

  local function client(env)
    local own = { '--root', dir, '--config', dir .. '/.oxide.lua' }
    local c = mcp.start(dir, env and { '--root', dir } or own, {
      ['elicitation/create'] = function()
        return { action = 'accept', content = vim.empty_dict() }
      end,
    }, env)
    c:initialize('2025-06-18', { elicitation = vim.empty_dict() })
    return c
  end

  it('renames and edits of one client are all made', function()
    local c, calls = client(), {}
    for i = 1, N do
      table.insert(calls, rename(c, i, i % 2 == 0 and 'line' or 'name'))
      table.insert(calls, edit(c, i))
    end
    all_done(calls)
    is_whole()
  end)

  it('renames and edits of two clients are all made', function()
    local clients, calls = { client(), client() }, {}
    for i = 1, N do
      table.insert(calls, rename(clients[i % 2 + 1], i))
      table.insert(calls, edit(clients[(i + 1) % 2 + 1], i))
    end
    all_done(calls)
    is_whole()
  end)

  it('renames and edits beside one Neovim, with its buffers, are all made', function()
    local run = helper.tempdir()
    local config = 'core = { path = %q, options = %s }, review = { agent = "never" }'
    local child = relay.start({}, run, config:format(helper.core, vim.inspect(e2e.PATIENT)))
    vim.fn.delete(dir, 'rf')
    dir, project.dir = child.dir, child.dir
    fill()
    child:cmd('edit work.c')
    child:cmd('edit main.c')
    local env = relay.env(dir, run)
    local clients, calls = { client(env), client(env) }, {}
    for i = 1, N do
      table.insert(calls, rename(clients[i % 2 + 1], i))
      table.insert(calls, edit(clients[(i + 1) % 2 + 1], i))
    end
    all_done(calls)
    is_whole()
    assert.equal(read('main.c'), table.concat(child:lines(), '\n') .. '\n')
    assert.is_false(child:lua('return vim.bo.modified'))
    mcp.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  --- What is answered of all names at once, or of one after the other.
  local function references(c, at_once)
    local asked, texts = {}, {}
    for i = 1, N do
      local args = { query = 'references', file_path = 'work.c', symbol = 'work' .. i }
      asked[i] = ask(c, 'lsp_symbol', args)
      texts[i] = not at_once and c:reply(asked[i][2]).result.content[1].text or nil
    end
    for i = 1, at_once and N or 0 do
      texts[i] = c:reply(asked[i][2]).result.content[1].text
    end
    return texts
  end

  it('references of several names are those of each alone, of the files as they are', function()
    helper.write(
      dir .. '/macro.c',
      '#include "work.h"\n#define CALL work2\nint m = sizeof(CALL(1));\n'
    )
    helper.write(dir .. '/off.c', '#if 0\nint n = work4(1);\n#endif\n/* work5 */ int off;\n')
    local c = client()
    local alone = references(c)
    assert.same(alone, references(c, true))
    assert.matches('complete: true', alone[1])
    assert.matches('total: 3', alone[1])
    assert.matches('total: 4', alone[2])
    helper.write(
      dir .. '/more.c',
      '#include "work.h"\nint more(void) { return work1(work3(1)); }\n'
    )
    local at_once = references(c, true)
    assert.matches('total: 4', at_once[1])
    assert.matches('total: 4', at_once[3])
    assert.matches('more.c', at_once[3])
    assert.not_matches('more.c', at_once[2])
    assert.same(at_once, references(c))
  end)

  it('a signature, and formatting, are worked out on what a rename left', function()
    local c = client()
    all_done {
      rename(c, 1),
      rename(c, 2),
      ask(c, 'lsp_edit', {
        file_path = 'work.c',
        symbol = 'work3',
        action = 'change_signature',
        parameters = { { from = 0 }, { new = 'int more', argument = '1' } },
      }),
      ask(c, 'lsp_format', { file_path = 'work.c' }),
      edit(c, 4),
    }
    assert.matches('int work3%(int n, int more%)', read('work.c'))
    assert.matches('work3%(n, 1%)', read('main.c'))
    assert.matches('n %+ 40;', read('work.c'))
    assert.matches('done1', read('main.c'))
    assert.matches('done2', read('main.c'))
    compiles()
  end)

  local function edit_symbol(c, i, action, content)
    return ask(c, 'lsp_edit', {
      file_path = 'work.c',
      symbol = 'work' .. i,
      action = action,
      content = content,
    })
  end

  it('edits of symbols of two clients are all made', function()
    local clients, calls = { client(), client() }, {}
    for i = 2, N do
      local body, c = ('return n + %d0;'):format(i), clients[i % 2 + 1]
      local more = ('int more%d(void)\n{\n\treturn %d;\n}'):format(i, i)
      table.insert(calls, edit_symbol(c, i, 'replace_body', body))
      table.insert(calls, edit_symbol(c, 1, 'insert_before', more))
    end
    all_done(calls)
    for i = 2, N do
      assert.matches(('n %%+ %d0;'):format(i), read('work.c'))
      assert.matches(('int more%d%%('):format(i), read('work.c'))
    end
    compiles()
  end)

  it('what another program writes meanwhile stays, and each answer is true', function()
    local c = client()
    all_done { ask(c, 'lsp_symbol', { query = 'hover', file_path = 'work.c', symbol = 'work1' }) }
    local first, second = rename(c, 1), rename(c, 2, 'line')
    helper.write(dir .. '/work.c', '/* mine */\n' .. read('work.c'))
    for i, call in ipairs { first, second } do
      local result = call[1]:reply(call[2]).result
      local made = read('main.c'):find('done' .. i, 1, true) ~= nil
      assert.equal(made, not result.isError, result.content[1].text)
    end
    assert.matches('/%* mine %*/', read('work.c'))
    compiles()
  end)
end)
