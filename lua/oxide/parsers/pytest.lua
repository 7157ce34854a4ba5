-- pytest with --tb=short: sections of what failed, and the summary behind them.
local COUNTS = { passed = 'passed', skipped = 'ignored', xfailed = 'passed', xpassed = 'passed' }

--- "a.py:11: in test_a" and below it "E   message": the last place of the project counts.
local function failure(name, lines)
  local row = { name = name, outcome = 'failed', output = table.concat(lines, '\n') }
  for _, line in ipairs(lines) do
    local file, at = line:match('^([^%s:][^:]*):(%d+): ')
    if file and not file:match('/lib/python[%d.]*/') then
      row.file, row.line, row.message = file, tonumber(at), nil
    end
    row.message = row.message or line:match('^E%s+(.*)$')
  end
  return row
end

local function characters(text)
  local _, inner = text:gsub('[\128-\191]', '')
  return #text - inner
end

--- The title in a line that is drawn with `sign` over the width of the others; one that is too long
--- has one sign on each side. What a test has printed is of that width by chance alone.
---@param width? integer   nil: this would be the first
local function title_of(text, sign, width)
  local title = text:match(('^%s+ (.-) %s+$'):format(sign, sign))
  local all = title and width and characters(text)
  if not all or all == width or all > width and text == ('%s %s %s'):format(sign, title, sign) then
    return title
  end
end

---@param report oxide.Report
return function(report)
  local section, name ---@type oxide.Kept?, string?
  local failing = false -- in the part that shows what failed
  local width ---@type integer?   of all headings
  local held = {} ---@type table[]   what failed, until the summary has said by which name it is run

  local function close()
    if section then
      held[#held + 1] = failure(name, section.list())
    end
    section = nil
  end

  --- "FAILED a.py::Class::test_b - message" names what has the title "Class.test_b", "ERROR" the same what
  --- has "ERROR at setup of Class.test_b", and "ERROR a.py" what has "ERROR collecting a.py".
  local function name_held(text)
    local word, id = text:match('^(%u+) (.-) %- ')
    if not id then
      word, id = text:match('^(%u+) (.+)$')
    end
    if word ~= 'FAILED' and word ~= 'ERROR' then
      return
    end
    local title = (id:match('::(.*)$') or id):gsub('::', '.')
    for _, row in ipairs(held) do
      local own = word == 'ERROR' and row.name:gsub('^ERROR %a+ ', ''):gsub('^%a+ of ', '')
        or row.name
      if own == title and not row.id then
        row.id = id
        return
      end
    end
  end

  local function finish()
    close()
    for _, row in ipairs(held) do
      report.test(row)
    end
    held = {}
  end

  local function tell_counts(text)
    for n, word in text:gmatch('(%d+) (%a+)') do
      if COUNTS[word] then
        report.test { name = '', outcome = COUNTS[word], count = tonumber(n) }
      end
    end
  end

  local function line(text)
    local heading = title_of(text, '=', width)
    local title = failing and title_of(text, '_', width)
    if heading then
      width = width or characters(text)
      close()
      failing = heading == 'FAILURES' or heading == 'ERRORS'
    elseif title then
      close()
      section, name = require('oxide.parsers.test_output')(), title
    elseif section then
      section.add(text)
    end
    name_held(text)
    if not section and text:match('^=*%s*%d+ .* in [%d.]+s') then
      tell_counts(text)
    end
    if text:match('^=*%s*no tests ran') then
      report.none()
    end
  end

  return line, finish
end
