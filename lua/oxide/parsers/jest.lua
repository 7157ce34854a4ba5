-- jest --json, and vitest --reporter=json.
local OUTCOMES = {
  passed = 'passed',
  failed = 'failed',
  pending = 'ignored',
  skipped = 'ignored',
  disabled = 'ignored',
  todo = 'ignored',
}

--- Where it failed: the first line of the stack in the file of the test.
local function failure(name, file, messages)
  local text = table.concat(messages or {}, '\n'):gsub('\27%[[%d;]*m', '')
  local row = { name = name, outcome = 'failed', file = file, output = text }
  local at = text:find(file .. ':', 1, true)
  local line, column = text:match('^:(%d+):(%d+)', at and at + #file or #text + 1)
  row.line, row.column = tonumber(line), tonumber(column)
  row.message = text:match('[^\n]+')
  return row
end

---@param report oxide.Report
return function(report)
  return require('oxide.parsers.whole')(report, function(v)
    for _, file in ipairs(v.testResults or {}) do
      for _, t in ipairs(file.assertionResults or {}) do
        local outcome = OUTCOMES[t.status] or 'ignored'
        if outcome == 'failed' then
          report.test(failure(t.fullName, file.name, t.failureMessages))
        else
          report.test { name = t.fullName, outcome = outcome }
        end
      end
      if file.status == 'failed' and #(file.assertionResults or {}) == 0 then
        report.test(failure(file.name, file.name, { file.message }))
      end
    end
  end)
end
