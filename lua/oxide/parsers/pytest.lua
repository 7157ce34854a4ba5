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

---@param report oxide.Report
return function(report)
  local section, name ---@type string[]?, string?
  local failing = false -- in the part that shows what failed

  local function close()
    if section then
      report.test(failure(name, section))
    end
    section = nil
  end

  local function tell_counts(text)
    for n, word in text:gmatch('(%d+) (%a+)') do
      if COUNTS[word] then
        report.test { name = '', outcome = COUNTS[word], count = tonumber(n) }
      end
    end
  end

  local function line(text)
    local heading = text:match('^=+ (.-) =+$')
    local title = text:match('^__+ (.-) __+$')
    if heading then
      close()
      failing = heading == 'FAILURES' or heading == 'ERRORS'
    elseif failing and title then
      close()
      section, name = {}, title
    elseif section then
      section[#section + 1] = text
    end
    if not section and text:match('^=*%s*%d+ .* in [%d.]+s') then
      tell_counts(text)
    end
  end

  return line, close
end
