-- go test -json.
local kept = require('oxide.parsers.test_output')
local OUTCOMES = { pass = 'passed', fail = 'failed', skip = 'ignored' }

--- Where a test failed: its own words, which newer ones tell from what it has logged, or for a panic
--- the first of its frames in a test.
local function failure(event, lines, fault)
  local row = { name = event.Test or event.Package, outcome = 'failed' }
  row.output = table.concat(lines)
  for _, text in ipairs(lines) do
    local file, at, message = text:match('^%s+([^%s/:]+%.go):(%d+): (.*)\n')
    local frame, frame_at = text:match('^%s+(/.-_test%.go):(%d+)')
    if file and (not row.line or text == fault) then
      -- the package's directory is the end of its name
      row.file, row.line, row.message = event.Package .. '/' .. file, tonumber(at), message
      row.ending = true
    elseif frame and not row.line then
      row.file, row.line = frame, tonumber(frame_at)
    end
    row.message = row.message or text:match('^panic: (.-)\n')
  end
  return row
end

---@param report oxide.Report
return function(report)
  local compiled, compiler_ends = require('oxide.parsers.compiler')(report)
  local printed = {} ---@type table<string, oxide.Kept>
  local faults = {} ---@type table<string, string>   the first error of a test
  local told = {} ---@type table<string, true>   what failed because of a test that it has

  local function key_of(event)
    return event.Package .. ' ' .. (event.Test or '')
  end

  local function take_lines(key)
    local lines = printed[key]
    printed[key] = nil
    return lines and lines.list() or {}
  end

  local function tell_test(event)
    local key = key_of(event)
    local lines = take_lines(key)
    if event.Action ~= 'fail' then
      report.test { name = event.Test, outcome = OUTCOMES[event.Action] }
      return
    elseif not told[key] or faults[key] then -- also one that failed itself beside those that it has
      report.test(failure(event, lines, faults[key]))
    end
    told[event.Package .. ' '] = true
    told[key:match('^(.*)/[^/]*$') or ''] = true
  end

  --- One that failed beside its tests, and not because it does not compile.
  local function tell_package(event)
    local key = key_of(event)
    local lines = take_lines(key)
    if not told[key] and not table.concat(lines):match('%[%a+ failed%]\n') then
      local row = failure(event, lines)
      row.message = row.message or (lines[1] or ''):match('[^\n]*')
      report.test(row)
    end
  end

  local function keep(event)
    local key = key_of(event)
    printed[key] = printed[key] or kept()
    printed[key].add(event.Output)
    faults[key] = faults[key] or event.OutputType == 'error' and event.Output or nil
  end

  local function tell_event(event)
    local text = event.Output
    if text then
      report.output(text)
    end
    if text and event.Package then
      keep(event)
    end
    if text and not event.Test then
      compiled((text:gsub('\n$', '')))
    elseif event.Package and event.Test and OUTCOMES[event.Action] then
      tell_test(event)
    elseif event.Package and event.Action == 'fail' then
      tell_package(event)
    end
  end

  local function line(text)
    local event = text:sub(1, 1) == '{' and report.decode(text)
    if event and event.Action then
      tell_event(event)
      return true
    end
    compiled(text)
  end

  return line, compiler_ends
end
