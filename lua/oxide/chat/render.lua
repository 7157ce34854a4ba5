-- What a conversation looks like, as lines. Pure.
local ui = require('oxide.ui')

local M = {}

---@class oxide.ChatBlock
---@field kind 'person'|'model'|'text'|'thought'|'call'|'note'
---@field message? integer   the number of the message that it is of
---@field text? string       of what was said (see M.text); of a note
---@field pieces? string[]   that have come since and belong to its end
---@field shown? string[]    person: headings of what went with it
---@field told? string[]     person: what the model is told besides, such as of its changes
---@field who? string        model
---@field id? string         call
---@field line? string       call: on one line
---@field state? 'running'|'done'|'failed'
---@field turn? string     note: the id of the turn whose changes it is about
---@field detail? string     call: its result
---@field mark? integer      where it is in the buffer

M.PERSON = '# You'
local DETAIL = 40 -- lines of a tool's result

local ENDING = 80 -- bytes in which a text ends with an empty line, or does not

local SIGNS = { running = '→', done = '✓', failed = '✗' }

---@param text string
---@return string[]
local function lines_of(text)
  return vim.split(text, '\n', { plain = true })
end

--- A fence that no line of the text ends.
---@param text string
---@return string
local function fence(text)
  local longest = 2
  for ticks in ('\n' .. text):gmatch('\n%s*(`+)') do
    longest = math.max(longest, #ticks)
  end
  return ('`'):rep(longest + 1)
end

--- The fence that is open behind a line of Markdown.
---@param line string
---@param open? string   before it
---@return string?
function M.fence_behind(line, open)
  local ticks = line:match('^%s*(```+)')
  if not open then
    return ticks
  end
  local is_end = ticks and #ticks >= #open and line:match('^%s*`+%s*$')
  return not is_end and open or nil
end

--- What the diff of a change shows as well is left out: that it was made, and in which files.
---@param head string   what the answer has before it
---@return string[]
local function beside_diff(head)
  return vim.tbl_filter(function(line)
    return line ~= 'files:'
      and not line:find(' edits: %d')
      and not line:find('success: true', 1, true)
  end, lines_of(head))
end

--- The result of a tool: a diff where it has one, behind what comes before it.
---@param text string
---@return string[]
local function detail(text)
  local head, diff = text:match('^(.-)\ndiff:\n(.*)$')
  local lines = lines_of((vim.trim(diff or text)))
  local more = #lines - DETAIL
  if more > 0 then
    lines = vim.list_slice(lines, 1, DETAIL)
    table.insert(lines, ('... %s more'):format(ui.count(more, 'line')))
  end
  local mark = fence(table.concat(lines, '\n'))
  table.insert(lines, 1, mark .. (diff and 'diff' or ''))
  table.insert(lines, mark)
  return head and vim.list_extend(beside_diff(head), lines) or lines
end

--- What was said. Its pieces are joined when it is asked for: joining each would copy all of it.
---@param block oxide.ChatBlock
---@return string
function M.text(block)
  if block.pieces then
    block.text = block.text .. table.concat(block.pieces)
    block.pieces = nil
  end
  return block.text
end

---@type table<string, fun(block: oxide.ChatBlock): string[]>
local kinds = {
  person = function(block)
    local lines, told = vim.list_extend({ M.PERSON, '' }, lines_of(block.text)), block.told or {}
    if #block.shown + #told > 0 then
      table.insert(lines, '')
    end
    for _, heading in ipairs(block.shown) do
      table.insert(lines, '> with ' .. heading)
    end
    for _, line in ipairs(told) do
      table.insert(lines, '> told: ' .. line)
    end
    return lines
  end,
  model = function(block)
    return { '# ' .. block.who }
  end,
  text = function(block)
    return lines_of(M.text(block))
  end,
  thought = function(block)
    return lines_of('> thinking\n> ' .. M.text(block):gsub('\n', '\n> '))
  end,
  call = function(block)
    local lines = { ('%s %s'):format(SIGNS[block.state], block.line) }
    if block.detail and vim.trim(block.detail) ~= '' then
      vim.list_extend(lines, detail(block.detail))
    end
    return lines
  end,
  note = function(block)
    return lines_of('**' .. block.text:gsub('^([^:\n]*)', '%1**', 1))
  end,
}

---@param block oxide.ChatBlock
---@return string[]
function M.lines(block)
  return kinds[block.kind](block)
end

--- A piece that is added to what a block says.
---@param block oxide.ChatBlock
---@param text string
---@return string[]
function M.more(block, text)
  return lines_of(block.kind == 'thought' and (text:gsub('\n', '\n> ')) or text)
end

--- How many lines are left free before a block: calls and notes follow each other closely.
---@param before oxide.ChatBlock
---@param block oxide.ChatBlock
---@return integer
function M.space(before, block)
  -- of a long text, the end alone: the search would try each of its lines
  local is_apart = before.kind == 'text' and M.text(before):sub(-ENDING):match('\n%s*$')
  return (is_apart or before.kind == 'call' and block.kind == 'call') and 0 or 1
end

---@class oxide.ChatUsage   tokens of all turns; -1: not known
---@field input integer
---@field output integer
---@field cached integer
---@field cost? number   in the currency of the model's price

---@param n integer
---@return string
local function thousands(n)
  return n < 1000 and tostring(n)
    or n < 1e6 and ('%.1fk'):format(n / 1000)
    or ('%.1fM'):format(n / 1e6)
end

---@param usage? oxide.ChatUsage
---@return string   empty where nothing is known
function M.usage(usage)
  if not usage or usage.input < 0 then
    return ''
  end
  local cost = usage.cost and (', cost %.2f'):format(usage.cost) or ''
  local output = math.max(usage.output, 0)
  return ('%s in, %s out%s'):format(thousands(usage.input), thousands(output), cost)
end

--- As the core will name it.
---@param shown oxide.Shown
---@return string
function M.shown_name(shown)
  if not shown.path then
    return shown.heading
  end
  local name = vim.fn.fnamemodify(shown.path, ':~:.')
  return shown.first and ('%s, lines %d to %d'):format(name, shown.first, shown.last) or name
end

--- What the model was told of its changes. Older transcripts have diffs and lists in
--- between: no line of those begins with a capital letter.
---@param news string
---@return string[]
local function sentences(news)
  return vim.tbl_filter(function(line)
    return line:match('^%u') ~= nil
  end, lines_of(news))
end

--- The blocks that a message of a transcript is shown as.
---@param message table        as the core writes it (llm/chat.h)
---@param row oxide.ChatRow
---@param calls table<string, oxide.ChatBlock>   by id: those that still lack a result
---@return oxide.ChatBlock[]
function M.blocks(message, row, calls)
  local blocks = {} ---@type oxide.ChatBlock[]
  local words, shown, told = {}, {}, {}
  for _, part in ipairs(message.parts) do
    local kind = part.kind
    if message.role == 'person' and kind == 'text' and part.name then
      vim.list_extend(told, part.name == 'news' and sentences(part.text) or {})
    elseif message.role == 'person' then
      table.insert(kind == 'shown' and shown or words, kind == 'shown' and part.name or part.text)
    elseif kind == 'text' or kind == 'thought' then
      if (part.text or '') ~= '' then
        table.insert(blocks, { kind = kind, text = part.text })
      end
    elseif kind == 'call' then
      local block = { kind = 'call', id = part.id, line = part.name, state = 'running' }
      calls[part.id] = block
      table.insert(blocks, block)
    elseif kind == 'result' and calls[part.id] then
      local block = calls[part.id]
      block.state, block.detail = part.failed and 'failed' or 'done', part.text
      block.line = row.lines and row.lines[part.id] or block.line
    end
  end
  if message.role == 'person' then
    blocks = { { kind = 'person', text = table.concat(words, '\n'), shown = shown, told = told } }
  end
  return blocks
end

return M
