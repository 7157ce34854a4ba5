-- go test -json.
local OUTCOMES = { pass = 'passed', fail = 'failed', skip = 'ignored' }

--- Where a test failed: its own words, or for a panic the first of its frames in a test.
local function failure(event, lines)
  local row = { name = event.Test, outcome = 'failed', output = table.concat(lines) }
  for _, text in ipairs(lines) do
    local file, at, message = text:match('^%s+([%w_%-]+%.go):(%d+): (.*)\n')
    local frame, frame_at = text:match('^%s+(/.-_test%.go):(%d+)')
    if file and not row.line then
      -- the package's folder is the end of its name
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
  local printed = {} ---@type table<string, string[]>
  local told = {} ---@type table<string, true>   tests that failed because of one of theirs

  local function tell_test(event)
    local key = event.Package .. ' ' .. event.Test
    if event.Action ~= 'fail' then
      report.test { name = event.Test, outcome = OUTCOMES[event.Action] }
    elseif not told[key] then
      report.test(failure(event, printed[key] or {}))
    end
    local above = event.Action == 'fail' and key:match('^(.*)/[^/]*$')
    told[above or ''] = true
    printed[key] = nil
  end

  local function tell_event(event)
    local text = event.Output
    if text and event.Test then
      local key = event.Package .. ' ' .. event.Test
      printed[key] = printed[key] or {}
      table.insert(printed[key], text)
    elseif text then
      compiled((text:gsub('\n$', '')))
    elseif event.Test and OUTCOMES[event.Action] then
      tell_test(event)
    end
    if text then
      report.output(text)
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
