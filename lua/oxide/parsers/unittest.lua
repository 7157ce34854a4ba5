-- python -m unittest, with -v or without.
local OUTCOMES = {
  ok = 'passed',
  ['expected failure'] = 'passed',
  skipped = 'ignored',
}
local FAILURES = { FAIL = true, ERROR = true }

--- Frames in Python's own files are skipped.
local function is_own(file)
  return file:match('/lib/python[%d.]*/') or file:sub(1, 1) == '<'
end

--- "test_a (mod.Class.test_a) (i=1)", and before Python 3.11 "test_a (mod.Class)", as "mod.Class.test_a".
local function full_name(text)
  local name, id, more = text:match('^(%S+) %(([%w_.]+)%)(.*)$')
  if not name then
    return text
  end
  return (id:match('[^.]*$') == name and id or id .. '.' .. name) .. more
end

--- The last frame of the project, and what was raised.
local function failure(name, lines)
  local row = { name = full_name(name), outcome = 'failed', output = table.concat(lines, '\n') }
  local raised ---@type string?
  for _, line in ipairs(lines) do
    local file, at = line:match('^%s+File "(.-)", line (%d+)')
    if file and not is_own(file) then
      row.file, row.line = file, tonumber(at)
    end
    if file then
      raised = nil
    elseif not raised and line:match('^%S') and not line:match('^Traceback ') then
      raised = line
    end
  end
  row.message = raised
  return row
end

---@param report oxide.Report
return function(report)
  local ruler = false -- the last line was one of a section's rulers
  local section, name ---@type oxide.Kept?, string?
  local listed = 0 -- told by -v
  local failed, ran = 0, nil ---@type integer, integer?

  local function close()
    if section then
      report.test(failure(name, section.list()))
      failed = failed + 1
    end
    section = nil
  end

  --- Without -v the tests that passed are known by their number alone.
  local function sum_up(text)
    local ignored = tonumber(text:match('skipped=(%d+)')) or 0
    if listed == 0 and ran then
      report.test { name = '', outcome = 'passed', count = math.max(ran - failed - ignored, 0) }
      report.test { name = '', outcome = 'ignored', count = ignored }
    end
    ran = nil
  end

  local function tell_listed(text)
    local test, rest = text:match('^(.-) %.%.%. (.*)$')
    local outcome = OUTCOMES[rest or ''] or OUTCOMES[(rest or ''):match('^%a+')]
    if test then
      listed = listed + 1
    end
    if outcome then
      report.test { name = test, outcome = outcome }
    end
  end

  local function line(text)
    local kind, what = text:match('^(%u+): (.+)$')
    if text:match('^=====+$') then
      close()
      ruler = true
    elseif ruler and FAILURES[kind or ''] then
      section, name, ruler = require('oxide.parsers.test_output')(), what, false
    elseif text:match('^Ran %d+ tests? in ') then
      close()
      ran = tonumber(text:match('%d+'))
      if ran == 0 then
        report.none()
      end
    elseif ran and (text:match('^OK') or text:match('^FAILED') or text:match('^NO TESTS RAN')) then
      sum_up(text)
    elseif section and not text:match('^%-%-%-%-%-+$') then
      section.add(text)
    elseif not section then
      tell_listed(text)
    end
  end

  return line, close
end
