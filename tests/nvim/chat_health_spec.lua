-- What `:checkhealth oxide` says of models.
local helper = require('helper')
local model_server = require('model_server')

describe('the section "Models" of :checkhealth', function()
  after_each(helper.cleanup)

  --- Its lines; no language server is found, so that none is started.
  ---@param models string   of the configuration
  ---@param env? table<string, string>
  ---@return string
  local function report(models, env)
    local child = helper.start({}, {
      config = ('{ core = { path = %q }, models = %s }'):format(helper.core, models),
      env = vim.tbl_extend('force', model_server.NO_KEYS, { PATH = '/nowhere' }, env or {}),
    })
    local text = child:lua([[
      vim.cmd('checkhealth oxide')
      return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    ]])
    assert.falsy(text:find('sk-secret', 1, true), text)
    return assert(text:match('\nModels *~?\n(.-)\nAgents'), text)
  end

  it('says of each model where it is asked, and whether its key is there', function()
    local text = report(
      [[{
        fast = { url = 'http://127.0.0.1:1/v1', model = 'm1' },
        good = { provider = 'anthropic', url = 'https://models.test', model = 'm2', key_env = 'GOOD' },
        lost = { provider = 'gemini', url = 'https://other.test', key_env = 'LOST' },
      }]],
      { GOOD = 'sk-secret', LOST = '' }
    )
    assert.matches('OK fast: m1 at http://127.0.0.1:1/v1\n', text)
    assert.matches('OK good: m2 at https://models.test, with the key in GOOD\n', text)
    assert.matches(
      'WARNING lost: a model to be named at https://other.test, but LOST is not set\n',
      text
    )
  end)

  it('names the providers whose keys are in the environment', function()
    local text = report('{}', { ANTHROPIC_API_KEY = 'sk-secret', MISTRAL_API_KEY = 'sk-secret' })
    assert.matches('OK anthropic/MODEL, whose key is in the environment\n', text)
    assert.matches('OK mistral/MODEL, whose key is in the environment\n', text)
    assert.falsy(text:find('openai', 1, true), text)
  end)

  it('says what to set where there is none', function()
    assert.matches('none: set a key, such as ANTHROPIC_API_KEY', report('{}'))
  end)

  it('names the models of a server on this machine', function()
    local server = model_server.start('openai')
    server:answers { body = '{"object":"list","data":[{"id":"m7","object":"model"}]}' }
    local text = report(('{} , local_servers = { mine = %q }'):format(server.url))
    server:stop()
    assert.matches('OK mine/m7\n', text)
  end)
end)

describe('the section "Agents" of :checkhealth', function()
  after_each(helper.cleanup)

  it("has those of Neovim's settings, and what is known of their login", function()
    local dir = helper.tempdir()
    for name, version in pairs { claude = '2.1.0', mine = '0.7' } do
      helper.write(dir .. '/bin/' .. name, '#!/bin/sh\necho ' .. version .. '\n')
      vim.uv.fs_chmod(dir .. '/bin/' .. name, 493)
    end
    local child = helper.start({}, {
      config = ([[{ core = { path = %q }, agents = {
        mine = { title = 'Mine', executable = 'mine', version = { args = { '--version' } } },
        lost = { executable = 'oxide-no-such-agent', install = 'brew install lost' },
      } }]]):format(helper.core),
      env = { PATH = dir .. '/bin:/usr/bin:/bin', HOME = dir, ANTHROPIC_API_KEY = 'sk-secret' },
    })
    local text = child:lua([[
      vim.cmd('checkhealth oxide')
      return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    ]])
    vim.fn.delete(dir, 'rf')
    assert.matches(
      'OK Claude Code %(claude%): version 2.1.0, .*, with a login: %$ANTHROPIC_API_KEY\n',
      text
    )
    assert.matches('OK Mine %(mine%): version 0.7, .*, not known whether logged in\n', text)
    assert.matches('lost: .*brew install lost', text)
    assert.falsy(text:find('sk-secret', 1, true), text)
  end)
end)
