-- The Test Anything Protocol: node --test, prove, cmocka and others. A result behind indented ones
-- is their sum; what follows a result, as YAML or comments, tells more of it.
local kept = require('oxide.parsers.test_output')
local message_of = require('oxide.parsers.message')
local OUTCOMES = { ok = 'passed', ['not ok'] = 'failed' }

--- Signs that node has escaped in a name, while its directive is looked for.
local ESCAPED = { ['\\#'] = '\1', ['\\\\'] = '\2', ['\1'] = '#', ['\2'] = '\\' }

--- A scalar of YAML as one text.
local function scalar(text)
  local quoted = text:match("^'(.*)'$")
  return quoted and quoted:gsub("''", "'") or text:match('^"(.*)"$') or text
end

--- Takes `key: value` and `key: |` with the lines below it out of a block of YAML.
local function members(lines)
  local v, open, margin = {}, nil, nil
  for _, line in ipairs(lines) do
    local indent, key, value = line:match('^(%s*)([%w_]+):%s*(.*)$')
    if open and (line:match('^%s*$') or #line:match('^%s*') > margin) then
      v[open] = (v[open] ~= '' and v[open] .. '\n' or '') .. line:match('^%s*(.-)%s*$')
    elseif key then
      open, margin = value:match('^[|>]') and key or nil, #indent
      v[key] = open and '' or scalar(value)
    end
  end
  return v
end

--- The frame of the stack that is in that file.
local function frame(stack, file)
  local _, at = (stack or ''):find(file .. ':', 1, true)
  if at then
    return stack:match('^(%d+):(%d+)', at + 1)
  end
end

--- "a.js:4:1", where the test begins if its stack says nothing, or "t.c:8" anywhere in what was said.
local function locate(row, more, output)
  local place = more.location or more.at or ''
  local file, line, column = place:match('^(.-):(%d+):(%d+)$')
  if file then
    local inner, inner_column = frame(more.stack, file)
    row.file, row.line = file, tonumber(inner or line)
    row.column = tonumber(inner and inner_column or column)
  else
    row.file, row.line = require('oxide.parsers.file_position')(output)
  end
end

---@param report oxide.Report
return function(report)
  local held ---@type table?   the last result, until all that is said of it is there
  local yaml ---@type oxide.Kept?
  local in_yaml = false -- it goes on
  local said = kept()
  local below = {} ---@type table<integer, 'passed'|'failed'>   by indent: results not yet summed up

  --- Whether it sums up results that have been told, and so is none itself.
  local function is_sum(row)
    local sum = false
    for indent, outcome in pairs(below) do
      if indent > row.indent then
        sum = sum or row.outcome ~= 'failed' or outcome == 'failed'
        below[indent] = nil
      end
    end
    return sum
  end

  local function tell()
    local row = held
    if not row then
      return
    end
    held = nil
    local more, output = members(yaml and yaml.list() or {}), table.concat(said.list(), '\n')
    yaml, said, in_yaml = nil, kept(), false
    local sum = is_sum(row)
    if below[row.indent] ~= 'failed' then
      below[row.indent] = row.outcome == 'failed' and 'failed' or 'passed'
    end
    if sum or row.unasked or more.type == 'suite' then
      return
    end
    if row.outcome == 'failed' then
      local busted = output:match('Failure message: [^\n]-:%d+: ([^\n]+)')
      row.message = message_of(more.error or more.message or busted or output)
      row.output = output
      locate(row, more, output)
    end
    row.indent = nil
    report.test(row)
  end

  local function start(indent, word, rest)
    tell()
    rest = rest:match('^%s*%d*%s*%-?%s*(.-)%s*$'):gsub('\\[\\#]', ESCAPED)
    local name, directive, reason = rest:match('^(.-)%s*# (%a+)%s*(.*)$')
    name = (name or rest):gsub('[\1\2]', ESCAPED)
    directive = (directive or ''):upper()
    local outcome = (directive == 'SKIP' or directive == 'TODO') and 'ignored' or OUTCOMES[word]
    held = { name = name, outcome = outcome, indent = #indent }
    held.unasked = reason == 'test name does not match pattern' or nil
  end

  local function line(text)
    local indent, word, rest = text:match('^(%s*)(ok)%f[%s%z](.*)$')
    if not word then
      indent, word, rest = text:match('^(%s*)(not ok)%f[%s%z](.*)$')
    end
    if in_yaml then
      said.add(text)
      yaml.add(text)
      in_yaml = not text:match('^%s*%.%.%.$')
    elseif word then
      start(indent, word, rest)
    elseif held and text:match('^%s*%-%-%-$') then
      yaml, in_yaml = kept(), true
    elseif held and text:match('^# %S+ @ %d+: ') then
      tell() -- with `verbose`, busted says so of the test that comes next
    elseif held and text:match('^%s*# ') and not text:match('^%s*# Subtest: ') then
      said.add(text:match('^%s*# ?(.*)$'))
    else
      tell()
    end
  end

  return line, tell
end
