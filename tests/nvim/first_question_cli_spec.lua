-- Of questions that come together the first is sent to its server before the next one is read: in the
-- log of what goes over the wires, that is their order.
local fault = require('fault')
local helper = require('helper')

---@param method string
local function message(method, ...)
  return vim.mpack.encode { 2, method, { ... } }
end

--- The core of an editor, on pipes.
local function serve(p)
  local core = { text = '' }
  core.job = vim.fn.jobstart({ helper.core, 'serve' }, {
    env = { XDG_STATE_HOME = p.base .. '/state', XDG_CONFIG_HOME = p.base .. '/none' },
    on_stdout = function(_, data)
      core.text = core.text .. table.concat(data, '\n')
    end,
  })
  function core.say(...)
    vim.fn.chansend(core.job, table.concat { ... })
  end
  function core.answered(id)
    fault.wait('answer ' .. id, function()
      return core.text:find(('"id":%d[,}]'):format(id))
    end)
  end
  core.say(message(
    'configure',
    vim.json.encode {
      protocol = 2,
      root = p.dir,
      runtime = helper.root .. '/lua/oxide',
      options = p.options,
      servers = { fake = p:server() },
    }
  ))
  return core
end

---@param id integer   its column too
local function hover(id)
  local args = { query = 'hover', file_path = 'a.txt', line = 1, column = id }
  return message('call', id, 'lsp_symbol', vim.json.encode(args), '{}')
end

--- What went over the wires, in order: a call that was read, or a question that was sent.
local function order(p)
  local out = {}
  for line in helper.read(p.base .. '/state/oxide/oxide.log'):gmatch('[^\n]+') do
    if line:find('<- notification call', 1, true) then
      table.insert(out, 'read')
    elseif line:find('-> request %d+ textDocument/hover') then
      table.insert(out, 'sent')
    end
  end
  return out
end

describe('of questions that come together the first', function()
  after_each(fault.cleanup)

  it('is sent before the next one is read', function()
    local hovers = { ['textDocument/hover'] = { result = { contents = 'a hover' } } }
    local p = fault.project({ on = hovers }, { ['log.wire'] = 1, ['log.level'] = 3 })
    local core = serve(p:files { ['a.txt'] = 'some words are here\n' })
    core.say(hover(1)) -- which starts the server
    core.answered(1)
    core.say(hover(2), hover(3), hover(4))
    for id = 2, 4 do
      core.answered(id)
    end
    assert.same({ 'read', 'sent', 'read', 'sent' }, vim.list_slice(order(p), 1, 4))
    vim.fn.jobstop(core.job)
    fault.wait_end(p:pid())
  end)
end)

describe('of many questions', function()
  after_each(fault.cleanup)

  it('one is answered while the others are not', function()
    local steps = { { result = { contents = 'a hover' } } }
    for id = 2, 7 do
      steps[id] = { hold = 'answer ' .. id, result = { contents = 'a hover' } }
    end
    local p = fault.project { on = { ['textDocument/hover'] = steps } }
    local core = serve(p:files { ['a.txt'] = 'some words are here\n' })
    core.say(hover(1))
    core.answered(1)
    for id = 2, 7 do
      core.say(hover(id))
    end
    for id = 2, 7 do
      p:wait_log('the question', function(entry)
        return entry.holds == 'answer ' .. id
      end)
    end
    for _, id in ipairs { 4, 7, 2, 3, 6, 5 } do
      p:act { release = 'answer ' .. id }
      core.answered(id)
    end
    vim.fn.jobstop(core.job)
    fault.wait_end(p:pid())
  end)
end)
