-- Two agents that change one file: what one has not seen of the other's is never overwritten.
local acp = require('acp')
local chat = require('chat')

-- "slow A B" reads the notes, asks whether it may go on, and writes them with A as B; "fast A B" does
-- not ask; "parts A B" asks after it has read the first line, and then reads the others.
local SCRIPT = [[return { prompt = function(agent, words)
  local pace, from, to = words:match('(%a+) (%a+) (%a+)')
  local text = agent:read(DIR .. '/notes.txt', pace == 'parts' and { line = 1, limit = 1 } or nil)
  if pace ~= 'fast' then
    agent:permission { toolCallId = 't1', title = 'go on', kind = 'execute', rawInput = { command = 'true' } }
  end
  if pace == 'parts' then
    text = text .. agent:read(DIR .. '/notes.txt', { line = 2, limit = 2 })
  end
  local failed = agent:write(DIR .. '/notes.txt', (text:gsub(from, to)))
  agent:says(failed and 'told: ' .. failed.message or 'written')
end }]]

describe('two agents that change one file', function()
  local child ---@type test.Child

  --- A conversation of its own, with an agent of its own.
  ---@param number integer
  ---@param words string
  local function say(number, words)
    child:lua(
      [[
      local number, words = ...
      local chat = require('oxide.chat')
      local talk = chat.get(number) or chat.new('robot')
      talk:draw()
      talk:send { words = words, shown = {} }
    ]],
      number,
      words
    )
  end

  --- The second changes the file while the first, which has read it, waits.
  local function race(slow, fast)
    child = acp.begin { script = SCRIPT }
    say(1, slow)
    local question = child:event('Permission')
    say(2, 'fast ' .. fast)
    child:event('ReviewOpen')
    child:cmd('write')
    chat.ended(child, 1)
    child:wait('no review', "not vim.fn.bufname():find('oxide://review', 1, true)")
    child:lua('_G.events = {}')
    child:lua("require('oxide.permission').answer(..., 'once')", question.id)
  end

  local function notes()
    return child:lua("return vim.fn.getbufline('notes.txt', 1, '$')")
  end

  after_each(acp.cleanup)

  it('keeps what both changed, where they changed other lines', function()
    race('slow alpha ALPHA', 'gamma GAMMA')
    child:event('ReviewOpen')
    child:cmd('write')
    assert.falsy(chat.ended(child).error)
    assert.same({ 'ALPHA', 'beta', 'GAMMA' }, notes())
    child:cmd('buffer notes.txt | Oxide turn undo')
    child:wait('the undo', "vim.fn.getbufline('notes.txt', 1)[1] == 'alpha'")
    assert.same({ 'alpha', 'beta', 'GAMMA' }, notes())
  end)

  it('keeps what was changed between two parts that one reads', function()
    race('parts gamma GAMMA', 'alpha ALPHA')
    child:event('ReviewOpen')
    child:cmd('write')
    assert.falsy(chat.ended(child).error)
    assert.same({ 'ALPHA', 'beta', 'GAMMA' }, notes())
  end)

  it('keeps what the user has typed meanwhile', function()
    child = acp.begin { script = SCRIPT }
    say(1, 'slow alpha ALPHA')
    local question = child:event('Permission')
    child:lua("vim.fn.setbufline('notes.txt', 3, { 'gamma', 'typed' })")
    child:lua("require('oxide.permission').answer(..., 'once')", question.id)
    local review = child:event('ReviewOpen')
    local shown = table.concat(child:lua('return vim.fn.getbufline(..., 1, "$")', review.buf), '\n')
    assert.falsy(shown:find('-typed', 1, true), shown)
    child:cmd('write')
    assert.falsy(chat.ended(child).error)
    assert.same({ 'ALPHA', 'beta', 'gamma', 'typed' }, notes())
  end)

  it('refuses the later one, where they changed the same', function()
    race('slow beta mine', 'beta theirs')
    assert.falsy(chat.ended(child).error)
    assert.same({ 'alpha', 'theirs', 'gamma' }, notes())
    assert.matches('told: .*chang', chat.text(child, 1))
    say(1, 'fast gamma GAMMA') -- it has read the file again, and goes on
    child:event('ReviewOpen')
    child:cmd('write')
    assert.falsy(chat.ended(child, 2).error)
    assert.same({ 'alpha', 'theirs', 'GAMMA' }, notes())
  end)
end)
