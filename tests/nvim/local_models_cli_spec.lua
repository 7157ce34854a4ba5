-- Model servers on this machine, which are found where no model is configured.
local helper = require('helper')
local model_server = require('model_server')
local project = require('project')

describe('model servers on this machine', function()
  local one, other, dir ---@type test.ModelServer, test.ModelServer, string

  before_each(function()
    one, other = model_server.start('openai'), model_server.start('openai')
    dir = project.begin { ['a.c'] = 'int a;\n' }
    helper.write(
      dir .. '.lua',
      ('return { local_servers = { one = %q, other = %q, none = "http://127.0.0.1:1/v1" } }'):format(
        one.url,
        other.url
      )
    )
  end)
  after_each(function()
    one:stop()
    other:stop()
    project.finish()
  end)

  ---@param server test.ModelServer
  ---@param ids string[]
  local function has(server, ids)
    local data = vim.tbl_map(function(id)
      return { id = id, object = 'model' }
    end, ids)
    server:answers { body = vim.json.encode { object = 'list', data = data } }
  end

  ---@param args string[]
  ---@param env? table<string, string>
  local function run(args, env)
    local argv = { helper.core, args[1], '--config', dir .. '.lua' }
    vim.list_extend(argv, { '--data', helper.root .. '/lua/oxide' })
    return vim
      .system(vim.list_extend(argv, vim.list_slice(args, 2)), {
        cwd = dir,
        stdin = '',
        env = vim.tbl_extend(
          'force',
          model_server.NO_KEYS,
          { XDG_STATE_HOME = dir .. '.state' },
          env or {}
        ),
      })
      :wait(helper.deadline)
  end

  it('are listed with what they have', function()
    has(one, { 'qwen3', 'org/llama' })
    other:answers { body = '<html>something else</html>' }
    local done = run { 'models' }
    assert.equal('one/qwen3\none/org/llama\n', done.stdout)
    assert.same({ 0, 'GET', '/v1/models' }, { done.code, 'GET', one.asked[1].path })
    has(one, { 'qwen3' })
    has(other, { 'qwen3' })
    done = run({ 'models', '--json' }, { OPENAI_API_KEY = 'k' })
    assert.same({ 'openai/MODEL', 'one/qwen3', 'other/qwen3' }, vim.json.decode(done.stdout))
  end)

  it('are asked where there is nothing else, and one model is used', function()
    has(one, {})
    has(other, { 'qwen3' })
    other:says { text = 'Hello.' }
    local done = run { 'ask', 'hello' }
    assert.equal('Hello.\n', done.stdout, done.stderr)
    assert.equal('qwen3', other.asked[2].body.model)
    assert.is_nil(other.asked[2].headers.authorization)
  end)

  it('are called by the name of a file that they have loaded', function()
    has(one, {})
    has(other, { '/models/qwen3.gguf' })
    other:says { text = 'Hello.' }
    assert.equal('Hello.\n', run({ 'ask', 'hello' }).stdout)
    assert.equal('/models/qwen3.gguf', other.asked[2].body.model)
    has(one, {})
    has(other, { '/models/qwen3.gguf' })
    assert.equal('other/qwen3.gguf\n', run({ 'models' }).stdout)
  end)

  it('are all named where there are several models', function()
    has(one, { 'qwen3' })
    has(other, { 'llama' })
    local done = run { 'ask', 'hello' }
    assert.truthy(
      done.stderr:find('there are several: one/qwen3, other/llama', 1, true),
      done.stderr
    )
    assert.equal(1, done.code)
    other:says { text = 'Hi.' }
    local named = run({ 'ask', '--model', 'other/llama', 'hello' }, { OPENAI_API_KEY = 'k' })
    assert.equal('Hi.\n', named.stdout)
    assert.same({ 1, 2 }, { #one.asked, #other.asked })
  end)

  it('are not asked where a model is configured', function()
    local done = run({ 'ask', 'hello' }, { OPENAI_API_KEY = 'k' })
    assert.truthy(done.stderr:find('which model of openai?', 1, true), done.stderr)
    assert.same({ {}, {} }, { one.asked, other.asked })
  end)

  it('that are not there leave a message that says what to do', function()
    local done = run { 'ask', 'hello' } -- both answer with an error
    assert.truthy(done.stderr:find('start a model server on this machine', 1, true), done.stderr)
    assert.same({ 1, 1, 1 }, { done.code, #one.asked, #other.asked })
    done = run { 'models' }
    assert.same({ '', 1 }, { done.stdout, done.code })
  end)

  --- Asks in a Neovim with these agents.
  ---@param agents string
  local function found_in_neovim(agents)
    has(one, {})
    has(other, { 'qwen3' })
    other:says { text = 'Hello.' }
    local config = '{ core = { path = %q }, local_servers = { one = %q, other = %q }, agents = %s }'
    local child = helper.start({ ['a.c'] = 'int a;\n' }, {
      env = model_server.NO_KEYS,
      config = config:format(helper.core, one.url, other.url, agents),
    })
    child:cmd('edit a.c | Oxide ask hello')
    child:wait(
      'the answer in the chat',
      [[(function()
        local buf = vim.fn.bufnr('^oxide://chat/1$')
        local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
        return text:find('# other/qwen3\n\nHello.', 1, true)
      end)()]]
    )
  end

  it('are found by a chat in Neovim', function()
    found_in_neovim('{}')
  end)

  it('are found by a chat in Neovim where there are agents, too', function()
    local acp = "{ acp = { command = { 'true' } } }"
    found_in_neovim(('{ robot = %s, other_robot = %s }'):format(acp, acp))
  end)
end)
