-- Commands that an agent has run by ACP (terminal/*), where the user lets it.
local acp = require('acp')
local chat = require('chat')
local fault = require('fault')
local helper = require('helper')

describe('commands of an agent', function()
  local child ---@type test.Child

  --- What the agent came to know in a turn that does this, as it wrote it into a file.
  ---@param body string   Lua, which fills `told`
  ---@return table told
  local function turn(body)
    child = acp.begin {
      script = ([[return { prompt = function(agent)
        local told = {}
        local function start(params) return agent:ask('terminal/create', params).terminalId end
        local function about(method, id) return agent:ask('terminal/' .. method, { terminalId = id }) end
        %s
        vim.fn.writefile({ vim.json.encode(told) }, _G.arg[1] .. '.told')
      end }]]):format(body),
      config = "chat = { permissions = { command = 'allow' } },",
      files = { ['notes.txt'] = 'alpha\n', ['sub/x'] = '' },
    }
    acp.say('run')
    assert.falsy(chat.ended(child).error)
    return vim.json.decode(helper.read(child.script .. '.told'), { luanil = { object = true } })
  end

  after_each(acp.cleanup)

  it('have arguments, variables and a directory', function()
    local told = turn([[
      local id = start { command = 'sh', args = { '-c', 'pwd; echo "$SHADE $1"', 'sh', 'two  words' },
        env = { { name = 'SHADE', value = 'dark' } }, cwd = DIR .. '/sub' }
      told.exit = about('wait_for_exit', id)
      told.output = about('output', id)
    ]])
    assert.same({ exitCode = 0 }, told.exit)
    assert.equal(child.dir .. '/sub\ndark two  words\n', told.output.output)
    assert.is_false(told.output.truncated)
    assert.same({ exitCode = 0 }, told.output.exitStatus)
  end)

  it('have no more of their output kept than is asked for, of whole characters', function()
    local told = turn([[
      local id = start { command = 'yes é | head -n 3000; echo end', outputByteLimit = 100 }
      about('wait_for_exit', id)
      told.output = about('output', id)
    ]])
    assert.is_true(told.output.truncated)
    assert.truthy(#told.output.output <= 100, #told.output.output)
    assert.matches('^[\n\195].*\nend\n$', told.output.output)
    assert.falsy(told.output.output:find('^\169'))
  end)

  it('are killed, and known until they are released', function()
    local told = turn([[
      local id = start { command = 'echo "$$."; exec sleep 1000' }
      repeat told.before = about('output', id) until told.before.output:find('.', 1, true)
      about('kill', id)
      told.exit = about('wait_for_exit', id)
      told.after = about('output', id)
      about('release', id)
      told.gone = select(2, about('output', id))
      told.unknown = select(2, about('kill', 'none'))
    ]])
    assert.is_nil(told.before.exitStatus)
    assert.is_nil(told.exit.exitCode)
    assert.truthy(#told.exit.signal > 0)
    assert.equal(told.before.output, told.after.output)
    assert.equal(-32602, told.gone.code)
    assert.matches('terminal not found', told.unknown.message)
  end)

  it('are ended when they are released, and with the agent', function()
    local told = turn([[
      for i = 1, 2 do
        local id = start { command = 'echo "$$."; exec sleep 1000' }
        local output
        repeat output = about('output', id).output until output:find('.', 1, true)
        told[i] = tonumber(output:match('%d+'))
        if i == 1 then about('release', id) end
      end
    ]])
    fault.wait_end(told[1])
    assert.equal(0, vim.uv.kill(told[2], 0))
    child:cmd('Oxide core stop')
    fault.wait_end(told[2])
  end)
end)
